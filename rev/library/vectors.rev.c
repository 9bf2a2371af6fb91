/* Sums over vectors. Each function adds its result to *out and leaves its inputs unchanged. It passes over memory
 * once, and needs only a few scalars as scratch. */
#include <math.h>
#include <verso/rev.h>

rev void rev_sum(double *restrict out, const double *restrict x, passive int n) {
    for (int i = 0; i < n; i++) {
        *out += x[i];
    }
}

rev void rev_mean(double *restrict out, const double *restrict x, passive int n) {
    for (int i = 0; i < n; i++) {
        *out += x[i] / n;
    }
}

rev void rev_dot(double *restrict out, const double *restrict x, const double *restrict y, passive int n) {
    for (int i = 0; i < n; i++) {
        *out += x[i] * y[i];
    }
}

rev void rev_axpy(double *restrict y, const double *restrict a, const double *restrict x, passive int n) {
    for (int i = 0; i < n; i++) {
        y[i] += *a * x[i];
    }
}

rev void rev_sqdistance(double *restrict out, const double *restrict x, const double *restrict y, passive int n) {
    for (int i = 0; i < n; i++) {
        *out += (x[i] - y[i]) * (x[i] - y[i]);
    }
}

rev void rev_norm(double *restrict out, const double *restrict x, passive int n) {
    anc double square = 0;
    compute {
        for (int i = 0; i < n; i++) {
            square += x[i] * x[i];
        }
    }
    use {
        *out += sqrt(square);
    }
}

/* Mean and variance (divided by n), in two passes, so that the second has no cancellation. */
rev void rev_var(double *restrict mean, double *restrict variance, const double *restrict x, passive int n) {
    anc double centre = 0;
    compute {
        for (int i = 0; i < n; i++) {
            centre += x[i] / n;
        }
    }
    use {
        *mean += centre;
        for (int i = 0; i < n; i++) {
            *variance += (x[i] - centre) * (x[i] - centre) / n;
        }
    }
}

/* The same functions for other numbers: rev_sum_float, rev_sum_fixed, ... With `fixed` the inverse restores the
 * same bits. */
rev_instantiate(rev_sum, float, fixed);
rev_instantiate(rev_mean, float, fixed);
rev_instantiate(rev_dot, float, fixed);
rev_instantiate(rev_axpy, float, fixed);
rev_instantiate(rev_sqdistance, float, fixed);
rev_instantiate(rev_norm, float, fixed);
rev_instantiate(rev_var, float, fixed);
