/* at: random:20:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * Reductions that the program declares: of a struct, and of the place of a maximum. */
#include <math.h>
#include <stddef.h>

typedef struct moments {
    double sum, squares;
    long count;
} moments;

typedef struct best {
    double value;
    size_t at;
} best;

static moments joined(moments a, moments b) {
    return (moments){a.sum + b.sum, a.squares + b.squares, a.count + b.count};
}

static best better(best a, best b) {
    return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
}

#pragma omp declare reduction(join:moments : omp_out = joined(omp_out, omp_in)) initializer(omp_priv = (moments){0})
#pragma omp declare reduction(pick:best : omp_out = better(omp_out, omp_in)) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(grow:double : omp_out = omp_out + omp_in + omp_out * omp_in) initializer(omp_priv = 0)

double f(const double *x, size_t n) {
    moments all = {0};
    best top = {-1, n};
    double growth = 0;
#pragma omp parallel for reduction(join : all) reduction(pick : top)
    for (size_t i = 0; i < n; i++) {
        all = joined(all, (moments){x[i], x[i] * x[i], 1});
        top = better(top, (best){sin(x[i]) * x[(i + 1) % n], i});
    }
#pragma omp parallel for reduction(grow : growth)
    for (size_t i = 0; i < n; i++)
        growth = growth + 0.01 * x[i] + growth * 0.01 * x[i];
    double mean = all.sum / (double)all.count;
    return all.squares / (double)all.count - mean * mean + top.value * x[top.at] + growth;
}
