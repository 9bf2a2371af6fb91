/* Optimal control, the test case of paper 5 (section 4.1): minimise x2(1), where
 *
 *     x1' = 0.5 x1 + u,    x2' = x1^2 + 0.5 u^2,    x1(0) = 1,  x2(0) = 0,  0 <= t <= 1.
 *
 * 700,000 steps of the explicit midpoint rule, with one control u_i per step. The gradient with respect to all u_i is
 * computed with resilient capsules in a run directory, so that the program may be killed at any moment and started
 * again, and is then compared with the analytic adjoint, with a plain loop that keeps everything, and with differences
 * of the cost. docs/example-control.md explains it. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/verso.h>

typedef struct control {
    uint64_t steps;
    double h;
    double x[2];          /* the state */
    double lambda[2];     /* its adjoint: the derivatives of x2(1) with respect to x */
    double cost;          /* x2(1), known when the adjoint starts */
    double *u, *gradient; /* one number per step; the gradient is part of the adjoint */
    uint64_t callbacks, kill_after;
} control;

/* ---- The problem ---- */

static int count_callback(control *self) {
    if (++self->callbacks == self->kill_after)
        raise(SIGKILL);
    return 0;
}

static int step(void *context, uint64_t i) {
    control *self = context;
    double h = self->h, u = self->u[i], middle = self->x[0] + 0.5 * h * (0.5 * self->x[0] + u);
    self->x[0] += h * (0.5 * middle + u);
    self->x[1] += h * (middle * middle + 0.5 * u * u);
    return count_callback(self);
}

/* The statements of `step` in reverse order, each differentiated. */
static int step_adjoint(void *context, uint64_t i) {
    control *self = context;
    double h = self->h, u = self->u[i], middle = self->x[0] + 0.5 * h * (0.5 * self->x[0] + u);
    double of_middle = h * (0.5 * self->lambda[0] + 2 * middle * self->lambda[1]);
    self->gradient[i] = h * (self->lambda[0] + u * self->lambda[1]) + 0.5 * h * of_middle;
    self->lambda[0] += (1 + 0.25 * h) * of_middle;
    return count_callback(self);
}

static int start_adjoint(void *context, uint64_t steps) {
    control *self = context;
    self->cost = self->x[1];
    self->lambda[0] = 0;
    self->lambda[1] = 1;
    memset(self->gradient, 0, steps * sizeof *self->gradient);
    return count_callback(self);
}

static void at_start(control *self) {
    self->x[0] = 1;
    self->x[1] = 0;
}

/* u(t) = sin(omega t), for which x1 and lambda1 have closed forms. */
static const double omega = 5;

static void *allocate(uint64_t count, size_t size) {
    void *bytes = calloc(count + 1, size); /* one more, because calloc may return NULL for 0 */
    if (bytes == NULL)
        exit((fprintf(stderr, "control: no memory\n"), 1));
    return bytes;
}

static void open_control(control *self, uint64_t steps) {
    *self = (control){.steps = steps, .h = 1 / (double)steps};
    self->u = allocate(steps, sizeof *self->u);
    self->gradient = allocate(steps, sizeof *self->gradient);
    for (uint64_t i = 0; i < steps; i++)
        self->u[i] = sin(omega * ((double)i + 0.5) * self->h);
    at_start(self);
}

static void close_control(control *self) {
    free(self->u);
    free(self->gradient);
}

/* ---- The gradient by Verso ---- */

static void run(control *self, const verso_run_options *options, verso_run_report *report) {
    size_t bytes = self->steps * sizeof *self->u;
    verso_loop loop = {
        .size = sizeof(verso_loop),
        .context = self,
        .steps = self->steps,
        .advance = step,
        .adjoint = step_adjoint,
        .start = start_adjoint,
        .state = {{self->x, sizeof self->x}},
        .adjoint_state = {{self->lambda, sizeof self->lambda},
                          {&self->cost, sizeof self->cost},
                          {self->gradient, bytes}},
        .name = "control",
        .inputs = {{self->u, bytes}},
    };
    verso_program program;
    verso_error error;
    if (verso_loop_program(&loop, &program, &error) != VERSO_STATUS_OK ||
        verso_run(&program, options, report, &error) != VERSO_STATUS_OK)
        exit((fprintf(stderr, "control: %s\n", error.message), 1));
    verso_loop_close(&loop);
}

