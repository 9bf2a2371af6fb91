/* bench/schedules [FOLDER [COMMAND]]: the cost of making a schedule, for every kind.
 *
 *   10^6 actions     a whole schedule of more than 10^6 actions, from `new` to DONE, scaled to 10^6
 *   cost             `new` and `cost` of 10^12 steps
 *   first action     `new` and the first `next` of 10^9 steps
 *   memory           peak of the heap in the three above
 *   command          `verso plan KIND … --steps 1e6 --actions > /dev/null`, one process from start to end
 *
 * Each time is the least of several runs, because other work on the machine only makes a run longer. Prints one
 * table with the targets and writes it as schedules.csv; a second one, schedules-slots.csv, has the cost and the first
 * action for other numbers of slots. */
#include "bench/support/heap.h"
#include "bench/support/output.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WALK_STEPS = 500000,
    WALK_INTERVALS = 250000, /* intervals of every-k, which has few actions per interval */
    INTERVAL = 1000,
    SLOTS = 52,
    RUNS = 40,         /* of work that takes milliseconds */
    COMMAND_RUNS = 10, /* of work that takes a fraction of a second */
    HOPELESS_MS = 200,
    ARGUMENTS_MAX = 24,
};
static const uint64_t COST_STEPS = UINT64_C(1000000000000);
static const uint64_t FIRST_STEPS = UINT64_C(1000000000);

/* Targets, in milliseconds. */
static const double BAR_REVOLVE = 15, BAR_ACTIONS = 50, BAR_COST = 1, BAR_FIRST = 10, BAR_COMMAND = 500;

/* ---- What is measured ------------------------------------------------------------------------------------------- */

/* One row. `options` are those of the command besides --steps; a %d stands for the distance, which depends on the
 * steps: the smallest that costs no forward step. */
typedef struct subject {
    const char *name;
    const char *options;
    verso_schedule_kind kind;
    bool bisection, with_disk;
} subject;

static const subject subjects[] = {
    {"store-all", "store-all", VERSO_KIND_STORE_ALL, false, false},
    {"every-k", "every-k --interval 1000", VERSO_KIND_EVERY_K, false, false},
    {"none", "none", VERSO_KIND_NONE, false, false},
    {"revolve", "revolve --slots 52", VERSO_KIND_REVOLVE, false, false},
    {"treeverse, log, binomial", "treeverse --log", VERSO_KIND_TREEVERSE, false, false},
    {"treeverse, log, bisection", "treeverse --log --split bisection", VERSO_KIND_TREEVERSE, true, false},
    {"binary, log, binomial", "binary --log", VERSO_KIND_BINARY, false, false},
    {"disk", "disk --slots 52 --write 5 --read 5", VERSO_KIND_DISK, false, false},
    {"periodic", "periodic --slots 52 --write 5 --read 5", VERSO_KIND_PERIODIC, false, false},
    {"levels, three tiers", "levels --levels 50:0:0,500:2:2,5000:10:10", VERSO_KIND_LEVELS, false, false},
    {"online", "online --slots 52", VERSO_KIND_ONLINE, false, false},
    {"online, disk", "online --slots 52 --write 5 --read 5", VERSO_KIND_ONLINE, false, true},
    {"mixed", "mixed --slots 52", VERSO_KIND_MIXED, false, false},
    {"resilient", "resilient --slots 52 --distance %d --adjoint-distance %d", VERSO_KIND_RESILIENT, false, false},
    {"continuous", "continuous --slots 52 --distance %d --adjoint-distance %d", VERSO_KIND_CONTINUOUS, false, false},
    {"single-recovery", "single-recovery --slots 52 --distance %d --adjoint-distance %d", VERSO_KIND_SINGLE_RECOVERY,
     false, false},
    {"two-level", "two-level --slots 52 --distance %d", VERSO_KIND_TWO_LEVEL, false, false},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static uint64_t free_distance(uint64_t steps, uint64_t slots) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_RESILIENT);
    spec.steps = spec.distance = steps; /* no bound */
    spec.slots = slots;
    uint64_t distance = bench_cost(&spec).free_distance;
    uint64_t least = (steps + slots - 1) / slots; /* the least distance that `resilient` accepts */
    return distance > least ? distance : least;
}

