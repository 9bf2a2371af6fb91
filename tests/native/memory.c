/* Whether a memory budget is kept: gradients of programs of many kinds within several budgets, by several schedules,
 * durable or not, each in a process of its own, whose resident memory at its peak must not exceed that of a plain run
 * by more than the budget and 2 MB. The gradient has the same bits as without a budget. A budget that is too small must
 * be refused with the least that is needed, and that must do at the first try.
 *
 * And whether the limit of an offload is: the recording in memory, besides cells and the rest of a gradient.
 *
 * PROGRAM quick|all|KERNEL [BUDGET [SCHEDULE|- [durable]]]    run by tests/native/native_memory.sh; budgets in bytes */
#include "tests/native/memory_kernels.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <verso/native.h>

enum { SLACK = 2000000 };

/* Instead of a budget: at most so many bytes of the recording in memory. */
static const uint64_t offload_limit = 32 << 20, offloaded = UINT64_MAX - 1;

/* ---- What is tried ---- */

typedef struct trial {
    const char *kernel;
    uint64_t budget;      /* bytes; 0: the least that is named */
    const char *schedule; /* NULL: left to Verso */
    bool durable;
    bool quick; /* part of the sample of `make check` */
} trial;

static const trial trials[] = {
    {"listing1", 0, NULL, false, false},
    {"listing1", 4000000, NULL, false, true},
    {"listing1", 16000000, NULL, false, false},
    {"listing1", 64000000, NULL, false, false},
    {"det", 0, NULL, false, false},
    {"det", 2000000, NULL, false, false},
    {"det", 16000000, NULL, false, false},
    {"heat", 0, NULL, false, true},
    {"heat", 2000000, NULL, false, false},
    {"heat", 10000000, NULL, false, false},
    {"heat", 48000000, NULL, false, false},
    {"nbody", 0, NULL, false, false},
    {"nbody", 1000000, NULL, false, false},
    {"nbody", 16000000, NULL, false, false},
    {"nbody", 64000000, NULL, false, false},
    {"lorenz", 0, NULL, false, false},
    {"lorenz", 1000000, NULL, false, false},
    {"lorenz", 10000000, NULL, false, false},
    {"sparse", 0, NULL, false, false},
    {"sparse", 16000000, NULL, false, false},
    {"sparse", 32000000, NULL, false, true},
    {"sparse", 64000000, NULL, false, false},
    {"rec", 0, NULL, false, false},
    {"rec", 2000000, NULL, false, false},
    {"rec", 16000000, NULL, false, false},
    {"floats", 0, NULL, false, false},
    {"floats", 16000000, NULL, false, false},
    {"floats", 40000000, NULL, false, false},
    {"floats", 64000000, NULL, false, true},
    {"floats", 128000000, NULL, false, false},
    {"mixed", 0, NULL, false, true},
    {"mixed", 40000000, NULL, false, false},
    {"mixed", 64000000, NULL, false, false},
    {"mixed", 0, NULL, true, false},
    {"mixed", 0, "revolve,slots=2", false, false},
    {"table", 0, NULL, false, false},
    {"table", 20000000, NULL, false, false},
    {"table", 40000000, NULL, false, true},
    {"table", 64000000, NULL, false, false},
    {"growing", 0, NULL, false, false},
    {"growing", 40000000, NULL, false, false},
    {"growing", 64000000, NULL, false, true},
    {"growing", 100000000, NULL, false, false},
    {"deep", 0, NULL, false, false},
    {"deep", 16000000, NULL, false, false},
    {"deep", 40000000, NULL, false, true},
    {"list", 0, NULL, false, true},
    {"list", 10000000, NULL, false, true},
    {"list", 16000000, NULL, false, false},
    {"list", 48000000, NULL, false, false},
    {"list", 64000000, NULL, false, false},
    {"tree", 0, NULL, false, false},
    {"tree", 4000000, NULL, false, false},
    {"tree", 16000000, NULL, false, false},
    {"tree", 64000000, NULL, false, false},
    {"network", 0, NULL, false, true},
    {"network", 30000000, NULL, false, false},
    {"network", 64000000, NULL, false, true},
    {"network", 128000000, NULL, false, false},
    {"globals", 0, NULL, false, false},
    {"globals", 10000000, NULL, false, false},
    {"globals", 16000000, NULL, false, false},
    {"globals", 64000000, NULL, false, false},
    {"small", 0, NULL, false, false},
    {"small", 30000000, NULL, false, false},
    {"small", 64000000, NULL, false, true},
    {"small", 128000000, NULL, false, false},
    {"list", 0, NULL, true, true},
    {"list", 10000000, NULL, true, false},
    {"list", 48000000, NULL, true, true},
    {"list", 64000000, NULL, true, false},
    {"heat", 0, NULL, true, false},
    {"heat", 10000000, NULL, true, false},
    {"floats", 0, NULL, true, false},
    {"floats", 64000000, NULL, true, true},
    {"network", 0, NULL, true, false},
    {"network", 64000000, NULL, true, false},
    {"tree", 16000000, NULL, true, false},
    {"growing", 64000000, NULL, true, false},
    {"deep", 40000000, NULL, true, false},
    {"globals", 0, NULL, true, false},
    {"globals", 16000000, NULL, true, false},
    {"lorenz", 2000000, NULL, true, false},
    {"sparse", 48000000, NULL, true, false},
    {"list", 48000000, "revolve", false, false},
    {"list", 48000000, "disk", false, false},
    {"list", 48000000, "disk", true, true},
    {"list", 0, "disk", true, false},
    {"list", 48000000, "online,disk,write=3,read=3", true, false},
    {"list", 48000000, "revolve", true, false},
    {"list", 0, "revolve,slots=3", false, false},
    {"list", 0, "revolve,slots=10", false, true},
    {"list", 0, "disk,slots=9", false, false},
    {"list", 48000000, "binary,log", false, false},
    {"list", 48000000, "treeverse,space=3", false, false},
    {"list", 48000000, "levels,levels=2:0:0,3:0.5:1,inf:4:3", false, false},
    {"list", 48000000, "levels,levels=2:0:0,3:0.5:1,inf:4:3", true, false},
    {"list", 48000000, "periodic,slots=2,write=2.5,read=1", false, false},
    {"list", 48000000, "two-level,slots=2,distance=6", true, true},
    {"list", 48000000, "mixed", false, false},
    {"list", 64000000, "resilient,slots=4,distance=12", true, false},
    {"list", 64000000, "continuous,slots=3", true, false},
    {"list", 64000000, "single-recovery,slots=3,distance=9", true, false},
    {"list", 0, "none", false, false},
    {"list", 64000000, "every-k,distance=4", false, false},
    {"list", 0, "store-all", false, false},
    {"heat", 10000000, "revolve", false, false},
    {"heat", 10000000, "disk", true, false},
    {"heat", 0, "disk", false, false},
    {"floats", 64000000, "revolve", false, true},
    {"floats", 64000000, "disk", false, false},
    {"floats", 64000000, "disk", true, false},
    {"floats", 0, "revolve,slots=2", false, false},
    {"longlist", 100000000, "disk,slots=2", true, true},
    {"longlist", 110000000, "disk", true, false},
    {"longlist", 0, "disk,slots=2", true, false},
    {"tree", 16000000, "disk,slots=2", true, false},
    {"tree", 0, "binary,slots=3", false, false},
    {"network", 64000000, "revolve", false, false},
    {"network", 64000000, "disk", true, false},
    {"deep", 40000000, "revolve", false, false},
    {"growing", 64000000, "disk", true, false},
    {"growing", 0, "binary,log", false, true},
    {"globals", 16000000, "disk", true, false},
    {"nbody", 4000000, "mixed,slots=3", false, false},
    {"lorenz", 1000000, "levels,levels=3:0:0,9:0.5:1,inf:4:3", true, false},
};
enum { TRIALS = sizeof trials / sizeof *trials };

