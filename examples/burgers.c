/* 4D-Var with the viscous Burgers equation u_t + (u^2 / 2)_x = nu u_xx on a circle: find the initial state whose
 * evolution fits noisy observations of many times and places, and stays near a first guess. L-BFGS minimises the
 * misfit; each gradient takes 20,000 steps forwards and backwards within 8 MB, where all states would take 320 MB.
 *
 * Each gradient is a durable run in a directory of its own, RUN/0001, RUN/0002, ... If the program is killed and
 * started again, it repeats its way from the beginning: finished gradients are loaded from their directories, the
 * interrupted one is continued. So the optimiser needs no checkpoints. docs/example-burgers.md explains it. */
#include "support/lbfgs.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <verso/verso.h>

static const double end_time = 0.5, viscosity = 2e-3;
static const double deviation = 0.05, guess_deviation = 0.2; /* standard deviations assumed in the cost */
enum { TIMES = 40, PLACES = 100 };                           /* number of observation times and places */
static const double pi = 3.14159265358979323846;

typedef struct burgers {
    uint64_t cells, steps;
    double advection, diffusion; /* dt / (4 dx), nu dt / dx^2 */
    double *x, *adjoint;         /* cells 1 to `cells`; elements 0 and cells + 1 copy the opposite end of the circle */
    double *next;                /* the new x or adjoint while a step is computed */
    double *truth, *guess;       /* the true initial state, and the first guess */
    double *observation;         /* [time * PLACES + place] */

    const char *run;
    verso_run_options options;
    verso_run_report report;    /* of the last gradient */
    uint64_t gradients, loaded; /* number of gradients so far; of those loaded from their directories */
    uint64_t callbacks, kill_after;
} burgers;

/* ---- The model: central differences, explicit steps ---- */

static int count_callback(burgers *self) {
    if (++self->callbacks == self->kill_after)
        raise(SIGKILL);
    return 0;
}

static void wrap(double *x, uint64_t cells) {
    x[0] = x[cells];
    x[cells + 1] = x[1];
}

static int step(void *context, uint64_t number) {
    burgers *self = context;
    double *x = self->x, *y = self->next, a = self->advection, b = self->diffusion;
    (void)number;
    wrap(x, self->cells);
    for (uint64_t i = 1; i <= self->cells; i++)
        y[i] = x[i] - a * (x[i + 1] * x[i + 1] - x[i - 1] * x[i - 1]) + b * (x[i + 1] - 2 * x[i] + x[i - 1]);
    memcpy(x + 1, y + 1, self->cells * sizeof *x);
    return count_callback(self);
}

/* x_i is in the formulas of y_{i-1}, y_i and y_{i+1}. */
static int step_adjoint(void *context, uint64_t number) {
    burgers *self = context;
    double *x = self->x, *l = self->adjoint, *y = self->next, a = self->advection, b = self->diffusion;
    (void)number;
    wrap(l, self->cells);
    for (uint64_t i = 1; i <= self->cells; i++)
        y[i] = (1 - 2 * b) * l[i] + (b - 2 * a * x[i]) * l[i - 1] + (b + 2 * a * x[i]) * l[i + 1];
    memcpy(l + 1, y + 1, self->cells * sizeof *l);
    return count_callback(self);
}

static int start_adjoint(void *context, uint64_t steps) {
    burgers *self = context;
    (void)steps;
    memset(self->adjoint, 0, (self->cells + 2) * sizeof *self->adjoint);
    return count_callback(self);
}

/* ---- The cost: misfit to the first guess at x_0, to the observations at TIMES later states ---- */

/* Returns the number of the observation time, from 1, that the state `number` belongs to; 0: none. */
static uint64_t time_of(const burgers *self, uint64_t number) {
    uint64_t gap = self->steps / TIMES;
    return number % gap == 0 && number / gap <= TIMES ? number / gap : 0;
}

static uint64_t cell_of(const burgers *self, uint64_t place) {
    return 1 + place * self->cells / PLACES;
}

