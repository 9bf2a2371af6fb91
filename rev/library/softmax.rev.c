/* Logarithms of sums of exponentials, shifted by the greatest element so that nothing overflows. Which element is the
 * greatest is an integer: it has no derivative, and the result does not depend on it but for round-off. */
#include <math.h>
#include <verso/rev.h>

static int rev_argmax(const double *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

rev void rev_logsumexp(double *restrict out, const double *restrict x, passive int n) {
    anc int top = rev_argmax(x, n);
    anc double sum = 0;
    compute {
        for (int i = 0; i < n; i++) {
            sum += exp(x[i] - x[top]);
        }
    }
    use {
        *out += log(sum) + x[top];
    }
    drop top == rev_argmax(x, n);
}

/* Minus the sum over i of p[i] log softmax(x)[i], where the p[i] sum to 1. */
rev void rev_softmax_cross_entropy(double *restrict out, const double *restrict x, const double *restrict p,
                                   passive int n) {
    anc int top = rev_argmax(x, n);
    anc double sum = 0;
    anc double logarithm = 0;
    compute {
        for (int i = 0; i < n; i++) {
            sum += exp(x[i] - x[top]);
        }
        logarithm += log(sum) + x[top];
    }
    use {
        for (int i = 0; i < n; i++) {
            *out += p[i] * (logarithm - x[i]);
        }
    }
    drop top == rev_argmax(x, n);
}
