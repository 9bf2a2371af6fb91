/* The main program of tests/native/native_schedules.sh, linked with a program of this folder. It computes the program's
 * gradient under every kind of schedule, given by VERSO_SCHEDULE with several numbers of capsules and lengths of steps.
 * Each gradient must have the bits of the one in a single pass, or be refused with a message that names what would
 * suffice.
 *
 * PROGRAM --at POINT --slots N,... --leaves BYTES,... [--memory BYTES,...] [--seconds S]
 *   --at        as in harness.c
 *   --memory    budgets to be tested, too, each with the automatic schedule and with some kinds
 *   --seconds   approximate limit of the duration of one gradient; combinations that take longer are left out */
#include "point.h"

#include <stdbool.h>
#include <time.h>
#include <verso/native.h>

double f(const double *x, size_t n);

/* %1$llu stands for the number of capsules, %2$llu for three times as many. */
static const char *const schedules[] = {
    "store-all",
    "none",
    "every-k,distance=%1$llu",
    "revolve,slots=%1$llu",
    "treeverse,space=%1$llu",
    "treeverse,time=%1$llu,split=bisection",
    "binary,slots=%1$llu",
    "binary,space=%1$llu,time=%1$llu,split=bisection",
    "binary,log",
    "disk,slots=%1$llu",
    "periodic,slots=%1$llu,write=2.5,read=1",
    "levels,levels=%1$llu:0:0",
    "levels,levels=%1$llu:0:0,%2$llu:0.5:1,inf:4:3",
    "online,slots=%1$llu",
    "online,slots=%1$llu,disk,write=3,read=3",
    "mixed,slots=%1$llu",
    "resilient,slots=%1$llu,distance=%2$llu",
    "resilient,slots=%1$llu,distance=%2$llu,adjoint-distance=%1$llu",
    "continuous,slots=%1$llu",
    "single-recovery,slots=%1$llu,distance=%2$llu",
    "two-level,slots=%1$llu,distance=%2$llu",
};
enum { SCHEDULES = sizeof schedules / sizeof *schedules, LIST_MOST = 16 };

typedef struct task {
    double *x, *whole, *gradient;
    size_t n;
    double value, seconds; /* of the gradient in a single pass */
    double seconds_most;
    uint64_t tape;
    unsigned same, refused, skipped, failed;
} task;

typedef struct list {
    uint64_t at[LIST_MOST];
    size_t count;
} list;

static list read_list(const char *text) {
    list list = {.count = 0};
    for (char *end; *text != '\0' && list.count < LIST_MOST; text = *end == ',' ? end + 1 : end) {
        list.at[list.count++] = strtoull(text, &end, 10);
        if (end == text)
            usage("a list of numbers is wanted");
    }
    return list;
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool names_the_least(const char *message) {
    static const char *const words[] = {"would do", "at least", "impossible"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(message, words[i]))
            return true;
    return false;
}

static void compare(task *t, const char *schedule, const char *memory) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    setenv("VERSO_SCHEDULE", schedule, 1);
    setenv("VERSO_MEMORY", memory, 1);
    memset(t->gradient, 0xff, t->n * sizeof(double));
    double began = seconds();
    verso_status status = verso_gradient(f, t->x, t->n, t->gradient, NULL, &report, &error);
    double took = seconds() - began;
    unsetenv("VERSO_SCHEDULE");
    unsetenv("VERSO_MEMORY");
    if (getenv("VERBOSE"))
        printf("\n    %-50s %8s  %s  %.3f s  %s", schedule, memory, verso_status_name(status), took,
               status == VERSO_STATUS_OK ? report.schedule : error.message);
    bool same = status == VERSO_STATUS_OK && memcmp(t->gradient, t->whole, t->n * sizeof(double)) == 0 &&
                memcmp(&report.value, &t->value, sizeof(double)) == 0;
    bool refused = status == VERSO_STATUS_IMPOSSIBLE && names_the_least(error.message);
    bool kept = status != VERSO_STATUS_OK || report.budget_bytes == 0 || report.peak_bytes <= report.budget_bytes;
    t->same += same;
    t->refused += refused;
    if ((same || refused) && kept)
        return;
    t->failed++;
    printf("\n    %s %s: %s; steps %llu, peak %zu of %llu", schedule, memory,
           status == VERSO_STATUS_OK ? (same ? "beyond the budget" : "other bits") : error.message,
           (unsigned long long)report.steps, report.peak_bytes, (unsigned long long)report.budget_bytes);
}

