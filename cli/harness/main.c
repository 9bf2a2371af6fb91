/* The program around a function that `verso grad` and `verso check` differentiate. The command carries this text, and
 * has it compiled by `verso cc` together with one function, verso_harness_call, that calls the user's.
 *
 *     program gradient INPUT RESULT
 *     program check INPUT RESULT SEED CUTS
 *
 * INPUT (cli/derive_run.c writes it) is a row of 64-bit words and the values of the parameters as they lie in memory.
 * RESULT is lines of a name and its values, numbers in hexadecimal so that they are exact; behind the line "gradient N"
 * follow N doubles as they lie in memory.
 *
 * Plain calls are timed in a child, before anything else: whatever state the function leaves behind, the gradient is
 * that of its first call. What the function prints while it is timed goes nowhere. */
#define _GNU_SOURCE
#undef main /* the user's files have theirs renamed */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <verso/native.h>

void verso_harness_call(void **at);

enum { KIND_NONE = 3, KIND_BYTES = 3, KIND_NULL = 4, WRT = 1, OF = 2 }; /* below KIND_NONE: a verso_scalar */

typedef struct parameter {
    uint64_t kind, size, count, flags;
    void *first; /* its bytes as they were given */
} parameter;

typedef struct task {
    uint64_t result_kind, parameter_count;
    parameter *parameters;
    void **at; /* the result, then the parameters */
    verso_array *wrt, *of;
    size_t wrt_count, of_count;
    double value;
} task;

static void run(void *context) {
    verso_harness_call(context);
}

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "verso harness: %s\n", what);
    exit(1);
}

static void *allocate(uint64_t count, uint64_t size) {
    void *block = calloc(count + 1, size ? size : 1);
    if (!block)
        give_up("out of memory");
    return block;
}

/* ---- Input ---- */

static void read_bytes(FILE *input, void *bytes, size_t size) {
    if (fread(bytes, 1, size, input) != size)
        give_up("the input ends too early");
}

static uint64_t read_word(FILE *input) {
    uint64_t word;
    read_bytes(input, &word, sizeof word);
    return word;
}

static void add_region(verso_array *regions, size_t *count, const parameter *p, void *data) {
    regions[(*count)++] = (verso_array){.data = data,
                                        .count = p->count,
                                        .type = (verso_scalar)p->kind,
                                        .derivative = allocate(p->count, sizeof(double))};
}

/* Beside every array is room for one number more, so that none is empty. */
static void read_input(FILE *input, task *t) {
    t->result_kind = read_word(input);
    t->parameter_count = read_word(input);
    t->parameters = allocate(t->parameter_count, sizeof *t->parameters);
    t->at = allocate(t->parameter_count + 1, sizeof *t->at);
    t->wrt = allocate(t->parameter_count, sizeof *t->wrt);
    t->of = allocate(2, sizeof *t->of);
    t->at[0] = allocate(1, sizeof(long double));
    for (uint64_t i = 0; i < t->parameter_count; i++) {
        parameter *p = &t->parameters[i];
        *p = (parameter){
            .kind = read_word(input), .size = read_word(input), .count = read_word(input), .flags = read_word(input)};
        if (p->kind == KIND_NULL)
            continue;
        t->at[i + 1] = allocate(p->count, p->size);
        p->first = allocate(p->count, p->size);
        read_bytes(input, p->first, p->size * p->count);
        memcpy(t->at[i + 1], p->first, p->size * p->count);
        if (p->flags & WRT)
            add_region(t->wrt, &t->wrt_count, p, t->at[i + 1]);
        if (p->flags & OF)
            add_region(t->of, &t->of_count, p, t->at[i + 1]);
    }
    if (t->of_count > 0) {
        read_bytes(input, t->of->derivative, t->of->count * sizeof(double));
        return;
    }
    parameter result = {.kind = t->result_kind, .count = 1};
    add_region(t->of, &t->of_count, &result, t->at[0]);
    t->of->derivative[0] = 1;
}