static int cost(void *context, uint64_t number, double *value) {
    burgers *self = context;
    uint64_t time = time_of(self, number);
    double weight = 1 / (deviation * deviation), guess_weight = 1 / (guess_deviation * guess_deviation);
    for (uint64_t place = 0; time > 0 && place < PLACES; place++) {
        uint64_t i = cell_of(self, place);
        double misfit = self->x[i] - self->observation[(time - 1) * PLACES + place];
        *value += 0.5 * weight * misfit * misfit;
        self->adjoint[i] += weight * misfit;
    }
    for (uint64_t i = 1; number == 0 && i <= self->cells; i++) {
        double misfit = self->x[i] - self->guess[i - 1];
        *value += 0.5 * guess_weight * misfit * misfit;
        self->adjoint[i] += guess_weight * misfit;
    }
    return count_callback(self);
}

/* Computes the cost without derivatives, with a plain loop. */
static double plain_cost(burgers *self, const double *start) {
    double value = 0;
    memcpy(self->x + 1, start, self->cells * sizeof *start);
    for (uint64_t i = 0; i <= self->steps; i++) {
        cost(self, i, &value);
        if (i < self->steps)
            step(self, i);
    }
    return value;
}

/* ---- One gradient: one durable run ---- */

static int evaluate(void *context, const double *start, double *value, double *gradient) {
    burgers *self = context;
    size_t bytes = self->cells * sizeof *start;
    char directory[4096];
    uint64_t callbacks = self->callbacks;
    verso_loop loop = {
        .size = sizeof(verso_loop),
        .context = self,
        .steps = self->steps,
        .advance = step,
        .adjoint = step_adjoint,
        .start = start_adjoint,
        .cost = cost,
        .state = {{self->x + 1, bytes}},
        .adjoint_state = {{self->adjoint + 1, bytes}},
        .name = "burgers",
        .inputs = {{self->guess, bytes}, {self->observation, TIMES * PLACES * sizeof *self->observation}},
    };
    verso_program program;
    verso_error error;
    snprintf(directory, sizeof directory, "%s/%04llu", self->run != NULL ? self->run : "",
             (unsigned long long)++self->gradients);
    self->options.directory = self->run != NULL ? directory : NULL;
    memcpy(self->x + 1, start, bytes); /* verso_run continues a run only from the x_0 with which it began */
    verso_status status = verso_loop_program(&loop, &program, &error);
    if (status == VERSO_STATUS_OK)
        status = verso_run(&program, &self->options, &self->report, &error);
    verso_loop_close(&loop);
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "burgers: %s\n", error.message);
        return status;
    }
    self->loaded += callbacks == self->callbacks;
    *value = loop.value;
    memcpy(gradient, self->adjoint + 1, bytes);
    return 0;
}

/* ---- The true initial state and the observations of it ---- */

static void *allocate(uint64_t count) {
    double *numbers = calloc(count, sizeof *numbers);
    if (numbers == NULL)
        exit((fprintf(stderr, "burgers: no memory\n"), 1));
    return numbers;
}

/* Returns the number-th of a fixed sequence of random numbers, uniformly distributed with deviation 1. */
static double noise(uint64_t number) {
    number = (number + 1) * 0x9e3779b97f4a7c15U;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
    return sqrt(12) * ((double)(number >> 11) / 9007199254740992.0 - 0.5);
}

static void observe(burgers *self) {
    memcpy(self->x + 1, self->truth, self->cells * sizeof *self->x);
    for (uint64_t i = 1; i <= self->steps; i++) {
        step(self, i - 1);
        uint64_t time = time_of(self, i);
        for (uint64_t place = 0; time > 0 && place < PLACES; place++) {
            uint64_t which = (time - 1) * PLACES + place;
            self->observation[which] = self->x[cell_of(self, place)] + deviation * noise(which);
        }
    }
}

