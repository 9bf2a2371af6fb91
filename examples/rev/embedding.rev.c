/* The least dimension in which the Petersen graph can be drawn with all edges of one length and all other distances of
 * a greater one (paper, appendix D.2): a loss of the positions, its gradient and Hessian, and Newton steps within a
 * trust region, from several starting points for each dimension. After `verso rev` it finds 5, with the ratio of the
 * lengths equal to the square root of 2. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

enum {
    VERTICES = 10,
    EDGES = 15,
    OTHERS = 30,
    PAIRS = EDGES + OTHERS,
    LANES = 20,
    DIMENSION_MOST = 10,
    PARAMETERS_MOST = VERTICES * DIMENSION_MOST
};

/* ---- The loss ---------------------------------------------------------------------------------------------------- */

/* Pairs of vertices: first the edges, then all others. */
static const int pair_a[PAIRS] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 1, 1,
                                  1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 7, 8};
static const int pair_b[PAIRS] = {1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 7, 8, 9, 5, 6, 2, 3, 6, 7, 8, 9, 3, 4,
                                  5, 7, 8, 9, 4, 5, 6, 8, 9, 5, 6, 7, 9, 5, 6, 7, 8, 6, 9, 7, 8, 9};

/* *loss += the variances of both sets of distances, and exp(relu(m1 - m2 + 0.1)) - 1 of their means. Squares and
 * distances are kept in arrays, so that nothing is computed twice on the way back. */
rev void embedding(double *restrict loss, const double *restrict x, passive int k) {
    anc double squares[PAIRS] = {0};
    anc double d[PAIRS] = {0};
    anc double m1 = 0;
    anc double m2 = 0;
    compute {
        for (int p = 0; p < PAIRS; p++) {
            for (int c = 0; c < k; c++) {
                squares[p] +=
                    (x[pair_a[p] * k + c] - x[pair_b[p] * k + c]) * (x[pair_a[p] * k + c] - x[pair_b[p] * k + c]);
            }
        }
        for (int p = 0; p < PAIRS; p++) {
            d[p] += sqrt(squares[p]);
        }
        for (int p = 0; p < EDGES; p++) {
            m1 += d[p] / EDGES;
        }
        for (int p = EDGES; p < PAIRS; p++) {
            m2 += d[p] / OTHERS;
        }
    }
    use {
        for (int p = 0; p < EDGES; p++) {
            *loss += (d[p] - m1) * (d[p] - m1) / EDGES;
        }
        for (int p = EDGES; p < PAIRS; p++) {
            *loss += (d[p] - m2) * (d[p] - m2) / OTHERS;
        }
        if (m1 - m2 + 0.1 > 0) {
            *loss += exp(m1 - m2 + 0.1) - 1;
        }
    }
}

/* LANES embeddings at once: number i of lane l is x[i * LANES + l]. With the same positions in all lanes, the tangent
 * of its adjoint gives LANES columns of a Hessian, in the vector unit of the processor. */
rev void embeddings(double *restrict loss, const double *restrict x, passive int k) {
    anc double squares[PAIRS * LANES] = {0};
    anc double d[PAIRS * LANES] = {0};
    anc double m1[LANES] = {0};
    anc double m2[LANES] = {0};
    compute {
        for (int p = 0; p < PAIRS; p++) {
            for (int c = 0; c < k; c++) {
                for (int l = 0; l < LANES; l++) {
                    squares[p * LANES + l] +=
                        (x[(pair_a[p] * k + c) * LANES + l] - x[(pair_b[p] * k + c) * LANES + l]) *
                        (x[(pair_a[p] * k + c) * LANES + l] - x[(pair_b[p] * k + c) * LANES + l]);
                }
            }
        }
        for (int i = 0; i < PAIRS * LANES; i++) {
            d[i] += sqrt(squares[i]);
        }
        for (int p = 0; p < EDGES; p++) {
            for (int l = 0; l < LANES; l++) {
                m1[l] += d[p * LANES + l] / EDGES;
            }
        }
        for (int p = EDGES; p < PAIRS; p++) {
            for (int l = 0; l < LANES; l++) {
                m2[l] += d[p * LANES + l] / OTHERS;
            }
        }
    }
    use {
        for (int p = 0; p < EDGES; p++) {
            for (int l = 0; l < LANES; l++) {
                loss[l] += (d[p * LANES + l] - m1[l]) * (d[p * LANES + l] - m1[l]) / EDGES;
            }
        }
        for (int p = EDGES; p < PAIRS; p++) {
            for (int l = 0; l < LANES; l++) {
                loss[l] += (d[p * LANES + l] - m2[l]) * (d[p * LANES + l] - m2[l]) / OTHERS;
            }
        }
        for (int l = 0; l < LANES; l++) {
            if (m1[l] - m2[l] + 0.1 > 0) {
                loss[l] += exp(m1[l] - m2[l] + 0.1) - 1;
            }
        }
    }
}

