/* Implements checker.h. */
#include "tests/support/checker.h"

#include <stdlib.h>

enum { PASSES_MAX = 1 << 16 };

static void *must(void *block) {
    if (block == NULL)
        abort();
    return block;
}

void checker_open(checker *check, const verso_schedule_spec *spec, uint64_t steps) {
    *check = (checker){.spec = *spec, .end = steps, .working = true, .slots_size = 64};
    check->counted.steps = steps;
    check->slots = must(calloc(check->slots_size, sizeof *check->slots));
    if (steps <= PASSES_MAX)
        check->passes = must(calloc(steps + 1, sizeof *check->passes));
}

void checker_close(checker *check) {
    free(check->passes);
    free(check->slots);
}

static bool broken(checker *check, const char *what) {
    check->wrong = what;
    return false;
}

/* ---- Slots ---- */

static checker_slot *probe(checker_slot *slots, size_t size, uint32_t tier, uint64_t slot) {
    size_t at = (size_t)((slot * 0x9e3779b97f4a7c15 ^ tier) >> 20) & (size - 1);
    while (slots[at].known && (slots[at].slot != slot || slots[at].tier != tier))
        at = (at + 1) & (size - 1);
    return &slots[at];
}

static void grow(checker *check) {
    size_t size = check->slots_size * 2;
    checker_slot *slots = must(calloc(size, sizeof *slots));
    for (size_t i = 0; i < check->slots_size; i++)
        if (check->slots[i].known)
            *probe(slots, size, check->slots[i].tier, check->slots[i].slot) = check->slots[i];
    free(check->slots);
    check->slots = slots;
    check->slots_size = size;
}

static checker_slot *find(checker *check, const verso_action *action) {
    if (2 * check->slots_known >= check->slots_size)
        grow(check);
    checker_slot *found = probe(check->slots, check->slots_size, action->tier, action->slot);
    if (!found->known) {
        *found = (checker_slot){.slot = action->slot, .tier = action->tier, .known = true};
        check->slots_known++;
    }
    return found;
}

static size_t tiers_of(const verso_schedule_spec *spec) {
    switch (spec->kind) {
    case VERSO_KIND_LEVELS: return spec->tier_count;
    case VERSO_KIND_DISK:
    case VERSO_KIND_PERIODIC:
    case VERSO_KIND_TWO_LEVEL: return 2;
    case VERSO_KIND_ONLINE: return spec->with_disk ? 2 : 1;
    default: return 1;
    }
}

static uint64_t capacity_of(const verso_schedule_spec *spec, uint32_t tier) {
    switch (spec->kind) {
    case VERSO_KIND_LEVELS: return spec->tiers[tier].capacity;
    case VERSO_KIND_STORE_ALL:
    case VERSO_KIND_EVERY_K: return VERSO_UNKNOWN;
    case VERSO_KIND_NONE: return 1;
    case VERSO_KIND_TREEVERSE:
    case VERSO_KIND_BINARY: return spec->space > 0 ? spec->space : VERSO_UNKNOWN;
    case VERSO_KIND_TWO_LEVEL: return spec->slots;
    default: return tier == 0 ? spec->slots : VERSO_UNKNOWN;
    }
}

static bool fill(checker *check, const verso_action *action, uint64_t to) {
    checker_slot *slot = find(check, action);
    if (slot->full)
        return broken(check, "the slot is not free");
    slot->full = true;
    slot->from = action->from;
    slot->to = to;
    uint64_t used = ++check->in_use[action->tier];
    if (used > check->counted.peak_slots[action->tier])
        check->counted.peak_slots[action->tier] = used;
    check->counted.writes[action->tier]++;
    if (check->spec.kind == VERSO_KIND_TWO_LEVEL && check->in_use[0] + check->in_use[1] > check->spec.slots)
        return broken(check, "both tiers together have too few slots");
    return true;
}

/* ---- Actions ---- */

static bool at_work(const checker *check, uint64_t step) {
    return check->working && check->at == step;
}

