/* See kernels.h. Listing 1 is that of the divide-and-conquer paper. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ilog2(double n) {
    return (int)(log(n) / log(2.0));
}

double listing1(const double *x0, int n, int t) {
    double x = x0[0], y = x;
    (void)n;
    for (int i = 1; i <= t; i++) {
        int m = 1 << (ilog2(t) - ilog2(1 + (int)fmod(x * x * x * (double)i * 1007.0, (double)t)));
        for (int j = 1; j <= m; j++) {
            y = y * y;
            y = sqrt(y);
        }
    }
    return y;
}

double det(const double *a, int nn, int n) {
    double *b = malloc(sizeof(double) * (size_t)nn), d = 1;
    memcpy(b, a, sizeof(double) * (size_t)nn);
    for (int i = 0; i < n; i++) {
        double c = b[i * n + i];
        d *= c;
        for (int j = i; j < n; j++)
            b[i * n + j] /= c;
        for (int j = i + 1; j < n; j++) {
            double e = b[j * n + i];
            for (int k = i + 1; k < n; k++)
                b[j * n + k] -= e * b[i * n + k];
        }
    }
    free(b);
    return d;
}

double heat(const double *x, int nn, int t) {
    int side = (int)(sqrt((double)nn) + 0.5);
    double *u = malloc(sizeof(double) * (size_t)nn), *v = malloc(sizeof(double) * (size_t)nn);
    memcpy(u, x, sizeof(double) * (size_t)nn);
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < side; i++)
            for (int j = 0; j < side; j++) {
                if (i == 0 || j == 0 || i == side - 1 || j == side - 1) {
                    v[i * side + j] = u[i * side + j];
                    continue;
                }
                double c = u[i * side + j];
                double lap =
                    u[(i - 1) * side + j] + u[(i + 1) * side + j] + u[i * side + j - 1] + u[i * side + j + 1] - 4 * c;
                v[i * side + j] = c + 0.1 * (1.0 + 0.1 * c * c) * lap - 0.01 * c * c * c;
            }
        double *w = u;
        u = v;
        v = w;
    }
    double sum = 0;
    for (int i = 0; i < nn; i++)
        sum += u[i] * u[i];
    free(u);
    free(v);
    return sum;
}

double nbody(const double *x, int n, int t) {
    int bodies = n / 7;
    size_t size = sizeof(double) * 3 * (size_t)bodies;
    double *p = malloc(size), *v = malloc(size), dt = 1e-3, e = 0;
    const double *m = x + 6 * bodies;
    memcpy(p, x, size);
    memcpy(v, x + 3 * bodies, size);
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < bodies; i++)
            for (int j = i + 1; j < bodies; j++) {
                double dx = p[3 * i] - p[3 * j], dy = p[3 * i + 1] - p[3 * j + 1], dz = p[3 * i + 2] - p[3 * j + 2];
                double r2 = dx * dx + dy * dy + dz * dz + 1e-2, mag = dt / (r2 * sqrt(r2));
                v[3 * i] -= dx * m[j] * mag;
                v[3 * i + 1] -= dy * m[j] * mag;
                v[3 * i + 2] -= dz * m[j] * mag;
                v[3 * j] += dx * m[i] * mag;
                v[3 * j + 1] += dy * m[i] * mag;
                v[3 * j + 2] += dz * m[i] * mag;
            }
        for (int i = 0; i < 3 * bodies; i++)
            p[i] += dt * v[i];
    }
    for (int i = 0; i < bodies; i++)
        e += 0.5 * m[i] * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]) + p[3 * i];
    free(p);
    free(v);
    return e;
}

static void slope(const double *s, const double *q, double *d) {
    d[0] = q[0] * (s[1] - s[0]);
    d[1] = s[0] * (q[1] - s[2]) - s[1];
    d[2] = s[0] * s[1] - q[2] * s[2];
}

double lorenz(const double *x, int n, int t) {
    double s[3] = {x[0], x[1], x[2]}, k1[3], k2[3], k3[3], k4[3], w[3], h = 1e-4;
    const double *q = x + 3;
    (void)n;
    for (int i = 0; i < t; i++) {
        slope(s, q, k1);
        for (int j = 0; j < 3; j++)
            w[j] = s[j] + 0.5 * h * k1[j];
        slope(w, q, k2);
        for (int j = 0; j < 3; j++)
            w[j] = s[j] + 0.5 * h * k2[j];
        slope(w, q, k3);
        for (int j = 0; j < 3; j++)
            w[j] = s[j] + h * k3[j];
        slope(w, q, k4);
        for (int j = 0; j < 3; j++)
            s[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    return s[0] + s[1] + s[2];
}

double sparse(const double *x, int n, int t) {
    double *u = malloc(sizeof(double) * (size_t)n), *v = malloc(sizeof(double) * (size_t)n), r = 0;
    memcpy(u, x, sizeof(double) * (size_t)n);
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < n; i++) {
            double a = 0;
            unsigned h = (unsigned)i * 2654435761u;
            for (int k = 0; k < 5; k++) {
                h = h * 1664525u + 1013904223u;
                a += ((double)(h >> 16) / 65536.0 - 0.5) * u[h % (unsigned)n];
            }
            v[i] = tanh(a);
        }
        double *w = u;
        u = v;
        v = w;
    }
    for (int i = 0; i < n; i++)
        r += u[i] * u[i];
    free(u);
    free(v);
    return r;
}

static double integrand(const double *x, double z) {
    return x[0] * sin(x[1] * z) * exp(-x[2] * z * z) + x[3] * z;
}

static double simpson(const double *x, double a, double b, double fa, double fm, double fb, int depth) {
    double m = 0.5 * (a + b), l = integrand(x, 0.5 * (a + m)), r = integrand(x, 0.5 * (m + b));
    double coarse = (b - a) / 6 * (fa + 4 * fm + fb), fine = (b - a) / 12 * (fa + 4 * l + 2 * fm + 4 * r + fb);
    if (depth <= 0 || fabs(fine - coarse) < 1e-13)
        return fine;
    return simpson(x, a, m, fa, l, fm, depth - 1) + simpson(x, m, b, fm, r, fb, depth - 1);
}

double rec(const double *x, int n, int t) {
    (void)n;
    return simpson(x, 0, 10, integrand(x, 0), integrand(x, 5), integrand(x, 10), t);
}
