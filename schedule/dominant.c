/* Dominant sequences: positions of periods, their cost, and their reversal. See dominant.h. */
#include "schedule/dominant.h"

#include "base/search.h"
#include "schedule/cost.h"

verso__period_place verso__sequence_place(const verso__sequence *sequence, uint64_t i) {
    verso__period_place place = {0};
    for (size_t g = 0; g < sequence->used; g++) {
        const verso__period_group *group = &sequence->groups[g];
        if (i < group->count) {
            place.start += i * group->steps;
            place.group = group;
            return place;
        }
        place.start += group->count * group->steps;
        i -= group->count;
    }
    return place;
}

/* Returns the number of steps of the first k pieces together. */
static uint64_t steps_of_pieces(const verso__sequence *sequence, const verso__period_group *group, uint64_t k) {
    if (group->pieces == 1)
        return k == 0 ? 0 : group->steps;
    uint64_t filled = verso__period_steps(sequence->slots, k, group->level);
    uint64_t room = verso__period_steps(sequence->slots, k, group->level + 1) - filled;
    return filled + verso__min_u64(group->extra, room);
}

uint64_t verso__piece_steps(const verso__sequence *sequence, const verso__period_group *group, uint64_t k) {
    return steps_of_pieces(sequence, group, k) - steps_of_pieces(sequence, group, k - 1);
}

/* `count` equal periods that are being reversed, and the steps of each that are left. */
typedef struct reversal {
    uint64_t count, slots, left;
    verso__cost *cost;
} reversal;

static void add_piece(reversal *of, uint64_t steps) {
    of->left -= steps;
    of->cost->forward_steps += (verso__wide)of->count * of->left;
    verso__revolve_cost(of->cost, of->count, steps, of->slots);
}

/* Adds pieces of beta(c, high), beta(c, high - 1), ... steps. Reversing a full piece of beta(c, s) steps takes c
 * beta(c + 1, s - 1) forward steps; beta(c + 1, s - 1) is also the length of all pieces after it if they continue
 * down to 0. */
static void add_full_pieces(reversal *of, int64_t high, uint64_t pieces) {
    if (pieces == 0)
        return;
    int64_t c = (int64_t)of->slots;
    int64_t low = high - (int64_t)pieces + 1;
    verso__wide after = verso__beta_sum(low - 1, high - 1, c + 1);
    uint64_t steps = (uint64_t)verso__beta_sum(low, high, c);
    uint64_t longest = verso__beta(c, high);
    verso__cost *cost = of->cost;
    verso__wide all = pieces * (of->left - verso__beta_wide(c + 1, high)) + after * (of->slots + 1);
    cost->forward_steps += of->count * all;
    cost->writes[0] += of->count * verso__beta_sum(low > 1 ? low : 1, high, c - 1);
    cost->reads[0] += (verso__wide)of->count * (steps - pieces);
    cost->peak_slots[0] = verso__max_u64(cost->peak_slots[0], verso__min_u64(of->slots, longest - 1));
    of->left -= steps;
}

typedef struct raising {
    const verso__sequence *sequence;
    const verso__period_group *group;
} raising;

static uint64_t room_above(const raising *of, uint64_t k) {
    uint64_t slots = of->sequence->slots;
    return verso__period_steps(slots, k, of->group->level + 1) - verso__period_steps(slots, k, of->group->level);
}

static bool exceeds_extra(const void *context, uint64_t k) {
    const raising *of = context;
    return k > of->group->pieces || room_above(of, k) > of->group->extra;
}

