/* Finds what a loop nest reads and writes: see groups.h. */
#include "cc/plan/groups.h"

#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/plan/lasting.h"
#include "cc/plan/overlap.h"
#include "cc/plan/stencil.h"
#include "cc/plan/tables.h"
#include "cc/plan/windows.h"
#include "native/state.h"

#include <string.h>

/* GAP_MOST: bytes between two places that a copy may hold without need. */
enum { LOADS_MOST = 512, USES_DEPTH = 4, GAP_MOST = 256 };

/* ---- Which loads ---- */

/* Returns whether the adjoint of an operation on the value certainly needs the value. It is a guess: what is recorded
 * is planned later. */
static bool is_factor(const cc_body *body, LLVMValueRef value, int depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMFMul:
            if (!LLVMIsConstant(LLVMGetOperand(user, 0)) && !LLVMIsConstant(LLVMGetOperand(user, 1)))
                return true;
            break;
        case LLVMFDiv:
            if (!LLVMIsConstant(LLVMGetOperand(user, 1)))
                return true;
            continue;
        case LLVMCall: return true;
        case LLVMFAdd:
        case LLVMFSub:
        case LLVMFNeg:
        case LLVMFPExt:
        case LLVMFPTrunc: break;
        default: continue;
        }
        if (depth > 0 && is_factor(body, user, depth - 1))
            return true;
    }
    return false;
}

static bool is_number(LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind)
        kind = LLVMGetTypeKind(LLVMGetElementType(type));
    return kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind;
}

/* Returns whether the address of a number follows from the value, an integer or a pointer. */
static bool feeds_address(LLVMValueRef value, int depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad:
            if (is_number(LLVMTypeOf(user)))
                return true;
            break;
        case LLVMStore:
            if (LLVMGetOperand(user, 1) == value && is_number(LLVMTypeOf(LLVMGetOperand(user, 0))))
                return true;
            break;
        case LLVMGetElementPtr:
        case LLVMSExt:
        case LLVMZExt:
        case LLVMAdd:
        case LLVMSub:
        case LLVMMul:
        case LLVMShl:
            if (depth > 0 && feeds_address(user, depth - 1))
                return true;
            break;
        default: break;
        }
    }
    return false;
}

/* Returns whether a load is of an index or pointer that reverse code needs. */
static bool is_index(const cc_search *s, LLVMValueRef load) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(load));
    return (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind) && cc_size_of_access(s, load) % 4 == 0 &&
           cc_class_of(s->unit, load) == CC_CLASS_NOTHING && feeds_address(load, USES_DEPTH);
}

LLVMValueRef cc_address_of(LLVMValueRef access) {
    return LLVMGetOperand(access, LLVMIsALoadInst(access) ? 0 : 1);
}

int64_t cc_size_of_access(const cc_search *s, LLVMValueRef access) {
    LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(access) ? access : LLVMGetOperand(access, 0));
    return (int64_t)LLVMStoreSizeOfType(s->unit->layout, type);
}

bool cc_have_same_root(const cc_group *one, const cc_group *other) {
    return one->root == other->root && one->table == other->table;
}

/* Returns the group like `like`, a new one if there is none; NULL if there are too many. */
static cc_group *group_of(cc_group *groups, size_t *count, cc_group like) {
    for (size_t i = 0; i < *count; i++)
        if (cc_have_same_root(&groups[i], &like) && groups[i].level == like.level && groups[i].again == like.again &&
            groups[i].sums == like.sums && groups[i].numbers == like.numbers)
            return &groups[i];
    if (*count == CC_GROUPS_MOST)
        return NULL;
    groups[*count] = like;
    return &groups[(*count)++];
}

static void add_access(cc_search *s, cc_group *group, LLVMValueRef access) {
    cc_reserve(s->unit, &group->accesses, &group->capacity, group->count + 1, sizeof access);
    group->accesses[group->count++] = access;
}

static void widen(cc_search *s, cc_extent *all, cc_extent more, bool first) {
    *all = first ? more : (cc_extent){cc_smaller(s->unit, all->lo, more.lo), cc_larger(s->unit, all->hi, more.hi)};
}

bool cc_extent_of_access(cc_search *s, LLVMValueRef access, cc_extent *out) {
    LLVMValueRef root = cc_extent_root(s->body, s->reach.nest, cc_address_of(access));
    if (!cc_extent_of_offset(&s->reach, cc_address_of(access), out))
        return false;
    out->hi = cc_sum_within(s->unit, out->hi, cc_i64(s->unit, cc_size_of_access(s, access)));
    if (cc_is_outside(s->body, s->reach.nest, root))
        return true;
    cc_extent rows;
    if (!cc_is_in_table(s, root) || !cc_extent_of_table(s, root, &rows))
        return false;
    *out = (cc_extent){cc_sum_within(s->unit, rows.lo, out->lo), cc_sum_within(s->unit, rows.hi, out->hi)};
    return true;
}

