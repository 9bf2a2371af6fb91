/* at: 0.7,1.1,0.25,0.6
 * noise: 1e-11
 * A fixed point within the step of another, which also calls a function with an adjoint of its own, and a third around
 * both; all in a function that a fixed point calls again through a pointer. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <verso/native.h>

static const verso_fixed_point_options exactly = {sizeof exactly, 1e-15, 1e-15, 500};

typedef struct nest {
    const double *x;
    double outer[3], middle[2], inner;
} nest;

/* As if it came from a library. */
__attribute__((noinline)) static double damp(double a) {
    return a / (2 + a * a);
}
static double damp_record(verso_call *call, double a) {
    verso_keep(call, &a, sizeof a);
    return damp(a);
}
static void damp_sweep(verso_call *call, double a) {
    memcpy(&a, call->kept, sizeof a);
    call->argument[0] += call->result[0] * (2 - a * a) / ((2 + a * a) * (2 + a * a));
}
static double damp_tangent(verso_call *call, double a) {
    call->result[0] = call->argument[0] * (2 - a * a) / ((2 + a * a) * (2 + a * a));
    return damp(a);
}
VERSO_CUSTOM_ADJOINT(damp, damp_record, damp_sweep, damp_tangent);

static void inmost(void *context) {
    nest *n = context;
    n->inner = 0.5 * cos(n->inner * n->x[0]) + 0.3 * damp(n->middle[0]);
}

__attribute__((noinline)) static double solve_inmost(nest *n) {
    n->inner = 0.1;
    return verso_fixed_point(inmost, n, &n->inner, 1, &exactly) > 0 ? n->inner : NAN;
}

static void midmost(void *context) {
    nest *n = context;
    const double a = solve_inmost(n);
    n->middle[0] = 0.4 * sin(n->middle[1] + a * n->x[1]);
    n->middle[1] = 0.3 * damp(n->middle[0]) + 0.2 * n->outer[2] * a;
}

static void outmost(void *context) {
    nest *n = context;
    double next[3];
    if (verso_fixed_point(midmost, n, n->middle, 2, &exactly) == 0)
        next[0] = NAN;
    else
        for (int i = 0; i < 3; i++)
            next[i] = 0.3 * tanh(n->outer[(i + 1) % 3] + n->middle[i % 2] * n->x[2]) + 0.1 * n->x[3] * n->inner;
    memcpy(n->outer, next, sizeof next);
}

double f(const double *x, size_t n) {
    nest all = {.x = x, .outer = {0.3, 0.2, 0.1}};
    void (*const steps[])(void *) = {outmost, midmost};
    (void)n;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        verso_fixed_point(steps[i % 2], &all, i % 2 ? all.middle : all.outer, i % 2 ? 2 : 3, &exactly);
        sum += all.outer[0] * all.outer[1] + all.outer[2] * all.middle[1] + all.inner;
    }
    return sum;
}
