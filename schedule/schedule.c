/* The schedule object: making one, and handing its calls on to its kind. What is particular to a kind is in the kind's
 * own file; what is the same for all (validation of common fields, growth of the stack, totals) is here. */
#include "schedule/kind.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/words.h"

const char *verso_action_word(verso_action_kind kind) {
    static const char *const words[] = {
#define WORD(name, word, meaning) word,
        VERSO_ACTION_LIST(WORD)
#undef WORD
    };
    return (size_t)kind < sizeof words / sizeof *words ? words[kind] : "unknown";
}

typedef struct kind_entry {
    const char *word;
    const char *meaning;
} kind_entry;

static const kind_entry kind_entries[] = {
#define ENTRY(name, word, meaning) {word, meaning},
    VERSO_KIND_LIST(ENTRY)
#undef ENTRY
};

const char *verso_kind_word(verso_schedule_kind kind) {
    return (size_t)kind < VERSO_KIND_COUNT ? kind_entries[kind].word : "unknown";
}

const char *verso_kind_meaning(verso_schedule_kind kind) {
    return (size_t)kind < VERSO_KIND_COUNT ? kind_entries[kind].meaning : "unknown";
}

bool verso_kind_from_word(const char *word, verso_schedule_kind *kind) {
    for (size_t i = 0; i < VERSO_KIND_COUNT; i++) {
        if (strcmp(word, kind_entries[i].word) == 0) {
            *kind = (verso_schedule_kind)i;
            return true;
        }
    }
    return false;
}

static const verso_kind *kind_of(verso_schedule_kind kind) {
    switch (kind) {
    case VERSO_KIND_STORE_ALL: return &verso_kind_store_all;
    case VERSO_KIND_EVERY_K: return &verso_kind_every_k;
    case VERSO_KIND_NONE: return &verso_kind_none;
    case VERSO_KIND_REVOLVE: return &verso_kind_revolve;
    case VERSO_KIND_TREEVERSE: return &verso_kind_treeverse;
    case VERSO_KIND_BINARY: return &verso_kind_binary;
    case VERSO_KIND_DISK: return &verso_kind_disk;
    case VERSO_KIND_PERIODIC: return &verso_kind_periodic;
    case VERSO_KIND_LEVELS: return &verso_kind_levels;
    case VERSO_KIND_ONLINE: return &verso_kind_online;
    case VERSO_KIND_MIXED: return &verso_kind_mixed;
    case VERSO_KIND_RESILIENT: return &verso_kind_resilient;
    case VERSO_KIND_CONTINUOUS: return &verso_kind_continuous;
    case VERSO_KIND_SINGLE_RECOVERY: return &verso_kind_single_recovery;
    case VERSO_KIND_TWO_LEVEL: return &verso_kind_two_level;
    case VERSO_KIND_COUNT: break;
    }
    return NULL;
}

void verso_schedule_spec_init(verso_schedule_spec *spec, verso_schedule_kind kind) {
    *spec = (verso_schedule_spec){.kind = kind, .forward_cost = 1, .backward_cost = 1, .leaf = 1};
}

static verso_status check_common(const verso_schedule_spec *spec, verso_error *error) {
    if (kind_of(spec->kind) == NULL)
        return verso_fail(error, VERSO_INVALID, "%d is no kind of schedule", (int)spec->kind);
    bool unknown_allowed = spec->kind == VERSO_KIND_ONLINE && spec->steps == VERSO_UNKNOWN;
    if (spec->steps > VERSO_STEPS_MAX && !unknown_allowed)
        return verso_fail(error, VERSO_INVALID, "%llu steps are more than the %llu that can be planned",
                          (unsigned long long)spec->steps, (unsigned long long)VERSO_STEPS_MAX);
    uint64_t costs[] = {spec->forward_cost, spec->backward_cost, spec->write_cost, spec->read_cost};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i] > VERSO_STEPS_MAX)
            return verso_fail(error, VERSO_INVALID, "a cost of %llu is more than the %llu that can be planned with",
                              (unsigned long long)costs[i], (unsigned long long)VERSO_STEPS_MAX);
    if (spec->slots > VERSO_STEPS_MAX)
        return verso_fail(error, VERSO_INVALID, "%llu slots are more than the %llu that can be planned with",
                          (unsigned long long)spec->slots, (unsigned long long)VERSO_STEPS_MAX);
    if (!unknown_allowed && (verso_wide)spec->forward_cost * spec->steps > (verso_wide)1 << 90)
        return verso_fail(error, VERSO_INVALID, "%llu steps that cost %llu each are more than can be planned with",
                          (unsigned long long)spec->steps, (unsigned long long)spec->forward_cost);
    return VERSO_OK;
}

