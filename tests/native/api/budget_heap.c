/* Several gradients of one function within a budget, beside a heap that is large: one like the one before copies
 * nothing of it, one that turns out to be longer is still recorded in a single pass if it fits, and if it does not, it
 * is right all the same. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { BALLAST = 8 << 20, CELLS = 300, BUDGET = 24000000 };

static int rounds;
static double calls; /* the program's memory is as after one run */
static double *state;

static double f(const double *x, size_t n) {
    double *next = malloc(CELLS * sizeof *next), sum = 0;
    calls++;
    for (int i = 0; i < CELLS; i++)
        state[i] = x[(size_t)i % n] * (1 + i % 7);
    for (int k = 0; k < rounds; k++) {
        for (int i = 0; i < CELLS; i++)
            next[i] = state[i] + 0.01 * sin(state[(i + 1) % CELLS] * state[i]) + 1e-6 * (rand() % 100);
        memcpy(state, next, CELLS * sizeof *next);
    }
    for (int i = 0; i < CELLS; i++)
        sum += state[i];
    free(next);
    return sum;
}

static const double x[3] = {0.7, 1.1, 0.25};

/* Compares the gradient within a budget, and the memory that it leaves, with those without a budget. */
static verso_native_report compare(const char *what, int length, uint64_t budget) {
    double whole[3] = {0}, gradient[3] = {0}, left[CELLS];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    rounds = length;
    srand(7);
    EXPECT(verso_gradient(f, x, 3, whole, NULL, &report, &error) == VERSO_STATUS_OK, "%s: %s", what, error.message);
    double value = report.value, before = calls;
    int drawn = rand();
    memcpy(left, state, sizeof left);
    srand(7);
    EXPECT(verso_gradient(f, x, 3, gradient,
                          &(verso_native_options){.size = sizeof(verso_native_options), .memory = budget}, &report,
                          &error) == VERSO_STATUS_OK,
           "%s: %s", what, error.message);
    EXPECT(memcmp(gradient, whole, sizeof whole) == 0 && report.value == value, "%s: other bits", what);
    EXPECT(memcmp(state, left, sizeof left) == 0 && rand() == drawn, "%s: other memory is left", what);
    EXPECT(calls == before + 1, "%s: %g runs show", what, calls - before);
    EXPECT(report.peak_bytes <= budget, "%s: %zu bytes", what, report.peak_bytes);
    return report;
}

int main(void) {
    char *ballast = malloc(BALLAST);
    state = malloc(CELLS * sizeof *state);
    for (int i = 0; i < BALLAST; i++)
        ballast[i] = (char)(i * 7 + (i >> 9));
    verso_native_report report = compare("the first", 10, BUDGET);
    EXPECT(strcmp(report.schedule, "single pass") == 0 && report.peak_bytes > BALLAST, "%s", report.schedule);
    for (int i = 0; i < 3; i++) {
        report = compare("like the one before", 10 + i, BUDGET);
        EXPECT(strcmp(report.schedule, "single pass") == 0, "%s", report.schedule);
        EXPECT(report.peak_bytes < BALLAST / 4, "the heap is copied: %zu bytes", report.peak_bytes);
        report = compare("one that is longer, and fits", 150 + i, BUDGET);
        EXPECT(strcmp(report.schedule, "single pass") == 0 && report.peak_bytes > BALLAST, "%s", report.schedule);
        report = compare("a longer one", 20000 + 1000 * i, BUDGET);
        EXPECT(report.steps > 2 && strcmp(report.schedule, "single pass") != 0, "%s", report.schedule);
        EXPECT(report.peak_bytes > BALLAST, "a copy of the heap is not counted: %zu bytes", report.peak_bytes);
        compare("a short one", 10, BUDGET); /* of which the one before says that it will be long */
        compare("another", 10, BUDGET);
    }
    printf(failed ? "\n" : " one after the other\n");
    return failed | (ballast[5] == 2);
}