static verso_schedule_spec spec_of(const subject *subject, uint64_t steps) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, subject->kind);
    spec.steps = steps;
    spec.slots = SLOTS;
    spec.write_cost = spec.read_cost = 5;
    spec.with_disk = subject->with_disk;
    spec.tier_count = 3;
    spec.tiers[0] = (verso_tier){.capacity = 50};
    spec.tiers[1] = (verso_tier){.capacity = 500, .write_cost = 2, .read_cost = 2};
    spec.tiers[2] = (verso_tier){.capacity = 5000, .write_cost = 10, .read_cost = 10};
    spec.distance = subject->kind == VERSO_KIND_EVERY_K ? INTERVAL : free_distance(steps, SLOTS);
    spec.adjoint_distance = spec.distance;
    spec.split = subject->bisection ? VERSO_SPLIT_BISECTION : VERSO_SPLIT_BINOMIAL;
    return spec;
}

typedef struct result {
    double actions_ms, cost_ms, first_ms, command_ms; /* actions_ms: of a million */
    uint64_t steps, actions;                          /* of the schedule that was walked */
    size_t walk_heap, cost_heap, first_heap;
} result;

/* ---- In this process -------------------------------------------------------------------------------------------- */

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static verso_schedule *make(const verso_schedule_spec *spec) {
    verso_schedule *schedule;
    verso_error error;
    if (verso_schedule_new(spec, &schedule, &error) != VERSO_STATUS_OK)
        bench_fail("%s: %s", verso_kind_word(spec->kind), error.message);
    return schedule;
}

static verso_action next(verso_schedule *schedule) {
    verso_action action;
    verso_error error;
    if (verso_schedule_next(schedule, &action, &error) != VERSO_STATUS_OK)
        bench_fail("%s", error.message);
    return action;
}

static void walk(const verso_schedule_spec *spec, result *result) {
    verso_schedule *schedule = make(spec);
    uint64_t actions = 1;
    while (next(schedule).kind != VERSO_ACTION_DONE)
        actions++;
    verso_schedule_free(schedule);
    result->actions = actions;
}

static void predict(const verso_schedule_spec *spec, result *result) {
    (void)result;
    bench_cost(spec);
}

static void begin(const verso_schedule_spec *spec, result *result) {
    (void)result;
    verso_schedule *schedule = make(spec);
    next(schedule);
    verso_schedule_free(schedule);
}

typedef void job(const verso_schedule_spec *spec, result *result);

/* Returns the least of several runs; work that is far beyond every target is run once. */
static double time_job(job *work, const verso_schedule_spec *spec, int runs, result *result, size_t *heap) {
    double least = 1e300;
    for (int run = 0; run < runs; run++) {
        bench_heap_start();
        double start = now_ms();
        work(spec, result);
        double time = now_ms() - start;
        least = time < least ? time : least;
        *heap = bench_heap_peak();
        if (time > HOPELESS_MS)
            break;
    }
    return least;
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

/* Makes the arguments of "verso plan OPTIONS --steps 1e6 --actions"; they point into `text`. */
static void command_arguments(const char *command, const char *options, char *text, size_t size, char **argv) {
    uint64_t distance = free_distance(1000000, SLOTS);
    size_t used = 0;
    for (const char *c = options; *c && used + 24 < size; c++) {
        if (c[0] == '%' && c[1] == 'd') {
            used += (size_t)snprintf(text + used, size - used, "%" PRIu64, distance);
            c++;
        } else {
            text[used++] = *c;
        }
    }
    text[used] = '\0';
    size_t count = 0;
    argv[count++] = (char *)(uintptr_t)command;
    argv[count++] = "plan";
    for (char *word = strtok(text, " "); word && count + 4 < ARGUMENTS_MAX; word = strtok(NULL, " "))
        argv[count++] = word;
    argv[count++] = "--steps";
    argv[count++] = "1e6";
    argv[count++] = "--actions";
    argv[count] = NULL;
}

static void run_command(char **argv) {
    posix_spawn_file_actions_t files;
    pid_t child;
    int status;
    char *environment[] = {NULL};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&child, argv[0], &files, NULL, argv, environment) != 0)
        bench_fail("cannot run %s", argv[0]);
    posix_spawn_file_actions_destroy(&files);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_fail("%s plan %s failed", argv[0], argv[2]);
}

