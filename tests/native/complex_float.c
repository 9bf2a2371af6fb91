/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * noise: 2e-6
 * Complex numbers of floats (both parts travel in one register) and of long doubles. */
#include <complex.h>
#include <stddef.h>

static float complex twist(float complex z, float complex w) {
    return z * w + conjf(z) * 0.5f;
}

static long double complex divide(long double complex z, long double w) {
    return z / (w + 1.0L * I);
}

double f(const double *x, size_t n) {
    (void)n;
    float complex z = (float)x[0] + (float)x[1] * I, row[3] = {z, 1, (float)x[2] * I};
    for (int i = 0; i < 3; i++) {
        z = twist(z, row[i]) / (1.5f + (float)x[3] * I);
        row[(i + 1) % 3] += z;
    }
    long double complex w = divide(x[2] + x[0] * I, x[3]);
    return crealf(z) + 2 * cimagf(row[1]) * x[0] + crealf(row[0] * row[2]) + (double)(creall(w) * cimagl(w));
}
