/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of float and double by value between files and members of a static library, also through pointers. */
#include "values.h"

static value second(value a, value b) {
    return a.narrow ? b : value_multiply(a, b);
}

double f(const double *x, size_t n) {
    operation *const all_of[] = {value_adding(), value_multiply, second};
    value all[8];
    double sum = 0;
    for (size_t i = 0; i < n && i < 8; i++)
        all[i] = value_of(x[i] * x[0], (int)i & 1);
    for (size_t k = 0; k < 6; k++) {
        value r = value_fold(all_of[k % 3], all + k % 2, n - k % 2);
        number bare = value_bare(r);
        sum += value_number(r) * x[k % n] + (r.narrow ? (double)bare.f : bare.d);
    }
    return sum;
}
