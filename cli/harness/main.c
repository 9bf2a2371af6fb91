/* The main program with which `verso grad`, `verso check` and their relatives differentiate a function. This text is
 * embedded in the `verso` executable (cli/derive_build.c), which compiles it with `verso cc` together with a generated
 * function, verso__harness_call, that calls the user's function.
 *
 *     program gradient INPUT RESULT [timing]
 *     program check INPUT RESULT SEED CUTS
 *     program hvp|hessian|sparse INPUT RESULT    compiled with -DVERSO_HARNESS_SECOND
 *     program jacobian|sparse INPUT RESULT       compiled with -DVERSO_HARNESS_MATRIX
 *
 * INPUT is written by cli/derive_run.c: 64-bit integers and the values of the parameters, as in memory. RESULT is
 * text: each line has a name and its values, numbers in hexadecimal so that they are exact. After the line "gradient
 * N" follow N doubles as in memory.
 *
 * The function is called once, for its gradient. With `timing` it is called again afterwards, in child processes that
 * were forked before the first call, so that they have the memory of that moment. Their output is discarded, but their
 * effects on files happen again. The exit status is 75 if a durable run was suspended. */
#define _GNU_SOURCE
#undef main /* `main` is defined as another name, to rename that of the user's files */
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
#include <verso/hessian.h>
#include <verso/jacobian.h>
#include <verso/native.h>

void verso__harness_call(void **at);

enum { EXIT_SUSPENDED = 75 }; /* VERSO_EXIT_SUSPENDED of drive/limits.h */
/* Kinds of parameters, as in cli/derive_run.c: below KIND_BYTES a verso_scalar; KIND_BYTES: not differentiated;
 * KIND_NULL: a null pointer. Then the flags. */
enum { KIND_BYTES = 3, KIND_NULL = 4, WRT = 1, OF = 2 };

typedef struct parameter {
    uint64_t kind, size, count, flags;
    void *first; /* copy of its bytes as given in INPUT */
} parameter;

typedef struct task {
    uint64_t result_kind, parameter_count;
    parameter *parameters;
    void **at; /* pointers to the result and to the parameters, for verso__harness_call */
    verso_array *wrt, *of;
    size_t wrt_count, of_count;
    double value;
} task;

static void run(void *context) {
    verso__harness_call(context);
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

/* Arrays are allocated with one additional element, so that none is empty. */
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

/* ---- Results ---- */

/* Shows a progress bar on the terminal for runs that take more than a second. */
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

static bool is_durable(void) {
    const char *directory = getenv("VERSO_RUN");
    return directory && directory[0];
}

#ifndef VERSO_HARNESS_MATRIX

static void write_counts(FILE *result, const verso_native_report *report) {
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"steps", report->steps},           {"forward_steps", report->forward_steps},
                  {"recordings", report->recordings}, {"tape_bytes", report->tape_bytes},
                  {"peak_bytes", report->peak_bytes}, {"offload_bytes", report->offload_bytes},
                  {"capsules", report->capsules},     {"leaf_bytes", report->leaf_bytes},
                  {"begun_anew", report->begun_anew}, {"budget_bytes", report->budget_bytes}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        fprintf(result, "%s %llu\n", counts[i].name, (unsigned long long)counts[i].count);
    fprintf(result, "schedule %s\n", report->schedule);
}

#endif

#if !defined VERSO_HARNESS_MATRIX && !defined VERSO_HARNESS_SECOND

/* ---- Time ---- */

/* Restores the parameters to their values in INPUT. */
static void reset(const task *t) {
    for (uint64_t i = 0; i < t->parameter_count; i++)
        if (t->parameters[i].kind != KIND_NULL)
            memcpy(t->at[i + 1], t->parameters[i].first, t->parameters[i].size * t->parameters[i].count);
}

/* Measures elapsed time; for more than 1 ms processor time, if that is less, which excludes other processes. (The
 * processor's clock is slower and coarser, so it is not used for short times.) */
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

/* In a child process: times plain calls, or gradients, repeatedly for about `budget` seconds, and writes each time that
 * is shorter than all before to `answer`. (Takes no function pointer as parameter: a function whose address is taken
 * would count as a possible target of the user's function pointers.) */
