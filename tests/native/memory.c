/* Whether a memory budget is kept: gradients of the kernels of bench/native within several budgets, each in a process
 * of its own, whose resident memory at its peak must not exceed that of a plain run by more than the budget and 16 MB.
 * A budget that is too small must be refused with the least that would do, and that must do.
 *
 * And whether the limit of an offload is: the recording in memory, besides cells and the rest of a gradient.
 *
 * PROGRAM [KERNEL [BUDGET...]]    run by tests/native_memory.sh; budgets in bytes */
#include "bench/native/kernels.h"

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

enum { SLACK = 16000000 };

/* Instead of a budget: at most so many bytes of the recording in memory. */
static const uint64_t offload_limit = 32 << 20, offloaded = UINT64_MAX - 1;

typedef double (*kernel_function)(const double *x, int n, int t);

typedef struct kernel {
    const char *name;
    kernel_function f;
    int n, t; /* a recording of some hundred megabytes */
} kernel;

/* ---- Programs whose memory is special ---- */

/* A field of floats: a float has a cell of eight bytes. */
static double floats(const double *x, int n, int t) {
    float *u = malloc((size_t)n * sizeof *u), *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        u[i] = (float)x[i % 16];
    for (int k = 0; k < t; k++) {
        for (int i = 0; i < n; i++)
            v[i] = 0.5f * (u[i] + u[(i + 1) % n] * u[(i + 7) % n]);
        float *swap = u;
        u = v;
        v = swap;
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += u[i];
    free(u);
    free(v);
    return sum;
}

/* A large table that was there before, and is only read: every number of it gets a cell. */
static double *numbers_read;
enum { NUMBERS_READ = 1500000 };

static double table(const double *x, int n, int t) {
    double sum = 0;
    for (int k = 0; k < t; k++)
        for (int i = 0; i < NUMBERS_READ; i++)
            sum += numbers_read[i] * x[(i + k) % n] / (1 + sum * sum);
    return sum;
}

/* Memory that grows all along the run, in blocks that are kept. */
static double growing(const double *x, int n, int t) {
    struct block {
        struct block *before;
        double values[1000];
    } *last = NULL;
    double sum = 1;
    for (int k = 0; k < t; k++) {
        struct block *block = malloc(sizeof *block);
        block->before = last;
        for (int i = 0; i < 1000; i++)
            block->values[i] = sum = sum * 0.999 + x[i % n] * (last ? last->values[999 - i] : 1e-3);
        last = block;
    }
    for (struct block *before; last; last = before) {
        sum += last->values[sum > 0 ? 7 : 3];
        before = last->before;
        free(last);
    }
    return sum;
}

/* Numbers in the frames of a deep recursion. */
static double deep(const double *x, int n, int t) {
    double local[8], sum = 0;
    for (int i = 0; i < 8; i++)
        local[i] = x[(t + i) % n] * (1 + i * 0.01);
    double inner = t > 0 ? deep(x, n, t - 1) : 1;
    for (int i = 0; i < 8; i++)
        sum += local[i] * inner / (1 + inner * inner);
    return sum;
}

static const kernel kernels[] = {
    {"listing1", listing1, 1, 300000},
    {"det", det, 90000, 300},
    {"heat", heat, 4096, 1500},
    {"nbody", nbody, 700, 600},
    {"lorenz", lorenz, 6, 1000000},
    {"sparse", sparse, 100000, 12},
    {"rec", rec, 4, 19},
    {"floats", floats, 1000000, 8},
    {"table", table, 16, 4},
    {"growing", growing, 16, 3000},
    {"deep", deep, 16, 20000},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const uint64_t budgets[] = {4000000, 16000000, 64000000};

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

/* In the child: a plain run (budget 0), everything recorded (UINT64_MAX), or a gradient within the budget. */
static void work(const kernel *k, uint64_t budget, outcome *result) {
    double *x = allocate((size_t)k->n), *gradient = allocate((size_t)k->n), weight = 1;
    fill(k, x);
    numbers_read = allocate(k->f == table ? NUMBERS_READ : 1);
    for (int i = 0; k->f == table && i < NUMBERS_READ; i++)
        numbers_read[i] = 1e-6 * (1 + i % 13);
    call c = {.kernel = k, .x = x};
    double began = seconds();
    if (budget == 0)
        run(&c);
    else {
        verso_array wrt = {x, (size_t)k->n, VERSO_DOUBLE, gradient}, of = {&c.value, 1, VERSO_DOUBLE, &weight};
        verso_native_options options = {.memory = budget >= offloaded ? 0 : budget};
        if (budget == offloaded)
            options.offload = (verso_native_offload){.directory = "/tmp", .memory = offload_limit};
        result->status = verso_vjp(run, &c, &wrt, 1, &of, 1, &options, &result->report);
        if (budget == budgets[1]) /* another one in the same process */
            result->status = verso_vjp(run, &c, &wrt, 1, &of, 1, &options, &result->report);
    }
    result->seconds = seconds() - began;
    for (int i = 0; i < k->n; i++) {
        uint64_t bits;
        memcpy(&bits, &gradient[i], sizeof bits);
        result->hash = (result->hash ^ bits) * 0x9e3779b97f4a7c15 + (uint64_t)i;
    }
}

/* Bytes of the child that were resident at most. */
static uint64_t measure(const kernel *k, uint64_t budget, outcome *result) {
    struct rusage usage;
    int status = 1;
    memset(result, 0, sizeof *result);
    pid_t child = fork();
    if (child == 0) {
        work(k, budget, result);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        printf("%s: the process ended with status %d\n", k->name, status);
        exit(1);
    }
    return (uint64_t)usage.ru_maxrss * 1024;
}

static double mega(uint64_t bytes) {
    return (double)bytes / 1e6;
}

static bool within(const kernel *k, uint64_t budget, uint64_t plain, const outcome *whole, outcome *result) {
    uint64_t peak = measure(k, budget, result);
    const verso_native_report *report = &result->report;
    if (result->status != VERSO_OK) {
        printf("  %-9s %5.1f MB: %s\n", k->name, mega(budget), report->error.message);
        return result->status == VERSO_IMPOSSIBLE;
    }
    bool kept = peak <= plain + budget + SLACK, same = result->hash == whole->hash;
    double beyond = mega(peak) - mega(plain) - mega(budget);
    printf("  %-9s %5.1f MB: %6.1f MB beyond plain and budget, reported %5.1f MB, %5.2f s, %s%s%s\n", k->name,
           mega(budget), beyond, mega(report->peak_bytes), result->seconds, report->schedule, kept ? "" : "  NOT KEPT",
           same ? "" : "  OTHER BITS");
    return kept && same && report->peak_bytes <= budget;
}

/* Cells and frames are what everything recorded took less its recording. */
static bool within_limit(const kernel *k, uint64_t plain, const outcome *whole, outcome *result) {
    uint64_t peak = measure(k, offloaded, result), beside = whole->report.peak_bytes - whole->report.tape_bytes;
    const verso_native_report *report = &result->report;
    bool kept = peak <= plain + beside + offload_limit + SLACK && report->peak_bytes <= beside + offload_limit + SLACK;
    bool same = result->status == VERSO_OK && result->hash == whole->hash;
    printf(
        "  %-9s offload: %6.1f MB beyond plain, cells and limit, reported %5.1f MB, in a file %.1f MB, %5.2f s%s%s\n",
        k->name, mega(peak) - mega(plain) - mega(beside) - mega(offload_limit), mega(report->peak_bytes),
        mega(report->offload_bytes), result->seconds, kept ? "" : "  NOT KEPT", same ? "" : "  OTHER BITS");
    return kept && same && (report->offload_bytes > 0 || whole->report.tape_bytes < offload_limit);
}

/* The number before "would do"; 0: there is none. */
static uint64_t least_named(const char *message) {
    const char *at = strstr(message, " would do");
    while (at && at > message && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? strtoull(at, NULL, 10) : 0;
}

static bool check_kernel(const kernel *k, const uint64_t *list, size_t count, outcome *result) {
    uint64_t plain = measure(k, 0, result);
    double primal = result->seconds;
    uint64_t all = measure(k, UINT64_MAX, result);
    outcome whole = *result;
    bool good = whole.status == VERSO_OK;
    printf("%s: plain %.1f MB, %.2f s; everything recorded %.1f MB, %.2f s, tape %.1f MB\n", k->name, mega(plain),
           primal, mega(all), whole.seconds, mega(whole.report.tape_bytes));
    good = within_limit(k, plain, &whole, result) && good;
    uint64_t tried = 0;
    for (size_t i = 0; i < count; i++) {
        good = within(k, list[i], plain, &whole, result) && good;
        uint64_t least = result->status == VERSO_OK ? tried : least_named(result->report.error.message);
        if (least == tried && least > 0)
            continue;
        if (result->status != VERSO_OK)
            good = least > list[i] && within(k, tried = least, plain, &whole, result) && result->status == VERSO_OK &&
                   good;
    }
    return good;
}

int main(int argc, char **argv) {
    outcome *result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t asked[16];
    size_t count = 0;
    bool good = true;
    for (int i = 2; i < argc && count < 16; i++)
        asked[count++] = strtoull(argv[i], NULL, 10);
    for (size_t i = 0; i < KERNELS; i++)
        if (argc < 2 || strcmp(argv[1], kernels[i].name) == 0 || strcmp(argv[1], "all") == 0)
            good = check_kernel(&kernels[i], count > 0 ? asked : budgets,
                                count > 0 ? count : sizeof budgets / sizeof *budgets, result) &&
                   good;
    printf(good ? "all budgets are kept\n" : "FAILED\n");
    return !good;
}
