/* Plans that combine checkpointed calls with a schedule: one budget, divided between the recording of a step and
 * capsules.
 *
 * A schedule runs the program in steps of a fixed number of bytes of recording, keeps capsules between them and
 * records one step at a time. With sites on, recording a step takes less memory than its length, so steps can be
 * longer: there are fewer of them, and fewer are run again. In exchange, each checkpointed call is run once more.
 * For a choice of sites and steps of length L, in a run whose recording with all sites off is H bytes long:
 *
 *     tape       the maximum memory of recording one of the H / L steps, from the call tree, step by step
 *     capsules   (budget - memory for neither capsules nor steps - tape) / size of the largest snapshot
 *     seconds    recording and reversing everything once, the cost of the sites, running forward as often as the
 *                schedule does (closed forms of schedule/), copying capsules, and getting fresh memory
 *
 * A call in which a step ends is recorded whether or not its site is on (native/sweep/callsites.c); the plan counts
 * it so. */
#ifndef PROFILE_PLAN_H
#define PROFILE_PLAN_H

#include "profile/search.h"

#include <verso/profile.h>

/* ---- Reserves ---- */

/* Returns the bytes to reserve for a capsule if the largest so far took `largest` bytes. */
static inline uint64_t verso__plan_capsule(uint64_t largest) {
    return largest + largest / 64 + 2048;
}
/* Returns the bytes to reserve for steps that are longer than planned because loops are run in strips
 * (cc/plan/strips.h). */
static inline uint64_t verso__plan_longer(uint64_t memory) {
    return memory / 64 < UINT64_C(1) << 20 ? memory / 64 : UINT64_C(1) << 20;
}

/* ---- A plan ---- */

/* The settings of a run besides its sites. */
typedef struct verso__plan {
    uint64_t memory; /* budget in bytes, as in VERSO_MEMORY; 0: no budget, the gradient is computed in a single pass */
    uint64_t leaf;   /* length of a step in bytes of recording with all sites off; 0: the run time chooses */
    uint64_t tape;   /* memory in bytes for recording a step with the chosen sites on; 0: `leaf` */
    /* expected size in bytes of the largest capsule; 0: unknown, the run learns it and then begins again */
    uint64_t capsule;
} verso__plan;

/* A plan with its predicted cost. */
typedef struct verso__planned {
    bool fits; /* a plan was found; if false, only `least` is valid */
    bool *on;  /* the chosen sites, by index */
    verso__plan plan;
    uint64_t steps, slots; /* number of steps, and of capsules at a time */
    uint64_t tape;         /* predicted memory in bytes for recording a step; `plan` reserves a little more */
    uint64_t bytes;        /* maximum of all memory in bytes */
    double seconds;        /* predicted duration */
    uint64_t least;        /* least budget in bytes that any tried plan needs */
} verso__planned;

/* Finds the fastest plan within a budget, with steps of any length: among the choices in `fronts`, and among
 * choices that differ from the best of these in single sites. Returns VERSO_STATUS_NO_MEMORY on failure. The caller
 * calls verso__plan_close even then. */
verso_status verso__plan_find(const verso_profile *profile, uint64_t memory, const verso__front *const *fronts,
                              size_t count, verso__planned *best);
void verso__plan_close(verso__planned *planned);

#endif
