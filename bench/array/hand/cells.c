/* The reverse run uses the list that the forward run has made. */
#include "bench/array/cells.c"
#include "bench/array/hand/hand.h"

double hand_gradient(const double *x, size_t n, double *gradient) {
    double value = kernel(x, n);
    memset(gradient, 0, n * sizeof *gradient);
    for (int c = 0; c < CELLS; c++)
        for (integer a = head[c]; a + 1 < head[c + 1]; a++) {
            double d = 2 * (x[list[a]] - x[list[a + 1]]);
            gradient[list[a]] += d;
            gradient[list[a + 1]] -= d;
        }
    return value;
}
