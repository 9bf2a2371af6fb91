/* foreign: keeper.c
 * The log of foreign calls is part of a budget: a run with many of them keeps to it, with the bits of a single pass,
 * because a long log is in a file. For a budget that is too small the least is named, which suffices. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

int keeper_next(void);
void keeper_begin(void);

enum { INPUTS = 400, STEPS = 200, CALLS = 2000 };

static const uint64_t BUDGET = 3000000, BESIDE = 2000000;

static double state[INPUTS];

static double run(const double *x, size_t n) {
    double sum = 0;
    memcpy(state, x, n * sizeof *x);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < CALLS; i++)
            state[i % INPUTS] += 1e-9 * sin(state[(i + 1) % INPUTS]) * keeper_next();
        sum += state[step % INPUTS];
    }
    return sum;
}

static double peak_bytes(void) {
    char line[256];
    double kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    return 1024 * kilobytes;
}

int main(void) {
    static double x[INPUTS], gradient[INPUTS], whole[INPUTS];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < INPUTS; i++)
        x[i] = 0.5 + 1e-3 * i;
    keeper_begin();
    double value = run(x, INPUTS), before = peak_bytes();
    for (int i = 0; i < 2; i++) {
        keeper_begin();
        verso_native_options options = {.size = sizeof(verso_native_options), .memory = BUDGET};
        EXPECT_OK(verso_gradient(run, x, INPUTS, gradient, &options, &report, &error));
        EXPECT(report.steps > 1 && report.value == value, "%s: %.17g instead of %.17g", report.schedule, report.value,
               value);
        EXPECT(report.peak_bytes <= BUDGET && BUDGET < (uint64_t)STEPS * CALLS * 24, "%zu bytes in all",
               (size_t)report.peak_bytes);
        EXPECT(peak_bytes() - before <= (double)(BUDGET + BESIDE), "%.0f bytes beyond a plain run's",
               peak_bytes() - before);
    }
    keeper_begin();
    EXPECT_OK(verso_gradient(run, x, INPUTS, whole, NULL, &report, &error));
    EXPECT(memcmp(whole, gradient, sizeof whole) == 0, "other bits");
    const char *least = NULL;
    for (uint64_t memory = 1; memory != 0; memory = least ? strtoull(least + strlen("at least "), NULL, 10) : 0) {
        verso_native_options little = {.size = sizeof(verso_native_options), .memory = memory};
        keeper_begin();
        verso_status status = verso_gradient(run, x, INPUTS, gradient, &little, &report, &error);
        EXPECT(status == (least ? VERSO_STATUS_OK : VERSO_STATUS_IMPOSSIBLE), "within %llu: %d, %s",
               (unsigned long long)memory, (int)status, error.message);
        least = least ? NULL : strstr(error.message, "at least ");
    }
    EXPECT(memcmp(whole, gradient, sizeof whole) == 0, "other bits within the least budget");
    printf(failed ? "\n" : " the log within the budget\n");
    return failed;
}
