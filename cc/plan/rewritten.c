/* Written ranges: copies of what a nest reads and also writes, as in decompositions in place. See ranges.h. */
#include "cc/plan/groups.h"

#include "cc/ir/surgery.h"

static int depth_of(const cc_search *s, LLVMValueRef access) {
    const cc_block *block = &s->body->blocks[s->body->items[cc_item_find(s->body, access)].block];
    return s->body->loops[block->loop].depth;
}

/* Returns the depth of the innermost loop that contains one of the accesses. */
static int deepest_of(const cc_search *s, const cc_group *group) {
    int deepest = 0;
    for (size_t i = 0; i < group->count; i++) {
        int depth = depth_of(s, group->accesses[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

/* Returns whether the old value of what a store writes can be loaded and put back. */
static bool can_restore(const cc_search *s, LLVMValueRef access) {
    if (!LLVMIsAStoreInst(access))
        return false;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(access, 0));
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind)
        kind = LLVMGetTypeKind(LLVMGetElementType(type));
    return (kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind || kind == LLVMIntegerTypeKind) &&
           LLVMSizeOfTypeInBits(s->unit->layout, type) == 8 * LLVMStoreSizeOfType(s->unit->layout, type);
}

static void widen(cc_search *s, cc_extent *all, cc_extent more) {
    *all = (cc_extent){cc_smaller(s->unit, all->lo, more.lo), cc_larger(s->unit, all->hi, more.hi)};
}

/* Adds what the stores write to the bytes of the group. */
static bool add_stores(cc_search *s, cc_group *loads, const cc_group *stores) {
    cc_reach_clear(&s->reach);
    for (size_t i = 0; i < stores->count; i++) {
        cc_extent whole, first;
        s->reach.turns = (cc_extent){cc_i64(s->unit, 0), s->turns[s->nest]};
        if (!cc_extent_of_access(s, stores->accesses[i], &whole))
            return false;
        s->reach.turns.hi = s->reach.turns.lo;
        if (!cc_extent_of_access(s, stores->accesses[i], &first))
            return false;
        widen(s, &loads->whole, whole);
        widen(s, &loads->first, first);
    }
    loads->moving |= s->reach.moving;
    return true;
}

/* Adds the loads of all other groups with the same root, because one copy serves them all. */
static void add_loads(cc_search *s, cc_group *loads) {
    for (size_t i = 0; i < s->load_groups; i++) {
        cc_group *other = &s->loads[i];
        if (other == loads || !cc_have_same_root(other, loads) || other->level != loads->level || other->count == 0)
            continue;
        cc_reserve(s->unit, &loads->accesses, &loads->capacity, loads->count + other->count, sizeof *loads->accesses);
        for (size_t k = 0; k < other->count; k++)
            loads->accesses[loads->count++] = other->accesses[k];
        widen(s, &loads->whole, other->whole);
        widen(s, &loads->first, other->first);
        loads->moving |= other->moving;
        other->count = 0;
        other->wanted = NULL;
    }
}

bool cc_rewrite(cc_search *s, cc_group *loads) {
    for (size_t i = 0; i < s->store_groups; i++) {
        const cc_group *stores = &s->stores[i];
        if (!cc_have_same_root(stores, loads))
            continue;
        if (!stores->known || deepest_of(s, loads) <= deepest_of(s, stores))
            return false;
        for (size_t k = 0; k < stores->count; k++)
            if (!can_restore(s, stores->accesses[k]))
                return false;
        if (!add_stores(s, loads, stores))
            return false;
        add_loads(s, loads);
        loads->stores = stores->accesses;
        loads->store_count = stores->count;
        return true;
    }
    return false;
}

LLVMValueRef cc_bytes_rewritten(cc_search *s) {
    LLVMValueRef all = cc_i64(s->unit, 0);
    for (size_t i = 0; i < s->load_groups; i++)
        for (size_t k = 0; s->loads[i].wanted && k < s->loads[i].store_count; k++) {
            LLVMValueRef store = s->loads[i].stores[k];
            LLVMValueRef times = cc_times_of(s, s->body->items[cc_item_find(s->body, store)].block);
            times = LLVMBuildMul(s->unit->builder, times, cc_i64(s->unit, cc_size_of_access(s, store)), "");
            all = LLVMBuildAdd(s->unit->builder, all, times, "");
        }
    return all;
}