static _Noreturn void time_calls(const task *t, bool gradients, double budget, int answer) {
    unsetenv("VERSO_RUN"); /* only the first gradient may use the run directory and the report file */
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
            (void)verso_vjp(run, t->at, t->wrt, t->wrt_count, t->of, t->of_count, NULL, NULL, NULL);
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

/* A child process that has the program's memory as it is now, and begins to time calls when use_timer is called. */
typedef struct timer {
    pid_t child;
    int go, answer;
} timer;

static timer make_timer(const task *t, bool gradients, double budget) {
    int go[2], answer[2];
    timer timer = {-1, -1, -1};
    fflush(NULL);
    if (pipe(go) != 0)
        return timer;
    if (pipe(answer) == 0)
        timer.child = fork();
    if (timer.child == 0) {
        char signal;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(go[1]);
        close(answer[0]);
        if (read(go[0], &signal, 1) != 1)
            _exit(0);
        time_calls(t, gradients, budget, answer[1]);
    }
    timer.go = go[1];
    timer.answer = answer[0];
    close(go[0]);
    close(answer[1]);
    return timer;
}

/* Returns the duration of its shortest call in seconds; negative if no call finished. */
static double use_timer(timer timer) {
    double best = -1;
    if (timer.child < 0)
        return best;
    if (write(timer.go, "", 1) == 1)
        while (read(timer.answer, &best, sizeof best) == sizeof best)
            ;
    close(timer.go);
    close(timer.answer);
    waitpid(timer.child, NULL, 0);
    return best;
}

/* ---- Gradient and check ---- */

/* The value that is differentiated: the weighted sum of the results. */
static double value_of(const verso_array *of) {
    double sum = 0;
    for (size_t i = 0; i < of->count; i++) {
        const double number = of->type == VERSO_SCALAR_DOUBLE  ? ((double *)of->data)[i]
                              : of->type == VERSO_SCALAR_FLOAT ? (double)((float *)of->data)[i]
                                                               : (double)((long double *)of->data)[i];
        sum = of->count == 1 && of->derivative[0] == 1 ? number : sum + of->derivative[i] * number;
    }
    return sum;
}

enum { SHORT_MS = 30 };
static const double budget = SHORT_MS * 1e-3;

/* Writes the times. A short gradient is repeated, and the shortest time is written. */
static void write_times(FILE *result, const task *t, double seconds, timer plain) {
    double again = seconds < budget ? use_timer(make_timer(t, true, budget)) : -1, primal = use_timer(plain);
    fprintf(result, "seconds_gradient %a\n", again >= 0 && again < seconds ? again : seconds);
    if (primal >= 0)
        fprintf(result, "seconds_primal %a\n", primal);
}

static void write_gradient(FILE *result, const task *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->wrt_count; i++)
        count += t->wrt[i].count;
    fprintf(result, "gradient %zu\n", count);
    for (size_t i = 0; i < t->wrt_count; i++)
        fwrite(t->wrt[i].derivative, sizeof(double), t->wrt[i].count, result);
}

/* Computes the gradient and writes it to `result`. With `timing`, writes times as well. */
static verso_status gradient(task *t, bool timing, FILE *result) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    verso_run_options how;
    verso_run_report run_report = VERSO_RUN_REPORT_INIT;
    bool shown = false;
    verso_run_options_init(&how);
    how.automatic = true; /* the environment may choose another schedule */
    how.progress = show_progress;
    how.progress_context = &shown;
    how.on_signal = is_durable();
    verso_native_options options = {.size = sizeof(verso_native_options), .run = &how, .run_report = &run_report};
    const timer plain = timing ? make_timer(t, false, budget) : (timer){-1, -1, -1};
    const stopwatch begin = start();
    verso_status status = verso_vjp(run, t->at, t->wrt, t->wrt_count, t->of, t->of_count, &options, &report, &error);
    const double seconds =
        is_durable() ? run_report.seconds : stop(begin); /* a durable run's time includes earlier processes */
    if (status == VERSO_STATUS_SUSPENDED && shown)
        fputc('\n', stderr);
    if (status != VERSO_STATUS_OK) {
        write_error(result, &error, status);
        return status;
    }
    fprintf(result, "value %a\n", value_of(t->of));
    write_counts(result, &report);
    if (timing)
        write_times(result, t, seconds, plain);
    write_gradient(result, t);
    return status;
}