typedef struct call {
    const kernel *kernel;
    const double *x;
    double value;
} call;

static void run(void *context) {
    call *c = context;
    c->value = c->kernel->f(c->x, c->kernel->n, c->kernel->t);
}

/* What a child leaves for its parent. */
typedef struct outcome {
    verso_status status;
    verso_native_report report;
    verso_error error;
    uint64_t hash; /* of the gradient */
    double seconds;
} outcome;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double *allocate(size_t count) {
    double *block = calloc(count, sizeof *block);
    if (!block)
        exit(2);
    return block;
}

/* As in bench/native.c. */
static void fill(const kernel *k, double *x) {
    srand(1);
    for (int i = 0; i < k->n; i++)
        x[i] = 0.5 + 0.5 * rand() / RAND_MAX;
    if (k->f == listing1)
        x[0] = 1.1;
    for (int i = 0; k->f == det && i < k->t; i++)
        x[i * k->t + i] += k->t;
    for (int i = 0; k->f == nbody && i < 3 * k->n / 7; i++)
        x[i] *= 4;
    if (k->f == lorenz)
        memcpy(x, (const double[]){1, 2, 3, 10, 28, 8.0 / 3}, 6 * sizeof *x);
    if (k->f == rec)
        memcpy(x, (const double[]){1, 40000, 0.3, 0.1}, 4 * sizeof *x);
}

