/* at: 0.7,1.1
 * refused: link
 * message: atomic_numbers\.c:1[0-9]: .*atomic
 * A number that several threads could add to. */
#include <stdatomic.h>
#include <stddef.h>

static _Atomic double total;

double f(const double *x, size_t n) {
    atomic_store(&total, 0);
    for (size_t i = 0; i < n; i++)
        total += x[i] * x[i];
    return atomic_load(&total);
}
