/* Repeated squares: (...(x^2)^2...)^2. */
#include "steps.h"

double steps(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double y = x[i];
        for (int step = 0; step < STEPS; step++)
            y *= y;
        sum += y;
    }
    return sum;
}
