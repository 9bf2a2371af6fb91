/* Computes which locals are needed before an expression (`needed`) and between its parts (`kept`). See core.h.
 *
 * Sets are arrays in ascending order. The variables of a `let` or letrec are the last locals of its frame, so a
 * set without them is a prefix of the array, and needs no copy. A union that equals one of its two sets is that
 * set, again without a copy; to find out, the members of the smaller set are searched in the larger one. So the
 * pass takes time proportional to the entries written, plus at most n log² n for a text of n expressions.
 *
 * The number of entries can grow with the square of the text (a thousand variables, all needed at a thousand
 * places). Some millions of entries do no harm. Above that, programs with more than ENTRIES_EACH entries per
 * expression are refused; only artificial programs have that many. */
#include "vlad/resolve.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_FREE = 1 << 25, ENTRIES_EACH = 64 };

typedef struct set {
    const uint32_t *items;
    uint32_t count;
} set;

verso_status vlad_resolve_count(vlad_resolver *r, vlad_place place, size_t count) {
    r->entries += count;
    if (r->entries <= ENTRIES_FREE + (size_t)ENTRIES_EACH * r->numbers)
        return VERSO_STATUS_OK;
    return vlad_fail_at(r->sources, place, VERSO_STATUS_INVALID, r->error,
                        "too many variables are needed at once around here; put them into lists or vectors");
}

static set needed_of(const vlad_expression *e) {
    return (set){e->needed, e->needed_count};
}

/* Returns the number of members below `limit`. */
static uint32_t count_below(set s, uint32_t limit) {
    uint32_t low = 0, high = s.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s.items[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static set below(set s, uint32_t limit) {
    s.count = count_below(s, limit);
    return s;
}

static bool contains_all(set large, set small) {
    for (uint32_t i = 0; i < small.count; i++) {
        uint32_t at = count_below(large, small.items[i]);
        if (at == large.count || large.items[at] != small.items[i])
            return false;
    }
    return true;
}

static verso_status new_items(vlad_resolver *r, vlad_place place, size_t count, uint32_t **items) {
    verso_status status = vlad_resolve_count(r, place, count);
    if (status != VERSO_STATUS_OK)
        return status;
    *items = vlad_sources_alloc(r->sources, count * sizeof **items);
    return *items != NULL ? VERSO_STATUS_OK : vlad_no_memory(r->error);
}

static verso_status unite(vlad_resolver *r, vlad_place place, set a, set b, set *result) {
    set large = a.count >= b.count ? a : b, small = a.count >= b.count ? b : a;
    *result = large;
    if (large.items == small.items || contains_all(large, small))
        return VERSO_STATUS_OK;
    uint32_t *items;
    verso_status status = new_items(r, place, (size_t)large.count + small.count, &items);
    if (status != VERSO_STATUS_OK)
        return status;
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < large.count || j < small.count;) {
        bool first = j == small.count || (i < large.count && large.items[i] <= small.items[j]);
        uint32_t item = first ? large.items[i++] : small.items[j++];
        if (count == 0 || items[count - 1] != item)
            items[count++] = item;
    }
    *result = (set){items, count};
    return VERSO_STATUS_OK;
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Collects the locals among captured variables, each of which occurs once. */
static verso_status locals_of(vlad_resolver *r, vlad_place place, const vlad_reference *references, uint32_t count,
                              set *result) {
    *result = (set){NULL, 0};
    if (count == 0)
        return VERSO_STATUS_OK;
    uint32_t *items, found = 0;
    verso_status status = new_items(r, place, count, &items);
    if (status != VERSO_STATUS_OK)
        return status;
    for (uint32_t i = 0; i < count; i++)
        if (references[i].where == VLAD_LOCAL)
            items[found++] = references[i].index;
    qsort(items, found, sizeof *items, by_number);
    *result = (set){items, found};
    return VERSO_STATUS_OK;
}

static void keep(vlad_expression *e, int after, set s) {
    e->kept[after] = s.count > 0 ? s.items : NULL;
    e->kept_count[after] = s.count;
}

/* Goes from the last part to the first: keeps what is needed after each. */
static verso_status of_parts(vlad_resolver *r, vlad_expression *e, int parts, set *needed) {
    *needed = needed_of(e->parts[parts - 1]);
    for (int i = parts - 2; i >= 0; i--) {
        keep(e, i, *needed);
        verso_status status = unite(r, e->place, needed_of(e->parts[i]), *needed, needed);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    return VERSO_STATUS_OK;
}

static verso_status of_if(vlad_resolver *r, vlad_expression *e, set *needed) {
    set branches;
    verso_status status = unite(r, e->place, needed_of(e->parts[1]), needed_of(e->parts[2]), &branches);
    if (status != VERSO_STATUS_OK)
        return status;
    keep(e, 0, branches);
    return unite(r, e->place, needed_of(e->parts[0]), branches, needed);
}

static verso_status of_let(vlad_resolver *r, vlad_expression *e, uint32_t depth, set *needed) {
    set body = below(needed_of(e->parts[1]), depth);
    keep(e, 0, body);
    return unite(r, e->place, needed_of(e->parts[0]), body, needed);
}

static verso_status of_letrec(vlad_resolver *r, vlad_expression *e, uint32_t depth, set *needed) {
    set group, body = below(needed_of(e->parts[0]), depth);
    verso_status status = locals_of(r, e->place, e->is.letrec->group, e->is.letrec->group_count, &group);
    return status == VERSO_STATUS_OK ? unite(r, e->place, group, body, needed) : status;
}

verso_status vlad_resolve_needs(vlad_resolver *r, vlad_expression *e, uint32_t depth) {
    set needed = {NULL, 0};
    verso_status status = VERSO_STATUS_OK;
    switch (e->kind) {
    case VLAD_CONSTANT: break;
    case VLAD_VARIABLE:
        needed = (set){&e->is.variable.index, e->is.variable.where == VLAD_LOCAL}; /* the set is its own index */
        break;
    case VLAD_LAMBDA:
        status = locals_of(r, e->place, e->is.lambda->captured, e->is.lambda->captured_count, &needed);
        break;
    case VLAD_LET: status = of_let(r, e, depth, &needed); break;
    case VLAD_IF: status = of_if(r, e, &needed); break;
    case VLAD_UNARY: status = of_parts(r, e, 1, &needed); break;
    case VLAD_APPLICATION:
    case VLAD_BINARY: status = of_parts(r, e, 2, &needed); break;
    case VLAD_TERNARY: status = of_parts(r, e, 3, &needed); break;
    case VLAD_LETREC: status = of_letrec(r, e, depth, &needed); break;
    }
    e->needed = needed.count > 0 ? needed.items : NULL;
    e->needed_count = needed.count;
    return status;
}
