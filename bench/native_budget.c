/* bench/native_budget [--quick] [FOLDER]: the cost of a gradient within a memory budget, for runs of growing length.
 *
 * Three runs of each kernel of bench/native: S, 10·S, 100·S. The state stays the same; the full tapes have some 80
 * MB, 800 MB and 8 GB. (`det` has one size, because its state grows with it.) Each way of computing the gradient is
 * measured in a process of its own:
 *
 *   primal       the kernel's untouched source compiled by clang-19 -O2; all other times are divided by it
 *   advance      the instrumented program without recording; it could be interrupted anywhere
 *   all          everything recorded; first: the first gradient of a process, which also pays for new pages
 *   16 MB ...    `auto` within that budget
 *   MB           peak resident memory less that of the primal
 *   steps        how often a step was run, recorded or not: 1 if everything is recorded
 *   ADOL-C       a taping run and a reverse sweep; `-`: its tape would exceed 4 GB
 *   tape         length of ADOL-C's tape in GB
 *
 * Times are processor times, the least of several where runs are short. All ways must give the same bits. The targets
 * are printed below the table. --quick leaves out 100·S and most repetitions. Prints one table and writes
 * native-budget.csv. */
#include "bench/native/resume.h"
#include "bench/native/suite.h"
#include "bench/support/child.h"
#include "bench/support/output.h"

#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIZES = 3, MIDDLE = 1, LONGEST = 2 };

/* In the order of bench_kernels. n = 0: not measured. */
static const bench_size sizes[BENCH_KERNELS][SIZES] = {
    {{1, 336000, 0}, {1, 3360000, 0}, {1, 33600000, 0}},    {{102400, 320, 0}},
    {{4096, 1310, 0}, {4096, 13100, 0}, {4096, 131000, 0}}, {{700, 340, 0}, {700, 3400, 0}, {700, 34000, 0}},
    {{6, 3400000, 0}, {6, 34000000, 0}, {6, 340000000, 0}}, {{100000, 25, 0}, {100000, 250, 0}, {100000, 2500, 0}},
    {{4, 40, 5000}, {4, 40, 99000}, {4, 40, 1660000}},
};

static const char *const size_names[SIZES] = {"S", "10 S", "100 S"};
static const int runs[SIZES] = {5, 2, 1}, quick_runs[SIZES] = {2, 1, 1};
enum { RUNS_ADVANCE = 5, RUNS_ADVANCE_ONLY = 50 }; /* `det` takes milliseconds */

enum { STORE_ALL, IN_16_MB, IN_64_MB, IN_1_GB, WAYS };

static const char *const way_names[WAYS] = {"all", "16 MB", "64 MB", "1 GB"};
static const uint64_t budgets[WAYS] = {0, UINT64_C(16) << 20, UINT64_C(64) << 20, UINT64_C(1) << 30};
static const double ADOLC_BYTES = 4e9, MB = 1e6;

/* ---- One measurement -------------------------------------------------------------------------------------------- */

typedef struct task {
    const bench_kernel *kernel;
    bench_size size;
    int runs;
    uint64_t memory;
    const char *folder; /* ADOL-C's */
} task;

typedef struct measured {
    verso_status status;
    double seconds, first; /* the least, and of the first run */
    double advance;        /* seconds */
    double peak;           /* bytes */
    double value;
    uint64_t gradient; /* a hash of its bits */
    verso_native_report report;
    verso_error error;
} measured;

static void measure_plain(const void *what, void *result) {
    const task *t = what;
    measured *m = result;
    double *x = bench_inputs(t->kernel, &t->size);
    *m = (measured){.seconds = INFINITY};
    for (int i = 0; i < t->runs; i++)
        m->seconds = fmin(m->seconds, bench_time_plain(t->kernel, &t->size, x, &m->value));
    m->peak = bench_peak_bytes();
}

