/* foreign: library.c
 * Fixed points with two-phase adjoints: against formulas, and against the gradient through all iterations; in little
 * memory, with a file, with calls checkpointed; what a step prints is printed once; what cannot be right is refused,
 * and the next gradient is none the worse. */
#define _GNU_SOURCE /* open_memstream */
#include "expect.h"

#include "../../support/cuts.h"
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verso/native.h>

void (*foreign_step(void))(void *);
double foreign_wave(double u, double v);

enum { SIZE = 6 };
static const double x[SIZE] = {0.5, 0.8, 0.3, 0.9, 0.4, 0.6};

static double gradient_of(double (*f)(const double *, size_t), double *gradient, const verso_native_options *options,
                          verso_native_report *report) {
    EXPECT_OK(verso_gradient(f, x, SIZE, gradient, options, report, &error));
    return report->value;
}

/* ---- Formulas ---- */

typedef struct line {
    double slope, offset, u, other;
} line;

static void follow(void *context) {
    line *l = context;
    l->other = l->u * l->u;
    l->u = l->slope * l->u + l->offset;
}

/* u = b / (1 - a), and something else that the last step has left: u squared. */
static double linear(const double *p, size_t n) {
    line l = {.slope = p[0], .offset = p[n - 1], .u = p[1]};
    const verso_fixed_point_options options = {sizeof options, 1e-16, 1e-16, 200};
    uint64_t steps = verso_fixed_point(follow, &l, &l.u, 1, &options);
    EXPECT(steps > 10 && steps < 100, "%d steps", (int)steps);
    return 3 * l.u + l.other;
}

static void formulas(void) {
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    const double a = x[0], b = x[SIZE - 1], u = b / (1 - a);
    EXPECT_CLOSE(gradient_of(linear, gradient, NULL, &report), 3 * u + u * u);
    EXPECT_CLOSE(gradient[0], (3 + 2 * u) * u / (1 - a));
    EXPECT_CLOSE(gradient[SIZE - 1], (3 + 2 * u) / (1 - a));
    EXPECT(gradient[1] == 0, "where it began counts: %g", gradient[1]);
}

/* ---- Against all iterations ---- */

enum { CELLS = 4000 };

typedef struct field {
    const double *p;
    size_t n;
    double u[CELLS], before[CELLS];
} field;

static FILE *log_file;

__attribute__((noinline)) static double conduct(double a, double b) {
    return 0.3 / (1 + 0.1 * a * b);
}

static void smooth(void *context) {
    field *f = context;
    memcpy(f->before, f->u, sizeof f->u);
    for (int i = 0; i < CELLS; i++) {
        const double left = i > 0 ? f->before[i - 1] : 0, right = i + 1 < CELLS ? f->before[i + 1] : 0;
        f->u[i] = conduct(left, right) * (left + right) + f->p[(size_t)i % f->n];
    }
    if (log_file != NULL)
        fprintf(log_file, "%.3g\n", f->u[0]);
}

static double misfit(const field *f) {
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += f->u[i] * f->u[i] / CELLS;
    return sum;
}

static double with_all(const double *p, size_t n) {
    field *f = calloc(1, sizeof *f);
    f->p = p;
    f->n = n;
    double change = 1;
    for (int k = 0; change > 1e-13 && k < 1000; k++) {
        smooth(f);
        change = 0;
        for (int i = 0; i < CELLS; i++)
            change = fmax(change, fabs(f->u[i] - f->before[i]));
    }
    const double value = misfit(f);
    free(f);
    return value;
}

static double in_two_phases(const double *p, size_t n) {
    field *f = calloc(1, sizeof *f);
    double sum = 0;
    f->p = p;
    f->n = n;
    for (int k = 0; k < 3; k++) { /* three equal ones */
        if (verso_fixed_point(smooth, f, f->u, CELLS, NULL) == 0)
            sum = NAN;
        sum += misfit(f) / 3;
        f->u[k] = p[0];
    }
    free(f);
    return sum;
}

