/* Waves in a sheet of pendulums, differentiated as they are: the gradient of a misfit with respect to 40,000 springs,
 * within 32 MB, and once more with everything recorded.
 *
 * Pendulums hang side by side, 200 by 200, each coupled to its four neighbours by springs (the sine-Gordon equation,
 * if they are many). Some at the left are pushed aside, and gauges along the right record the angles there.
 * In one place the springs are weaker, so waves are slower there. For a uniform sheet, the gradient of the misfit of
 * the records with respect to the stiffness in each place shows where waves should have been slower.
 *
 * `misfit` is ordinary C: it allocates two fields, and each step overwrites the older one and swaps the two pointers.
 * Nothing in it prepares for differentiation. Built by `verso cc`:
 *
 *     build/verso cc -O2 examples/native/waves.c -lm -o waves && ./waves
 *
 * docs/native.md explains what happens. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <verso/native.h>

enum { SIDE = 200, CELLS = SIDE * SIDE, STEPS = 300, GAUGES = 20, TIMINGS = 3, BUDGET = 32 << 20 };

static const double GRAVITY = 0.002;
static double observed[STEPS][GAUGES];

/* ---- The simulation ---- */

static void push(double *angle, int row, int column) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const double y = (i - row) / 5.0, x = (j - column) / 5.0;
            angle[i * SIDE + j] = 2 * exp(-x * x - y * y);
        }
}

/* One step in time; the margin stays at rest. `older` becomes the newer field. */
static void step(double *older, const double *newer, const double *stiffness) {
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++) {
            const int at = i * SIDE + j;
            const double around = newer[at - 1] + newer[at + 1] + newer[at - SIDE] + newer[at + SIDE];
            const double force = stiffness[at] * (around - 4 * newer[at]) - GRAVITY * sin(newer[at]);
            older[at] = 2 * newer[at] - older[at] + force;
        }
}

static double gauge(const double *angle, int which) {
    return angle[(which * SIDE / GAUGES + SIDE / GAUGES / 2) * SIDE + SIDE - 60];
}

/* Runs the simulation and returns the misfit to the observations. Copies what the gauges measure to `record`, unless
 * that is NULL. */
static double simulate(const double *stiffness, double record[STEPS][GAUGES]) {
    double *older = calloc(CELLS, sizeof *older), *newer = calloc(CELLS, sizeof *newer), sum = 0;
    if (!older || !newer)
        abort();
    push(older, SIDE / 2, 60);
    memcpy(newer, older, CELLS * sizeof *newer);
    for (int n = 0; n < STEPS; n++) {
        step(older, newer, stiffness);
        double *swap = older;
        older = newer;
        newer = swap;
        for (int g = 0; g < GAUGES; g++) {
            const double seen = gauge(newer, g), rest = seen - observed[n][g];
            if (record)
                record[n][g] = seen;
            sum += 0.5 * rest * rest;
        }
    }
    free(older);
    free(newer);
    return sum;
}

static double misfit(const double *stiffness, size_t cells) {
    (void)cells;
    return simulate(stiffness, NULL);
}

/* ---- Observations and output ---- */

/* Returns the processor time of this process. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the peak memory of the process so far. */
static double megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1e3;
}

/* The gradient within a budget; 0: everything is recorded. Prints a row: the least time of several, the
 * memory, and how often a step was run, recording or not. */
static int differentiate(const char *how, uint64_t budget, double plain, const double *stiffness, double *gradient,
                         verso_native_report *report) {
    const verso_native_options options = {.size = sizeof(verso_native_options), .memory = budget};
    double least = INFINITY;
    for (int i = 0; i < TIMINGS; i++) {
        const double begin = seconds();
        verso_error error;
        if (verso_gradient(misfit, stiffness, CELLS, gradient, &options, report, &error) != VERSO_STATUS_OK)
            return fprintf(stderr, "waves: %s\n", error.message), 1;
        least = fmin(least, seconds() - begin);
    }
    printf("%-22s %6.0f ms %9.2f %9.0f MB %10.2f\n", how, 1e3 * least, least / plain, megabytes(),
           (double)(report->forward_steps + report->recordings) / (double)report->steps);
    return 0;
}

