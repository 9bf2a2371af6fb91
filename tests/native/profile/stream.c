/* A time loop of which each step solves for a fixed point, as ice sheet models do (the halfpipe_streamice test of the
 * paper on profiles), for `verso profile` and `verso tune`: the calls that take memory are in the step of the fixed
 * point. stream [STEPS [SWEEPS]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <verso/native.h>

#define APART __attribute__((noinline)) /* calls must remain to be checkpointed */
enum { CELLS = 60 };

static int steps = 20, sweeps = 25;

typedef struct stream {
    double ice[CELLS], speed[CELLS], viscosity[CELLS], force[CELLS];
} stream;

APART static void soften(stream *s) {
    for (int i = 0; i < CELLS; i++) {
        double left = i > 0 ? s->speed[i - 1] : 0;
        s->viscosity[i] = 1 / sqrt(1 + (s->speed[i] - left) * (s->speed[i] - left));
    }
}

APART static void sweep(stream *s) {
    for (int i = 0; i < CELLS; i++) {
        double left = i > 0 ? s->speed[i - 1] : 0, right = i + 1 < CELLS ? s->speed[i + 1] : 0;
        s->speed[i] = (s->force[i] + s->viscosity[i] * (left + right)) / (2.5 + s->ice[i] * s->speed[i] * s->speed[i]);
    }
}

APART static void relax(stream *s) {
    for (int k = 0; k < sweeps; k++)
        sweep(s);
}

static void balance(void *context) {
    soften(context);
    relax(context);
}

APART static void drive(stream *s) {
    for (int i = 0; i + 1 < CELLS; i++)
        s->force[i] = s->ice[i] * (s->ice[i] - s->ice[i + 1] + 0.05);
    s->force[CELLS - 1] = s->ice[CELLS - 1] * 0.05;
}

APART static void step(stream *s) {
    drive(s);
    if (verso_fixed_point(balance, s, s->speed, CELLS, NULL) == 0)
        s->ice[0] = NAN;
    for (int i = CELLS; i-- > 0;)
        s->ice[i] += 0.1 * ((i > 0 ? s->ice[i - 1] * s->speed[i - 1] : 0) - s->ice[i] * s->speed[i]);
}

static double volume(const double *x, size_t n) {
    stream s = {0};
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        s.ice[i] = x[(size_t)i % n];
    for (int t = 0; t < steps; t++)
        step(&s);
    for (int i = 0; i < CELLS; i++)
        sum += s.ice[i] * s.ice[i];
    return sum;
}

int main(int argc, char **argv) {
    double x[10], gradient[10], sum = 0;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    steps = argc > 1 ? atoi(argv[1]) : steps;
    sweeps = argc > 2 ? atoi(argv[2]) : sweeps;
    for (int i = 0; i < 10; i++)
        x[i] = 1 + 0.05 * i;
    if (verso_gradient(volume, x, 10, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return fprintf(stderr, "%s\n", error.message), 3;
    for (int i = 0; i < 10; i++)
        sum += gradient[i];
    printf("volume %.17g, gradient %.17g\n", report.value, sum);
    return 0;
}
