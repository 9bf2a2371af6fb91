/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Structs of integers and numbers, nested, with arrays and pointers inside, by value. */
#include <math.h>
#include <stddef.h>

typedef struct counted {
    int count;
    double value;
} counted;

typedef struct nested {
    counted inner;
    struct {
        float weight;
        short kind;
    } extra;
} nested;

typedef struct two_kinds {
    double number;
    const double *pointer;
} two_kinds;

static counted next(counted c, double u) {
    return (counted){c.count + 1, c.value * u + c.count};
}

static nested refine(nested a, counted c) {
    a.inner = next(c, a.inner.value);
    a.extra.weight *= (float)c.value;
    a.extra.kind++;
    return a;
}

static double follow(two_kinds t, int steps) {
    return steps == 0 ? t.number : follow((two_kinds){t.number * *t.pointer, t.pointer + 1}, steps - 1);
}

double f(const double *x, size_t n) {
    (void)n;
    counted c = {1, x[0]};
    nested a = {{2, x[1]}, {1.5f, 3}};
    for (int i = 0; i < 4; i++) {
        c = next(c, x[2]);
        a = refine(a, c);
    }
    return a.inner.value + a.inner.count * c.value + follow((two_kinds){x[3], x}, 4) + a.extra.kind * sin(x[3]);
}
