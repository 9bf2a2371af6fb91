/* The cost of a checkpoint tree, without walking it. Nodes with equal counts differ little in length, so there are
 * few distinct ones. They are followed along the larger count, the rows; the smaller count gives the columns. A
 * split keeps one part in its column for the next row and passes the other to the next column in the same row.
 *
 * A column is a sorted list of lengths. If the counts are far apart it becomes long, but the parts that are passed
 * on differ by a step or two between its shortest and its longest node. The list therefore falls into a few groups,
 * and a row takes one subtraction for a block of nodes. Nodes with a closed form never enter a column
 * (tree_chain.c). */
#include "schedule/tree_cost.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/tree_chain.h"

/* Following a run of a spine takes longer than a row, so it must replace many rows. */
static const uint64_t rows_worth_runs = 32768;
static const unsigned runs_of_part = 16;
static const unsigned runs_of_whole = 65536; /* if the whole tree is a spine */

/* Limit of computed splits and moved entries. If the counts are far apart and neither is small, there is no closed
 * form, and there would be as many rows as the larger count. */
static const uint64_t effort_max = (uint64_t)1 << 23;
static const uint64_t effort_of_run = 4;

enum { BLOCK = 64 }; /* entries of a block usually lose the same number of steps in a row */

typedef struct column {
    uint64_t *lengths; /* each plus what its block lost; sorted, from `first` on; equal neighbours may occur */
    uint64_t *lost;    /* steps lost by all entries of a block, modulo 2^64 */
    uint64_t *upto;    /* number of nodes from entry 0 up to and including this entry */
    size_t first, used, capacity;
    size_t equals;  /* number of equal neighbours */
    uint64_t steps; /* steps of all nodes together */
} column;

typedef struct costing {
    const verso__tree *tree;
    verso__tree_total *total;
    bool rows_are_space; /* true: kept parts are rounded down and new nodes are long; false: new nodes are short */
    uint64_t row;        /* the remaining count along the rows */
    unsigned runs_max;   /* maximum runs of a spine; 0 once one had more, because then others have, too */
    column *columns;     /* the first column has the whole other count left, each further one 1 less */
    size_t used, capacity;
    uint64_t effort; /* effort so far */
} costing;

static uint64_t length_at(const column *list, size_t i) {
    return list->lengths[i] - list->lost[i / BLOCK];
}

static void set_length(column *list, size_t i, uint64_t length) {
    list->lengths[i] = length + list->lost[i / BLOCK];
}

static void shorten(column *list, size_t i, size_t end, uint64_t steps) {
    while (i < end) {
        if (i % BLOCK == 0 && end - i >= BLOCK) {
            list->lost[i / BLOCK] += steps;
            i += BLOCK;
        } else {
            list->lengths[i++] -= steps;
        }
    }
}

static uint64_t below(const column *list, size_t i) {
    return i > 0 ? list->upto[i - 1] : 0;
}

static verso__tree_node node_of(const costing *work, size_t column, uint64_t length, uint64_t count) {
    const verso__tree *tree = work->tree;
    verso__tree_node node = {.space = work->row, .time = tree->time - column, .length = length, .count = count};
    if (!work->rows_are_space) {
        node.space = tree->space - column;
        node.time = work->row;
    }
    return node;
}

static uint64_t handed_over(costing *work, size_t column, uint64_t length) {
    verso__tree_node node = node_of(work, column, length, 1);
    work->effort++;
    uint64_t left = verso__tree_split(work->tree, length, node.space, node.time);
    return work->rows_are_space ? left : length - left;
}

static bool is_too_much(const costing *work) {
    return work->effort + effort_of_run * work->total->runs > effort_max;
}

/* ---- Lists ---- */

static bool grow(uint64_t **words, size_t count) {
    uint64_t *grown = verso__realloc(*words, count, sizeof *grown);
    *words = grown != NULL ? grown : *words;
    return grown != NULL;
}

