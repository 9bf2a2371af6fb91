/* at: 0.7,1.1,0.25,2.0
 * bsearch in a sorted table of numbers for the interval that a number lies in, and by name. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct knot {
    double at, value;
} knot;

static int in_interval(const void *key, const void *element) {
    double z = *(const double *)key;
    const knot *left = element;
    return z < left[0].at ? -1 : z >= left[1].at;
}

typedef struct unit {
    const char *name;
    double factor;
} unit;

static int name_order(const void *key, const void *element) {
    return strcmp(key, ((const unit *)element)->name);
}

double f(const double *x, size_t n) {
    static const unit units[] = {{"cm", 0.01}, {"inch", 0.0254}, {"km", 1000}, {"m", 1}, {"mm", 0.001}};
    static const char *const used[] = {"m", "cm", "inch", "none"};
    knot knots[9];
    for (int i = 0; i < 9; i++)
        knots[i] = (knot){0.3 * i, sin(0.3 * i * x[0])};
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const knot *left = bsearch(&x[i], knots, 8, sizeof *knots, in_interval);
        const unit *unit = bsearch(used[i], units, 5, sizeof *units, name_order);
        double share = (x[i] - left[0].at) / (left[1].at - left[0].at);
        sum += ((1 - share) * left[0].value + share * left[1].value) * (unit ? unit->factor : x[1]);
    }
    return sum;
}
