/* refused: run
 * main: own
 * compiler: plain
 * message: not linked by `verso cc`
 * A program that was built by another compiler and linked with Verso's library. */
#include <stdio.h>
#include <verso/native.h>

static double f(const double *x, size_t n) {
    return x[0] * x[n - 1];
}

int main(void) {
    double x[2] = {0.7, 1.1}, gradient[2];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    verso_status status = verso_gradient(f, x, 2, gradient, NULL, &report, &error);
    printf("%s\n", error.message);
    return status == VERSO_STATUS_INVALID ? 0 : 1;
}
