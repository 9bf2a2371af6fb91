/* Schedules: in which order to advance, store, restore and reverse so that a computation of n steps is reversed in
 * little memory. A schedule knows neither what a program is nor what a byte is; it hands out actions, one at a time.
 *
 * Conventions (they hold everywhere)
 *  - n steps take the states x_0 … x_n. Step i leads from x_i to x_{i+1}; reversing it needs x_i as the working state.
 *  - The working state is not a slot. x_0, when it is stored, takes one of the slots. At the start the working state is
 * x_0.
 *  - beta(c, r) = C(c + r, c). The repetition number r of n steps on c slots: beta(c, r-1) < n <= beta(c, r).
 *  - "Forward steps" are steps run without recording. Each step is besides recorded exactly once, by `reverse` or
 * `record`.
 *  - Slots of tier 0 ("memory") cost nothing unless the kind is `levels`; the other tiers cost what the spec says.
 *  - makespan = forward_cost * forward_steps + backward_cost * n + all writes and reads of the tiers. (Paper 4 calls
 * the chain's length l = n - 1.)
 *
 * A schedule is streamed: a call of `next` does constant work (amortised), allocates nothing beyond what its slots
 * need, and n may be 10^12. Objects are independent of each other; one object is for one thread at a time. */
#ifndef VERSO_SCHEDULE_H
#define VERSO_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/export.h>
#include <verso/status.h>
#include <verso/wide.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VERSO_TIERS_MAX = 8 };

#define VERSO_UNKNOWN UINT64_MAX /* a number of steps that is not known, or a number that is not bounded */

/* ---- Actions ---- */

/* name, word, meaning. The working state is x_from after restore, x_to after advance and record, and unspecified after
 * reverse and sweep. */
#define VERSO_ACTION_LIST(X) \
    X(ADVANCE, "advance", "run [from, to) without recording") \
    X(STORE, "store", "keep the working state x_from in (tier, slot), which is free") \
    X(RESTORE, "restore", "make x_from of (tier, slot) the working state") \
    X(DISCARD, "discard", "free (tier, slot), which holds x_from") \
    X(REVERSE, "reverse", "from x_to: record [to, from), then sweep it backwards") \
    X(STORE_ADJOINT, "store-adjoint", "make the adjoint of x_from durable") \
    X(RECORD, "record", "run [from, to) recording, and keep the record in (tier, slot)") \
    X(SWEEP, "sweep", "sweep [to, from) backwards from the record in (tier, slot), which is free afterwards") \
    X(DONE, "done", "everything is reversed")

typedef enum verso_action_kind {
#define VERSO_ACTION_ENUM(name, word, meaning) VERSO_##name,
    VERSO_ACTION_LIST(VERSO_ACTION_ENUM)
#undef VERSO_ACTION_ENUM
} verso_action_kind;

/* `reverse` and `sweep` go backwards: from > to. Fields that an action does not have are 0. */
typedef struct verso_action {
    verso_action_kind kind;
    uint32_t tier;
    uint64_t slot;
    uint64_t from;
    uint64_t to;
} verso_action;

VERSO_API const char *verso_action_word(verso_action_kind kind);

/* ---- What to plan ---- */

#define VERSO_KIND_LIST(X) \
    X(STORE_ALL, "store-all", "every state is stored, nothing is recomputed") \
    X(EVERY_K, "every-k", "every k-th state is stored; each stretch of k is recorded anew") \
    X(NONE, "none", "only x_0 is stored; everything is recomputed from it") \
    X(REVOLVE, "revolve", "binomial: fewest forward steps for the slots, then fewest writes") \
    X(TREEVERSE, "treeverse", "divide and conquer, n-ary tree (Siskind and Pearlmutter, fig. 20)") \
    X(BINARY, "binary", "divide and conquer, binary tree (fig. 21); the same actions as treeverse") \
    X(DISK, "disk", "optimal with memory slots and unlimited disk (DISK-REVOLVE)") \
    X(PERIODIC, "periodic", "disk capsules at one period found from the costs alone") \
    X(LEVELS, "levels", "several tiers, each with capacity, write and read cost") \
    X(ONLINE, "online", "the number of steps is learnt at the end; one or two tiers") \
    X(MIXED, "mixed", "a slot holds a state or the record of one step") \
    X(RESILIENT, "resilient", "binomial with bounded distance between capsules, and adjoint capsules") \
    X(CONTINUOUS, "continuous", "binomial; the free slot is overwritten all along the first sweep") \
    X(SINGLE_RECOVERY, "single-recovery", "binomial on one slot less; that slot is overwritten at a distance") \
    X(TWO_LEVEL, "two-level", "equidistant outer capsules, binomial inside")

