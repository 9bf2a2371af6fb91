/* at: random:24:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-7
 * Reductions by all arithmetic operators, of scalars, arrays and parts of arrays. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double sum = 1, difference = 2, product = 1, most = 0.6, least = 0.9, parts[4] = {0, 1, 2, 3};
    float small = 0;
    long count = 0;
    int every = 1, some = 0, bits = 0;
    double *tail = parts;
#pragma omp parallel for reduction(+ : sum, count) reduction(- : difference)
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
        difference -= sin(x[i]);
        count += x[i] > 1;
    }
#pragma omp parallel for reduction(* : product) reduction(max : most) reduction(min : least) schedule(dynamic, 3)
    for (size_t i = 0; i < n; i++) {
        product *= x[i];
        most = x[i] * x[i] > most ? x[i] * x[i] : most;
        least = fmin(least, x[i]);
    }
#pragma omp parallel for reduction(+ : parts) reduction(+ : small)
    for (size_t i = 0; i < n; i++) {
        parts[i % 4] += x[i] * x[(i + 1) % n];
        small += (float)x[i];
    }
#pragma omp parallel for reduction(+ : tail[1 : 2])
    for (size_t i = 0; i < n; i++)
        tail[1 + i % 2] += x[i];
#pragma omp parallel for reduction(&& : every) reduction(|| : some) reduction(^ : bits)
    for (size_t i = 0; i < n; i++) {
        every = every && x[i] > 0;
        some = some || x[i] > 1.4;
        bits ^= x[i] > 1;
    }
#pragma omp parallel
    {
#pragma omp for reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += cos(x[i]);
    }
    return sum + difference * product + most - least + parts[0] * parts[1] + parts[2] + parts[3] + (double)small +
           (double)count + every + some + bits;
}
