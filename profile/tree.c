/* See tree.h.
 *
 * A reverse sweep records calls from the last to the first, each before the calls within it. While the tree is
 * built, there is therefore one open call per level, whose calls within are known and are recorded from the last
 * on. When the first of them is done, the open call is closed: its list of cells is built from its end, so that
 * lists with equal ends share cells, and equal nodes become one. Hash tables find existing cells and nodes by
 * content.
 *
 * When the recording of a fixed point's step is reversed again, the calls in it are opened and closed again. Equal
 * nodes become one, so that only their times change. */
#include "profile/tree.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"

#include <math.h>
#include <string.h>

/* A call within an open call. Its fields are those of its node and its cell. */
typedef struct within {
    uint32_t site, node; /* index of the node; NONE until the call is closed */
    uint64_t before, snapshot;
    uint64_t where;  /* place of the snapshot */
    uint64_t whole;  /* bytes of a complete recording with all sites off; 0: unknown */
    uint64_t own;    /* bytes of that which are recorded in this tree */
    bool again;      /* of a mark FIXED: what follows is reversed again */
    double missing;  /* size of the rest relative to `own` */
    int64_t instead; /* additional bytes of own records if the site is off */
    double seconds;
} within;

/* A call that is being recorded, or whose calls within are. */
typedef struct open_call {
    /* index of its first call within on the stack `within`; they end where those of the next open call begin */
    size_t first;
    size_t left;    /* number of calls within that are not yet recorded */
    uint64_t after; /* bytes of own records after the last call within */
    size_t repeats; /* number of nested fixed points in it whose steps are reversed again */
} open_call;

/* A growing array with a hash index by content. */
typedef struct table {
    size_t item, count, room;
    char *items;
    uint32_t *slots; /* index of an item plus 1; 0: empty */
    size_t slot_count;
} table;

struct verso__calltree {
    table nodes, cells;
    open_call *open;
    size_t open_count, open_room;
    within *within;
    size_t within_count, within_room;
    bool partly; /* calls may be recorded in part (verso__calltree_allow_partial) */
    double rate;
    uint64_t total; /* bytes of a complete recording of the run with all sites off */
    /* What is recorded now was recorded before: number of open calls up to the outermost in which that is so, and its
     * calls that were not recorded before; 0: nothing is recorded again. */
    size_t again_open, again_left;
    bool failed;
};

/* ---- Memory ---- */

static verso_status no_memory(verso__calltree *tree) {
    tree->failed = true;
    return VERSO_STATUS_NO_MEMORY;
}

/* Makes room for one more element. */
static bool reserve(void *array, size_t *room, size_t count, size_t size) {
    if (count < *room)
        return true;
    size_t more = *room == 0 ? 64 : 2 * *room;
    void *grown = verso__realloc(*(void **)array, more, size);
    if (grown == NULL)
        return false;
    *(void **)array = grown;
    *room = more;
    return true;
}

verso__calltree *verso__calltree_new(void) {
    verso__calltree *tree = verso__alloc(1, sizeof *tree);
    if (tree == NULL)
        return NULL;
    tree->nodes.item = sizeof(verso__calltree_node);
    tree->cells.item = sizeof(verso__calltree_cell);
    if (!reserve(&tree->open, &tree->open_room, 0, sizeof *tree->open)) {
        verso__calltree_free(tree);
        return NULL;
    }
    tree->open[tree->open_count++] = (open_call){0}; /* the whole run */
    return tree;
}

static void free_table(table *table) {
    verso__dealloc(table->items);
    verso__dealloc(table->slots);
}

void verso__calltree_free(verso__calltree *tree) {
    if (tree == NULL)
        return;
    free_table(&tree->nodes);
    free_table(&tree->cells);
    verso__dealloc(tree->open);
    verso__dealloc(tree->within);
    verso__dealloc(tree);
}

/* ---- Tables ---- */

/* Takes only a few cycles, because a program may make millions of calls per second: the multiplication mixes
 * upwards, the shift downwards. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Hashes the fields that is_same compares: all of a cell; of a node those that are not sums. */
static uint64_t hash_of(const table *table, const void *item) {
    if (table->item == sizeof(verso__calltree_cell)) {
        const verso__calltree_cell *cell = item;
        return mix(mix(cell->node, cell->next), cell->before);
    }
    const verso__calltree_node *node = item;
    return mix(mix(mix(mix(node->site, node->first), node->snapshot), node->after_on), node->after_off) ^
           (uint64_t)(1024 * node->missing);
}

