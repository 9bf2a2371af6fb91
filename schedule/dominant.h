/* Dominant sequences (paper 4): periods that each begin with a disk capsule, then a residual; everything inside is
 * reversed by revolve. A sequence is stored as a list of groups of equal periods, which takes a few numbers for any
 * n. */
#ifndef VERSO_SCHEDULE_DOMINANT_H
#define VERSO_SCHEDULE_DOMINANT_H

#include "schedule/cost.h"
#include "schedule/period.h"
#include "schedule/revolve.h"

enum { VERSO_GROUPS_MAX = 6 };

typedef struct verso__period_group {
    uint64_t count;  /* number of periods */
    uint64_t steps;  /* steps of each period */
    uint64_t pieces; /* pieces of each period; the first is the rightmost */
    uint64_t level;  /* all places of a period up to this level are filled; unused if pieces is 1 */
    uint64_t extra;  /* number of filled places of the next level, from the first piece on */
} verso__period_group;

typedef struct verso__sequence {
    uint64_t slots; /* memory slots for each piece and for the residual */
    size_t used;    /* number of groups */
    verso__period_group groups[VERSO_GROUPS_MAX];
    uint64_t periods;  /* number of periods in all groups */
    uint64_t residual; /* steps of the residual */
    /* each period has one piece, and its capsule is kept until the adjoint at its start is durable */
    bool adjoint_at_periods;
    bool optimal;    /* no other sequence is cheaper */
    uint64_t period; /* for verso_cost.period */
    verso__revolve rule;
} verso__sequence;

/* The start and the group of a period; for i = periods, the start of the residual (group NULL). */
typedef struct verso__period_place {
    uint64_t start;
    const verso__period_group *group;
} verso__period_place;
verso__period_place verso__sequence_place(const verso__sequence *sequence, uint64_t i);

/* Returns the number of steps of the k-th piece, 1 <= k <= pieces. */
uint64_t verso__piece_steps(const verso__sequence *sequence, const verso__period_group *group, uint64_t k);

/* Adds the cost of reversing `count` such periods: disk reads, advances and memory capsules, but neither the disk
 * write nor the first sweep. */
void verso__period_cost(const verso__sequence *sequence, const verso__period_group *group, uint64_t count,
                        verso__cost *cost);

/* Appends a group of `count` periods of the platform's best length. */
void verso__sequence_add_best(verso__sequence *sequence, const verso__best_period *best, uint64_t count);

/* ---- Reversing periods after the first sweep and the residual; `online` uses this, too ---- */

enum verso__outer_mode {
    VERSO_OUTER_INNER,   /* the capsule machine reverses a piece or the residual */
    VERSO_OUTER_RESTORE, /* read the disk capsule for the next piece */
    VERSO_OUTER_DISCARD, /* discard the disk capsule before the last piece */
    VERSO_OUTER_ADVANCE, /* advance to the start of the piece */
    VERSO_OUTER_ADJOINT, /* store the adjoint */
    VERSO_OUTER_FREE,    /* discard the capsule of a reversed period whose adjoint is durable */
    VERSO_OUTER_OVER,    /* everything is reversed */
    VERSO_OUTER_MODES
};
enum verso__outer_words {
    VERSO_OUTER_MODE = VERSO_MACHINE_WORDS,
    VERSO_OUTER_PERIOD, /* the period that is being reversed; `periods`: the residual */
    VERSO_OUTER_PIECE,  /* its current piece, from 1 */
    VERSO_OUTER_WORDS
};

/* Sets *action to the next action of the reversal. */
verso_status verso__outer_next(verso_schedule *schedule, const verso__sequence *sequence, const verso__machine *machine,
                               verso_action *action, verso_error *error);
/* Returns whether the walk could have come from this sequence (see verso__kind.valid). */
bool verso__outer_valid(const verso_schedule *schedule, const verso__sequence *sequence, const verso__machine *machine);

#endif
