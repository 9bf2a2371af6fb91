/* Calls that the source marks: those of `cheap` are never checkpointed, those of `long_run` always, those of
 * `free_call` as one likes. */
#include <stdio.h>
#include <verso/native.h>

enum { N = 50 };

static VERSO_NOCHECKPOINT double cheap(double x) {
    return x * x - 0.3 * x;
}

static __attribute__((noinline)) double free_call(double x) {
    for (int i = 0; i < N; i++)
        x = 0.5 * x + 0.25 * cheap(x);
    return x;
}

VERSO_CHECKPOINT double long_run(double x);
double long_run(double x) {
    for (int i = 0; i < N; i++)
        x = 0.9 * free_call(x) + 0.1 * cheap(x);
    return x;
}

static double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += long_run(x[i]);
    return sum;
}

int main(void) {
    double x[N], gradient[N], sum = 0;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    for (int i = 0; i < N; i++)
        x[i] = 0.01 * i;
    if (verso_gradient(f, x, N, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return fprintf(stderr, "%s\n", error.message), 3;
    for (int i = 0; i < N; i++)
        sum += gradient[i];
    printf("%.17g %.17g\n", report.value, sum);
    return 0;
}
