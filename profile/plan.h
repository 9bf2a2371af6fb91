/* Sites inside the steps of a schedule: one budget, divided between the recording of a step and capsules.
 *
 * A schedule runs the program in steps, each of so many bytes of recording, keeps capsules between them and records one
 * step at a time. With sites on, recording a step takes less than its length, so steps can be longer, there are fewer
 * of them, and fewer are run again; each call that is checkpointed is run once more for that. So for a choice of sites
 * and a length L of steps, in a run whose recording with all sites off is H bytes long:
 *
 *     tape       the most that recording one of the H / L steps takes: from the call tree, step by step
 *     capsules   budget - what is neither capsule nor step - tape, divided by the size of the largest snapshot
 *     seconds    recording and reversing everything once, what the sites cost, running forward as often as the schedule
 *                says (the closed forms of schedule/), copying capsules, getting memory
 *
 * A call in which a step ends is recorded whether its site is on or not (native/callsites.c), which is counted. */
#ifndef PROFILE_PLAN_H
#define PROFILE_PLAN_H

#include "profile/search.h"

#include <verso/profile.h>

/* ---- What a budget is divided by ---- */

/* What is spared for a capsule when the largest so far took so much. */
static inline uint64_t verso_plan_capsule(uint64_t largest) {
    return largest + largest / 64 + 2048;
}
/* What is spared for steps that are longer than they should be, because loops are taken in strips (cc/strips.h). */
static inline uint64_t verso_plan_longer(uint64_t memory) {
    return memory / 64 < UINT64_C(1) << 20 ? memory / 64 : UINT64_C(1) << 20;
}

/* ---- A plan ---- */

/* What a run is told beside its sites. */
typedef struct verso_plan {
    uint64_t memory;  /* the budget, as VERSO_MEMORY has it; 0: none, the gradient is computed at one go */
    uint64_t leaf;    /* the length of a step; 0: the run time chooses */
    uint64_t tape;    /* what recording it takes with the sites that are on; 0: as much */
    uint64_t capsule; /* the largest is so long, about; 0: the run will tell, and begin again when it knows */
} verso_plan;

typedef struct verso_planned {
    bool fits; /* false: nothing but `least` counts */
    bool *on;  /* the choice */
    verso_plan plan;
    uint64_t steps, slots;
    uint64_t tape;  /* of one step, predicted; the plan spares a little more */
    uint64_t bytes; /* in all, at most */
    double seconds;
    uint64_t least; /* the least budget that would do, of all that was tried */
} verso_planned;

/* The fastest within a budget, in steps of any length: of the choices in some fronts, and of those that differ from the
 * best of these by switching one site after the other. VERSO_NO_MEMORY. To be closed, also then. */
verso_status verso_plan_find(const verso_profile *profile, uint64_t memory, const verso_front *const *fronts,
                             size_t count, verso_planned *best);
void verso_plan_close(verso_planned *planned);

#endif
