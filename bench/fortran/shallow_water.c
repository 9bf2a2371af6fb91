/* shallow_water.f90 in C. */
#include <stdlib.h>
#include <string.h>

enum { NX = 128, NY = 128 };
typedef double field[NY][NX];

static void step(field u, field v, field h, double dt) {
    static field un, vn, hn;
    memcpy(un, u, sizeof(field));
    memcpy(vn, v, sizeof(field));
    memcpy(hn, h, sizeof(field));
    for (int j = 1; j < NY - 1; j++)
        for (int i = 1; i < NX - 1; i++) {
            un[j][i] =
                u[j][i] - dt * (u[j][i] * (u[j][i + 1] - u[j][i - 1]) * 0.5 +
                                v[j][i] * (u[j + 1][i] - u[j - 1][i]) * 0.5 + 9.8 * (h[j][i + 1] - h[j][i - 1]) * 0.5);
            vn[j][i] =
                v[j][i] - dt * (u[j][i] * (v[j][i + 1] - v[j][i - 1]) * 0.5 +
                                v[j][i] * (v[j + 1][i] - v[j - 1][i]) * 0.5 + 9.8 * (h[j + 1][i] - h[j - 1][i]) * 0.5);
            hn[j][i] = h[j][i] -
                       dt * 0.5 *
                           ((1 + h[j][i + 1]) * u[j][i + 1] - (1 + h[j][i - 1]) * u[j][i - 1] +
                            (1 + h[j + 1][i]) * v[j + 1][i] - (1 + h[j - 1][i]) * v[j - 1][i]) +
                       0.01 * (h[j][i + 1] + h[j][i - 1] + h[j + 1][i] + h[j - 1][i] - 4 * h[j][i]);
        }
    memcpy(u, un, sizeof(field));
    memcpy(v, vn, sizeof(field));
    memcpy(h, hn, sizeof(field));
}

double f(const double *x, size_t n) {
    field *u = calloc(1, sizeof(field)), *v = calloc(1, sizeof(field)), *h = malloc(sizeof(field));
    double s = 0;
    (void)n;
    memcpy(*h, x, sizeof(field));
    for (int t = 0; t < 100; t++)
        step(*u, *v, *h, 0.002);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            s += (*h)[j][i] * (*h)[j][i] + (*u)[j][i] * (*u)[j][i];
    free(u);
    free(v);
    free(h);
    return s;
}
