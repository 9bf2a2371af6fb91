/* A program whose gradient tests/native/native_durable.sh kills and continues. It has all that must outlive a process:
 * buffers that are swapped, a list that grows, variables, recursion, function pointers, long jumps, floats, guarded
 * frames.
 *
 * PROGRAM [--run DIR] [--schedule KIND|auto] [--slots N] [--steps N] [--memory BYTES] [--leaf BYTES] [--at X]
 *         [--step-limit N] [--interval S] [--files] [--disk] [--on-signal] [--regions static|heap|stack] [--weight W]
 *         [--heap BYTES] [--grow BYTES]
 * Prints value, gradient and what is left in memory, all to the last bit, and what the driver did on standard error.
 * Exits with 3 when it was suspended, with 1 and the message when it was refused. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

static verso_error error; /* of the last call that failed */

enum { INPUTS = 5, CELLS = 40 };

/* ---- The model ---- */

typedef struct note {
    struct note *next;
    double value;
    float factor;
} note;

static size_t steps = 400, growth;
static double total, extreme[3];
static unsigned calls;
static jmp_buf back;

static double damp(double u) {
    return tanh(u);
}

static double bend(double u) {
    return u / (1 + u * u);
}

static double (*const laws[])(double) = {damp, bend, sin};

/* A frame with an array, which -fstack-protector guards. */
static double spread(const double *u, size_t n) {
    char text[24];
    snprintf(text, sizeof text, "%zu", n);
    if (n <= 2)
        return u[0] * (double)strlen(text);
    return spread(u, n / 2) - 0.5 * spread(u + n / 2, n - n / 2);
}

static void check(double u) {
    if (u > 0.9)
        longjmp(back, 1);
}

static double limit(double u) {
    if (setjmp(back) != 0)
        return 0.9 + 0.01 * u;
    check(u);
    return u;
}

static note *remember(note *list, double value) {
    note *one = malloc(sizeof *one);
    if (one == NULL)
        abort();
    *one = (note){list, value, (float)(0.25 * value)};
    return one;
}

static double sum_notes(note *list) {
    double sum = 0;
    while (list != NULL) {
        note *next = list->next;
        sum += list->value * list->factor;
        free(list);
        list = next;
    }
    return sum;
}

static double simulate(const double *x, size_t n) {
    double *now = malloc(CELLS * sizeof *now), *then = malloc(CELLS * sizeof *then), *large = NULL;
    note *notes = NULL;
    if (now == NULL || then == NULL)
        abort();
    for (size_t i = 0; i < CELLS; i++)
        now[i] = sin((double)i * x[i % n]);
    for (size_t t = 0; t < steps; t++) {
        for (size_t i = 0; i < CELLS; i++) {
            double left = now[(i + CELLS - 1) % CELLS], right = now[(i + 1) % CELLS];
            then[i] = limit(now[i] + 0.1 * (left - 2 * now[i] + right) + 0.01 * laws[t % 3](x[t % n] * now[i]));
        }
        double *swap = now;
        now = then;
        then = swap;
        calls++;
        total += now[t % CELLS];
        if (t % 16 == 0)
            notes = remember(notes, spread(now, CELLS));
        if (growth > 0 && t == steps / 2) {
            large = malloc(growth);
            for (size_t i = 0; large != NULL && i < growth / sizeof *large; i++)
                large[i] = now[i % CELLS];
        }
        if (now[t % CELLS] > extreme[t % 3])
            extreme[t % 3] = now[t % CELLS];
    }
    double result = sum_notes(notes) + total + extreme[0] * extreme[1] - extreme[2];
    result += large != NULL ? large[growth / sizeof *large - 1] : 0;
    for (size_t i = 0; i < CELLS; i++)
        result += now[i] * now[i];
    free(now);
    free(then);
    free(large);
    return result;
}

/* ---- By regions ---- */

typedef struct context {
    double *x, *y;
} context;

static void run(void *data) {
    context *both = data;
    both->y[0] = simulate(both->x, INPUTS);
    both->y[1] = both->x[0] * total;
}

/* ---- The command line ---- */

typedef struct request {
    verso_run_options run;
    verso_run_report made;
    verso_native_options options;
    const char *regions;
    char *spare;
    double at, weight;
} request;

static void say(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "notice: %s\n", sentence);
}

static _Noreturn void usage(const char *word) {
    fprintf(stderr, "program: what is %s?\n", word);
    exit(2);
}

static void read_schedule(verso_run_options *run, const char *word) {
    run->automatic = strcmp(word, "auto") == 0;
    if (!run->automatic && !verso_kind_from_word(word, &run->spec.kind))
        usage(word);
}

