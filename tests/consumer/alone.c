/* A user's program for a library without native differentiation (-DVERSO_NATIVE=OFF): predicts the cost of a schedule,
 * and computes the derivative of a time loop of 100 logistic steps with the driver, in memory and durably. */
#include <math.h>
#include <stdio.h>
#include <verso/verso.h>

enum { STEPS = 100 };

static double state, adjoint_of_state;

static int advance(void *context, uint64_t step) {
    (void)context, (void)step;
    state = 3.2 * state * (1 - state);
    return 0;
}

static int adjoint(void *context, uint64_t step) {
    (void)context, (void)step;
    adjoint_of_state *= 3.2 * (1 - 2 * state);
    return 0;
}

static int start(void *context, uint64_t steps) {
    (void)context, (void)steps;
    adjoint_of_state = 1;
    return 0;
}

static verso_status derive(const char *directory, verso_run_report *report, verso_error *error) {
    verso_loop loop = VERSO_LOOP_INIT;
    verso_run_options options;
    verso_program program;
    loop.steps = STEPS;
    loop.advance = advance;
    loop.adjoint = adjoint;
    loop.start = start;
    loop.state[0] = (verso_region){&state, sizeof state};
    loop.adjoint_state[0] = (verso_region){&adjoint_of_state, sizeof adjoint_of_state};
    verso_run_options_init(&options);
    options.spec.slots = 5;
    options.directory = directory;
    state = 0.4;
    verso_status status = verso_loop_program(&loop, &program, error);
    if (status == VERSO_STATUS_OK)
        status = verso_run(&program, &options, report, error);
    verso_loop_close(&loop);
    return status;
}

int main(int count, char **arguments) {
    verso_error error;
    verso_schedule_spec spec;
    verso_schedule *schedule = NULL;
    verso_cost cost;
    static verso_run_report report = VERSO_RUN_REPORT_INIT;
    double expected = 1, x = 0.4;
    for (int i = 0; i < STEPS; i++) {
        expected *= 3.2 * (1 - 2 * x);
        x = 3.2 * x * (1 - x);
    }

    verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
    spec.steps = STEPS;
    spec.slots = 5;
    verso_status status = verso_schedule_new(&spec, &schedule, &error);
    if (status == VERSO_STATUS_OK)
        status = verso_schedule_cost(schedule, &cost, &error);
    verso_schedule_free(schedule);
    for (int i = 0; i < count && status == VERSO_STATUS_OK; i++) {
        status = derive(i == 0 ? NULL : arguments[i], &report, &error);
        if (status == VERSO_STATUS_OK && fabs(adjoint_of_state - expected) > 1e-12 * fabs(expected)) {
            fprintf(stderr, "the derivative is %.17g instead of %.17g\n", adjoint_of_state, expected);
            return 1;
        }
    }
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", verso_status_name(status), error.message);
        return 1;
    }
    printf("%llu forward steps predicted, %llu run\n", (unsigned long long)cost.forward_steps.low,
           (unsigned long long)report.forward_steps);
    return report.forward_steps == cost.forward_steps.low ? 0 : 1;
}
