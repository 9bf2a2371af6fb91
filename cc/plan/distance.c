/* Proofs that addresses differ: see distance.h.
 *
 * Numbers of 64 bits may wrap where they cancel. Narrow ones must not: their operations need the flag nsw, and only
 * numbers that are widened with their sign, or are not negative, are taken apart. */
#include "cc/plan/distance.h"

#include "cc/plan/counts.h"
#include "cc/plan/extent.h"
#include "cc/plan/plan.h"

enum { TERMS_MOST = 16, DEPTH_MOST = 16 };

/* by * var * factor; a factor of NULL is 1. */
typedef struct term {
    LLVMValueRef var, factor;
    int64_t by;
} term;

/* A sum of terms and a constant. */
typedef struct form {
    term terms[TERMS_MOST];
    int count;
    int64_t constant;
} form;

typedef struct proof {
    const cc_body *body;
    int loop, outermost;
} proof;

/* ---- Sums ---- */

static bool add_constant(form *f, int64_t a, int64_t b) {
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(f->constant, product, &f->constant);
}

static bool add_term(form *f, LLVMValueRef var, LLVMValueRef factor, int64_t by) {
    for (int i = 0; i < f->count; i++)
        if (f->terms[i].var == var && f->terms[i].factor == factor) {
            if (__builtin_add_overflow(f->terms[i].by, by, &f->terms[i].by))
                return false;
            if (f->terms[i].by == 0)
                f->terms[i] = f->terms[--f->count];
            return true;
        }
    if (f->count == TERMS_MOST)
        return false;
    f->terms[f->count++] = (term){var, factor, by};
    return true;
}

static bool add_value(const proof *p, form *f, LLVMValueRef value, term times, int depth);

/* Adds a product of two numbers, of which one does not change in any of the loops. */
static bool add_product(const proof *p, form *f, LLVMValueRef value, term times, int depth) {
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef fixed = LLVMGetOperand(value, k), other = LLVMGetOperand(value, 1 - k);
        int64_t by;
        if (LLVMIsAConstantInt(fixed))
            return !__builtin_mul_overflow(times.by, LLVMConstIntGetSExtValue(fixed), &by) &&
                   add_value(p, f, other, (term){NULL, times.factor, by}, depth);
    }
    for (unsigned k = 0; k < 2 && !times.factor; k++) {
        LLVMValueRef fixed = LLVMGetOperand(value, k), other = LLVMGetOperand(value, 1 - k);
        if (cc_is_outside(p->body, p->outermost, fixed) && !cc_is_outside(p->body, p->outermost, other))
            return add_value(p, f, other, (term){NULL, fixed, times.by}, depth);
    }
    return add_term(f, value, times.factor, times.by);
}

static bool add_operation(const proof *p, form *f, LLVMValueRef value, term times, int depth) {
    LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
    int64_t by;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd: return add_value(p, f, a, times, depth) && add_value(p, f, b, times, depth);
    case LLVMSub:
        return add_value(p, f, a, times, depth) && add_value(p, f, b, (term){NULL, times.factor, -times.by}, depth);
    case LLVMMul: return add_product(p, f, value, times, depth);
    case LLVMShl:
        if (!LLVMIsAConstantInt(b) || LLVMConstIntGetZExtValue(b) > 31 ||
            __builtin_mul_overflow(times.by, INT64_C(1) << LLVMConstIntGetZExtValue(b), &by))
            return false;
        return add_value(p, f, a, (term){NULL, times.factor, by}, depth);
    default: /* a disjoint or */ return add_value(p, f, a, times, depth) && add_value(p, f, b, times, depth);
    }
}

/* Returns whether an operation can be taken apart. */
static bool is_open(LLVMValueRef value) {
    bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl: return wide || LLVMGetNSW(value);
    case LLVMOr:
        return LLVMGetIsDisjoint(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
               LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) >= 0;
    default: return false;
    }
}

/* Adds times.by * times.factor * value. */
static bool add_value(const proof *p, form *f, LLVMValueRef value, term times, int depth) {
    int x = cc_item_find(p->body, value);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    if (LLVMIsAConstantInt(value)) {
        if (!times.factor)
            return add_constant(f, times.by, LLVMConstIntGetSExtValue(value));
        int64_t by;
        return !__builtin_mul_overflow(times.by, LLVMConstIntGetSExtValue(value), &by) &&
               (by == 0 || add_term(f, times.factor, NULL, by));
    }
    if (x < 0 || depth == 0 || p->body->items[x].induction >= 0)
        return add_term(f, value, times.factor, times.by);
    if (LLVMIsASExtInst(value) || (LLVMIsAZExtInst(value) && LLVMGetNNeg(value)))
        return add_value(p, f, LLVMGetOperand(value, 0), times, depth - 1);
    if (LLVMIsAInstruction(value) && is_open(value))
        return add_operation(p, f, value, times, depth - 1);
    return add_term(f, value, times.factor, times.by);
}

/* Adds by * the offset of an address from its root. Returns the root; NULL if the offset is not understood. */
static LLVMValueRef add_address(const proof *p, form *f, LLVMValueRef address, int64_t by) {
    cc_unit *unit = p->body->unit;
    for (; LLVMIsAGetElementPtrInst(address); address = LLVMGetOperand(address, 0)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
        for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(address); k++) {
            LLVMValueRef index = LLVMGetOperand(address, k);
            if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
                unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
                if (!add_constant(f, by, (int64_t)LLVMOffsetOfElement(unit->layout, type, member)))
                    return NULL;
                type = LLVMStructGetTypeAtIndex(type, member);
                continue;
            }
            if (k > 1)
                type = LLVMGetElementType(type);
            int64_t size = (int64_t)LLVMABISizeOfType(unit->layout, type);
            if (size > INT32_MAX || !add_value(p, f, index, (term){NULL, NULL, by * size}, DEPTH_MOST))
                return NULL;
        }
    }
    return address;
}