static verso_status check(const task *t, const char *seed, const char *cuts, FILE *result) {
    verso_run_options how;
    verso_run_options_init(&how);
    how.automatic = true;
    how.on_signal = true; /* for a durable run */
    verso_native_report within_report = VERSO_NATIVE_REPORT_INIT;
    const verso_native_options within = {.size = sizeof(verso_native_options), .run = &how};
    verso_check_options options = {.size = sizeof(verso_check_options),
                                   .within = is_durable() ? &within : NULL,
                                   .within_report = &within_report,
                                   .seed = strtoull(seed, NULL, 10),
                                   .cuts = strtoull(cuts, NULL, 10)};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_error error;
    if (options.cuts == UINT64_MAX) {
        options.cuts = 0;
        options.every = UINT64_MAX;
    }
    verso_status status = verso_check(run, t->at, t->wrt, t->wrt_count, t->of, t->of_count, &options, &report, &error);
    if (status != VERSO_STATUS_OK) {
        write_error(result, &error, status);
        return status;
    }
    fprintf(result, "steps %llu\n", (unsigned long long)report.safepoints);
    fprintf(result, "value %a %a %a %llu %d %d\n", report.value_plain, report.value_recorded, report.value_bound,
            (unsigned long long)report.value_other, report.value_fast, report.value_holds);
    fprintf(result, "difference %a %a %a %a %d\n", report.difference, report.difference_doubt, report.nearby_least,
            report.nearby_most, report.ill_conditioned);
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
                report.within_holds, within_report.schedule);
    fprintf(result, "holds %d\n", report.holds);
    return status;
}

#else

/* ---- Jacobians and Hessians ---- */

static size_t count_numbers(const verso_array *regions, size_t count) {
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++)
        numbers += regions[i].count;
    return numbers;
}

static void write_numbers(FILE *result, const double *numbers, size_t count) {
    fprintf(result, "gradient %zu\n", count);
    fwrite(numbers, sizeof *numbers, count, result);
}

/* The elements of a sparse matrix are written as triples: row, column, value. */
static void write_sparse(FILE *result, const verso_sparse *matrix) {
    double *triples = allocate(3 * matrix->entries, sizeof *triples), *to = triples;
    for (size_t i = 0; i < matrix->rows; i++)
        for (size_t k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++, to += 3) {
            to[0] = (double)i;
            to[1] = (double)matrix->column[k];
            to[2] = matrix->value[k];
        }
    fprintf(result, "entries %zu\n", matrix->entries);
    write_numbers(result, triples, 3 * matrix->entries);
}

static void set_options(verso_run_options *how, bool *shown) {
    verso_run_options_init(how);
    how->automatic = true;
    how->progress = show_progress;
    how->progress_context = shown;
    how->on_signal = is_durable();
}

#ifdef VERSO_HARNESS_SECOND

static task *now;

/* The function as one of a single array: the numbers of all parameters that are differentiated, in order. There is no
 * long double here, because then the program would compute with them. */
static double of_numbers(const double *x, size_t n) {
    double sum = 0;
    (void)n;
    for (size_t i = 0; i < now->wrt_count; i++)
        for (size_t k = 0; k < now->wrt[i].count; k++, x++) {
            if (now->wrt[i].type == VERSO_SCALAR_FLOAT)
                ((float *)now->wrt[i].data)[k] = (float)*x;
            else
                ((double *)now->wrt[i].data)[k] = *x;
        }
    run(now->at);
    const verso_array *of = now->of;
    for (size_t i = 0; i < of->count; i++) {
        const double number = of->type == VERSO_SCALAR_FLOAT ? (double)((float *)of->data)[i] : ((double *)of->data)[i];
        sum = of->count == 1 && of->derivative[0] == 1 ? number : sum + of->derivative[i] * number;
    }
    return sum;
}

static bool has_wide(const verso_array *regions, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (regions[i].type == VERSO_SCALAR_LONG_DOUBLE)
            return true;
    return false;
}

static double *take_numbers(const task *t, size_t n) {
    double *x = allocate(n, sizeof *x), *to = x;
    for (size_t i = 0; i < t->wrt_count; i++)
        for (size_t k = 0; k < t->wrt[i].count; k++)
            *to++ = t->wrt[i].type == VERSO_SCALAR_FLOAT ? (double)((float *)t->wrt[i].data)[k]
                                                         : ((double *)t->wrt[i].data)[k];
    return x;
}

static verso_status product(const double *x, size_t n, const double *direction, const verso_native_options *options,
                            FILE *result, verso_error *error) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double *found = allocate(2 * n, sizeof *found);
    verso_status status = verso_hvp(of_numbers, x, n, direction, found + n, found, options, &report, error);
    if (status != VERSO_STATUS_OK)
        return status;
    fprintf(result, "value %a\n", report.value);
    write_counts(result, &report);
    write_numbers(result, found, 2 * n);
    return status;
}

