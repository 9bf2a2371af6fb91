/* Extents of integers and addresses in a loop nest: see extent.h.
 *
 * Integers may wrap. A bound that does not fit 64 bits becomes the largest or the smallest integer, which
 * cc_extent_is_sound detects. So do the bounds of an integer of 32 bits or less if an operation on it may wrap: one
 * without the flag nsw or nuw, depending on how it is widened. In bounds of loops, operations must not wrap. */
#include "cc/plan/extent.h"

#include "cc/plan/counts.h"
#include "cc/plan/plan.h"
#include "cc/plan/windows.h"

#include <string.h>

/* MOVES_MOST: operations between a pointer in one iteration and in the next. */
enum { DEPTH_MOST = 24, MOVES_MOST = 6, JOINED_MOST = 3 };

cc_reach cc_reach_new(cc_body *body, int nest) {
    LLVMValueRef zero = cc_i64(body->unit, 0);
    return (cc_reach){.body = body,
                      .nest = nest,
                      .turns = {zero, zero},
                      .level = -1,
                      .varies = cc_alloc(body->unit, (size_t)body->loop_count, sizeof(bool))};
}

void cc_reach_clear(cc_reach *reach) {
    memset(reach->varies, 0, (size_t)reach->body->loop_count * sizeof *reach->varies);
    reach->moving = false;
}

bool cc_is_outside(const cc_body *body, int loop, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    return x < 0 || body->items[x].block < 0 || !body->loops[loop].contains[body->items[x].block];
}

/* ---- Arithmetic ---- */

LLVMValueRef cc_smaller(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    if (a == b)
        return a;
    return LLVMBuildSelect(unit->builder, LLVMBuildICmp(unit->builder, LLVMIntSLT, a, b, ""), a, b, "");
}

LLVMValueRef cc_larger(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    if (a == b)
        return a;
    return LLVMBuildSelect(unit->builder, LLVMBuildICmp(unit->builder, LLVMIntSLT, a, b, ""), b, a, "");
}

/* Returns whether the value is a constant, and sets *number to it. */
static bool is_known(LLVMValueRef value, int64_t *number) {
    if (!LLVMIsAConstantInt(value))
        return false;
    *number = LLVMConstIntGetSExtValue(value);
    return true;
}

LLVMValueRef cc_sum_within(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    int64_t x = 1, y = 1, all;
    bool first = is_known(a, &x), both = is_known(b, &y) && first;
    if (x == 0 || y == 0)
        return x == 0 ? b : a;
    if (both && !__builtin_add_overflow(x, y, &all))
        return cc_i64(unit, all);
    return cc_call_intrinsic(unit, "llvm.sadd.sat", unit->i64, (LLVMValueRef[]){a, b}, 2);
}

LLVMValueRef cc_difference_within(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    int64_t x = 1, y = 1, all;
    bool first = is_known(a, &x), both = is_known(b, &y) && first;
    if (y == 0)
        return a;
    if (both && !__builtin_sub_overflow(x, y, &all))
        return cc_i64(unit, all);
    return cc_call_intrinsic(unit, "llvm.ssub.sat", unit->i64, (LLVMValueRef[]){a, b}, 2);
}

LLVMValueRef cc_product_within(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    int64_t x = 0, y = 0, all;
    bool first = is_known(a, &x), both = is_known(b, &y) && first;
    if (x == 1 || y == 1)
        return x == 1 ? b : a;
    if (both && !__builtin_mul_overflow(x, y, &all))
        return cc_i64(unit, all);
    return cc_call_intrinsic(unit, "llvm.smul.fix.sat", unit->i64,
                             (LLVMValueRef[]){a, b, LLVMConstInt(unit->i32, 0, false)}, 3);
}

static cc_extent sum(cc_unit *unit, cc_extent a, cc_extent b) {
    LLVMValueRef lo = cc_sum_within(unit, a.lo, b.lo);
    bool one = a.lo == a.hi && b.lo == b.hi;
    return (cc_extent){lo, one ? lo : cc_sum_within(unit, a.hi, b.hi)};
}

