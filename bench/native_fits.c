/* bench/native_fits [--quick] [FOLDER]: the cost of a memory budget into which everything fits.
 *
 * Gradients of the kernels of bench/native and of programs with special memory use, each called many times in a process
 * of its own, without a budget and within two:
 *
 *   MB           size of the whole recording, and memory that the program has before
 *   none         microseconds of a call without a budget: the first one, and the least of the later ones
 *   ample        within four times as much as is needed, ÷ none
 *   tight        within the least budget into which everything fits, found by bisection to 2 %, ÷ none
 *
 * Times are processor times. All ways must give the same bits. Target: at most 1.5, for later calls within an ample
 * budget. --quick: a tenth of the calls. Prints one table and writes native-fits.csv. */
#include "bench/native/suite.h"
#include "bench/support/child.h"
#include "bench/support/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MB = 1e6, BAR = 1.5;

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

static double product(const double *x, int n, int t) {
    double y = 1;
    (void)t;
    for (int i = 0; i < n; i++)
        y *= x[i];
    return y;
}

/* Floats, whose cells are in another plane than those of doubles. */
static double floats(const double *x, int n, int t) {
    float *u = malloc((size_t)n * sizeof *u), *v = malloc((size_t)n * sizeof *v);
    double sum = 0;
    for (int i = 0; i < n; i++)
        u[i] = (float)x[i];
    for (int k = 0; k < t; k++) {
        for (int i = 0; i < n; i++)
            v[i] = 0.5f * (u[i] + u[i > 0 ? i - 1 : n - 1] * 0.9f);
        memcpy(u, v, (size_t)n * sizeof *u);
    }
    for (int i = 0; i < n; i++)
        sum += u[i];
    free(u);
    free(v);
    return sum;
}

/* Small blocks. */
static double list(const double *x, int n, int t) {
    struct node {
        double value;
        struct node *next;
    } *first = NULL;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){x[i], first};
        first = node;
    }
    for (int k = 0; k < t; k++)
        for (struct node *at = first; at->next; at = at->next)
            at->value += 0.1 * sin(at->next->value);
    for (struct node *next; first; first = next) {
        sum += first->value;
        next = first->next;
        free(first);
    }
    return sum;
}

/* Large arrays, each read once. */
static double arrays(const double *x, int n, int t) {
    double *a = malloc((size_t)n * sizeof *a), sum = 0;
    (void)t;
    for (int i = 0; i < n; i++)
        a[i] = x[i] * x[n - 1 - i];
    for (int i = 0; i < n; i++)
        sum += a[i] / (1 + x[i]);
    free(a);
    return sum;
}

typedef struct subject {
    const char *name;
    bench_kernel_function f;
    int n, t;
    double frequency;
    int ballast; /* megabytes of the program's heap that the function does not use */
    int calls;
} subject;

