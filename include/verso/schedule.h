/* Schedules: in which order to advance, store, restore and reverse a computation of n steps so that its adjoint is
 * computed in little memory. A schedule never touches the computation itself: it only yields actions, one at a time,
 * and the caller (normally the driver, verso/run.h) carries them out.
 *
 *     verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
 *     spec.steps = 1000;
 *     spec.slots = 10;
 *     if (verso_schedule_new(&spec, &schedule, &error) == VERSO_STATUS_OK) {
 *         while (verso_schedule_next(schedule, &action, &error) == VERSO_STATUS_OK && action.kind != VERSO_ACTION_DONE)
 *             carry_out(&action);
 *         verso_schedule_free(schedule);
 *     }
 *
 * Conventions of this header
 *  - n steps lead through the states x_0 … x_n. Step i leads from x_i to x_{i+1}; to reverse it, the working state must
 *    be x_i.
 *  - The working state is x_0 at the start. It occupies no slot; x_0, when it is stored, occupies one.
 *  - beta(c, r) = C(c + r, c). The repetition number r of n steps on c slots satisfies beta(c, r-1) < n <= beta(c, r).
 *  - A forward step is a step that is run without recording. In addition, each step is recorded exactly once, by a
 *    `reverse` or a `record` action.
 *  - Tier 0 is called memory. Its writes and reads cost nothing, except for the kind `levels`. The costs of other tiers
 *    are in the spec.
 *  - makespan = forward_cost * forward_steps + backward_cost * n + the cost of all writes and reads of the tiers.
 *  - Comments cite papers by number: 1 is Siskind and Pearlmutter; docs/paper4.md and docs/paper5.md are about 4 and 5.
 *    Paper 4 calls the length of a chain l = n - 1.
 *  - Steps, slots and costs are at most 2^60, and forward_cost * steps is at most 2^90; more is VERSO_STATUS_INVALID.
 *
 * A schedule is generated as it is read: verso_schedule_next does a constant amount of work (amortised), memory is
 * proportional to the slots, and n may be 10^12.
 *
 * Thread safety: a schedule may be used by one thread at a time; different schedules may be used by different threads
 * at the same time. Errors: functions return a verso_status and, if it is not VERSO_STATUS_OK, fill in `error`, which
 * may be NULL (verso/status.h). */
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

#define VERSO_UNKNOWN UINT64_MAX /* an unknown number of steps, or an unlimited number of slots */

/* ---- Actions ---- */

/* Each entry: name, word, meaning. The working state is x_from after `restore`, x_to after `advance` and `record`, and
 * unspecified after `reverse` and `sweep`. */
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
#define VERSO_ACTION_ENUM(name, word, meaning) VERSO_ACTION_##name,
    VERSO_ACTION_LIST(VERSO_ACTION_ENUM)
#undef VERSO_ACTION_ENUM
} verso_action_kind;

/* Which fields an action uses is in its meaning, above; the others are 0. `reverse` and `sweep` go backwards, so their
 * from > to. */
typedef struct verso_action {
    verso_action_kind kind;
    uint32_t tier;
    uint64_t slot;
    uint64_t from;
    uint64_t to;
} verso_action;

/* The word of the list above; "unknown" if `kind` is not in it. The string is static. */
VERSO_API const char *verso_action_word(verso_action_kind kind);

/* ---- Kinds and parameters of schedules ---- */

/* Each entry: name, word, meaning. docs/schedules.md describes the kinds. */
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

/* The word and the meaning of the list above; "unknown" if `kind` is not in it. The strings are static. */
VERSO_API const char *verso_kind_word(verso_schedule_kind kind);
VERSO_API const char *verso_kind_meaning(verso_schedule_kind kind);
/* Sets *kind to the kind with this word. Returns false, and leaves *kind unchanged, if there is none. */
VERSO_API bool verso_kind_from_word(const char *word, verso_schedule_kind *kind);

/* Where treeverse and binary divide a stretch of steps in two. Saved cursors contain these numbers: only append. */
typedef enum verso_split {
    VERSO_SPLIT_BINOMIAL,  /* (default) where the binomial coefficients place it */
    VERSO_SPLIT_BISECTION, /* in the middle, until `space` or `time` is used up; the leaves that are then left may be
                            * longer than `leaf` */
    VERSO_SPLIT_HALVES     /* in the middle, until no leaf is longer than `leaf` (paper 1, figures 7 and 12). If `space`
                            * or `time` is given: as near to the middle as these limits allow */
} verso_split;

/* "binomial", "bisection" or "halves"; "unknown" for any other number. The string is static. */
VERSO_API const char *verso_split_word(verso_split split);

typedef struct verso_tier {
    uint64_t capacity;   /* number of slots; VERSO_UNKNOWN: unlimited */
    uint64_t write_cost; /* of storing one capsule */
    uint64_t read_cost;  /* of restoring one capsule */
} verso_tier;

