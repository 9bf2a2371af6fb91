/* flags: --verso-inactive=norm,absent --verso-inactive=largest
 * link: --verso-inactive=largest
 * Functions of the program that --verso-inactive declares inactive when their file is compiled: clang does not inline
 * them, and the object file passes the names on to the link. The option may be given when linking, too. */
#include "expect.h"

#include <stddef.h>
#include <verso/native.h>

static double norm(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double largest(const double *x, size_t n) {
    return n > 1 && x[1] > x[0] ? x[1] : x[0];
}

static double f(const double *x, size_t n) {
    return norm(x, n) * x[0] + largest(x, n) * x[1];
}

int main(void) {
    double x[2] = {3, 4}, gradient[2];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 2, gradient, NULL, &report, &error));
    EXPECT_CLOSE(gradient[0], 5.0);
    EXPECT_CLOSE(gradient[1], 4.0);
    return failed;
}