/* The parameters as they were given. */
static void reset(const task *t) {
    for (uint64_t i = 0; i < t->parameter_count; i++)
        if (t->parameters[i].kind != KIND_NULL)
            memcpy(t->at[i + 1], t->parameters[i].first, t->parameters[i].size * t->parameters[i].count);
}

/* What is differentiated: the weighted sum of the numbers in the one region of results. */
static double value_of(const verso_array *of) {
    double sum = 0;
    for (size_t i = 0; i < of->count; i++) {
        const double number = of->type == VERSO_DOUBLE  ? ((double *)of->data)[i]
                              : of->type == VERSO_FLOAT ? (double)((float *)of->data)[i]
                                                        : (double)((long double *)of->data)[i];
        sum = of->count == 1 && of->derivative[0] == 1 ? number : sum + of->derivative[i] * number;
    }
    return sum;
}

/* ---- Time ---- */

/* Elapsed time; when it is long, less what others had of the processor, which a slower and coarser clock tells. */
typedef struct stopwatch {
    double processor, elapsed;
} stopwatch;

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static stopwatch start(void) {
    const double processor = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    return (stopwatch){.processor = processor, .elapsed = read_clock(CLOCK_MONOTONIC)};
}

static double stop(stopwatch begin) {
    const double elapsed = read_clock(CLOCK_MONOTONIC) - begin.elapsed;
    const double processor = read_clock(CLOCK_PROCESS_CPUTIME_ID) - begin.processor;
    return elapsed > 1e-3 && processor < elapsed ? processor : elapsed;
}

/* In the child: times plain calls, or gradients, again and again for about `budget` seconds, and tells each time that
 * is shorter than those before. (No pointers to functions here: they would count among those that a pointer of the
 * user's may mean.) */
static _Noreturn void time_calls(const task *t, bool gradients, double budget, int answer) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unsetenv("VERSO_RUN"); /* a file or a directory is for the one gradient that counts */
    unsetenv("VERSO_REPORT");
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    double best = -1;
    const double end = read_clock(CLOCK_MONOTONIC) + budget;
    do {
        reset(t);
        const stopwatch begin = start();
        if (gradients)
            (void)verso_vjp(run, t->at, t->wrt, t->wrt_count, t->of, t->of_count, NULL, NULL);
        else
            run(t->at);
        const double seconds = stop(begin);
        if (best >= 0 && seconds >= best)
            continue;
        best = seconds;
        if (write(answer, &best, sizeof best) != sizeof best)
            break;
    } while (read_clock(CLOCK_MONOTONIC) < end);
    _exit(0);
}

/* The shortest of several calls in a process of their own; negative: not one came to its end. */
static double time_in_child(const task *t, bool gradients, double budget) {
    int ends[2];
    double best = -1;
    fflush(NULL);
    if (pipe(ends) != 0)
        return best;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        time_calls(t, gradients, budget, ends[1]);
    }
    close(ends[1]);
    while (child > 0 && read(ends[0], &best, sizeof best) == sizeof best)
        ;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return best;
}

/* ---- What is asked for ---- */

/* A bar on the terminal, for runs that take some time. */
static void show_progress(void *context, const verso_progress *progress) {
    bool *shown = context;
    if (progress->seconds > 1 && (progress->phase != VERSO_PHASE_DONE || *shown)) {
        verso_progress_bar(stderr, progress);
        *shown = true;
    }
}

static void write_error(FILE *result, const verso_error *error, verso_status status) {
    fprintf(result, "error %s\n", error->message[0] ? error->message : verso_status_text(status));
}