static bool is_same(const table *table, const void *a, const void *b) {
    if (table->item == sizeof(verso__calltree_cell)) {
        const verso__calltree_cell *one = a, *other = b;
        return one->node == other->node && one->next == other->next && one->before == other->before;
    }
    const verso__calltree_node *one = a, *other = b;
    return one->site == other->site && one->first == other->first && one->snapshot == other->snapshot &&
           one->after_on == other->after_on && one->after_off == other->after_off && one->missing == other->missing;
}

static uint32_t *find_slot(const table *table, const void *item) {
    size_t at = hash_of(table, item) & (table->slot_count - 1);
    while (table->slots[at] != 0 && !is_same(table, table->items + (table->slots[at] - 1) * table->item, item))
        at = (at + 1) & (table->slot_count - 1);
    return &table->slots[at];
}

static bool grow_slots(table *table) {
    size_t before = table->slot_count;
    if (2 * (table->count + 1) <= before)
        return true;
    uint32_t *old = table->slots;
    table->slots = verso__alloc(before == 0 ? 256 : 2 * before, sizeof *table->slots);
    if (table->slots == NULL) {
        table->slots = old;
        return false;
    }
    table->slot_count = before == 0 ? 256 : 2 * before;
    for (size_t i = 0; i < table->count; i++)
        *find_slot(table, table->items + i * table->item) = (uint32_t)i + 1;
    verso__dealloc(old);
    return true;
}

/* Returns the index of an equal item, or adds this one and returns its index; NONE if there is no memory. */
static uint32_t put(table *table, const void *item) {
    if (!grow_slots(table) || table->count >= VERSO_CALLTREE_NONE - 1 ||
        !reserve(&table->items, &table->room, table->count, table->item))
        return VERSO_CALLTREE_NONE;
    uint32_t *slot = find_slot(table, item);
    if (*slot == 0) {
        memcpy(table->items + table->count * table->item, item, table->item);
        *slot = (uint32_t)++table->count;
    }
    return *slot - 1;
}

static verso__calltree_node *node_at(const verso__calltree *tree, uint32_t number) {
    return (verso__calltree_node *)(void *)tree->nodes.items + number;
}

/* ---- Making ---- */

verso_status verso__calltree_meet(verso__calltree *tree, uint32_t site, uint64_t before, uint64_t snapshot) {
    if (tree->failed || !reserve(&tree->within, &tree->within_room, tree->within_count, sizeof *tree->within))
        return no_memory(tree);
    tree->within[tree->within_count++] =
        (within){.site = site, .node = VERSO_CALLTREE_NONE, .before = before, .snapshot = snapshot};
    return VERSO_STATUS_OK;
}

verso_status verso__calltree_mark(verso__calltree *tree, uint32_t mark, uint64_t before) {
    verso_status status = verso__calltree_meet(tree, VERSO_CALLTREE_NONE, before, 0);
    if (status == VERSO_STATUS_OK)
        tree->within[tree->within_count - 1].node = mark;
    return status;
}

void verso__calltree_set_place(verso__calltree *tree, uint64_t where) {
    if (!tree->failed)
        tree->within[tree->within_count - 1].where = where;
}

void verso__calltree_set_whole(verso__calltree *tree, uint64_t bytes) {
    if (!tree->failed)
        tree->within[tree->within_count - 1].whole = bytes;
}

void verso__calltree_allow_partial(verso__calltree *tree, double rate, uint64_t total) {
    tree->partly = true;
    tree->rate = rate;
    tree->total = total;
}

void verso__calltree_add_seconds(verso__calltree *tree, double seconds) {
    if (!tree->failed)
        tree->within[tree->within_count - 1].seconds += seconds;
}

void verso__calltree_set_off_bytes(verso__calltree *tree, int64_t bytes) {
    if (!tree->failed)
        tree->within[tree->within_count - 1].instead = bytes;
}

verso_status verso__calltree_end(verso__calltree *tree, uint64_t after) {
    if (tree->failed)
        return VERSO_STATUS_NO_MEMORY;
    open_call *open = &tree->open[tree->open_count - 1];
    open->after = after;
    open->left = tree->within_count - open->first;
    return VERSO_STATUS_OK;
}

/* Returns the duration of a call, reduced to the part that was recorded. */
static double seconds_of(const verso__calltree *tree, const within *of) {
    if (!tree->partly || of->whole == of->own)
        return of->seconds;
    return of->whole > 0 ? of->seconds / (1 + of->missing) : tree->rate * (double)of->own;
}

