/* The Gaussian mixture model of ADBench (paper, figures 3 and 4): minus the posterior's logarithm up to constants, of n
 * points of dimension d and k components, by mixture weights, means and inverse square roots of covariances (the
 * logarithm of the diagonal, then the strict lower triangle by rows), with a Wishart prior. Data are random, from a
 * seed.
 *
 * The reversible version keeps only sums, and the products of one row at a time in one scalar. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

enum { GMM_K_MOST = 200 };

static const double GMM_GAMMA = 1.0;
static const int GMM_M = 0;
static const double GMM_LOG_2PI = 1.8378770664093454836;

static int gmm_greatest(const double *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

/* ---- Reversible ------------------------------------------------------------------------------------------------- */

/* *out += log of the sum of exponentials of k numbers. */
rev void gmm_logsumexp(double *restrict out, const double *restrict x, passive int k) {
    anc int top = gmm_greatest(x, k);
    anc double sum = 0;
    compute {
        for (int i = 0; i < k; i++) {
            sum += exp(x[i] - x[top]);
        }
    }
    use {
        *out += log(sum) + x[top];
    }
    drop top == gmm_greatest(x, k);
}

/* *out -= half the square of Q (x - mean). */
rev void gmm_distance(double *restrict out, const double *restrict diagonal, const double *restrict lower,
                      const double *restrict mean, passive const double *restrict x, passive int d) {
    for (int i = 0; i < d; i++) {
        anc double row = 0;
        compute {
            row += diagonal[i] * (x[i] - mean[i]);
            for (int j = 0; j < i; j++) {
                row += lower[i * (i - 1) / 2 + j] * (x[j] - mean[j]);
            }
        }
        use {
            *out -= 0.5 * row * row;
        }
    }
}

/* `diagonals` (k d numbers) and `log_sums` (k numbers) are temporary memory, zero before and after. */
rev void gmm(double *restrict out, const double *restrict alphas, const double *restrict means,
             const double *restrict icf, double *restrict diagonals, double *restrict log_sums,
             passive const double *restrict x, passive int n, passive int d, passive int k) {
    irrev {
        rev_plain_clear(diagonals, (size_t)(k * d) * sizeof *diagonals);
        rev_plain_clear(log_sums, (size_t)k * sizeof *log_sums);
    }
    compute {
        for (int c = 0; c < k; c++) {
            for (int i = 0; i < d; i++) {
                diagonals[c * d + i] += exp(icf[c * (d * (d + 1) / 2) + i]);
                log_sums[c] += icf[c * (d * (d + 1) / 2) + i];
            }
        }
    }
    use {
        for (int p = 0; p < n; p++) {
            anc double terms[GMM_K_MOST] = {0};
            compute {
                for (int c = 0; c < k; c++) {
                    terms[c] += alphas[c] + log_sums[c];
                    gmm_distance(&terms[c], &diagonals[c * d], &icf[c * (d * (d + 1) / 2) + d], &means[c * d],
                                 &x[p * d], d);
                }
            }
            use {
                gmm_logsumexp(out, terms, k);
            }
        }
        anc double weights = 0;
        compute {
            gmm_logsumexp(&weights, alphas, k);
        }
        use {
            *out -= n * weights + n * d * 0.5 * GMM_LOG_2PI;
        }
        for (int c = 0; c < k; c++) {
            *out -= GMM_M * log_sums[c];
            for (int i = 0; i < d; i++) {
                *out += 0.5 * GMM_GAMMA * GMM_GAMMA * diagonals[c * d + i] * diagonals[c * d + i];
            }
            for (int i = d; i < d * (d + 1) / 2; i++) {
                *out += 0.5 * GMM_GAMMA * GMM_GAMMA * icf[c * (d * (d + 1) / 2) + i] * icf[c * (d * (d + 1) / 2) + i];
            }
        }
    }
}

/* ---- Plain ------------------------------------------------------------------------------------------------------ */

static double gmm_plain_logsumexp(const double *x, int n) {
    double top = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        top = x[i] > top ? x[i] : top;
    for (int i = 0; i < n; i++)
        sum += exp(x[i] - top);
    return log(sum) + top;
}

