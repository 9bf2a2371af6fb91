/* at: random:8:-1:1
 * flags: -O1
 * Where the middle loop is left, the copy of what the inner loop reads is all that is recorded: no field follows it. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { N = 12, ALL = N * N + 8 };

double f(const double *x, size_t n) {
    static double c[ALL];
    double *a = malloc(ALL * sizeof *a), *b = a + 3, sum = 0;
    for (int k = 0; k < ALL; k++) {
        a[k] = sin(x[(size_t)k % n] + k);
        c[k] = 0.7 * cos(x[(size_t)k % n] * k);
    }
    for (long i = 2; i < 4; i++)
        for (long j = 2; j < N - 2 && sum < 0.9; j++)
            for (unsigned k = 2; k <= j; k++)
                b[j * N + k] = sin(c[k] * b[j * N + k] + 0.5 * b[k - 1]);
    a[0] = 0.5 * a[0] + 0.5 * sum;
    for (int k = 0; k < ALL; k++)
        sum += (a[k] * (1 + 0.01 * k) + c[k]) / ALL;
    free(a);
    return sum;
}
