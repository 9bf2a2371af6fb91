/* Sparse Jacobians: see verso/jacobian.h.
 *
 * The pattern is found by halving. Groups of neighbouring columns begin with a single one. A tangent run along a
 * random direction of some columns shows which rows depend on them. Groups that no row depends on jointly share runs
 * (they have the same colour), so that each halving takes two runs for each colour; the number of colours follows the
 * fill of the matrix and not its size. When each group is a column, colours of columns (of rows) say which ones share
 * a run for the values. */
#include "native/api/jacobian.h"

#include "base/alloc.h"
#include "native/api/tests.h"

#include <math.h>
#include <string.h>

typedef verso__jacobian jacobian;

/* Sets of indices: set i has the elements start[i] to start[i + 1] - 1 of `element`, in ascending order. */
typedef struct sets {
    size_t count, *start, *element;
} sets;

/* Which columns (rows) share a run. */
typedef struct plan {
    verso_jacobian_mode mode;
    size_t colours, *colour;
} plan;

static verso_status no_memory(const jacobian *j) {
    return verso__fail(j->error, VERSO_STATUS_NO_MEMORY, "no memory for the pattern of a sparse Jacobian");
}

static void free_sets(sets *s) {
    verso__dealloc(s->start);
    verso__dealloc(s->element);
    *s = (sets){0};
}

/* ---- Pairs of a set and an element, in any order, become sets ---- */

typedef struct pair {
    size_t set, element;
} pair;

typedef struct pairs {
    pair *all;
    size_t count, room;
} pairs;

static bool add_pair(pairs *p, size_t set, size_t element) {
    if (p->count == p->room) {
        size_t room = p->room == 0 ? 1024 : 2 * p->room;
        pair *all = verso__realloc(p->all, room, sizeof *all);
        if (all == NULL)
            return false;
        p->all = all;
        p->room = room;
    }
    p->all[p->count++] = (pair){set, element};
    return true;
}

/* Elements of a set must have been added in ascending order. */
static bool make_sets(const pairs *p, size_t count, sets *made) {
    *made = (sets){count, verso__alloc(count + 2, sizeof(size_t)), verso__alloc(p->count + 1, sizeof(size_t))};
    if (made->start == NULL || made->element == NULL) {
        free_sets(made);
        return false;
    }
    size_t *next = made->start + 1; /* shifted by one, so that it ends up right */
    for (size_t i = 0; i < p->count; i++)
        next[p->all[i].set + 1]++;
    for (size_t i = 1; i <= count; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < p->count; i++)
        made->element[next[p->all[i].set]++] = p->all[i].element;
    return true;
}

/* Sets of which element i contains j where set j of `s` contains i. */
static bool transpose(const sets *s, size_t elements, sets *made) {
    pairs p = {0};
    bool done = true;
    for (size_t set = 0; set < s->count && done; set++)
        for (size_t k = s->start[set]; k < s->start[set + 1] && done; k++)
            done = add_pair(&p, s->element[k], set);
    done = done && make_sets(&p, elements, made);
    verso__dealloc(p.all);
    return done;
}

/* ---- Colours: sets of one colour have no element in common ---- */

enum { NO_COLOUR = 0 }; /* colours count from 1 */

/* Returns the number of colours, at least 1; 0: no memory. Each set takes the first colour that is free. */
static size_t colour_sets(const sets *s, size_t elements, size_t *colour) {
    size_t colours = 0;
    pairs by_element = {0}; /* for each colour that an element has met: the colour, and the previous such pair */
    size_t *last = verso__alloc(elements + 1, sizeof *last), *met = verso__alloc(s->count + 2, sizeof *met);
    bool done = last != NULL && met != NULL && add_pair(&by_element, NO_COLOUR, 0);
    for (size_t set = 0; set < s->count && done; set++) {
        for (size_t k = s->start[set]; k < s->start[set + 1]; k++)
            for (size_t at = last[s->element[k]]; at != 0; at = by_element.all[at].element)
                met[by_element.all[at].set] = set + 1;
        size_t free = 1;
        while (met[free] == set + 1)
            free++;
        colour[set] = free;
        colours = free > colours ? free : colours;
        for (size_t k = s->start[set]; k < s->start[set + 1] && done; k++) {
            done = add_pair(&by_element, free, last[s->element[k]]);
            last[s->element[k]] = by_element.count - 1;
        }
    }
    verso__dealloc(last);
    verso__dealloc(met);
    verso__dealloc(by_element.all);
    return !done ? 0 : colours == 0 ? 1 : colours;
}

