/* The least dimension in which the Petersen graph can be drawn with all edges of one length and all other distances of
 * a greater one (paper, appendix D.2): a loss of the positions, its gradient and Hessian, and Newton steps within a
 * trust region, from several beginnings for each dimension. With the tool: finds 5, and the ratio of the lengths is the
 * square root of 2. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

enum { VERTICES = 10, EDGES = 15, OTHERS = 30, DIMENSION_MOST = 10, PARAMETERS_MOST = VERTICES * DIMENSION_MOST };

/* ---- The loss ---------------------------------------------------------------------------------------------------- */

/* Pairs of vertices: first the edges, then all others. */
static const int pair_a[EDGES + OTHERS] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 1, 1,
                                           1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 7, 8};
static const int pair_b[EDGES + OTHERS] = {1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 7, 8, 9, 5, 6, 2, 3, 6, 7, 8, 9, 3, 4,
                                           5, 7, 8, 9, 4, 5, 6, 8, 9, 5, 6, 7, 9, 5, 6, 7, 8, 6, 9, 7, 8, 9};

/* *loss += the variances of both sets of distances, and exp(relu(m1 - m2 + 0.1)) - 1 of their means. */
rev void embedding(double *loss, const double *x, passive int k) {
    anc double d[EDGES + OTHERS] = {0};
    anc double m1 = 0;
    anc double m2 = 0;
    compute {
        for (int p = 0; p < EDGES + OTHERS; p++) {
            anc double square = 0;
            compute {
                for (int c = 0; c < k; c++) {
                    square +=
                        (x[pair_a[p] * k + c] - x[pair_b[p] * k + c]) * (x[pair_a[p] * k + c] - x[pair_b[p] * k + c]);
                }
            }
            use {
                d[p] += sqrt(square);
            }
        }
        for (int p = 0; p < EDGES; p++) {
            m1 += d[p] / EDGES;
        }
        for (int p = EDGES; p < EDGES + OTHERS; p++) {
            m2 += d[p] / OTHERS;
        }
    }
    use {
        for (int p = 0; p < EDGES; p++) {
            *loss += (d[p] - m1) * (d[p] - m1) / EDGES;
        }
        for (int p = EDGES; p < EDGES + OTHERS; p++) {
            *loss += (d[p] - m2) * (d[p] - m2) / OTHERS;
        }
        if (m1 - m2 + 0.1 > 0) {
            *loss += exp(m1 - m2 + 0.1) - 1;
        }
    }
}

/* The same, as anybody would write it. */
double embedding_plain(const double *x, int k) {
    double d[EDGES + OTHERS], m1 = 0, m2 = 0, v1 = 0, v2 = 0;
    for (int p = 0; p < EDGES + OTHERS; p++) {
        double square = 0;
        for (int c = 0; c < k; c++) {
            double difference = x[pair_a[p] * k + c] - x[pair_b[p] * k + c];
            square += difference * difference;
        }
        d[p] = sqrt(square);
    }
    for (int p = 0; p < EDGES; p++)
        m1 += d[p] / EDGES;
    for (int p = EDGES; p < EDGES + OTHERS; p++)
        m2 += d[p] / OTHERS;
    for (int p = 0; p < EDGES; p++)
        v1 += (d[p] - m1) * (d[p] - m1) / EDGES;
    for (int p = EDGES; p < EDGES + OTHERS; p++)
        v2 += (d[p] - m2) * (d[p] - m2) / OTHERS;
    return v1 + v2 + (m1 - m2 + 0.1 > 0 ? exp(m1 - m2 + 0.1) - 1 : 0);
}

/* ---- Derivatives ------------------------------------------------------------------------------------------------- */

#ifdef VERSO_REV_GENERATED
/* The function adds to *loss and leaves x alone, so its adjoint can be run without running it first. */
void embedding_gradient(const double *x, int k, double *gradient) {
    double loss = 0, loss_bar = 1;
    memset(gradient, 0, (size_t)(VERTICES * k) * sizeof *gradient);
    embedding_adj(&loss, &loss_bar, x, gradient, k);
}

void embedding_hessian(const double *x, int k, double *hessian) {
    int n = VERTICES * k;
    double direction[PARAMETERS_MOST] = {1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 7, 8, 9, 5, 6, 2, 3, 6, 7, 8, 9, 3, 4,
                                         5, 7, 8, 9, 4, 5, 6, 8, 9, 5, 6, 7, 9, 5, 6, 7, 8, 6, 9, 7, 8, 9};
    for (int i = 0; i < n; i++) {
        double loss = 0, loss_dot = 0, loss_bar = 1, loss_bar_dot = 0, bar[PARAMETERS_MOST] = {0};
        memset(hessian + i * n, 0, (size_t)n * sizeof *hessian);
        direction[i] = 1;
        embedding_hvp(&loss, &loss_dot, &loss_bar, &loss_bar_dot, x, direction, bar, hessian + i * n, k);
        direction[i] = 0;
    }
}