/* Returns whether the slowest schedule takes too long with this many capsules: n steps on s slots take about
 * n^(1 + 1/s). */
static bool is_slow(const task *t, uint64_t slots, uint64_t leaf) {
    double steps = (double)t->tape / (double)leaf + 1, times = 1;
    for (double reached = 1; reached < steps; times++)
        reached *= ((double)slots + times) / times;
    double copies = (2e-6 + 1e-9 * (double)t->n * sizeof(double)) * steps * times; /* of capsules */
    return t->seconds * times + copies > t->seconds_most;
}

static void try_all(task *t, const list *slots, const list *leaves) {
    char text[2][128];
    for (size_t i = 0; i < slots->count; i++)
        for (size_t j = 0; j < leaves->count; j++) {
            if (is_slow(t, slots->at[i], leaves->at[j])) {
                t->skipped++;
                continue;
            }
            for (size_t k = 0; k < SCHEDULES; k++) {
                unsigned long long count = slots->at[i];
                snprintf(text[0], sizeof text[0], schedules[k], count, 3 * count);
                snprintf(text[1], sizeof text[1], "%s,leaf=%llu", text[0], (unsigned long long)leaves->at[j]);
                compare(t, text[1], "");
            }
        }
}

static void try_budgets(task *t, const list *budgets) {
    for (size_t i = 0; i < budgets->count; i++) {
        char memory[32];
        snprintf(memory, sizeof memory, "%llu", (unsigned long long)budgets->at[i]);
        compare(t, "", memory);
        compare(t, "revolve", memory);
        compare(t, "store-all", memory);
        compare(t, "disk,slots=2", memory);
        compare(t, "every-k,distance=5", memory);
    }
}

int main(int argc, char **argv) {
    task t = {.seconds_most = 0.25};
    list slots = {.count = 0}, leaves = {.count = 0}, budgets = {.count = 0};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--at") == 0)
            t.x = read_point(argv[i + 1], &t.n);
        else if (strcmp(argv[i], "--slots") == 0)
            slots = read_list(argv[i + 1]);
        else if (strcmp(argv[i], "--leaves") == 0)
            leaves = read_list(argv[i + 1]);
        else if (strcmp(argv[i], "--memory") == 0)
            budgets = read_list(argv[i + 1]);
        else if (strcmp(argv[i], "--seconds") == 0)
            t.seconds_most = atof(argv[i + 1]);
        else
            usage(argv[i]);
    }
    if (!t.x)
        usage("--at is missing");
    t.whole = numbers(t.n);
    t.gradient = numbers(t.n);
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    t.seconds = 1e9;
    for (int i = 0; i < 2; i++) { /* the first one pays for fresh memory */
        double began = seconds();
        if (verso_gradient(f, t.x, t.n, t.whole, NULL, &report, &error) != VERSO_STATUS_OK)
            usage(error.message);
        double took = seconds() - began;
        t.seconds = took < t.seconds ? took : t.seconds;
    }
    t.value = report.value;
    t.tape = report.tape_bytes;
    try_all(&t, &slots, &leaves);
    try_budgets(&t, &budgets);
    printf(" tape %llu: %u gradients with the same bits, %u refused, %u too slow\n", (unsigned long long)t.tape, t.same,
           t.refused, t.skipped);
    return t.failed > 0;
}