static cc_extent difference(cc_unit *unit, cc_extent a, cc_extent b) {
    LLVMValueRef lo = cc_difference_within(unit, a.lo, b.hi);
    bool one = a.lo == a.hi && b.lo == b.hi;
    return (cc_extent){lo, one ? lo : cc_difference_within(unit, a.hi, b.lo)};
}

static cc_extent hull(cc_unit *unit, cc_extent a, cc_extent b) {
    return (cc_extent){cc_smaller(unit, a.lo, b.lo), cc_larger(unit, a.hi, b.hi)};
}

static cc_extent times(cc_unit *unit, cc_extent a, LLVMValueRef factor) {
    LLVMValueRef lo = cc_product_within(unit, a.lo, factor);
    if (a.lo == a.hi)
        return (cc_extent){lo, lo};
    LLVMValueRef hi = cc_product_within(unit, a.hi, factor);
    if (LLVMIsAConstantInt(factor))
        return LLVMConstIntGetSExtValue(factor) >= 0 ? (cc_extent){lo, hi} : (cc_extent){hi, lo};
    return (cc_extent){cc_smaller(unit, lo, hi), cc_larger(unit, lo, hi)};
}

LLVMValueRef cc_extent_is_sound(cc_unit *unit, cc_extent extent) {
    LLVMValueRef most = cc_i64(unit, INT64_C(1) << 61), least = LLVMConstNeg(most);
    LLVMValueRef above = LLVMBuildICmp(unit->builder, LLVMIntSGT, extent.lo, least, "");
    return LLVMBuildAnd(unit->builder, above, LLVMBuildICmp(unit->builder, LLVMIntSLT, extent.hi, most, ""), "");
}

/* ---- Bounds of loops ---- */

static bool extent_of(cc_reach *r, LLVMValueRef value, bool is_signed, cc_extent *out);

/* Returns whether an operation certainly does not wrap, or wrapping does no harm. */
static bool is_straight(LLVMValueRef operation, bool is_signed) {
    return LLVMGetIntTypeWidth(LLVMTypeOf(operation)) == 64 ||
           (is_signed ? LLVMGetNSW(operation) : LLVMGetNUW(operation));
}

bool cc_find_lateness(const cc_loop_test *test, int64_t step, bool is_signed, unsigned width, int64_t *late) {
    LLVMIntPredicate p = test->stays;
    bool of_signed = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
    if (p != LLVMIntNE && width < 64 && of_signed != is_signed)
        return false;
    bool up = p == LLVMIntSLT || p == LLVMIntULT || p == LLVMIntSLE || p == LLVMIntULE;
    bool down = p == LLVMIntSGT || p == LLVMIntUGT || p == LLVMIntSGE || p == LLVMIntUGE;
    bool even = p == LLVMIntSLE || p == LLVMIntULE || p == LLVMIntSGE || p == LLVMIntUGE;
    if ((up && step <= 0) || (down && step >= 0) || p == LLVMIntEQ || step == 0)
        return false;
    if (p == LLVMIntNE)
        *late = test->next ? -step : 0;
    else
        *late = (even ? 0 : step > 0 ? -1 : 1) + (test->next ? 0 : step);
    return true;
}