/* Returns a group without members for an access; its root is NULL if it is not known before the nest. */
static cc_group group_for(cc_search *s, LLVMValueRef address) {
    cc_group group = {.root = cc_extent_root(s->body, s->nest, address), .level = s->level};
    if (cc_is_outside(s->body, s->nest, group.root))
        return group;
    group.table = cc_is_in_table(s, group.root);
    group.root = group.table ? cc_table_of(s, group.root) : NULL;
    return group;
}

/* Returns whether there is a loop in the level around the access in which its address stays the same. */
static bool is_read_again(const cc_search *s, LLVMValueRef load) {
    const cc_body *body = s->body;
    for (int l = body->blocks[body->items[cc_item_find(body, load)].block].loop; l >= 0; l = body->loops[l].parent) {
        if (!s->reach.varies[l])
            return true;
        if (l == s->level)
            break;
    }
    return false;
}

LLVMValueRef cc_times_of(cc_search *s, int block) {
    LLVMValueRef count = cc_i64(s->unit, 1);
    for (int l = s->body->blocks[block].loop; l != s->nest; l = s->body->loops[l].parent) {
        LLVMValueRef times = cc_sum_within(s->unit, s->turns[l], cc_i64(s->unit, 1));
        count = cc_smaller(s->unit, cc_product_within(s->unit, count, times), cc_i64(s->unit, CC_ENOUGH >> 20));
    }
    return count;
}

/* What a load reads in all iterations of the nest, and in the first one: see cc_group. */
typedef struct reading {
    cc_extent whole, first;
    bool moving, again;
} reading;

static bool find_reading(cc_search *s, LLVMValueRef load, reading *r) {
    s->reach.turns = (cc_extent){cc_i64(s->unit, 0), s->turns[s->nest]};
    cc_reach_clear(&s->reach);
    if (!cc_extent_of_access(s, load, &r->whole))
        return false;
    r->moving = s->reach.moving;
    r->again = is_read_again(s, load) || cc_reads_window(s->body, s->level, load);
    s->reach.turns.hi = s->reach.turns.lo;
    return cc_extent_of_access(s, load, &r->first);
}

static void add_load(cc_search *s, cc_group *group, LLVMValueRef load, const reading *r) {
    widen(s, &group->whole, r->whole, group->count == 0);
    widen(s, &group->first, r->first, group->count == 0);
    group->moving |= r->moving;
    add_access(s, group, load);
}

static bool is_in_level(const cc_search *s, const cc_term *term) {
    int x = cc_item_find(s->body, term->value);
    return x >= 0 && s->body->items[x].block >= 0 && s->body->loops[s->level].contains[s->body->items[x].block];
}

/* Returns by how many bytes iterations of its loop move an address with this term; 0: it is no induction variable. */
static int64_t stride_of(const cc_search *s, const cc_term *term) {
    const cc_item *item = &s->body->items[cc_item_find(s->body, term->value)];
    return item->induction >= 0 ? term->times * LLVMConstIntGetSExtValue(item->step) : 0;
}

/* Returns whether `b` has a term like this one: the same one, or, in the level, one with an equal stride. */
static bool has_term(const cc_search *s, const cc_place *b, const cc_term *term) {
    bool inside = is_in_level(s, term);
    for (unsigned k = 0; k < b->count; k++) {
        const cc_term *other = &b->terms[k];
        if (inside ? is_in_level(s, other) && stride_of(s, other) == stride_of(s, term) && stride_of(s, term) != 0
                   : other->value == term->value && other->times == term->times)
            return true;
    }
    return false;
}

/* Returns whether a load reads all numbers between the first and the last that it reads, of an array that the other
 * load reads in the same way, though in other loops. */
static bool reads_as(const cc_search *s, LLVMValueRef load, LLVMValueRef other) {
    cc_place a = cc_place_of(s->body, s->level, load), b = cc_place_of(s->body, s->level, other);
    int64_t size = cc_size_of_access(s, load), apart = a.constant - b.constant;
    bool dense = false;
    if (!a.known || !b.known || a.count != b.count || apart > GAP_MOST || apart < -GAP_MOST)
        return false;
    for (unsigned i = 0; i < a.count; i++) {
        int64_t stride = is_in_level(s, &a.terms[i]) ? stride_of(s, &a.terms[i]) : 0;
        dense |= stride == size || stride == -size;
        if (!has_term(s, &b, &a.terms[i]) || !has_term(s, &a, &b.terms[i]))
            return false;
    }
    return dense;
}

