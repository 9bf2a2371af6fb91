/* The dynamic call tree of a gradient in which every call site is checkpointed: how many bytes each call puts on
 * the stack of snapshots and records. It predicts the peak of that stack, exact to the byte, and the additional
 * time for any choice of sites. Equal calls, with everything below them, are stored once: a time loop of a million
 * equal steps takes the memory of one step and a cell for each.
 *
 * What a call puts on the stack depends only on its position in the program. For a call that is recorded from
 * height 0 of the stack, with own records of b bytes before, between and after the calls within it:
 *
 *     height   the sum of all b, and for each call within: its snapshot and a note if its site is on, else its height
 *     peak     the maximum of its height and, for each call within, added to the height at which it begins: its
 *              snapshot and note if its site is on, and its peak in any case, because it is recorded there at some time
 *
 * (b of a callee with two forms of its adjoint also depends on the callee's own site.) Every call is recorded once
 * for any choice. A site that is on costs, for each of its calls, one more run of the call, and writing and reading
 * its snapshot; these times add up. (Equations 4.1 to 4.9 of paper 2 are differences of these.)
 *
 * The recording of a fixed point's step is reversed repeatedly, and calls whose snapshots are in it are recorded above
 * it (native/sweep/callsites.c):
 *
 *     above    the maximum, over the calls within, of a head and the peak of the call if its site is on, else of its
 *              `above`
 *     peak     of such a step, the height at its end and the `above` of its calls count instead of their peaks
 *
 * Each repetition costs these calls a recording more, which a call whose site is off does not need. */
#ifndef PROFILE_TREE_H
#define PROFILE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

enum {
    VERSO_CALLTREE_NOTE = 16,  /* bytes after a snapshot */
    VERSO_CALLTREE_ABOVE = 32, /* bytes before the records of a call that is recorded above a fixed point's step */
};
#define VERSO_CALLTREE_NONE UINT32_MAX
/* Marks instead of a node, in a cell: the recording of a fixed point's step begins and ends here. */
#define VERSO_CALLTREE_FIXED (UINT32_MAX - 1)
#define VERSO_CALLTREE_FIXED_END (UINT32_MAX - 2)
#define VERSO_CALLTREE_MISSING 1e9 /* maximum of verso__calltree_node.missing */

/* A set of equal calls. */
typedef struct verso__calltree_node {
    uint32_t site;      /* index of the call site; NONE: the whole run */
    uint32_t first;     /* first cell of the list of calls within; NONE: no call */
    uint64_t snapshot;  /* size of the snapshot in bytes */
    uint64_t after_on;  /* bytes of own records after the last call within, if the site is on */
    uint64_t after_off; /* the same if the site is off; differs if the callee has two forms of its adjoint */
    uint64_t calls;     /* number of these calls */
    bool always;        /* its site is always on */
    /* size of the part that is not in the tree, relative to the part that is: 0 unless the recording was cut. The
     * part in the tree represents all of it */
    double missing;
    double seconds; /* duration of all these calls without recording, and of their snapshots */
} verso__calltree_node;

/* A call within another one, or a mark: a list element. Lists with equal ends share them. */
typedef struct verso__calltree_cell {
    uint32_t node, next; /* the call, FIXED or FIXED_END; the next cell of the list, or NONE */
    uint64_t before;     /* bytes of own records between the previous element, or the beginning, and this one */
} verso__calltree_cell;

static inline bool verso__calltree_is_mark(uint32_t node) {
    return node == VERSO_CALLTREE_FIXED || node == VERSO_CALLTREE_FIXED_END;
}

typedef struct verso__calltree verso__calltree;

verso__calltree *verso__calltree_new(void); /* NULL if there is no memory */
void verso__calltree_free(verso__calltree *tree);

/* ---- Building a tree, in the order of a reverse sweep. After VERSO_STATUS_NO_MEMORY all further calls fail ---- */

