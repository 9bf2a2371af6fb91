/* Tests before a nest whether what loads read overlaps what stores write: see groups.h. */
#include "cc/plan/groups.h"
#include "cc/plan/tables.h"

/* Iterations of the nest; `none`: whether there are none, NULL: there are some. */
typedef struct part {
    cc_extent turns;
    LLVMValueRef none;
} part;

static cc_extent from(cc_search *s, LLVMValueRef root, cc_extent offsets) {
    LLVMValueRef number = LLVMBuildPtrToInt(s->unit->builder, root, s->unit->i64, "");
    return (cc_extent){cc_sum_within(s->unit, number, offsets.lo), cc_sum_within(s->unit, number, offsets.hi)};
}

static cc_extent addresses_of(cc_search *s, const cc_group *group) {
    return group->table ? group->whole : from(s, group->root, group->whole);
}

static LLVMValueRef are_extents_apart(cc_search *s, cc_extent one, cc_extent other) {
    LLVMBuilderRef build = s->unit->builder;
    return LLVMBuildOr(build, LLVMBuildICmp(build, LLVMIntSLE, one.hi, other.lo, ""),
                       LLVMBuildICmp(build, LLVMIntSLE, other.hi, one.lo, ""), "");
}

/* Builds whether a store writes nothing that the loads read, in the iterations of s->reach. Returns NULL if that is not
 * understood. */
static LLVMValueRef is_store_apart(cc_search *s, const cc_group *loads, const cc_group *stores, LLVMValueRef store) {
    cc_extent written;
    if (stores->table)
        return cc_build_rows_apart(s, store, addresses_of(s, loads));
    if (!cc_extent_of_access(s, store, &written))
        return NULL;
    if (cc_have_same_root(loads, stores))
        return are_extents_apart(s, loads->whole, written);
    return are_extents_apart(s, addresses_of(s, loads), from(s, stores->root, written));
}

static LLVMValueRef are_apart_in(cc_search *s, const cc_group *loads, const cc_group *stores, part iterations) {
    LLVMValueRef all = LLVMConstInt(s->unit->i1, 1, false);
    s->reach.turns = iterations.turns;
    for (size_t i = 0; i < stores->count; i++) {
        LLVMValueRef apart = is_store_apart(s, loads, stores, stores->accesses[i]);
        if (!apart)
            return LLVMConstInt(s->unit->i1, 0, false);
        all = LLVMBuildAnd(s->unit->builder, all, apart, "");
    }
    return iterations.none ? LLVMBuildOr(s->unit->builder, all, iterations.none, "") : all;
}

/* Splits the nest where its stores do not run (skipped.h). */
static LLVMValueRef are_apart_around(cc_search *s, const cc_group *loads, const cc_group *stores, LLVMValueRef number) {
    cc_unit *unit = s->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef zero = cc_i64(unit, 0), one = cc_i64(unit, 1), turns = s->turns[s->nest];
    part before = {{zero, cc_smaller(unit, cc_difference_within(unit, number, one), turns)},
                   LLVMBuildICmp(build, LLVMIntSLE, number, zero, "")};
    part behind = {{cc_larger(unit, cc_sum_within(unit, number, one), zero), turns},
                   LLVMBuildICmp(build, LLVMIntSGE, number, turns, "")};
    return LLVMBuildAnd(build, are_apart_in(s, loads, stores, before), are_apart_in(s, loads, stores, behind), "");
}

LLVMValueRef cc_build_apart(cc_search *s, const cc_group *loads, const cc_group *stores) {
    LLVMValueRef skipped = stores->skipped.at ? cc_number_of_skipped(&s->reach, stores->skipped) : NULL;
    if (skipped)
        return are_apart_around(s, loads, stores, skipped);
    if (stores->table && !loads->table)
        return are_apart_in(s, loads, stores, (part){{cc_i64(s->unit, 0), s->turns[s->nest]}, NULL});
    if (cc_have_same_root(loads, stores))
        return are_extents_apart(s, loads->whole, stores->whole);
    return are_extents_apart(s, addresses_of(s, loads), addresses_of(s, stores));
}