/* Adds a load to the group of its root, if it is one that a copy can serve. */
static void consider_load(cc_search *s, LLVMValueRef load) {
    cc_group like = group_for(s, cc_address_of(load));
    reading r;
    like.numbers = is_number(LLVMTypeOf(load));
    if (s->taken[cc_item_find(s->body, load)] || (!like.numbers && !is_index(s, load)) || !cc_is_plain(load) ||
        !like.root || LLVMGetAlignment(load) % 4 != 0)
        return;
    if (!find_reading(s, load, &r))
        return;
    like.sums = like.numbers && !is_factor(s->body, load, USES_DEPTH);
    like.again = r.again && !like.sums;
    cc_group *group = group_of(s->loads, &s->load_groups, like);
    if (group && group->count < LOADS_MOST)
        add_load(s, group, load, &r);
}

/* ---- Loads that copies serve at no cost ---- */

static bool is_stored_to(const cc_search *s, const cc_group *loads) {
    for (size_t i = 0; i < s->store_groups; i++)
        if (s->stores[i].root == loads->root)
            return true;
    return false;
}

/* Returns the group that a load can join; NULL if there is none. */
static cc_group *joinable(cc_search *s, size_t first, const cc_group *once, LLVMValueRef load) {
    for (size_t i = first; i < s->load_groups; i++) {
        cc_group *group = &s->loads[i];
        if (!group->again || !cc_have_same_root(group, once) || group->numbers != once->numbers ||
            group->count == LOADS_MOST)
            continue;
        for (size_t k = 0; k < group->count; k++)
            if (reads_as(s, load, group->accesses[k]))
                return group;
    }
    return NULL;
}

/* Returns the least number of bytes by which iterations of a loop move the address; INT64_MAX: none does. */
static int64_t least_stride(const cc_search *s, const cc_place *place) {
    int64_t least = INT64_MAX;
    for (unsigned i = 0; i < place->count; i++) {
        int64_t stride = is_in_level(s, &place->terms[i]) ? stride_of(s, &place->terms[i]) : 0;
        stride = stride < 0 ? -stride : stride;
        least = stride > 0 && stride < least ? stride : least;
    }
    return least;
}

/* Returns whether the loads together read most of the bytes between the first and the last one that they read, and
 * probably the same ones when the nest runs again (lasting.h). */
static bool last_together(const cc_search *s, const cc_group *once) {
    cc_place *places = cc_alloc(s->unit, once->count + 1, sizeof *places);
    for (size_t k = 0; k < once->count; k++) {
        places[k] = cc_place_of(s->body, s->nest, once->accesses[k]);
        if (!places[k].known || !cc_is_lasting(s->body, s->nest, once->root, &places[k]))
            return false;
    }
    for (size_t k = 0; k < once->count; k++) {
        int64_t read = 0;
        for (size_t m = 0; m < once->count; m++)
            read += cc_differ_by_constant(&places[k], &places[m]) ? cc_size_of_access(s, once->accesses[m]) : 0;
        if (least_stride(s, &places[k]) > read)
            return false;
    }
    return once->count > 0;
}

/* Returns whether what the loads read is certainly too little for a copy that lasts. */
static bool is_small(const cc_group *group) {
    LLVMValueRef lo = group->whole.lo, hi = group->whole.hi;
    return LLVMIsAConstantInt(lo) && LLVMIsAConstantInt(hi) &&
           LLVMConstIntGetSExtValue(hi) - LLVMConstIntGetSExtValue(lo) < VERSO_NATIVE_LASTING_LEAST;
}

/* Returns whether all loads probably read the same bytes when the nest runs again. */
static bool last(const cc_search *s, const cc_group *group) {
    for (size_t k = 0; k < group->count; k++) {
        cc_place place = cc_place_of(s->body, s->nest, group->accesses[k]);
        if (!place.known || !cc_is_lasting(s->body, s->nest, group->root, &place))
            return false;
    }
    return !is_small(group);
}