/* ---- Bounds ---- */

static LLVMValueRef without_extension(LLVMValueRef value) {
    return LLVMIsASExtInst(value) || LLVMIsAZExtInst(value) ? LLVMGetOperand(value, 0) : value;
}

/* Returns whether an induction variable certainly ends at the bound it is compared with, and starts before it. */
static bool stops_at_bound(const cc_body *body, const cc_loop_test *test) {
    LLVMValueRef next = cc_induction_next(body, test->item);
    return test->stays == LLVMIntNE && LLVMIsABinaryOperator(next) && (LLVMGetNSW(next) || LLVMGetNUW(next));
}

/* Returns whether a number is certainly positive, because a variable that starts at zero or above counts up to it. */
static bool is_positive(const proof *p, LLVMValueRef value) {
    for (int l = p->loop; l >= 0; l = p->body->loops[l].parent) {
        cc_loop_test test;
        if (!cc_find_bound(p->body, l, &test) || !test.next || !stops_at_bound(p->body, &test) ||
            without_extension(test.bound) != without_extension(value))
            continue;
        LLVMValueRef start = cc_induction_start(p->body, test.item);
        if (LLVMIsAConstantInt(start) && LLVMConstIntGetSExtValue(start) >= 0 &&
            LLVMConstIntGetSExtValue(test.item->step) > 0)
            return true;
    }
    return false;
}

/* Returns the term with the variable of the innermost loop; -1: none has an induction variable. */
static int innermost(const proof *p, const form *f) {
    int found = -1, depth = -1;
    for (int i = 0; i < f->count; i++) {
        int x = cc_item_find(p->body, f->terms[i].var), l = x < 0 ? -1 : p->body->items[x].induction;
        if (l >= 0 && p->body->loops[l].depth > depth) {
            found = i;
            depth = p->body->loops[l].depth;
        }
    }
    return found;
}

static bool is_negative(const proof *p, const form *f, int depth);

/* Returns whether the sum is negative if a term is replaced by one with `value` + `more` for its variable. */
static bool is_negative_with(const proof *p, const form *f, int i, LLVMValueRef value, int64_t more, int depth) {
    form with = *f;
    term was = f->terms[i];
    int64_t by;
    with.terms[i] = with.terms[--with.count];
    if (__builtin_mul_overflow(was.by, more, &by) ||
        !add_value(p, &with, value, (term){NULL, was.factor, was.by}, DEPTH_MOST))
        return false;
    if (was.factor ? by != 0 && !add_term(&with, was.factor, NULL, by) : !add_constant(&with, by, 1))
        return false;
    return is_negative(p, &with, depth - 1);
}

/* Returns whether the sum is negative for all values of the variable of a term. */
static bool is_negative_for(const proof *p, const form *f, int i, int depth) {
    const cc_body *body = p->body;
    const cc_item *item = &body->items[cc_item_find(body, f->terms[i].var)];
    LLVMValueRef start = cc_induction_start(body, item);
    int64_t step = LLVMConstIntGetSExtValue(item->step), late;
    int l = item->induction;
    if (f->terms[i].factor && !is_positive(p, f->terms[i].factor))
        return false;
    if ((f->terms[i].by > 0) == (step < 0))
        return is_negative_with(p, f, i, start, 0, depth);
    cc_loop_test test;
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(item->value));
    if (!cc_find_bound(body, l, &test) || test.item != item || !cc_is_outside(body, l, test.bound) ||
        !cc_find_lateness(&test, step, true, width, &late))
        return false;
    return (stops_at_bound(body, &test) || is_negative_with(p, f, i, start, 0, depth)) &&
           is_negative_with(p, f, i, test.bound, late, depth);
}

static bool is_negative(const proof *p, const form *f, int depth) {
    int i = innermost(p, f);
    if (depth == 0)
        return false;
    if (i >= 0)
        return is_negative_for(p, f, i, depth);
    int64_t most = f->constant;
    for (int k = 0; k < f->count; k++)
        if (f->terms[k].factor || f->terms[k].by > 0 || !is_positive(p, f->terms[k].var) ||
            __builtin_add_overflow(most, f->terms[k].by, &most))
            return false;
    return most < 0;
}

bool cc_is_never_at(const cc_body *body, int loop, LLVMValueRef access, LLVMValueRef there, int64_t size) {
    proof p = {body, loop, loop};
    while (body->loops[p.outermost].parent >= 0)
        p.outermost = body->loops[p.outermost].parent;
    bool load = LLVMIsALoadInst(access);
    LLVMValueRef address = LLVMGetOperand(access, load ? 0 : 1), value = load ? access : LLVMGetOperand(access, 0);
    int64_t own = (int64_t)LLVMStoreSizeOfType(body->unit->layout, LLVMTypeOf(value));
    form before = {.constant = own - 1}, behind = {.constant = size - 1};
    LLVMValueRef root = add_address(&p, &before, address, 1);
    if (!root || add_address(&p, &before, there, -1) != root)
        return false;
    if (is_negative(&p, &before, DEPTH_MOST))
        return true;
    return add_address(&p, &behind, address, -1) && add_address(&p, &behind, there, 1) &&
           is_negative(&p, &behind, DEPTH_MOST);
}
