/* foreign: keeper.c
 * Foreign functions that keep something: each call is made once, however often parts of the run are repeated, so value,
 * gradient and output are those of a single pass under every schedule and within every budget. */
#define _XOPEN_SOURCE 700
#include "expect.h"

#include "../../support/cuts.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verso/native.h>

typedef struct array {
    const char *name;
    double *data;
    size_t count;
} array;

int keeper_next(void); /* neither pointers nor numbers: nothing is declared */
VERSO_INACTIVE double keeper_force(void);
VERSO_INACTIVE void keeper_read(const char *path, array *into);
VERSO_INACTIVE void keeper_line(const char *format, double value);
VERSO_INACTIVE void keeper_each(void (*function)(void *, int), void *context, int count);
VERSO_INACTIVE const double *keeper_row(int i);
VERSO_PURE double keeper_table(const double *table, int i);
VERSO_PURE void keeper_scale(double *pair, double factor);
size_t keeper_lines(void);
void keeper_begin(void);
int keeper_calls(void);

enum { INPUTS = 12, STEPS = 300, LINES = STEPS / 10 };

static char path[64];
static double state[INPUTS];
static int visited;
static double heard;

static void visit(void *context, int i) { /* called back: changes a variable, and what it is handed */
    double *sum = context;
    visited += i;
    *sum += 0.25;
}

static double advance(int step, double *scratch) {
    array into = {"forcing", scratch, 2};
    keeper_read(path, &into);
    double force = keeper_force() + 0.01 * keeper_next() + scratch[0] * scratch[1];
    if (step % 10 == 0)
        keeper_line("%g", force);
    return force;
}

static double run(const double *x, size_t n) {
    double *scratch = calloc(2, sizeof *scratch), sum = 0;
    memcpy(state, x, n * sizeof *x);
    for (int step = 0; step < STEPS; step++) {
        double force = advance(step, scratch), pair[2], count = 0;
        keeper_scale(pair, 0.5);
        keeper_each(visit, &count, 2);
        for (size_t i = 0; i < n; i++)
            state[i] += 0.01 * force * sin(state[i]) * pair[1] + 1e-3 * count * keeper_table(x, step) * 0;
    }
    for (size_t i = 0; i < n; i++)
        sum += state[i] * state[i];
    heard = scratch[0];
    free(scratch);
    return sum;
}

static void make_file(void) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/verso-keeper-XXXXXX", folder != NULL && strlen(folder) < 40 ? folder : "/tmp");
    FILE *file = fdopen(mkstemp(path), "wb");
    for (int i = 0; i < 2 * STEPS; i++)
        fwrite(&(double){1.0 / (i + 1)}, sizeof(double), 1, file);
    fclose(file);
}

typedef struct answer {
    double value, gradient[INPUTS], heard;
    int visited;
} answer;

static answer differentiate(const verso_native_options *options, const char *what, bool may_refuse) {
    answer answer = {0};
    double x[INPUTS];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < INPUTS; i++)
        x[i] = 0.3 + 0.1 * i;
    keeper_begin();
    visited = 0;
    verso_status status = verso_gradient(run, x, INPUTS, answer.gradient, options, &report, &error);
    if (status == VERSO_STATUS_IMPOSSIBLE && may_refuse)
        return answer;
    EXPECT(status == VERSO_STATUS_OK, "%s: %s", what, error.message);
    EXPECT(keeper_lines() == LINES, "%s: %zu lines were printed", what, keeper_lines());
    EXPECT(options == NULL || report.steps > 1 || report.budget_bytes > 0, "%s: it was not repeated", what);
    answer.value = report.value, answer.heard = heard, answer.visited = visited;
    return answer;
}

static void expect_same(const answer *first, const verso_native_options *options, const char *what) {
    answer again = differentiate(options, what, true);
    if (again.value != 0)
        EXPECT(memcmp(first, &again, sizeof again) == 0, "%s: %.17g, %.17g instead of %.17g, %.17g; %d visits", what,
               again.value, again.gradient[0], first->value, first->gradient[0], again.visited);
}

/* The same numbers, written into the program. */
static double plain(const double *x, size_t n) {
    double sum = 0, y[INPUTS];
    memcpy(y, x, n * sizeof *x);
    for (int step = 0; step < STEPS; step++) {
        int count = 2 + 2 * step; /* keeper_read counts one */
        double force = 1.0 / (1 + count % 7) + 0.01 * (count + 1) + 1.0 / (2 * step + 1) * (1.0 / (2 * step + 2));
        for (size_t i = 0; i < n; i++)
            y[i] += 0.01 * force * sin(y[i]) * 1.0 + 1e-3 * 0.5 * x[step % 4] * 0;
    }
    for (size_t i = 0; i < n; i++)
        sum += y[i] * y[i];
    return sum;
}

