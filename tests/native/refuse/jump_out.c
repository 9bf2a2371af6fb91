/* refused: run
 * main: own
 * message: (longjmp|long jump)
 * A long jump to a frame below the differentiated call. */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <verso/native.h>

static jmp_buf outside;

static double f(const double *x, size_t n) {
    double u = sin(x[0]) * x[n - 1];
    if (u > 0)
        longjmp(outside, 1);
    return u;
}

int main(void) {
    double x[2] = {0.7, 1.1}, gradient[2];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    if (setjmp(outside) != 0) {
        printf("the jump went through\n");
        return 1;
    }
    verso_status status = verso_gradient(f, x, 2, gradient, NULL, &report, &error);
    printf("%s\n", error.message);
    return status == VERSO_STATUS_INVALID ? 0 : 1;
}