/* Builds the extent of the last value of the variable that ends the loop. */
static bool last_of(cc_reach *r, int l, const cc_loop_test *test, bool is_signed, cc_extent *last) {
    cc_body *body = r->body;
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(test->item->value)) == LLVMPointerTypeKind;
    unsigned width = pointer ? 64 : LLVMGetIntTypeWidth(LLVMTypeOf(test->item->value));
    int64_t step = LLVMConstIntGetSExtValue(test->item->step), late;
    bool bounded;
    if (!cc_find_lateness(test, step, is_signed, width, &late) ||
        (test->stays == LLVMIntNE && !cc_meets_bound(body, test->item)))
        return false;
    if (!pointer && width < 64 && !is_straight(cc_induction_next(body, test->item), is_signed))
        return false;
    r->bounding++;
    if (pointer) /* both ends must be in one object */
        bounded = cc_extent_root(body, r->nest, test->bound) == cc_extent_root(body, r->nest, test->item->value) &&
                  cc_is_outside(body, l, test->bound) && cc_extent_of_offset(r, test->bound, last);
    else
        bounded = cc_is_outside(body, l, test->bound) && extent_of(r, test->bound, is_signed, last);
    r->bounding--;
    if (!bounded)
        return false;
    LLVMValueRef more = cc_i64(body->unit, late);
    *last = sum(body->unit, *last, (cc_extent){more, more});
    return true;
}

static bool start_of(cc_reach *r, const cc_item *item, bool is_signed, cc_extent *start) {
    LLVMValueRef value = cc_induction_start(r->body, item);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        return cc_extent_of_offset(r, value, start);
    r->bounding++;
    bool known = extent_of(r, value, is_signed, start);
    r->bounding--;
    return known;
}

bool cc_turns_of(cc_reach *r, int l, LLVMValueRef *turns) {
    cc_unit *unit = r->body->unit;
    cc_loop_test test;
    if (!cc_find_loop_test(r->body, l, &test))
        return false;
    cc_extent start, last;
    int64_t step = LLVMConstIntGetSExtValue(test.item->step);
    bool is_signed =
        test.stays != LLVMIntULT && test.stays != LLVMIntULE && test.stays != LLVMIntUGT && test.stays != LLVMIntUGE;
    if (!start_of(r, test.item, is_signed, &start) || !last_of(r, l, &test, is_signed, &last))
        return false;
    cc_extent way = step > 0 ? difference(unit, last, start) : difference(unit, start, last);
    LLVMValueRef most = LLVMBuildSDiv(unit->builder, way.hi, cc_i64(unit, step > 0 ? step : -step), "");
    *turns = cc_larger(unit, most, cc_i64(unit, 0));
    return true;
}

/* ---- Values ---- */

static LLVMValueRef offset_from_root(cc_reach *r, const cc_item *item, LLVMValueRef pointer) {
    cc_unit *unit = r->body->unit;
    LLVMValueRef root = cc_extent_root(r->body, r->nest, item->value);
    return LLVMBuildSub(unit->builder, LLVMBuildPtrToInt(unit->builder, pointer, unit->i64, ""),
                        LLVMBuildPtrToInt(unit->builder, root, unit->i64, ""), "");
}

/* Returns whether what a loop adds to an address is the same in one run of the level. Not in bounds and products, on
 * which the length of the extent may depend. */
static bool is_around_level(const cc_reach *r, int l) {
    return r->level >= 0 && r->bounding == 0 && r->mixing == 0 &&
           !r->body->loops[r->level].contains[r->body->loops[l].header];
}

