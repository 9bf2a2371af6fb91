/* The dynamic call tree of a gradient in which every site is checkpointed: what each call puts on the stack of
 * snapshots and records. From it the peak of that stack follows for any choice of sites, to the byte, and the time that
 * the choice costs. Calls that are alike are kept once, with all below them: a time loop of a million equal steps takes
 * the room of one, and a cell for each.
 *
 * What a call puts there depends on where the program stands and on nothing else. So for a call that is recorded from
 * height 0 of the stack, with own records of b bytes before, between and behind the calls within:
 *     height   the sum of b, and of each call within: its snapshot and a note when its site is on, else its height
 *     peak     the highest of its height, and of each call within, from the height where it stands: its snapshot and
 *              note when its site is on, and its peak in any case, for it is recorded there sooner or later
 * (b of a callee that has one adjoint for either case depends on its own site, too.)
 * Every call is recorded once whatever the choice. A site that is on costs, for each of its calls, running it once more
 * and writing and reading its snapshot: times add up. (Paper 2, equations 4.1 to 4.9, are differences of these.) */
#ifndef PROFILE_TREE_H
#define PROFILE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

enum { VERSO_CALLTREE_NOTE = 16 }; /* bytes behind a snapshot */
#define VERSO_CALLTREE_NONE UINT32_MAX

/* Calls that are alike. */
typedef struct verso_calltree_node {
    uint32_t site;     /* NONE: the whole run */
    uint32_t first;    /* cell; NONE: no call within */
    uint64_t snapshot; /* bytes */
    uint64_t behind;   /* own records behind the last call within, */
    uint64_t straight; /* and when its site is off: others, if the callee has an adjoint in each of two forms */
    uint64_t calls;    /* how many there were */
    bool always;       /* its site is on whatever is chosen */
    double seconds;    /* running them without recording, and their snapshots: all together */
} verso_calltree_node;

/* A call within another one, and those behind it. */
typedef struct verso_calltree_cell {
    uint32_t node, next;
    uint64_t before; /* own records between the one before, or the beginning, and this one */
} verso_calltree_cell;

typedef struct verso_calltree verso_calltree;

verso_calltree *verso_calltree_new(void); /* NULL: no memory */
void verso_calltree_free(verso_calltree *tree);

/* ---- Making one, in the order of a reverse sweep. After a failure (VERSO_NO_MEMORY) all others fail, too ---- */

/* Recording has come to a call that is checkpointed: so many bytes of own records since the call before. */
verso_status verso_calltree_meet(verso_calltree *tree, uint32_t site, uint64_t before, uint64_t snapshot);
/* What running it took, known when it has ended. */
void verso_calltree_time(verso_calltree *tree, double seconds);
/* When its site is off, so many bytes more go to its records; known when it has ended, too. */
void verso_calltree_instead(verso_calltree *tree, int64_t bytes);
/* Recording has come to its end, so many bytes behind the last call. */
verso_status verso_calltree_end(verso_calltree *tree, uint64_t behind);
/* The last call that was met and has not been recorded is recorded now. */
verso_status verso_calltree_descend(verso_calltree *tree);
/* What it took to put the program back to it. */
void verso_calltree_put_back(verso_calltree *tree, double seconds);
/* All were. */
verso_status verso_calltree_finish(verso_calltree *tree);
/* Times were measured in another unit. */
void verso_calltree_scale(verso_calltree *tree, double factor);
/* Sites of one that is finished have other numbers from now on: numbers[site]. */
void verso_calltree_renumber(verso_calltree *tree, const uint32_t *numbers);
/* A finished one of its parts, which it takes over (also when there is no memory: NULL). Whoever has them from outside
 * has checked them: nothing is checked here. */
verso_calltree *verso_calltree_of(verso_calltree_node *nodes, size_t count, verso_calltree_cell *cells,
                                  size_t cell_count);

/* Sites that cannot be switched: `always` by site. When it is finished. */
void verso_calltree_force(verso_calltree *tree, const bool *always);

/* ---- Looking at one that is finished ---- */

uint32_t verso_calltree_root(const verso_calltree *tree);
size_t verso_calltree_count(const verso_calltree *tree); /* nodes; a node comes behind all that are within it */
const verso_calltree_node *verso_calltree_nodes(const verso_calltree *tree);
const verso_calltree_cell *verso_calltree_cells(const verso_calltree *tree, size_t *count);

/* What a choice of sites costs. */
typedef struct verso_calltree_cost {
    uint64_t height, peak; /* of the whole run */
    double seconds;        /* beyond recording and reversing everything once */
} verso_calltree_cost;
/* What each node puts on the stack. */
typedef struct verso_calltree_level {
    uint64_t height, peak;
} verso_calltree_level;
/* `on` by site; `levels` has room for all nodes. */
verso_calltree_cost verso_calltree_predict(const verso_calltree *tree, const bool *on, verso_calltree_level *levels);

#endif