static bool move_on(checker *check, const verso_action *action) {
    if (!at_work(check, action->from))
        return broken(check, "it begins at another state than the working one");
    if (action->to <= action->from || action->to > check->end)
        return broken(check, "it is empty, or passes the end");
    check->at = action->to;
    return true;
}

static bool record(checker *check, uint64_t from, uint64_t to) {
    check->counted.recorded_steps += to - from;
    if (to - from > check->counted.longest_recording)
        check->counted.longest_recording = to - from;
    return true;
}

static bool sweep(checker *check, const verso_action *action) {
    if (action->from != check->end || action->to >= action->from)
        return broken(check, "that is not what is to be reversed next");
    check->end = action->to;
    check->working = false;
    return true;
}

static bool play_advance(checker *check, const verso_action *action) {
    if (action->tier != 0 || action->slot != 0)
        return broken(check, "an advance has neither tier nor slot");
    if (!move_on(check, action))
        return false;
    check->counted.forward_steps += action->to - action->from;
    for (uint64_t i = action->from; check->passes != NULL && i < action->to; i++)
        if (++check->passes[i] > check->counted.repetition)
            check->counted.repetition = check->passes[i];
    return true;
}

static bool play_reverse(checker *check, const verso_action *action) {
    if (action->tier != 0 || action->slot != 0)
        return broken(check, "a reverse has neither tier nor slot");
    if (!at_work(check, action->to))
        return broken(check, "it begins at another state than the working one");
    return sweep(check, action) && record(check, action->to, action->from);
}

static bool play_state(checker *check, const verso_action *action) {
    if (action->to != 0)
        return broken(check, "it has a `to`");
    if (action->kind == VERSO_ACTION_STORE)
        return at_work(check, action->from) ? fill(check, action, action->from)
                                            : broken(check, "that is not the working state");
    checker_slot *slot = find(check, action);
    if (!slot->full || slot->from != action->from || slot->to != action->from)
        return broken(check, "the slot does not hold that state");
    if (action->kind == VERSO_ACTION_DISCARD) {
        slot->full = false;
        check->in_use[action->tier]--;
        return true;
    }
    if (action->from >= check->end)
        return broken(check, "that state is of no use any more");
    check->working = true;
    check->at = action->from;
    check->counted.reads[action->tier]++;
    return true;
}

static bool play_record(checker *check, const verso_action *action) {
    if (action->kind == VERSO_ACTION_RECORD)
        return move_on(check, action) && record(check, action->from, action->to) && fill(check, action, action->to);
    checker_slot *slot = find(check, action);
    if (!slot->full || slot->from != action->to || slot->to != action->from)
        return broken(check, "the slot does not hold that record");
    slot->full = false;
    check->in_use[action->tier]--;
    check->counted.reads[action->tier]++;
    return sweep(check, action);
}

static bool play_done(checker *check) {
    check->over = true;
    if (check->end != 0)
        return broken(check, "steps are left");
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
        if (check->in_use[tier] != 0)
            return broken(check, "capsules are left");
    return true;
}

bool checker_play(checker *check, const verso_action *action) {
    check->wrong = NULL;
    if (check->over && action->kind != VERSO_ACTION_DONE)
        return broken(check, "something comes after done");
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE: return play_advance(check, action);
    case VERSO_ACTION_REVERSE: return play_reverse(check, action);
    case VERSO_ACTION_DONE: return play_done(check);
    case VERSO_ACTION_STORE_ADJOINT:
        check->counted.adjoint_stores++;
        return action->from == check->end || broken(check, "that is not the current adjoint");
    default: break;
    }
    if (action->tier >= tiers_of(&check->spec))
        return broken(check, "there is no such tier");
    if (action->slot >= capacity_of(&check->spec, action->tier))
        return broken(check, "there is no such slot");
    return action->kind == VERSO_ACTION_RECORD || action->kind == VERSO_ACTION_SWEEP ? play_record(check, action)
                                                                                     : play_state(check, action);
}