/* ---- Comparisons ---- */

/* Returns 0 if a plain loop that keeps all states gives the same bits, else 1. */
static int compare_with_plain_loop(const control *self) {
    control plain;
    open_control(&plain, self->steps);
    double(*states)[2] = allocate(self->steps, sizeof *states);
    for (uint64_t i = 0; i < plain.steps; i++) {
        memcpy(states[i], plain.x, sizeof plain.x);
        step(&plain, i);
    }
    start_adjoint(&plain, plain.steps);
    for (uint64_t i = plain.steps; i-- > 0;) {
        memcpy(plain.x, states[i], sizeof plain.x);
        step_adjoint(&plain, i);
    }
    int differs = memcmp(plain.gradient, self->gradient, self->steps * sizeof *self->gradient) != 0 ||
                  memcmp(plain.lambda, self->lambda, sizeof plain.lambda) != 0 ||
                  memcmp(&plain.cost, &self->cost, sizeof plain.cost) != 0;
    free(states);
    close_control(&plain);
    return differs;
}

/* lambda1(t) of lambda1' = -0.5 lambda1 - 2 x1, lambda1(1) = 0, where x1 = a e^(t/2) + b sin(omega t) + c cos(omega t):
 * the difference of an antiderivative of 2 x1(s) e^(s/2) between 1 and t. */
static double antiderivative(double s) {
    double b = -1 / (2 * omega * omega + 0.5), c = 2 * omega * b, a = 1 - c, d = omega * omega + 0.25;
    return 2 * a * exp(s) + 2 * exp(0.5 * s) / d *
                                (b * (0.5 * sin(omega * s) - omega * cos(omega * s)) +
                                 c * (0.5 * cos(omega * s) + omega * sin(omega * s)));
}

/* Returns the largest difference between gradient_i / h and lambda1 + u in the middle of the step. */
static double error_of(const control *self) {
    double largest = 0;
    for (uint64_t i = 0; i < self->steps; i++) {
        double t = ((double)i + 0.5) * self->h;
        double exact = exp(-0.5 * t) * (antiderivative(1) - antiderivative(t)) + sin(omega * t);
        largest = fmax(largest, fabs(self->gradient[i] / self->h - exact));
    }
    return largest;
}

static void print_analytic_orders(void) {
    double before = 0;
    printf("steps  error against the analytic gradient  order\n");
    for (uint64_t steps = 250; steps <= 4000; steps *= 2) {
        control self;
        verso_run_options options;
        verso_run_options_init(&options); /* binomial, in memory */
        options.spec.slots = 20;
        open_control(&self, steps);
        run(&self, &options, NULL);
        double error = error_of(&self);
        printf("%5llu  %-35.3e", (unsigned long long)steps, error);
        printf(before > 0 ? "  %.3f\n" : "\n", log2(before / error));
        before = error;
        close_control(&self);
    }
}

/* Taylor test: J(u + e v) - J(u) - e g.v must decrease like e^2, so halving e divides it by 4. */
static void print_taylor_orders(const control *self) {
    double slope = 0, before = 0;
    for (uint64_t i = 0; i < self->steps; i++)
        slope += self->gradient[i] * cos(3 * (double)i * self->h);
    printf("e          |J(u + e v) - J(u) - e g.v|  order\n");
    for (double e = 0.5; e > 0.01; e /= 2) {
        control moved;
        open_control(&moved, self->steps);
        for (uint64_t i = 0; i < moved.steps; i++)
            moved.u[i] += e * cos(3 * (double)i * moved.h);
        for (uint64_t i = 0; i < moved.steps; i++)
            step(&moved, i);
        double rest = fabs(moved.x[1] - self->cost - e * slope);
        printf("%-9.5f  %-27.3e", e, rest);
        printf(before > 0 ? "  %.3f\n" : "\n", log2(before / rest));
        before = rest;
        close_control(&moved);
    }
}