static void check_schedules(const answer *first) {
    static const char *const kinds[] = {"store-all",
                                        "none",
                                        "every-k,distance=4",
                                        "revolve,slots=3",
                                        "treeverse,space=3",
                                        "binary,slots=3",
                                        "disk,slots=3",
                                        "periodic,slots=3,write=2,read=1",
                                        "online,slots=3",
                                        "mixed,slots=3",
                                        "continuous,slots=3",
                                        "resilient,slots=3,distance=9",
                                        "levels,levels=3:0:0",
                                        "two-level,slots=3,distance=9",
                                        "single-recovery,slots=3,distance=9"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s,leaf=20000", kinds[i]);
        setenv("VERSO_SCHEDULE", text, 1);
        expect_same(first, &(verso_native_options)VERSO_NATIVE_OPTIONS_INIT, text);
    }
    unsetenv("VERSO_SCHEDULE");
}

static double reads_library(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double *row = keeper_row((int)i);
        sum += row[0] * x[i] + row[1] * x[i] * x[i];
    }
    return sum;
}

/* In a single pass a library's memory is what it is; when the run is repeated it is not. */
static void check_rows(void) {
    double x[3] = {0.5, 1.5, 2}, gradient[3];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(reads_library, x, 3, gradient, NULL, &report, &error));
    EXPECT_CLOSE(gradient[2], 18.0);
    verso_status status = verso_gradient(reads_library, x, 3, gradient, cut_at(2, 0), &report, &error);
    EXPECT(status == VERSO_STATUS_INVALID && strstr(error.message, "returns memory of a library") != NULL,
           "not refused: %s", error.message);
}

static double run_durable(const double *x, size_t n) {
    double sum = 0, y[INPUTS];
    memcpy(y, x, n * sizeof *x);
    for (int step = 0; step < STEPS; step++) {
        double force = keeper_force();
        for (size_t i = 0; i < n; i++)
            y[i] += 0.01 * force * sin(y[i]);
    }
    for (size_t i = 0; i < n; i++)
        sum += y[i] * y[i];
    return sum;
}

/* Suspends a durable run after `steps` steps. If the first process has made all foreign calls, another one can
 * continue; otherwise it is refused, because what the library has kept is lost. */
static void check_durable(uint64_t steps, bool refused) {
    static double x[INPUTS]; /* not on the stack: it lies elsewhere the next time */
    static answer first, again;
    char folder[] = "/tmp/verso-foreign-XXXXXX", command[64];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error = {0}; /* hides the variable of the program, which must not change between the calls */
    verso_status status;
    verso_run_options run;
    verso_run_options_init(&run);
    verso_schedule_spec_init(&run.spec, VERSO_KIND_ONLINE);
    run.spec.slots = 2;
    run.step_limit = steps;
    run.directory = mkdtemp(folder);
    for (int i = 0; i < INPUTS; i++)
        x[i] = 0.3 + 0.1 * i;
    keeper_begin();
    EXPECT_OK(verso_gradient(run_durable, x, INPUTS, first.gradient, NULL, &report, &error));
    do {
        keeper_begin();
        status = verso_gradient(
            run_durable, x, INPUTS, again.gradient,
            &(verso_native_options){.size = sizeof(verso_native_options), .run = &run, .leaf = 4096}, &report, &error);
    } while (status == VERSO_STATUS_SUSPENDED);
    if (refused)
        EXPECT(status == VERSO_STATUS_INVALID && strstr(error.message, "called in another process") != NULL,
               "not refused: %s", error.message);
    else
        EXPECT(status == VERSO_STATUS_OK && memcmp(&first, &again, sizeof first) == 0, "%s %.17g, %.17g", error.message,
               first.gradient[0], again.gradient[0]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    EXPECT(system(command) == 0, "%s", command);
}

int main(void) {
    make_file();
    answer first = differentiate(NULL, "single pass", false);
    double x[INPUTS], gradient[INPUTS];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < INPUTS; i++)
        x[i] = 0.3 + 0.1 * i;
    EXPECT_OK(verso_gradient(plain, x, INPUTS, gradient, NULL, &report, &error));
    EXPECT(report.value == first.value, "%.17g instead of %.17g", first.value, report.value);
    for (int i = 0; i < INPUTS; i++)
        EXPECT_CLOSE(first.gradient[i], gradient[i]);
    EXPECT(keeper_calls() == (INPUTS + 1) * STEPS, "pure functions were called %d times", keeper_calls());
    for (unsigned cuts = 1; cuts < 40; cuts *= 3)
        expect_same(&first, cut_at(cuts, cuts), "cut");
    EXPECT(keeper_calls() > (INPUTS + 1) * STEPS, "pure functions were called %d times", keeper_calls());
    for (size_t memory = 300000; memory < 3000000; memory += memory / 3)
        expect_same(&first, &(verso_native_options){.size = sizeof(verso_native_options), .memory = memory},
                    "within a budget");
    check_schedules(&first);
    check_rows();
    check_durable(2, true);
    check_durable(20, false);
    unlink(path);
    printf("\n");
    return failed;
}
