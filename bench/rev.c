/* bench/rev [FOLDER]: the cost of reversible functions, in units of a plain C objective compiled with the same flags.
 *
 *   plain      microseconds of the plain objective
 *   objective  the reversible function; ÷ plain
 *   gradient   its gradient or Jacobian, in table 2's cases the backward pass; ÷ plain
 *   Hessian    all columns; ÷ plain
 *   ADOL-C     its gradient on a tape that is already recorded, where it is installed; ÷ plain
 *   peak kB    peak memory (VmHWM) of a process that only reads the data and runs once: the plain objective, the
 *              reversible one, its gradient, ADOL-C's gradient with its tape. rev.csv also has the bytes of temporary
 *              memory beyond inputs and results, and of ADOL-C's tape
 *
 * After each ratio, in brackets, are the target, if there is one, and the ratio of the paper. `!`: above the target,
 * or a gradient slower than ADOL-C's. Each case is measured in a process of its own. Times are processor times, the
 * least of several runs, plain and reversible in turn. Values are compared with the plain objective's and gradients
 * with ADOL-C's. Prints one table and writes rev.csv. */
#include "bench/rev/cases.h"
#include "bench/support/child.h"
#include "bench/support/output.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 9 };

static const double SHORTEST = 0.02; /* least duration of a measurement, in seconds */

typedef struct result {
    double plain, ratio[3], adolc; /* 0: not measured */
    double error, adolc_error;
    double bytes[4], peak[4]; /* plain, objective, gradient, ADOL-C */
} result;

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static double time_once(void (*work)(void), long repeats) {
    double began = bench_seconds();
    for (long i = 0; i < repeats; i++)
        work();
    return (bench_seconds() - began) / (double)repeats;
}

/* Returns the number of repetitions that take at least SHORTEST. */
static long repeats_of(void (*work)(void)) {
    long repeats = 1;
    while (time_once(work, repeats) * (double)repeats < SHORTEST)
        repeats *= 2;
    return repeats;
}

static void measure_ours(const rev_case *c, result *r) {
    void (*works[4])(void) = {c->plain, c->objective, c->gradient, c->hessian};
    double best[4];
    long repeats[4];
    for (int i = 0; i < 4; i++) {
        best[i] = INFINITY;
        repeats[i] = works[i] ? repeats_of(works[i]) : 0;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 4; i++)
            if (works[i])
                best[i] = fmin(best[i], time_once(works[i], repeats[i]));
    r->plain = best[0];
    for (int i = 0; i < 3; i++)
        r->ratio[i] = works[i + 1] ? best[i + 1] / best[0] : 0;
}

static double greatest_difference(const double *ours, const double *theirs, size_t count) {
    double worst = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs(ours[i] - theirs[i]));
        most = fmax(most, fabs(theirs[i]));
    }
    return worst / most;
}

static void measure_adolc(const rev_case *c, result *r) {
    size_t count = 0;
    const double *ours = c->result(&count);
    double *theirs = bench_alloc(count, sizeof *theirs), best = INFINITY;
    c->adolc_tape();
    r->bytes[3] = c->adolc_bytes();
    for (int round = 0; round < 3; round++) {
        long repeats = 0;
        double began = bench_seconds(), seconds;
        do {
            c->adolc_gradient(theirs);
            repeats++;
            seconds = bench_seconds() - began;
        } while (seconds < SHORTEST);
        best = fmin(best, seconds / (double)repeats);
    }
    r->adolc = best / r->plain;
    r->adolc_error = greatest_difference(ours, theirs, count);
    c->adolc_close();
    free(theirs);
}

static void measure(const void *task, void *result_of) {
    const rev_case *c = task;
    result *r = result_of;
    *r = (result){0};
    c->open();
    measure_ours(c, r);
    r->error = c->error();
    for (int i = 0; i < 3; i++)
        r->bytes[i] = c->scratch(i);
    if (c->adolc_tape)
        measure_adolc(c, r);
}

typedef struct peak_task {
    const rev_case *c;
    int which; /* as in result */
} peak_task;