/* What the programs find when they begin. */
static void prepare(const kernel *k) {
    if (k->f == table)
        numbers_read = allocate(NUMBERS_READ);
    for (int i = 0; k->f == table && i < NUMBERS_READ; i++)
        numbers_read[i] = 1e-6 * (1 + i % 13);
#ifdef FLOATS
    size_t count = (size_t)LAYERS * WIDTH * WIDTH;
    if (k->f == network && !(weights = malloc(count * sizeof *weights)))
        exit(2);
    for (size_t i = 0; k->f == network && i < count; i++)
        weights[i] = 0.08f * sinf((float)i);
#endif
    if (k->f == small && !(ballast = malloc(BALLAST)))
        exit(2);
    for (int i = 0; k->f == small && i < BALLAST; i++)
        ballast[i] = (char)(i * 7 + (i >> 9));
}

/* In the child: a plain run (budget 0), everything recorded (UINT64_MAX), or a gradient within the budget. */
static void work(const kernel *k, uint64_t budget, bool twice, outcome *result) {
    double *x = allocate((size_t)k->n), *gradient = allocate((size_t)k->n), weight = 1;
    fill(k, x);
    prepare(k);
    call c = {.kernel = k, .x = x};
    result->report = (verso_native_report)VERSO_NATIVE_REPORT_INIT;
    double began = seconds();
    if (budget == 0)
        run(&c);
    else {
        verso_array wrt = {x, (size_t)k->n, VERSO_SCALAR_DOUBLE, gradient},
                    of = {&c.value, 1, VERSO_SCALAR_DOUBLE, &weight};
        verso_native_options options = {.size = sizeof(verso_native_options),
                                        .memory = budget >= offloaded ? 0 : budget};
        if (budget == offloaded)
            options.offload_directory = "/tmp", options.offload_memory = offload_limit;
        result->status = verso_vjp(run, &c, &wrt, 1, &of, 1, &options, &result->report, &result->error);
        if (result->status == VERSO_STATUS_OK && budget < offloaded && twice) /* another one in this process */
            result->status = verso_vjp(run, &c, &wrt, 1, &of, 1, &options, &result->report, &result->error);
    }
    result->seconds = seconds() - began;
    for (int i = 0; i < k->n; i++) {
        uint64_t bits;
        memcpy(&bits, &gradient[i], sizeof bits);
        result->hash = (result->hash ^ bits) * 0x9e3779b97f4a7c15 + (uint64_t)i;
    }
}

/* Bytes of the child that were resident at most. */
static uint64_t measure(const kernel *k, uint64_t budget, const trial *how, outcome *result) {
    struct rusage usage;
    int status = 1;
    char directory[] = "/tmp/verso-memory-XXXXXX", command[80];
    memset(result, 0, sizeof *result);
    if (how && how->durable && !mkdtemp(directory))
        exit(2);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (how && how->schedule)
            setenv("VERSO_SCHEDULE", how->schedule, 1);
        if (how && how->durable) /* surveys store the program's state several times */
            setenv("VERSO_RUN", directory, 1), setenv("VERSO_INTERVAL", "0.02", 1);
        work(k, budget, how && !how->durable && budget == how->budget, result);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        printf("%s: the process ended with status %d\n", k->name, status);
        exit(1);
    }
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (how && how->durable && system(command) != 0)
        exit(2);
    return (uint64_t)usage.ru_maxrss * 1024;
}

static double mega(uint64_t bytes) {
    return (double)bytes / 1e6;
}

/* What is known of a program: its size when it is run plainly, and its gradient without a budget. */
typedef struct known {
    uint64_t plain;
    outcome whole;
} known;

/* 1: the budget is kept, or is refused; `result` says which. */
static bool within(const kernel *k, uint64_t budget, const trial *how, const known *known, outcome *result) {
    uint64_t peak = measure(k, budget, how, result);
    const verso_native_report *report = &result->report;
    printf("  %-9s %6.1f MB%s%s%s: ", k->name, mega(budget), how->schedule ? " " : "",
           how->schedule ? how->schedule : "", how->durable ? " durable" : "");
    if (result->status != VERSO_STATUS_OK) {
        printf("%s\n", result->error.message);
        return result->status == VERSO_STATUS_IMPOSSIBLE;
    }
    bool kept = peak <= known->plain + budget + SLACK, same = result->hash == known->whole.hash;
    double beyond = mega(peak) - mega(known->plain) - mega(budget);
    printf("%+6.1f MB beyond plain and budget, reported %5.1f MB, %5.2f s, %s%s%s%s\n", beyond,
           mega(report->peak_bytes), result->seconds, report->schedule, kept ? "" : "  NOT KEPT",
           same ? "" : "  OTHER BITS", report->peak_bytes <= budget ? "" : "  REPORTED MORE");
    return kept && same && report->peak_bytes <= budget;
}

