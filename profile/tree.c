/* See tree.h.
 *
 * A reverse sweep records calls from the last to the first, each before those within it: so while the tree is made
 * there is one open call a level, whose calls within are known and recorded from the last on. When the first of them is
 * done the call is closed: its list of cells is built from its end, so that lists with equal ends share them, and equal
 * nodes become one. Tables of cells and of nodes find what is there by content. */
#include "profile/tree.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

/* A call within an open one. */
typedef struct within {
    uint32_t site, node; /* NONE until it is closed */
    uint64_t before, snapshot;
    int64_t instead;
    double seconds;
} within;

/* A call that is being recorded, or whose calls within are. */
typedef struct open_call {
    size_t first; /* of its calls within, on the stack of them; they end where those of the next open call begin */
    size_t left;  /* how many of them have not been recorded */
    uint64_t behind;
} open_call;

/* A growing array whose content can be found. */
typedef struct table {
    size_t item, count, room;
    char *items;
    uint32_t *slots; /* number of an item and one; 0: empty */
    size_t slot_count;
} table;

struct verso_calltree {
    table nodes, cells;
    open_call *open;
    size_t open_count, open_room;
    within *within;
    size_t within_count, within_room;
    bool failed;
};

/* ---- Memory ---- */

static verso_status no_memory(verso_calltree *tree) {
    tree->failed = true;
    return VERSO_NO_MEMORY;
}

/* Room for one more. */
static bool reserve(void *array, size_t *room, size_t count, size_t size) {
    if (count < *room)
        return true;
    size_t more = *room == 0 ? 64 : 2 * *room;
    void *grown = verso_realloc(*(void **)array, more, size);
    if (grown == NULL)
        return false;
    *(void **)array = grown;
    *room = more;
    return true;
}

verso_calltree *verso_calltree_new(void) {
    verso_calltree *tree = verso_alloc(1, sizeof *tree);
    if (tree == NULL)
        return NULL;
    tree->nodes.item = sizeof(verso_calltree_node);
    tree->cells.item = sizeof(verso_calltree_cell);
    if (!reserve(&tree->open, &tree->open_room, 0, sizeof *tree->open)) {
        verso_calltree_free(tree);
        return NULL;
    }
    tree->open[tree->open_count++] = (open_call){0}; /* the whole run */
    return tree;
}

static void free_table(table *table) {
    verso_dealloc(table->items);
    verso_dealloc(table->slots);
}

void verso_calltree_free(verso_calltree *tree) {
    if (tree == NULL)
        return;
    free_table(&tree->nodes);
    free_table(&tree->cells);
    verso_dealloc(tree->open);
    verso_dealloc(tree->within);
    verso_dealloc(tree);
}

/* ---- Tables ---- */

/* A few cycles, because a program may make a million calls a second: a multiplication mixes upwards, a shift down. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* What makes two items the same: all of a cell; of a node what is not a sum. */
static uint64_t hash_of(const table *table, const void *item) {
    if (table->item == sizeof(verso_calltree_cell)) {
        const verso_calltree_cell *cell = item;
        return mix(mix(cell->node, cell->next), cell->before);
    }
    const verso_calltree_node *node = item;
    return mix(mix(mix(mix(node->site, node->first), node->snapshot), node->behind), node->straight);
}

static bool is_same(const table *table, const void *a, const void *b) {
    if (table->item == sizeof(verso_calltree_cell)) {
        const verso_calltree_cell *one = a, *other = b;
        return one->node == other->node && one->next == other->next && one->before == other->before;
    }
    const verso_calltree_node *one = a, *other = b;
    return one->site == other->site && one->first == other->first && one->snapshot == other->snapshot &&
           one->behind == other->behind && one->straight == other->straight;
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
    table->slots = verso_alloc(before == 0 ? 256 : 2 * before, sizeof *table->slots);
    if (table->slots == NULL) {
        table->slots = old;
        return false;
    }
    table->slot_count = before == 0 ? 256 : 2 * before;
    for (size_t i = 0; i < table->count; i++)
        *find_slot(table, table->items + i * table->item) = (uint32_t)i + 1;
    verso_dealloc(old);
    return true;
}

