/* A run that writes to variables of its caller, and of the caller's caller: a context, a counter, a clock that is
 * passed by address. Within every budget and under every schedule it finds them as it left them; what others write to
 * that stack meanwhile stays. */
#define _XOPEN_SOURCE 700
#include "expect.h"

#include "../../support/cuts.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { CELLS = 20, STEPS = 400 };

typedef struct model {
    double *clock; /* of the caller's caller */
    double state[CELLS], sum;
    int steps;
} model;

static void run(void *context) {
    model *m = context;
    for (int step = 0; step < STEPS; step++) {
        *m->clock += 0.01;
        m->steps++;
        for (int i = 0; i < CELLS; i++)
            m->state[i] += 0.01 * sin(m->state[(i + 1) % CELLS] + *m->clock) * (1 + m->steps % 3);
    }
    m->sum = 0;
    for (int i = 0; i < CELLS; i++)
        m->sum += m->state[i] * m->state[i];
}

typedef struct answer {
    double by_state[CELLS], sum, clock;
    int steps;
} answer;

static void count_call(void *context, const verso_progress *progress) {
    (void)progress;
    ++*(int *)context;
}

__attribute__((noinline)) static answer differentiate(const verso_native_options *options, double *clock,
                                                      const char *what, bool counted) {
    answer answer;
    int calls = 0; /* of Verso, on this stack, too: it is not put back */
    memset(&answer, 0, sizeof answer);
    model m = {.clock = clock};
    double one = 1;
    verso_run_options run_options;
    verso_native_options chosen = *options;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < CELLS; i++)
        m.state[i] = 0.1 * i;
    *clock = 0;
    if (counted) {
        verso_run_options_init(&run_options);
        run_options.progress = count_call;
        run_options.progress_context = &calls;
        verso_schedule_spec_init(&run_options.spec, VERSO_KIND_ONLINE);
        run_options.spec.slots = 4;
        chosen.run = &run_options;
        chosen.leaf = 20000;
    }
    verso_array wrt = {m.state, CELLS, VERSO_SCALAR_DOUBLE, answer.by_state},
                of = {&m.sum, 1, VERSO_SCALAR_DOUBLE, &one};
    verso_status status = verso_vjp(run, &m, &wrt, 1, &of, 1, &chosen, &report, &error);
    if (status == VERSO_STATUS_IMPOSSIBLE)
        return answer;
    EXPECT(status == VERSO_STATUS_OK, "%s: %s", what, error.message);
    EXPECT(!counted || calls > 0, "%s: progress was not called", what);
    answer.sum = m.sum, answer.clock = *clock, answer.steps = m.steps;
    return answer;
}

static void expect_same(const answer *first, const verso_native_options *options, const char *what, bool counted) {
    double clock;
    answer again = differentiate(options, &clock, what, counted);
    if (again.steps != 0)
        EXPECT(memcmp(first, &again, sizeof again) == 0, "%s: %.17g, %.17g instead of %.17g, %.17g; %d steps", what,
               again.sum, again.by_state[0], first->sum, first->by_state[0], again.steps);
}

/* All runs of a check begin with the same clock, and leave it as it was. */
__attribute__((noinline)) static void check(double *clock) {
    model m = {.clock = clock};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    for (int i = 0; i < CELLS; i++)
        m.state[i] = 0.1 * i;
    *clock = 0.5;
    verso_array wrt = {m.state, CELLS, VERSO_SCALAR_DOUBLE, NULL}, of = {&m.sum, 1, VERSO_SCALAR_DOUBLE, NULL};
    verso_check_options how = {.size = sizeof(verso_check_options),
                               .within =
                                   &(verso_native_options){.size = sizeof(verso_native_options), .memory = 600000}};
    verso_status status = verso_check(run, &m, &wrt, 1, &of, 1, &how, &report, &error);
    EXPECT(status == VERSO_STATUS_OK && report.holds, "a check: %s; value %d, dot %d, taylor %d, cuts %d, budget %d",
           error.message, report.value_holds, report.dot_holds, report.taylor_holds, report.cuts_hold,
           report.within_holds);
    EXPECT(*clock == 0.5 && m.steps == 0, "a check leaves a clock at %g, %d steps", *clock, m.steps);
}