static subject subjects[] = {
    {"product", product, 3, 0, 0, 0, 4000},  {"product", product, 3, 0, 0, 24, 4000},
    {"product", product, 3, 0, 0, 64, 4000}, {"arrays", arrays, 1000, 0, 0, 24, 2000},
    {"arrays", arrays, 300000, 0, 0, 0, 40}, {"arrays", arrays, 2000000, 0, 0, 0, 10},
    {"list", list, 200, 5, 0, 24, 1000},     {"list", list, 50000, 10, 0, 0, 20},
    {"floats", floats, 500, 3, 0, 24, 1000}, {"floats", floats, 200000, 10, 0, 0, 20},
    {"listing1", NULL, 1, 3360, 0, 0, 200},  {"listing1", NULL, 1, 336000, 0, 24, 5},
    {"det", NULL, 900, 30, 0, 24, 400},      {"heat", NULL, 4096, 10, 0, 24, 300},
    {"heat", NULL, 4096, 1310, 0, 0, 5},     {"nbody", NULL, 700, 20, 0, 24, 20},
    {"lorenz", NULL, 6, 100, 0, 24, 1000},   {"lorenz", NULL, 6, 340000, 0, 0, 20},
    {"sparse", NULL, 100000, 3, 0, 0, 20},   {"rec", NULL, 4, 40, 5000, 24, 5},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct call {
    const subject *subject;
    const double *x;
    double value;
} call;

static void run(void *context) {
    call *c = context;
    c->value = c->subject->f(c->x, c->subject->n, c->subject->t);
}

static double *inputs_of(const subject *s) {
    for (size_t i = 0; i < BENCH_KERNELS; i++)
        if (strcmp(bench_kernels[i].name, s->name) == 0)
            return bench_inputs(&bench_kernels[i], &(bench_size){s->n, s->t, s->frequency});
    double *x = bench_alloc((size_t)s->n, sizeof *x);
    for (int i = 0; i < s->n; i++)
        x[i] = 0.5 + 0.25 * (i % 7);
    return x;
}

static void find_kernels(void) {
    for (size_t i = 0; i < SUBJECTS; i++)
        for (size_t k = 0; k < BENCH_KERNELS; k++)
            if (strcmp(bench_kernels[k].name, subjects[i].name) == 0)
                subjects[i].f = bench_kernels[k].ours;
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

typedef struct task {
    const subject *subject;
    uint64_t memory; /* 0: no budget */
    int calls;
} task;

typedef struct measured {
    verso_status status;
    double first, later; /* seconds of the first call, and least of later ones */
    uint64_t bits;
    bool whole; /* recorded in a single pass */
    verso_native_report report;
    verso_error error;
} measured;

static void measure_calls(const void *what, void *result) {
    const task *t = what;
    measured *m = result;
    const subject *s = t->subject;
    double *x = inputs_of(s), *gradient = bench_alloc((size_t)s->n, sizeof *gradient), weight = 1;
    char *volatile kept = bench_alloc((size_t)s->ballast << 20 | 1, 1);
    char *ballast = kept;
    for (size_t i = 0; i < (size_t)s->ballast << 20; i++)
        ballast[i] = (char)(i * 7 + (i >> 9));
    call c = {.subject = s, .x = x};
    verso_array wrt = {x, (size_t)s->n, VERSO_SCALAR_DOUBLE, gradient},
                of = {&c.value, 1, VERSO_SCALAR_DOUBLE, &weight};
    verso_native_options options = {.size = sizeof(verso_native_options), .memory = t->memory};
    *m = (measured){.report = VERSO_NATIVE_REPORT_INIT, .later = INFINITY, .whole = true};
    for (int i = 0; i < t->calls && m->status == VERSO_STATUS_OK; i++) {
        double began = bench_seconds();
        m->status = verso_vjp(run, &c, &wrt, 1, &of, 1, &options, &m->report, &m->error);
        double seconds = bench_seconds() - began;
        m->first = i == 0 ? seconds : m->first;
        m->later = i > 0 ? fmin(m->later, seconds) : m->later;
        m->whole = m->whole && strcmp(m->report.schedule, "single pass") == 0;
    }
    m->bits = bench_hash(gradient, (size_t)s->n);
}

static measured measure(task t) {
    measured m = {0};
    if (!bench_in_child(measure_calls, &t, &m, sizeof m))
        bench_fail("%s: the measuring process failed", t.subject->name);
    return m;
}

/* Returns the least budget within which two calls are recorded in a single pass. */
static uint64_t find_tight(const subject *s, uint64_t most) {
    uint64_t low = 0, high = most;
    while (high - low > high / 50) {
        uint64_t middle = low + (high - low) / 2;
        measured m = measure((task){s, middle, 2});
        if (m.status == VERSO_STATUS_OK && m.whole)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static measured measure_within(const subject *s, uint64_t memory, int calls, uint64_t bits) {
    measured m = measure((task){s, memory, calls});
    if (m.status != VERSO_STATUS_OK)
        bench_fail("%s within %.1f MB: %s", s->name, (double)memory / MB, m.error.message);
    if (m.bits != bits)
        bench_fail("%s within %.1f MB: the gradient has other bits", s->name, (double)memory / MB);
    return m;
}

static double measure_subject(const subject *s, int calls, FILE *csv) {
    measured none = measure((task){s, 0, calls});
    if (none.status != VERSO_STATUS_OK)
        bench_fail("%s: %s", s->name, none.error.message);
    uint64_t ballast = (uint64_t)s->ballast << 20, inputs = (uint64_t)s->n * sizeof(double);
    uint64_t ample = 4 * (none.report.peak_bytes + 2 * (ballast + inputs)) + (UINT64_C(32) << 20);
    uint64_t tight = find_tight(s, ample);
    measured a = measure_within(s, ample, calls, none.bits), b = measure_within(s, tight, calls, none.bits);
    printf("%-9s %8.2f %5d %10.1f %10.1f %9.1f %7.2f %7.2f %9.1f %7.2f %7.2f\n", s->name,
           (double)none.report.peak_bytes / MB, s->ballast, 1e6 * none.first, 1e6 * none.later, (double)ample / MB,
           a.first / none.first, a.later / none.later, (double)tight / MB, b.first / none.first, b.later / none.later);
    fprintf(csv, "%s,%d,%d,%d,%zu,%.9f,%.9f,%llu,%.9f,%.9f,%llu,%.9f,%.9f\n", s->name, s->n, s->t, s->ballast,
            none.report.peak_bytes, none.first, none.later, (unsigned long long)ample, a.first, a.later,
            (unsigned long long)tight, b.first, b.later);
    fflush(stdout);
    return a.later / none.later;
}

int main(int argc, char **argv) {
    int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    FILE *csv = bench_create(bench_folder(argc - quick, argv + quick), "native-fits.csv");
    double worst = 0;
    find_kernels();
    fprintf(csv, "program,n,t,ballast_mb,peak_bytes,none_first,none_later,ample,ample_first,ample_later,tight,"
                 "tight_first,tight_later\n");
    printf("%-9s %8s %5s %10s %10s %9s %7s %7s %9s %7s %7s\n", "", "MB", "heap", "none: 1st", "later, us", "ample: MB",
           "1st /", "later /", "tight: MB", "1st /", "later /");
    for (size_t i = 0; i < SUBJECTS; i++)
        worst = fmax(worst, measure_subject(&subjects[i], quick ? 2 + subjects[i].calls / 10 : subjects[i].calls, csv));
    printf("\nlater calls, ample: at most %.2f times a call without a budget; the bar: %.2f\n", worst, BAR);
    bench_close(csv);
    return worst > BAR;
}