/* ---- The pattern ---- */

/* Groups of neighbouring columns, and the rows that depend on each. */
typedef struct grouping {
    size_t *first; /* group g has the columns first[g] to first[g + 1] - 1 */
    sets rows;
    size_t *colour, colours;
    size_t *owner; /* for each row: 1 + the group of the current colour that it depends on */
    pairs found;   /* for groups 2 g and 2 g + 1, the halves of g */
} grouping;

static size_t middle_of(const grouping *g, size_t group) {
    return g->first[group] + (g->first[group + 1] - g->first[group] + 1) / 2;
}

static bool is_single(const grouping *g, size_t group) {
    return g->first[group + 1] - g->first[group] == 1;
}

/* One run: which rows depend on this half of each group of this colour. */
static verso_status probe(jacobian *j, grouping *g, size_t colour, size_t half, uint64_t *random) {
    memset(j->across, 0, j->columns * sizeof *j->across);
    memset(g->owner, 0, (j->rows + 1) * sizeof *g->owner);
    for (size_t group = 0; group < g->rows.count; group++) {
        if (g->colour[group] != colour || is_single(g, group))
            continue;
        size_t middle = middle_of(g, group), end = half == 0 ? middle : g->first[group + 1];
        for (size_t column = half == 0 ? g->first[group] : middle; column < end; column++)
            j->across[column] = verso__test_number(random);
        for (size_t k = g->rows.start[group]; k < g->rows.start[group + 1]; k++)
            g->owner[g->rows.element[k]] = group + 1;
    }
    verso_status status = verso__jacobian_tangent(j);
    j->report->pattern_passes++;
    for (size_t row = 0; status == VERSO_STATUS_OK && row < j->rows; row++)
        if (j->down[row] != 0 && g->owner[row] != 0 && !add_pair(&g->found, 2 * (g->owner[row] - 1) + half, row))
            status = no_memory(j);
    return status;
}

/* Groups of one column stay as they are. */
static verso_status keep_singles(const jacobian *j, grouping *g) {
    for (size_t group = 0; group < g->rows.count; group++)
        for (size_t k = g->rows.start[group]; is_single(g, group) && k < g->rows.start[group + 1]; k++)
            if (!add_pair(&g->found, 2 * group, g->rows.element[k]))
                return no_memory(j);
    return VERSO_STATUS_OK;
}

/* Makes groups of the halves. Second halves of groups of one column do not exist. */
static verso_status take_halves(const jacobian *j, grouping *g) {
    size_t count = 0, most = 2 * g->rows.count;
    size_t *first = verso__alloc(most + 2, sizeof *first), *number = verso__alloc(most + 1, sizeof *number);
    if (first == NULL || number == NULL) {
        verso__dealloc(first);
        verso__dealloc(number);
        return no_memory(j);
    }
    for (size_t half = 0; half < most; half++) {
        if (half % 2 == 1 && is_single(g, half / 2))
            continue;
        number[half] = count;
        first[count++] = half % 2 == 0 ? g->first[half / 2] : middle_of(g, half / 2);
    }
    first[count] = j->columns;
    for (size_t i = 0; i < g->found.count; i++)
        g->found.all[i].set = number[g->found.all[i].set];
    verso__dealloc(number);
    verso__dealloc(g->first);
    g->first = first;
    free_sets(&g->rows);
    bool made = make_sets(&g->found, count, &g->rows);
    g->found.count = 0;
    return made ? VERSO_STATUS_OK : no_memory(j);
}

static verso_status halve(jacobian *j, grouping *g, uint64_t *random) {
    verso__dealloc(g->colour);
    g->colour = verso__alloc(g->rows.count + 1, sizeof *g->colour);
    g->colours = g->colour == NULL ? 0 : colour_sets(&g->rows, j->rows, g->colour);
    verso_status status = g->colours == 0 ? no_memory(j) : keep_singles(j, g);
    for (size_t colour = 1; status == VERSO_STATUS_OK && colour <= g->colours; colour++)
        for (size_t half = 0; status == VERSO_STATUS_OK && half < 2; half++)
            status = probe(j, g, colour, half, random);
    return status == VERSO_STATUS_OK ? take_halves(j, g) : status;
}

