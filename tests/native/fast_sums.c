/* at: 0.3,0.4,0.7
 * flags: -Ofast
 * cuts: 6
 * noise: 1e-10
 * Sums and products that a compiler with fast-math computes in an order of its own, quotients that it makes products
 * of, and functions that it replaces: each version of a function has to do the same. */
#include <math.h>
#include <stddef.h>

enum { N = 64, STEPS = 40 };

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

double f(const double *x, size_t n) {
    double u[N], v[N], total = 0;
    for (int i = 0; i < N; i++) {
        u[i] = x[(size_t)i % n] + 0.001 * i;
        v[i] = 1 / (2 + u[i]);
    }
    for (int t = 0; t < STEPS; t++) {
        double norm = sqrt(dot(u, u)), mean = dot(u, v) / N;
        for (int i = 0; i < N; i++) {
            u[i] = u[i] / norm + 0.1 * pow(v[i], 2) + 0.3 * sin(mean + u[i]);
            v[i] = (v[i] + u[i] + mean) * 0.3 - v[i] / 7;
        }
        total += u[t % N] > v[(t + 5) % N] ? u[t % N] : fmin(norm, mean);
    }
    return total + dot(u, v);
}
