/* Implements planned.h. */
#include "planned.h"
#include "schedule/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Messages ---- */

static void put(char text[PLANNED_TEXT], const char *option, uint64_t value) {
    size_t used = strlen(text);
    if (value == VERSO_UNKNOWN)
        snprintf(text + used, PLANNED_TEXT - used, "%sunlimited", option);
    else
        snprintf(text + used, PLANNED_TEXT - used, "%s%llu", option, (unsigned long long)value);
}

static void put_if(char text[PLANNED_TEXT], const char *option, uint64_t value) {
    if (value > 0)
        put(text, option, value);
}

char *planned_text(const verso_schedule_spec *spec, char text[PLANNED_TEXT]) {
    snprintf(text, PLANNED_TEXT, "verso plan %s", verso_kind_word(spec->kind));
    put(text, " --steps ", spec->steps);
    put_if(text, " --slots ", spec->slots);
    put(text, " --forward ", spec->forward_cost);
    put(text, " --backward ", spec->backward_cost);
    put_if(text, " --write ", spec->write_cost);
    put_if(text, " --read ", spec->read_cost);
    for (size_t k = 0; k < spec->tier_count; k++) {
        put(text, k == 0 ? " --levels " : ",", spec->tiers[k].capacity);
        put(text, ":", spec->tiers[k].write_cost);
        put(text, ":", spec->tiers[k].read_cost);
    }
    put_if(text, " --distance ", spec->distance);
    put_if(text, " --adjoint-distance ", spec->adjoint_distance);
    if (spec->kind == VERSO_KIND_TREEVERSE || spec->kind == VERSO_KIND_BINARY) {
        put(text, " --leaf ", spec->leaf);
        put_if(text, " --space ", spec->space);
        put_if(text, " --time ", spec->time);
        strcat(strcat(text, " --split "), verso_split_word(spec->split));
    }
    if (spec->with_disk)
        strcat(text, " (with disk)");
    return text;
}

static void expect_ok(const verso_schedule_spec *spec, verso_status status, const verso_error *error) {
    char text[PLANNED_TEXT];
    if (status != VERSO_STATUS_OK)
        fail_msg("%s: %s: %s", planned_text(spec, text), verso_status_name(status), error->message);
}

void planned_equal(const verso_schedule_spec *spec, const char *what, verso__wide actual, verso__wide wanted) {
    char text[PLANNED_TEXT], got[VERSO_WIDE_TEXT], due[VERSO_WIDE_TEXT];
    if (actual != wanted)
        fail_msg("%s: %s is %s, wanted %s", planned_text(spec, text), what, verso__wide_text(actual, got),
                 verso__wide_text(wanted, due));
}

/* ---- Costs ---- */

verso_schedule_spec planned_spec(verso_schedule_kind kind, uint64_t steps, uint64_t slots) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = steps;
    spec.slots = slots;
    return spec;
}

verso_schedule *planned_new(const verso_schedule_spec *spec) {
    verso_error error = {0};
    verso_schedule *schedule = NULL;
    expect_ok(spec, verso_schedule_new(spec, &schedule, &error), &error);
    return schedule;
}

verso__cost planned_cost(const verso_schedule_spec *spec) {
    verso_error error = {0};
    verso__cost cost;
    verso_schedule *schedule = planned_new(spec);
    expect_ok(spec, verso__schedule_cost(schedule, &cost, &error), &error);
    verso_schedule_free(schedule);
    return cost;
}

verso__cost planned_walked(const verso_schedule_spec *spec) {
    verso_error error = {0};
    verso__cost cost = planned_cost(spec), seen;
    expect_ok(spec, verso__schedule_simulate(spec, &seen, &error), &error);
    planned_equal(spec, "predicted forward_steps", cost.forward_steps, seen.forward_steps);
    planned_equal(spec, "predicted recorded_steps", cost.recorded_steps, seen.recorded_steps);
    planned_equal(spec, "predicted makespan", cost.makespan, seen.makespan);
    for (size_t k = 0; k < VERSO_TIERS_MAX; k++) {
        planned_equal(spec, "predicted writes", cost.writes[k], seen.writes[k]);
        planned_equal(spec, "predicted reads", cost.reads[k], seen.reads[k]);
        planned_equal(spec, "predicted peak_slots", cost.peak_slots[k], seen.peak_slots[k]);
    }
    if (spec->steps <= 65536)
        planned_equal(spec, "predicted repetition", cost.repetition, seen.repetition);
    planned_equal(spec, "predicted adjoint_stores", cost.adjoint_stores, seen.adjoint_stores);
    planned_equal(spec, "predicted longest_recording", cost.longest_recording, seen.longest_recording);
    return cost;
}

void planned_impossible(const verso_schedule_spec *spec, char message[VERSO_MESSAGE_MAX]) {
    char text[PLANNED_TEXT];
    verso_error error = {0};
    verso_schedule *schedule = NULL;
    verso_status status = verso_schedule_new(spec, &schedule, &error);
    if (status != VERSO_STATUS_IMPOSSIBLE)
        fail_msg("%s: %s, wanted IMPOSSIBLE", planned_text(spec, text), verso_status_name(status));
    assert_null(schedule);
    assert_int_equal(error.status, VERSO_STATUS_IMPOSSIBLE);
    memcpy(message, error.message, sizeof error.message);
}

/* ---- Actions ---- */

static void *grown(void *memory, size_t count, size_t size) {
    if (count >= 64 && (count & (count - 1)) != 0)
        return memory;
    memory = realloc(memory, (count < 64 ? 64 : 2 * count) * size);
    assert_non_null(memory);
    return memory;
}

static verso_action next_of(const verso_schedule_spec *spec, verso_schedule *schedule) {
    verso_error error = {0};
    verso_action action;
    expect_ok(spec, verso_schedule_next(schedule, &action, &error), &error);
    return action;
}

planned_actions planned_all(const verso_schedule_spec *spec) {
    planned_actions all = {0};
    verso_schedule *schedule = planned_new(spec);
    for (verso_action action; (action = next_of(spec, schedule)).kind != VERSO_ACTION_DONE;) {
        all.actions = grown(all.actions, all.count, sizeof *all.actions);
        all.actions[all.count++] = action;
    }
    verso_schedule_free(schedule);
    return all;
}

void planned_free(planned_actions *all) {
    free(all->actions);
}

planned_sweep planned_first_sweep(const verso_schedule_spec *spec) {
    planned_sweep sweep = {0};
    verso_schedule *schedule = planned_new(spec);
    for (verso_action action; (action = next_of(spec, schedule)).kind != VERSO_ACTION_REVERSE;) {
        assert_int_not_equal(action.kind, VERSO_ACTION_DONE);
        if (action.kind == VERSO_ACTION_ADVANCE && action.to - action.from > sweep.longest_advance)
            sweep.longest_advance = action.to - action.from;
        if (action.kind != VERSO_ACTION_STORE)
            continue;
        sweep.stored = grown(sweep.stored, sweep.count, sizeof *sweep.stored);
        sweep.stored[sweep.count++] = action.from;
    }
    verso_schedule_free(schedule);
    return sweep;
}

void planned_sweep_free(planned_sweep *sweep) {
    free(sweep->stored);
}
