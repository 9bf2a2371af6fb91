/* Finds loop nests that read the same bytes repeatedly, and makes versions of them with copies: see ranges.h. */
#include "cc/plan/ranges.h"

#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/plan/extent.h"
#include "cc/plan/groups.h"
#include "cc/plan/inside.h"
#include "cc/plan/overlap.h"
#include "cc/plan/rolling.h"
#include "cc/plan/stencil.h"
#include "cc/plan/tables.h"
#include "cc/plan/versions.h"
#include "native/state.h"

/* ITEMS_MOST: size of a nest beyond which a second version would be too much code. RUNS_EXPECTED: of a nest, if copies
 * probably last. PARTS: by which factor copies must be smaller than what would be recorded use by use. If a strip has
 * no room for them, blocks may be LARGE times as long, if copies are smaller by the factor PARTS_LARGE. */
enum { ITEMS_MOST = 1500, WORD = 8, RUNS_EXPECTED = 4, PARTS = 2, LARGE = 64, PARTS_LARGE = 16 };

/* ---- Conditions ---- */

/* Rows that a table leads to may lie anywhere, and so may what is copied between the first and the last of them. They
 * are only copied where the extents are apart, too. */
static bool never_overlap(cc_search *s, const cc_group *loads, const cc_group *stores) {
    bool tables = loads->table || stores->table;
    if (!tables && cc_are_apart(loads->root, stores->root))
        return true;
    for (size_t i = 0; i < loads->count; i++)
        for (size_t k = 0; k < stores->count; k++) {
            LLVMValueRef load = loads->accesses[i], store = stores->accesses[k];
            if (tables ? !cc_is_number_beside_integer(s->unit, load, store) : !cc_never_overlap(s->unit, load, store))
                return false;
        }
    return true;
}

static LLVMValueRef at(cc_search *s, LLVMValueRef root, LLVMValueRef offset) {
    LLVMValueRef number = LLVMBuildPtrToInt(s->unit->builder, root, s->unit->i64, "");
    return cc_sum_within(s->unit, number, offset);
}

/* Builds the condition under which the group can be read from a copy; constant false if it cannot. */
static LLVMValueRef build_possible(cc_search *s, const cc_group *loads) {
    LLVMValueRef never = LLVMConstInt(s->unit->i1, 0, false), possible = LLVMConstInt(s->unit->i1, 1, false);
    for (size_t i = 0; i < s->store_groups; i++) {
        const cc_group *stores = &s->stores[i];
        if (never_overlap(s, loads, stores))
            continue;
        if (loads->store_count > 0 && cc_have_same_root(stores, loads)) {
            possible = LLVMBuildAnd(s->unit->builder, possible, cc_extent_is_sound(s->unit, stores->whole), "");
            continue;
        }
        /* Rows of one table that are read and that are written mostly are the same, or lie among each other. A test
         * that fails would keep all other groups from being copied, too. */
        if (!stores->known || (stores->table && cc_have_same_root(stores, loads) && !stores->skipped.at))
            return never;
        LLVMValueRef apart = cc_build_apart(s, loads, stores);
        if (LLVMIsNull(apart))
            return never;
        possible = LLVMBuildAnd(s->unit->builder, possible, cc_extent_is_sound(s->unit, stores->whole), "");
        possible = LLVMBuildAnd(s->unit->builder, possible, apart, "");
    }
    possible = LLVMBuildAnd(s->unit->builder, possible, cc_extent_is_sound(s->unit, loads->whole), "");
    return LLVMBuildAnd(s->unit->builder, possible,
                        cc_build_readable(s->unit, loads->table ? NULL : loads->root, loads->whole), "");
}

static LLVMValueRef size_from(cc_search *s, cc_extent extent) {
    LLVMValueRef size = cc_difference_within(s->unit, extent.hi, extent.lo);
    size = cc_larger(s->unit, size, cc_i64(s->unit, 0));
    size = cc_sum_within(s->unit, size, cc_i64(s->unit, 2 * WORD));
    return cc_smaller(s->unit, size, cc_i64(s->unit, CC_ENOUGH));
}

