/* at: 0.31,-0.52,0.73,0.14,-0.85,0.66
 * noise: 2e-6
 * Blocks that are not read once their numbers are known: an optimiser would leave them out in the copy that
 * advances, and not in the one that records, and later blocks would lie elsewhere when the run is repeated. Reduced
 * from random program 10016. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static double squash(double u) {
    return u / (1 + u * u);
}
static int pick(double u, int n) {
    int k = (int)(u * 7.0);
    return (k < 0 ? -k : k) % n;
}
static double *filled(int n, double u) {
    double *t = malloc((size_t)n * sizeof *t);
    for (int k = 0; k < n; k++)
        t[k] = sin(u + k);
    return t;
}
static double sum_of(int n, ...) {
    va_list t;
    double sum = 0;
    va_start(t, n);
    while (n-- > 0)
        sum = 0.9 * sum + va_arg(t, double);
    va_end(t);
    return sum;
}
struct s {
    unsigned field : 3;
    double u;
    float w;
    char pad;
    int tag;
    union {
        double d;
        int64_t bits;
    };
    short k;
    double m[3];
};
static double g0;
static double g1;
static double g2;
static double gv[4];
static struct s gs;
static int budget;
static double f0(int fuel, double u, double v);
static double f1(int fuel, double u);
double f(const double *x, size_t count) {
    int fuel = 5;
    (void)count;
    budget = 60;
    memset(&gs, 0, sizeof gs);
    for (int k = 0; k < 4; k++)
        gv[k] = sin(x[k] + k);
    g0 = 0.9 * x[1];
    g1 = 0.9 * x[2];
    g2 = 0.9 * x[3];
    double a0 = sin(x[0] * x[5] + 0.1);
    float w0 = (float)a0 * 0.4f;
    double v0[4] = {a0, 0.1};
    double v1[4] = {a0, 0.2};
    double *r0 = filled(2, a0);
    int r0_length = 2;
    struct s s0 = {.u = a0, .d = 0.25, .m = {0.1, a0, 0.1}, .tag = 0};
    {
        {
            double t = f0(fuel - 1, 0.666 * (cbrt(2 + cos(g1))), s0.m[4 % 3]);
            r0[1] = t;
        }
    }
    {
        double t = f1(fuel - 1, (double)(0.499 * (sqrt(0.5 + fabs(x[2])))));
        a0 = t;
    }
    goto out;
out:;
    double all = 0;
    all = 0.7 * all + 0.3 * a0;
    all = 0.8 * all + 0.2 * w0;
    for (int k = 0; k < 4; k++)
        all = 0.8 * all + 0.2 * v0[k];
    for (int k = 0; k < 4; k++)
        all = 0.8 * all + 0.2 * v1[k];
    all = 0.5 * all + 0.1 * (s0.u + s0.d + s0.m[0] + s0.m[1] * s0.m[2]);
    all = 0.5 * all + 0.5 * r0[r0_length - 1];
    free(r0);
    for (int k = 0; k < 4; k++)
        all += 0.5 * gv[k];
    return all + g0 * g1 + g2 + gs.u + gs.m[1] + gs.d;
}
static double f0(int fuel, double u, double v) {
    if (fuel <= 0 || --budget <= 0)
        return u * v;
    double a0 = sin(u * v + 0.1);
    double a1 = sin(u * v + 0.2);
    double a2 = squash(u * v + 0.3);
    float w0 = (float)a0 * 0.4f;
    float w1 = (float)a0 * 0.5f;
    double v1[3] = {a0, 0.2};
    double *h0 = filled(5, a0 * 0.5);
    double *h1 = filled(5, a0 * 0.6);
    v1[pick(u, 3)] = gv[3 % 4] * g1 / (1 + g2 * g2) * squash(3 * (w0 + gv[0 % 4]));
    w1 = (float)(squash((gv[pick(w1, 4)] * h1[1 % 5] + u)));
    goto out;
out:;
    double all = 0;
    all = 0.7 * all + 0.3 * a0;
    all = 0.7 * all + 0.3 * a1;
    all = 0.7 * all + 0.3 * a2;
    all = 0.8 * all + 0.2 * w0;
    all = 0.8 * all + 0.2 * w1;
    for (int k = 0; k < 3; k++)
        all = 0.8 * all + 0.2 * v1[k];
    for (int k = 0; k < 5; k++)
        all = 0.8 * all + 0.2 * h0[k];
    for (int k = 0; k < 5; k++)
        all = 0.8 * all + 0.2 * h1[k];
    free(h0);
    free(h1);
    return all;
}
static double f1(int fuel, double u) {
    if (fuel <= 0 || --budget <= 0)
        return u;
    double a0 = squash(u + 0.1);
    double a1 = sin(u + 0.2);
    double *h0 = filled(5, a0 * 0.5);
    double *h1 = filled(5, a0 * 0.6);
    struct s s0 = {.u = a0, .d = 0.25, .m = {0.1, a0, 0.1}, .tag = 0};
    {
        double t = f0(fuel - 1, squash((gv[0 % 4] - a1)), h0[1 % 5]);
        a0 = t;
    }
    for (int i0 = 5; i0 > 0; i0--) {
        gv[pick(gv[5 % 4], 4)] = h0[(i0 + 1) % 5];
        if ((h1[(i0 + 3) % 5] > 0.1 && g2 < 0.4)) {
            gs.d = 0.3 * sum_of(3, (double)0.03,
                                (double)(h0[(i0 + 3) % 5] / (1 + gv[pick(0.02, 4)] * gv[pick(0.02, 4)])), (double)a1);
            h0[(i0 + 0) % 5] *= (s0.m[pick(gv[6 % 4], 3)] < s0.m[(i0 + 2) % 3] ? 0.92 : g2);
        }
    }
    goto out;
out:;
    double all = 0;
    all = 0.7 * all + 0.3 * a0;
    all = 0.7 * all + 0.3 * a1;
    for (int k = 0; k < 5; k++)
        all = 0.8 * all + 0.2 * h0[k];
    for (int k = 0; k < 5; k++)
        all = 0.8 * all + 0.2 * h1[k];
    all = 0.5 * all + 0.1 * (s0.u + s0.d + s0.m[0] + s0.m[1] * s0.m[2]);
    free(h0);
    free(h1);
    return all;
}