static verso_status open_grouping(const jacobian *j, grouping *g) {
    pairs all = {0};
    bool done = true;
    g->first = verso__alloc(2, sizeof *g->first);
    g->owner = verso__alloc(j->rows + 1, sizeof *g->owner);
    for (size_t row = 0; row < j->rows && done; row++)
        done = add_pair(&all, 0, row);
    done = done && g->first != NULL && g->owner != NULL && make_sets(&all, j->columns > 0 ? 1 : 0, &g->rows);
    verso__dealloc(all.all);
    if (done)
        g->first[1] = j->columns;
    return done ? VERSO_STATUS_OK : no_memory(j);
}

/* Finds the rows of each column. */
static verso_status find_pattern(jacobian *j, uint64_t *random, sets *columns) {
    grouping g = {0};
    verso_status status = open_grouping(j, &g);
    while (status == VERSO_STATUS_OK && g.rows.count < j->columns)
        status = halve(j, &g, random);
    if (status == VERSO_STATUS_OK) {
        *columns = g.rows;
        g.rows = (sets){0};
    }
    free_sets(&g.rows);
    verso__dealloc(g.first);
    verso__dealloc(g.colour);
    verso__dealloc(g.owner);
    verso__dealloc(g.found.all);
    return status;
}

/* ---- The matrix ---- */

void verso_sparse_free(verso_sparse *matrix) {
    if (matrix == NULL)
        return;
    plan *plan = matrix->plan;
    if (plan != NULL)
        verso__dealloc(plan->colour);
    verso__dealloc(plan);
    verso__dealloc(matrix->row_start);
    verso__dealloc(matrix->column);
    verso__dealloc(matrix->value);
    verso__dealloc(matrix);
}

static size_t largest_of(const sets *s) {
    size_t largest = 0;
    for (size_t set = 0; set < s->count; set++)
        if (s->start[set + 1] - s->start[set] > largest)
            largest = s->start[set + 1] - s->start[set];
    return largest;
}

/* Columns need at least as many colours as there are elements in a row. */
static bool make_plan(const jacobian *j, const sets *columns, const sets *rows, plan *plan) {
    plan->mode = verso__jacobian_mode(j, largest_of(rows), largest_of(columns));
    bool by_columns = plan->mode == VERSO_JACOBIAN_COLUMNS;
    const sets *coloured = by_columns ? columns : rows;
    plan->colour = verso__alloc(coloured->count + 1, sizeof *plan->colour);
    plan->colours = plan->colour == NULL ? 0 : colour_sets(coloured, by_columns ? j->rows : j->columns, plan->colour);
    return plan->colours > 0;
}

static verso_status new_matrix(const jacobian *j, const sets *columns, verso_sparse **made) {
    sets rows = {0};
    verso_sparse *matrix = verso__alloc(1, sizeof *matrix);
    plan *plan = verso__alloc(1, sizeof *plan);
    if (matrix == NULL || plan == NULL || !transpose(columns, j->rows, &rows)) {
        verso__dealloc(matrix);
        verso__dealloc(plan);
        return no_memory(j);
    }
    *matrix = (verso_sparse){.rows = j->rows,
                             .columns = j->columns,
                             .entries = columns->start[columns->count],
                             .row_start = rows.start,
                             .column = rows.element,
                             .plan = plan};
    matrix->value = verso__alloc(matrix->entries + 1, sizeof *matrix->value);
    if (matrix->value == NULL || !make_plan(j, columns, &rows, plan)) {
        verso_sparse_free(matrix);
        return no_memory(j);
    }
    *made = matrix;
    return VERSO_STATUS_OK;
}

/* ---- Values ---- */

static void take_values(const jacobian *j, verso_sparse *matrix, size_t colour) {
    const plan *plan = matrix->plan;
    bool by_columns = plan->mode == VERSO_JACOBIAN_COLUMNS;
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t k = matrix->row_start[row]; k < matrix->row_start[row + 1]; k++)
            if (plan->colour[by_columns ? matrix->column[k] : row] == colour)
                matrix->value[k] = by_columns ? j->down[row] : j->across[matrix->column[k]];
}

