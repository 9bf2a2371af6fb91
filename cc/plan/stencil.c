/* Finds stencils: see stencil.h. An address is taken apart into a sum of multiples of values, and a constant. */
#include "cc/plan/stencil.h"

#include "cc/plan/narrow.h"

enum { DEPTH_MOST = 12, LOADS_MOST = 64, NEIGHBOURS_LEAST = 3 };

typedef cc_place sum;

static void add(const cc_body *body, int nest, sum *all, LLVMValueRef value, int64_t times, int depth);

static void add_term(sum *all, LLVMValueRef value, int64_t times) {
    for (unsigned i = 0; i < all->count; i++)
        if (all->terms[i].value == value) {
            all->terms[i].times += times;
            return;
        }
    if (all->count < CC_TERMS_MOST)
        all->terms[all->count++] = (cc_term){value, times};
    else
        all->known = false;
}

static void add_element(const cc_body *body, int nest, sum *all, LLVMValueRef element, int64_t times, int depth) {
    LLVMTargetDataRef layout = body->unit->layout;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(element);
    add(body, nest, all, LLVMGetOperand(element, 0), times, depth - 1);
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(element); k++) {
        LLVMValueRef index = LLVMGetOperand(element, k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            all->constant += times * (int64_t)LLVMOffsetOfElement(layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        add(body, nest, all, index, times * (int64_t)LLVMABISizeOfType(layout, type), depth - 1);
    }
}

static bool is_moved_by_constant(LLVMValueRef value) {
    return LLVMIsAGetElementPtrInst(value) && LLVMGetNumOperands(value) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(value, 1));
}

/* Numbers that wrap are not looked at: whether copies are right does not depend on it, and addresses whose distance
 * matters (rolling.h) have extents, so that no number of less than 64 bits wraps in them (narrow.h). */
static void add(const cc_body *body, int nest, sum *all, LLVMValueRef value, int64_t times, int depth) {
    int x = cc_item_find(body, value);
    bool constant = LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64;
    if (constant) {
        /* LLVM clears the bits of constants that are shifted out of the sum, so the product may wrap */
        all->constant =
            (int64_t)((uint64_t)all->constant + (uint64_t)times * (uint64_t)LLVMConstIntGetSExtValue(value));
        return;
    }
    if (x >= 0 && depth > 0 && cc_widened(value)) {
        add(body, nest, all, cc_widened(value), times, depth - 1);
        return;
    }
    bool inside = x >= 0 && body->items[x].block >= 0 && body->loops[nest].contains[body->items[x].block];
    LLVMValueRef second = inside && LLVMGetNumOperands(value) == 2 ? LLVMGetOperand(value, 1) : NULL;
    bool by_constant = second && LLVMIsAConstantInt(second) && LLVMGetIntTypeWidth(LLVMTypeOf(second)) <= 64;
    switch ((inside || is_moved_by_constant(value)) && depth > 0 ? LLVMGetInstructionOpcode(value) : LLVMPHI) {
    case LLVMGetElementPtr: add_element(body, nest, all, value, times, depth); return;
    case LLVMSExt:
    case LLVMZExt: add(body, nest, all, LLVMGetOperand(value, 0), times, depth - 1); return;
    case LLVMOr:
        if (!LLVMGetIsDisjoint(value))
            break;
        add(body, nest, all, LLVMGetOperand(value, 0), times, depth - 1);
        add(body, nest, all, second, times, depth - 1);
        return;
    case LLVMAdd:
    case LLVMSub:
        add(body, nest, all, LLVMGetOperand(value, 0), times, depth - 1);
        add(body, nest, all, second, body->items[x].opcode == LLVMSub ? -times : times, depth - 1);
        return;
    case LLVMMul:
        if (!by_constant)
            break;
        add(body, nest, all, LLVMGetOperand(value, 0), times * LLVMConstIntGetSExtValue(second), depth - 1);
        return;
    case LLVMShl:
        if (!by_constant || LLVMConstIntGetZExtValue(second) > 32)
            break;
        add(body, nest, all, LLVMGetOperand(value, 0), times * ((int64_t)1 << LLVMConstIntGetZExtValue(second)),
            depth - 1);
        return;
    default: break;
    }
    add_term(all, value, times);
}

cc_place cc_place_of(const cc_body *body, int nest, LLVMValueRef load) {
    sum all = {.known = true};
    add(body, nest, &all, LLVMGetOperand(load, 0), 1, DEPTH_MOST);
    return all;
}

int64_t cc_step_of(const cc_body *body, int l, const cc_place *address) {
    int64_t step = 0;
    for (unsigned i = 0; i < address->count; i++) {
        int x = cc_item_find(body, address->terms[i].value);
        if (x >= 0 && body->items[x].induction == l)
            step += address->terms[i].times * LLVMConstIntGetSExtValue(body->items[x].step);
    }
    return step;
}

bool cc_steps_evenly(const cc_body *body, int l, const cc_place *place, int64_t *step) {
    for (unsigned i = 0; i < place->count; i++) {
        int x = cc_item_find(body, place->terms[i].value);
        if (x >= 0 && body->items[x].block >= 0 && body->loops[l].contains[body->items[x].block] &&
            body->items[x].induction != l)
            return false;
    }
    *step = cc_step_of(body, l, place);
    return place->known && *step != 0;
}

bool cc_differ_by_constant(const cc_place *a, const cc_place *b) {
    for (unsigned i = 0; i < a->count; i++) {
        bool same = false;
        for (unsigned k = 0; k < b->count; k++)
            same |= a->terms[i].value == b->terms[k].value && a->terms[i].times == b->terms[k].times;
        if (!same)
            return false;
    }
    return a->known && b->known && a->count == b->count;
}

static bool are_neighbours(const cc_body *body, int nest, const sum *a, const sum *b) {
    if (!cc_differ_by_constant(a, b) || a->constant == b->constant)
        return false;
    for (int l = 0; l < body->loop_count; l++) {
        int64_t step = body->loops[nest].contains[body->loops[l].header] ? cc_step_of(body, l, a) : 0;
        if (step != 0 && (a->constant - b->constant) % step == 0)
            return true;
    }
    return false;
}

bool cc_is_stencil(const cc_body *body, int nest, LLVMValueRef *loads, size_t count) {
    if (count < NEIGHBOURS_LEAST || count > LOADS_MOST)
        return false;
    sum *sums = cc_alloc(body->unit, count, sizeof *sums);
    size_t neighbours = 0;
    for (size_t i = 0; i < count; i++)
        sums[i] = cc_place_of(body, nest, loads[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (are_neighbours(body, nest, &sums[i], &sums[k])) {
                neighbours++;
                break;
            }
    return neighbours >= NEIGHBOURS_LEAST;
}