static double time_command(const char *command, const subject *subject) {
    char text[256];
    char *argv[ARGUMENTS_MAX];
    double least = 1e300;
    command_arguments(command, subject->options, text, sizeof text, argv);
    for (int run = 0; run < COMMAND_RUNS; run++) {
        double start = now_ms();
        run_command(argv);
        double time = now_ms() - start;
        least = time < least ? time : least;
    }
    return least;
}

/* COMMAND, or verso in the folder above the one this program is in. */
static const char *command_path(int argc, char **argv, char *path, size_t size) {
    if (argc > 2)
        return argv[2];
    const char *slash = strrchr(argv[0], '/');
    int folder = slash ? (int)(slash - argv[0]) : 1;
    snprintf(path, size, "%.*s/../verso", folder, slash ? argv[0] : ".");
    return path;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static result measure(const subject *subject, const char *command) {
    result result = {0};
    result.steps = subject->kind == VERSO_KIND_EVERY_K ? (uint64_t)WALK_INTERVALS * INTERVAL : WALK_STEPS;
    verso_schedule_spec spec = spec_of(subject, result.steps);
    double whole = time_job(walk, &spec, RUNS, &result, &result.walk_heap);
    result.actions_ms = whole * 1e6 / (double)result.actions;
    spec = spec_of(subject, COST_STEPS);
    result.cost_ms = time_job(predict, &spec, RUNS, &result, &result.cost_heap);
    spec = spec_of(subject, FIRST_STEPS);
    result.first_ms = time_job(begin, &spec, RUNS, &result, &result.first_heap);
    result.command_ms = time_command(command, subject);
    return result;
}

static double bar_of_actions(const subject *subject) {
    return subject->kind == VERSO_KIND_REVOLVE ? BAR_REVOLVE : BAR_ACTIONS;
}

static int misses(const subject *subject, const result *result) {
    return (result->actions_ms > bar_of_actions(subject)) + (result->cost_ms > BAR_COST) +
           (result->first_ms > BAR_FIRST) + (result->command_ms > BAR_COMMAND);
}

static void print_time(double time, int digits, double bar) {
    printf(" %12.*f%s", digits, time, time > bar ? "!" : " ");
}

static void print_row(const subject *subject, const result *result) {
    printf("%-26s", subject->name);
    print_time(result->actions_ms, 2, bar_of_actions(subject));
    print_time(result->cost_ms, 4, BAR_COST);
    print_time(result->first_ms, 4, BAR_FIRST);
    print_time(result->command_ms, 0, BAR_COMMAND);
    printf(" %10.1f %10.1f %10.1f  %s\n", (double)result->walk_heap / 1024, (double)result->cost_heap / 1024,
           (double)result->first_heap / 1024, misses(subject, result) ? "MISSED" : "met");
    fflush(stdout);
}

static void print_head(void) {
    printf("Times in milliseconds, the least of %d runs (command: %d); heap in KiB, most at a time.\n", RUNS,
           COMMAND_RUNS);
    printf("%-26s %13s %13s %13s %13s %10s %10s %10s\n", "", "10^6 actions", "cost, 10^12", "first, 10^9", "command",
           "heap: walk", "cost", "first");
    printf("%-26s %13s %13.0f %13.0f %13.0f\n", "bar", "15 (50)", BAR_COST, BAR_FIRST, BAR_COMMAND);
}

static void write_row(FILE *csv, const subject *subject, const result *result) {
    fprintf(csv, "\"%s\",%" PRIu64 ",%" PRIu64 ",%.4f,%.0f,%.5f,%.0f,%.5f,%.0f,%.2f,%.0f,%zu,%zu,%zu,%d\n",
            subject->name, result->steps, result->actions, result->actions_ms, bar_of_actions(subject), result->cost_ms,
            BAR_COST, result->first_ms, BAR_FIRST, result->command_ms, BAR_COMMAND, result->walk_heap,
            result->cost_heap, result->first_heap, misses(subject, result));
}

/* ---- Other numbers of slots ---- */

enum { SLOTS_RUNS = 5, SLOT_COUNTS = 5 };
static const uint64_t slot_counts[SLOT_COUNTS] = {1, 3, 52, 1000, 10000};

/* Tree kinds get the slots as space; levels has a second tier of four times as many. */
static verso_schedule_spec spec_with_slots(const subject *subject, uint64_t steps, uint64_t slots) {
    verso_schedule_spec spec = spec_of(subject, steps);
    spec.slots = spec.space = slots;
    spec.tier_count = 2;
    spec.tiers[0] = (verso_tier){.capacity = slots};
    spec.tiers[1] = (verso_tier){.capacity = 4 * slots, .write_cost = 5, .read_cost = 5};
    spec.distance = spec.adjoint_distance = free_distance(steps, slots);
    return spec;
}

static bool has_slots(const subject *subject) {
    return subject->kind != VERSO_KIND_STORE_ALL && subject->kind != VERSO_KIND_EVERY_K &&
           subject->kind != VERSO_KIND_NONE && subject->kind != VERSO_KIND_BINARY;
}

static int print_slots_row(FILE *csv, const subject *subject) {
    int missed = 0;
    char name[32];
    snprintf(name, sizeof name, "%.*s%s", (int)strcspn(subject->name, ","), subject->name,
             subject->with_disk   ? ", disk"
             : subject->bisection ? ", bisection"
                                  : "");
    printf("%-22s", name);
    for (size_t i = 0; i < SLOT_COUNTS; i++) {
        result result = {0};
        if (subject->kind == VERSO_KIND_SINGLE_RECOVERY && slot_counts[i] < 2) {
            printf(" %11s %10s ", "-", "-");
            continue;
        }
        verso_schedule_spec spec = spec_with_slots(subject, COST_STEPS, slot_counts[i]);
        double cost = time_job(predict, &spec, SLOTS_RUNS, &result, &result.cost_heap);
        spec = spec_with_slots(subject, FIRST_STEPS, slot_counts[i]);
        double first = time_job(begin, &spec, SLOTS_RUNS, &result, &result.first_heap);
        missed += (cost > BAR_COST) + (first > BAR_FIRST);
        printf(" %10.3f%s %9.3f%s", cost, cost > BAR_COST ? "!" : " ", first, first > BAR_FIRST ? "!" : " ");
        fprintf(csv, "\"%s\",%" PRIu64 ",%.5f,%.5f,%zu,%zu\n", name, slot_counts[i], cost, first, result.cost_heap,
                result.first_heap);
    }
    fputc('\n', stdout);
    fflush(stdout);
    return missed;
}

static void make_slots_table(const char *folder) {
    FILE *csv = bench_create(folder, "schedules-slots.csv");
    int missed = 0;
    fputs("kind,slots,cost_1e12_ms,first_1e9_ms,heap_cost_bytes,heap_first_bytes\n", csv);
    printf("\nCost of 10^12 steps and first action of 10^9, in milliseconds, by the number of slots:\n%-22s", "");
    for (size_t i = 0; i < SLOT_COUNTS; i++)
        printf(" %11" PRIu64 " %10s ", slot_counts[i], "");
    fputc('\n', stdout);
    for (size_t i = 0; i < SUBJECTS; i++)
        if (has_slots(&subjects[i]))
            missed += print_slots_row(csv, &subjects[i]);
    printf("%d beyond the bars (marked !).\n", missed);
    bench_close(csv);
}

int main(int argc, char **argv) {
    char path[4096];
    const char *command = command_path(argc, argv, path, sizeof path);
    FILE *csv = bench_create(bench_folder(argc, argv), "schedules.csv");
    fputs("kind,steps_walked,actions,ms_per_million_actions,bar,cost_1e12_ms,bar,first_1e9_ms,bar,command_1e6_ms,bar,"
          "heap_walk_bytes,heap_cost_bytes,heap_first_bytes,bars_missed\n",
          csv);
    int missed = 0;
    print_head();
    for (size_t i = 0; i < SUBJECTS; i++) {
        result result = measure(&subjects[i], command);
        print_row(&subjects[i], &result);
        write_row(csv, &subjects[i], &result);
        missed += misses(&subjects[i], &result);
    }
    bench_close(csv);
    printf("%d of %d bars missed (marked !).\n", missed, 4 * (int)SUBJECTS);
    make_slots_table(bench_folder(argc, argv));
    return EXIT_SUCCESS;
}