/* Alternates with plain runs, so that other work on the machine affects both. */
static void measure_advance(const void *what, void *result) {
    const task *t = what;
    measured *m = result;
    double *x = bench_inputs(t->kernel, &t->size), plain;
    *m = (measured){.seconds = INFINITY, .advance = INFINITY};
    for (int i = 0; i < t->runs; i++) {
        m->seconds = fmin(m->seconds, bench_time_plain(t->kernel, &t->size, x, &plain));
        m->advance = fmin(m->advance, bench_time_advance(t->kernel, &t->size, x, &m->value));
        if (m->value != plain)
            bench_fail("%s: %.17g instead of clang's %.17g", t->kernel->name, m->value, plain);
    }
}

static void measure_gradient(const void *what, void *result) {
    const task *t = what;
    measured *m = result;
    double *x = bench_inputs(t->kernel, &t->size), *gradient = bench_alloc((size_t)t->size.n, sizeof *gradient);
    *m = (measured){.seconds = INFINITY};
    for (int i = 0; i < t->runs && m->status == VERSO_STATUS_OK; i++) {
        verso_native_options options = {.size = sizeof(verso_native_options), .memory = t->memory};
        double began = bench_seconds();
        m->report = (verso_native_report)VERSO_NATIVE_REPORT_INIT;
        m->status = bench_gradient(t->kernel, &t->size, x, gradient, &options, &m->report, &m->error);
        double seconds = bench_seconds() - began;
        m->seconds = fmin(m->seconds, seconds);
        m->first = i == 0 ? seconds : m->first;
    }
    m->peak = bench_peak_bytes();
    m->value = m->report.value;
    m->gradient = bench_hash(gradient, (size_t)t->size.n);
}

static void measure_adolc(const void *what, void *result) {
    const task *t = what;
    measured *m = result;
    const struct rlimit limit = {(rlim_t)ADOLC_BYTES, (rlim_t)ADOLC_BYTES};
    double *x = bench_inputs(t->kernel, &t->size), *gradient = bench_alloc((size_t)t->size.n, sizeof *gradient);
    double tape = 0;
    *m = (measured){0};
    if (chdir(t->folder) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0)
        bench_fail("ADOL-C has no folder %s for its tape", t->folder);
    double began = bench_seconds();
    m->status = bench_adolc(t->kernel, &t->size, x, gradient, &tape) ? VERSO_STATUS_OK : VERSO_STATUS_STATE;
    m->seconds = bench_seconds() - began;
    m->peak = bench_peak_bytes();
    m->report.tape_bytes = (size_t)tape;
}

/* ---- One row: all ways for one run ------------------------------------------------------------------------------ */

typedef struct row {
    bool there;
    measured plain, ways[WAYS];
    double advance;           /* ÷ primal; NAN: not measured */
    double adolc, adolc_peak; /* ÷ primal, bytes; NAN: not run */
    double adolc_tape;        /* bytes, also when it was not run; NAN: not installed */
} row;

static bool measure(void (*how)(const void *, void *), const task *t, measured *m) {
    if (bench_in_child(how, t, m, sizeof *m))
        return true;
    *m = (measured){.status = VERSO_STATUS_NO_MEMORY, .seconds = NAN, .first = NAN, .peak = NAN};
    snprintf(m->error.message, sizeof m->error.message, "the process did not come to its end.");
    return false;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    return remove(path);
}

/* Runs ADOL-C with its files in a temporary folder. */
static bool run_adolc(task t, measured *m) {
    char folder[] = "/tmp/verso-adolc-XXXXXX";
    if (!mkdtemp(folder))
        bench_fail("cannot make a folder for ADOL-C's tape");
    t.folder = folder;
    bool ended = measure(measure_adolc, &t, m) && m->status == VERSO_STATUS_OK;
    nftw(folder, remove_one, 4, FTW_DEPTH | FTW_PHYS);
    return ended;
}

