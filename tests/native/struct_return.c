/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Functions that return structs: small, large, used at once, from branches, through pointers, of arrays. */
#include <math.h>
#include <stddef.h>

typedef struct extremes {
    double low, high;
} extremes;

typedef struct statistics {
    double mean, variance, sorted[4];
    size_t count;
} statistics;

static extremes bounds(const double *x, size_t n) {
    if (n == 0)
        return (extremes){0, 0};
    extremes e = {x[0], x[0]};
    for (size_t i = 1; i < n; i++)
        e = (extremes){x[i] < e.low ? x[i] : e.low, x[i] > e.high ? x[i] : e.high};
    return e;
}

static statistics describe(const double *x, size_t n) {
    statistics s = {.count = n};
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && s.sorted[at - 1] > x[i]; at--)
            s.sorted[at] = s.sorted[at - 1];
        s.sorted[at] = x[i];
        s.mean += x[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        s.variance += (x[i] - s.mean) * (x[i] - s.mean);
    return s;
}

static statistics improve(const statistics *old, double by) {
    statistics s = *old;
    s.sorted[1] *= by;
    return s;
}

typedef statistics (*describer)(const double *, size_t);

double f(const double *x, size_t n) {
    describer through = describe;
    statistics s = through(x, n), t = improve(&s, x[2]);
    return bounds(x, n).high * bounds(x, n - 1).low + t.sorted[1] * t.variance + describe(x, 3).sorted[2] +
           improve(&t, s.mean).sorted[1] + bounds(x, 0).low;
}
