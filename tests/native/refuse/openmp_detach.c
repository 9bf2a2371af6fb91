/* at: 0.7,1.1,0.4
 * refused: link
 * flags: -fopenmp
 * link: -fopenmp
 * message: openmp_detach\.c:1[0-9]: .*a construct of OpenMP that Verso does not know
 * A task that ends when an event arrives. */
#include <omp.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double sum = 0;
    omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(sum)
    sum += x[0] * x[n - 1];
    omp_fulfill_event(event);
#pragma omp taskwait
    return sum;
}