/* Cells and frames are what everything recorded took less its recording. */
static bool within_limit(const kernel *k, const known *known, outcome *result) {
    uint64_t peak = measure(k, offloaded, NULL, result);
    uint64_t beside = known->whole.report.peak_bytes - known->whole.report.tape_bytes;
    const verso_native_report *report = &result->report;
    bool kept =
        peak <= known->plain + beside + offload_limit + SLACK && report->peak_bytes <= beside + offload_limit + SLACK;
    bool same = result->status == VERSO_STATUS_OK && result->hash == known->whole.hash;
    printf(
        "  %-9s offload: %6.1f MB beyond plain, cells and limit, reported %5.1f MB, in a file %.1f MB, %5.2f s%s%s\n",
        k->name, mega(peak) - mega(known->plain) - mega(beside) - mega(offload_limit), mega(report->peak_bytes),
        mega(report->offload_bytes), result->seconds, kept ? "" : "  NOT KEPT", same ? "" : "  OTHER BITS");
    return kept && same && (report->offload_bytes > 0 || known->whole.report.tape_bytes < offload_limit);
}

/* The number behind "at least"; 0: there is none. */
static uint64_t least_named(const char *message) {
    static const char words[] = "at least ";
    const char *at = strstr(message, words);
    return at ? strtoull(at + sizeof words - 1, NULL, 10) : 0;
}

static bool try_one(const kernel *k, const trial *how, const known *known, outcome *result) {
    uint64_t budget = how->budget > 0 ? how->budget : 100000;
    bool good = within(k, budget, how, known, result);
    if (result->status == VERSO_STATUS_OK)
        return good;
    uint64_t least = least_named(result->error.message);
    return good && least > budget && within(k, least, how, known, result) && result->status == VERSO_STATUS_OK;
}

static known know(const kernel *k, outcome *result) {
    known known = {.plain = measure(k, 0, NULL, result)};
    double primal = result->seconds;
    uint64_t all = measure(k, UINT64_MAX, NULL, result);
    known.whole = *result;
    if (result->status != VERSO_STATUS_OK) {
        printf("%s: %s\n", k->name, result->error.message);
        exit(1);
    }
    printf("%s: plain %.1f MB, %.2f s; everything recorded %.1f MB more, %.2f s, tape %.1f MB\n", k->name,
           mega(known.plain), primal, mega(all - known.plain), result->seconds, mega(result->report.tape_bytes));
    return known;
}

static bool check_kernel(const kernel *k, bool all, outcome *result, unsigned *count) {
    bool good = true, begun = false;
    known known = {0};
    for (size_t i = 0; i < TRIALS; i++) {
        const trial *how = &trials[i];
        if (strcmp(how->kernel, k->name) != 0 || !(all || how->quick))
            continue;
        if (!begun)
            known = know(k, result);
        begun = true;
        good = try_one(k, how, &known, result) && good;
        ++*count;
    }
    if (all && begun)
        good = within_limit(k, &known, result) && good;
    return good;
}

/* VERSO_RUN is set when the program starts, so that its addresses are not random: some of its children run durably. */
int main(int argc, char **argv) {
    unsetenv("VERSO_RUN");
    outcome *result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const char *which = argc > 1 ? argv[1] : "quick";
    bool good = true, all = strcmp(which, "quick") != 0, any = !all || strcmp(which, "all") == 0;
    unsigned count = 0;
    for (size_t i = 0; i < KERNELS; i++) {
        if (!any && strcmp(which, kernels[i].name) != 0)
            continue;
        if (argc > 2) {
            const char *schedule = argc > 3 && strcmp(argv[3], "-") != 0 ? argv[3] : NULL;
            trial how = {which, strtoull(argv[2], NULL, 10), schedule, argc > 4, true};
            known known = know(&kernels[i], result);
            good = try_one(&kernels[i], &how, &known, result) && good;
            count++;
        } else
            good = check_kernel(&kernels[i], all, result, &count) && good;
    }
    printf("%s: %u budgets\n", good && count > 0 ? "all are kept" : "FAILED", count);
    return !good || count == 0;
}
