/* The naive schedules, for comparison: every k-th state is stored in the first sweep, and each stretch of k steps
 * is then recorded from its start. store-all is k = 1. The other extreme, none, is revolve with one slot
 * (revolve.c).
 *
 * The capsule of the j-th block is in slot j, so the position of the sweep is all that has to be remembered. */
#include "base/status.h"
#include "base/wide.h"
#include "schedule/cost.h"
#include "schedule/kind.h"

enum phase { STORE, ADVANCE, REVERSE, RESTORE, DISCARD, PHASES };

static uint64_t stretch_of(const verso_schedule *schedule) {
    return schedule->spec.kind == VERSO_KIND_STORE_ALL ? 1 : schedule->spec.distance;
}

/* Returns the start of the last block, which is recorded directly in the first sweep. */
static uint64_t last_start(const verso_schedule *schedule) {
    uint64_t k = stretch_of(schedule);
    return schedule->spec.steps == 0 ? 0 : (schedule->spec.steps - 1) / k * k;
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    if (stretch_of(schedule) == 0)
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE, "every-k needs a distance of at least 1 between capsules");
    schedule->walk.phase = last_start(schedule) > 0 ? STORE : REVERSE;
    return VERSO_STATUS_OK;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    (void)error;
    verso__walk *walk = &schedule->walk;
    uint64_t k = stretch_of(schedule);
    switch ((enum phase)walk->phase) {
    case STORE:
        *action = verso__make_slot_action(VERSO_ACTION_STORE, walk->at, 0, walk->at / k);
        walk->phase = ADVANCE;
        break;
    case ADVANCE:
        *action = verso__make_action(VERSO_ACTION_ADVANCE, walk->at, walk->at + k);
        walk->at += k;
        walk->phase = walk->at == last_start(schedule) ? REVERSE : STORE;
        break;
    case RESTORE:
        walk->at -= k;
        *action = verso__make_slot_action(VERSO_ACTION_RESTORE, walk->at, 0, walk->at / k);
        walk->phase = DISCARD;
        break;
    case DISCARD:
        *action = verso__make_slot_action(VERSO_ACTION_DISCARD, walk->at, 0, walk->at / k);
        walk->phase = REVERSE;
        break;
    case REVERSE:
    case PHASES:
        if (walk->end == 0) {
            *action = verso__make_action(VERSO_ACTION_DONE, 0, 0);
            break;
        }
        *action = verso__make_action(VERSO_ACTION_REVERSE, walk->end, walk->at);
        walk->end = walk->at;
        walk->phase = walk->at > 0 ? RESTORE : REVERSE;
        break;
    }
    return VERSO_STATUS_OK;
}

static verso_status cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    (void)error;
    uint64_t last = last_start(schedule);
    uint64_t stored = last / stretch_of(schedule);
    cost->steps = schedule->spec.steps;
    cost->forward_steps = last;
    cost->writes[0] = cost->reads[0] = stored;
    cost->peak_slots[0] = stored;
    cost->repetition = last > 0;
    cost->longest_recording = verso__min_u64(stretch_of(schedule), cost->steps);
    verso__cost_total(schedule, cost);
    return VERSO_STATUS_OK;
}

static bool valid(const verso_schedule *schedule) {
    const verso__walk *walk = &schedule->walk;
    uint64_t k = stretch_of(schedule);
    if (walk->phase >= PHASES || walk->used != 0 || walk->end > schedule->spec.steps || walk->at > walk->end ||
        walk->at % k != 0)
        return false;
    switch ((enum phase)walk->phase) {
    case STORE:
    case ADVANCE: return walk->at < last_start(schedule) && walk->end == schedule->spec.steps;
    case RESTORE: return walk->at == walk->end && walk->at > 0;
    case DISCARD: return walk->at < walk->end;
    case REVERSE: return walk->at < walk->end || walk->end == 0;
    case PHASES: break;
    }
    return false;
}

const verso__kind verso__kind_store_all = {.plan = plan, .next = next, .cost = cost, .valid = valid};
const verso__kind verso__kind_every_k = {.plan = plan, .next = next, .cost = cost, .valid = valid};