static void against_all(double *two) {
    double all[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT, short_report = VERSO_NATIVE_REPORT_INIT;
    double value = gradient_of(with_all, all, NULL, &report);
    EXPECT(fabs(gradient_of(in_two_phases, two, NULL, &short_report) - value) < 1e-11, "another value");
    for (int i = 0; i < SIZE; i++)
        EXPECT(fabs(all[i] - two[i]) < 1e-10 * fabs(all[i]), "by x[%d]: %.17g, through all iterations %.17g", i, two[i],
               all[i]);
    EXPECT(memcmp(all, two, sizeof all) != 0, "the same bits: was it computed in another way?");
    EXPECT(3 * short_report.tape_bytes < report.tape_bytes, "%zu bytes of tape instead of %zu", short_report.tape_bytes,
           report.tape_bytes);
}

/* ---- However it is computed ---- */

static void compare(const double *expected, const verso_native_options *options, const char *how) {
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    gradient_of(in_two_phases, gradient, options, &report);
    EXPECT(memcmp(gradient, expected, sizeof gradient) == 0, "%s: other bits", how);
    EXPECT(options == NULL || options->memory == 0 || report.peak_bytes <= options->memory, "%s: %zu bytes", how,
           report.peak_bytes);
}

static void in_many_ways(const double *expected) {
    char directory[] = "/tmp/verso-fixed-XXXXXX";
    EXPECT(mkdtemp(directory) != NULL, "no directory");
    for (int on = 0; on < 2; on++) {
        for (size_t i = 0; i < verso_site_count(); i++)
            verso_site_set(i, on && strcmp(verso_site_get(i).callee, "conduct") == 0);
        compare(expected, NULL, "single pass");
        compare(expected,
                &(verso_native_options){
                    .size = sizeof(verso_native_options), .offload_directory = directory, .offload_memory = 4 << 20},
                "in a file");
        compare(expected, cut_at(5, 3), "cut");
        /* with a snapshot for each of the 4000 calls, a step takes 2 MB */
        for (size_t memory = on ? 16000000 : 1200000; memory <= (on ? 16000000 : 4000000); memory = memory * 5 / 4)
            compare(expected, &(verso_native_options){.size = sizeof(verso_native_options), .memory = memory},
                    "within a budget");
    }
    for (size_t i = 0; i < verso_site_count(); i++) {
        EXPECT(verso_site_get(i).on == (verso_site_get(i).always || strcmp(verso_site_get(i).callee, "conduct") == 0),
               "site %zu was switched", i);
        verso_site_set(i, false);
    }
    rmdir(directory);
}

/* What the run prints is what a plain one prints, though parts of it are repeated. */
static void prints_once(void) {
    char *text[2];
    size_t size[2];
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < 2; i++) {
        log_file = open_memstream(&text[i], &size[i]);
        if (i == 0)
            in_two_phases(x, SIZE);
        else
            gradient_of(in_two_phases, gradient,
                        &(verso_native_options){.size = sizeof(verso_native_options), .memory = 1200000}, &report);
        fclose(log_file);
    }
    log_file = NULL;
    EXPECT(report.steps > 1, "single pass");
    EXPECT(size[0] > 100 && size[0] == size[1] && memcmp(text[0], text[1], size[0]) == 0, "printed %zu instead of %zu",
           size[1], size[0]);
    free(text[0]);
    free(text[1]);
}

/* ---- A call whose adjoint is in one piece: it is always checkpointed ---- */

static void wave_adjoint(verso_call *call, double u, double v) {
    call->argument[0] += call->result[0] * cos(u) * v * v;
    call->argument[1] += call->result[0] * sin(u) * 2 * v;
}

VERSO_ADJOINT(foreign_wave, wave_adjoint, NULL);

static void wave(void *context) {
    double *u = context;
    u[0] = 0.1 * foreign_wave(u[0], u[1]) + u[1];
}

