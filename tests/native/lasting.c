/* at: 0.5,1.2,-0.7,2.1,0.3
 * large: random:30:-1:1
 * Matrices that several calls, or several iterations, read while they stand, of which one copy is kept
 * (native/sweep/lasting.h): by one function and through another one, through a struct, at the same address with other
 * contents, read once or repeatedly, only in part, freed and allocated anew. */
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum { SIDE = 12, ALL = SIDE * SIDE, LAYERS = 9 };

typedef struct network {
    double *matrix;
    double shift;
} network;

static NOINLINE void layer(const double *w, const double *x, double *y) {
    for (int i = 0; i < SIDE; i++) {
        double sum = 0;
        for (int j = 0; j < SIDE; j++)
            sum += w[SIDE * i + j] * x[j];
        y[i] = sum / (1 + sum * sum);
    }
}

/* Passes its pointer on; and changes the last row in some calls. */
static NOINLINE void outer_layer(double *w, const double *x, double *y, int change) {
    if (change)
        w[ALL - 1] += x[0] * x[1];
    layer(w, x, y);
}

static NOINLINE void of_struct(const network *one, const double *x, double *y) {
    for (int i = 0; i < SIDE; i++) {
        double sum = one->shift;
        for (int j = 0; j < SIDE; j++)
            sum += one->matrix[SIDE * i + j] * x[j];
        y[i] = 0.3 * sum;
    }
}

/* Both loops are here: the nest is in a loop in which the matrix stands. `from`: the first row. */
static NOINLINE double powers(const double *w, double *x, double *y, int times, int from) {
    double sum = 0;
    for (int t = 0; t < times; t++) {
        for (int i = from; i < SIDE; i++) {
            y[i] = 0;
            for (int j = 0; j <= i; j++)
                y[i] += w[SIDE * i + j] * x[j] * 0.2;
        }
        sum += y[SIDE - 1] * y[from];
        memcpy(x, y, SIDE * sizeof *x);
    }
    return sum;
}

/* A matrix that lives for one iteration, at an address that is used again. */
static NOINLINE double short_lived(const double *w, double *x, double *y) {
    double sum = 0;
    for (int t = 0; t < LAYERS; t++) {
        double *here = malloc(ALL * sizeof *here);
        for (int i = 0; i < ALL; i++)
            here[i] = t % 3 ? w[i] : w[ALL - 1 - i];
        layer(here, x, y);
        layer(here, y, x);
        sum += x[t] * x[t];
        free(here);
    }
    return sum;
}

double f(const double *x, size_t n) {
    double *w = malloc(ALL * sizeof *w), u[SIDE], v[SIDE], sum = 0;
    network one = {w, x[0]};
    for (int i = 0; i < ALL; i++)
        w[i] = x[(size_t)i % n] * (i % 5 - 2);
    for (int i = 0; i < SIDE; i++)
        u[i] = v[i] = x[(size_t)(i * 3) % n];
    for (int t = 0; t < LAYERS; t++) {
        layer(w, u, v);
        layer(w, v, u);
        w[t] *= t == 4 ? x[1] : 1;
    }
    for (int t = 0; t < LAYERS; t++) {
        outer_layer(w, u, v, t % 4 == 3);
        of_struct(&one, v, u);
        one.shift *= x[2];
    }
    for (int i = 0; i < SIDE; i++)
        sum += u[i] * v[i];
    sum += powers(w, u, v, LAYERS, 2);
    for (int i = 0; i < SIDE; i++)
        u[i] = v[i] = x[(size_t)i % n];
    sum += short_lived(w, u, v);
    free(w);
    return sum;
}
