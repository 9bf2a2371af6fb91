/* Finds stores that keep what is there: see kept.h. */
#include "cc/reverse/kept.h"

#include "cc/ir/leaves.h"

enum { CHAIN_MOST = 8 };

static const cc_item *item_of(const cc_body *body, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    return x >= 0 ? &body->items[x] : NULL;
}

static bool is_inside(const cc_segment *segment, int x) {
    return x >= segment->first && x <= segment->last;
}

/* Returns the only store of a segment; NULL if it has none or several, or anything else that is reversed without an
 * adjoint, or adjoints that come from elsewhere. */
static LLVMValueRef only_store(const cc_body *body, const cc_segment *segment) {
    LLVMValueRef store = NULL;
    for (int x = segment->first; x <= segment->last; x++) {
        const cc_item *item = &body->items[x];
        bool rule = item->opcode == LLVMCall && item->call == CC_CALL_RULE;
        if (item->opcode == LLVMStore && !store)
            store = item->value;
        else if (item->opcode == LLVMStore || (item->opcode == LLVMCall && !rule) || item->opcode == LLVMAlloca ||
                 item->opcode == LLVMRet)
            return NULL;
        else if (item->roll >= 0 ||
                 (item->varied && item->useful && item->opcode != LLVMPHI && !item->local && item->deferred < 0))
            return NULL;
    }
    return store;
}

/* Returns whether a value is the number that the store finds at its address. Only the store writes in its segment. */
static bool is_there(const cc_body *body, const cc_segment *segment, LLVMValueRef value, LLVMValueRef store) {
    int x = cc_item_find(body, value);
    return x >= 0 && is_inside(segment, x) && body->items[x].opcode == LLVMLoad && body->items[x].deferred < 0 &&
           LLVMGetOperand(value, 0) == LLVMGetOperand(store, 1) && !LLVMGetVolatile(value) &&
           x < cc_item_find(body, store);
}

/* Returns whether the address of a load moves with its innermost loop by a constant distance. */
static bool is_strided(const cc_body *body, const cc_loop *loop, LLVMValueRef value, int depth, bool *moves) {
    const cc_item *item = item_of(body, value);
    if (!item || item->block < 0 || !loop->contains[item->block])
        return true;
    if (item->induction >= 0 && &body->loops[item->induction] == loop) {
        *moves = true;
        return true;
    }
    switch (item->opcode) {
    case LLVMGetElementPtr:
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
    case LLVMMul:
    case LLVMShl:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc: break;
    default: return false;
    }
    for (unsigned k = 0; depth > 0 && k < cc_operand_count(value); k++)
        if (!is_strided(body, loop, LLVMGetOperand(value, k), depth - 1, moves))
            return false;
    return depth > 0;
}

/* Returns whether a load of the segment has cells that LLVM cannot add to in vectors: all iterations add to one cell,
 * or any of them to any. */
static bool resists_vectors(const cc_body *body, const cc_segment *segment) {
    int l = body->blocks[segment->block].loop;
    for (int x = segment->first; l >= 0 && x <= segment->last; x++) {
        const cc_item *item = &body->items[x];
        bool moves = false;
        if (item->opcode == LLVMLoad && item->varied && item->useful && item->deferred < 0 &&
            !(is_strided(body, &body->loops[l], LLVMGetOperand(item->value, 0), CHAIN_MOST, &moves) && moves))
            return true;
    }
    return false;
}

bool cc_find_kept(const cc_body *body, const cc_segment *segment, cc_kept *kept) {
    LLVMValueRef store = segment->call < 0 ? only_store(body, segment) : NULL;
    LLVMValueRef chosen = store && !LLVMGetVolatile(store) ? LLVMGetOperand(store, 0) : NULL;
    if (!chosen || !LLVMIsASelectInst(chosen) || !is_inside(segment, cc_item_find(body, chosen)) ||
        !cc_is_active(body, chosen) || !cc_leaf_is_number(LLVMTypeOf(chosen)))
        return false;
    for (unsigned k = 1; k <= 2; k++)
        if (is_there(body, segment, LLVMGetOperand(chosen, k), store) &&
            cc_is_active(body, LLVMGetOperand(chosen, 3 - k)) && resists_vectors(body, segment)) {
            *kept = (cc_kept){LLVMGetOperand(chosen, 0), k == 1};
            return true;
        }
    return false;
}