typedef enum verso_schedule_kind {
#define VERSO_KIND_ENUM(name, word, meaning) VERSO_KIND_##name,
    VERSO_KIND_LIST(VERSO_KIND_ENUM)
#undef VERSO_KIND_ENUM
        VERSO_KIND_COUNT
} verso_schedule_kind;

VERSO_API const char *verso_kind_word(verso_schedule_kind kind);
VERSO_API const char *verso_kind_meaning(verso_schedule_kind kind);
/* False when the word names no kind. */
VERSO_API bool verso_kind_from_word(const char *word, verso_schedule_kind *kind);

typedef enum verso_split { VERSO_SPLIT_BINOMIAL, VERSO_SPLIT_BISECTION } verso_split;

typedef struct verso_tier {
    uint64_t capacity; /* slots; VERSO_UNKNOWN: as many as wanted */
    uint64_t write_cost;
    uint64_t read_cost;
} verso_tier;

/* One form for all kinds; each reads the fields its line names and ignores the others. */
typedef struct verso_schedule_spec {
    verso_schedule_kind kind;
    uint64_t steps; /* all; `online` may take VERSO_UNKNOWN and be told by verso_schedule_end */
    uint64_t slots; /* revolve disk periodic online mixed resilient continuous single-recovery two-level: slots of
                     * tier 0 (two-level: of both tiers together); disk may have 0 */
    uint64_t forward_cost;  /* all: u_f, of one forward step */
    uint64_t backward_cost; /* all: u_b, of one reversed step */
    uint64_t write_cost;    /* disk periodic online two-level: of the disk, which is unlimited */
    uint64_t read_cost;
    bool with_disk;    /* online: two tiers instead of one */
    size_t tier_count; /* levels */
    verso_tier tiers[VERSO_TIERS_MAX];
    uint64_t distance;         /* resilient single-recovery two-level: most steps between capsules; every-k: k;
                                * continuous: steps between overwrites */
    uint64_t adjoint_distance; /* resilient continuous single-recovery: reversed steps between adjoint capsules; 0:
                                * none. (two-level makes one after each outer interval) */
    uint64_t leaf;             /* treeverse binary: steps that one `reverse` may record (alpha) */
    uint64_t space;            /* treeverse binary: snapshots d; 0: choose */
    uint64_t time;     /* treeverse binary: repetitions t; 0: choose. Both 0: d = t ("log"). Both given: a leaf may
                        * be longer than `leaf`, where d and t do not suffice */
    verso_split split; /* treeverse binary */
} verso_schedule_spec;

/* All costs of forward and backward steps 1, leaf 1, everything else 0. */
VERSO_API void verso_schedule_spec_init(verso_schedule_spec *spec, verso_schedule_kind kind);

/* ---- A schedule ---- */

typedef struct verso_schedule verso_schedule;

/* The spec is copied. VERSO_IMPOSSIBLE's message names the least value that would do. */
VERSO_API verso_status verso_schedule_new(const verso_schedule_spec *spec, verso_schedule **schedule,
                                          verso_error *error);
VERSO_API void verso_schedule_free(verso_schedule *schedule); /* NULL is nothing */

/* The next action; DONE again and again after the last. After NO_MEMORY it may be asked again, and gives the action
 * that it would have given. */
