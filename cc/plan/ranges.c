/* Finds loop nests that read the same bytes repeatedly, and makes versions of them with copies: see ranges.h. */
#include "cc/plan/ranges.h"

#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/plan/extent.h"
#include "cc/plan/overlap.h"
#include "cc/plan/stencil.h"
#include "cc/plan/versions.h"
#include "native/state.h"

#include <string.h>

/* ITEMS_MOST: size of a nest beyond which a second version would be too much code. */
enum { ITEMS_MOST = 1500, LOADS_MOST = 512, GROUPS_MOST = 24, USES_DEPTH = 4, WORD = 8 };
/* Memory that can always be read: arena and private stack, 1 TiB and 64 GiB (native/memory/space.h). */
#define INSIDE_SIZE ((INT64_C(1) << 40) + (INT64_C(64) << 30))
/* Limit of the numbers of bytes and iterations that are computed, so that their products do not overflow. */
#define ENOUGH (INT64_C(1) << 44)

/* The loads, or the stores, of a loop whose addresses have the same root. Loads that read the same bytes in several
 * iterations are not in the same group as other loads. */
typedef struct group {
    LLVMValueRef root;
    int level;       /* the loop at whose exit the bytes are copied: the nest, or a loop inside */
    bool known;      /* the extents below are known */
    cc_extent whole; /* offsets from the root that the nest accesses */
    cc_extent first; /* of loads: in iteration 0 */
    bool moving;     /* `first` does not tell what other iterations read */
    bool again;      /* each load reads the same bytes in several iterations */
    LLVMValueRef *accesses;
    size_t count, capacity;
    LLVMValueRef wanted; /* condition for a version with copies of these loads; NULL: they are not copied */
} group;

typedef struct search {
    cc_unit *unit;
    cc_body *body;
    int nest;
    cc_reach reach;
    int level;                                     /* the loop that is searched now */
    group loads[GROUPS_MOST], stores[GROUPS_MOST]; /* stores: those of the level */
    size_t load_groups, store_groups;
    bool opaque;         /* it is not known where the level writes */
    bool *taken;         /* items that are loads in a group */
    LLVMValueRef *turns; /* for each loop of the nest */
} search;

/* ---- Which loads ---- */

/* Returns whether the adjoint of an operation on the value probably needs the value. (What is recorded is planned
 * later.) */
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

static bool is_plain(LLVMValueRef access) {
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static LLVMValueRef address_of(LLVMValueRef access) {
    return LLVMGetOperand(access, LLVMIsALoadInst(access) ? 0 : 1);
}

static int64_t size_of(const search *s, LLVMValueRef access) {
    LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(access) ? access : LLVMGetOperand(access, 0));
    return (int64_t)LLVMStoreSizeOfType(s->unit->layout, type);
}

static group *group_of(const search *s, group *groups, size_t *count, LLVMValueRef root, bool again) {
    for (size_t i = 0; i < *count; i++)
        if (groups[i].root == root && groups[i].level == s->level && groups[i].again == again)
            return &groups[i];
    if (*count == GROUPS_MOST)
        return NULL;
    groups[*count] = (group){.root = root, .level = s->level, .again = again};
    return &groups[(*count)++];
}

static void add_access(search *s, group *group, LLVMValueRef access) {
    cc_reserve(s->unit, &group->accesses, &group->capacity, group->count + 1, sizeof access);
    group->accesses[group->count++] = access;
}

static void widen(search *s, cc_extent *all, cc_extent more, bool first) {
    *all = first ? more : (cc_extent){cc_smaller(s->unit, all->lo, more.lo), cc_larger(s->unit, all->hi, more.hi)};
}

/* Builds the extent of the bytes of an access. */
static bool extent_of_access(search *s, LLVMValueRef access, cc_extent *out) {
    if (!cc_extent_of_offset(&s->reach, address_of(access), out))
        return false;
    out->hi = cc_sum_within(s->unit, out->hi, cc_i64(s->unit, size_of(s, access)));
    return true;
}

