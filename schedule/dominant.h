/* Dominant sequences (paper 4): periods, each begun by a disk capsule, then a residual; all that is inside is revolved.
 * As a list of groups of equal periods it is a handful of numbers, whatever n is. */
#ifndef VERSO_SCHEDULE_DOMINANT_H
#define VERSO_SCHEDULE_DOMINANT_H

#include "schedule/period.h"
#include "schedule/revolve.h"

enum { VERSO_GROUPS_MAX = 6 };

typedef struct verso_period_group {
    uint64_t count;
    uint64_t steps;  /* of each period */
    uint64_t pieces; /* of each; the first is the rightmost */
    uint64_t level;  /* all places of a period up to this level are filled (unused when pieces is 1) … */
    uint64_t extra;  /* … and so many of the next level, from the first piece on */
} verso_period_group;

typedef struct verso_sequence {
    uint64_t slots; /* of memory, for each piece and for the residual */
    size_t used;
    verso_period_group groups[VERSO_GROUPS_MAX];
    uint64_t periods;        /* in all groups */
    uint64_t residual;       /* steps */
    bool adjoint_at_periods; /* periods of one piece, whose capsule is kept until the adjoint at their start is durable
                              */
    bool optimal;            /* no other sequence is cheaper */
    uint64_t period;         /* to report */
    verso_revolve rule;
} verso_sequence;

/* Where the i-th period begins, and what it is; i = periods: where the residual begins (group NULL). */
typedef struct verso_period_place {
    uint64_t start;
    const verso_period_group *group;
} verso_period_place;
verso_period_place verso_sequence_place(const verso_sequence *sequence, uint64_t i);

/* Steps of the k-th piece, 1 <= k <= pieces. */
uint64_t verso_piece_steps(const verso_sequence *sequence, const verso_period_group *group, uint64_t k);

/* Adds what `count` reversals of such a period cost: its read-backs, advances and memory capsules; not its write and
 * not the first sweep over it. */
void verso_period_cost(const verso_sequence *sequence, const verso_period_group *group, uint64_t count,
                       verso_cost *cost);

/* One period of the best kind of the platform, `count` times. */
void verso_sequence_add_best(verso_sequence *sequence, const verso_best_period *best, uint64_t count);

/* ---- Reversing periods, once the first sweep and the residual are done (also what `online` does at its end) ---- */

enum verso_outer_mode {
    VERSO_OUTER_INNER,   /* the machine is at work below */
    VERSO_OUTER_RESTORE, /* the disk capsule is to be read for the next piece */
    VERSO_OUTER_DISCARD,
    VERSO_OUTER_ADVANCE, /* to the start of the piece */
    VERSO_OUTER_ADJOINT,
    VERSO_OUTER_FREE, /* the capsule of a period that is reversed and whose adjoint is durable is discarded */
    VERSO_OUTER_OVER,
    VERSO_OUTER_MODES
};
enum verso_outer_words {
    VERSO_OUTER_MODE = VERSO_MACHINE_WORDS,
    VERSO_OUTER_PERIOD, /* the one that is being reversed; `periods`: the residual is */
    VERSO_OUTER_PIECE,
    VERSO_OUTER_WORDS
};

verso_status verso_outer_next(verso_schedule *schedule, const verso_sequence *sequence, const verso_machine *machine,
                              verso_action *action, verso_error *error);
bool verso_outer_valid(const verso_schedule *schedule, const verso_sequence *sequence, const verso_machine *machine);

#endif
