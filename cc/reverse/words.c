#include "cc/reverse/words.h"

#include "cc/ir/leaves.h"
#include "cc/ir/small.h"
#include "cc/ir/surgery.h"

bool cc_words_together(const cc_body *body, int x) {
    if (!body->quick || x < 0 || !body->items[x].varied || !body->items[x].useful)
        return false;
    return cc_leaves_are_words(LLVMTypeOf(body->items[x].value), body->items[x].leaves);
}

LLVMValueRef cc_words_at(cc_sweep *sweep, int x) {
    return cc_sweep_slot_address(sweep, sweep->body->items[x].slot);
}

/* What a small function does: to[i] = from[i], or to[i] += from[i]; and from[i] = 0. */
typedef struct moving {
    unsigned leaves;
    bool adds, clears, only_clears;
} moving;

static LLVMValueRef leaf_at(cc_unit *unit, LLVMValueRef first, unsigned i) {
    return i == 0 ? first : cc_offset(unit, first, (int64_t)(i * sizeof(double)));
}

static void build_moving(cc_unit *unit, LLVMValueRef function, const void *context) {
    const moving *of = context;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef moved[CC_WORDS_MOST], from = LLVMGetParam(function, of->only_clears ? 0 : 1);
    for (unsigned i = 0; i < of->leaves && !of->only_clears; i++)
        moved[i] = LLVMBuildLoad2(build, unit->f64, leaf_at(unit, from, i), "");
    for (unsigned i = 0; i < of->leaves && of->clears; i++)
        LLVMBuildStore(build, LLVMConstReal(unit->f64, 0), leaf_at(unit, from, i));
    for (unsigned i = 0; i < of->leaves && !of->only_clears; i++) {
        LLVMValueRef to = leaf_at(unit, LLVMGetParam(function, 0), i);
        if (of->adds) {
            moved[i] = LLVMBuildFAdd(build, LLVMBuildLoad2(build, unit->f64, to, ""), moved[i], "");
            LLVMSetFastMathFlags(moved[i], LLVMFastMathNoSignedZeros);
        }
        LLVMBuildStore(build, moved[i], to);
    }
    LLVMBuildRetVoid(build);
}

static void call_moving(cc_sweep *sweep, const char *what, moving of, LLVMValueRef to, LLVMValueRef from) {
    cc_unit *unit = sweep->unit;
    LLVMTypeRef types[] = {unit->pointer, unit->pointer};
    LLVMValueRef arguments[] = {to == NULL ? from : to, from};
    unsigned count = to == NULL ? 1 : 2;
    const char *name = cc_print(unit, "verso.%s.words.%u", what, of.leaves);
    of.only_clears = to == NULL;
    cc_make_small(unit, name, LLVMFunctionType(unit->none, types, count, false), CC_SMALL_CHANGES, build_moving, &of);
    cc_call_small(unit, name, true, arguments, count);
}

void cc_words_move(cc_sweep *sweep, int to, int from) {
    moving of = {.leaves = sweep->body->items[from].leaves, .adds = true, .clears = true};
    if (cc_words_together(sweep->body, to))
        call_moving(sweep, "move", of, cc_words_at(sweep, to), cc_words_at(sweep, from));
    else
        call_moving(sweep, "drop", of, NULL, cc_words_at(sweep, from));
}

void cc_words_give(cc_sweep *sweep, int x, size_t offset) {
    moving of = {.leaves = sweep->body->items[x].leaves, .clears = true};
    call_moving(sweep, "give", of, cc_state(sweep->unit, offset), cc_words_at(sweep, x));
}

void cc_words_receive(cc_sweep *sweep, int x, size_t offset) {
    moving of = {.leaves = sweep->body->items[x].leaves, .adds = true};
    call_moving(sweep, "receive", of, cc_words_at(sweep, x), cc_state(sweep->unit, offset));
}