/* Returns whether the pointers to the rows that a group reads stay the same in one run of its loop. */
static bool are_rows_outside(const cc_search *s, const cc_group *group) {
    for (size_t i = 0; i < group->count && group->table; i++)
        if (!cc_is_outside(s->body, group->level, cc_extent_root(s->body, s->nest, cc_address_of(group->accesses[i]))))
            return false;
    return true;
}

/* Builds how many bytes a group inside the nest reads in one run of its loop at most. */
static LLVMValueRef size_of_run(cc_search *s, const cc_group *group) {
    cc_extent run;
    LLVMValueRef whole = size_from(s, group->whole);
    s->reach.turns.hi = s->turns[s->nest];
    if (!are_rows_outside(s, group) || !cc_extent_of_run(&s->reach, group->level, group->accesses, group->count, &run))
        return whole;
    return cc_smaller(s->unit, size_from(s, run), whole);
}

/* Bytes of copies: `fixed`, and `more` for each iteration of a block; at most, and probably. Rows of a table may lie
 * anywhere between the lowest and the highest. */
typedef struct cost {
    LLVMValueRef fixed, more, likely_fixed, likely_more;
} cost;

/* Builds the cost of all copies. With `expected`, those that probably last count less, because they will be made once
 * for several runs of the nest. */
static cost build_cost(cc_search *s, bool expected) {
    LLVMBuilderRef build = s->unit->builder;
    LLVMValueRef zero = cc_i64(s->unit, 0);
    cost all = {zero, zero, zero, zero};
    LLVMValueRef turns = cc_larger(s->unit, s->turns[s->nest], cc_i64(s->unit, 1));
    for (size_t i = 0; i < s->load_groups; i++) {
        const cc_group *group = &s->loads[i];
        if (!group->wanted || group->sums)
            continue;
        LLVMValueRef whole = size_from(s, group->whole), first = size_from(s, group->first), more;
        if (expected && group->lasting) {
            LLVMValueRef least = cc_i64(s->unit, VERSO_NATIVE_LASTING_LEAST);
            LLVMValueRef lasts = LLVMBuildICmp(build, LLVMIntSGE, whole, least, "");
            LLVMValueRef runs = LLVMBuildSelect(build, lasts, cc_i64(s->unit, RUNS_EXPECTED), cc_i64(s->unit, 1), "");
            whole = LLVMBuildSDiv(build, whole, runs, "");
            first = LLVMBuildSDiv(build, first, runs, "");
        }
        if (group->level != s->nest) {
            more = size_of_run(s, group);
            more = cc_product_within(s->unit, more, cc_times_of(s, s->body->loops[group->level].before));
            more = cc_smaller(s->unit, more, cc_i64(s->unit, CC_ENOUGH));
            all.more = LLVMBuildAdd(build, all.more, more, "");
            all.likely_more = LLVMBuildAdd(build, all.likely_more, more, "");
            continue;
        }
        all.fixed = LLVMBuildAdd(build, all.fixed, group->moving || group->table ? whole : first, "");
        all.likely_fixed = LLVMBuildAdd(build, all.likely_fixed, group->moving ? whole : first, "");
        if (group->moving)
            continue;
        more = cc_larger(s->unit, LLVMBuildSub(build, whole, first, ""), zero);
        more = LLVMBuildAdd(build, LLVMBuildSDiv(build, more, turns, ""), cc_i64(s->unit, 1), "");
        all.likely_more = LLVMBuildAdd(build, all.likely_more, more, "");
        if (!group->table)
            all.more = LLVMBuildAdd(build, all.more, more, "");
    }
    return all;
}