/* Returns whether there is a loop in the level around the access in which its address stays the same. */
static bool is_read_again(const search *s, LLVMValueRef load) {
    const cc_body *body = s->body;
    for (int l = body->blocks[body->items[cc_item_find(body, load)].block].loop; l >= 0; l = body->loops[l].parent) {
        if (!s->reach.varies[l])
            return true;
        if (l == s->level)
            break;
    }
    return false;
}

/* Builds the number of times that an iteration of the nest executes a block, on average. */
static LLVMValueRef times_of(search *s, int block) {
    LLVMValueRef count = cc_i64(s->unit, 1);
    for (int l = s->body->blocks[block].loop; l != s->nest; l = s->body->loops[l].parent) {
        LLVMValueRef times = cc_sum_within(s->unit, s->turns[l], cc_i64(s->unit, 1));
        count = cc_smaller(s->unit, cc_product_within(s->unit, count, times), cc_i64(s->unit, ENOUGH >> 20));
    }
    return count;
}

/* Adds a load to the group of its root, if it can read from a copy. */
static void consider_load(search *s, LLVMValueRef load) {
    LLVMValueRef root = cc_extent_root(s->body, s->nest, address_of(load));
    cc_extent whole, first;
    if (s->taken[cc_item_find(s->body, load)] || !is_number(LLVMTypeOf(load)) || !is_plain(load) ||
        !is_factor(s->body, load, USES_DEPTH) || !cc_is_outside(s->body, s->nest, root) ||
        LLVMGetAlignment(load) % 4 != 0)
        return;
    s->reach.turns = (cc_extent){cc_i64(s->unit, 0), s->turns[s->nest]};
    cc_reach_clear(&s->reach);
    if (!extent_of_access(s, load, &whole))
        return;
    bool moving = s->reach.moving, again = is_read_again(s, load);
    s->reach.turns.hi = s->reach.turns.lo;
    if (!extent_of_access(s, load, &first))
        return;
    group *group = group_of(s, s->loads, &s->load_groups, root, again);
    if (!group || group->count == LOADS_MOST)
        return;
    widen(s, &group->whole, whole, group->count == 0);
    widen(s, &group->first, first, group->count == 0);
    group->moving |= moving;
    add_access(s, group, load);
}

/* ---- What the nest writes ---- */

static void consider_store(search *s, LLVMValueRef store) {
    LLVMValueRef root = cc_extent_root(s->body, s->nest, address_of(store));
    group *group = group_of(s, s->stores, &s->store_groups, root, false);
    if (!group || !is_plain(store)) {
        s->opaque = true;
        return;
    }
    cc_extent whole;
    bool known = cc_is_outside(s->body, s->nest, root);
    s->reach.turns = (cc_extent){cc_i64(s->unit, 0), s->turns[s->nest]};
    known = known && extent_of_access(s, store, &whole);
    group->known = known && (group->known || group->count == 0);
    if (group->known)
        widen(s, &group->whole, whole, group->count == 0);
    add_access(s, group, store);
}

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static void consider_call(search *s, const cc_item *item) {
    const char *name = cc_callee_name(item->value);
    bool lifetime = starts_with(name, "llvm.lifetime."), marks = starts_with(name, "llvm.dbg.") ||
                                                                 starts_with(name, "llvm.assume") ||
                                                                 starts_with(name, "llvm.experimental.noalias");
    bool fill = starts_with(name, "llvm.memset."), move = starts_with(name, "llvm.mem") && !fill;
    if (lifetime || fill || move) {
        LLVMValueRef data = LLVMGetOperand(item->value, lifetime ? 1 : 0);
        group *group = group_of(s, s->stores, &s->store_groups, cc_extent_root(s->body, s->nest, data), false);
        if (group) {
            group->known = false;
            add_access(s, group, item->value);
        }
        s->opaque |= !group;
        return;
    }
    bool pure = item->call == CC_CALL_RULE || (item->call == CC_CALL_PASS && starts_with(name, "llvm."));
    for (unsigned k = 0; k < LLVMGetNumArgOperands(item->value); k++)
        pure &= LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(item->value, k))) != LLVMPointerTypeKind;
    s->opaque |= !pure && !marks;
}

