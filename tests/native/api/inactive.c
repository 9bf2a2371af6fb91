/* foreign: library.c
 * Functions declared inactive: a foreign one with pointers, and one of ours whose arithmetic shall not count. */
#include "expect.h"

#include <stddef.h>
#include <verso/native.h>

VERSO_INACTIVE int foreign_classify(const double *values, size_t count, double *largest);
VERSO_INACTIVE static double scale_of(const double *x, size_t n);

static double scale_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

static double f(const double *x, size_t n) {
    double largest;
    int at = foreign_classify(x, n, &largest);
    return x[at] * x[at] * largest + scale_of(x, n) * x[0];
}

int main(void) {
    double x[3] = {0.5, -1.5, 2}, gradient[3], tangent, direction[3] = {1, 10, 100};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, gradient, NULL, &report, &error));
    EXPECT_CLOSE(report.value, 4 + 4 * 0.5);
    EXPECT_CLOSE(gradient[0], 4.0);
    EXPECT_CLOSE(gradient[1], 0.0);
    EXPECT_CLOSE(gradient[2], 4.0);
    EXPECT_OK(verso_directional(f, x, 3, direction, &tangent, &report, &error));
    EXPECT_CLOSE(tangent, 404.0);
    printf(failed ? "\n" : " foreign, ours\n");
    return failed;
}