/* Reports that the recording met a checkpointed call, `before` bytes of own records after the previous call. */
verso_status verso__calltree_meet(verso__calltree *tree, uint32_t site, uint64_t before, uint64_t snapshot);
/* Reports that the recording of a fixed point's step begins or ends: `mark` is FIXED or FIXED_END. */
verso_status verso__calltree_mark(verso__calltree *tree, uint32_t mark, uint64_t before);
/* Reports that the sweep has come to the end of such a recording (`again`: not for the first time), or has left it. */
verso_status verso__calltree_sweep(verso__calltree *tree, bool again);
verso_status verso__calltree_swept(verso__calltree *tree);
/* Returns whether what is recorded now was recorded before. */
bool verso__calltree_repeats(const verso__calltree *tree);
/* Returns whether the call that is being recorded would not be recorded again if its site were off. */
bool verso__calltree_repeats_call(const verso__calltree *tree);
/* Ends repetitions before their end. */
void verso__calltree_stop_repeating(verso__calltree *tree);
/* Sets the place of the snapshot of the call that was met last, which verso__calltree_next returns. */
void verso__calltree_set_place(verso__calltree *tree, uint64_t where);
/* Adds the duration of running the call that was met last; call it when that has ended. */
void verso__calltree_add_seconds(verso__calltree *tree, double seconds);
/* Sets how many more bytes its records take if its site is off; call it when it has ended. */
void verso__calltree_set_off_bytes(verso__calltree *tree, int64_t bytes);
/* Reports the end of the recording, `after` bytes of own records after the last call. */
verso_status verso__calltree_end(verso__calltree *tree, uint64_t after);
/* Reports that the last call that was met and not yet recorded is now being recorded. */
verso_status verso__calltree_descend(verso__calltree *tree);
/* Sets *where to the place of the snapshot of the call that verso__calltree_descend would take; returns false if
 * all calls were recorded. */
bool verso__calltree_next(verso__calltree *tree, uint64_t *where);
/* Adds the time that it took to restore the program to the call that is being recorded. */
void verso__calltree_add_restore_seconds(verso__calltree *tree, double seconds);
/* Sets how many bytes the call that was met last would have recorded with all sites off; call it when it has ended. */
void verso__calltree_set_whole(verso__calltree *tree, uint64_t bytes);
/* From now on calls may be recorded in part, and their times count in part. `rate`: seconds per byte where nothing
 * else is known. `total`: the bytes that the whole run would record with all sites off. */
void verso__calltree_allow_partial(verso__calltree *tree, double rate, uint64_t total);
/* Leaves out all calls that were met and not yet recorded, and everything before them in the calls around them.
 * What remains is the tree of a part of the run. */
void verso__calltree_cut(verso__calltree *tree);
/* Finishes the tree. All calls must have been recorded. Returns VERSO_STATUS_STATE if not. */
verso_status verso__calltree_finish(verso__calltree *tree);
/* Returns the bytes of a whole call of which the tree has `bytes`: bytes * (1 + its node's `missing`), saturating. */
uint64_t verso__calltree_extrapolate(uint64_t bytes, double missing);
/* Multiplies all times by `factor`, to change their unit. */
void verso__calltree_scale(verso__calltree *tree, double factor);
/* Replaces each site of a finished tree by numbers[site]. */
void verso__calltree_renumber(verso__calltree *tree, const uint32_t *numbers);
/* Makes a finished tree of its nodes and cells and takes ownership of both, even on failure; NULL if there is no
 * memory. Checks nothing: the caller must have checked data from outside. */
verso__calltree *verso__calltree_from_parts(verso__calltree_node *nodes, size_t count, verso__calltree_cell *cells,
                                            size_t cell_count);

/* Marks the sites of a finished tree that are always on; `always` is indexed by site. */
void verso__calltree_force(verso__calltree *tree, const bool *always);

/* ---- Reading a finished tree ---- */

uint32_t verso__calltree_root(const verso__calltree *tree);
uint64_t verso__calltree_own_bytes(const verso__calltree *tree); /* bytes of own records of all calls together */
size_t verso__calltree_count(const verso__calltree *tree); /* number of nodes; a node comes after all nodes within it */
const verso__calltree_node *verso__calltree_nodes(const verso__calltree *tree);
const verso__calltree_cell *verso__calltree_cells(const verso__calltree *tree, size_t *count);

/* The cost of a choice of sites. */
typedef struct verso__calltree_cost {
    uint64_t height, peak; /* of the whole run, in bytes */
    double seconds;        /* time in addition to recording and reversing everything once */
} verso__calltree_cost;
/* The height, the peak and the `above` of one node, in bytes. */
typedef struct verso__calltree_level {
    uint64_t height, peak, above;
} verso__calltree_level;
/* Returns how much is put above the recording of a fixed point's step that contains a call with this level. */
uint64_t verso__calltree_above(const verso__calltree_level *level, bool on);
/* Predicts the cost of a choice. `on` is indexed by site; `levels` receives the level of each node. */
verso__calltree_cost verso__calltree_predict(const verso__calltree *tree, const bool *on,
                                             verso__calltree_level *levels);

#endif