/* Sets the share of the call that is missing. */
static void find_missing(const verso__calltree *tree, within *of) {
    if (tree->partly && of->own > 0 && of->whole > of->own)
        of->missing = fmin((double)(of->whole - of->own) / (double)of->own, VERSO_CALLTREE_MISSING);
}

/* Closes the innermost open call, whose calls within are all closed. `of` describes it within its caller. */
static verso_status close_innermost(verso__calltree *tree, within *of, uint32_t *number) {
    const open_call *open = &tree->open[--tree->open_count];
    of->own = 0;
    of->missing = 0;
    verso__calltree_node node = {.site = of->site,
                                 .first = VERSO_CALLTREE_NONE,
                                 .snapshot = of->snapshot,
                                 .after_on = open->after,
                                 .after_off = open->after + (uint64_t)of->instead};
    while (tree->within_count > open->first) {
        const within *last = &tree->within[--tree->within_count];
        of->own += last->before + verso__calltree_extrapolate(last->own, last->missing);
        verso__calltree_cell cell = {.node = last->node, .next = node.first, .before = last->before};
        node.first = put(&tree->cells, &cell);
        if (node.first == VERSO_CALLTREE_NONE)
            return no_memory(tree);
    }
    of->own += open->after;
    find_missing(tree, of);
    node.missing = of->missing;
    *number = put(&tree->nodes, &node);
    if (*number == VERSO_CALLTREE_NONE)
        return no_memory(tree);
    node_at(tree, *number)->calls += tree->again_open == 0;
    node_at(tree, *number)->seconds += seconds_of(tree, of);
    of->seconds = 0;
    return VERSO_STATUS_OK;
}

static open_call *innermost(verso__calltree *tree) {
    return &tree->open[tree->open_count - 1];
}

/* Returns the element of the innermost open call that the sweep comes to next; NULL: there is none. */
static within *next_element(verso__calltree *tree) {
    const open_call *open = innermost(tree);
    return open->left > 0 ? &tree->within[open->first + open->left - 1] : NULL;
}

static void pass_marks(verso__calltree *tree) {
    for (const within *next = next_element(tree); next != NULL && verso__calltree_is_mark(next->node);
         next = next_element(tree))
        innermost(tree)->left--;
}

/* Closes open calls, from the innermost on, whose calls within are all recorded; never the whole run. `marks`: passes
 * marks, too. */
static verso_status close_until(verso__calltree *tree, bool marks) {
    for (;;) {
        if (marks)
            pass_marks(tree);
        if (tree->open_count == 1 || innermost(tree)->left > 0)
            return VERSO_STATUS_OK;
        const open_call *around = &tree->open[tree->open_count - 2];
        size_t at = around->first + around->left;
        uint32_t number;
        verso_status status = close_innermost(tree, &tree->within[at], &number);
        if (status != VERSO_STATUS_OK)
            return status;
        tree->within[at].node = number;
    }
}

static verso_status close_done(verso__calltree *tree) {
    return close_until(tree, true);
}

verso_status verso__calltree_descend(verso__calltree *tree) {
    if (tree->failed || close_done(tree) != VERSO_STATUS_OK ||
        !reserve(&tree->open, &tree->open_room, tree->open_count, sizeof *tree->open))
        return no_memory(tree);
    if (tree->open[tree->open_count - 1].left == 0)
        return VERSO_STATUS_STATE;
    tree->open[tree->open_count - 1].left--;
    tree->open[tree->open_count++] = (open_call){.first = tree->within_count};
    return VERSO_STATUS_OK;
}

bool verso__calltree_next(verso__calltree *tree, uint64_t *where) {
    if (tree->failed || close_done(tree) != VERSO_STATUS_OK || tree->open[tree->open_count - 1].left == 0)
        return false;
    const open_call *open = &tree->open[tree->open_count - 1];
    *where = tree->within[open->first + open->left - 1].where;
    return true;
}

/* ---- Steps of fixed points, which are reversed repeatedly ---- */

/* Returns the next element, which must be this mark; NULL after a failure. */
static within *reach_mark(verso__calltree *tree, uint32_t mark) {
    within *next = tree->failed || close_until(tree, false) != VERSO_STATUS_OK ? NULL : next_element(tree);
    if (next != NULL && next->node == mark)
        return next;
    tree->failed = true;
    return NULL;
}

/* Returns the number of elements of the innermost open call up to the end of the step that begins with `mark`. */
static size_t end_of_step(verso__calltree *tree, const within *mark) {
    size_t depth = 0;
    do {
        depth += mark->node == VERSO_CALLTREE_FIXED;
        depth -= mark->node == VERSO_CALLTREE_FIXED_END;
        mark++;
    } while (depth > 0);
    return (size_t)(mark - tree->within) - innermost(tree)->first;
}