/* An option with a value. */
static void read_option(request *request, const char *name, const char *value) {
    uint64_t number = strtoull(value, NULL, 0);
    if (strcmp(name, "--run") == 0)
        request->run.directory = value;
    else if (strcmp(name, "--schedule") == 0)
        read_schedule(&request->run, value);
    else if (strcmp(name, "--slots") == 0)
        request->run.spec.slots = number;
    else if (strcmp(name, "--steps") == 0)
        steps = number;
    else if (strcmp(name, "--memory") == 0)
        request->options.memory = number;
    else if (strcmp(name, "--leaf") == 0)
        request->options.leaf = number;
    else if (strcmp(name, "--at") == 0)
        request->at = strtod(value, NULL);
    else if (strcmp(name, "--step-limit") == 0)
        request->run.step_limit = number;
    else if (strcmp(name, "--interval") == 0)
        request->run.interval = strtod(value, NULL);
    else if (strcmp(name, "--regions") == 0)
        request->regions = value;
    else if (strcmp(name, "--weight") == 0)
        request->weight = strtod(value, NULL);
    else if (strcmp(name, "--heap") == 0)
        memset(request->spare = malloc(number), 1, number);
    else if (strcmp(name, "--grow") == 0)
        growth = number;
    else
        usage(name);
}

static void read_request(request *request, int count, char **words) {
    verso_run_options_init(&request->run);
    request->run.spec.slots = 4;
    request->run.spec.distance = 6;
    request->run.spec.adjoint_distance = 5;
    request->run.spec.write_cost = request->run.spec.read_cost = 2;
    request->run.notice = say;
    request->at = request->weight = 1;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--files") == 0)
            request->run.places[0] = VERSO_PLACE_FILES;
        else if (strcmp(words[i], "--disk") == 0)
            request->run.spec.with_disk = true;
        else if (strcmp(words[i], "--on-signal") == 0)
            request->run.on_signal = true;
        else if (i + 1 < count) {
            read_option(request, words[i], words[i + 1]);
            i++;
        } else
            usage(words[i]);
    }
    if (request->run.directory != NULL || request->options.memory != 0)
        request->options.run = &request->run;
    request->options.run_report = &request->made;
}

/* ---- Both ways ---- */

static double static_x[INPUTS], static_y[2];
static context static_context;

static verso_status by_regions(const request *request, const double *x, double *gradient, verso_native_report *report) {
    double stack_x[INPUTS], stack_y[2], weights[2] = {request->weight, 0.5};
    bool heap = strcmp(request->regions, "heap") == 0, stack = strcmp(request->regions, "stack") == 0;
    context on_stack, *both = heap ? malloc(sizeof *both) : stack ? &on_stack : &static_context;
    both->x = heap ? malloc(INPUTS * sizeof *both->x) : stack ? stack_x : static_x;
    both->y = heap ? calloc(2, sizeof *both->y) : stack ? stack_y : static_y;
    memcpy(both->x, x, INPUTS * sizeof *x);
    memset(both->y, 0, 2 * sizeof *both->y);
    verso_array wrt = {both->x, INPUTS, VERSO_SCALAR_DOUBLE, gradient}, of = {both->y, 2, VERSO_SCALAR_DOUBLE, weights};
    verso_status status = verso_vjp(run, both, &wrt, 1, &of, 1, &request->options, report, &error);
    report->value = both->y[0] + both->y[1];
    return status;
}

int main(int count, char **words) {
    request request = {.made = VERSO_RUN_REPORT_INIT, .options = VERSO_NATIVE_OPTIONS_INIT};
    double x[INPUTS], gradient[INPUTS] = {0};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    read_request(&request, count, words);
    for (size_t i = 0; i < INPUTS; i++)
        x[i] = request.at * (0.3 + 0.17 * (double)i);
    verso_status status = request.regions != NULL
                              ? by_regions(&request, x, gradient, &report)
                              : verso_gradient(simulate, x, INPUTS, gradient, &request.options, &report, &error);
    fprintf(stderr, "steps %" PRIu64 " leaf %" PRIu64 " restarts %" PRIu64 " recovered %" PRIu64 "\n", report.steps,
            report.leaf_bytes, request.made.restarts, (uint64_t)request.made.recovered_steps);
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        return status == VERSO_STATUS_SUSPENDED ? 3 : 1;
    }
    printf("%a", report.value);
    for (size_t i = 0; i < INPUTS; i++)
        printf(" %a", gradient[i]);
    printf(" %u %a %a %a %a\n", calls, total, extreme[0], extreme[1], extreme[2]);
    return 0;
}
