/* Implements toy.h. */
#include "tests/support/toy.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void count_call(toy *model) {
    if (model->kill_after != 0 && ++model->calls == model->kill_after)
        raise(SIGKILL);
}

static void step(const double *x, double parameter, uint64_t number, double *y) {
    for (int i = 0; i < TOY_SIZE; i++) {
        double left = x[(i + TOY_SIZE - 1) % TOY_SIZE], right = x[(i + 1) % TOY_SIZE];
        y[i] = x[i] + 0.05 * (sin(left) * right - parameter * x[i] + 0.1 * cos(0.3 * (double)number + i));
    }
}

static int advance(void *context, uint64_t number) {
    toy *model = context;
    double next[TOY_SIZE];
    count_call(model);
    if (number == model->fail_at)
        return 42;
    model->advanced++;
    step(model->state, model->parameter, number, next);
    memcpy(model->state, next, sizeof next);
    return 0;
}

static int adjoint(void *context, uint64_t number) {
    toy *model = context;
    const double *x = model->state, *a = model->adjoint;
    double before[TOY_SIZE] = {0};
    (void)number;
    count_call(model);
    model->reversed++;
    for (int i = 0; i < TOY_SIZE; i++) {
        int left = (i + TOY_SIZE - 1) % TOY_SIZE, right = (i + 1) % TOY_SIZE;
        before[i] += a[i] * (1 - 0.05 * model->parameter);
        before[left] += a[i] * 0.05 * cos(x[left]) * x[right];
        before[right] += a[i] * 0.05 * sin(x[left]);
        model->parameter_gradient -= a[i] * 0.05 * x[i];
    }
    memcpy(model->adjoint, before, sizeof before);
    return 0;
}

static int start(void *context, uint64_t steps) {
    toy *model = context;
    (void)steps;
    count_call(model);
    for (int i = 0; i < TOY_SIZE; i++)
        model->adjoint[i] = cos(model->state[i]);
    model->parameter_gradient = 0;
    return 0;
}

static int cost(void *context, uint64_t number, double *value) {
    toy *model = context;
    double weight = 1.0 / (1.0 + (double)(number % 7));
    count_call(model);
    for (int i = 0; i < TOY_SIZE; i++) {
        *value += 0.5 * weight * model->state[i] * model->state[i];
        model->adjoint[i] += weight * model->state[i];
    }
    return 0;
}

static int finished(void *context, uint64_t number) {
    return number >= ((toy *)context)->end;
}

void toy_open(toy *model, uint64_t steps, bool known) {
    *model = (toy){.parameter = 0.7, .end = steps, .fail_at = VERSO_UNKNOWN};
    for (int i = 0; i < TOY_SIZE; i++)
        model->state[i] = sin(1.0 + i);
    model->loop = (verso_loop){
        .size = sizeof(verso_loop),
        .context = model,
        .steps = known ? steps : VERSO_UNKNOWN,
        .advance = advance,
        .adjoint = adjoint,
        .start = start,
        .cost = cost,
        .finished = known ? NULL : finished,
        .state = {{model->state, sizeof model->state}},
        .adjoint_state = {{model->adjoint, sizeof model->adjoint},
                          {&model->parameter_gradient, sizeof model->parameter_gradient}},
        .name = "toy",
        .inputs = {{&model->parameter, sizeof model->parameter}},
    };
    if (verso_loop_program(&model->loop, &model->program, NULL) != VERSO_STATUS_OK)
        abort();
}

void toy_close(toy *model) {
    verso_loop_close(&model->loop);
}

toy_result toy_result_of(const toy *model) {
    toy_result result = {.value = model->loop.value, .parameter_gradient = model->parameter_gradient};
    memcpy(result.gradient, model->adjoint, sizeof result.gradient);
    return result;
}

toy_result toy_reference(uint64_t steps) {
    toy model;
    toy_open(&model, steps, true);
    double(*states)[TOY_SIZE] = malloc((steps + 1) * sizeof *states);
    if (states == NULL)
        abort();
    for (uint64_t i = 0; i <= steps; i++) {
        memcpy(states[i], model.state, sizeof model.state);
        if (i < steps)
            advance(&model, i);
    }
    start(&model, steps);
    cost(&model, steps, &model.loop.value);
    for (uint64_t i = steps; i-- > 0;) {
        memcpy(model.state, states[i], sizeof model.state);
        adjoint(&model, i);
        cost(&model, i, &model.loop.value);
    }
    free(states);
    toy_close(&model);
    return toy_result_of(&model);
}

bool toy_equal(const toy_result *a, const toy_result *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static uint64_t quotient_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

verso_schedule_spec toy_spec(verso_schedule_kind kind, uint64_t steps, uint64_t slots) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = steps;
    spec.slots = slots;
    spec.write_cost = spec.read_cost = 3;
    uint64_t binomial = kind == VERSO_KIND_SINGLE_RECOVERY && slots > 1 ? slots - 1 : slots;
    spec.distance = quotient_up(steps, binomial) + 2;
    if (kind == VERSO_KIND_EVERY_K)
        spec.distance = quotient_up(steps, slots);
    if (kind == VERSO_KIND_EVERY_K && spec.distance == 0)
        spec.distance = 1;
    spec.adjoint_distance = steps / 5 + 1;
    spec.leaf = 1 + steps / 50;
    if (kind == VERSO_KIND_TREEVERSE || kind == VERSO_KIND_BINARY)
        spec.space = slots;
    spec.tier_count = 2;
    spec.tiers[0] = (verso_tier){slots, 0, 0};
    spec.tiers[1] = (verso_tier){VERSO_UNKNOWN, 3, 3};
    return spec;
}
