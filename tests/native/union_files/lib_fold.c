/* A member of the static library that calls back. */
#include "values.h"

value value_multiply(value a, value b) {
    if (a.narrow && b.narrow) {
        a.v.f *= b.v.f;
        return a;
    }
    return value_of(value_number(a) * value_number(b), 0);
}

value value_fold(operation *op, const value *all, size_t n) {
    value r = all[0];
    for (size_t i = 1; i < n; i++)
        r = op(r, all[i]);
    return r;
}