/* The number of an item that is the same, or of this one, which is then there; NONE: no memory. */
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

static verso_calltree_node *node_at(const verso_calltree *tree, uint32_t number) {
    return (verso_calltree_node *)(void *)tree->nodes.items + number;
}

/* ---- Making ---- */

verso_status verso_calltree_meet(verso_calltree *tree, uint32_t site, uint64_t before, uint64_t snapshot) {
    if (tree->failed || !reserve(&tree->within, &tree->within_room, tree->within_count, sizeof *tree->within))
        return no_memory(tree);
    tree->within[tree->within_count++] =
        (within){.site = site, .node = VERSO_CALLTREE_NONE, .before = before, .snapshot = snapshot};
    return VERSO_OK;
}

void verso_calltree_time(verso_calltree *tree, double seconds) {
    if (!tree->failed)
        tree->within[tree->within_count - 1].seconds += seconds;
}

void verso_calltree_instead(verso_calltree *tree, int64_t bytes) {
    if (!tree->failed)
        tree->within[tree->within_count - 1].instead = bytes;
}

verso_status verso_calltree_end(verso_calltree *tree, uint64_t behind) {
    if (tree->failed)
        return VERSO_NO_MEMORY;
    open_call *open = &tree->open[tree->open_count - 1];
    open->behind = behind;
    open->left = tree->within_count - open->first;
    return VERSO_OK;
}

/* The innermost open call, whose calls within are all closed, is closed; `of` is what is known of it from outside. */
static verso_status close_innermost(verso_calltree *tree, const within *of, uint32_t *number) {
    const open_call *open = &tree->open[--tree->open_count];
    verso_calltree_node node = {.site = of->site,
                                .first = VERSO_CALLTREE_NONE,
                                .snapshot = of->snapshot,
                                .behind = open->behind,
                                .straight = open->behind + (uint64_t)of->instead};
    while (tree->within_count > open->first) {
        const within *last = &tree->within[--tree->within_count];
        verso_calltree_cell cell = {.node = last->node, .next = node.first, .before = last->before};
        node.first = put(&tree->cells, &cell);
        if (node.first == VERSO_CALLTREE_NONE)
            return no_memory(tree);
    }
    *number = put(&tree->nodes, &node);
    if (*number == VERSO_CALLTREE_NONE)
        return no_memory(tree);
    node_at(tree, *number)->calls++;
    node_at(tree, *number)->seconds += of->seconds;
    return VERSO_OK;
}

/* Closes calls, from the innermost on, of which all calls within are; not the whole run. */
static verso_status close_done(verso_calltree *tree) {
    while (tree->open_count > 1 && tree->open[tree->open_count - 1].left == 0) {
        const open_call *around = &tree->open[tree->open_count - 2];
        size_t at = around->first + around->left;
        uint32_t number;
        verso_status status = close_innermost(tree, &tree->within[at], &number);
        if (status != VERSO_OK)
            return status;
        tree->within[at].node = number;
    }
    return VERSO_OK;
}

verso_status verso_calltree_descend(verso_calltree *tree) {
    if (tree->failed || close_done(tree) != VERSO_OK ||
        !reserve(&tree->open, &tree->open_room, tree->open_count, sizeof *tree->open))
        return no_memory(tree);
    if (tree->open[tree->open_count - 1].left == 0)
        return VERSO_STATE;
    tree->open[tree->open_count - 1].left--;
    tree->open[tree->open_count++] = (open_call){.first = tree->within_count};
    return VERSO_OK;
}

void verso_calltree_put_back(verso_calltree *tree, double seconds) {
    if (tree->failed)
        return;
    const open_call *around = &tree->open[tree->open_count - 2];
    tree->within[around->first + around->left].seconds += seconds;
}