void verso__period_cost(const verso__sequence *sequence, const verso__period_group *group, uint64_t count,
                        verso__cost *cost) {
    reversal of = {.count = count, .slots = sequence->slots, .left = group->steps, .cost = cost};
    cost->reads[1] += (verso__wide)count * group->pieces;
    if (sequence->slots == 0) { /* each piece is one step */
        cost->forward_steps += count * ((verso__wide)of.left * (of.left - 1) / 2);
        return;
    }
    if (group->pieces == 1) {
        add_piece(&of, of.left);
        return;
    }
    raising up = {.sequence = sequence, .group = group};
    uint64_t raised = verso__least_above(0, exceeds_extra, &up) - 1;
    add_full_pieces(&of, (int64_t)group->level, raised);
    if (raised < group->pieces && room_above(&up, raised) < group->extra)
        add_piece(&of, verso__piece_steps(sequence, group, ++raised));
    add_full_pieces(&of, (int64_t)group->level - (int64_t)raised - 1, group->pieces - raised);
}

void verso__sequence_add_best(verso__sequence *sequence, const verso__best_period *best, uint64_t count) {
    sequence->groups[sequence->used++] =
        (verso__period_group){.count = count, .steps = best->steps, .pieces = best->pieces, .level = best->level};
    sequence->periods += count;
}

/* ---- Reversing ---- */

static void begin_piece(verso_schedule *schedule, uint64_t start) {
    verso__machine_start(schedule, start, schedule->walk.end, 0, 0);
    schedule->walk.extra[VERSO_OUTER_MODE] = VERSO_OUTER_INNER;
}

static void turn_to_period_before(verso__walk *walk) {
    walk->extra[VERSO_OUTER_PERIOD]--;
    walk->extra[VERSO_OUTER_PIECE] = 1;
    walk->extra[VERSO_OUTER_MODE] = VERSO_OUTER_RESTORE;
}

/* After the machine has finished the residual or a piece: continues with the next piece, or with the previous
 * period. */
static void turn_to_next_piece(verso_schedule *schedule, const verso__sequence *sequence) {
    verso__walk *walk = &schedule->walk;
    uint64_t period = walk->extra[VERSO_OUTER_PERIOD];
    if (sequence->adjoint_at_periods && (walk->end > 0 || period < sequence->periods)) {
        walk->extra[VERSO_OUTER_MODE] = walk->end > 0 ? VERSO_OUTER_ADJOINT : VERSO_OUTER_FREE;
    } else if (walk->end == 0) {
        walk->extra[VERSO_OUTER_MODE] = VERSO_OUTER_OVER;
    } else if (walk->end > verso__sequence_place(sequence, period).start) {
        walk->extra[VERSO_OUTER_PIECE]++;
        walk->extra[VERSO_OUTER_MODE] = VERSO_OUTER_RESTORE;
    } else {
        turn_to_period_before(walk);
    }
}

static verso_action restore_period(verso_schedule *schedule, const verso__sequence *sequence,
                                   const verso__period_place *place) {
    verso__walk *walk = &schedule->walk;
    bool last = walk->extra[VERSO_OUTER_PIECE] == place->group->pieces;
    walk->at = place->start;
    walk->extra[VERSO_OUTER_MODE] = last ? VERSO_OUTER_DISCARD : VERSO_OUTER_ADVANCE;
    if (sequence->adjoint_at_periods)
        begin_piece(schedule, place->start);
    return verso__make_slot_action(VERSO_ACTION_RESTORE, place->start, 1, walk->extra[VERSO_OUTER_PERIOD]);
}