static bool may_write(const cc_item *item) {
    switch (item->opcode) {
    case LLVMStore:
    case LLVMCall:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
    case LLVMInvoke:
    case LLVMFence:
    case LLVMAlloca: return true;
    default: return false;
    }
}

static void consider_items(search *s) {
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
                s->opaque |= may_write(item);
        }
    }
}

/* ---- Conditions ---- */

static bool never_overlap(search *s, const group *loads, const group *stores) {
    if (cc_are_apart(loads->root, stores->root))
        return true;
    for (size_t i = 0; i < loads->count; i++)
        for (size_t k = 0; k < stores->count; k++)
            if (!cc_never_overlap(s->unit, loads->accesses[i], stores->accesses[k]))
                return false;
    return true;
}

static LLVMValueRef at(search *s, LLVMValueRef root, LLVMValueRef offset) {
    LLVMValueRef number = LLVMBuildPtrToInt(s->unit->builder, root, s->unit->i64, "");
    return cc_sum_within(s->unit, number, offset);
}

/* Builds an i1: true if the bytes of two groups do not overlap. */
static LLVMValueRef build_apart(search *s, const group *a, const group *b) {
    LLVMBuilderRef build = s->unit->builder;
    bool same = a->root == b->root;
    LLVMValueRef alo = same ? a->whole.lo : at(s, a->root, a->whole.lo);
    LLVMValueRef ahi = same ? a->whole.hi : at(s, a->root, a->whole.hi);
    LLVMValueRef blo = same ? b->whole.lo : at(s, b->root, b->whole.lo);
    LLVMValueRef bhi = same ? b->whole.hi : at(s, b->root, b->whole.hi);
    return LLVMBuildOr(build, LLVMBuildICmp(build, LLVMIntSLE, ahi, blo, ""),
                       LLVMBuildICmp(build, LLVMIntSLE, bhi, alo, ""), "");
}

/* Builds an i1: true if the bytes are in memory that can always be read. */
static LLVMValueRef build_readable(search *s, const group *loads) {
    cc_unit *unit = s->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef begin, size;
    if (LLVMIsAGlobalVariable(loads->root)) {
        begin = loads->whole.lo;
        size = cc_i64(unit, (int64_t)LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(loads->root)));
    } else {
        begin = cc_difference_within(unit, at(s, loads->root, loads->whole.lo), cc_i64(unit, VERSO_INSIDE_AT));
        size = cc_i64(unit, INSIDE_SIZE);
    }
    LLVMValueRef bytes = cc_difference_within(unit, loads->whole.hi, loads->whole.lo);
    LLVMValueRef end = cc_sum_within(unit, begin, bytes), zero = cc_i64(unit, 0);
    LLVMValueRef inside = LLVMBuildAnd(build, LLVMBuildICmp(build, LLVMIntSGE, begin, zero, ""),
                                       LLVMBuildICmp(build, LLVMIntSLE, end, size, ""), "");
    return LLVMBuildAnd(build, inside, LLVMBuildICmp(build, LLVMIntSGT, bytes, zero, ""), "");
}

