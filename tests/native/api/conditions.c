/* The distances of a search for the nearest point are recorded only where they become the least one. Here the first
 * point is the nearest, so almost nothing is recorded. */
#include "expect.h"

#include <verso/native.h>

enum { POINTS = 1000, DIMENSIONS = 4, ALL = POINTS * DIMENSIONS };

__attribute__((noinline)) static void search(const double *x, size_t n, double *least) {
    *least = 1e300;
    for (size_t i = 0; i < n / DIMENSIONS; i++) {
        const double *point = x + i * DIMENSIONS;
        double a = point[0] - 1, b = point[1] - 2, c = point[2] - 3, d = point[3] - 4;
        double square = a * a + b * b + c * c + d * d;
        if (square < *least)
            *least = square;
    }
}

static double nearest(const double *x, size_t n) {
    double least;
    search(x, n, &least);
    return least;
}

int main(void) {
    static double x[ALL], gradient[ALL];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < ALL; i++)
        x[i] = 0.5 - 0.001 * i;
    EXPECT_OK(verso_gradient(nearest, x, ALL, gradient, NULL, &report, &error));
    EXPECT_CLOSE(gradient[0], 2 * (x[0] - 1));
    EXPECT_CLOSE(gradient[3], 2 * (x[3] - 4));
    EXPECT(gradient[ALL - 1] == 0, "%g", gradient[ALL - 1]);
    EXPECT(report.tape_bytes < POINTS * 2, "%zu bytes of tape", report.tape_bytes);
    printf(failed ? "\n" : " %zu bytes of tape\n", report.tape_bytes);
    return failed;
}