static bool make_room(column *list) {
    if (list->used < list->capacity)
        return true;
    size_t capacity = list->capacity == 0 ? BLOCK : 2 * list->capacity;
    if (!grow(&list->lengths, capacity) || !grow(&list->upto, capacity) || !grow(&list->lost, capacity / BLOCK))
        return false;
    for (size_t block = list->capacity / BLOCK; block < capacity / BLOCK; block++)
        list->lost[block] = 0;
    list->capacity = capacity;
    return true;
}

/* Inserts nodes into a sorted list. The order is such that new nodes, which were rounded less often, come last or
 * nearly so. */
static bool insert(costing *work, column *list, uint64_t length, uint64_t count) {
    bool rising = work->rows_are_space;
    size_t i = list->used;
    while (i > list->first && (rising ? length_at(list, i - 1) >= length : length_at(list, i - 1) <= length))
        i--;
    work->effort += list->used - i;
    list->steps += length * count;
    if (i == list->used || length_at(list, i) != length) {
        if (!make_room(list))
            return false;
        for (size_t k = list->used++; k > i; k--) {
            set_length(list, k, length_at(list, k - 1));
            list->upto[k] = list->upto[k - 1];
        }
        set_length(list, i, length);
        list->upto[i] = below(list, i);
    }
    for (; i < list->used; i++)
        list->upto[i] += count;
    return true;
}

static void merge_equals(column *list) {
    size_t kept = 0;
    uint64_t gone = below(list, list->first);
    for (size_t i = list->first; i < list->used; i++) {
        if (kept > 0 && length_at(list, kept - 1) == length_at(list, i))
            kept--;
        set_length(list, kept, length_at(list, i));
        list->upto[kept++] = list->upto[i] - gone;
    }
    list->first = list->equals = 0;
    list->used = kept;
}

/* ---- Rows ---- */

static bool settle(costing *work, const verso__tree_node *node) {
    bool spine = node->space == 2 || node->time == 2;
    bool whole = work->used == 0;
    unsigned runs = whole ? runs_of_whole : work->row >= rows_worth_runs ? work->runs_max : 0;
    work->effort++;
    if (verso__tree_settle(work->tree, *node, runs, work->total))
        return true;
    if (runs > 0 && spine && !whole)
        work->runs_max = 0;
    return false;
}

/* Settles nodes of the current row at once if possible, or puts them into their column. */
static bool deliver(costing *work, size_t at, uint64_t length, uint64_t count) {
    verso__tree_node node = node_of(work, at, length, count);
    if (settle(work, &node))
        return true;
    if (at == work->capacity) {
        size_t capacity = at == 0 ? 8 : 2 * at;
        column *columns = verso__realloc(work->columns, capacity, sizeof *columns);
        if (columns == NULL)
            return false;
        memset(columns + at, 0, (capacity - at) * sizeof *columns);
        work->columns = columns;
        work->capacity = capacity;
    }
    if (at >= work->used)
        work->used = at + 1;
    return insert(work, &work->columns[at], length, count);
}

/* Returns the end of the entries from i on that pass on as many steps as the i-th. */
static size_t group_end(costing *work, size_t at, size_t i, uint64_t handed) {
    const column *list = &work->columns[at];
    size_t stride = 1;
    while (i + stride < list->used && handed_over(work, at, length_at(list, i + stride)) == handed) {
        i += stride;
        stride *= 2;
    }
    size_t end = i + stride < list->used ? i + stride : list->used; /* the end is in (i, end] */
    while (end - i > 1) {
        size_t middle = i + (end - i) / 2;
        if (handed_over(work, at, length_at(list, middle)) == handed)
            i = middle;
        else
            end = middle;
    }
    return end;
}

