/* What is inside a schedule, and what a kind of schedule must supply. Private to schedule/.
 *
 * Invariants
 *  1. `plan` is derived from `spec` alone and never changes: the same spec gives the same plan in every process.
 *  2. All that changes as actions are handed out is in `walk` and in `stack[0 … walk.used)`, as plain 64-bit words. So
 * the cursor is those words, and no kind writes code of its own for it.
 *  3. A `next` that fails for want of memory may be called again, and then gives what it would have given. */
#ifndef VERSO_SCHEDULE_KIND_H
#define VERSO_SCHEDULE_KIND_H

#include <verso/schedule.h>

enum { VERSO_WALK_EXTRA = 16 };

/* Steps, slots and costs beyond this are refused: sums of a few of them must fit 64 bits. */
#define VERSO_STEPS_MAX ((uint64_t)1 << 60)

typedef struct verso_walk {
    uint64_t phase; /* each kind's own; 0 at the start */
    uint64_t at;    /* the working state is x_at, where the phase says that there is one */
    uint64_t end;   /* steps [0, end) are still to be reversed */
    uint64_t used;  /* words of the stack */
    uint64_t extra[VERSO_WALK_EXTRA];
} verso_walk;

typedef struct verso_kind {
    /* Checks the fields that this kind reads, and makes the plan. */
    verso_status (*plan)(verso_schedule *schedule, verso_error *error);
    void (*plan_free)(void *plan); /* may be NULL: nothing but the block itself */
    verso_status (*next)(verso_schedule *schedule, verso_action *action, verso_error *error);
    verso_status (*cost)(const verso_schedule *schedule, verso_cost *cost, verso_error *error);
    /* Could these words have come from this plan? Guards memory safety, not meaning: a checksum guards that. */
    bool (*valid)(const verso_schedule *schedule);
    /* Only kinds that learn their steps late; else NULL. */
    verso_status (*end)(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_error *error);
} verso_kind;

struct verso_schedule {
    verso_schedule_spec spec;
    const verso_kind *kind;
    void *plan;
    size_t tiers;
    verso_walk walk;
    uint64_t *stack;
    size_t stack_capacity; /* words */
};

/* Makes room for `words` more on the stack. */
verso_status verso_stack_reserve(verso_schedule *schedule, size_t words, verso_error *error);

/* One an entry of VERSO_KIND_LIST. */
extern const verso_kind verso_kind_store_all, verso_kind_every_k, verso_kind_none, verso_kind_revolve,
    verso_kind_treeverse, verso_kind_binary, verso_kind_disk, verso_kind_periodic, verso_kind_levels, verso_kind_online,
    verso_kind_mixed, verso_kind_resilient, verso_kind_continuous, verso_kind_single_recovery, verso_kind_two_level;

/* ---- What kinds share ---- */

static inline verso_action verso_make_action(verso_action_kind kind, uint64_t from, uint64_t to) {
    return (verso_action){.kind = kind, .from = from, .to = to};
}

static inline verso_action verso_make_slot_action(verso_action_kind kind, uint64_t state, uint32_t tier,
                                                  uint64_t slot) {
    return (verso_action){.kind = kind, .from = state, .tier = tier, .slot = slot};
}

/* VERSO_IMPOSSIBLE unless there are at least `least` slots. */
verso_status verso_need_slots(const verso_schedule *schedule, uint64_t least, verso_error *error);

/* Fills steps, recorded_steps and makespan from the counts and the spec's costs. */
void verso_cost_total(const verso_schedule *schedule, verso_cost *cost);

#endif