/* Builds the condition under which the group can be read from a copy; constant false if it cannot. */
static LLVMValueRef build_possible(search *s, const group *loads) {
    LLVMValueRef never = LLVMConstInt(s->unit->i1, 0, false), possible = LLVMConstInt(s->unit->i1, 1, false);
    for (size_t i = 0; i < s->store_groups; i++) {
        const group *stores = &s->stores[i];
        if (never_overlap(s, loads, stores))
            continue;
        if (!stores->known)
            return never;
        possible = LLVMBuildAnd(s->unit->builder, possible, cc_extent_is_sound(s->unit, stores->whole), "");
        possible = LLVMBuildAnd(s->unit->builder, possible, build_apart(s, loads, stores), "");
        if (LLVMIsNull(possible))
            return never;
    }
    possible = LLVMBuildAnd(s->unit->builder, possible, cc_extent_is_sound(s->unit, loads->whole), "");
    return LLVMBuildAnd(s->unit->builder, possible, build_readable(s, loads), "");
}

static LLVMValueRef size_from(search *s, cc_extent extent) {
    LLVMValueRef size = cc_difference_within(s->unit, extent.hi, extent.lo);
    size = cc_larger(s->unit, size, cc_i64(s->unit, 0));
    size = cc_sum_within(s->unit, size, cc_i64(s->unit, 2 * WORD));
    return cc_smaller(s->unit, size, cc_i64(s->unit, ENOUGH));
}

/* Bytes of copies: `fixed`, and `more` for each iteration of a block. */
typedef struct cost {
    LLVMValueRef fixed, more;
} cost;

static cost build_cost(search *s) {
    LLVMBuilderRef build = s->unit->builder;
    cost all = {cc_i64(s->unit, 0), cc_i64(s->unit, 0)};
    LLVMValueRef turns = cc_larger(s->unit, s->turns[s->nest], cc_i64(s->unit, 1));
    for (size_t i = 0; i < s->load_groups; i++) {
        const group *group = &s->loads[i];
        if (!group->wanted)
            continue;
        LLVMValueRef whole = size_from(s, group->whole), first = size_from(s, group->first), more;
        if (group->level != s->nest) {
            more = cc_product_within(s->unit, whole, times_of(s, s->body->loops[group->level].before));
            all.more = LLVMBuildAdd(build, all.more, cc_smaller(s->unit, more, cc_i64(s->unit, ENOUGH)), "");
            continue;
        }
        all.fixed = LLVMBuildAdd(build, all.fixed, group->moving ? whole : first, "");
        if (group->moving)
            continue;
        more = cc_larger(s->unit, LLVMBuildSub(build, whole, first, ""), cc_i64(s->unit, 0));
        more = LLVMBuildAdd(build, LLVMBuildSDiv(build, more, turns, ""), cc_i64(s->unit, 1), "");
        all.more = LLVMBuildAdd(build, all.more, more, "");
    }
    return all;
}

/* Builds the bytes that an iteration of the nest would record use by use. */
static LLVMValueRef build_uses(search *s) {
    LLVMValueRef all = cc_i64(s->unit, 0);
    for (size_t i = 0; i < s->load_groups; i++)
        for (size_t k = 0; s->loads[i].wanted && k < s->loads[i].count; k++) {
            LLVMValueRef load = s->loads[i].accesses[k];
            LLVMValueRef times = times_of(s, s->body->items[cc_item_find(s->body, load)].block);
            times = LLVMBuildMul(s->unit->builder, times, cc_i64(s->unit, size_of(s, load)), "");
            all = LLVMBuildAdd(s->unit->builder, all, times, "");
        }
    return all;
}

/* Builds the length of a block and the condition that copies pay: they must take at most half of what would be
 * recorded use by use. */
