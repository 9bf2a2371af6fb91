/* foreign: ../refuse/foreign/library.c
 * A foreign function that is declared inactive writes over a number that has a derivative. What it writes does not
 * depend on anything, so the derivative must be gone; Verso does not see the write, and keeps it. */
#include "../api/expect.h"

#include <verso/native.h>

VERSO_INACTIVE void mystery_constant(double *into);

static double f(const double *x, size_t n) {
    double level = x[0] * x[0];
    mystery_constant(&level);
    return level * x[n - 1];
}

int main(void) {
    double x[2] = {0.5, 2}, gradient[2];
    verso_native_report report = {0};
    EXPECT_OK(verso_gradient(f, x, 2, gradient, NULL, &report), report);
    EXPECT_CLOSE(gradient[0], 0.0);
    EXPECT_CLOSE(gradient[1], 7.0);
    printf("\n");
    return failed;
}
