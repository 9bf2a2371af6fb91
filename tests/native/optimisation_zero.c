/* at: 0.7,1.1,0.25,2.0
 * flags: -O0
 * Compiled without optimisation: every variable is in memory, every expression is computed as it is written. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct pair {
    double first, second;
} pair;

static pair both(double a, double b) {
    pair p = {a + b, a * b};
    return p;
}

static double mean(const double *values, int count) {
    double sum = 0;
    int i = 0;
    while (i < count)
        sum += values[i++];
    return sum / count;
}

double f(const double *x, size_t n) {
    double *copy = malloc(n * sizeof(double)), result = 0;
    for (size_t i = 0; i < n; ++i)
        copy[i] = x[i] * 2;
    for (size_t i = 0; i < n; ++i) {
        pair p = both(copy[i], copy[(i + 1) % n]);
        if (p.first > 3)
            result += sin(p.second);
        else
            result -= p.first / p.second;
        copy[i] = p.first > p.second ? p.first : p.second;
    }
    result *= mean(copy, (int)n);
    free(copy);
    return result;
}
