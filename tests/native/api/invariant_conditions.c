/* A product of matrices with an optional term, whose condition is the same in all iterations, is recorded as one
 * without: what it reads is copied, not recorded use by use. */
#include "expect.h"

#include <string.h>
#include <verso/native.h>

enum { ROWS = 40, INS = 30, OUTS = 20, ALL = ROWS * INS + OUTS * INS + OUTS };

__attribute__((noinline)) static void multiply(double *out, const double *in, const double *w, const double *bias,
                                               int ins, int outs) {
    for (int t = 0; t < ROWS; t++)
        for (int o = 0; o < outs; o++) {
            double sum = bias ? bias[o] : 0;
            for (int i = 0; i < ins; i++)
                sum += in[t * ins + i] * w[o * ins + i];
            out[t * outs + o] = sum;
        }
}

static double products(const double *x, size_t n) {
    double out[ROWS * OUTS], back[ROWS * INS], numbers[ALL], *w = numbers + ROWS * INS, sum = 0;
    memcpy(numbers, x, n * sizeof *x);
    multiply(out, numbers, w, w + OUTS * INS, INS, OUTS);
    multiply(back, out, w, NULL, OUTS, INS);
    for (int i = 0; i < ROWS * INS; i++)
        sum += back[i] * (i % 3);
    return sum;
}

int main(void) {
    static double x[ALL], gradient[ALL];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < ALL; i++)
        x[i] = (double)(i % 7) - 2.5;
    EXPECT_OK(verso_gradient(products, x, ALL, gradient, NULL, &report, &error));
    double expected = 0; /* of x[0]: it is in the first row of both results */
    for (int o = 0; o < OUTS; o++)
        for (int i = 0; i < INS; i++)
            expected += (i % 3) * x[ROWS * INS + o * INS] * x[ROWS * INS + i * OUTS + o];
    EXPECT_CLOSE(gradient[0], expected);
    EXPECT(report.tape_bytes < 2 * 1.2 * ALL * sizeof(double), "%zu bytes of tape", report.tape_bytes);
    printf(failed ? "\n" : " %zu bytes of tape\n", report.tape_bytes);
    return failed;
}