static verso_action outer_action(verso_schedule *schedule, const verso__sequence *sequence) {
    verso__walk *walk = &schedule->walk;
    uint64_t period = walk->extra[VERSO_OUTER_PERIOD];
    verso__period_place place = verso__sequence_place(sequence, period);
    if (place.group == NULL && walk->extra[VERSO_OUTER_MODE] != VERSO_OUTER_ADJOINT)
        return verso__make_action(VERSO_ACTION_DONE, 0, 0); /* only a forged cursor gets here before the end */
    switch ((enum verso__outer_mode)walk->extra[VERSO_OUTER_MODE]) {
    case VERSO_OUTER_ADJOINT:
        if (period < sequence->periods)
            walk->extra[VERSO_OUTER_MODE] = VERSO_OUTER_FREE;
        else
            turn_to_period_before(walk);
        return verso__make_action(VERSO_ACTION_STORE_ADJOINT, walk->end, 0);
    case VERSO_OUTER_FREE:
        if (walk->end > 0)
            turn_to_period_before(walk);
        else
            walk->extra[VERSO_OUTER_MODE] = VERSO_OUTER_OVER;
        return verso__make_slot_action(VERSO_ACTION_DISCARD, place.start, 1, period);
    case VERSO_OUTER_RESTORE: return restore_period(schedule, sequence, &place);
    case VERSO_OUTER_DISCARD:
        begin_piece(schedule, place.start);
        return verso__make_slot_action(VERSO_ACTION_DISCARD, place.start, 1, period);
    case VERSO_OUTER_ADVANCE: {
        uint64_t start = walk->end - verso__piece_steps(sequence, place.group, walk->extra[VERSO_OUTER_PIECE]);
        begin_piece(schedule, start);
        return verso__make_action(VERSO_ACTION_ADVANCE, place.start, start);
    }
    case VERSO_OUTER_INNER:
    case VERSO_OUTER_OVER:
    case VERSO_OUTER_MODES: break;
    }
    return verso__make_action(VERSO_ACTION_DONE, 0, 0);
}

verso_status verso__outer_next(verso_schedule *schedule, const verso__sequence *sequence, const verso__machine *machine,
                               verso_action *action, verso_error *error) {
    if (schedule->walk.extra[VERSO_OUTER_MODE] == VERSO_OUTER_INNER) {
        verso_status status = verso__machine_next(schedule, machine, action, error);
        if (status != VERSO_STATUS_OK || action->kind != VERSO_ACTION_DONE)
            return status;
        turn_to_next_piece(schedule, sequence);
    }
    *action = outer_action(schedule, sequence);
    return VERSO_STATUS_OK;
}

bool verso__outer_valid(const verso_schedule *schedule, const verso__sequence *sequence,
                        const verso__machine *machine) {
    const verso__walk *walk = &schedule->walk;
    uint64_t mode = walk->extra[VERSO_OUTER_MODE];
    uint64_t period = walk->extra[VERSO_OUTER_PERIOD];
    uint64_t piece = walk->extra[VERSO_OUTER_PIECE];
    uint64_t floor = walk->extra[VERSO_MACHINE_FLOOR];
    if (mode >= VERSO_OUTER_MODES || period > sequence->periods)
        return false;
    if (mode == VERSO_OUTER_OVER)
        return walk->end == 0 && walk->used == machine->base;
    verso__period_place place = verso__sequence_place(sequence, period);
    if (place.group == NULL) { /* the residual */
        if (mode == VERSO_OUTER_ADJOINT)
            return period > 0 && walk->end == place.start && walk->used == machine->base;
        return mode == VERSO_OUTER_INNER && floor == place.start && walk->end <= place.start + sequence->residual &&
               verso__machine_valid(schedule, machine);
    }
    if (piece < 1 || piece > place.group->pieces)
        return false;
    uint64_t end = place.start + place.group->steps - steps_of_pieces(sequence, place.group, piece - 1);
    uint64_t start = end - verso__piece_steps(sequence, place.group, piece);
    if (mode == VERSO_OUTER_INNER)
        return floor == start && walk->end <= end && verso__machine_valid(schedule, machine);
    if (mode == VERSO_OUTER_ADJOINT || mode == VERSO_OUTER_FREE)
        return walk->end == start && (period > 0 || mode == VERSO_OUTER_FREE) && walk->used == machine->base;
    bool at_start = mode == VERSO_OUTER_RESTORE || walk->at == place.start;
    bool last = piece == place.group->pieces;
    bool fits = mode == VERSO_OUTER_DISCARD ? last : mode == VERSO_OUTER_ADVANCE ? !last : true;
    return walk->end == end && at_start && fits && walk->used == machine->base;
}
