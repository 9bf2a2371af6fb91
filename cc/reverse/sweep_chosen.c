/* Selections, and operations that only serve one of their operands.
 *
 * LLVM turns a branch around a few operations into a selection, and computes them even where the branch was not taken.
 * There they may have overflowed: then their adjoint, zero, times an operand is a NaN. So the adjoint of a selection
 * goes to such operations as it is, and becomes zero, where the operand was not selected, behind them. */
#include "cc/plan/active.h"
#include "cc/reverse/inside.h"
#include "cc/rules/rules.h"

static LLVMValueRef operand(const cc_item *item, unsigned k) {
    return LLVMGetOperand(item->value, k);
}

static bool selects(const cc_item *item) {
    return item->opcode == LLVMSelect && item->leaves == 1 &&
           LLVMGetTypeKind(LLVMTypeOf(operand(item, 0))) != LLVMVectorTypeKind;
}

static bool is_operation(const cc_item *item) {
    return selects(item) || (cc_rule_of(item->value) != NULL && item->leaves == 1);
}

/* What must have been selected so that a value serves anything: operand `side` of selections with this condition, and
 * what these selections serve themselves. NULL: the value always serves. */
typedef struct cc_choice cc_choice;
struct cc_choice {
    const cc_choice *around;
    LLVMValueRef condition;
    unsigned side, depth;
};

static const cc_choice *choice_within(cc_sweep *sweep, const cc_choice *around, LLVMValueRef condition, unsigned side) {
    cc_choice *choice = cc_alloc(sweep->unit, 1, sizeof *choice);
    *choice = (cc_choice){around, condition, side, around ? around->depth + 1 : 1};
    return choice;
}

static bool are_same(const cc_choice *a, const cc_choice *b) {
    for (; a != b; a = a->around, b = b->around)
        if (!a || !b || a->condition != b->condition || a->side != b->side)
            return false;
    return true;
}

static const cc_choice *common_of(const cc_choice *a, const cc_choice *b) {
    while (!are_same(a, b)) {
        unsigned depth = a ? a->depth : 0, other = b ? b->depth : 0;
        a = depth >= other && a ? a->around : a;
        b = other >= depth && b ? b->around : b;
    }
    return a;
}

/* Sets item->choice. Requires that this was done for all later items of the segment. */
static void find_choice(cc_sweep *sweep, cc_item *item) {
    bool any = false;
    item->choice = NULL;
    if (!is_operation(item))
        return;
    const cc_choice *common = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(item->value); use; use = LLVMGetNextUse(use)) {
        int x = cc_item_find(sweep->body, LLVMGetUser(use));
        const cc_item *user = x >= 0 ? &sweep->body->items[x] : NULL;
        if (!user || user->segment != item->segment || !is_operation(user) ||
            (selects(user) && (operand(user, 0) == item->value || operand(user, 1) == operand(user, 2))))
            return;
        const cc_choice *choice = user->choice;
        if (selects(user))
            choice = choice_within(sweep, choice, operand(user, 0), operand(user, 1) == item->value ? 1 : 2);
        common = any ? common_of(common, choice) : choice;
        any = true;
    }
    item->choice = common;
}

/* Returns whether an operation makes a NaN of an adjoint of zero if its operands are infinite or zero. */
static bool multiplies(const cc_item *item) {
    switch (item->opcode) {
    case LLVMCall: return true;
    case LLVMFMul: return !LLVMIsConstant(operand(item, 0)) && !LLVMIsConstant(operand(item, 1));
    case LLVMFDiv: return !LLVMIsConstant(operand(item, 1));
    default: return false;
    }
}

static const cc_choice *choice_of(const cc_sweep *sweep, LLVMValueRef value) {
    int x = cc_item_find(sweep->body, value);
    bool here = x >= sweep->segment->first && x <= sweep->segment->last;
    return here ? sweep->body->items[x].choice : NULL;
}

/* The adjoints of other operations can be made zero where they come from. Requires that this was done for all earlier
 * items of the segment. */
static void drop_harmless(const cc_sweep *sweep, cc_item *item) {
    bool harms = multiplies(item);
    for (unsigned k = 0; k < cc_operand_count(item->value) && !harms; k++)
        harms = choice_of(sweep, operand(item, k)) != NULL;
    if (!harms)
        item->choice = NULL;
}

void cc_sweep_find_choices(cc_sweep *sweep) {
    cc_item *items = sweep->body->items;
    for (int x = sweep->segment->last; x >= sweep->segment->first; x--)
        find_choice(sweep, &items[x]);
    for (int x = sweep->segment->first; x <= sweep->segment->last; x++)
        if (items[x].choice)
            drop_harmless(sweep, &items[x]);
}

static LLVMValueRef if_selected(cc_sweep *sweep, LLVMValueRef chosen, unsigned side, LLVMValueRef adjoint) {
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(adjoint));
    return LLVMBuildSelect(sweep->unit->builder, chosen, side == 1 ? adjoint : zero, side == 1 ? zero : adjoint, "");
}

/* Builds `adjoint`, which was seeded for `from`, as one for `to`, which serves in more cases. */
static LLVMValueRef leave(cc_sweep *sweep, const cc_choice *from, LLVMValueRef to, LLVMValueRef adjoint) {
    const cc_choice *kept = choice_of(sweep, to);
    for (; from && !are_same(from, kept); from = from->around)
        adjoint = if_selected(sweep, cc_sweep_value(sweep, from->condition), from->side, adjoint);
    return adjoint;
}

LLVMValueRef cc_sweep_if_chosen(cc_sweep *sweep, int x, LLVMValueRef to, LLVMValueRef adjoint) {
    return adjoint ? leave(sweep, sweep->body->items[x].choice, to, adjoint) : NULL;
}

static void sweep_scalar(cc_sweep *sweep, const cc_item *item, LLVMValueRef adjoint) {
    for (unsigned side = 1; side <= 2 && adjoint; side++) {
        const cc_choice *choice = choice_within(sweep, item->choice, operand(item, 0), side);
        if (cc_is_active(sweep->body, operand(item, side)))
            cc_sweep_add(sweep, operand(item, side), 0, leave(sweep, choice, operand(item, side), adjoint));
    }
}

void cc_sweep_select(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    if (selects(item)) {
        sweep_scalar(sweep, item, cc_sweep_take(sweep, x, 0));
        return;
    }
    bool lanes = LLVMGetTypeKind(LLVMTypeOf(operand(item, 0))) == LLVMVectorTypeKind;
    unsigned per_lane = lanes ? item->leaves / LLVMGetVectorSize(LLVMTypeOf(operand(item, 0))) : 1;
    for (unsigned i = 0; i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, x, i);
        if (!adjoint)
            continue;
        LLVMValueRef chosen = cc_sweep_value(sweep, operand(item, 0));
        if (lanes)
            chosen = LLVMBuildExtractElement(sweep->unit->builder, chosen,
                                             LLVMConstInt(sweep->unit->i32, i / per_lane, false), "");
        for (unsigned side = 1; side <= 2; side++)
            if (cc_is_active(sweep->body, operand(item, side)))
                cc_sweep_add(sweep, operand(item, side), i, if_selected(sweep, chosen, side, adjoint));
    }
}