/* Estimates the length of ADOL-C's tape from a short run. */
static void fill_adolc(const task *t, row *r) {
    const bench_kernel *kernel = t->kernel;
    task brief = {.kernel = kernel, .size = kernel->brief};
    measured m;
    r->adolc = r->adolc_tape = r->adolc_peak = NAN;
    if (!run_adolc(brief, &m))
        return;
    double *x = bench_inputs(kernel, &t->size), *x_brief = bench_inputs(kernel, &kernel->brief);
    r->adolc_tape = (double)m.report.tape_bytes * kernel->operations(x, t->size.n, t->size.t) /
                    kernel->operations(x_brief, kernel->brief.n, kernel->brief.t);
    free(x);
    free(x_brief);
    if (r->adolc_tape > ADOLC_BYTES || !run_adolc(*t, &m))
        return;
    r->adolc = m.seconds / r->plain.seconds;
    r->adolc_tape = (double)m.report.tape_bytes;
    r->adolc_peak = m.peak - r->plain.peak;
}

static void check_bits(const row *r, const char *name, int way) {
    const measured *m = &r->ways[way], *all = &r->ways[STORE_ALL];
    if (m->status != VERSO_STATUS_OK)
        return;
    if (m->value != r->plain.value)
        bench_fail("%s, %s: %.17g instead of clang's %.17g", name, way_names[way], m->value, r->plain.value);
    if (all->status == VERSO_STATUS_OK && m->gradient != all->gradient)
        bench_fail("%s, %s: the gradient has other bits", name, way_names[way]);
}

static row measure_row(const bench_kernel *kernel, const bench_size *size, int which, bool quick) {
    task t = {.kernel = kernel, .size = *size, .runs = (quick ? quick_runs : runs)[which]};
    bool only = sizes[kernel - bench_kernels][MIDDLE].n == 0;
    row r = {.there = true, .advance = NAN};
    if (!measure(measure_plain, &t, &r.plain))
        bench_fail("%s could not be run", kernel->name);
    for (int way = 0; way < WAYS; way++) {
        t.memory = budgets[way];
        measure(measure_gradient, &t, &r.ways[way]);
        check_bits(&r, kernel->name, way);
    }
    if (which == MIDDLE || only) { /* long enough to measure a few per cent, short enough to be repeated */
        measured m;
        t.runs = only ? RUNS_ADVANCE_ONLY : quick ? 2 : RUNS_ADVANCE;
        if (measure(measure_advance, &t, &m))
            r.advance = m.advance / m.seconds;
    }
    fill_adolc(&t, &r);
    return r;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static double ratio(const row *r, int way) {
    return r->ways[way].status == VERSO_STATUS_OK ? r->ways[way].seconds / r->plain.seconds : NAN;
}

static double first_ratio(const row *r, int way) {
    return r->ways[way].status == VERSO_STATUS_OK ? r->ways[way].first / r->plain.seconds : NAN;
}

static double extra(const row *r, int way) {
    return r->ways[way].status == VERSO_STATUS_OK ? r->ways[way].peak - r->plain.peak : NAN;
}

static double steps_factor(const row *r, int way) {
    const verso_native_report *report = &r->ways[way].report;
    return r->ways[way].status == VERSO_STATUS_OK
               ? (double)(report->forward_steps + report->recordings) / (double)report->steps
               : NAN;
}

static void print_number(int width, int decimals, double number) {
    if (isnan(number))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, decimals, number);
}

static void print_head(void) {
    printf("%-8s %-5s %8s %5s |%18s ", "", "", "", "", "everything");
    for (int way = IN_16_MB; way < WAYS; way++)
        printf("|%15s %5s ", way_names[way], "");
    printf("|%13s\n%-8s %-5s %8s %5s | %5s %5s %5s ", "ADOL-C", "kernel", "run", "primal", "adv.", "grad.", "first",
           "MB");
    for (int way = IN_16_MB; way < WAYS; way++)
        printf("| %6s %5s %6s ", "grad.", "MB", "steps");
    printf("| %5s %6s\n", "grad.", "tape");
}