/* Builds the bytes that an iteration of the nest would record use by use. */
static LLVMValueRef build_uses(cc_search *s) {
    LLVMValueRef all = cc_i64(s->unit, 0);
    for (size_t i = 0; i < s->load_groups; i++)
        for (size_t k = 0; s->loads[i].wanted && !s->loads[i].sums && k < s->loads[i].count; k++) {
            LLVMValueRef load = s->loads[i].accesses[k];
            LLVMValueRef times = cc_times_of(s, s->body->items[cc_item_find(s->body, load)].block);
            times = LLVMBuildMul(s->unit->builder, times, cc_i64(s->unit, cc_size_of_access(s, load)), "");
            all = LLVMBuildAdd(s->unit->builder, all, times, "");
        }
    return all;
}

/* How many iterations a block has, and whether that is possible and pays. */
typedef struct division {
    LLVMValueRef length, pays;
} division;

/* Divides the nest into blocks that write `room` bytes of tape at most. What the nest reads must take at most one part
 * in `parts` of what would be recorded use by use. */
static division build_division(cc_search *s, cost copies, cost expected, LLVMValueRef tape, uint64_t room,
                               int64_t parts) {
    cc_unit *unit = s->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef left = LLVMBuildSub(build, cc_i64(unit, (int64_t)room), copies.fixed, "");
    LLVMValueRef all = LLVMBuildAdd(build, copies.more, tape, "");
    LLVMValueRef fits = LLVMBuildSDiv(build, left, all, ""), one = cc_i64(unit, 1);
    LLVMValueRef count = LLVMBuildAdd(build, s->turns[s->nest], one, "");
    division d = {.length = cc_larger(unit, cc_smaller(unit, count, fits), one)};
    LLVMValueRef copied = LLVMBuildMul(build, d.length, expected.likely_more, "");
    copied = LLVMBuildAdd(build, copied, expected.likely_fixed, "");
    copied = LLVMBuildAdd(build, copied, LLVMBuildMul(build, d.length, cc_bytes_rewritten(s), ""), "");
    LLVMValueRef used = LLVMBuildMul(build, d.length, build_uses(s), "");
    d.pays = LLVMBuildICmp(build, LLVMIntSGE, used, LLVMBuildMul(build, copied, cc_i64(unit, parts), ""), "");
    d.pays = LLVMBuildAnd(build, d.pays, LLVMBuildICmp(build, LLVMIntSGE, fits, one, ""), "");
    return d;
}

/* Builds the length of a block and the condition that copies pay. */
static void build_decision(cc_search *s, cc_versions *v, LLVMValueRef tape) {
    LLVMBuilderRef build = s->unit->builder;
    cost copies = build_cost(s, false), expected = build_cost(s, true);
    uint64_t strip = s->unit->program->request->strip;
    division usual = build_division(s, copies, expected, tape, strip, PARTS);
    division large = build_division(s, copies, expected, tape, strip * LARGE, PARTS_LARGE);
    v->length = LLVMBuildSelect(build, usual.pays, usual.length, large.length, "");
    v->wanted = LLVMBuildOr(build, usual.pays, large.pays, "");
    if (s->narrow.fit)
        v->wanted = LLVMBuildAnd(build, v->wanted, s->narrow.fit, "");
    s->narrow.closed = true;
    for (size_t i = 0; i < s->load_groups; i++)
        if (s->loads[i].wanted)
            v->wanted = LLVMBuildAnd(build, v->wanted, s->loads[i].wanted, "");
}

/* ---- Making them ---- */

static bool is_inside(const cc_body *body, int nest, int l) {
    return body->loops[nest].contains[body->loops[l].header];
}

/* Builds the number of iterations of all loops of the nest. */
static bool count_loops(cc_search *s) {
    s->turns = cc_alloc(s->unit, (size_t)s->body->loop_count, sizeof *s->turns);
    s->reach.turns.lo = s->reach.turns.hi = cc_i64(s->unit, 0);
    if (!cc_turns_of(&s->reach, s->nest, &s->turns[s->nest]))
        return false;
    s->turns[s->nest] = cc_smaller(s->unit, s->turns[s->nest], cc_i64(s->unit, CC_ENOUGH));
    s->reach.turns.hi = s->turns[s->nest];
    for (int l = 0; l < s->body->loop_count; l++) {
        if (l == s->nest || !is_inside(s->body, s->nest, l))
            continue;
        if (!cc_turns_of(&s->reach, l, &s->turns[l]))
            return false;
        s->turns[l] = cc_smaller(s->unit, s->turns[l], cc_i64(s->unit, CC_ENOUGH >> 20));
    }
    return true;
}