/* Builds the extent of an induction variable (of a pointer, of its offset from its root). */
static bool extent_of_induction(cc_reach *r, const cc_item *item, bool is_signed, cc_extent *out) {
    cc_unit *unit = r->body->unit;
    if (is_around_level(r, item->induction)) {
        out->lo = out->hi = cc_i64(unit, 0);
        return true;
    }
    int l = item->induction, x = (int)(item - r->body->items);
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(item->value)) == LLVMPointerTypeKind;
    if (!pointer && !is_straight(cc_induction_next(r->body, item), is_signed))
        return false;
    r->varies[l] |= r->bounding == 0;
    r->moving |= r->bounding > 0 && l == r->nest;
    cc_extent start, turns = {cc_i64(unit, 0), cc_i64(unit, 0)};
    LLVMValueRef step = cc_i64(unit, LLVMConstIntGetSExtValue(item->step));
    if (l == r->nest && r->starts && r->starts[x]) {
        start.lo = pointer ? offset_from_root(r, item, r->starts[x])
                           : LLVMBuildIntCast2(unit->builder, r->starts[x], unit->i64, is_signed, "");
        start.hi = start.lo;
    } else if (!start_of(r, item, is_signed, &start))
        return false;
    cc_loop_test test;
    if (l == r->nest)
        turns = r->turns;
    else if (!cc_find_loop_test(r->body, l, &test))
        return false;
    else if (test.item == item) {
        cc_extent last;
        if (!last_of(r, l, &test, is_signed, &last))
            return false;
        *out = hull(unit, start, last);
        if (LLVMConstIntGetSExtValue(step) > 0)
            out->lo = start.lo;
        else
            out->hi = start.hi;
        return true;
    } else if (!cc_turns_of(r, l, &turns.hi))
        return false;
    *out = sum(unit, start, times(unit, turns, step));
    return true;
}

/* Makes an extent of an integer of `width` bits, computed in more, one that is not sound if the integer may have
 * wrapped. Returns false if the extent is used as a bound. */
static bool keep_within(cc_reach *r, unsigned width, bool is_signed, cc_extent *extent) {
    LLVMBuilderRef build = r->body->unit->builder;
    cc_unit *unit = r->body->unit;
    if (r->bounding > 0 || width > 32)
        return false;
    int64_t half = INT64_C(1) << (width - 1), least = is_signed ? -half : 0, most = is_signed ? half - 1 : 2 * half - 1;
    LLVMValueRef fits = LLVMBuildAnd(build, LLVMBuildICmp(build, LLVMIntSGE, extent->lo, cc_i64(unit, least), ""),
                                     LLVMBuildICmp(build, LLVMIntSLE, extent->hi, cc_i64(unit, most), ""), "");
    extent->lo = LLVMBuildSelect(build, fits, extent->lo, cc_i64(unit, INT64_MIN), "");
    extent->hi = LLVMBuildSelect(build, fits, extent->hi, cc_i64(unit, INT64_MAX), "");
    return true;
}

static bool extent_of_product(cc_reach *r, LLVMValueRef a, LLVMValueRef b, bool is_signed, cc_extent *out) {
    cc_extent first, second;
    bool both = !cc_is_outside(r->body, r->nest, a) && !cc_is_outside(r->body, r->nest, b);
    r->mixing += both;
    bool known = extent_of(r, a, is_signed, &first) && extent_of(r, b, is_signed, &second);
    r->mixing -= both;
    if (!known)
        return false;
    if (second.lo == second.hi)
        *out = times(r->body->unit, first, second.lo);
    else if (first.lo == first.hi)
        *out = times(r->body->unit, second, first.lo);
    else
        *out = hull(r->body->unit, times(r->body->unit, first, second.lo), times(r->body->unit, first, second.hi));
    return true;
}

/* Returns whether a value is the smaller or the larger of its two operands. */
static bool chooses(LLVMValueRef value) {
    static const char *const names[] = {"llvm.smin.", "llvm.umin.", "llvm.smax.", "llvm.umax."};
    const char *name = LLVMIsACallInst(value) ? cc_callee_name(value) : "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Builds the extent of a phi that joins paths within an iteration: it takes one of the values. */
static bool extent_of_join(cc_reach *r, const cc_item *item, bool is_signed, cc_extent *out) {
    int l = r->body->blocks[item->block].loop;
    unsigned count = LLVMCountIncoming(item->value);
    if (count > JOINED_MOST || r->body->loops[l].header == item->block)
        return false;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef value = LLVMGetIncomingValue(item->value, k);
        cc_extent some;
        if (LLVMIsUndef(value) || !extent_of(r, value, is_signed, &some))
            return false;
        *out = k == 0 ? some : hull(r->body->unit, *out, some);
    }
    return true;
}