/* Writes the gradient as a grey picture: dark where slower waves would fit the observations better. */
static int write_picture(const char *path, const double *gradient) {
    double most = 0;
    FILE *out = fopen(path, "wb");
    if (!out)
        return 1;
    for (int at = 0; at < CELLS; at++)
        if (at % SIDE > 80 && at % SIDE < SIDE - 70) /* the pushed pendulums and the gauges would outshine the rest */
            most = fmax(most, fabs(gradient[at]));
    fprintf(out, "P5 %d %d 255\n", SIDE, SIDE);
    for (int at = 0; at < CELLS; at++)
        fputc((int)(127.5 + 127 * fmax(-1, fmin(1, -gradient[at] / most))), out);
    return ferror(out) | fclose(out);
}

/* Compares reverse mode with tangent mode and with a difference, along one direction in all cells. */
static int check(const double *stiffness, const double *gradient) {
    static double direction[CELLS], moved[CELLS];
    double tangent, dot = 0;
    verso_error error;
    for (int at = 0; at < CELLS; at++) {
        direction[at] = sin(0.7 * at) + cos(0.01 * at);
        dot += gradient[at] * direction[at];
    }
    if (verso_directional(misfit, stiffness, CELLS, direction, &tangent, NULL, &error) != VERSO_STATUS_OK)
        return fprintf(stderr, "waves: %s\n", error.message), 1;
    const double h = 1e-6;
    double difference = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int at = 0; at < CELLS; at++)
            moved[at] = stiffness[at] + sign * h * direction[at];
        difference += sign * misfit(moved, CELLS) / (2 * h);
    }
    const double apart = fabs(dot - tangent) / fabs(tangent);
    printf("derivative in one direction   reverse mode    %.15g\n", dot);
    printf("                              tangent mode    %.15g   relative difference %.1e\n", tangent, apart);
    printf("                              difference      %.15g   relative difference %.1e\n", difference,
           fabs(dot - difference) / fabs(difference));
    if (!(apart < 1e-10))
        return fprintf(stderr, "waves: reverse and tangent mode disagree\n"), 1;
    return 0;
}

int main(int argc, char **argv) {
    static double stiffness[CELLS], truth[CELLS], gradient[CELLS], recorded[CELLS];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int at = 0; at < CELLS; at++) {
        const double y = at / SIDE - 85, x = at % SIDE - 100;
        stiffness[at] = 0.25;
        truth[at] = x * x + y * y < 12 * 12 ? 0.2 : 0.25;
    }
    simulate(truth, observed);

    double value = 0, plain = INFINITY;
    for (int i = 0; i < TIMINGS; i++) {
        const double begin = seconds();
        value = misfit(stiffness, CELLS);
        plain = fmin(plain, seconds() - begin);
    }
    printf("%d x %d cells, %d steps: misfit %.15g, gradient of %d numbers\n\n", SIDE, SIDE, STEPS, value, CELLS);
    printf("%-22s %9s %9s %12s %10s\n", "", "time", "/ plain", "peak memory", "passes");
    printf("%-22s %6.0f ms %9.2f %9.0f MB %10.2f\n", "plain call", 1e3 * plain, 1.0, megabytes(), 1.0);
    if (differentiate("within 32 MB", BUDGET, plain, stiffness, gradient, &report) != 0 ||
        differentiate("everything recorded", 0, plain, stiffness, recorded, &report) != 0)
        return 1;
    if (memcmp(gradient, recorded, sizeof gradient) != 0)
        return fprintf(stderr, "waves: the two gradients differ\n"), 1;
    if (value != report.value)
        return fprintf(stderr, "waves: the differentiated run has another value, %.17g\n", report.value), 1;
    printf("\nThe two gradients have the same bits.\n\n");
    if (check(stiffness, gradient) != 0)
        return 1;
    if (argc > 1 && write_picture(argv[1], gradient) != 0)
        return fprintf(stderr, "waves: cannot write '%s'\n", argv[1]), 1;
    return 0;
}
