/* Converts costs at the public interface: Verso computes with 128-bit integers, which standard C lacks, and the
 * interface represents each as two 64-bit words. */
#include "schedule/cost.h"

#include "base/alloc.h"
#include "base/status.h"

verso_cost verso__cost_show(const verso__cost *cost) {
    verso_cost shown = {
        .steps = cost->steps,
        .forward_steps = verso__wide_show(cost->forward_steps),
        .recorded_steps = verso__wide_show(cost->recorded_steps),
        .makespan = verso__wide_show(cost->makespan),
        .repetition = cost->repetition,
        .adjoint_stores = cost->adjoint_stores,
        .longest_recording = cost->longest_recording,
        .least_makespan = verso__wide_show(cost->least_makespan),
        .free_distance = cost->free_distance,
        .period = cost->period,
    };
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        shown.writes[i] = verso__wide_show(cost->writes[i]);
        shown.reads[i] = verso__wide_show(cost->reads[i]);
        shown.peak_slots[i] = cost->peak_slots[i];
    }
    return shown;
}

verso__cost verso__cost_read(const verso_cost *cost) {
    verso__cost read = {
        .steps = cost->steps,
        .forward_steps = verso__wide_read(cost->forward_steps),
        .recorded_steps = verso__wide_read(cost->recorded_steps),
        .makespan = verso__wide_read(cost->makespan),
        .repetition = cost->repetition,
        .adjoint_stores = cost->adjoint_stores,
        .longest_recording = cost->longest_recording,
        .least_makespan = verso__wide_read(cost->least_makespan),
        .free_distance = cost->free_distance,
        .period = cost->period,
    };
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        read.writes[i] = verso__wide_read(cost->writes[i]);
        read.reads[i] = verso__wide_read(cost->reads[i]);
        read.peak_slots[i] = cost->peak_slots[i];
    }
    return read;
}

verso_status verso_schedule_cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error) {
    verso__cost counted;
    verso_status status = verso__schedule_cost(schedule, &counted, error);
    if (status == VERSO_STATUS_OK)
        *cost = verso__cost_show(&counted);
    return status;
}

verso_status verso_schedule_simulate(const verso_schedule_spec *spec, verso_cost *cost, verso_error *error) {
    verso__cost counted;
    verso_status status = verso__schedule_simulate(spec, &counted, error);
    if (status == VERSO_STATUS_OK && cost != NULL)
        *cost = verso__cost_show(&counted);
    return status;
}

verso_status verso_breakdown_cost(const verso_schedule_spec *spec, const verso_breakdown *breakdowns, size_t count,
                                  verso_wide *forward_steps, verso_error *error) {
    verso__wide *counted = verso__alloc(count > 0 ? count : 1, sizeof *counted);
    if (counted == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the costs of %zu breakdowns", count);
    verso_status status = verso__breakdown_cost(spec, breakdowns, count, counted, error);
    for (size_t i = 0; status == VERSO_STATUS_OK && i < count; i++)
        forward_steps[i] = verso__wide_show(counted[i]);
    verso__dealloc(counted);
    return status;
}
