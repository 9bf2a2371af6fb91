/* at: random:12:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * Variables of which each thread has a copy. */
#include <math.h>
#include <omp.h>
#include <stddef.h>

static double factor = 2, table[3];
static int calls;
#pragma omp threadprivate(factor, table, calls)

static double scaled(double value) {
    calls++;
    return value * factor + table[calls % 3];
}

double f(const double *x, size_t n) {
    double y[12], sum = 0;
    factor = x[0];
    calls = 0;
    for (int i = 0; i < 3; i++)
        table[i] = x[i] * x[i + 1];
#pragma omp parallel copyin(factor, table)
    {
        calls = 2;
#pragma omp for
        for (size_t i = 0; i < n; i++) {
            calls = (int)i;
            y[i] = scaled(sin(x[i]));
        }
    }
    factor *= 2;
#pragma omp parallel for copyin(factor)
    for (size_t i = 0; i < n; i++)
        y[i] *= factor;
    for (size_t i = 0; i < n; i++)
        sum += y[i] * x[i];
    return sum;
}
