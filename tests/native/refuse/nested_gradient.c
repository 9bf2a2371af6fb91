/* at: 0.7,1.1
 * refused: link
 * message: nested_gradient\.c:1[0-9]: .*verso_gradient is called within a function that is differentiated
 * A gradient of a gradient. */
#include <stddef.h>
#include <verso/native.h>

static double inner(const double *x, size_t n) {
    return x[0] * x[0] * x[n - 1];
}

double f(const double *x, size_t n) {
    double gradient[2];
    if (verso_gradient(inner, x, n, gradient, NULL, NULL, NULL) != VERSO_STATUS_OK)
        return 0;
    return gradient[0] * gradient[1];
}