static void open_model(burgers *self) {
    double dx = 1 / (double)self->cells, dt = end_time / (double)self->steps;
    self->advection = dt / (4 * dx);
    self->diffusion = viscosity * dt / (dx * dx);
    if (self->cells < PLACES || self->steps < TIMES || self->diffusion > 0.5 || dt > viscosity)
        exit((fprintf(stderr, "burgers: %llu cells and %llu steps are unstable, or too few; take more steps\n",
                      (unsigned long long)self->cells, (unsigned long long)self->steps),
              2));
    self->x = allocate(self->cells + 2);
    self->adjoint = allocate(self->cells + 2);
    self->next = allocate(self->cells + 2);
    self->truth = allocate(self->cells);
    self->guess = allocate(self->cells);
    self->observation = allocate(TIMES * PLACES);
    for (uint64_t i = 0; i < self->cells; i++) {
        double s = 2 * pi * ((double)i + 0.5) * dx;
        self->truth[i] = 0.4 + 0.4 * sin(s) + 0.2 * cos(2 * s + 1) + 0.1 * sin(5 * s);
        self->guess[i] = 0.4;
    }
    observe(self);
}

static void close_model(burgers *self) {
    double *all[] = {self->x, self->adjoint, self->next, self->truth, self->guess, self->observation};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- Output ---- */

static void print_notice(void *context, const char *sentence) {
    const burgers *self = context;
    if (strncmp(sentence, "the run", 7) == 0 ||
        self->gradients == 1) /* the chosen schedule is the same for all gradients */
        fprintf(stderr, "gradient %llu: %s\n", (unsigned long long)self->gradients, sentence);
}

/* Draws the progress bar of each gradient in the same line, and clears it at the end. */
static void draw_bar(void *context, const verso_progress *progress) {
    (void)context;
    if (progress->phase != VERSO_PHASE_DONE)
        verso_progress_bar(stderr, progress);
    else if (isatty(STDERR_FILENO))
        fputs("\r\x1b[K", stderr);
}

static void iterated(void *context, int iteration, double value, double norm, double length) {
    const burgers *self = context;
    printf("%9d  %9llu  %14.6f  %13.6e  %8.4f\n", iteration, (unsigned long long)self->gradients, value, norm, length);
    fflush(stdout);
}

static double distance(const burgers *self, const double *a) {
    double sum = 0;
    for (uint64_t i = 0; i < self->cells; i++)
        sum += (a[i] - self->truth[i]) * (a[i] - self->truth[i]);
    return sqrt(sum / (double)self->cells);
}

/* FNV-1a. */
static unsigned long long checksum(const void *bytes, size_t size) {
    unsigned long long hash = 14695981039346656037U;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211U;
    return hash;
}

static int minimise(burgers *self, int iterations) {
    lbfgs search = {.size = self->cells,
                    .x = allocate(self->cells),
                    .context = self,
                    .reduction = 1e-5,
                    .iterations = iterations,
                    .evaluate = evaluate,
                    .iterated = iterated};
    memcpy(search.x, self->guess, self->cells * sizeof *search.x);
    printf("iteration  gradients            cost     |gradient|      step\n");
    int code = lbfgs_minimise(&search);
    if (code == LBFGS_CONVERGED || code == LBFGS_TOO_MANY) {
        printf("%s: |gradient| is %.1e of the first; %llu gradients, %llu of them done before this process began\n",
               code == LBFGS_CONVERGED ? "Converged" : "Stopped", search.gradient_norm / search.first_norm,
               (unsigned long long)self->gradients, (unsigned long long)self->loaded);
        printf("Cost %.3f, of the first guess %.3f, of the truth %.3f\n", search.value, plain_cost(self, self->guess),
               plain_cost(self, self->truth));
        printf("Distance to the true initial state: %.4f, of the first guess %.4f\n", distance(self, search.x),
               distance(self, self->guess));
        printf("Memory for states: %.2f MB of %.2f MB (all states: %.1f MB)\n", (double)self->report.memory_peak / 1e6,
               (double)self->options.memory / 1e6, (double)(self->steps * self->cells * sizeof(double)) / 1e6);
        printf("Checksum of the initial state: %016llx\n", checksum(search.x, self->cells * sizeof *search.x));
        code = 0;
    } else if (code == LBFGS_NO_STEP)
        fprintf(stderr, "burgers: the line search found no step\n");
    free(search.x);
    return code;
}

/* Taylor test: J(x + e v) - J(x) - e g.v must decrease like e^2, so halving e divides it by 4. */
static int taylor(burgers *self) {
    double *gradient = allocate(self->cells), *moved = allocate(self->cells), value, slope = 0, before = 0;
    int code = evaluate(self, self->guess, &value, gradient);
    for (uint64_t i = 0; i < self->cells; i++)
        slope += gradient[i] * noise(i);
    printf("e            |J(x + e v) - J(x) - e g.v|  order\n");
    for (double e = 0.01; e > 1e-4 && code == 0; e /= 2) {
        for (uint64_t i = 0; i < self->cells; i++)
            moved[i] = self->guess[i] + e * noise(i);
        double rest = fabs(plain_cost(self, moved) - value - e * slope);
        printf("%-11.7f  %-27.6e", e, rest);
        printf(before > 0 ? "  %.3f\n" : "\n", log2(before / rest));
        before = rest;
    }
    free(gradient);
    free(moved);
    return code;
}

/* ---- The command line ---- */

static verso_status to_file(void *file, const char *text, size_t size) {
    return fwrite(text, 1, size, file) == size ? VERSO_STATUS_OK : VERSO_STATUS_IO;
}

static void write_report(const char *path, const verso_run_report *report,
                         verso_status (*writer)(const verso_run_report *, verso_sink, void *, verso_error *)) {
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (path != NULL && (file == NULL || writer(report, to_file, file, NULL) != VERSO_STATUS_OK || fclose(file) != 0))
        exit((fprintf(stderr, "burgers: cannot write %s\n", path), 1));
}

/* Options that take a value; --taylor takes none. */
enum { CELLS, STEPS, MEMORY, ITERATIONS, KILL_AFTER, RUN, REPORT, JSON, OPTIONS };
static const char *const names[OPTIONS] = {"--cells",      "--steps", "--memory", "--iterations",
                                           "--kill-after", "--run",   "--report", "--json"};

static void read_options(int argc, char **argv, const char *values[OPTIONS], bool *with_taylor) {
    for (int i = 1; i < argc; i++) {
        int which = 0;
        while (which < OPTIONS && strcmp(argv[i], names[which]) != 0)
            which++;
        if (strcmp(argv[i], "--taylor") == 0)
            *with_taylor = true;
        else if (which < OPTIONS && i + 1 < argc)
            values[which] = argv[++i];
        else
            exit((fprintf(stderr, "usage: burgers [--cells N] [--steps N] [--memory MB] [--iterations N] [--run DIR]\n"
                                  "               [--kill-after N] [--report FILE.html] [--json FILE] [--taylor]\n"),
                  2));
    }
}

static double number(const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0 && value < 1e15))
        exit((fprintf(stderr, "burgers: '%s' is not a number between 0 and 1e15\n", text), 2));
    return value;
}