static void gradient(task *t, FILE *result) {
    enum { SHORT_MS = 30 };
    const double budget = SHORT_MS * 1e-3;
    verso_native_report report = {0};
    verso_run_options how;
    bool shown = false;
    verso_run_options_init(&how);
    how.automatic = true; /* or what the environment says */
    how.progress = show_progress;
    how.progress_context = &shown;
    verso_native_options options = {.run = &how};
    double primal = time_in_child(t, false, budget);
    const stopwatch begin = start();
    verso_status status = verso_vjp(run, t->at, t->wrt, t->wrt_count, t->of, t->of_count, &options, &report);
    double seconds = stop(begin);
    if (status != VERSO_OK) {
        write_error(result, &report.error, status);
        return;
    }
    fprintf(result, "value %a\n", value_of(t->of));
    fprintf(result, "steps %llu\nforward_steps %llu\nrecordings %llu\n", (unsigned long long)report.steps,
            (unsigned long long)report.forward_steps, (unsigned long long)report.recordings);
    fprintf(result, "tape_bytes %llu\noffload_bytes %llu\npeak_bytes %llu\n", (unsigned long long)report.tape_bytes,
            (unsigned long long)report.offload_bytes, (unsigned long long)report.peak_bytes);
    fprintf(result, "capsules %llu\nleaf_bytes %llu\nbudget_bytes %llu\nschedule %s\n",
            (unsigned long long)report.capsules, (unsigned long long)report.leaf_bytes,
            (unsigned long long)report.budget_bytes, report.schedule);
    double again = seconds < budget ? time_in_child(t, true, budget) : -1;
    fprintf(result, "seconds_gradient %a\n", again >= 0 && again < seconds ? again : seconds);
    if (primal >= 0)
        fprintf(result, "seconds_primal %a\n", primal);
    size_t count = 0;
    for (size_t i = 0; i < t->wrt_count; i++)
        count += t->wrt[i].count;
    fprintf(result, "gradient %zu\n", count);
    for (size_t i = 0; i < t->wrt_count; i++)
        fwrite(t->wrt[i].derivative, sizeof(double), t->wrt[i].count, result);
}

static void check(const task *t, const char *seed, const char *cuts, FILE *result) {
    verso_check_options options = {.seed = strtoull(seed, NULL, 10), .cuts = strtoull(cuts, NULL, 10)};
    verso_check_report report = {0};
    if (options.cuts == UINT64_MAX) {
        options.cuts = 0;
        options.every = UINT64_MAX;
    }
    verso_status status = verso_check(run, t->at, t->wrt, t->wrt_count, t->of, t->of_count, &options, &report);
    if (status != VERSO_OK) {
        write_error(result, &report.error, status);
        return;
    }
    fprintf(result, "steps %llu\n", (unsigned long long)report.safepoints);
    fprintf(result, "dot %a %a %a %d\n", report.dot_reverse, report.dot_tangent, report.dot_bound, report.dot_holds);
    fprintf(result, "taylor %d %a %a %d %d\n", VERSO_CHECK_STEPS, report.taylor_order, report.taylor_noise,
            report.taylor_linear, report.taylor_holds);
    for (int i = 0; i < VERSO_CHECK_STEPS; i++)
        fprintf(result, "taylor_%d %a %a %a\n", i, report.taylor_step[i], report.taylor_remainder[i],
                report.taylor_orders[i]);
    fprintf(result, "cuts %llu %llu %llu %d\n", (unsigned long long)report.cut_sweeps,
            (unsigned long long)report.stretches, (unsigned long long)report.cut_difference, report.cuts_hold);
    if (report.within)
        fprintf(result, "within %llu %d\nschedule %s\n", (unsigned long long)report.within_difference,
                report.within_holds, report.within_run.schedule);
    fprintf(result, "holds %d\n", report.holds);
}

int main(int argc, char **argv) {
    task t = {0};
    FILE *input = argc >= 4 ? fopen(argv[2], "rb") : NULL;
    if (!input)
        give_up("usage: program gradient|check INPUT RESULT [SEED CUTS]");
    read_input(input, &t);
    fclose(input);
    FILE *result = fopen(argv[3], "wb");
    if (!result)
        give_up("the result cannot be written");
    if (strcmp(argv[1], "gradient") == 0)
        gradient(&t, result);
    else if (strcmp(argv[1], "check") == 0 && argc == 6)
        check(&t, argv[4], argv[5], result);
    if (ferror(result) | fclose(result))
        give_up("the result cannot be written");
    return 0;
}
