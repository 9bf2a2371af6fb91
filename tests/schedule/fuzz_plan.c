/* libFuzzer target: makes schedules of arbitrary specs. Making a schedule fails with a reason, or the walk obeys the
 * rules and costs what was predicted. Fields are bounded so that a plan and a walk take at most some milliseconds;
 * costs are not. */
#include "schedule/cost.h"

#include <stdlib.h>

#include "tests/support/random_spec.c" /* a fuzzer is a single file */

static void require(const verso_schedule_spec *spec, bool condition, const char *what) {
    if (condition)
        return;
    random_spec_print(spec);
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void choose_cost_of_any_size(random_source *source, uint64_t *cost) {
    if (random_below(source, 4) == 3)
        *cost = random_below(source, VERSO_UNKNOWN) >> random_below(source, 64);
}

/* Any of the fields that a walk's length does not depend on. */
static void choose_costs(random_source *source, verso_schedule_spec *spec) {
    uint64_t *costs[] = {&spec->forward_cost, &spec->backward_cost, &spec->write_cost, &spec->read_cost,
                         &spec->adjoint_distance};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        choose_cost_of_any_size(source, costs[i]);
    for (size_t i = 0; i < spec->tier_count && spec->kind == VERSO_KIND_LEVELS; i++) {
        choose_cost_of_any_size(source, &spec->tiers[i].write_cost);
        choose_cost_of_any_size(source, &spec->tiers[i].read_cost);
    }
}

static void compare(const verso_schedule_spec *spec, const verso__cost *cost, const verso__cost *counted) {
    require(spec, cost->makespan == counted->makespan, "makespan");
    require(spec, cost->forward_steps == counted->forward_steps, "forward_steps");
    require(spec, cost->recorded_steps == counted->recorded_steps, "recorded_steps");
    require(spec, cost->least_makespan <= cost->makespan, "least_makespan");
    require(spec, cost->repetition == counted->repetition, "repetition");
    require(spec, cost->adjoint_stores == counted->adjoint_stores, "adjoint_stores");
    require(spec, cost->longest_recording == counted->longest_recording, "longest_recording");
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        require(spec, cost->writes[i] == counted->writes[i], "writes");
        require(spec, cost->reads[i] == counted->reads[i], "reads");
        require(spec, cost->peak_slots[i] == counted->peak_slots[i], "peak_slots");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    random_source source = random_from_bytes(data, size);
    verso_schedule_kind kind = (verso_schedule_kind)random_below(&source, VERSO_KIND_COUNT);
    verso_schedule_spec spec = random_spec(&source, kind, random_below(&source, 2) ? 3000 : 200);
    choose_costs(&source, &spec);
    verso_schedule *schedule;
    verso_error error = {0};
    verso__cost cost, counted;
    verso_status status = verso_schedule_new(&spec, &schedule, &error);
    if (status != VERSO_STATUS_OK) {
        require(&spec, schedule == NULL && error.status == status && error.message[0] != '\0', "a reason");
        require(&spec, status == VERSO_STATUS_IMPOSSIBLE || status == VERSO_STATUS_INVALID, "IMPOSSIBLE or INVALID");
        return 0;
    }
    require(&spec, verso__schedule_cost(schedule, &cost, &error) == VERSO_STATUS_OK, "a cost");
    require(&spec, verso__schedule_simulate(&spec, &counted, &error) == VERSO_STATUS_OK, error.message);
    compare(&spec, &cost, &counted);
    verso_schedule_free(schedule);
    return 0;
}
