/* at: 0.7,1.1,0.25,2.0,-0.3,1.6,0.9
 * qsort with a comparison of ours: order statistics, trimmed mean, and a comparison that counts. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int comparisons;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    comparisons++;
    return (x > y) - (x < y);
}

static int by_sine(const void *a, const void *b) {
    double x = sin(3 * *(const double *)a), y = sin(3 * *(const double *)b);
    return x < y ? -1 : x > y;
}

double f(const double *x, size_t n) {
    double sorted[16], sum = 0;
    memcpy(sorted, x, n * sizeof *x);
    comparisons = 0;
    qsort(sorted, n, sizeof *sorted, ascending);
    for (size_t i = 1; i + 1 < n; i++)
        sum += sorted[i] * sorted[i] * (double)i;
    for (size_t i = 0; i < n; i++)
        sorted[i] = sorted[i] * 1.5 + sum * 0.01;
    qsort(sorted, n, sizeof *sorted, by_sine);
    return sum + sorted[0] * sorted[1] - sorted[n - 1] + (comparisons > 0);
}
