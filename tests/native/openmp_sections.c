/* at: random:12:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * Sections, single, master, masked, barriers, and regions with if and num_threads. */
#include <math.h>
#include <omp.h>
#include <stddef.h>

static double work(const double *x, size_t n, double power) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += pow(x[i], power);
    return sum;
}

double f(const double *x, size_t n) {
    double a = 0, b = 0, c = 0, d = 0, y[12], last = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        a = work(x, n, 2);
#pragma omp section
        b = work(x, n, 0.5);
#pragma omp section
        c = work(x, n, -1);
    }
#pragma omp parallel
    {
#pragma omp sections lastprivate(last)
        {
#pragma omp section
            last = a;
#pragma omp section
            last = a * b;
        }
#pragma omp master
        d += a * c;
#pragma omp barrier
#pragma omp masked
        d *= x[0];
#pragma omp barrier
#pragma omp for
        for (size_t i = 0; i < n; i++)
            y[i] = d * x[i];
#pragma omp single nowait
        d += x[1];
    }
#pragma omp parallel if (n > 1000)
    {
#pragma omp for
        for (size_t i = 0; i < n; i++)
            y[i] += x[i] * x[i];
    }
#pragma omp parallel if (n > 2) num_threads((int)n % 3 + 1)
    {
#pragma omp for
        for (size_t i = 0; i < n; i++)
            y[i] *= last;
    }
    return work(y, n, 1) + b + d;
}