static void print_row(const char *name, const char *size, const row *r) {
    printf("%-8s %-5s %6.3f s", name, size, r->plain.seconds);
    print_number(5, 2, r->advance);
    printf(" |");
    print_number(5, 2, ratio(r, STORE_ALL));
    print_number(5, 1, first_ratio(r, STORE_ALL));
    print_number(5, 0, extra(r, STORE_ALL) / MB);
    for (int way = IN_16_MB; way < WAYS; way++) {
        printf(" |");
        print_number(6, 2, ratio(r, way));
        print_number(5, 0, extra(r, way) / MB);
        print_number(6, 2, steps_factor(r, way));
    }
    printf(" |");
    print_number(5, 0, r->adolc);
    print_number(6, 1, r->adolc_tape / 1e9);
    printf("\n");
    for (int way = 0; way < WAYS; way++)
        if (r->ways[way].status != VERSO_STATUS_OK)
            printf("%-8s %-5s %s: %s\n", "", "", way_names[way], r->ways[way].error.message);
    fflush(stdout);
}

static void write_row(FILE *csv, const bench_kernel *kernel, const bench_size *size, const char *name, const row *r) {
    for (int way = 0; way < WAYS; way++) {
        const measured *m = &r->ways[way];
        fprintf(csv, "%s,%s,%d,%d,%g,%s,%.6f,%.6f,%.3f,%.3f,%.0f,%.3f,%llu,%llu,%llu,%llu,%zu\n", kernel->name, name,
                size->n, size->t, size->frequency, way_names[way], r->plain.seconds, m->seconds, ratio(r, way),
                first_ratio(r, way), extra(r, way), steps_factor(r, way), (unsigned long long)m->report.steps,
                (unsigned long long)m->report.forward_steps, (unsigned long long)m->report.capsules,
                (unsigned long long)m->report.leaf_bytes, m->report.tape_bytes);
    }
    fprintf(csv, "%s,%s,%d,%d,%g,advance,%.6f,,%.3f,,,,,,,,\n", kernel->name, name, size->n, size->t, size->frequency,
            r->plain.seconds, r->advance);
    fprintf(csv, "%s,%s,%d,%d,%g,ADOL-C,%.6f,,%.3f,,%.0f,,,,,,%.0f\n", kernel->name, name, size->n, size->t,
            size->frequency, r->plain.seconds, r->adolc, r->adolc_peak, r->adolc_tape);
}

/* ---- Means and bars --------------------------------------------------------------------------------------------- */

/* A kernel with one size counts with that size. */
static const row *row_at(row rows[BENCH_KERNELS][SIZES], int kernel, int size) {
    return rows[kernel][size].there ? &rows[kernel][size] : &rows[kernel][0];
}

static double mean(row rows[BENCH_KERNELS][SIZES], int size, int way, double (*of)(const row *, int)) {
    double product = 1;
    for (int i = 0; i < BENCH_KERNELS; i++)
        product *= of(row_at(rows, i, size), way);
    return pow(product, 1.0 / BENCH_KERNELS);
}

static double advance_ratio(const row *r, int way) {
    (void)way;
    return r->advance;
}

static void print_means(row rows[BENCH_KERNELS][SIZES], int size) {
    printf("%-8s %-5s %8s", "mean", size_names[size], "");
    print_number(5, 2, mean(rows, size, 0, advance_ratio));
    printf(" |");
    print_number(5, 2, mean(rows, size, STORE_ALL, ratio));
    print_number(5, 1, mean(rows, size, STORE_ALL, first_ratio));
    printf(" %5s", "");
    for (int way = IN_16_MB; way < WAYS; way++) {
        printf(" |");
        print_number(6, 2, mean(rows, size, way, ratio));
        printf(" %5s", "");
        print_number(6, 2, mean(rows, size, way, steps_factor));
    }
    printf(" |\n\n");
}