static void widen(cc_unit *unit, cc_extent *all, cc_extent more) {
    *all = all->lo ? (cc_extent){cc_smaller(unit, all->lo, more.lo), cc_larger(unit, all->hi, more.hi)} : more;
}

/* Builds the extent of addresses at offsets from a root. */
static cc_extent from_root(cc_search *s, LLVMValueRef root, cc_extent offsets) {
    if (!cc_is_outside(s->body, s->reach.nest, root))
        return offsets;
    return (cc_extent){at(s, root, offsets.lo), at(s, root, offsets.hi)};
}

/* Builds the extent of the addresses of a group, which mostly have one root. */
static cc_extent extent_of_group(cc_search *s, const cc_group *group) {
    cc_extent all = {NULL, NULL}, offsets = {NULL, NULL};
    LLVMValueRef root = NULL;
    for (size_t i = 0; i < group->count + group->store_count; i++) {
        LLVMValueRef access = i < group->count ? group->accesses[i] : group->stores[i - group->count];
        LLVMValueRef next = cc_extent_root(s->body, s->reach.nest, cc_address_of(access));
        cc_extent some = {0};
        if (!cc_extent_of_access(s, access, &some))
            cc_give_up(s->unit, VERSO_STATUS_STATE, "internal error (please report it): %s: an extent got lost",
                       cc_where(s->unit, access));
        if (root && next != root) {
            widen(s->unit, &all, from_root(s, root, offsets));
            offsets = (cc_extent){NULL, NULL};
        }
        root = next;
        widen(s->unit, &offsets, some);
    }
    widen(s->unit, &all, from_root(s, root, offsets));
    return all;
}

/* Builds the bytes that a group reads, at the builder, before its level is entered. */
static cc_range build_range(cc_search *s, const cc_group *group) {
    cc_unit *unit = s->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef mask = cc_i64(unit, -WORD);
    cc_extent all = extent_of_group(s, group);
    LLVMValueRef begin = LLVMBuildAnd(build, all.lo, mask, "");
    LLVMValueRef end = LLVMBuildAnd(build, LLVMBuildAdd(build, all.hi, cc_i64(unit, WORD - 1), ""), mask, "");
    LLVMValueRef bytes = cc_larger(unit, LLVMBuildSub(build, end, begin, ""), cc_i64(unit, 0));
    return (cc_range){.begin = begin, .bytes = bytes};
}

static void add_range(cc_search *s, const cc_group *group, cc_range range, cc_ranges *ranges) {
    range.header = s->body->blocks[s->body->loops[group->level].header].block;
    range.loop = range.slot = -1;
    range.loads = group->accesses;
    range.load_count = group->count;
    range.stores = group->stores;
    range.store_count = group->store_count;
    range.sums = group->sums;
    cc_reserve(s->unit, &ranges->all, &ranges->capacity, ranges->count + 1, sizeof range);
    ranges->all[ranges->count++] = range;
}

/* Builds which bytes a block of iterations reads, or a loop inside the nest. */
static void build_ranges(cc_search *s, cc_versions *v, cc_ranges *ranges) {
    cc_unit *unit = s->unit;
    for (size_t i = 0; i < s->load_groups; i++) {
        const cc_group *group = &s->loads[i];
        if (group->wanted && group->sums)
            add_range(s, group, (cc_range){0}, ranges);
        if (!group->wanted || group->sums)
            continue;
        s->reach = cc_reach_new(s->body, group->level);
        s->reach.narrow = &s->narrow;
        if (group->level == s->nest) {
            cc_build_at_end(unit, v->front);
            LLVMValueRef rest = LLVMBuildSub(unit->builder, s->turns[s->nest], v->done, "");
            LLVMValueRef most = LLVMBuildSub(unit->builder, v->length, cc_i64(unit, 1), "");
            s->reach.starts = v->starts;
            s->reach.turns.hi = cc_smaller(unit, most, rest);
        } else {
            LLVMBasicBlockRef before = s->body->blocks[s->body->loops[group->level].before].block;
            cc_build_before(unit, LLVMGetBasicBlockTerminator(before));
            cc_turns_of(&s->reach, group->level, &s->reach.turns.hi);
        }
        add_range(s, group, build_range(s, group), ranges);
    }
}