/* Splits the nodes of a column. The kept parts stay in it. */
static bool split_column(costing *work, size_t at) {
    size_t end;
    for (size_t i = work->columns[at].first; i < work->columns[at].used; i = end) {
        column *list = &work->columns[at];
        if (is_too_much(work))
            return false;
        uint64_t handed = handed_over(work, at, length_at(list, i));
        end = group_end(work, at, i, handed);
        uint64_t count = list->upto[end - 1] - below(list, i);
        shorten(list, i, end, handed);
        work->effort += (end - i) / BLOCK / 16; /* it is quick */
        list->equals += i > list->first && length_at(list, i) == length_at(list, i - 1);
        list->steps -= handed * count;
        verso__tree_node part = node_of(work, at + 1, handed, count);
        if (work->rows_are_space)
            work->total->recomputed += (verso__wide)handed * count;
        else if (!verso__tree_node_is_leaf(work->tree, &part))
            work->total->writes += count;
        if (!deliver(work, at + 1, handed, count))
            return false;
    }
    return true;
}

/* Removes from a column, whose nodes now belong to this row, the nodes that need no further row. */
static void settle_column(costing *work, size_t at) {
    column *list = &work->columns[at];
    if (work->rows_are_space)
        work->total->writes += list->upto[list->used - 1] - below(list, list->first);
    else
        work->total->recomputed += list->steps;
    while (list->first < list->used) {
        size_t shortest = work->rows_are_space ? list->first : list->used - 1;
        uint64_t count = list->upto[shortest] - below(list, shortest);
        verso__tree_node node = node_of(work, at, length_at(list, shortest), count);
        if (!settle(work, &node))
            break;
        list->steps -= node.length * count;
        list->first += work->rows_are_space;
        list->used -= !work->rows_are_space;
        if (work->rows_are_space && verso__tree_node_is_leaf(work->tree, &node))
            work->total->writes -= count;
    }
    if (list->first + list->equals > list->used / 2) {
        work->effort += list->used - list->first;
        merge_equals(list);
    }
}

static bool follow_rows(costing *work) {
    bool open = work->used > 0;
    for (; open; work->row--) {
        open = false;
        for (size_t at = 0; at < work->used; at++) {
            if (is_too_much(work))
                return false;
            if (work->columns[at].first == work->columns[at].used)
                continue;
            if (!split_column(work, at))
                return false;
            work->row--;
            settle_column(work, at);
            work->row++;
            open = true;
        }
    }
    return true;
}

static verso_status too_many_parts(const verso__tree *tree, uint64_t steps, verso_error *error) {
    uint64_t enough = verso__tree_least_equal((steps - 1) / tree->leaf + 1);
    return verso__fail(
        error, VERSO_STATUS_IMPOSSIBLE,
        "a checkpoint tree of %llu steps with %llu snapshots and %llu repetitions has too many different "
        "parts for its cost to be predicted; use numbers that are closer to each other: %llu of each "
        "suffice",
        (unsigned long long)steps, (unsigned long long)tree->space, (unsigned long long)tree->time,
        (unsigned long long)enough);
}

verso_status verso__tree_cost(const verso__tree *tree, uint64_t steps, verso__tree_total *total, verso_error *error) {
    *total = (verso__tree_total){0};
    if (steps == 0)
        return VERSO_STATUS_OK;
    costing work = {
        .tree = tree, .total = total, .rows_are_space = tree->space >= tree->time, .runs_max = runs_of_part};
    work.row = work.rows_are_space ? tree->space : tree->time;
    total->writes = verso__tree_is_leaf(tree, steps, tree->space, tree->time) ? 0 : 1;
    bool done = deliver(&work, 0, steps, 1) && follow_rows(&work);
    for (size_t at = 0; at < work.used; at++) {
        verso__dealloc(work.columns[at].lengths);
        verso__dealloc(work.columns[at].lost);
        verso__dealloc(work.columns[at].upto);
    }
    verso__dealloc(work.columns);
    if (done)
        return VERSO_STATUS_OK;
    if (is_too_much(&work))
        return too_many_parts(tree, steps, error);
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to predict the cost of a checkpoint tree");
}