static void print_bar(FILE *csv, const char *what, double value, double bar) {
    printf("%-72s %6.2f %s bar %.2f\n", what, value, value <= bar ? " " : "!", bar);
    fprintf(csv, "bar,%s,,,,,,,%.3f,,,,,,,,%.3f\n", what, value, bar);
}

/* Finds the most megabytes by which a budget was exceeded, and by which a longer run took more than S. */
static double most_beyond(row rows[BENCH_KERNELS][SIZES], int last) {
    double most = -INFINITY;
    for (int i = 0; i < BENCH_KERNELS; i++)
        for (int size = 0; size <= last; size++)
            for (int way = IN_16_MB; way < WAYS; way++)
                most = fmax(most, extra(row_at(rows, i, size), way) - (double)budgets[way]);
    return most / MB;
}

static double most_growth(row rows[BENCH_KERNELS][SIZES], int last) {
    double most = -INFINITY;
    for (int i = 0; i < BENCH_KERNELS; i++)
        for (int way = IN_16_MB; way <= IN_64_MB; way++)
            most = fmax(most, extra(row_at(rows, i, last), way) - extra(row_at(rows, i, 0), way));
    return most / MB;
}

static void print_bars(FILE *csv, row rows[BENCH_KERNELS][SIZES], int last) {
    bench_resumed resumed = bench_time_resume();
    char text[128];
    print_bar(csv, "64 MB at S: mean", mean(rows, 0, IN_64_MB, ratio), 4.5);
    print_bar(csv, "first gradient in 64 MB at S: mean; bar: first with everything recorded",
              mean(rows, 0, IN_64_MB, first_ratio), mean(rows, 0, STORE_ALL, first_ratio));
    if (last == LONGEST) {
        print_bar(csv, "64 MB at 100 S: mean", mean(rows, last, IN_64_MB, ratio), 3.5);
        print_bar(csv, "first gradient in 64 MB at 100 S: mean; bar: first with everything recorded",
                  mean(rows, last, IN_64_MB, first_ratio), mean(rows, last, STORE_ALL, first_ratio));
    }
    print_bar(csv, "memory beyond a budget: MB at most", most_beyond(rows, last), 16);
    snprintf(text, sizeof text, "memory within 16 and 64 MB: more at %s than at S: MB at most", size_names[last]);
    print_bar(csv, text, most_growth(rows, last), 1);
    print_bar(csv, "instrumentation: mean of adv.", mean(rows, MIDDLE, 0, advance_ratio), 1.05);
    snprintf(text, sizeof text, "resume + step + capture at depth %d: µs besides copying %zu bytes (%.2f)", BENCH_DEPTH,
             resumed.bytes, 1e6 * resumed.copying);
    print_bar(csv, text, 1e6 * (resumed.seconds - resumed.copying), 2);
}

int main(int argc, char **argv) {
    row rows[BENCH_KERNELS][SIZES] = {0}; /* not global, because capsules contain global variables */
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    int last = quick ? MIDDLE : LONGEST;
    FILE *csv = bench_create(bench_folder(argc - quick, argv + quick), "native-budget.csv");
    fprintf(csv, "kernel,run,n,t,frequency,way,primal_s,gradient_s,gradient,first,extra_bytes,steps_factor,steps,"
                 "forward_steps,capsules,leaf_bytes,tape_bytes\n");
    print_head();
    for (int size = 0; size <= last; size++) {
        for (int i = 0; i < BENCH_KERNELS; i++) {
            if (sizes[i][size].n == 0)
                continue;
            rows[i][size] = measure_row(&bench_kernels[i], &sizes[i][size], size, quick);
            print_row(bench_kernels[i].name, size_names[size], &rows[i][size]);
            write_row(csv, &bench_kernels[i], &sizes[i][size], size_names[size], &rows[i][size]);
        }
        print_means(rows, size);
    }
    print_bars(csv, rows, last);
    bench_close(csv);
    return 0;
}