int main(int argc, char **argv) {
    const char *values[OPTIONS] = {"2000", "20000", "8", "100", "0", NULL, NULL, NULL};
    bool with_taylor = false;
    read_options(argc, argv, values, &with_taylor);
    burgers self = {.report = VERSO_RUN_REPORT_INIT,
                    .cells = (uint64_t)number(values[CELLS]),
                    .steps = (uint64_t)number(values[STEPS])};
    open_model(&self);
    self.run = values[RUN];
    if (self.run != NULL && mkdir(self.run, 0777) != 0 && errno != EEXIST)
        exit((perror(self.run), 1));
    verso_run_options *options = &self.options;
    verso_run_options_init(options);
    options->automatic = true;
    options->memory = (uint64_t)(1e6 * number(values[MEMORY]));
    options->interval =
        0.1; /* seconds; these gradients take less than a second. For longer ones the default of 60 is fine */
    options->on_signal = true;
    options->progress = draw_bar;
    options->notice = print_notice;
    options->notice_context = &self;
    self.callbacks = 0;
    self.kill_after = (uint64_t)number(values[KILL_AFTER]);
    int code = with_taylor ? taylor(&self) : minimise(&self, (int)number(values[ITERATIONS]));
    if (code == 0) {
        write_report(values[REPORT], &self.report, verso_report_html);
        write_report(values[JSON], &self.report, verso_report_json);
    }
    close_model(&self);
    return code == 0 ? 0 : code == VERSO_STATUS_SUSPENDED ? 75 : 1;
}
