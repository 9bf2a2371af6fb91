/* VERSO_WORLD_ADJOINT: the call is made once in each gradient, also where parts of the run are repeated, and its sweep
 * runs once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <verso/native.h>

enum { STEPS = 400, N = 4 };

static int asked;
static int asks[2], sweeps[2]; /* pipes, which count outside of the program's memory */

static void count(const int *ends) {
    if (write(ends[1], "", 1) != 1)
        abort();
}

static int counted(const int *ends) {
    int bytes;
    char taken[4096];
    if (ioctl(ends[0], FIONREAD, &bytes) != 0 || bytes > (int)sizeof taken ||
        (bytes > 0 && read(ends[0], taken, sizeof taken) != bytes))
        abort();
    return bytes;
}

/* A device that answers with numbers that depend on those it gets, and on how often it was asked. */
__attribute__((noinline)) int ask(double *numbers, int n) {
    for (int i = 0; i < n; i++)
        numbers[i] = numbers[i] * 0.9 + 0.1 * sin(numbers[(i + 1) % n]) + 1e-3 * asked;
    return asked++;
}

static int ask_record(verso_call *call, double *numbers, int n) {
    verso_keep(call, numbers, (size_t)n * sizeof *numbers);
    verso_keep(call, &asked, sizeof asked);
    count(asks);
    int result = ask(numbers, n);
    verso_wrote(call, numbers, (size_t)n * sizeof *numbers);
    verso_wrote(call, &asked, sizeof asked);
    return result;
}

/* numbers[i] was replaced before numbers[i + 1] was read, except for the last one. */
static void ask_sweep(verso_call *call, double *numbers, int n) {
    double before[N], after[N];
    int then;
    count(sweeps);
    memcpy(before, call->kept, sizeof before);
    memcpy(&then, (const char *)call->kept + sizeof before, sizeof then);
    verso_adjoint_take(numbers, VERSO_SCALAR_DOUBLE, (size_t)n, after);
    double first = before[0] * 0.9 + 0.1 * sin(before[1]) + 1e-3 * then;
    double terms[N];
    terms[n - 1] = 0.9 * after[n - 1];
    double to_first = after[0] + after[n - 1] * 0.1 * cos(first);
    for (int i = n - 2; i >= 0; i--) {
        double a = i == 0 ? to_first : after[i];
        terms[i] = 0.9 * a;
        terms[i + 1] += 0.1 * cos(before[i + 1]) * a;
    }
    verso_adjoint_add(numbers, VERSO_SCALAR_DOUBLE, (size_t)n, terms);
}

VERSO_WORLD_ADJOINT(ask, ask_record, ask_sweep, NULL);

static double f(const double *x, size_t n) {
    double u[N], sum = 0;
    memcpy(u, x, n * sizeof *x);
    for (int t = 0; t < STEPS; t++) {
        sum += ask(u, N) * 1e-6;
        for (int i = 0; i < N; i++)
            sum += u[i] * u[i];
    }
    return sum;
}

static int failures;

static void expect(int holds, const char *what) {
    failures += !holds;
    if (!holds)
        printf("%s\n", what);
}

int main(void) {
    double x[N] = {0.5, -0.3, 0.8, 0.2}, gradient[N], other[N], moved[N];
    verso_error error = {0};
    if (pipe(asks) != 0 || pipe(sweeps) != 0)
        return 1;
    verso_status status = verso_gradient(f, x, N, gradient, NULL, NULL, &error);
    expect(status == VERSO_STATUS_OK && counted(asks) == STEPS && counted(sweeps) == STEPS,
           "a single pass asks and sweeps once per call");
    for (int i = 0; i < N; i++) {
        double h = 1e-6, values[2];
        for (int side = 0; side < 2; side++) {
            memcpy(moved, x, sizeof x);
            moved[i] += side == 0 ? h : -h;
            asked = 0;
            values[side] = f(moved, N);
        }
        expect(fabs((values[0] - values[1]) / (2 * h) - gradient[i]) < 1e-6 * (1 + fabs(gradient[i])), "differences");
    }
    for (size_t leaf = 4096; leaf <= 12288; leaf += 4096) {
        verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        verso_run_options run;
        verso_run_options_init(&run);
        run.automatic = false;
        verso_schedule_spec_init(&run.spec, VERSO_KIND_ONLINE);
        options.run = &run;
        options.memory = 400000;
        options.leaf = leaf;
        asked = 0;
        status = verso_gradient(f, x, N, other, &options, &report, &error);
        expect(status == VERSO_STATUS_OK, error.message);
        expect(report.recordings > 2 && report.forward_steps > 0, "the run is divided");
        expect(counted(asks) == STEPS && counted(sweeps) == STEPS, "a budget asks and sweeps once per call");
        expect(memcmp(other, gradient, sizeof other) == 0, "another gradient within a budget");
    }
    return failures != 0;
}