static void note_nest(cc_search *s, cc_ranges *ranges, LLVMValueRef tape) {
    cc_nest nest = {.header = s->body->blocks[s->body->loops[s->nest].header].block,
                    .cost = tape,
                    .turns = cc_alloc(s->unit, (size_t)s->body->loop_count, sizeof(LLVMValueRef)),
                    .headers = cc_alloc(s->unit, (size_t)s->body->loop_count, sizeof(LLVMBasicBlockRef))};
    for (int l = 0; l < s->body->loop_count; l++) {
        if (!is_inside(s->body, s->nest, l))
            continue;
        nest.turns[nest.turn_count] = s->turns[l];
        nest.headers[nest.turn_count++] = s->body->blocks[s->body->loops[l].header].block;
    }
    cc_reserve(s->unit, &ranges->nests, &ranges->nest_capacity, ranges->nest_count + 1, sizeof nest);
    ranges->nests[ranges->nest_count++] = nest;
}

static bool are_loops_known(const cc_body *body, int nest) {
    int items = 0;
    for (int l = 0; l < body->loop_count; l++)
        if (is_inside(body, nest, l) && (!body->loops[l].counted || !body->loops[l].left))
            return false;
    for (int b = 0; b < body->block_count; b++) {
        if (!body->loops[nest].contains[b])
            continue;
        items += body->blocks[b].last - body->blocks[b].first + 1;
        for (int k = 0; k < body->blocks[b].successor_count; k++) {
            int to = body->blocks[b].successors[k];
            bool back = body->blocks[to].order <= body->blocks[b].order;
            if (back && (body->blocks[to].loop < 0 || body->loops[body->blocks[to].loop].header != to))
                return false;
        }
        for (int s = body->blocks[b].first_segment; s <= body->blocks[b].last_segment; s++)
            if (body->segments[s].call >= 0)
                return false;
    }
    return items <= ITEMS_MOST;
}

/* Returns whether some cells of the group could get rolling sums. Whether a nest overlaps with itself is not left to
 * the test before it: for stencils in place, that always says so. */
static bool gains_sums(cc_search *s, const cc_group *loads) {
    for (size_t i = 0; i < s->store_groups; i++)
        if (cc_have_same_root(&s->stores[i], loads) && !never_overlap(s, loads, &s->stores[i]))
            return false;
    for (size_t i = 0; i < s->load_groups; i++) {
        const cc_group *other = &s->loads[i];
        if (other->numbers && cc_have_same_root(other, loads) && other->level == loads->level &&
            cc_could_roll(s->body, s->nest, loads->accesses, loads->count, other->accesses, other->count))
            return true;
    }
    return false;
}

/* Finds the loads of a loop of the nest that can be copied at its exit. Returns whether there are any. */
static bool choose_groups(cc_search *s, int level) {
    size_t first = s->load_groups;
    bool any = false;
    s->level = level;
    s->store_groups = 0;
    s->opaque = false;
    cc_consider_items(s);
    cc_join_loads(s, first);
    for (size_t i = first; i < s->load_groups && !s->opaque; i++) {
        cc_group *group = &s->loads[i];
        if (group->count == 0)
            continue;
        bool rewritten = s->rewrites && level == s->nest && group->again && cc_rewrite(s, group);
        s->rewrote |= rewritten;
        group->sums |= !rewritten && !group->again && !cc_is_stencil(s->body, s->nest, group->accesses, group->count);
        if (group->sums && (!group->numbers || !gains_sums(s, group)))
            continue;
        LLVMValueRef possible = build_possible(s, group);
        if (LLVMIsNull(possible))
            continue;
        group->wanted = possible;
        for (size_t k = 0; k < group->count; k++)
            s->taken[cc_item_find(s->body, group->accesses[k])] = true;
    }
    if (s->opaque)
        s->load_groups = first;
    for (size_t i = first; i < s->load_groups; i++)
        any |= s->loads[i].wanted != NULL;
    return any;
}