/* Builds a constant. LLVM clears the bits of constants that are shifted out of a sum: -1 becomes a large number. */
static cc_extent extent_of_constant(const cc_reach *r, LLVMValueRef value, bool is_signed) {
    cc_unit *unit = r->body->unit;
    LLVMValueRef number = LLVMBuildIntCast2(unit->builder, value, unit->i64, is_signed, "");
    uint64_t kept = (uint64_t)LLVMConstIntGetSExtValue(number) << r->shifted;
    number = r->shifted == 0 ? number : cc_i64(unit, (int64_t)kept >> r->shifted);
    return (cc_extent){number, number};
}

/* Builds the extent of a sum or a number that is shifted to the left. */
static bool extent_of_shifted(cc_reach *r, LLVMValueRef value, unsigned by, bool is_signed, cc_extent *out) {
    unsigned before = r->shifted;
    bool whole = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
    r->shifted = whole ? before + by : 0;
    bool known = r->shifted < 64 && extent_of(r, value, is_signed, out);
    r->shifted = before;
    return known;
}

static bool extent_of_narrow(cc_reach *r, const cc_item *item, cc_extent *out) {
    if (!r->narrow || !extent_of(r, cc_widened(item->value), true, out))
        return false;
    cc_note_narrow(r->body->unit, r->narrow, item->value, out->lo, out->hi);
    return true;
}

static bool extent_of_operation(cc_reach *r, const cc_item *item, bool is_signed, cc_extent *out) {
    cc_unit *unit = r->body->unit;
    if (cc_widened(item->value))
        return extent_of_narrow(r, item, out);
    LLVMValueRef a = LLVMGetOperand(item->value, 0),
                 b = LLVMGetNumOperands(item->value) > 1 ? LLVMGetOperand(item->value, 1) : NULL;
    cc_extent first, second;
    LLVMTypeRef type = LLVMTypeOf(item->value);
    unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    switch (item->opcode) {
    case LLVMTrunc:
        return extent_of(r, a, is_signed, out) && ((is_signed ? LLVMGetNSW(item->value) : LLVMGetNUW(item->value)) ||
                                                   keep_within(r, width, is_signed, out));
    case LLVMSExt: return extent_of(r, a, true, out);
    case LLVMZExt: return extent_of(r, a, false, out);
    case LLVMOr:
        if (!LLVMGetIsDisjoint(item->value))
            return false;
        break;
    case LLVMPHI: return extent_of_join(r, item, is_signed, out);
    case LLVMSelect:
        if (!extent_of(r, b, is_signed, &first) || !extent_of(r, LLVMGetOperand(item->value, 2), is_signed, &second))
            return false;
        *out = hull(unit, first, second);
        return true;
    case LLVMCall:
        if (!chooses(item->value) || !extent_of(r, a, is_signed, &first) || !extent_of(r, b, is_signed, &second))
            return false;
        *out = hull(unit, first, second);
        return true;
    case LLVMShl:
        if (!LLVMIsAConstantInt(b) || LLVMConstIntGetZExtValue(b) > 62 ||
            !extent_of_shifted(r, a, (unsigned)LLVMConstIntGetZExtValue(b), is_signed, &first))
            return false;
        *out = times(unit, first, cc_i64(unit, (int64_t)1 << LLVMConstIntGetZExtValue(b)));
        return is_straight(item->value, is_signed) || keep_within(r, width, is_signed, out);
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul: break;
    default: return false;
    }
    if (item->opcode == LLVMMul) {
        if (!extent_of_product(r, a, b, is_signed, out))
            return false;
    } else if (extent_of(r, a, is_signed, &first) && extent_of(r, b, is_signed, &second))
        *out = item->opcode == LLVMSub ? difference(unit, first, second) : sum(unit, first, second);
    else
        return false;
    return item->opcode == LLVMOr || is_straight(item->value, is_signed) || keep_within(r, width, is_signed, out);
}

