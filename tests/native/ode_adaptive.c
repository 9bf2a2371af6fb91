/* at: 1.2,0.3,0.9,2.5
 * flags: -fno-inline
 * Runge-Kutta-Fehlberg with steps that grow, shrink and are taken back; the right-hand side is a callback. */
#include <math.h>
#include <stddef.h>

typedef void (*slope)(double t, const double *u, double *du, const double *parameters);

static void van_der_pol(double t, const double *u, double *du, const double *parameters) {
    du[0] = u[1];
    du[1] = parameters[0] * (1 - u[0] * u[0]) * u[1] - u[0] + 0.1 * sin(t);
}

static double attempt(slope rate, double t, double h, const double *u, double *next, const double *parameters) {
    double k1[2], k2[2], k3[2], work[2], error = 0;
    rate(t, u, k1, parameters);
    for (int i = 0; i < 2; i++)
        work[i] = u[i] + 0.5 * h * k1[i];
    rate(t + 0.5 * h, work, k2, parameters);
    for (int i = 0; i < 2; i++)
        work[i] = u[i] + 0.75 * h * k2[i];
    rate(t + 0.75 * h, work, k3, parameters);
    for (int i = 0; i < 2; i++) {
        next[i] = u[i] + h * (2 * k1[i] + 3 * k2[i] + 4 * k3[i]) / 9;
        error += fabs(h * (-5 * k1[i] + 6 * k2[i] + 8 * k3[i]) / 72 - h * k3[i] / 8);
    }
    return error;
}

double f(const double *x, size_t n) {
    (void)n;
    double u[2] = {x[0], x[1]}, t = 0, end = x[3], h = 0.4;
    int refused = 0;
    while (t < end) {
        double next[2], error;
        if (t + h > end)
            h = end - t;
        error = attempt(van_der_pol, t, h, u, next, x + 2);
        if (error > 2e-2) {
            h *= 0.5;
            refused++;
            continue;
        }
        t += h;
        u[0] = next[0];
        u[1] = next[1];
        if (error < 2e-3)
            h *= 1.6;
    }
    return u[0] * u[1] + u[0] + refused;
}