/* ---- Newton within a trust region -------------------------------------------------------------------------------- */

/* Solves (hessian + shift) step = -gradient for the free variables, from `first` on; 0: not positive definite. */
static int solve(const double *hessian, const double *gradient, double shift, int first, int n, double *step) {
    static double l[PARAMETERS_MOST * PARAMETERS_MOST];
    for (int i = first; i < n; i++)
        for (int j = first; j <= i; j++) {
            double sum = hessian[i * n + j] + (i == j ? shift : 0);
            for (int k = first; k < j; k++)
                sum -= l[i * n + k] * l[j * n + k];
            if (i == j && sum <= 0)
                return 0;
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    for (int i = first; i < n; i++) {
        step[i] = -gradient[i];
        for (int k = first; k < i; k++)
            step[i] -= l[i * n + k] * step[k];
        step[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= first; i--) {
        for (int k = i + 1; k < n; k++)
            step[i] -= l[k * n + i] * step[k];
        step[i] /= l[i * n + i];
    }
    return 1;
}

/* From random positions; the first two vertices stay where they are, else all would fall together. */
static double optimise(double *x, int k, uint64_t *seed, int *hessians) {
    static double gradient[PARAMETERS_MOST], hessian[PARAMETERS_MOST * PARAMETERS_MOST];
    double step[PARAMETERS_MOST] = {0}, trial[PARAMETERS_MOST], shift = 1;
    int n = VERTICES * k;
    for (int i = 0; i < n; i++)
        x[i] = host_normal(seed);
    double loss = embedding_plain(x, k);
    for (int round = 0; round < 200 && loss > 1e-28; round++) {
        embedding_gradient(x, k, gradient);
        embedding_hessian(x, k, hessian);
        ++*hessians;
        int better = 0;
        for (int tries = 0; tries < 40 && !better; tries++) {
            if (solve(hessian, gradient, shift, 2 * k, n, step)) {
                for (int i = 0; i < n; i++)
                    trial[i] = x[i] + (i < 2 * k ? 0 : step[i]);
                double value = embedding_plain(trial, k);
                if (value < loss) {
                    loss = value;
                    memcpy(x, trial, sizeof trial);
                    better = 1;
                }
            }
            shift = better ? shift / 8 : shift * 4;
        }
        if (!better)
            break;
    }
    return loss;
}

static void lengths(const double *x, int k, double *l1, double *l2) {
    *l1 = *l2 = 0;
    for (int p = 0; p < EDGES + OTHERS; p++) {
        double square = 0;
        for (int c = 0; c < k; c++)
            square += pow(x[pair_a[p] * k + c] - x[pair_b[p] * k + c], 2);
        *(p < EDGES ? l1 : l2) += sqrt(square) / (p < EDGES ? EDGES : OTHERS);
    }
}
#endif

#ifndef EXAMPLE_NO_MAIN
int main(void) {
    uint64_t seed = 1;
    double x[PARAMETERS_MOST], loss = 0;
    for (int i = 0; i < PARAMETERS_MOST; i++)
        x[i] = host_normal(&seed);
    embedding(&loss, x, DIMENSION_MOST);
    printf("loss of random positions: %.15g (plain C: %.15g)\n", loss, embedding_plain(x, DIMENSION_MOST));
    int wrong = fabs(loss - embedding_plain(x, DIMENSION_MOST)) > 1e-12 * loss;
#ifdef VERSO_REV_GENERATED
    int least = 0;
    for (int k = 1; k <= 7; k++) {
        double best = INFINITY, l1 = 0, l2 = 0;
        int hessians = 0;
        for (int start = 0; start < 10 && best > 1e-24; start++) {
            loss = optimise(x, k, &seed, &hessians);
            if (loss < best) {
                best = loss;
                lengths(x, k, &l1, &l2);
            }
        }
        printf("dimension %d: loss %.2e, l2 / l1 = %.12f, %d Hessians\n", k, best, l2 / l1, hessians);
        if (best < 1e-20 && !least) {
            least = k;
            wrong |= fabs(l2 / l1 - sqrt(2)) > 1e-6;
        }
    }
    printf("least dimension: %d\n", least);
    wrong |= least != 5;
#endif
    return wrong;
}
#endif