/* "hvp", "hessian" or "sparse". */
static verso_status matrix(task *t, const char *mode, FILE *result, const double *direction, verso_error *error) {
    verso_run_options how;
    bool shown = false;
    set_options(&how, &shown);
    const verso_native_options native = {.size = sizeof(verso_native_options), .run = &how};
    const verso_jacobian_options options = {.size = sizeof(verso_jacobian_options), .native = &native};
    verso_jacobian_report report = VERSO_JACOBIAN_REPORT_INIT;
    verso_status status;
    size_t n = count_numbers(t->wrt, t->wrt_count);
    if (has_wide(t->wrt, t->wrt_count) || has_wide(t->of, t->of_count)) {
        snprintf(error->message, sizeof error->message,
                 "there are no second derivatives by long doubles, or of them; use double");
        return VERSO_STATUS_INVALID;
    }
    double *x = take_numbers(t, n);
    now = t;
    if (strcmp(mode, "hvp") == 0)
        return product(x, n, direction, &native, result, error);
    if (strcmp(mode, "sparse") == 0) {
        verso_sparse *found = NULL;
        status = verso_hessian_sparse(of_numbers, x, n, &found, &options, &report, error);
        if (status == VERSO_STATUS_OK)
            fprintf(result, "rows %zu\ncolumns %zu\npasses %llu\n", n, n, (unsigned long long)report.passes);
        if (status == VERSO_STATUS_OK)
            write_sparse(result, found);
        return status;
    }
    double *found = allocate(n * n, sizeof *found);
    status = verso_hessian(of_numbers, x, n, found, &options, &report, error);
    if (status == VERSO_STATUS_OK)
        fprintf(result, "rows %zu\ncolumns %zu\npasses %llu\n", n, n, (unsigned long long)report.passes);
    if (status == VERSO_STATUS_OK)
        write_numbers(result, found, n * n);
    return status;
}

#else

/* "jacobian" or "sparse". */
static verso_status matrix(task *t, const char *mode, FILE *result, const double *direction, verso_error *error) {
    verso_run_options how;
    bool shown = false;
    set_options(&how, &shown);
    const verso_native_options native = {.size = sizeof(verso_native_options), .run = &how};
    const verso_jacobian_options options = {.size = sizeof(verso_jacobian_options), .native = &native};
    verso_jacobian_report report = VERSO_JACOBIAN_REPORT_INIT;
    size_t rows = count_numbers(t->of, t->of_count), columns = count_numbers(t->wrt, t->wrt_count);
    double *dense = NULL;
    verso_sparse *found = NULL;
    verso_status status;
    (void)direction;
    if (strcmp(mode, "sparse") == 0) {
        status = verso_jacobian_sparse(run, t->at, t->wrt, t->wrt_count, t->of, t->of_count, &found, &options, &report,
                                       error);
    } else {
        dense = allocate(rows * columns, sizeof *dense);
        status = verso_jacobian(run, t->at, t->wrt, t->wrt_count, t->of, t->of_count, dense, &options, &report, error);
    }
    if (status != VERSO_STATUS_OK)
        return status;
    fprintf(result, "rows %zu\ncolumns %zu\npasses %llu\n", rows, columns, (unsigned long long)report.passes);
    if (found)
        write_sparse(result, found);
    else
        write_numbers(result, dense, rows * columns);
    return status;
}

#endif

/* The direction follows the other input. */
static verso_status run_mode(task *t, const char *mode, FILE *input, FILE *result) {
    verso_error error = {0};
    double *direction = NULL;
    if (strcmp(mode, "hvp") == 0) {
        size_t n = count_numbers(t->wrt, t->wrt_count);
        direction = allocate(n, sizeof *direction);
        read_bytes(input, direction, n * sizeof *direction);
    }
    verso_status status = matrix(t, mode, result, direction, &error);
    if (status != VERSO_STATUS_OK)
        write_error(result, &error, status);
    return status;
}

#endif

int main(int argc, char **argv) {
    task t = {0};
    FILE *input = argc >= 4 ? fopen(argv[2], "rb") : NULL;
    if (!input)
        give_up("usage: program gradient INPUT RESULT [timing], or program check INPUT RESULT SEED CUTS");
    read_input(input, &t);
    FILE *result = fopen(argv[3], "wb");
    if (!result)
        give_up("the result cannot be written");
    verso_status status = VERSO_STATUS_OK;
#if defined VERSO_HARNESS_MATRIX || defined VERSO_HARNESS_SECOND
    status = run_mode(&t, argv[1], input, result);
#else
    if (strcmp(argv[1], "gradient") == 0)
        status = gradient(&t, argc > 4, result);
    else if (strcmp(argv[1], "check") == 0 && argc == 6)
        status = check(&t, argv[4], argv[5], result);
#endif
    fclose(input);
    if (ferror(result) | fclose(result))
        give_up("the result cannot be written");
    return status == VERSO_STATUS_SUSPENDED ? EXIT_SUSPENDED : 0;
}