/* The parameters of a schedule. Each comment names the kinds that read the field; the other kinds ignore it. Fill it
 * with verso_schedule_spec_init, then set the fields of your kind. */
typedef struct verso_schedule_spec {
    verso_schedule_kind kind;
    /* All kinds: n. For `online` it may be VERSO_UNKNOWN; call verso_schedule_end when it becomes known. */
    uint64_t steps;
    /* revolve, disk, periodic, online, mixed, resilient, continuous, single-recovery: slots of tier 0 (disk also takes
     * 0). two-level: slots of both tiers together. */
    uint64_t slots;
    uint64_t forward_cost;  /* all kinds: cost of one forward step (u_f) */
    uint64_t backward_cost; /* all kinds: cost of reversing one step (u_b) */
    /* disk, periodic, online with disk, two-level: cost of one write to the disk and of one read from it. The disk's
     * capacity is unlimited, except for two-level (see `slots`). */
    uint64_t write_cost;
    uint64_t read_cost;
    bool with_disk;    /* online: use two tiers, memory and disk, instead of memory alone */
    size_t tier_count; /* levels: number of entries in `tiers`, 1 to VERSO_TIERS_MAX */
    verso_tier tiers[VERSO_TIERS_MAX];
    /* every-k: k. two-level: steps between outer capsules. resilient: maximum number of steps between two capsules;
     * distance * slots must be at least n. continuous, single-recovery: steps between two overwrites of the recovery
     * slot (0 counts as 1). */
    uint64_t distance;
    /* resilient, continuous, single-recovery: reversed steps between two adjoint capsules; 0: no adjoint capsules.
     * (two-level always makes one after each outer interval.) */
    uint64_t adjoint_distance;
    uint64_t leaf; /* treeverse, binary: maximum number of steps that one `reverse` records (alpha) */
    /* treeverse, binary: maximum numbers of snapshots (d) and of repetitions (t). 0: the smallest that suffices; if
     * both are 0, d = t ("log"). If both are given and do not suffice, leaves are longer than `leaf`. */
    uint64_t space;
    uint64_t time;
    verso_split split; /* treeverse, binary */
} verso_schedule_spec;

/* Sets `kind`, sets forward_cost, backward_cost and leaf to 1, and everything else to 0. */
VERSO_API void verso_schedule_spec_init(verso_schedule_spec *spec, verso_schedule_kind kind);

/* ---- A schedule ---- */

typedef struct verso_schedule verso_schedule;

/* Makes the schedule of a spec. The caller frees it with verso_schedule_free. The spec is copied; in the copy `split`,
 * `tier_count` and `with_disk` are 0 if the kind ignores them. On failure *schedule is NULL:
 *   VERSO_STATUS_INVALID     a field is out of range;
 *   VERSO_STATUS_IMPOSSIBLE  no such schedule exists, e.g. because slots are too few; the message names the least
 *                            number;
 *   VERSO_STATUS_NO_MEMORY   out of memory. */
VERSO_API verso_status verso_schedule_new(const verso_schedule_spec *spec, verso_schedule **schedule,
                                          verso_error *error);
VERSO_API void verso_schedule_free(verso_schedule *schedule); /* no-op on NULL */

/* Sets *action to the next action. The last one is VERSO_ACTION_DONE; every further call yields VERSO_ACTION_DONE
 * again. After VERSO_STATUS_NO_MEMORY the call may be repeated and yields the action that had failed.
 * VERSO_STATUS_IMPOSSIBLE: an `online` schedule whose end is unknown has reached the limit of 2^60 steps. */
VERSO_API verso_status verso_schedule_next(verso_schedule *schedule, verso_action *action, verso_error *error);

/* Sets actions[0] to actions[*count - 1] to the next actions, at most `room` of them. *count is less than `room` only
 * after VERSO_ACTION_DONE, or after a failure, or in an `online` schedule that was made without a number of steps: it
 * stops after each ADVANCE, where verso_schedule_end may be called. A failure is that of the action after the last
 * one. */
VERSO_API verso_status verso_schedule_next_actions(verso_schedule *schedule, verso_action *actions, size_t room,
                                                   size_t *count, verso_error *error);

/* Tells an `online` schedule that the computation has `steps` steps and that the working state is x_at. `at` is `steps`
 * (the last state) or steps - 1 (the state before it; a program that foresees the end one step ahead saves a forward
 * step this way). Call it before the first action, or right after the ADVANCE in which the program met the end, with
 * from <= at <= to of that action.
 *   VERSO_STATUS_STATE    the kind is not `online`, the number of steps is already known, or the call comes at another
 *                         moment;
 *   VERSO_STATUS_INVALID  `at` is outside of the last advance, or is neither `steps` nor steps - 1. */