/* ---- The command line ---- */

static verso_status to_file(void *file, const char *text, size_t size) {
    return fwrite(text, 1, size, file) == size ? VERSO_STATUS_OK : VERSO_STATUS_IO;
}

static void write_report(const char *path, const verso_run_report *report,
                         verso_status (*writer)(const verso_run_report *, verso_sink, void *, verso_error *)) {
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (path != NULL && (file == NULL || writer(report, to_file, file, NULL) != VERSO_STATUS_OK || fclose(file) != 0))
        exit((fprintf(stderr, "control: cannot write %s\n", path), 1));
}

static void print_notice(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "control: %s\n", sentence);
}

/* FNV-1a. */
static unsigned long long checksum(const void *bytes, size_t size) {
    unsigned long long hash = 14695981039346656037U;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211U;
    return hash;
}

/* Options; each takes a value. */
enum { STEPS, SLOTS, DISTANCE, ADJOINT_DISTANCE, KILL_AFTER, RUN, REPORT, JSON, OPTIONS };
static const char *const names[OPTIONS] = {"--steps",      "--slots", "--distance", "--adjoint-distance",
                                           "--kill-after", "--run",   "--report",   "--json"};

static void read_options(int argc, char **argv, const char *values[OPTIONS]) {
    for (int i = 1; i < argc; i += 2) {
        int which = 0;
        while (which < OPTIONS && strcmp(argv[i], names[which]) != 0)
            which++;
        if (which == OPTIONS || i + 1 == argc)
            exit((fprintf(stderr, "usage: control [--steps N] [--slots N] [--distance N] [--adjoint-distance N]\n"
                                  "               [--run DIR] [--kill-after N] [--report FILE.html] [--json FILE]\n"),
                  2));
        values[which] = argv[i + 1];
    }
}

static uint64_t number(const char *text) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0')
        exit((fprintf(stderr, "control: '%s' is not a number\n", text), 2));
    return value;
}

static int print_results(const control *self, const verso_run_report *report) {
    printf("J = x2(1) = %.15f, gradient of %llu controls: checksum %016llx\n", self->cost,
           (unsigned long long)self->steps, checksum(self->gradient, self->steps * sizeof *self->gradient));
    printf("%.0f forward steps, %llu states and %llu adjoints written, continued %llu times, %.2f s\n",
           (double)report->forward_steps, (unsigned long long)report->writes[0],
           (unsigned long long)report->adjoint_stores, (unsigned long long)report->restarts, report->seconds);
    int differs = compare_with_plain_loop(self);
    printf("A plain loop that keeps all states: %s\n", differs ? "ANOTHER GRADIENT" : "the same bits");
    printf("Against the analytic gradient: %.3e\n\n", error_of(self));
    print_analytic_orders();
    printf("\n");
    print_taylor_orders(self);
    return differs;
}

int main(int argc, char **argv) {
    const char *values[OPTIONS] = {"700000", "100", "20000", "70000", "0", NULL, NULL, NULL};
    read_options(argc, argv, values);
    control self;
    open_control(&self, number(values[STEPS]));
    self.kill_after = number(values[KILL_AFTER]);
    verso_run_options options;
    verso_run_options_init(&options);
    verso_schedule_spec_init(&options.spec, VERSO_KIND_RESILIENT);
    options.spec.slots = number(values[SLOTS]);
    options.spec.distance = number(values[DISTANCE]);
    options.spec.adjoint_distance = number(values[ADJOINT_DISTANCE]);
    options.directory = values[RUN];
    options.progress = verso_progress_bar;
    options.progress_context = stderr;
    options.notice = print_notice;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    run(&self, &options, &report);
    write_report(values[REPORT], &report, verso_report_html);
    write_report(values[JSON], &report, verso_report_json);
    int differs = print_results(&self, &report);
    close_control(&self);
    return differs;
}
