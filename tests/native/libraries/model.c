/* A library that differentiates its own functions. The script compiles it several times, with another SCALE each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

static double scale = SCALE;
static double *kept; /* in the heap, and filled by a constructor and by plain calls */
enum { KEPT = 4 };

__attribute__((constructor)) static void prepare(void) {
    kept = calloc(KEPT, sizeof *kept);
}

void model_set(double value) {
    scale = value;
    for (int i = 0; i < KEPT; i++)
        kept[i] = i * value;
}

double model_value(const double *x, size_t n) {
    double sum = 0, *work = malloc(n * sizeof *work);
    for (size_t i = 0; i < n; i++)
        work[i] = scale * sin(x[i]) + kept[i % KEPT];
    for (size_t i = 0; i < n; i++)
        sum += work[i] * work[i];
    free(work);
    return sum;
}

/* Long enough for a budget to divide it. */
static double march(const double *x, size_t n) {
    double u[32], sum = 0;
    for (int i = 0; i < 32; i++)
        u[i] = x[i % n] * scale;
    for (int step = 0; step < 3000; step++)
        for (int i = 0; i < 32; i++)
            u[i] += 1e-3 * sin(u[(i + 1) % 32]) * x[0];
    for (int i = 0; i < 32; i++)
        sum += u[i] * u[i];
    return sum;
}

verso_status model_gradient(const double *x, size_t n, double *gradient, verso_error *error) {
    return verso_gradient(model_value, x, n, gradient, NULL, NULL, error);
}

verso_status model_march(const double *x, size_t n, double *gradient, size_t memory, const verso_run_options *run,
                         verso_native_report *report, verso_error *error) {
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    options.memory = memory;
    options.run = run;
    return verso_gradient(march, x, n, gradient, &options, report, error);
}

static void idle(void *context) {
    (void)context;
}

verso_status model_open(verso_execution **execution, verso_error *error) {
    return verso_execution_open(idle, NULL, NULL, 0, execution, error);
}

void model_close(verso_execution *execution) {
    verso_execution_close(execution);
}
