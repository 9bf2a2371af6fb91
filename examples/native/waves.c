/* Waves on a pond, differentiated as they are: the gradient of a misfit with respect to 40,000 cells of the medium.
 *
 * A drop falls at the left of a square pond, and gauges along its right side record the height of the water. In one
 * place the pond is shallower, so waves are slower there. From a uniform pond, the gradient of the misfit of the
 * records with respect to the squared speed in each cell shows where that place is.
 *
 * `misfit` is ordinary C: it allocates two fields, and each step overwrites the older one and swaps the two pointers.
 * Nothing in it knows that it will be differentiated. Built by `verso cc`:
 *
 *     build/verso cc -O2 examples/native/waves.c -lm -o waves && ./waves
 *
 * docs/native.md explains what happens. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <verso/native.h>

enum { SIDE = 200, CELLS = SIDE * SIDE, STEPS = 400, GAUGES = 20, TIMINGS = 3 };

static double observed[STEPS][GAUGES];

/* ---- The simulation ---- */

static void drop(double *height, int row, int column) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const double y = (i - row) / 5.0, x = (j - column) / 5.0;
            height[i * SIDE + j] = exp(-x * x - y * y);
        }
}

/* One step of the wave equation; the margin stays at rest. `older` becomes the newer field. */
static void step(double *older, const double *newer, const double *speed) {
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++) {
            const int at = i * SIDE + j;
            const double around = newer[at - 1] + newer[at + 1] + newer[at - SIDE] + newer[at + SIDE];
            older[at] = 2 * newer[at] - older[at] + speed[at] * (around - 4 * newer[at]);
        }
}

static double gauge(const double *height, int which) {
    return height[(which * SIDE / GAUGES + SIDE / GAUGES / 2) * SIDE + SIDE - 30];
}

/* speed[at] is (c tau / h)^2 in the cell. What the gauges see goes to `record`, or is compared with what was observed.
 */
static double simulate(const double *speed, double record[STEPS][GAUGES]) {
    double *older = calloc(CELLS, sizeof *older), *newer = calloc(CELLS, sizeof *newer), sum = 0;
    if (!older || !newer)
        abort();
    drop(older, SIDE / 2, 40);
    memcpy(newer, older, CELLS * sizeof *newer);
    for (int n = 0; n < STEPS; n++) {
        step(older, newer, speed);
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

static double misfit(const double *speed, size_t cells) {
    (void)cells;
    return simulate(speed, NULL);
}

/* ---- Around it ---- */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A grey picture of the gradient: the darkest where the water should be shallower most. */
static int write_picture(const char *path, const double *gradient) {
    double most = 0;
    FILE *out = fopen(path, "wb");
    if (!out)
        return 1;
    for (int at = 0; at < CELLS; at++)
        if (at % SIDE > 70 && at % SIDE < SIDE - 40) /* drop and gauges outshine all else */
            most = fmax(most, fabs(gradient[at]));
    fprintf(out, "P5 %d %d 255\n", SIDE, SIDE);
    for (int at = 0; at < CELLS; at++)
        fputc((int)(127.5 + 127 * fmax(-1, fmin(1, -gradient[at] / most))), out);
    return ferror(out) | fclose(out);
}

/* Reverse against tangent mode, and against a difference, in one direction through all cells. */
static int check(const double *speed, const double *gradient) {
    static double direction[CELLS], moved[CELLS];
    double tangent, dot = 0;
    verso_native_report report;
    for (int at = 0; at < CELLS; at++) {
        direction[at] = sin(0.7 * at) + cos(0.01 * at);
        dot += gradient[at] * direction[at];
    }
    if (verso_directional(misfit, speed, CELLS, direction, &tangent, &report) != VERSO_OK)
        return fprintf(stderr, "waves: %s\n", report.error.message), 1;
    const double h = 1e-6;
    double difference = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int at = 0; at < CELLS; at++)
            moved[at] = speed[at] + sign * h * direction[at];
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
    static double speed[CELLS], truth[CELLS], gradient[CELLS];
    verso_native_report report;
    for (int at = 0; at < CELLS; at++) {
        const double y = at / SIDE - 70, x = at % SIDE - 110;
        speed[at] = 0.25;
        truth[at] = x * x + y * y < 15 * 15 ? 0.2 : 0.25;
    }
    simulate(truth, observed);

    double value = 0, plain = INFINITY, differentiated = INFINITY;
    for (int i = 0; i < TIMINGS; i++) {
        const double begin = seconds();
        value = misfit(speed, CELLS);
        const double middle = seconds();
        if (verso_gradient(misfit, speed, CELLS, gradient, NULL, &report) != VERSO_OK)
            return fprintf(stderr, "waves: %s\n", report.error.message), 1;
        plain = fmin(plain, middle - begin);
        differentiated = fmin(differentiated, seconds() - middle);
    }
    printf("%d x %d cells, %d steps: misfit %.15g, gradient of %d numbers\n", SIDE, SIDE, STEPS, value, CELLS);
    if (value != report.value)
        return fprintf(stderr, "waves: the differentiated run has another value, %.17g\n", report.value), 1;
    if (check(speed, gradient) != 0)
        return 1;
    printf("gradient %.0f ms / plain call %.0f ms = %.2f; %.0f MB at most\n", 1e3 * differentiated, 1e3 * plain,
           differentiated / plain, (double)report.peak_bytes / 1e6);
    if (argc > 1 && write_picture(argv[1], gradient) != 0)
        return fprintf(stderr, "waves: cannot write '%s'\n", argv[1]), 1;
    return 0;
}