/* u = 0.1 sin(u) v^2 + v */
static double with_wave(const double *p, size_t n) {
    double u[2] = {0.3, p[n - 1]};
    const verso_fixed_point_options options = {sizeof options, 1e-15, 1e-15, 200};
    return verso_fixed_point(wave, u, u, 1, &options) > 0 ? u[0] * p[0] : NAN;
}

static void in_one_piece(void) {
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    const double v = x[SIZE - 1], u = gradient_of(with_wave, gradient, NULL, &report) / x[0];
    EXPECT_CLOSE(u, 0.1 * sin(u) * v * v + v);
    EXPECT_CLOSE(gradient[0], u);
    EXPECT_CLOSE(gradient[SIZE - 1], x[0] * (0.2 * v * sin(u) + 1) / (1 - 0.1 * cos(u) * v * v));
    EXPECT(report.capsules > 0, "%d snapshots", (int)report.capsules);
}

/* ---- Refusals ---- */

static void diverge(void *context) {
    double *u = context;
    u[0] = 2 * u[0] + u[1];
}

static void keep_second(void *context) {
    double *u = context;
    u[0] = 0.5 * u[0] + u[1];
}

static jmp_buf back;

static void jump(void *context) {
    double *u = context;
    u[0] = 0.5 * u[0] + u[1];
    if (u[0] > 0)
        longjmp(back, 1);
}

static void (*step)(void *);
static size_t count;
static double start;

static double refused(const double *p, size_t n) {
    double u[2] = {start, start == 0 ? p[n - 1] - 0.6 : p[n - 1]};
    if (setjmp(back) != 0)
        return -1;
    verso_fixed_point(step, u, u, count, NULL);
    return u[0] * p[0] + u[1];
}

static void refuse(void (*bad)(void *), size_t numbers, double from, const char *words) {
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    step = bad;
    count = numbers;
    start = from;
    verso_status status = verso_gradient(refused, x, SIZE, gradient, NULL, &report, &error);
    EXPECT(status == VERSO_STATUS_INVALID && strstr(error.message, words) && strstr(error.message, "points.c:"),
           "'%s' instead of '%s'", error.message, words);
}

static void refuse_tangent(void (*bad)(void *), size_t numbers, double from, const char *words) {
    double derivative;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    step = bad;
    count = numbers;
    start = from;
    verso_status status = verso_directional(refused, x, SIZE, x, &derivative, &report, &error);
    EXPECT(status == VERSO_STATUS_INVALID && strstr(error.message, words), "'%s' instead of '%s'", error.message,
           words);
}

static void refusals(void) {
    refuse(diverge, 1, 1, "the fixed point does not converge in 1000 steps");
    refuse(diverge, 1, 0, "the adjoint of the fixed point does not converge in 1000 sweeps");
    refuse(keep_second, 2, 1, "the adjoint of the fixed point does not converge in 1000 sweeps");
    refuse(jump, 1, 1, "a long jump leaves the step");
    refuse(foreign_step(), 1, 1, "was not compiled by `verso cc`");
    refuse_tangent(diverge, 1, 1, "the fixed point does not converge in 1000 steps");
    refuse_tangent(diverge, 1, 0, "the tangent of the fixed point does not converge in 1000 steps");
    refuse_tangent(jump, 1, 1, "a long jump leaves the step");
}

/* In a plain call, failure to converge is a return value, and the program decides what to do. */
static void plain(void) {
    double u[2] = {1, 1};
    EXPECT(verso_fixed_point(diverge, u, u, 1, NULL) == 0, "it has converged");
    EXPECT(verso_fixed_point(keep_second, u, NULL, 0, NULL) == 2, "nothing takes more than two steps");
    u[0] = 0;
    EXPECT(verso_fixed_point(keep_second, u, u, 2, NULL) > 30, "it has not converged");
    EXPECT_CLOSE(u[0], 2.0);
}

int main(void) {
    double expected[SIZE];
    formulas();
    against_all(expected);
    in_many_ways(expected);
    prints_once();
    in_one_piece();
    refusals();
    in_many_ways(expected);
    formulas();
    plain();
    return failed;
}
