/* at: random:12:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * Ordered loops, dependences between iterations, teams within teams, and cancellation, which is off. */
#include <math.h>
#include <omp.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double state = x[0], y[12], grid[12][3], sum = 0;
#pragma omp parallel for ordered schedule(dynamic)
    for (size_t i = 0; i < n; i++) {
        double value = sin(x[i]);
#pragma omp ordered
        {
            state = state * value + x[i];
            y[i] = state;
        }
    }
#pragma omp parallel for ordered(1)
    for (int i = 1; i < 12; i++) {
#pragma omp ordered depend(sink : i - 1)
        y[i] += 0.5 * y[i - 1];
#pragma omp ordered depend(source)
    }
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 12; i++) {
#pragma omp parallel for num_threads(2) schedule(dynamic)
        for (int j = 0; j < 3; j++)
            grid[i][j] = y[i] * x[j] * x[i];
    }
#pragma omp parallel
    {
#pragma omp for reduction(+ : sum) schedule(guided)
        for (int i = 0; i < 12; i++) {
            for (int j = 0; j < 3; j++)
                sum += grid[i][j];
#pragma omp cancellation point for
        }
    }
    return sum + omp_get_cancellation();
}
