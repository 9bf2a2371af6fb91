/* at: random:16:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * Tasks: recursive, with dependences, groups, loops of tasks, reductions, not tied, not deferred. */
#include <math.h>
#include <stddef.h>

static double tree(const double *x, size_t n) {
    if (n == 1)
        return sin(x[0]) * x[0];
    double left, right;
#pragma omp task shared(left)
    left = tree(x, n / 2);
#pragma omp task shared(right) if (n > 4)
    right = tree(x + n / 2, n - n / 2);
#pragma omp taskwait
    return left + right + left * right * 0.01;
}

double f(const double *x, size_t n) {
    double sum = 0, chain = x[0], y[16], group = 0, last = 0;
#pragma omp parallel
#pragma omp single
    {
        sum = tree(x, n);
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : chain) firstprivate(i)
            chain = chain * x[i + 1] + 0.5;
        }
#pragma omp task untied depend(in : chain) shared(last)
        {
            double own = chain * 2;
#pragma omp taskyield
            last = own * x[3];
        }
#pragma omp taskwait
#pragma omp taskloop grainsize(3)
        for (size_t i = 0; i < n; i++)
            y[i] = x[i] * chain;
#pragma omp taskloop num_tasks(2) reduction(+ : group) firstprivate(last)
        for (size_t i = 0; i < n; i++)
            group += y[i] * last;
#pragma omp taskgroup task_reduction(+ : sum)
        {
            for (size_t i = 0; i < n; i += 4)
#pragma omp task in_reduction(+ : sum)
                sum += y[i] * y[i];
        }
        double final_value = 0;
#pragma omp taskloop lastprivate(final_value)
        for (size_t i = 0; i < n; i++)
            final_value = x[i] * y[i];
        sum += final_value;
    }
    return sum + chain + group;
}