verso_status verso__calltree_sweep(verso__calltree *tree, bool again) {
    within *mark = reach_mark(tree, again ? VERSO_CALLTREE_FIXED : VERSO_CALLTREE_FIXED_END);
    if (mark == NULL)
        return VERSO_STATUS_NO_MEMORY;
    open_call *open = innermost(tree);
    if (again && tree->again_open == 0) {
        tree->again_open = tree->open_count;
        tree->again_left = open->left;
    }
    if (again && !mark->again)
        open->repeats++;
    mark->again = again;
    open->left = (again ? end_of_step(tree, mark) : open->left) - 1;
    return VERSO_STATUS_OK;
}

verso_status verso__calltree_swept(verso__calltree *tree) {
    within *mark = reach_mark(tree, VERSO_CALLTREE_FIXED);
    if (mark == NULL)
        return VERSO_STATUS_NO_MEMORY;
    open_call *open = innermost(tree);
    if (tree->again_open == tree->open_count && tree->again_left == open->left)
        tree->again_open = 0;
    open->repeats -= mark->again;
    mark->again = false;
    open->left--;
    return VERSO_STATUS_OK;
}

bool verso__calltree_repeats(const verso__calltree *tree) {
    return tree->again_open > 0;
}

bool verso__calltree_repeats_call(const verso__calltree *tree) {
    return tree->open_count > 1 && tree->open[tree->open_count - 2].repeats > 0;
}

void verso__calltree_stop_repeating(verso__calltree *tree) {
    if (tree->again_open == 0)
        return;
    if (tree->open_count > tree->again_open)
        tree->within_count = tree->open[tree->again_open].first;
    tree->open_count = tree->again_open;
    innermost(tree)->left = tree->again_left;
    innermost(tree)->repeats = 0;
    tree->again_open = 0;
}

/* ---- Ending ---- */

/* Before the first `count` elements are left out: marks the beginnings of steps that end after these elements, in the
 * last of them. Returns their number. */
static size_t keep_marks(within *first, size_t count) {
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        depth += first[i].node == VERSO_CALLTREE_FIXED;
        depth -= first[i].node == VERSO_CALLTREE_FIXED_END;
    }
    for (size_t i = count - depth; i < count; i++)
        first[i] = (within){.site = VERSO_CALLTREE_NONE, .node = VERSO_CALLTREE_FIXED};
    return depth;
}

/* From the innermost open call outwards, so that what follows on the stack of calls is already closed. */
void verso__calltree_cut(verso__calltree *tree) {
    while (!tree->failed && close_done(tree) == VERSO_STATUS_OK && tree->open[tree->open_count - 1].left > 0) {
        open_call *open = innermost(tree);
        within *first = tree->within + open->first;
        size_t open_steps = keep_marks(first, open->left), out = open->left - open_steps;
        tree->within_count -= out;
        memmove(first, first + out, (tree->within_count - open->first) * sizeof *first);
        open->left = 0;
    }
}

void verso__calltree_add_restore_seconds(verso__calltree *tree, double seconds) {
    if (tree->failed)
        return;
    const open_call *around = &tree->open[tree->open_count - 2];
    tree->within[around->first + around->left].seconds += seconds;
}

verso_status verso__calltree_finish(verso__calltree *tree) {
    within whole = {.site = VERSO_CALLTREE_NONE, .whole = tree->total};
    uint32_t root;
    if (tree->failed || close_done(tree) != VERSO_STATUS_OK)
        return no_memory(tree);
    if (tree->open_count != 1 || tree->open[0].left != 0)
        return VERSO_STATUS_STATE;
    return close_innermost(tree, &whole, &root);
}

uint64_t verso__calltree_extrapolate(uint64_t bytes, double missing) {
    double more = missing * (double)bytes;
    return more == 0 ? bytes : verso__add_u64(bytes, more < (double)INT64_MAX ? (uint64_t)more : INT64_MAX);
}

void verso__calltree_scale(verso__calltree *tree, double factor) {
    for (uint32_t i = 0; i < tree->nodes.count; i++)
        node_at(tree, i)->seconds *= factor;
}

void verso__calltree_renumber(verso__calltree *tree, const uint32_t *numbers) {
    for (uint32_t i = 0; i < tree->nodes.count; i++)
        if (node_at(tree, i)->site != VERSO_CALLTREE_NONE)
            node_at(tree, i)->site = numbers[node_at(tree, i)->site];
}

