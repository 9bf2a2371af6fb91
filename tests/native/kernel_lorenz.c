/* at: 1,2,3,10,28,2.6666666666666665,20.5
 * large: 1,2,3,10,28,2.6666666666666665,4000.5
 * noise: 1e-11
 * The Lorenz system, Runge-Kutta of order four; x: state, parameters, number of steps. */
#include <stddef.h>

static void slope(const double *s, const double *q, double *d) {
    d[0] = q[0] * (s[1] - s[0]);
    d[1] = s[0] * (q[1] - s[2]) - s[1];
    d[2] = s[0] * s[1] - q[2] * s[2];
}

double f(const double *x, size_t n) {
    (void)n;
    double s[3] = {x[0], x[1], x[2]}, k1[3], k2[3], k3[3], k4[3], w[3], h = 1e-3;
    const double *q = x + 3;
    int steps = (int)x[6];
    for (int i = 0; i < steps; i++) {
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