void cc_join_loads(cc_search *s, size_t first) {
    for (size_t i = first; i < s->load_groups; i++) {
        cc_group *once = &s->loads[i];
        size_t kept = 0;
        reading r;
        if (once->again && !once->table && s->level == s->nest && !is_stored_to(s, once))
            once->lasting = last(s, once);
        if (once->again || once->sums || once->table || is_stored_to(s, once))
            continue;
        for (size_t k = 0; k < once->count; k++) {
            cc_group *group = joinable(s, first, once, once->accesses[k]);
            if (group && find_reading(s, once->accesses[k], &r))
                add_load(s, group, once->accesses[k], &r);
            else
                once->accesses[kept++] = once->accesses[k];
        }
        once->count = kept;
        if (s->level == s->nest && !is_small(once) && last_together(s, once))
            once->again = once->lasting = true;
    }
}

/* ---- What the nest writes ---- */

static void note_skipped(cc_search *s, cc_group *group, LLVMValueRef store, bool first) {
    cc_skipped skipped = {NULL, NULL};
    if (s->level == s->nest && group->known)
        skipped = cc_skipped_iteration(s->body, s->nest, s->body->items[cc_item_find(s->body, store)].block);
    if (first)
        group->skipped = skipped;
    if (skipped.at != group->skipped.at || skipped.item != group->skipped.item)
        group->skipped = (cc_skipped){NULL, NULL};
}

static void consider_store(cc_search *s, LLVMValueRef store) {
    cc_group like = group_for(s, cc_address_of(store));
    bool known = like.root != NULL;
    if (!known)
        like.root = cc_extent_root(s->body, s->nest, cc_address_of(store));
    cc_group *group = group_of(s->stores, &s->store_groups, like);
    if (!group || !cc_is_plain(store)) {
        s->opaque = true;
        return;
    }
    cc_extent whole;
    s->reach.turns = (cc_extent){cc_i64(s->unit, 0), s->turns[s->nest]};
    known = known && cc_extent_of_access(s, store, &whole);
    group->known = known && (group->known || group->count == 0);
    if (group->known)
        widen(s, &group->whole, whole, group->count == 0);
    note_skipped(s, group, store, group->count == 0);
    add_access(s, group, store);
}

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

/* What a call does to memory: MARKS nothing; FILLS: what its first argument points to (LIFETIME: its second one). */
typedef enum effect { MARKS, FILLS, LIFETIME, ANYTHING } effect;

static effect effect_of(const cc_item *item) {
    const char *name = cc_callee_name(item->value);
    if (starts_with(name, "llvm.lifetime."))
        return LIFETIME;
    if (starts_with(name, "llvm.mem"))
        return FILLS;
    if (starts_with(name, "llvm.dbg.") || starts_with(name, "llvm.assume") ||
        starts_with(name, "llvm.experimental.noalias"))
        return MARKS;
    bool pure = item->call == CC_CALL_RULE || (item->call == CC_CALL_PASS && starts_with(name, "llvm."));
    for (unsigned k = 0; k < LLVMGetNumArgOperands(item->value); k++)
        pure &= LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(item->value, k))) != LLVMPointerTypeKind;
    return pure ? MARKS : ANYTHING;
}

static void consider_call(cc_search *s, const cc_item *item) {
    effect does = effect_of(item);
    if (does == FILLS || does == LIFETIME) {
        LLVMValueRef data = LLVMGetOperand(item->value, does == LIFETIME ? 1 : 0);
        cc_group *group = group_of(s->stores, &s->store_groups,
                                   (cc_group){.root = cc_extent_root(s->body, s->nest, data), .level = s->level});
        if (group) {
            group->known = false;
            group->skipped.at = NULL;
            add_access(s, group, item->value);
        }
        s->opaque |= !group;
    }
    s->opaque |= does == ANYTHING;
}

bool cc_may_write(const cc_item *item) {
    switch (item->opcode) {
    case LLVMCall: return effect_of(item) != MARKS;
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
    case LLVMInvoke:
    case LLVMFence:
    case LLVMAlloca: return true;
    default: return false;
    }
}

void cc_consider_items(cc_search *s) {
    for (int b = 0; b < s->body->block_count; b++) {
        if (!s->body->loops[s->level].contains[b])
            continue;
        for (int x = s->body->blocks[b].first; x <= s->body->blocks[b].last; x++) {
            const cc_item *item = &s->body->items[x];
            if (item->opcode == LLVMLoad)
                consider_load(s, item->value);
            else if (item->opcode == LLVMStore)
                consider_store(s, item->value);
            else if (item->opcode == LLVMCall)
                consider_call(s, item);
            else
                s->opaque |= cc_may_write(item);
        }
    }
}

bool cc_has_numbers(const cc_body *body, int nest) {
    for (int x = 0; x < body->item_count; x++)
        if (body->items[x].opcode == LLVMLoad && body->loops[nest].contains[body->items[x].block] &&
            is_number(LLVMTypeOf(body->items[x].value)))
            return true;
    return false;
}
