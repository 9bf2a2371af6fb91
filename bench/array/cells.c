/* A cell list in one dimension: count, sum, fill; then an energy of neighbours in a cell. INDEX is the type of its
 * integers. */
#include "bench/array/kernel.h"

#include <stdint.h>

#ifndef INDEX
#define INDEX int
#endif
typedef INDEX integer;

enum { N = 20000, CELLS = 1024 };
const size_t kernel_inputs = N;

static integer head[CELLS + 1], list[N], cell[N], at[CELLS];

static NOINLINE void sort(const double *x) {
    memset(head, 0, sizeof head);
    for (int i = 0; i < N; i++) {
        cell[i] = (integer)((2 * x[i] - 1) * (CELLS - 0.01));
        head[cell[i] + 1]++;
    }
    for (int c = 0; c < CELLS; c++)
        head[c + 1] += head[c];
    memcpy(at, head, sizeof at);
    for (int i = 0; i < N; i++)
        list[at[cell[i]]++] = i;
}

static NOINLINE double energy(const double *x) {
    double sum = 0;
    for (int c = 0; c < CELLS; c++)
        for (integer a = head[c]; a + 1 < head[c + 1]; a++) {
            double d = x[list[a]] - x[list[a + 1]];
            sum += d * d;
        }
    return sum;
}

double kernel(const double *x, size_t n) {
    (void)n;
    sort(x);
    return energy(x);
}