static void measure_peak(const void *task, void *peak) {
    const peak_task *t = task;
    void (*works[])(void) = {t->c->plain, t->c->objective, t->c->gradient};
    t->c->open();
    if (t->which < 3) {
        works[t->which]();
    } else {
        size_t count = 0;
        t->c->result(&count);
        double *gradient = bench_alloc(count, sizeof *gradient);
        t->c->adolc_tape();
        t->c->adolc_gradient(gradient);
        t->c->adolc_close();
        free(gradient);
    }
    *(double *)peak = bench_peak_bytes();
}

static void measure_peaks(const rev_case *c, result *r) {
    for (int which = 0; which < (c->adolc_tape ? 4 : 3); which++) {
        peak_task task = {c, which};
        if (!bench_in_child(measure_peak, &task, &r->peak[which], sizeof r->peak[which]))
            bench_fail("%s: its memory could not be measured", c->name);
    }
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

static void print_ratio(const rev_case *c, const result *r, int i) {
    char text[64] = "-", bar[16] = "", paper[16] = "";
    int above = (c->bar[i] > 0 && r->ratio[i] > c->bar[i]) || (i == 1 && r->adolc > 0 && r->ratio[i] > r->adolc);
    if (c->bar[i] > 0)
        snprintf(bar, sizeof bar, " <%.3g", c->bar[i]);
    if (c->paper[i] > 0)
        snprintf(paper, sizeof paper, " %.3g", c->paper[i]);
    if (r->ratio[i] > 0)
        snprintf(text, sizeof text, "%.*f%s (%s%s )", r->ratio[i] < 100 ? 2 : 0, r->ratio[i], above ? " !" : "", bar,
                 paper);
    printf(" %-22s", text);
}

static void print_row(FILE *csv, const rev_case *c, const result *r) {
    char adolc[32] = "-";
    if (r->adolc > 0)
        snprintf(adolc, sizeof adolc, "%.1f", r->adolc);
    printf("%-22s %-20s %10.2f", c->name, c->size, r->plain * 1e6);
    for (int i = 0; i < 3; i++)
        print_ratio(c, r, i);
    printf(" %8s", adolc);
    for (int i = 0; i < 4; i++)
        printf(" %9.0f", r->peak[i] / 1024);
    printf("\n");
    fflush(stdout);
    fprintf(csv,
            "%s,\"%s\",%.9f,%.4f,%.4f,%.2f,%.2f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%"
            ".2e,%.2e\n",
            c->name, c->size, r->plain, r->ratio[0], r->ratio[1], r->ratio[2], r->adolc, r->bytes[0], r->bytes[1],
            r->bytes[2], r->bytes[3], r->peak[0], r->peak[1], r->peak[2], r->peak[3], c->bar[0], c->bar[1], c->bar[2],
            c->paper[0], c->paper[1], c->paper[2], r->error, r->adolc_error);
}

int main(int argc, char **argv) {
    FILE *csv = bench_create(bench_folder(argc, argv), "rev.csv");
    printf("%-22s %-20s %10s %-22s %-22s %-22s %8s %9s %9s %9s %9s\n", "case", "size", "plain us", "objective",
           "gradient", "Hessian", "ADOL-C", "peak kB", "objective", "gradient", "ADOL-C");
    fprintf(csv, "case,size,plain_s,objective,gradient,hessian,adolc,bytes_plain,bytes_objective,bytes_gradient,"
                 "bytes_adolc,peak_plain,peak_objective,peak_gradient,peak_adolc,bar_objective,bar_gradient,bar_"
                 "hessian,paper_objective,paper_gradient,paper_hessian,error,"
                 "adolc_error\n");
    for (size_t i = 0; i < rev_case_count; i++) {
        result r;
        if (!bench_in_child(measure, &rev_cases[i], &r, sizeof r))
            bench_fail("%s could not be measured", rev_cases[i].name);
        if (!(r.error < 1e-9) || !(r.adolc_error < 1e-9))
            bench_fail("%s: the value differs by %g from the plain one, the gradient by %g from ADOL-C's",
                       rev_cases[i].name, r.error, r.adolc_error);
        measure_peaks(&rev_cases[i], &r);
        print_row(csv, &rev_cases[i], &r);
    }
    bench_close(csv);
    return 0;
}