verso_status verso_schedule_new(const verso_schedule_spec *spec, verso_schedule **schedule, verso_error *error) {
    *schedule = NULL;
    verso_status status = check_common(spec, error);
    if (status != VERSO_OK)
        return status;
    verso_schedule *made = verso_alloc(1, sizeof *made);
    if (made == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a schedule");
    made->spec = *spec;
    made->kind = kind_of(spec->kind);
    made->tiers = verso_spec_tiers(spec);
    made->walk.end = spec->steps;
    status = made->kind->plan(made, error);
    if (status != VERSO_OK) {
        verso_schedule_free(made);
        return status;
    }
    *schedule = made;
    return VERSO_OK;
}

void verso_schedule_free(verso_schedule *schedule) {
    if (schedule == NULL)
        return;
    if (schedule->plan != NULL && schedule->kind->plan_free != NULL)
        schedule->kind->plan_free(schedule->plan);
    verso_dealloc(schedule->plan);
    verso_dealloc(schedule->stack);
    verso_dealloc(schedule);
}

verso_status verso_schedule_next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    return schedule->kind->next(schedule, action, error);
}

verso_status verso_schedule_end(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_error *error) {
    if (schedule->kind->end == NULL)
        return verso_fail(error, VERSO_STATE, "a schedule of kind %s has known its steps from the start",
                          verso_kind_word(schedule->spec.kind));
    return schedule->kind->end(schedule, at, steps, error);
}

verso_status verso_schedule_cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error) {
    *cost = (verso_cost){0};
    return schedule->kind->cost(schedule, cost, error);
}

const verso_schedule_spec *verso_schedule_get_spec(const verso_schedule *schedule) {
    return &schedule->spec;
}

size_t verso_schedule_tiers(const verso_schedule *schedule) {
    return schedule->tiers;
}

const char *verso_schedule_tier_name(const verso_schedule *schedule, size_t tier) {
    return verso_spec_tier_name(&schedule->spec, tier);
}

verso_status verso_stack_reserve(verso_schedule *schedule, size_t words, verso_error *error) {
    size_t needed = (size_t)schedule->walk.used + words;
    if (needed <= schedule->stack_capacity)
        return VERSO_OK;
    size_t capacity = schedule->stack_capacity < 32 ? 64 : schedule->stack_capacity * 2;
    if (capacity < needed)
        capacity = needed;
    uint64_t *stack = verso_realloc(schedule->stack, capacity, sizeof *stack);
    if (stack == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the schedule's list of %zu capsules", needed / 3);
    schedule->stack = stack;
    schedule->stack_capacity = capacity;
    return VERSO_OK;
}

verso_status verso_need_slots(const verso_schedule *schedule, uint64_t least, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    if (spec->slots >= least)
        return VERSO_OK;
    if (spec->steps == VERSO_UNKNOWN)
        return verso_fail(error, VERSO_IMPOSSIBLE, "%s is impossible with %llu slots: it needs at least %llu",
                          verso_kind_word(spec->kind), (unsigned long long)spec->slots, (unsigned long long)least);
    return verso_fail(error, VERSO_IMPOSSIBLE,
                      "%s of %llu steps is impossible with %llu slot%s: it needs at least %llu",
                      verso_kind_word(spec->kind), (unsigned long long)spec->steps, (unsigned long long)spec->slots,
                      spec->slots == 1 ? "" : "s", (unsigned long long)least);
}

void verso_cost_total(const verso_schedule *schedule, verso_cost *cost) {
    const verso_schedule_spec *spec = &schedule->spec;
    cost->recorded_steps = cost->steps;
    verso_wide total = verso_mul_wide(spec->forward_cost, cost->forward_steps);
    total = verso_add_wide(total, (verso_wide)spec->backward_cost * cost->steps);
    for (size_t tier = 0; tier < schedule->tiers; tier++) {
        verso_tier price = {0};
        if (spec->kind == VERSO_KIND_LEVELS)
            price = spec->tiers[tier];
        else if (tier > 0)
            price = (verso_tier){.write_cost = spec->write_cost, .read_cost = spec->read_cost};
        total = verso_add_wide(total, verso_mul_wide(price.write_cost, cost->writes[tier]));
        total = verso_add_wide(total, verso_mul_wide(price.read_cost, cost->reads[tier]));
    }
    cost->makespan = total;
}