/* The same in plain C. */
double embedding_plain(const double *x, int k) {
    double d[PAIRS], m1 = 0, m2 = 0, v1 = 0, v2 = 0;
    for (int p = 0; p < PAIRS; p++) {
        double square = 0;
        for (int c = 0; c < k; c++) {
            double difference = x[pair_a[p] * k + c] - x[pair_b[p] * k + c];
            square += difference * difference;
        }
        d[p] = sqrt(square);
    }
    for (int p = 0; p < EDGES; p++)
        m1 += d[p] / EDGES;
    for (int p = EDGES; p < PAIRS; p++)
        m2 += d[p] / OTHERS;
    for (int p = 0; p < EDGES; p++)
        v1 += (d[p] - m1) * (d[p] - m1) / EDGES;
    for (int p = EDGES; p < PAIRS; p++)
        v2 += (d[p] - m2) * (d[p] - m2) / OTHERS;
    return v1 + v2 + (m1 - m2 + 0.1 > 0 ? exp(m1 - m2 + 0.1) - 1 : 0);
}

/* ---- Derivatives ------------------------------------------------------------------------------------------------- */

#ifdef VERSO_REV_GENERATED
/* The function adds to *loss and does not change x, so its adjoint can be run without running it first. */
void embedding_gradient(const double *x, int k, double *gradient) {
    double loss = 0, loss_bar = 1;
    memset(gradient, 0, (size_t)(VERTICES * k) * sizeof *gradient);
    embedding_adj(&loss, &loss_bar, x, gradient, k);
}

/* Columns are unit directions, LANES at a time. */
void embedding_hessian(const double *x, int k, double *hessian) {
    static double many[PARAMETERS_MOST * LANES], direction[PARAMETERS_MOST * LANES], bar[PARAMETERS_MOST * LANES],
        columns[PARAMETERS_MOST * LANES];
    int n = VERTICES * k;
    for (int i = 0; i < n * LANES; i++)
        many[i] = x[i / LANES];
    for (int first = 0; first < n; first += LANES) {
        double loss[LANES] = {0}, loss_dot[LANES] = {0}, loss_bar[LANES], loss_bar_dot[LANES] = {0};
        for (int l = 0; l < LANES; l++) {
            loss_bar[l] = 1;
            if (first + l < n)
                direction[(first + l) * LANES + l] = 1;
        }
        memset(bar, 0, (size_t)(n * LANES) * sizeof *bar);
        memset(columns, 0, (size_t)(n * LANES) * sizeof *columns);
        embeddings_hvp(loss, loss_dot, loss_bar, loss_bar_dot, many, direction, bar, columns, k);
        for (int l = 0; l < LANES && first + l < n; l++) {
            direction[(first + l) * LANES + l] = 0;
            for (int i = 0; i < n; i++)
                hessian[(first + l) * n + i] = columns[i * LANES + l];
        }
    }
}

#endif

#ifndef EXAMPLE_NO_MAIN
#ifdef VERSO_REV_GENERATED
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

/* Starts from random positions; the first two vertices are fixed, because otherwise all would collapse to one point. */
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
    for (int p = 0; p < PAIRS; p++) {
        double square = 0;
        for (int c = 0; c < k; c++)
            square += pow(x[pair_a[p] * k + c] - x[pair_b[p] * k + c], 2);
        *(p < EDGES ? l1 : l2) += sqrt(square) / (p < EDGES ? EDGES : OTHERS);
    }
}
#endif

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
