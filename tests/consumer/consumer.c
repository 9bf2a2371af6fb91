/* A user's program in C: counts the forward steps of the revolve schedule of 10 steps on 3 slots, which are 15. */
#include <stdio.h>
#include <string.h>
#include <verso/verso.h>

static verso_status count_forward_steps(verso_schedule *schedule, uint64_t *steps, verso_error *error) {
    verso_action action;
    *steps = 0;
    do {
        verso_status status = verso_schedule_next(schedule, &action, error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (action.kind == VERSO_ACTION_ADVANCE)
            *steps += action.to - action.from;
    } while (action.kind != VERSO_ACTION_DONE);
    return VERSO_STATUS_OK;
}

int main(void) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
    spec.steps = 10;
    spec.slots = 3;

    verso_error error;
    verso_schedule *schedule = NULL;
    uint64_t steps = 0;
    verso_status status = verso_schedule_new(&spec, &schedule, &error);
    if (status == VERSO_STATUS_OK)
        status = count_forward_steps(schedule, &steps, &error);
    verso_schedule_free(schedule);
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", verso_status_name(status), error.message);
        return 1;
    }
    printf("verso %s: %llu forward steps\n", verso_version(), (unsigned long long)steps);
    return steps == 15 && strcmp(verso_version(), VERSO_VERSION) == 0 ? 0 : 1;
}
