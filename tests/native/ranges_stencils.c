/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:40:-1:1
 * Nests whose loads are neighbours: nonlinear stencils in one, two and three dimensions, between two arrays and in
 * place, over rows of different lengths, over members of structs, and with steps of more than one. */
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE void line(double *restrict y, const double *restrict x, size_t n) {
    for (size_t i = 2; i + 2 < n; i++)
        y[i] = x[i - 2] * x[i + 2] - x[i] * (x[i - 1] + x[i + 1]) * 0.25;
}

/* In place: each number read may have just been written. */
static NOINLINE void relax(double *x, size_t n) {
    for (size_t i = 1; i + 1 < n; i++)
        x[i] = 0.5 * x[i] + 0.1 * x[i - 1] * x[i + 1];
}

static NOINLINE void plane(double *v, const double *u, int rows, int columns, int step) {
    for (int i = 1; i < rows - 1; i += step)
        for (int j = 1; j < columns - 1; j++) {
            const double *at = u + i * columns + j;
            v[i * columns + j] = at[0] - 0.1 * at[0] * (at[0] - at[-columns]) - 0.1 * at[1] * at[-1] * at[columns];
        }
}

static NOINLINE void triangle(double v[][24], double u[][24], int n) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < i; j++)
            v[i][j] = u[i][j] * u[i - 1][j] + u[i][j - 1] * u[i][j + 1];
}

static NOINLINE void box(float *restrict v, const float *restrict u, int n) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++) {
                const float *at = u + (i * n + j) * n + k;
                v[(i * n + j) * n + k] = at[0] * (1 - 0.1f * at[0]) + 0.01f * at[1] * at[-1] + 0.02f * at[n] * at[-n] +
                                         0.03f * at[n * n] * at[-n * n];
            }
}

typedef struct particle {
    double x, y, z;
} particle;

static NOINLINE double chain(const particle *p, size_t n) {
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += p[i].x * p[i - 1].x + p[i].y * p[i - 1].y + p[i].z * p[i].x * p[i - 1].z;
    return sum;
}

/* The last rows overlap what is written. */
static NOINLINE void touching(double *all, int n) {
    for (int t = 0; t < 3; t++)
        plane(all + t * n, all, n, n, 1 + t % 2);
}

static double total(const double *a, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * (double)(i % 7 + 1);
    return sum;
}

double f(const double *x, size_t n) {
    static double u[24][24], v[24][24];
    int side = n < 20 ? 8 : 20;
    size_t square = (size_t)(side * side), cube = square * (size_t)side;
    double *a = malloc(4 * square * sizeof *a), *b = calloc(square, sizeof *b), sum = 0;
    float *p = malloc(cube * sizeof *p), *q = calloc(cube, sizeof *q);
    particle *all = malloc(square * sizeof *all);
    for (size_t i = 0; i < 4 * square; i++)
        a[i] = x[i % n] * (double)(i % 5 + 1) * 0.2;
    for (size_t i = 0; i < cube; i++)
        p[i] = (float)x[i % n];
    for (size_t i = 0; i < square; i++)
        all[i] = (particle){x[i % n], x[(i + 1) % n], x[(2 * i) % n]};
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            u[i][j] = x[(size_t)(i * 3 + j) % n], v[i][j] = 0;
    for (int t = 0; t < 3; t++) {
        line(b, a, square);
        plane(a, b, side, side, 1);
        plane(b, a, side, side, 2);
        plane(b, b, side, side, 1);
    }
    relax(a, square);
    touching(a, side);
    triangle(v, u, side);
    triangle(u, v, 24);
    box(q, p, side);
    sum = total(a, square) + total(b, square) + total(u[0], 24 * 24) + chain(all, square);
    double cells = 0;
    for (size_t i = 0; i < cube; i++)
        cells += q[i];
    free(a), free(b), free(p), free(q), free(all);
    return sum + 1e-9 * cells;
}
