/* Single calls that the source marks: of the calls of `run` the first is always checkpointed, the second never, the
 * third as one likes. The last two of `cheap` go against what the function says. Functions are small, so that every
 * other call of theirs is inlined. */
#include <stdio.h>
#include <verso/native.h>

enum { N = 40 };

static double run(double x, const double *by) {
    for (int i = 0; i < N; i++)
        x = 0.5 * x + 0.25 * x * x * by[i % 2];
    return x;
}

static VERSO_NOCHECKPOINT double cheap(double x) {
    return x * x - 0.3 * x;
}

static void change(double *x) {
    *x = 0.5 * *x + *x * *x;
}

static double f(const double *x, size_t n) {
    const double by[2] = {1, 0.5};
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double y = VERSO_CHECKPOINT_CALL(run)(cheap(x[i]), by);
        y = VERSO_NOCHECKPOINT_CALL(run)(y, by);
        y += run(y, by);
        VERSO_CHECKPOINT_CALL(change)(&y);
        VERSO_NOCHECKPOINT_CALL(change)(&y);
        sum += VERSO_CHECKPOINT_CALL(cheap)(y);
    }
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
