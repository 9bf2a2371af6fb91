/* verso_frozen: the value without its derivative, in all three types, in reverse and tangent mode, cut and within
 * budgets; through memory, loops and calls. */
#include "../../support/cuts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <verso/native.h>

enum { N = 4 };

static float single(float x) {
    return verso_frozen(x * 2) * x;
}

static long double wide(long double x) {
    return verso_frozen(x * x) + x;
}

/* A number that is stored, read and used again. */
static double by_memory(const double *x, size_t n) {
    double kept[N], sum = 0;
    for (size_t i = 0; i < n; i++)
        kept[i % N] = verso_frozen(x[i] * x[i]);
    for (size_t i = 0; i < n; i++)
        sum += kept[i % N] * sin(x[i]);
    return sum;
}

static double f(const double *x, size_t n) {
    double step = 0.01, y = x[0];
    for (int i = 0; i < 300; i++) { /* the step follows y, its derivative does not */
        step = 0.01 * verso_frozen(1 / (1 + fabs(y)));
        y += step * (x[1] - y);
    }
    return y + by_memory(x, n) + single((float)x[2]) + (double)wide(x[3]) + verso_frozen(x[0]);
}

/* The same with the derivative of y by hand. */
static void by_hand(const double *x, double *gradient) {
    double step, y = x[0], by_x0 = 1, by_x1 = 0;
    for (int i = 0; i < 300; i++) {
        step = 0.01 * (1 / (1 + fabs(y)));
        by_x0 -= step * by_x0;
        by_x1 += step * (1 - by_x1);
        y += step * (x[1] - y);
    }
    for (int i = 0; i < N; i++)
        gradient[i] = x[i] * x[i] * cos(x[i]);
    gradient[0] += by_x0;
    gradient[1] += by_x1;
    gradient[2] += (float)x[2] * 2;
    gradient[3] += 1;
}

static int differ(const double *a, const double *b, const char *what) {
    for (int i = 0; i < N; i++) {
        if (fabs(a[i] - b[i]) <= 1e-12 * (1 + fabs(b[i])))
            continue;
        printf("%s: derivative %d is %.17g instead of %.17g\n", what, i, a[i], b[i]);
        return 1;
    }
    return 0;
}

int main(void) {
    const double x[N] = {0.3, 1.7, -0.75, 2.5};
    double expected[N], gradient[N], again[N], tangent, dot = 0;
    const double direction[N] = {0.4, -1, 0.7, 0.2};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    by_hand(x, expected);
    if (verso_gradient(f, x, N, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return puts(error.message), 1;
    int wrong = differ(gradient, expected, "reverse");
    if (report.value != f(x, N))
        wrong += printf("the value is %.17g instead of %.17g\n", report.value, f(x, N));
    if (verso_directional(f, x, N, direction, &tangent, &report, &error) != VERSO_STATUS_OK)
        return puts(error.message), 1;
    for (int i = 0; i < N; i++)
        dot += expected[i] * direction[i];
    if (fabs(dot - tangent) > 1e-6) /* the cells of floats are floats */
        wrong += printf("tangent mode says %.17g instead of %.17g\n", tangent, dot);
    verso_run_options run;
    verso_run_options_init(&run);
    verso_schedule_spec_init(&run.spec, VERSO_KIND_REVOLVE);
    run.spec.slots = 3;
    const size_t size = sizeof(verso_native_options);
    const verso_native_options budget = {.size = size, .memory = 1 << 20},
                               scheduled = {.size = size, .run = &run, .leaf = 1024};
    for (size_t i = 0; i < 4; i++) {
        const verso_native_options *way = i == 0   ? cut_at(UINT64_MAX, 0)
                                          : i == 1 ? cut_at(5, 2)
                                          : i == 2 ? &budget
                                                   : &scheduled;
        if (verso_gradient(f, x, N, again, way, &report, &error) != VERSO_STATUS_OK)
            return puts(error.message), 1;
        if (memcmp(again, gradient, sizeof gradient) != 0)
            wrong += printf("way %zu: other bits\n", i);
    }
    return wrong;
}