verso_status verso_calltree_finish(verso_calltree *tree) {
    const within whole = {.site = VERSO_CALLTREE_NONE};
    uint32_t root;
    if (tree->failed || close_done(tree) != VERSO_OK)
        return no_memory(tree);
    if (tree->open_count != 1 || tree->open[0].left != 0)
        return VERSO_STATE;
    return close_innermost(tree, &whole, &root);
}

void verso_calltree_scale(verso_calltree *tree, double factor) {
    for (uint32_t i = 0; i < tree->nodes.count; i++)
        node_at(tree, i)->seconds *= factor;
}

void verso_calltree_renumber(verso_calltree *tree, const uint32_t *numbers) {
    for (uint32_t i = 0; i < tree->nodes.count; i++)
        if (node_at(tree, i)->site != VERSO_CALLTREE_NONE)
            node_at(tree, i)->site = numbers[node_at(tree, i)->site];
}

verso_calltree *verso_calltree_of(verso_calltree_node *nodes, size_t count, verso_calltree_cell *cells,
                                  size_t cell_count) {
    verso_calltree *tree = verso_alloc(1, sizeof *tree);
    if (tree == NULL) {
        verso_dealloc(nodes);
        verso_dealloc(cells);
        return NULL;
    }
    tree->nodes = (table){.item = sizeof *nodes, .count = count, .room = count, .items = (char *)nodes};
    tree->cells = (table){.item = sizeof *cells, .count = cell_count, .room = cell_count, .items = (char *)cells};
    return tree;
}

void verso_calltree_force(verso_calltree *tree, const bool *always) {
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        verso_calltree_node *node = node_at(tree, i);
        node->always = node->site != VERSO_CALLTREE_NONE && always[node->site];
    }
}

/* ---- Looking ---- */

uint32_t verso_calltree_root(const verso_calltree *tree) {
    return (uint32_t)tree->nodes.count - 1;
}

size_t verso_calltree_count(const verso_calltree *tree) {
    return tree->nodes.count;
}

const verso_calltree_node *verso_calltree_nodes(const verso_calltree *tree) {
    return node_at(tree, 0);
}

const verso_calltree_cell *verso_calltree_cells(const verso_calltree *tree, size_t *count) {
    *count = tree->cells.count;
    return (const verso_calltree_cell *)(const void *)tree->cells.items;
}

static bool is_on(const bool *on, const verso_calltree_node *node) {
    return node->always || (node->site != VERSO_CALLTREE_NONE && on[node->site]);
}

static uint64_t higher(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static verso_calltree_level level_of(const verso_calltree *tree, const verso_calltree_node *node, const bool *on,
                                     const verso_calltree_level *levels) {
    const verso_calltree_cell *cells = (const verso_calltree_cell *)(const void *)tree->cells.items;
    verso_calltree_level made = {0};
    for (uint32_t at = node->first; at != VERSO_CALLTREE_NONE; at = cells[at].next) {
        const verso_calltree_node *within = node_at(tree, cells[at].node);
        made.height += cells[at].before;
        made.peak = higher(made.peak, made.height + levels[cells[at].node].peak);
        made.height += is_on(on, within) ? within->snapshot + VERSO_CALLTREE_NOTE : levels[cells[at].node].height;
        made.peak = higher(made.peak, made.height);
    }
    made.height += is_on(on, node) ? node->behind : node->straight;
    made.peak = higher(made.peak, made.height);
    return made;
}

verso_calltree_cost verso_calltree_predict(const verso_calltree *tree, const bool *on, verso_calltree_level *levels) {
    verso_calltree_cost cost = {0};
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        const verso_calltree_node *node = node_at(tree, i);
        levels[i] = level_of(tree, node, on, levels);
        if (is_on(on, node))
            cost.seconds += node->seconds;
    }
    cost.height = levels[tree->nodes.count - 1].height;
    cost.peak = levels[tree->nodes.count - 1].peak;
    return cost;
}
