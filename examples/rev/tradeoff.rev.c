/* Time against space (paper, section 2 and appendix A): the gradient of 256 steps of diffusion, none of which can be
 * undone by itself, by Bennett's scheme with several numbers of sectors and by treeverse with several numbers of
 * copies. All give the same gradient; they differ in how often a step is run and how many states are held at a time. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/reversible.h>

#include <verso/rev.h>

enum { CELLS = 64, STEPS = 256 };

/* next += one step from x, on a ring, with a reaction. */
rev void diffuse(double *restrict next, const double *restrict x) {
    for (int i = 0; i < CELLS; i++) {
        next[i] += x[i] + 0.2 * (x[(i + 1) % CELLS] - 2 * x[i] + x[(i + CELLS - 1) % CELLS]) + 0.05 * sin(x[i]);
    }
}

static void begin(double *x) {
    for (int i = 0; i < CELLS; i++)
        x[i] = sin(0.3 * i) + 0.01 * i;
}

/* ---- Derivatives ------------------------------------------------------------------------------------------------- */

#ifdef VERSO_REV_GENERATED
static int step(void *context, uint64_t i, void *next, const void *state) {
    (void)context;
    (void)i;
    diffuse(next, state);
    return 0;
}

static int unstep(void *context, uint64_t i, void *next, const void *state) {
    (void)context;
    (void)i;
    diffuse_inv(next, state);
    return 0;
}

static int adjoint(void *context, uint64_t i, void *next, void *next_bar, const void *state, void *state_bar) {
    (void)context;
    (void)i;
    diffuse_adj(next, next_bar, state, state_bar);
    return 0;
}

/* The loss is half the square of the last state. */
static int start(void *context, const void *last, void *last_bar) {
    (void)context;
    memcpy(last_bar, last, CELLS * sizeof(double));
    return 0;
}

static const verso_reversible chain = {.size = sizeof(verso_reversible),
                                       .name = "diffusion",
                                       .steps = STEPS,
                                       .state_size = CELLS * sizeof(double),
                                       .bar_size = CELLS * sizeof(double),
                                       .step = step,
                                       .unstep = unstep,
                                       .adjoint = adjoint};

static int by_bennett(uint32_t k, double *bar, verso_error *error) {
    double first[CELLS], last[CELLS] = {0}, last_bar[CELLS];
    verso_bennett_count there, back;
    begin(first);
    memset(bar, 0, CELLS * sizeof *bar);
    if (verso_bennett(&chain, k, first, last, &there, error) != VERSO_STATUS_OK)
        return 0;
    memcpy(last_bar, last, sizeof last);
    if (verso_bennett_adjoint(&chain, k, first, bar, last, last_bar, &back, error) != VERSO_STATUS_OK)
        return 0;
    printf("Bennett, %3u sectors: %6llu calls there, %6llu back, %3llu states\n", (unsigned)k,
           (unsigned long long)there.calls, (unsigned long long)back.calls, (unsigned long long)back.peak);
    return 1;
}

static int by_treeverse(uint64_t slots, double *bar, verso_error *error) {
    double state[CELLS];
    verso_run_options options;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    begin(state);
    verso_run_options_init(&options);
    options.spec.kind = VERSO_KIND_TREEVERSE;
    options.spec.leaf = 1;
    options.spec.space = slots;
    if (verso_reversible_run(&chain, &options, state, bar, start, &report, error) != VERSO_STATUS_OK)
        return 0;
    printf("treeverse, %3llu copies: %6llu steps, %llu reversed\n", (unsigned long long)slots,
           (unsigned long long)report.forward_steps, (unsigned long long)report.reversed_steps);
    return 1;
}

static int compare(const double *bar, const double *expected) {
    double worst = 0;
    for (int i = 0; i < CELLS; i++)
        worst = fmax(worst, fabs(bar[i] - expected[i]));
    return worst > 1e-12;
}
#endif

int main(void) {
    double x[CELLS], next[CELLS], loss = 0;
    begin(x);
    for (int s = 0; s < STEPS; s++) {
        memset(next, 0, sizeof next);
        diffuse(next, x);
        memcpy(x, next, sizeof x);
    }
    for (int i = 0; i < CELLS; i++)
        loss += x[i] * x[i] / 2;
    printf("loss after %d steps: %.12g\n", STEPS, loss);
#ifdef VERSO_REV_GENERATED
    static const uint32_t sectors[] = {16, 4, 2};
    double expected[CELLS], bar[CELLS];
    verso_error error = {VERSO_STATUS_OK, ""};
    int wrong = !by_bennett(STEPS, expected, &error);
    for (int i = 0; i < 3 && !wrong; i++)
        wrong = !by_bennett(sectors[i], bar, &error) || compare(bar, expected);
    for (uint64_t slots = 4; slots <= 16 && !wrong; slots *= 2)
        wrong = !by_treeverse(slots, bar, &error) || compare(bar, expected);
    if (wrong)
        printf("wrong: %s\n", error.message);
    return wrong;
#else
    return 0;
#endif
}
