/* at: random:20:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * Critical sections, atomic changes of all kinds, and locks. */
#include <math.h>
#include <omp.h>
#include <stddef.h>

static double copied(const double *x, size_t n) {
    double places[20], sum = 0;
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        double now;
#pragma omp atomic read
        now = x[i];
#pragma omp atomic write
        places[i] = now * now;
    }
    for (size_t i = 0; i < n; i++)
        sum += places[i];
    return sum;
}

double f(const double *x, size_t n) {
    double sum = 0, product = 1, counts[4] = {0}, seen = 0, twice = 0, most = 0, kept = 0;
    float small = 1;
    int number = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        double value = sin(x[i]) * x[(i + 3) % n];
#pragma omp critical
        sum += value;
#pragma omp critical(other)
        {
            product *= 1 + 0.1 * value;
            if (value > most)
                most = value;
        }
#pragma omp atomic
        counts[i % 4] += x[i];
#pragma omp atomic update
        kept = kept - value;
#pragma omp atomic
        small *= 1.0f;
#pragma omp atomic
        number++;
        omp_set_lock(&lock);
        seen += value * value;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        twice += x[i];
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    double before = 0;
    sum += copied(x, n);
#pragma omp parallel num_threads(1)
    {
#pragma omp atomic capture
        {
            before = sum;
            sum += x[0];
        }
        while (!omp_test_lock(&lock))
            ;
        sum *= x[1];
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return sum * before + product + counts[0] * counts[1] + counts[2] - counts[3] + seen + twice + most +
           kept * (double)small + number;
}