VERSO_API verso_status verso_schedule_end(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_error *error);

/* The schedule's copy of the spec; it lives as long as the schedule. */
VERSO_API const verso_schedule_spec *verso_schedule_get_spec(const verso_schedule *schedule);
/* The number of tiers, and the name of the tier with this index: "memory" or "disk"; for `levels` "0", "1", …; "none"
 * if there is no such tier. The string is static. */
VERSO_API size_t verso_schedule_tiers(const verso_schedule *schedule);
VERSO_API const char *verso_schedule_tier_name(const verso_schedule *schedule, size_t tier);

/* ---- Cost ---- */

typedef struct verso_cost {
    uint64_t steps;
    verso_wide forward_steps;
    verso_wide recorded_steps;
    verso_wide makespan;
    verso_wide writes[VERSO_TIERS_MAX];   /* of each tier: capsules stored */
    verso_wide reads[VERSO_TIERS_MAX];    /* of each tier: capsules restored */
    uint64_t peak_slots[VERSO_TIERS_MAX]; /* of each tier: maximum number of slots in use */
    uint64_t repetition;                  /* how often the most repeated step is run without recording */
    uint64_t adjoint_stores;
    uint64_t longest_recording; /* steps of the longest `reverse` or `record` */
    verso_wide least_makespan;  /* a lower bound: no schedule of this kind within these limits has a smaller makespan.
                                 * Equal to `makespan` if the kind is optimal by construction; 0 if no bound is known */
    uint64_t free_distance;     /* resilient, continuous, single-recovery, two-level: the smallest `distance` at which
                                 * binomial checkpointing on these slots takes no additional forward step; else 0 */
    uint64_t period;            /* disk, periodic, online with disk: m_X; two-level: the outer interval; else 0 */
} verso_cost;

/* Predicts the cost of the whole schedule without generating its actions.
 *   VERSO_STATUS_STATE       an `online` schedule whose number of steps is still unknown;
 *   VERSO_STATUS_IMPOSSIBLE  treeverse or binary whose `space` and `time` are too far apart for a quick prediction. */
VERSO_API verso_status verso_schedule_cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error);

/* Makes a schedule of this spec, walks through all its actions and checks them against the conventions at the top of
 * this file: each restore finds its capsule, each reverse continues where the adjoint is, no tier overflows, no capsule
 * is left at the end. `cost` (may be NULL) receives what was counted; least_makespan, free_distance and period are 0,
 * and so is repetition if there are more than 65,536 steps. Takes time proportional to the number of actions (up to
 * 65,536 steps: to the number of forward steps) and memory proportional to the slots. VERSO_STATUS_STATE: an action
 * breaks a rule; the message names it. VERSO_STATUS_INVALID also if the number of steps is VERSO_UNKNOWN. */
VERSO_API verso_status verso_schedule_simulate(const verso_schedule_spec *spec, verso_cost *cost, verso_error *error);

/* ---- Cursor: the position of a schedule as bytes, from which any process can continue it ---- */

/* The number of bytes that verso_schedule_save would write now. It changes as the schedule advances. */
VERSO_API size_t verso_schedule_saved_size(const verso_schedule *schedule);
/* Writes the cursor to `bytes`, which has room for `size` bytes. VERSO_STATUS_INVALID if that is too little. */
VERSO_API verso_status verso_schedule_save(const verso_schedule *schedule, void *bytes, size_t size,
                                           verso_error *error);
/* Makes a new schedule that continues where the saved one stood; the caller frees it. `size` is the number of bytes
 * that were saved. VERSO_STATUS_CORRUPT if the bytes are damaged or are no saved cursor; *schedule is NULL on any
 * failure. */
VERSO_API verso_status verso_schedule_load(const void *bytes, size_t size, verso_schedule **schedule,
                                           verso_error *error);

/* ---- The period of disk capsules (paper 4): the numbers behind `disk` and `periodic` ---- */

typedef struct verso_platform {
    uint64_t slots; /* memory slots, c_m */
    uint64_t write_cost, read_cost, forward_cost;
} verso_platform;

/* All three are VERSO_UNKNOWN if a disk never pays, which is the case exactly if forward_cost is 0. */
typedef struct verso_period {
    uint64_t period;       /* m_X: of the periods with the least cost per step, the longest */
    uint64_t longest;      /* m_max of Lemma 8, saturating; VERSO_UNKNOWN also if there are no memory slots */
    uint64_t first_useful; /* l_X^(1): the least chain length l = n - 1 at which a disk capsule costs nothing extra */
} verso_period;

/* Finds the best period of a platform. VERSO_STATUS_INVALID if a field exceeds 2^60. */
VERSO_API verso_status verso_period_find(const verso_platform *platform, verso_period *period, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
