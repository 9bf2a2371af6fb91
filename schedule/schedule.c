/* The schedule object: makes schedules and forwards calls to their kinds. Code for all kinds is here (validation of
 * common fields, growth of the stack, totals); each kind has its own file. */
#include "schedule/kind.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/cost.h"
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

const char *verso_split_word(verso_split split) {
    static const char *const words[] = {
        [VERSO_SPLIT_BINOMIAL] = "binomial", [VERSO_SPLIT_BISECTION] = "bisection", [VERSO_SPLIT_HALVES] = "halves"};
    return (size_t)split <= VERSO_SPLIT_HALVES ? words[split] : "unknown";
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

static const verso__kind *kind_of(verso_schedule_kind kind) {
    switch (kind) {
    case VERSO_KIND_STORE_ALL: return &verso__kind_store_all;
    case VERSO_KIND_EVERY_K: return &verso__kind_every_k;
    case VERSO_KIND_NONE: return &verso__kind_none;
    case VERSO_KIND_REVOLVE: return &verso__kind_revolve;
    case VERSO_KIND_TREEVERSE: return &verso__kind_treeverse;
    case VERSO_KIND_BINARY: return &verso__kind_binary;
    case VERSO_KIND_DISK: return &verso__kind_disk;
    case VERSO_KIND_PERIODIC: return &verso__kind_periodic;
    case VERSO_KIND_LEVELS: return &verso__kind_levels;
    case VERSO_KIND_ONLINE: return &verso__kind_online;
    case VERSO_KIND_MIXED: return &verso__kind_mixed;
    case VERSO_KIND_RESILIENT: return &verso__kind_resilient;
    case VERSO_KIND_CONTINUOUS: return &verso__kind_continuous;
    case VERSO_KIND_SINGLE_RECOVERY: return &verso__kind_single_recovery;
    case VERSO_KIND_TWO_LEVEL: return &verso__kind_two_level;
    case VERSO_KIND_COUNT: break;
    }
    return NULL;
}

void verso_schedule_spec_init(verso_schedule_spec *spec, verso_schedule_kind kind) {
    *spec = (verso_schedule_spec){.kind = kind, .forward_cost = 1, .backward_cost = 1, .leaf = 1};
}

static bool has_split(verso_schedule_kind kind) {
    return kind == VERSO_KIND_TREEVERSE || kind == VERSO_KIND_BINARY;
}

static verso_status check_common(const verso_schedule_spec *spec, verso_error *error) {
    if (kind_of(spec->kind) == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "%d is not a kind of schedule", (int)spec->kind);
    bool unknown_allowed = spec->kind == VERSO_KIND_ONLINE && spec->steps == VERSO_UNKNOWN;
    if (spec->steps > VERSO_STEPS_MAX && !unknown_allowed)
        return verso__fail(error, VERSO_STATUS_INVALID, "%llu steps are too many: at most %llu are possible",
                           (unsigned long long)spec->steps, (unsigned long long)VERSO_STEPS_MAX);
    uint64_t costs[] = {spec->forward_cost, spec->backward_cost, spec->write_cost, spec->read_cost};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i] > VERSO_STEPS_MAX)
            return verso__fail(error, VERSO_STATUS_INVALID, "a cost of %llu is too high: at most %llu is possible",
                               (unsigned long long)costs[i], (unsigned long long)VERSO_STEPS_MAX);
    if (spec->slots > VERSO_STEPS_MAX)
        return verso__fail(error, VERSO_STATUS_INVALID, "%llu slots are too many: at most %llu are possible",
                           (unsigned long long)spec->slots, (unsigned long long)VERSO_STEPS_MAX);
    if (has_split(spec->kind) && (unsigned)spec->split > VERSO_SPLIT_HALVES)
        return verso__fail(error, VERSO_STATUS_INVALID, "%d is not a value of verso_split", (int)spec->split);
    if (!unknown_allowed && (verso__wide)spec->forward_cost * spec->steps > (verso__wide)1 << 90)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "%llu steps that cost %llu each cost too much: at most 2^90 in all is possible",
                           (unsigned long long)spec->steps, (unsigned long long)spec->forward_cost);
    return VERSO_STATUS_OK;
}

/* Resets fields that the kind ignores and that have few valid values, because loading a cursor would refuse an
 * invalid one. */
static void clear_choices(verso_schedule_spec *spec) {
    if (!has_split(spec->kind))
        spec->split = VERSO_SPLIT_BINOMIAL;
    if (spec->kind != VERSO_KIND_LEVELS)
        spec->tier_count = 0;
    if (spec->kind != VERSO_KIND_ONLINE)
        spec->with_disk = false;
}