/* As ADBench writes it, with room for 2 d + k d + 2 k numbers in `work`. */
double gmm_plain(const double *alphas, const double *means, const double *icf, double *work, const double *x, int n,
                 int d, int k) {
    double *centred = work, *product = work + d, *diagonals = work + 2 * d, *sums = diagonals + k * d,
           *terms = sums + k;
    int size = d * (d + 1) / 2;
    for (int c = 0; c < k; c++) {
        sums[c] = 0;
        for (int i = 0; i < d; i++) {
            diagonals[c * d + i] = exp(icf[c * size + i]);
            sums[c] += icf[c * size + i];
        }
    }
    double out = 0;
    for (int p = 0; p < n; p++) {
        for (int c = 0; c < k; c++) {
            const double *lower = icf + c * size + d;
            double square = 0;
            for (int i = 0; i < d; i++)
                centred[i] = x[p * d + i] - means[c * d + i];
            for (int i = 0; i < d; i++) {
                product[i] = diagonals[c * d + i] * centred[i];
                for (int j = 0; j < i; j++)
                    product[i] += lower[i * (i - 1) / 2 + j] * centred[j];
            }
            for (int i = 0; i < d; i++)
                square += product[i] * product[i];
            terms[c] = alphas[c] + sums[c] - 0.5 * square;
        }
        out += gmm_plain_logsumexp(terms, k);
    }
    out -= n * gmm_plain_logsumexp(alphas, k) + n * d * 0.5 * GMM_LOG_2PI;
    for (int c = 0; c < k; c++) {
        out -= GMM_M * sums[c];
        for (int i = 0; i < d; i++)
            out += 0.5 * GMM_GAMMA * GMM_GAMMA * diagonals[c * d + i] * diagonals[c * d + i];
        for (int i = d; i < size; i++)
            out += 0.5 * GMM_GAMMA * GMM_GAMMA * icf[c * size + i] * icf[c * size + i];
    }
    return out;
}

/* ---- A run ------------------------------------------------------------------------------------------------------ */

#ifndef EXAMPLE_NO_MAIN
#ifdef VERSO_REV_GENERATED
/* Compares the derivative along a direction, by differences, with the gradient. */
static int gradient_is_wrong(double *p, size_t count, double *scratch, double *work, const double *x, int n, int d,
                             int k, uint64_t *seed) {
    double *bar = host_alloc(count, sizeof *bar), *scratch_bar = host_alloc((size_t)(k * d + k), sizeof *bar);
    double *direction = host_normals(count, seed), *near = host_alloc(count, sizeof *near), h = 1e-6, slope = 0,
           out = 0;
    double out_bar = 1, *means = p + k, *icf = means + k * d;
    gmm(&out, p, means, icf, scratch, scratch + k * d, x, n, d, k);
    gmm_adj(&out, &out_bar, p, bar, means, bar + k, icf, bar + k + k * d, scratch, scratch_bar, scratch + k * d,
            scratch_bar + k * d, x, n, d, k);
    double difference = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < count; i++)
            near[i] = p[i] + sign * h * direction[i];
        difference += sign * gmm_plain(near, near + k, near + k + k * d, work, x, n, d, k) / (2 * h);
    }
    for (size_t i = 0; i < count; i++)
        slope += bar[i] * direction[i];
    printf("slope: %.9g, by differences %.9g; the value afterwards: %.1e\n", slope, difference, out);
    free(bar);
    free(scratch_bar);
    free(direction);
    free(near);
    return fabs(slope - difference) > 1e-6 * fabs(slope);
}
#endif

int main(void) {
    enum { N = 1000, D = 10, K = 5, COUNT = K + K * D + K * D * (D + 1) / 2 };
    uint64_t seed = 31;
    double *p = host_normals(COUNT, &seed), *x = host_normals((size_t)N * D, &seed), out = 0;
    double *scratch = host_alloc(K * D + K, sizeof *scratch), *work = host_alloc(2 * D + K * D + 2 * K, sizeof *work);
    double plain = gmm_plain(p, p + K, p + K + K * D, work, x, N, D, K);
    gmm(&out, p, p + K, p + K + K * D, scratch, scratch + K * D, x, N, D, K);
    printf("n = %d, d = %d, k = %d: %.12g (plain C: %.12g)\n", N, D, K, out, plain);
    int wrong = fabs(out - plain) > 1e-10 * fabs(plain);
#ifdef VERSO_REV_GENERATED
    wrong |= gradient_is_wrong(p, COUNT, scratch, work, x, N, D, K, &seed);
#endif
    free(p);
    free(x);
    free(scratch);
    free(work);
    return wrong;
}
#endif