/* Looks at the loops inside, from the outside to the inside. */
static void choose_inner_groups(cc_search *s, int l) {
    for (int m = 0; m < s->body->loop_count; m++) {
        const cc_loop *loop = &s->body->loops[m];
        if (loop->parent != l)
            continue;
        if (s->body->blocks[loop->before].successor_count == 1)
            choose_groups(s, m);
        choose_inner_groups(s, m);
    }
}

/* What has been done with a loop, by its header. REWRITTEN: it is one without the copies of a version with written
 * ranges, and may have other copies. */
enum { TRIED = 1, DONE = 2, REWRITTEN = 3 };

/* Makes the versions of a nest, if it profits. Returns whether the function was changed. */
static bool try_nest(cc_body *body, int l, bool rewrites, cc_ranges *ranges, cc_map *tried) {
    cc_unit *unit = body->unit;
    if (!cc_can_have_versions(body, l) || !are_loops_known(body, l) || !cc_has_numbers(body, l))
        return false;
    cc_search s = {.unit = unit, .body = body, .nest = l, .reach = cc_reach_new(body, l), .rewrites = rewrites};
    s.reach.narrow = &s.narrow;
    if (cc_gains_inside(&s))
        return false;
    cc_versions v = cc_begin_versions(body, l);
    s.taken = cc_alloc(unit, (size_t)body->item_count, sizeof *s.taken);
    if (!count_loops(&s) || !choose_groups(&s, l)) {
        cc_drop_versions(&v);
        return s.rewrote && try_nest(body, l, false, ranges, tried);
    }
    choose_inner_groups(&s, l);
    LLVMValueRef tape = LLVMBuildFreeze(unit->builder, LLVMGetUndef(unit->i64), "");
    build_decision(&s, &v, tape);
    build_ranges(&s, &v, ranges);
    note_nest(&s, ranges, tape);
    cc_make_versions(body, l, &v);
    cc_replace_narrow(&s.narrow);
    cc_map_put(unit, tried, v.front, DONE);
    bool rewritten = false;
    for (size_t i = 0; i < s.load_groups; i++)
        rewritten |= s.loads[i].wanted && s.loads[i].store_count > 0;
    cc_map_put(unit, tried, v.plain, rewritten ? REWRITTEN : TRIED);
    return true;
}

/* Tries a loop and, if that is not changed, the loops directly inside it. Returns whether the function was changed. */
static bool try_loop(cc_body *body, int l, cc_ranges *ranges, cc_map *tried) {
    LLVMBasicBlockRef header = body->blocks[body->loops[l].header].block;
    ptrdiff_t state = cc_map_get(tried, header);
    if (state == CC_NOT_FOUND || state == REWRITTEN) {
        bool changed = try_nest(body, l, state != REWRITTEN, ranges, tried);
        cc_map_put(body->unit, tried, header, changed ? DONE : TRIED);
        if (changed)
            return true;
    }
    for (int m = 0; m < body->loop_count; m++)
        if (body->loops[m].parent == l && cc_map_get(tried, header) == TRIED && try_loop(body, m, ranges, tried))
            return true;
    return false;
}

cc_ranges *cc_find_ranges(cc_unit *unit, cc_function *function) {
    cc_ranges *ranges = cc_alloc(unit, 1, sizeof *ranges);
    cc_map tried = {0};
    for (bool changed = true; changed;) {
        cc_body *body = cc_body_new(unit, function);
        changed = cc_straighten(body);
        for (int l = 0; l < body->loop_count && !changed; l++)
            if (body->loops[l].parent < 0)
                changed = try_loop(body, l, ranges, &tried);
    }
    return ranges;
}
