/* Progress of a first sweep whose length the run does not know: the first gradient shows steps only; the second one of
 * the same function knows about how long it will be, and shows a share that grows and is right at the end. A caller may
 * know it, too. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { CELLS = 2000 };

static int steps = 5000;

static double diffuse(const double *x, size_t n) {
    double *u = malloc(CELLS * sizeof *u), sum = 0;
    for (int i = 0; i < CELLS; i++)
        u[i] = x[(size_t)i % n];
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < CELLS; i++)
            u[i] += 0.1 * sin(u[i]) * u[i + 1 < CELLS ? i + 1 : 0] - 0.05 * u[i];
    for (int i = 0; i < CELLS; i++)
        sum += u[i];
    free(u);
    return sum;
}

/* What the first sweep shows. After the gradient, the program's variables are as the run left them, so that what the
 * reverse sweep writes there is lost. */
static struct {
    int unknown, estimated; /* reports of the first sweep without and with an estimate */
    double first, last;     /* estimated shares of the work */
    uint64_t estimate;
} seen;

static void look(void *context, const verso_progress *progress) {
    (void)context;
    if (progress->steps != VERSO_UNKNOWN)
        return;
    if (progress->work_total == 0) {
        seen.unknown++;
        return;
    }
    double share = (double)progress->work_done / (double)progress->work_total;
    EXPECT(share >= seen.last && share < 1, "%g after %g", share, seen.last);
    seen.first = seen.estimated++ == 0 ? share : seen.first;
    seen.last = share;
    seen.estimate = progress->work_total;
}

/* Returns the work of the schedule: forward and reversed steps. */
static double differentiate(uint64_t expected) {
    double x[3] = {0.3, 0.4, 0.5}, gradient[3];
    verso_run_options run;
    verso_run_options_init(&run);
    run.automatic = true;
    run.progress = look;
    run.steps_expected = expected;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    memset(&seen, 0, sizeof seen);
    EXPECT_OK(verso_gradient(
        diffuse, x, 3, gradient,
        &(verso_native_options){.size = sizeof(verso_native_options), .memory = UINT64_C(8) << 20, .run = &run},
        &report, &error));
    EXPECT(report.steps > 10, "%d steps", (int)report.steps);
    return (double)(report.forward_steps + report.steps);
}

int main(void) {
    differentiate(0);
    EXPECT(seen.unknown > 0 && seen.estimated == 0, "%d reports, %d with a share", seen.unknown, seen.estimated);
    double work = differentiate(0);
    EXPECT(seen.estimated > 0, "%d reports without a share", seen.unknown);
    EXPECT(fabs((double)seen.estimate - work) < 0.1 * work, "%g steps instead of %g", (double)seen.estimate, work);
    steps /= 2; /* another length: the estimate is wrong, but the run goes on */
    differentiate(0);
    steps *= 8; /* a fast processor reports seldom */
    differentiate(0);
    EXPECT(seen.estimated > 0 && seen.unknown > 0, "longer than expected: %d with a share, %d without", seen.estimated,
           seen.unknown);
    differentiate(1000000);
    EXPECT(seen.estimated > 0 && seen.unknown == 0 && seen.last < 0.5, "%d with the caller's estimate, %d without",
           seen.estimated, seen.unknown);
    return failed;
}
