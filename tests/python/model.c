/* Functions that tests/python calls from Python. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int calls;

double rosenbrock(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += 100 * (x[i + 1] - x[i] * x[i]) * (x[i + 1] - x[i] * x[i]) + (1 - x[i]) * (1 - x[i]);
    return sum;
}

int count_calls(void) {
    return ++calls;
}

double seen_calls(void) {
    return calls;
}

enum shape { BOX, BALL };

/* Two floating-point parameters, a length, an enum, a string, integers. */
double weighted(const double *x, size_t n, double factor, enum shape shape, const char *name, const int *powers,
                size_t m) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += pow(x[i], powers[i % m]);
    return factor * sum * (shape == BALL ? 4 : 1) + (double)strlen(name);
}

float single(const float *x, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i] * x[i];
    return sum;
}

/* Rows of a matrix whose size is a parameter. */
double frobenius(size_t n, double a[n][n + 1]) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= n; j++)
            sum += a[i][j] * a[i][j] * (double)(i + 1);
    return sum;
}

void squares(const double *x, size_t n, double *y) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * x[i] + (i > 0 ? x[i - 1] : 0);
}

/* Changes u in place. */
void step(double *u, size_t n) {
    double last = u[n - 1];
    for (size_t i = n - 1; i > 0; i--)
        u[i] = 0.5 * sin(u[i]) + 0.25 * u[i - 1];
    u[0] = last;
}

double march(const double *x, size_t n, int steps) {
    double *u = malloc(n * sizeof *u), sum = 0;
    memcpy(u, x, n * sizeof *u);
    for (int i = 0; i < steps; i++)
        step(u, n);
    for (size_t i = 0; i < n; i++)
        sum += u[i];
    free(u);
    return sum;
}

double half_norm(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += 0.5 * x[i] * x[i];
    return sum;
}

struct point {
    double x, y;
};

double distance(struct point p) {
    return p.x * p.x + p.y * p.y;
}
