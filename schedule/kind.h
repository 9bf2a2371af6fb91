/* Internals of a schedule, and what a kind of schedule must supply. Private to schedule/.
 *
 * Invariants
 *  1. `plan` depends only on `spec` and never changes: the same spec gives the same plan in every process.
 *  2. Everything that changes as actions are taken is in `walk` and in stack[0 .. walk.used), as 64-bit words. The
 *     cursor consists of those words, so no kind needs code of its own to save and load.
 *  3. A `next` that fails because there is no memory may be called again, and then returns the action that had
 *     failed. */
#ifndef VERSO_SCHEDULE_KIND_H
#define VERSO_SCHEDULE_KIND_H

#include "schedule/cost.h"

#include <verso/schedule.h>

enum { VERSO_WALK_EXTRA = 16 };

/* Maximum of steps, slots and costs, so that sums of a few of them fit 64 bits. */
#define VERSO_STEPS_MAX ((uint64_t)1 << 60)

typedef struct verso__walk {
    uint64_t phase;                   /* defined by each kind; 0 at the start */
    uint64_t at;                      /* the working state is x_at, if the phase implies that there is one */
    uint64_t end;                     /* steps [0, end) are still to be reversed */
    uint64_t used;                    /* number of words on the stack */
    uint64_t extra[VERSO_WALK_EXTRA]; /* defined by each kind */
} verso__walk;

typedef struct verso__kind {
    /* Checks the fields that this kind reads, and makes the plan. */
    verso_status (*plan)(verso_schedule *schedule, verso_error *error);
    void (*plan_free)(void *plan); /* frees what the plan owns, not the block itself; may be NULL */
    /* Implement verso_schedule_next and verso_schedule_cost. */
    verso_status (*next)(verso_schedule *schedule, verso_action *action, verso_error *error);
    verso_status (*cost)(const verso_schedule *schedule, verso__cost *cost, verso_error *error);
    /* Returns whether walk and stack, read from a cursor, could have come from this plan. This ensures memory
     * safety only; a checksum detects damage. */
    bool (*valid)(const verso_schedule *schedule);
    /* Implements verso_schedule_end; NULL for kinds that know their number of steps from the start. */
    verso_status (*end)(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_error *error);
} verso__kind;

struct verso_schedule {
    verso_schedule_spec spec;
    const verso__kind *kind;
    void *plan;
    size_t tiers;
    verso__walk walk;
    uint64_t *stack;
    size_t stack_capacity; /* size of `stack` in words */
};

/* Makes room for `words` more words on the stack. */
verso_status verso__stack_reserve(verso_schedule *schedule, size_t words, verso_error *error);

/* One for each entry of VERSO_KIND_LIST. */
extern const verso__kind verso__kind_store_all, verso__kind_every_k, verso__kind_none, verso__kind_revolve,
    verso__kind_treeverse, verso__kind_binary, verso__kind_disk, verso__kind_periodic, verso__kind_levels,
    verso__kind_online, verso__kind_mixed, verso__kind_resilient, verso__kind_continuous, verso__kind_single_recovery,
    verso__kind_two_level;

/* ---- Functions for all kinds ---- */

static inline verso_action verso__make_action(verso_action_kind kind, uint64_t from, uint64_t to) {
    return (verso_action){.kind = kind, .from = from, .to = to};
}

static inline verso_action verso__make_slot_action(verso_action_kind kind, uint64_t state, uint32_t tier,
                                                   uint64_t slot) {
    return (verso_action){.kind = kind, .from = state, .tier = tier, .slot = slot};
}

/* Returns VERSO_STATUS_IMPOSSIBLE unless there are at least `least` slots. */
verso_status verso__need_slots(const verso_schedule *schedule, uint64_t least, verso_error *error);

/* Fills in recorded_steps and makespan from the counts and the spec's costs. */
void verso__cost_total(const verso_schedule *schedule, verso__cost *cost);

#endif
