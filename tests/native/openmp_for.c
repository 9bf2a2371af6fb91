/* at: random:40:0.2:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * Parallel loops in all schedules, with steps, downwards, of all types of indices, with collapse. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

double f(const double *x, size_t n) {
    double y[64], z[8][5];
    int count = (int)n;
    double sum = 0;
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        y[i] = sin(x[i]) * x[(i + 1) % n];
#pragma omp parallel for schedule(static, 3)
    for (int i = count - 1; i >= 0; i--)
        y[i] *= x[i];
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i += 2)
        y[i] = y[i] * y[i] + x[i];
#pragma omp parallel for schedule(dynamic, 4)
    for (uint32_t i = 0; i < (uint32_t)n; i++)
        y[i] += 0.25 * x[i] * y[i];
#pragma omp parallel for schedule(guided)
    for (int64_t i = count - 1; i > 0; i -= 3)
        y[i] = exp(-y[i]);
#pragma omp parallel for schedule(guided, 2)
    for (uint64_t i = 0; i < n; i++)
        y[i] += x[i] / (1 + y[i] * y[i]);
#pragma omp parallel for schedule(auto)
    for (size_t i = 0; i < n; i++)
        y[i] += 0.5 * x[i];
#pragma omp parallel for schedule(runtime)
    for (size_t i = 0; i < n; i++)
        y[i] *= 1.0 + 0.1 * x[i];
#pragma omp parallel for schedule(nonmonotonic : dynamic, 2)
    for (size_t i = 0; i < n; i++)
        y[i] += x[n - 1 - i] * x[i];
#pragma omp parallel for collapse(2)
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 5; j++)
            z[i][j] = y[5 * i + j] * x[i] * x[j];
#pragma omp parallel for collapse(2) schedule(dynamic, 7)
    for (int i = 0; i < 8; i++)
        for (int j = i; j < 5; j++)
            z[i][j] *= x[i + j];
#pragma omp parallel for simd
    for (size_t i = 0; i < n; i++)
        y[i] = 2 * y[i] * x[i];
#pragma omp parallel for
    for (int i = 5; i < 5; i++)
        y[i] = 0; /* never */
    for (size_t i = 0; i < n; i++)
        sum += y[i] * z[i / 5 % 8][i % 5];
    return sum;
}