verso__calltree *verso__calltree_from_parts(verso__calltree_node *nodes, size_t count, verso__calltree_cell *cells,
                                            size_t cell_count) {
    verso__calltree *tree = verso__alloc(1, sizeof *tree);
    if (tree == NULL) {
        verso__dealloc(nodes);
        verso__dealloc(cells);
        return NULL;
    }
    tree->nodes = (table){.item = sizeof *nodes, .count = count, .room = count, .items = (char *)nodes};
    tree->cells = (table){.item = sizeof *cells, .count = cell_count, .room = cell_count, .items = (char *)cells};
    return tree;
}

void verso__calltree_force(verso__calltree *tree, const bool *always) {
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        verso__calltree_node *node = node_at(tree, i);
        node->always = node->site != VERSO_CALLTREE_NONE && always[node->site];
    }
}

/* ---- Reading ---- */

uint32_t verso__calltree_root(const verso__calltree *tree) {
    return (uint32_t)tree->nodes.count - 1;
}

uint64_t verso__calltree_own_bytes(const verso__calltree *tree) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        const verso__calltree_node *node = node_at(tree, i);
        const verso__calltree_cell *cells = (const verso__calltree_cell *)(const void *)tree->cells.items;
        uint64_t own = node->after_off;
        for (uint32_t at = node->first; at != VERSO_CALLTREE_NONE; at = cells[at].next)
            own += cells[at].before;
        bytes += node->calls * own;
    }
    return bytes;
}

size_t verso__calltree_count(const verso__calltree *tree) {
    return tree->nodes.count;
}

const verso__calltree_node *verso__calltree_nodes(const verso__calltree *tree) {
    return node_at(tree, 0);
}

const verso__calltree_cell *verso__calltree_cells(const verso__calltree *tree, size_t *count) {
    *count = tree->cells.count;
    return (const verso__calltree_cell *)(const void *)tree->cells.items;
}

static bool is_on(const bool *on, const verso__calltree_node *node) {
    return node->always || (node->site != VERSO_CALLTREE_NONE && on[node->site]);
}

static uint64_t higher(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

uint64_t verso__calltree_above(const verso__calltree_level *level, bool on) {
    return on ? VERSO_CALLTREE_ABOVE + level->peak : level->above;
}

static verso__calltree_level level_of(const verso__calltree *tree, const verso__calltree_node *node, const bool *on,
                                      const verso__calltree_level *levels) {
    const verso__calltree_cell *cells = (const verso__calltree_cell *)(const void *)tree->cells.items;
    verso__calltree_level made = {0};
    uint64_t above = 0; /* of the calls in the fixed point's step at hand */
    size_t steps = 0;   /* number of nested such steps */
    for (uint32_t at = node->first; at != VERSO_CALLTREE_NONE; at = cells[at].next) {
        made.height += cells[at].before;
        if (verso__calltree_is_mark(cells[at].node)) {
            steps += cells[at].node == VERSO_CALLTREE_FIXED ? 1 : (size_t)-1;
            made.peak = higher(made.peak, made.height + above);
            above = steps == 0 ? 0 : above;
            continue;
        }
        const verso__calltree_node *within = node_at(tree, cells[at].node);
        const verso__calltree_level *level = &levels[cells[at].node];
        uint64_t over = verso__calltree_above(level, is_on(on, within));
        above = steps > 0 ? higher(above, over) : 0;
        made.above = higher(made.above, over);
        if (steps == 0)
            made.peak = higher(made.peak, made.height + level->peak);
        made.height += is_on(on, within) ? within->snapshot + VERSO_CALLTREE_NOTE : level->height;
        made.peak = higher(made.peak, made.height);
    }
    made.height += is_on(on, node) ? node->after_on : node->after_off;
    made.peak = higher(made.peak, made.height);
    uint64_t all = verso__calltree_extrapolate(made.height, node->missing);
    made.peak += all - made.height; /* the missing part is below on the stack */
    made.height = all;
    return made;
}

verso__calltree_cost verso__calltree_predict(const verso__calltree *tree, const bool *on,
                                             verso__calltree_level *levels) {
    verso__calltree_cost cost = {0};
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        const verso__calltree_node *node = node_at(tree, i);
        levels[i] = level_of(tree, node, on, levels);
        if (is_on(on, node))
            cost.seconds += node->seconds;
    }
    cost.height = levels[tree->nodes.count - 1].height;
    cost.peak = levels[tree->nodes.count - 1].peak;
    return cost;
}