/* Opens it from another frame than it goes on from. */
__attribute__((noinline)) static verso_execution *begin(model *m) {
    verso_execution *execution;
    verso_error error = {0};
    verso_status status = verso_execution_open(run, m, NULL, 0, &execution, &error);
    EXPECT(status == VERSO_STATUS_OK, "an execution: %s", error.message);
    return execution;
}

/* A run that is resumed from a copy finds its caller's variables as they were at the copy. Globals are restored, too,
 * and with them the counter of EXPECT; so the results are checked at the end. */
__attribute__((noinline)) static void execute(double *clock, bool elsewhere) {
    model m = {.clock = clock};
    verso_execution *execution = NULL;
    verso_execution_copy *copy = NULL;
    verso_error error = {0};
    bool ended = false, same = true;
    int resumed = 0; /* of this frame, too, which a copy has nothing to do with */
    *clock = 0;
    for (int i = 0; i < CELLS; i++)
        m.state[i] = 0.1 * i;
    if (elsewhere)
        execution = begin(&m);
    else
        (void)verso_execution_open(run, &m, NULL, 0, &execution, &error);
    if (execution == NULL)
        return;
    verso_status status = verso_execution_run(execution, 100, NULL, &ended, &error);
    if (status == VERSO_STATUS_OK)
        status = verso_execution_capture(execution, &copy, &error);
    int steps = m.steps;
    double then = *clock, sum = 0;
    for (; resumed < 3 && status == VERSO_STATUS_OK; resumed++) {
        status = verso_execution_run(execution, UINT64_MAX, NULL, &ended, &error);
        same = same && ended && m.steps == STEPS && (resumed == 0 || m.sum == sum);
        sum = m.sum;
        verso_execution_resume(execution, copy);
        same = same && m.steps == steps && *clock == then;
    }
    verso_execution_copy_free(copy);
    verso_execution_close(execution);
    EXPECT(status == VERSO_STATUS_OK && resumed == 3, "an execution, resumed %d times: %s", resumed, error.message);
    EXPECT(steps > 0 && steps < STEPS, "a copy at %d steps", steps);
    EXPECT(same, "resumed at %d steps, %g instead of %d, %g", m.steps, *clock, steps, then);
}

int main(void) {
    static const char *const kinds[] = {
        "store-all",      "revolve,slots=3", "treeverse,space=3",           "disk,slots=3",
        "online,slots=3", "mixed,slots=3",   "two-level,slots=3,distance=9"};
    double clock;
    answer first = differentiate(&(verso_native_options)VERSO_NATIVE_OPTIONS_INIT, &clock, "in a single pass", false);
    EXPECT(first.steps == STEPS && fabs(first.clock - 4) < 1e-9, "%d steps, %g", first.steps, first.clock);
    for (unsigned cuts = 1; cuts < 400; cuts *= 4)
        expect_same(&first, cut_at(cuts, cuts), "cut", false);
    for (size_t memory = 200000; memory < 2000000; memory += memory / 2)
        expect_same(&first, &(verso_native_options){.size = sizeof(verso_native_options), .memory = memory},
                    "within a budget", false);
    expect_same(&first, &(verso_native_options)VERSO_NATIVE_OPTIONS_INIT, "with progress", true);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s,leaf=20000", kinds[i]);
        setenv("VERSO_SCHEDULE", text, 1);
        expect_same(&first, &(verso_native_options)VERSO_NATIVE_OPTIONS_INIT, text, false);
    }
    unsetenv("VERSO_SCHEDULE");
    check(&clock);
    execute(&clock, false);
    execute(&clock, true);
    printf("\n");
    return failed;
}