static void build_decision(search *s, cc_versions *v, cost copies, LLVMValueRef tape) {
    cc_unit *unit = s->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef room = cc_i64(unit, (int64_t)unit->program->request->strip);
    LLVMValueRef left = LLVMBuildSub(build, room, copies.fixed, "");
    LLVMValueRef all = LLVMBuildAdd(build, copies.more, tape, "");
    LLVMValueRef fits = LLVMBuildSDiv(build, left, all, ""), one = cc_i64(unit, 1);
    LLVMValueRef count = LLVMBuildAdd(build, s->turns[s->nest], one, "");
    count = cc_smaller(unit, count, fits);
    v->length = cc_larger(unit, count, one);
    LLVMValueRef copied = LLVMBuildMul(build, v->length, copies.more, "");
    copied = LLVMBuildAdd(build, copied, copies.fixed, "");
    LLVMValueRef used = LLVMBuildMul(build, v->length, build_uses(s), "");
    LLVMValueRef pays = LLVMBuildICmp(build, LLVMIntSGE, used, LLVMBuildMul(build, copied, cc_i64(unit, 2), ""), "");
    pays = LLVMBuildAnd(build, pays, LLVMBuildICmp(build, LLVMIntSGE, fits, one, ""), "");
    v->wanted = pays;
    for (size_t i = 0; i < s->load_groups; i++)
        if (s->loads[i].wanted)
            v->wanted = LLVMBuildAnd(build, v->wanted, s->loads[i].wanted, "");
}

/* ---- Making them ---- */

static bool is_inside(const cc_body *body, int nest, int l) {
    return body->loops[nest].contains[body->loops[l].header];
}

/* Builds the number of iterations of all loops of the nest. */
static bool count_loops(search *s) {
    s->turns = cc_alloc(s->unit, (size_t)s->body->loop_count, sizeof *s->turns);
    s->reach.turns.lo = s->reach.turns.hi = cc_i64(s->unit, 0);
    if (!cc_turns_of(&s->reach, s->nest, &s->turns[s->nest]))
        return false;
    s->turns[s->nest] = cc_smaller(s->unit, s->turns[s->nest], cc_i64(s->unit, ENOUGH));
    s->reach.turns.hi = s->turns[s->nest];
    for (int l = 0; l < s->body->loop_count; l++) {
        if (l == s->nest || !is_inside(s->body, s->nest, l))
            continue;
        if (!cc_turns_of(&s->reach, l, &s->turns[l]))
            return false;
        s->turns[l] = cc_smaller(s->unit, s->turns[l], cc_i64(s->unit, ENOUGH >> 20));
    }
    return true;
}

/* Builds the bytes that a group reads, at the builder, before its level is entered. */
static void build_range(search *s, const group *group, cc_ranges *ranges) {
    cc_unit *unit = s->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef begin = NULL, end = NULL, mask = cc_i64(unit, -WORD);
    for (size_t i = 0; i < group->count; i++) {
        LLVMValueRef root = cc_extent_root(s->body, s->reach.nest, address_of(group->accesses[i]));
        cc_extent some = {0};
        if (!extent_of_access(s, group->accesses[i], &some))
            cc_give_up(unit, VERSO_STATUS_STATE, "internal error (please report it): %s: an extent is missing",
                       cc_where(unit, group->accesses[i]));
        some = (cc_extent){at(s, root, some.lo), at(s, root, some.hi)};
        begin = begin ? cc_smaller(unit, begin, some.lo) : some.lo;
        end = end ? cc_larger(unit, end, some.hi) : some.hi;
    }
    begin = LLVMBuildAnd(build, begin, mask, "");
    end = LLVMBuildAnd(build, LLVMBuildAdd(build, end, cc_i64(unit, WORD - 1), ""), mask, "");
    LLVMValueRef bytes = cc_larger(unit, LLVMBuildSub(build, end, begin, ""), cc_i64(unit, 0));
    cc_reserve(unit, &ranges->all, &ranges->capacity, ranges->count + 1, sizeof *ranges->all);
    ranges->all[ranges->count++] = (cc_range){.header = s->body->blocks[s->body->loops[group->level].header].block,
                                              .loop = -1,
                                              .begin = begin,
                                              .bytes = bytes,
                                              .loads = group->accesses,
                                              .load_count = group->count,
                                              .slot = -1};
}

/* Builds which bytes a block of iterations reads, or a loop inside the nest. */
static void build_ranges(search *s, cc_versions *v, cc_ranges *ranges) {
    cc_unit *unit = s->unit;
    for (size_t i = 0; i < s->load_groups; i++) {
        const group *group = &s->loads[i];
        if (!group->wanted)
            continue;
        s->reach = cc_reach_new(s->body, group->level);
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
        build_range(s, group, ranges);
    }
}

