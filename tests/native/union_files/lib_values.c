/* A member of the static library: makes values and reads them. */
#include "values.h"

value value_of(double d, int narrow) {
    value r = {.narrow = narrow};
    if (narrow)
        r.v.f = (float)d;
    else
        r.v.d = d;
    return r;
}

double value_number(value a) {
    return a.narrow ? (double)a.v.f : a.v.d;
}

number value_bare(value a) {
    return a.v;
}

static value add(value a, value b) {
    return value_of(value_number(a) + value_number(b), a.narrow && b.narrow);
}

operation *value_adding(void) {
    return add;
}
