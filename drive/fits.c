/* Checks that a restart point, and each action of a loaded schedule, is possible in the run. Checksums do not
 * protect against forged files, and loading a cursor only checks memory safety (schedule/kind.h). Without these
 * checks a wrong journal could yield a wrong gradient or an endless advance. What passes can be played and gives
 * the right result, because states are identified by their steps. */
#include "drive/inside.h"
#include "schedule/cost.h"
#include "schedule/words.h"

static bool slot_fits(const verso_schedule_spec *spec, uint64_t steps, uint32_t tier, uint64_t slot) {
    return tier < verso__spec_tiers(spec) && slot <= steps && slot < verso__spec_capacity(spec, tier);
}

bool verso__action_fits(const verso_action *action, const verso_schedule *schedule, uint64_t steps, uint64_t adjoint) {
    const verso_schedule_spec *spec = verso_schedule_get_spec(schedule);
    uint64_t last = steps == VERSO_UNKNOWN ? steps - 1 : steps; /* without a known end, any step is possible */
    uint64_t next = adjoint == VERSO_UNKNOWN ? steps : adjoint; /* the next stretch to reverse ends here */
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE: return action->from < action->to && action->to <= last;
    case VERSO_ACTION_RECORD:
        return action->from < action->to && action->to <= last && slot_fits(spec, last, action->tier, action->slot);
    case VERSO_ACTION_STORE:
    case VERSO_ACTION_RESTORE:
    case VERSO_ACTION_DISCARD: return action->from <= last && slot_fits(spec, last, action->tier, action->slot);
    case VERSO_ACTION_REVERSE: return action->to < action->from && action->from == next;
    case VERSO_ACTION_SWEEP:
        return action->to < action->from && action->from == next && slot_fits(spec, last, action->tier, action->slot);
    case VERSO_ACTION_STORE_ADJOINT: return true;
    case VERSO_ACTION_DONE: return next == 0;
    }
    return false;
}

static bool step_fits(uint64_t step, uint64_t last) {
    return step == VERSO_UNKNOWN || step <= last;
}

bool verso__commit_fits(const verso__commit *commit, const verso_schedule *schedule) {
    const verso_schedule_spec *spec = verso_schedule_get_spec(schedule);
    verso__cost cost;
    uint64_t steps = verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK ? cost.steps : VERSO_UNKNOWN;
    uint64_t last = steps == VERSO_UNKNOWN ? steps - 1 : steps;
    if (commit->pending.kind != VERSO_ACTION_DONE &&
        !verso__action_fits(&commit->pending, schedule, steps, commit->adjoint))
        return false;
    if (commit->counts.reached > last || !step_fits(commit->adjoint, last) || !step_fits(commit->working, last))
        return false;
    for (size_t i = 0; i < commit->live_count; i++) {
        const verso__live *live = &commit->live[i];
        if (live->from > last || live->to > last || !slot_fits(spec, last, live->tier, live->slot))
            return false;
    }
    return true;
}
