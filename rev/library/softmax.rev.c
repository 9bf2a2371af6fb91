/* Logarithms of sums of exponentials, shifted by the greatest element so that nothing overflows. The index of the
 * greatest element is an integer without a derivative; apart from round-off the result does not depend on it. */
#include <math.h>
#include <verso/rev.h>

static int rev_argmax(const double *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

/* Adds log(sum of exp(x[i])) to *out. */
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

/* Adds minus the sum over i of p[i] log softmax(x)[i] to *out. The p[i] must sum to 1. */
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
