/* at: 0.7,1.1,0.25,0.6
 * Iterations to a fixed point: Gauss-Seidel in place, and a coupled one with relaxation. */
#include <math.h>
#include <stddef.h>

static int gauss_seidel(const double *b, double *u, int n) {
    int sweeps = 0;
    for (double change = 1; change > 1e-12 && sweeps < 200; sweeps++) {
        change = 0;
        for (int i = 0; i < n; i++) {
            double old = u[i], neighbours = (i > 0 ? u[i - 1] : 0) + (i < n - 1 ? u[i + 1] : 0);
            u[i] = (b[i] + neighbours) / (4 + 0.1 * u[i] * u[i]);
            change += fabs(u[i] - old);
        }
    }
    return sweeps;
}

double f(const double *x, size_t n) {
    double u[4] = {0}, a = 1, b = 1;
    gauss_seidel(x, u, (int)n);
    for (int i = 0; i < 60; i++) {
        double next = cos(b * x[0]);
        b = 0.6 * b + 0.4 * sin(a + x[1]);
        a = next;
    }
    return u[0] * u[3] + u[1] * x[2] + a * b;
}