verso_status verso_schedule_new(const verso_schedule_spec *spec, verso_schedule **schedule, verso_error *error) {
    *schedule = NULL;
    verso_status status = check_common(spec, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso_schedule *made = verso__alloc(1, sizeof *made);
    if (made == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule");
    made->spec = *spec;
    clear_choices(&made->spec);
    made->kind = kind_of(spec->kind);
    made->tiers = verso__spec_tiers(spec);
    made->walk.end = spec->steps;
    status = made->kind->plan(made, error);
    if (status != VERSO_STATUS_OK) {
        verso_schedule_free(made);
        return status;
    }
    *schedule = made;
    return VERSO_STATUS_OK;
}

void verso_schedule_free(verso_schedule *schedule) {
    if (schedule == NULL)
        return;
    if (schedule->plan != NULL && schedule->kind->plan_free != NULL)
        schedule->kind->plan_free(schedule->plan);
    verso__dealloc(schedule->plan);
    verso__dealloc(schedule->stack);
    verso__dealloc(schedule);
}

verso_status verso_schedule_next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    return schedule->kind->next(schedule, action, error);
}

verso_status verso_schedule_next_actions(verso_schedule *schedule, verso_action *actions, size_t room, size_t *count,
                                         verso_error *error) {
    bool open = schedule->spec.steps == VERSO_UNKNOWN;
    *count = 0;
    while (*count < room) {
        verso_action *action = &actions[*count];
        verso_status status = verso_schedule_next(schedule, action, error);
        if (status != VERSO_STATUS_OK)
            return status;
        ++*count;
        if (action->kind == VERSO_ACTION_DONE || (open && action->kind == VERSO_ACTION_ADVANCE))
            break;
    }
    return VERSO_STATUS_OK;
}

verso_status verso_schedule_end(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_error *error) {
    if (schedule->kind->end == NULL)
        return verso__fail(error, VERSO_STATUS_STATE, "a schedule of kind %s knows its number of steps from the start",
                           verso_kind_word(schedule->spec.kind));
    return schedule->kind->end(schedule, at, steps, error);
}

verso_status verso__schedule_cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    *cost = (verso__cost){0};
    return schedule->kind->cost(schedule, cost, error);
}

const verso_schedule_spec *verso_schedule_get_spec(const verso_schedule *schedule) {
    return &schedule->spec;
}

size_t verso_schedule_tiers(const verso_schedule *schedule) {
    return schedule->tiers;
}

const char *verso_schedule_tier_name(const verso_schedule *schedule, size_t tier) {
    return verso__spec_tier_name(&schedule->spec, tier);
}

verso_status verso__stack_reserve(verso_schedule *schedule, size_t words, verso_error *error) {
    size_t needed = (size_t)schedule->walk.used + words;
    if (needed <= schedule->stack_capacity)
        return VERSO_STATUS_OK;
    size_t capacity = schedule->stack_capacity < 32 ? 64 : schedule->stack_capacity * 2;
    if (capacity < needed)
        capacity = needed;
    uint64_t *stack = verso__realloc(schedule->stack, capacity, sizeof *stack);
    if (stack == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the schedule's list of %zu capsules",
                           needed / 3);
    schedule->stack = stack;
    schedule->stack_capacity = capacity;
    return VERSO_STATUS_OK;
}

verso_status verso__need_slots(const verso_schedule *schedule, uint64_t least, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    if (spec->slots >= least)
        return VERSO_STATUS_OK;
    if (spec->steps == VERSO_UNKNOWN)
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE, "%s is impossible with %llu slots: it needs at least %llu",
                           verso_kind_word(spec->kind), (unsigned long long)spec->slots, (unsigned long long)least);
    return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                       "%s of %llu steps is impossible with %llu slot%s: it needs at least %llu",
                       verso_kind_word(spec->kind), (unsigned long long)spec->steps, (unsigned long long)spec->slots,
                       spec->slots == 1 ? "" : "s", (unsigned long long)least);
}

void verso__cost_total(const verso_schedule *schedule, verso__cost *cost) {
    const verso_schedule_spec *spec = &schedule->spec;
    cost->recorded_steps = cost->steps;
    verso__wide total = verso__mul_wide(spec->forward_cost, cost->forward_steps);
    total = verso__add_wide(total, (verso__wide)spec->backward_cost * cost->steps);
    for (size_t tier = 0; tier < schedule->tiers; tier++) {
        verso_tier price = {0};
        if (spec->kind == VERSO_KIND_LEVELS)
            price = spec->tiers[tier];
        else if (tier > 0)
            price = (verso_tier){.write_cost = spec->write_cost, .read_cost = spec->read_cost};
        total = verso__add_wide(total, verso__mul_wide(price.write_cost, cost->writes[tier]));
        total = verso__add_wide(total, verso__mul_wide(price.read_cost, cost->reads[tier]));
    }
    cost->makespan = total;
}
