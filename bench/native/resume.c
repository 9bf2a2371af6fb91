/* See resume.h. */
#include "bench/native/resume.h"
#include "bench/support/child.h"
#include "bench/support/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { TURNS = 20000, REPEATS = 5 };

static __attribute__((noinline)) double nudge(double x) {
    return x * 0.999 + 0.001 * x * x;
}

/* A loop below some calls. Each call has something left to do after the next one returns, so that no call is removed.
 * (In a loop without calls, a step would be many iterations.) */
static __attribute__((noinline)) double descend(double x, int depth) {
    if (depth > 0)
        return sin(descend(x, depth - 1));
    for (long i = 0; i < 1000000000; i++)
        x = nudge(x);
    return x;
}

static void run(void *context) {
    double *x = context;
    *x = descend(*x, BENCH_DEPTH);
}

static void advance(verso_execution *execution, uint64_t steps) {
    bool ended;
    verso_error error;
    if (verso_execution_run(execution, steps, NULL, &ended, &error) != VERSO_STATUS_OK)
        bench_fail("%s", error.message);
}

static verso_execution_copy *capture(verso_execution *execution) {
    verso_execution_copy *copy;
    verso_error error;
    if (verso_execution_capture(execution, &copy, &error) != VERSO_STATUS_OK)
        bench_fail("%s", error.message);
    return copy;
}

static double time_turns(verso_execution *execution, const verso_execution_copy *copy) {
    double began = bench_seconds();
    for (int i = 0; i < TURNS; i++) {
        verso_execution_resume(execution, copy);
        advance(execution, 1);
        verso_execution_copy_free(capture(execution));
    }
    return (bench_seconds() - began) / TURNS;
}

static double time_copies(size_t bytes) {
    char *volatile from = bench_alloc(bytes, 1), *volatile to = bench_alloc(bytes, 1);
    double began = bench_seconds();
    for (int i = 0; i < TURNS; i++) {
        memcpy(to, from, bytes);
        memcpy(from, to, bytes);
    }
    double seconds = (bench_seconds() - began) / TURNS;
    free(from);
    free(to);
    return seconds;
}

static void measure(const void *task, void *result) {
    bench_resumed *r = result;
    double x = 0.5;
    verso_array region = {&x, 1, VERSO_SCALAR_DOUBLE, &x};
    verso_execution *execution;
    verso_error error;
    (void)task;
    if (verso_execution_open(run, &x, &region, 1, &execution, &error) != VERSO_STATUS_OK)
        bench_fail("%s", error.message);
    advance(execution, 4 * BENCH_DEPTH); /* into the loop */
    verso_execution_copy *copy = capture(execution);
    *r = (bench_resumed){.seconds = INFINITY, .copying = INFINITY, .bytes = verso_execution_copy_size(copy)};
    for (int i = 0; i < REPEATS; i++) {
        r->seconds = fmin(r->seconds, time_turns(execution, copy));
        r->copying = fmin(r->copying, time_copies(r->bytes));
    }
    verso_execution_copy_free(copy);
    verso_execution_close(execution);
}

bench_resumed bench_time_resume(void) {
    bench_resumed r;
    if (!bench_in_child(measure, NULL, &r, sizeof r))
        bench_fail("resuming could not be measured");
    return r;
}