static verso_status fill(jacobian *j, verso_sparse *matrix) {
    const plan *plan = matrix->plan;
    bool by_columns = plan->mode == VERSO_JACOBIAN_COLUMNS;
    double *seed = by_columns ? j->across : j->down;
    verso_status status = VERSO_STATUS_OK;
    j->report->mode = plan->mode;
    j->report->colours = plan->colours;
    for (size_t colour = 1; status == VERSO_STATUS_OK && colour <= plan->colours; colour++) {
        for (size_t i = 0; i < (by_columns ? matrix->columns : matrix->rows); i++)
            seed[i] = plan->colour[i] == colour;
        status = by_columns ? verso__jacobian_tangent(j) : verso__jacobian_reverse(j);
        j->report->passes++;
        take_values(j, matrix, colour);
    }
    return status;
}

/* Compares the product with a random vector with the tangents along it. */
static verso_status check(jacobian *j, const verso_sparse *matrix, uint64_t *random, bool *holds) {
    for (size_t i = 0; i < j->columns; i++)
        j->across[i] = verso__test_number(random);
    verso_status status = verso__jacobian_tangent(j);
    j->report->pattern_passes++;
    *holds = true;
    for (size_t row = 0; status == VERSO_STATUS_OK && row < j->rows; row++) {
        double sum = 0, size = 0;
        for (size_t k = matrix->row_start[row]; k < matrix->row_start[row + 1]; k++) {
            sum += matrix->value[k] * j->across[matrix->column[k]];
            size += fabs(matrix->value[k] * j->across[matrix->column[k]]);
        }
        bool same = fabs(sum - j->down[row]) <= 1e-6 * size || (isnan(sum) && isnan(j->down[row]));
        *holds = *holds && (same || sum == j->down[row]);
    }
    return status;
}

/* ---- The call ---- */

typedef struct call {
    verso_sparse **given; /* the caller's */
    verso_sparse *made;
    bool used; /* `made` is the caller's matrix, whose pattern holds */
} call;

static bool fits(const jacobian *j, const verso_sparse *matrix) {
    const plan *plan = matrix->plan;
    return matrix->rows == j->rows && matrix->columns == j->columns && plan != NULL &&
           (j->options.mode == VERSO_JACOBIAN_AUTO || j->options.mode == plan->mode);
}

static verso_status find_and_fill(jacobian *j, call *c, uint64_t *random) {
    sets columns = {0};
    verso_status status = find_pattern(j, random, &columns);
    if (status == VERSO_STATUS_OK)
        status = new_matrix(j, &columns, &c->made);
    free_sets(&columns);
    return status == VERSO_STATUS_OK ? fill(j, c->made) : status;
}

static verso_status work(jacobian *j, void *context) {
    call *c = context;
    uint64_t random = j->options.seed != 0 ? j->options.seed : 1;
    bool holds = false;
    verso_status status = VERSO_STATUS_OK;
    if (*c->given != NULL && fits(j, *c->given)) {
        c->used = true;
        status = fill(j, *c->given);
        if (status == VERSO_STATUS_OK)
            status = check(j, *c->given, &random, &holds);
    }
    for (int tries = 0; status == VERSO_STATUS_OK && !holds && tries < 3; tries++) {
        c->used = false;
        verso_sparse_free(c->made);
        c->made = NULL;
        status = find_and_fill(j, c, &random);
        if (status == VERSO_STATUS_OK)
            status = check(j, c->made, &random, &holds);
    }
    if (status == VERSO_STATUS_OK && !holds)
        return verso__fail(j->error, VERSO_STATUS_INVALID,
                           "the sparse Jacobian does not agree with tangents: `run` must compute the same each time");
    return status;
}

static void end(jacobian *j, void *context) {
    call *c = context;
    (void)j;
    if (c->used)
        return;
    verso_sparse_free(*c->given);
    *c->given = c->made;
    c->made = NULL;
}

verso_status verso_jacobian_sparse(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                                   const verso_array *of, size_t of_count, verso_sparse **matrix,
                                   const verso_jacobian_options *options, verso_jacobian_report *report,
                                   verso_error *error) {
    verso__native_job job = verso__native_job_of(run, context, wrt, wrt_count, of, of_count, VERSO_NATIVE_CALLER(4));
    if (matrix == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "the argument `matrix` is NULL: it receives the Jacobian");
    call c = {.given = &(verso_sparse *){*matrix}};
    verso__jacobian_task task = {work, end, &c};
    verso_status status = verso__jacobian_do(&job, options, report, &task, error);
    if (status == VERSO_STATUS_OK)
        *matrix = *c.given;
    verso_sparse_free(c.made);
    return status;
}
