/* at: 0.7,1.1
 * Computed goto by distances between labels, which generators of interpreters like. */
#include <stddef.h>

double f(const double *x, size_t n) {
    static const int distances[] = {&&first - &&first, &&second - &&first};
    double sum = 0;
    size_t i = 0;
next:
    if (i == n)
        return sum;
    goto *(&&first + distances[i++ & 1]);
first:
    sum += x[0] * x[0];
    goto next;
second:
    sum *= x[1];
    goto next;
}
