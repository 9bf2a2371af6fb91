/* A budget is kept by every gradient of a process, not only by the first: what the one before has freed is given back.
 */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { CELLS = 100000, STEPS = 150, GRADIENTS = 4 };

static const uint64_t BUDGET = UINT64_C(64) << 20, BESIDE = UINT64_C(16) << 20;

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

static double diffuse(const double *x, size_t n) {
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), sum = 0;
    memcpy(u, x, n * sizeof *u);
    for (int step = 0; step < STEPS; step++) {
        for (size_t i = 0; i < n; i++)
            v[i] = 0.5 * u[i] + 0.5 * u[i] * u[i + 1 < n ? i + 1 : 0];
        double *swap = u;
        u = v;
        v = swap;
    }
    for (size_t i = 0; i < n; i++)
        sum += u[i];
    free(u);
    free(v);
    return sum;
}

int main(void) {
    static double x[CELLS], gradient[CELLS], first[CELLS];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_native_options options = {.size = sizeof(verso_native_options), .memory = BUDGET};
    for (int i = 0; i < CELLS; i++)
        x[i] = 1 + 1e-3 * (i % 7);
    double sum = diffuse(x, CELLS), before = peak_bytes();
    for (int i = 0; i < GRADIENTS; i++) {
        EXPECT(verso_gradient(diffuse, x, CELLS, gradient, &options, &report, &error) == VERSO_STATUS_OK, "%s",
               error.message);
        EXPECT(report.steps > 1 && report.capsules > 5, "%d steps, %d capsules: not what was to be tested",
               (int)report.steps, (int)report.capsules);
        EXPECT(report.value == sum, "%g instead of %g", report.value, sum);
        if (i == 0)
            memcpy(first, gradient, sizeof first);
        EXPECT(memcmp(gradient, first, sizeof first) == 0, "another gradient");
        EXPECT(peak_bytes() - before <= (double)(BUDGET + BESIDE), "gradient %d: %.0f bytes beyond a plain run's", i,
               peak_bytes() - before);
    }
    return failed;
}
