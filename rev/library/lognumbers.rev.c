/* Chains of products in log numbers, where /= undoes *= exactly: they need constant memory, however long the chain
 * is. */
#include <math.h>
#include <verso/rev.h>

/* *out += x^n for x > 0, with n multiplications. */
rev void rev_power(double *restrict out, const double *restrict x, passive int n) {
    anc ulog y = rev_ulog(1);
    compute {
        for (int i = 0; i < n; i++) {
            y *= rev_ulog(*x);
        }
    }
    use {
        *out += rev_ulog_value(y);
    }
}

/* *out += J_order(x) for x > 0, by its power series. The terms are log numbers, so each term is computed in place
 * from the one before. Accurate to about 1e-16 exp(x); the series ends where terms are below 1e-20. */
rev void rev_bessel_j(double *restrict out, const double *restrict x, passive int order) {
    anc ulog term = rev_ulog(1);
    anc double sum = 0;
    anc int k = 0;
    compute {
        for (int i = 1; i < order + 1; i++) {
            term *= rev_ulog(*x / (2 * i));
        }
        sum += rev_ulog_value(term);
        from(k == 0) while (k < *x || rev_ulog_value(term) > 1e-20) {
            k++;
            term *= rev_ulog(*x * *x / (4.0 * k * (k + order)));
            if (k % 2 == 1) {
                sum -= rev_ulog_value(term);
            } else {
                sum += rev_ulog_value(term);
            }
        }
    }
    use {
        *out += sum;
    }
}
