/* Rosenbrock's function of any number of variables, which has its least value, 0, where all are 1. The first example of
 * `verso grad --help`:
 *
 *     build/verso grad examples/native/rosenbrock.c:f --at -1.2,1 */
#include <stddef.h>

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        const double bend = x[i + 1] - x[i] * x[i];
        sum += 100 * bend * bend + (1 - x[i]) * (1 - x[i]);
    }
    return sum;
}