static bool extent_of(cc_reach *r, LLVMValueRef value, bool is_signed, cc_extent *out) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64 || r->depth > DEPTH_MOST)
        return false;
    if (LLVMIsAConstantInt(value)) {
        *out = extent_of_constant(r, value, is_signed);
        return true;
    }
    if (cc_is_outside(r->body, r->nest, value)) {
        out->lo = out->hi = LLVMBuildIntCast2(r->body->unit->builder, value, r->body->unit->i64, is_signed, "");
        return true;
    }
    const cc_item *item = &r->body->items[cc_item_find(r->body, value)];
    bool sum = item->induction < 0 && (item->opcode == LLVMAdd || item->opcode == LLVMSub || item->opcode == LLVMShl ||
                                       (item->opcode == LLVMOr && LLVMGetIsDisjoint(value)));
    unsigned shifted = r->shifted;
    r->shifted = sum ? shifted : 0;
    r->depth++;
    bool known = item->induction >= 0 ? extent_of_induction(r, item, is_signed, out)
                                      : extent_of_operation(r, item, is_signed, out);
    r->depth--;
    r->shifted = shifted;
    return known;
}

/* ---- Addresses ---- */

static bool is_element(LLVMValueRef value) {
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

/* Returns the loop of the nest in whose header the value is a phi that is not an induction variable; -1: none. */
static int recurs_in(const cc_body *body, int nest, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    if (x < 0 || body->items[x].opcode != LLVMPHI || body->items[x].induction >= 0 || cc_is_outside(body, nest, value))
        return -1;
    int l = body->blocks[body->items[x].block].loop;
    return l >= 0 && body->loops[l].header == body->items[x].block && body->loops[l].counted ? l : -1;
}

/* Returns whether a value is `phi` plus offsets, on all paths through the loop. */
static bool is_moved(const cc_body *body, LLVMValueRef value, LLVMValueRef phi, int depth) {
    if (value == phi)
        return true;
    if (depth == 0 || !LLVMIsAInstruction(value))
        return false;
    if (is_element(value))
        return is_moved(body, LLVMGetOperand(value, 0), phi, depth - 1);
    if (!LLVMIsAPHINode(value))
        return false;
    int block = body->items[cc_item_find(body, value)].block, l = body->blocks[block].loop;
    bool moved = l < 0 || body->loops[l].header != block;
    for (unsigned k = 0; moved && k < LLVMCountIncoming(value); k++)
        moved = is_moved(body, LLVMGetIncomingValue(value, k), phi, depth - 1);
    return moved;
}

static LLVMValueRef latch_value(const cc_body *body, int l, LLVMValueRef phi) {
    return cc_incoming(phi, body->blocks[body->loops[l].latch].block);
}

LLVMValueRef cc_extent_root(const cc_body *body, int nest, LLVMValueRef address) {
    for (int steps = 0; steps < 4 * DEPTH_MOST; steps++) {
        int x = cc_item_find(body, address), l = recurs_in(body, nest, address);
        if (is_element(address))
            address = LLVMGetOperand(address, 0);
        else if (x >= 0 && body->items[x].induction >= 0 && !cc_is_outside(body, nest, address))
            address = cc_induction_start(body, &body->items[x]);
        else if (l >= 0 && is_moved(body, latch_value(body, l, address), address, MOVES_MOST))
            address = cc_incoming(address, body->blocks[body->loops[l].before].block);
        else
            return address;
    }
    return address;
}

/* Adds the offset of an element to `*out`. */
static bool add_element(cc_reach *r, LLVMValueRef element, cc_extent *out) {
    cc_unit *unit = r->body->unit;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(element);
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(element); k++) {
        LLVMValueRef index = LLVMGetOperand(element, k);
        cc_extent more;
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            more.lo = more.hi = cc_i64(unit, (int64_t)LLVMOffsetOfElement(unit->layout, type, member));
            type = LLVMStructGetTypeAtIndex(type, member);
        } else {
            if (k > 1)
                type = LLVMGetElementType(type);
            if (!extent_of(r, index, true, &more))
                return false;
            more = times(unit, more, cc_i64(unit, (int64_t)LLVMABISizeOfType(unit->layout, type)));
        }
        *out = sum(unit, *out, more);
    }
    return true;
}

