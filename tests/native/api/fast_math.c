/* flags: -Ofast
 * With fast-math a compiler adds in an order of its own. Here branches hang on the last bits of sums, so that
 * recording, advancing and tangent versions that add differently go different ways: they must not. And denormal numbers
 * are zero in all of them, as they are in a program that is linked with -Ofast. */
#include "../../support/cuts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <verso/native.h>

enum { N = 256, STEPS = 300 };

static double f(const double *x, size_t n) {
    double u[N], total = 0;
    for (size_t i = 0; i < N; i++)
        u[i] = x[i % n] + 0.001 * (double)i;
    for (int t = 0; t < STEPS; t++) {
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += u[i] * u[i];
        double last = sum * 1e13 - floor(sum * 1e13);
        if (last < 0.5)
            for (int i = 0; i < N; i++)
                u[i] = 0.5 + 0.3 * sin(u[i] + 0.001 * sum);
        else
            for (int i = 1; i < N; i++)
                u[i] = u[i - 1] * 0.3 + u[i] * 0.69 + 0.01;
        total += u[t % N];
    }
    return total;
}

static double tiny(const double *x, size_t n) {
    double product = 1;
    for (size_t i = 0; i < n; i++)
        product *= x[i];
    return product * 1e300 + x[0] * 1e150;
}

static int compare(const double *x, const double *gradient, double value, const verso_native_options *options) {
    double again[3];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    if (verso_gradient(f, x, 3, again, options, &report, &error) != VERSO_STATUS_OK)
        return printf("%s\n", error.message);
    if (memcmp(again, gradient, sizeof again) == 0 && report.value == value)
        return 0;
    return printf("%.17g instead of %.17g, or another gradient\n", report.value, value);
}

int main(void) {
    int wrong = 0;
    double gradient[3], tangent;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    for (int k = 0; k < 3; k++) {
        const double x[3] = {0.3 + 0.01 * k, 0.4 - 0.003 * k, 0.7};
        if (verso_gradient(f, x, 3, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
            return puts(error.message), 1;
        double value = report.value;
        wrong += compare(
            x, gradient, value,
            &(verso_native_options){.size = sizeof(verso_native_options), .memory = (uint64_t)(1000000 + 100000 * k)});
        wrong += compare(x, gradient, value, cut_at(7, (uint64_t)k + 1));
        if (verso_directional(f, x, 3, (double[]){1, 1, 1}, &tangent, &report, &error) != VERSO_STATUS_OK)
            return puts(error.message), 1;
        if (report.value != value)
            wrong += printf("tangent mode: %.17g instead of %.17g\n", report.value, value);
    }
    const double small[3] = {1e-160, 1e-150, 0.5};
    if (verso_gradient(tiny, small, 3, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return puts(error.message), 1;
    if (fabs(report.value - 1e-10) > 1e-20) /* 1.5e-10 where denormal numbers are kept */
        wrong += printf("denormal: %.17g\n", report.value);
    return wrong != 0;
}
