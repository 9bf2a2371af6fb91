/* A parameter of every kind that can be filled with random numbers, and one of each that cannot. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <verso/rev.h>

typedef struct body {
    double x[3], v[3];
    float charge;
    int label;
    struct {
        double complex spin;
    } inner;
} body;

enum { SIZE = 5 };

rev void numbers(double *out, double x, float y, passive double z, long double *w) {
    *out += x * x * y + z * sin(x);
    *w += x * y;
}

rev void pairs(double complex *out, const double complex *z, passive unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        *out += z[i] * z[i];
    }
}

rev void move(body *b, passive double dt, passive bool twice) {
    for (int i = 0; i < 3; i++) {
        b->x[i] += dt * b->v[i] * b->charge;
    }
    b->inner.spin += b->x[0] * b->x[1] * (twice ? 2 : 1);
    b->label += 1;
}

rev void bodies(double *energy, const body *b, passive int n) {
    for (int i = 0; i < n; i++) {
        *energy += b[i].v[0] * b[i].v[1] + creal(b[i].inner.spin) * b[i].x[2];
    }
}

rev void matrix(passive int n, double y[n], double m[n][SIZE], const double x[SIZE]) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < SIZE; k++) {
            y[i] += m[i][k] * x[k];
        }
    }
}

rev void exact(fixed *a, const fixed *b, long *steps, passive int n) {
    for (int i = 0; i < n; i++) {
        a[i] += b[i] * b[i];
        *steps += i;
    }
}

rev void powers(ulog *u, const ulog *v) {
    *u *= *v * *v;
}

rev void picked(double *out, const double *x, passive const int *index, passive int n) {
    for (int i = 0; i < n; i++) {
        *out += x[index[i]] * x[index[i]];
    }
}

rev void long_one(double *out, const double *x) {
    for (int i = 0; i < 100; i++) {
        *out += x[i] * x[i];
    }
}

rev void shifted(double *out, const double *x) {
    *out += log(*x - 2);
}

rev void stacked(rev_stack *stack, double *x) {
    push(stack, *x);
}

rev void through(rev void (*f)(double *, const double *), double *out, const double *x) {
    f(out, x);
}

rev void rows(double **row) {
    row[0][0] += 1;
}
