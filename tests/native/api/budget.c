/* Memory budgets: by an option, by the environment, with a schedule; what is reported; what is refused; and that they
 * are about gradients alone. */
#include "expect.h"

#include "../../support/cuts.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verso/native.h>

static double calls; /* the program's memory is as after one run */

static double f(const double *x, size_t n) {
    double *state = malloc(100 * sizeof *state), sum = 0;
    calls++;
    for (int i = 0; i < 100; i++)
        state[i] = x[(size_t)i % n];
    for (int k = 0; k < 3000; k++)
        for (int i = 1; i < 100; i++)
            state[i] += 0.001 * sin(state[i - 1] * state[i]);
    for (int i = 0; i < 100; i++)
        sum += state[i];
    free(state);
    return sum;
}

static const double x[3] = {0.7, 1.1, 0.25};
static double whole[3];

static void expect_same(const char *what, const verso_native_options *options, verso_native_report *report) {
    double gradient[3], before = calls;
    EXPECT(verso_gradient(f, x, 3, gradient, options, report, &error) == VERSO_STATUS_OK, "%s: %s", what,
           error.message);
    EXPECT(memcmp(gradient, whole, sizeof whole) == 0, "%s: other bits", what);
    EXPECT(calls == before + 1, "%s: %g runs show", what, calls - before);
}

static void options_say_how(void) {
    static verso_run_report made = VERSO_RUN_REPORT_INIT;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_native_options options = {.size = sizeof(verso_native_options), .memory = 600000, .run_report = &made};
    expect_same("600 kB", &options, &report);
    EXPECT(report.budget_bytes == 600000 && report.peak_bytes <= 600000, "%zu bytes", report.peak_bytes);
    EXPECT(report.steps > 1 && report.leaf_bytes > 0 && report.capsules > 0, "steps, leaf, capsules");
    EXPECT(report.forward_steps >= report.steps - 1 && report.recordings == report.steps, "forward steps, recordings");
    EXPECT(strncmp(report.schedule, "online: ", 8) == 0, "schedule %s", report.schedule);
    EXPECT(made.done && made.predicted.steps == report.steps && strlen(made.reason) > 0, "the run report");
    EXPECT(made.memory_peak == report.peak_bytes && made.memory_budget == 600000, "memory in the run report");
    options.memory = 100000000;
    expect_same("100 MB", &options, &report);
    EXPECT(strcmp(report.schedule, "single pass") == 0 && report.steps == 1, "schedule %s", report.schedule);
    EXPECT(made.done && made.predicted.recorded_steps.low == 1, "the run report in a single pass");
    options.memory = 1000;
    double before = calls;
    EXPECT(verso_gradient(f, x, 3, (double[3]){0}, &options, &report, &error) == VERSO_STATUS_IMPOSSIBLE, "1 kB does");
    EXPECT(calls == before, "a failure leaves %g runs", calls - before);
    EXPECT(strstr(error.message, "at least"), "%s", error.message);
    verso_run_options run;
    verso_run_options_init(&run);
    run.spec.slots = 5;
    options = (verso_native_options){.size = sizeof(verso_native_options), .leaf = 50000, .run = &run};
    expect_same("revolve", &options, &report);
    EXPECT(strstr(report.schedule, "revolve: ") && strstr(report.schedule, ", 5 slots"), "%s", report.schedule);
}

static void environment_says_how(void) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double tangent, gradient[3];
    setenv("VERSO_MEMORY", "600k", 1);
    expect_same("VERSO_MEMORY", NULL, &report);
    EXPECT(report.budget_bytes == 600000 && report.steps > 1, "VERSO_MEMORY says nothing");
    setenv("VERSO_SCHEDULE", "mixed,leaf=30k", 1);
    expect_same("VERSO_SCHEDULE", NULL, &report);
    EXPECT(strncmp(report.schedule, "mixed", 5) == 0 && report.leaf_bytes == 30000, "%s", report.schedule);
    setenv("VERSO_REPORT", "report.json", 1);
    expect_same("VERSO_REPORT", NULL, &report);
    EXPECT(access("report.json", R_OK) == 0, "no report");
    setenv("VERSO_MEMORY", "some", 1);
    verso_status status = verso_gradient(f, x, 3, gradient, NULL, &report, &error);
    EXPECT(status == VERSO_STATUS_INVALID && strstr(error.message, "VERSO_MEMORY: 'some'"), "%s", error.message);
    EXPECT(verso_directional(f, x, 3, x, &tangent, &report, &error) == VERSO_STATUS_OK, "tangent mode: %s",
           error.message);
    expect_same("cuts", cut_at(3, 0), &report);
    unsetenv("VERSO_MEMORY");
    unsetenv("VERSO_SCHEDULE");
    setenv("VERSO_REPORT", "none/report.html", 1);
    status = verso_gradient(f, x, 3, gradient, NULL, &report, &error);
    EXPECT(status == VERSO_STATUS_IO && strstr(error.message, "the report: cannot create"), "%s", error.message);
    unsetenv("VERSO_REPORT");
}

static void checks_look_at_budgets(void) {
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_native_options within = {.size = sizeof(verso_native_options), .memory = 600000};
    verso_native_report made = VERSO_NATIVE_REPORT_INIT;
    verso_check_options options = {.size = sizeof(verso_check_options), .within = &within, .within_report = &made};
    EXPECT(verso_check_gradient(f, x, 3, &options, &report, &error) == VERSO_STATUS_OK, "%s", error.message);
    EXPECT(report.holds && report.within && report.within_holds && made.steps > 1, "a check in 600 kB");
    EXPECT(verso_check_gradient(f, x, 3, NULL, &report, &error) == VERSO_STATUS_OK && report.holds && !report.within,
           "a check");
}

int main(void) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, whole, NULL, &report, &error));
    EXPECT(strcmp(report.schedule, "single pass") == 0 && report.budget_bytes == 0, "without a budget");
    options_say_how();
    environment_says_how();
    checks_look_at_budgets();
    printf(failed ? "\n" : " budgets\n");
    return failed;
}