/* Builds the extent of the bytes by which an iteration moves a pointer. */
static bool extent_of_move(cc_reach *r, LLVMValueRef value, LLVMValueRef phi, cc_extent *out) {
    LLVMValueRef zero = cc_i64(r->body->unit, 0);
    if (value == phi) {
        *out = (cc_extent){zero, zero};
        return true;
    }
    if (is_element(value))
        return extent_of_move(r, LLVMGetOperand(value, 0), phi, out) && add_element(r, value, out);
    for (unsigned k = 0; k < LLVMCountIncoming(value); k++) {
        cc_extent some;
        if (!extent_of_move(r, LLVMGetIncomingValue(value, k), phi, &some))
            return false;
        *out = k == 0 ? some : hull(r->body->unit, *out, some);
    }
    return true;
}

/* Builds the extent of the offset of a pointer that iterations of a loop move by different distances. */
static bool extent_of_recurrence(cc_reach *r, int l, LLVMValueRef phi, cc_extent *out) {
    cc_unit *unit = r->body->unit;
    LLVMValueRef next = latch_value(r->body, l, phi), turns = r->turns.hi, zero = cc_i64(unit, 0);
    cc_extent move, start;
    if (is_around_level(r, l)) {
        *out = (cc_extent){zero, zero};
        return true;
    }
    if (l == r->nest || !is_moved(r->body, next, phi, MOVES_MOST) ||
        !cc_extent_of_offset(r, cc_incoming(phi, r->body->blocks[r->body->loops[l].before].block), &start) ||
        !extent_of_move(r, next, phi, &move) || !cc_turns_of(r, l, &turns))
        return false;
    r->varies[l] = true;
    move = (cc_extent){cc_smaller(unit, move.lo, zero), cc_larger(unit, move.hi, zero)};
    *out = sum(unit, start, times(unit, move, turns));
    return true;
}

bool cc_extent_of_offset(cc_reach *r, LLVMValueRef address, cc_extent *out) {
    LLVMValueRef zero = cc_i64(r->body->unit, 0);
    int x = cc_item_find(r->body, address);
    if (r->depth > DEPTH_MOST)
        return false;
    r->depth++;
    bool known = true;
    if (is_element(address))
        known = cc_extent_of_offset(r, LLVMGetOperand(address, 0), out) && add_element(r, address, out);
    else if (x >= 0 && r->body->items[x].induction >= 0 && !cc_is_outside(r->body, r->nest, address))
        known = extent_of_induction(r, &r->body->items[x], true, out);
    else if (recurs_in(r->body, r->nest, address) >= 0)
        known = extent_of_recurrence(r, recurs_in(r->body, r->nest, address), address, out);
    else
        *out = (cc_extent){zero, zero};
    r->depth--;
    return known;
}

bool cc_extent_of_run(cc_reach *r, int level, LLVMValueRef *loads, size_t count, cc_extent *out) {
    cc_unit *unit = r->body->unit;
    bool known = cc_move_together(r->body, r->nest, loads, count);
    r->level = level;
    for (size_t i = 0; i < count && known; i++) {
        cc_extent some;
        known = cc_extent_of_offset(r, LLVMGetOperand(loads[i], 0), &some);
        if (!known)
            break;
        some.hi = cc_sum_within(unit, some.hi,
                                cc_i64(unit, (int64_t)LLVMStoreSizeOfType(unit->layout, LLVMTypeOf(loads[i]))));
        *out = i == 0 ? some : hull(unit, *out, some);
    }
    r->level = -1;
    return known;
}
