/* at: 0.52,0.61,0.73
 * A loop with two entries: one jumps to its middle. And two loops that jump into each other. */
#include <math.h>
#include <stddef.h>

static double two_entries(const double *x, int late, int rounds) {
    double r = 0, a = x[0];
    int i = 0;
    if (late)
        goto middle;
top:
    r += a * a * 0.5;
    a = a * 0.9 + 0.1 * x[1];
middle:
    r = r * 0.9 + sin(a * x[i % 3]);
    if (++i < rounds)
        goto top;
    return r;
}

static double entangled(const double *x, int rounds) {
    double u = x[0], v = x[1];
    int i = 0;
    if (rounds & 1)
        goto second;
first:
    u = u * v + x[2];
    if (++i > rounds)
        goto end;
    if (u < 1)
        goto first;
second:
    v = cos(v) + 0.1 * u;
    if (++i > rounds)
        goto end;
    if (v < 1)
        goto first;
    u *= 0.5;
    goto second;
end:
    return u + v;
}

double f(const double *x, size_t n) {
    (void)n;
    double sum = 0;
    for (int rounds = 3; rounds < 8; rounds++)
        sum += two_entries(x, rounds & 1, rounds) + two_entries(x, rounds % 3 == 0, rounds) + entangled(x, rounds);
    return sum;
}