static void note_nest(search *s, cc_ranges *ranges, LLVMValueRef tape) {
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

/* Finds the loads of a loop of the nest that can be copied at its exit. Returns whether there are any. */
static bool choose_groups(search *s, int level) {
    size_t first = s->load_groups;
    bool any = false;
    s->level = level;
    s->store_groups = 0;
    s->opaque = false;
    consider_items(s);
    for (size_t i = first; i < s->load_groups && !s->opaque; i++) {
        group *group = &s->loads[i];
        if (!group->again && !cc_is_stencil(s->body, s->nest, group->accesses, group->count))
            continue;
        LLVMValueRef possible = build_possible(s, group);
        if (LLVMIsNull(possible))
            continue;
        group->wanted = possible;
        any = true;
        for (size_t k = 0; k < group->count; k++)
            s->taken[cc_item_find(s->body, group->accesses[k])] = true;
    }
    if (s->opaque)
        s->load_groups = first;
    return any;
}

/* Does the same for the loops inside, outer loops first. */
static void choose_inner_groups(search *s, int l) {
    for (int m = 0; m < s->body->loop_count; m++) {
        const cc_loop *loop = &s->body->loops[m];
        if (loop->parent != l)
            continue;
        if (s->body->blocks[loop->before].successor_count == 1)
            choose_groups(s, m);
        choose_inner_groups(s, m);
    }
}

static bool has_loads(const cc_body *body, int nest) {
    for (int x = 0; x < body->item_count; x++)
        if (body->items[x].opcode == LLVMLoad && body->loops[nest].contains[body->items[x].block] &&
            is_number(LLVMTypeOf(body->items[x].value)) && is_factor(body, body->items[x].value, USES_DEPTH))
            return true;
    return false;
}

/* What has been done with a loop, by its header. */
enum { TRIED = 1, DONE = 2 };

/* Makes the versions of a nest if some loads can be copied. Returns whether the function was changed. */
static bool try_nest(cc_body *body, int l, cc_ranges *ranges, cc_map *tried) {
    cc_unit *unit = body->unit;
    if (!cc_can_have_versions(body, l) || !are_loops_known(body, l) || !has_loads(body, l))
        return false;
    search s = {.unit = unit, .body = body, .nest = l, .reach = cc_reach_new(body, l)};
    cc_versions v = cc_begin_versions(body, l);
    s.taken = cc_alloc(unit, (size_t)body->item_count, sizeof *s.taken);
    if (!count_loops(&s) || !choose_groups(&s, l)) {
        cc_drop_versions(&v);
        return false;
    }
    choose_inner_groups(&s, l);
    cost copies = build_cost(&s);
    LLVMValueRef tape = LLVMBuildFreeze(unit->builder, LLVMGetUndef(unit->i64), "");
    build_decision(&s, &v, copies, tape);
    build_ranges(&s, &v, ranges);
    note_nest(&s, ranges, tape);
    cc_make_versions(body, l, &v);
    cc_map_put(unit, tried, v.front, DONE);
    cc_map_put(unit, tried, v.plain, DONE);
    return true;
}

/* Tries a loop and, if that is not changed, the loops directly inside it. Returns whether the function was changed. */
static bool try_loop(cc_body *body, int l, cc_ranges *ranges, cc_map *tried) {
    LLVMBasicBlockRef header = body->blocks[body->loops[l].header].block;
    if (cc_map_get(tried, header) == CC_NOT_FOUND) {
        bool changed = try_nest(body, l, ranges, tried);
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
        changed = false;
        for (int l = 0; l < body->loop_count && !changed; l++)
            if (body->loops[l].parent < 0)
                changed = try_loop(body, l, ranges, &tried);
    }
    return ranges;
}
