/* Log-likelihood of a mixture of Gaussians with a Wishart prior, as in ADBench. The parameters of a component: a
 * weight, a mean, logarithms of a diagonal, and the lower triangle of the factor of its inverse covariance. */
#include "bench/array/kernel.h"

enum { D = 20, K = 50, POINTS = 690, TRIANGLE = D * (D - 1) / 2 };
const size_t kernel_inputs = K + 2 * K * D + K * TRIANGLE;

typedef struct mixture {
    real alpha[K], mean[K][D], logs[K][D], lower[K][TRIANGLE]; /* as in the inputs */
    real diagonal[K][D], sum[K];
} mixture;

enum { ALPHA = 0, MEAN = K, LOGS = MEAN + K * D, LOWER = LOGS + K * D };

static void fill(const double *x, mixture *m) {
    for (int k = 0; k < K; k++) {
        m->alpha[k] = R(x[ALPHA + k]);
        m->sum[k] = 0;
        for (int i = 0; i < D; i++) {
            m->mean[k][i] = R(x[MEAN + k * D + i]);
            m->logs[k][i] = R(x[LOGS + k * D + i]) - R(0.5);
            m->diagonal[k][i] = exp(m->logs[k][i]);
            m->sum[k] += m->logs[k][i];
        }
        for (int i = 0; i < TRIANGLE; i++)
            m->lower[k][i] = R(0.2) * R(x[LOWER + k * TRIANGLE + i]);
    }
}

static void observe(real (*points)[D]) {
    for (int p = 0; p < POINTS; p++)
        for (int i = 0; i < D; i++)
            points[p][i] = R((p * 37 + i * 101 + p * i) % 97) / 97;
}

static inline real log_sum_exp(const real *z, int count) {
    real most = z[0], sum = 0;
    for (int k = 1; k < count; k++)
        most = z[k] > most ? z[k] : most;
    for (int k = 0; k < count; k++)
        sum += exp(z[k] - most);
    return most + log(sum);
}

/* y = Q (point - mean), Q by rows. */
static void stretch(const mixture *m, int k, const real *point, real *y) {
    real away[D];
    const real *lower = m->lower[k];
    for (int i = 0; i < D; i++)
        away[i] = point[i] - m->mean[k][i];
    for (int i = 0; i < D; i++) {
        real sum = m->diagonal[k][i] * away[i];
        for (int j = 0; j < i; j++)
            sum += *lower++ * away[j];
        y[i] = sum;
    }
}

static NOINLINE real likelihood(const mixture *m, real (*points)[D]) {
    real sum = 0, z[K], y[D];
    for (int p = 0; p < POINTS; p++) {
        for (int k = 0; k < K; k++) {
            real square = 0;
            stretch(m, k, points[p], y);
            for (int i = 0; i < D; i++)
                square += y[i] * y[i];
            z[k] = m->alpha[k] + m->sum[k] - R(0.5) * square;
        }
        sum += log_sum_exp(z, K);
    }
    return sum - POINTS * log_sum_exp(m->alpha, K);
}

static real prior(const mixture *m) {
    real sum = 0;
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < D; i++)
            sum += R(0.5) * m->diagonal[k][i] * m->diagonal[k][i] - m->logs[k][i];
        for (int i = 0; i < TRIANGLE; i++)
            sum += R(0.5) * m->lower[k][i] * m->lower[k][i];
    }
    return sum;
}

double kernel(const double *x, size_t n) {
    mixture *m = malloc(sizeof *m);
    real(*points)[D] = malloc(POINTS * sizeof *points);
    (void)n;
    fill(x, m);
    observe(points);
    double value = likelihood(m, points) + prior(m);
    free(m);
    free(points);
    return value;
}