VERSO_API verso_status verso_schedule_next(verso_schedule *schedule, verso_action *action, verso_error *error);

/* Only `online`: the computation has `steps` steps in all, and the working state is x_at, which is the last of them (at
 * = steps) or the one before (at = steps - 1). Call it right after the ADVANCE in which the end was met, from <= at <=
 * to, or before the first action. A program that knows the end one step ahead stops at steps - 1 and saves itself a
 * forward step. */
VERSO_API verso_status verso_schedule_end(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_error *error);

VERSO_API const verso_schedule_spec *verso_schedule_get_spec(const verso_schedule *schedule);
/* Number of tiers, and the name of one: "memory", "disk", or "0", "1", … for levels. */
VERSO_API size_t verso_schedule_tiers(const verso_schedule *schedule);
VERSO_API const char *verso_schedule_tier_name(const verso_schedule *schedule, size_t tier);

/* ---- Cost ---- */

typedef struct verso_cost {
    uint64_t steps;
    verso_wide forward_steps;
    verso_wide recorded_steps;
    verso_wide makespan;
    verso_wide writes[VERSO_TIERS_MAX];
    verso_wide reads[VERSO_TIERS_MAX];
    uint64_t peak_slots[VERSO_TIERS_MAX];
    uint64_t repetition; /* how often the most repeated step is run without recording */
    uint64_t adjoint_stores;
    uint64_t longest_recording; /* steps of the longest `reverse` or `record` */
    verso_wide least_makespan;  /* no schedule of this kind and these limits has a smaller makespan. It equals makespan
                                 * where the  kind is optimal by construction; 0 where nothing is claimed */
    uint64_t free_distance;     /* resilient continuous single-recovery two-level: the smallest resilience distance that
                                 * costs no forward step (of binomial checkpointing on these slots); else 0 */
    uint64_t period;            /* disk periodic online with disk: m_X; two-level: the outer interval; else 0 */
} verso_cost;

/* Predicts without walking. VERSO_STATE for an online schedule that does not know its steps yet. */
VERSO_API verso_status verso_schedule_cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error);

/* Walks a fresh schedule of this spec and checks every action against the rules at the top of this file: each restore
 * finds its capsule, each reverse meets the next adjoint, no tier overflows, nothing is left behind. `cost` (which may
 * be NULL) is what was counted; least_makespan, free_distance and period are 0, and so is repetition beyond 65,536
 * steps. Takes time in proportion to the actions (up to 65,536 steps: to the forward steps) and memory in proportion to
 * the slots. */
VERSO_API verso_status verso_schedule_simulate(const verso_schedule_spec *spec, verso_cost *cost, verso_error *error);

/* ---- Cursor: where a schedule stands, as bytes that another process may read ---- */

/* Bytes that verso_schedule_save will write now. */
VERSO_API size_t verso_schedule_saved_size(const verso_schedule *schedule);
VERSO_API verso_status verso_schedule_save(const verso_schedule *schedule, void *bytes, size_t size,
                                           verso_error *error);
/* A new schedule that goes on where the saved one stood. VERSO_CORRUPT when the bytes are not what was saved. */
VERSO_API verso_status verso_schedule_load(const void *bytes, size_t size, verso_schedule **schedule,
                                           verso_error *error);

/* ---- Facts of a platform (paper 4), for those who want the numbers behind `disk` and `periodic` ---- */

typedef struct verso_platform {
    uint64_t slots; /* c_m */
    uint64_t write_cost, read_cost, forward_cost;
} verso_platform;

typedef struct verso_period {
    uint64_t period;       /* m_X: the largest period of least relative cost; VERSO_UNKNOWN when the disk never pays */
    uint64_t longest;      /* m_max of Lemma 8, saturating */
    uint64_t first_useful; /* l_X^(1): the least chain length l = n - 1 for which a disk capsule costs nothing extra */
} verso_period;

VERSO_API verso_status verso_period_find(const verso_platform *platform, verso_period *period, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
