/* at: 0.7,1.9,-0.4
 * The usual C clean-up: goto to labels at the end that free what was made. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static int smooth(const double *x, size_t n, int strict, double *result) {
    int status = -1;
    double *first = malloc(n * sizeof *first), *second = NULL;
    if (!first)
        goto done;
    for (size_t i = 0; i < n; i++)
        first[i] = exp(-x[i] * x[i]);
    if (strict && first[1] < 0.1)
        goto release;
    second = calloc(n, sizeof *second);
    if (!second)
        goto release;
    for (size_t i = 0; i < n; i++)
        second[i] = first[i] + first[(i + 1) % n] * x[i];
    *result += second[0] * second[n - 1];
    status = 0;
release:
    *result += first[0];
    free(second);
    free(first);
done:
    return status;
}

double f(const double *x, size_t n) {
    double result = x[0];
    for (int strict = 0; strict < 2; strict++)
        if (smooth(x, n, strict, &result) != 0)
            result *= 1.5;
    return result;
}
