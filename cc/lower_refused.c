/* What cannot be differentiated becomes a call that ends the differentiation with a message.
 *
 * Functions that are certainly reached have no such instruction any more (reach.c made errors of them); what is left is
 * in functions that pointers alone lead to, and most runs never come there. */
#include "cc/program.h"
#include "cc/surgery.h"

#include <string.h>

/* The function does nothing but refuse. */
static void refuse_function(cc_unit *unit, cc_member *member, const char *why) {
    /* A wrapper stands nowhere in the program. */
    bool placed = strncmp(member->name, "verso.wrap.", strlen("verso.wrap.")) != 0;
    const char *message = placed ? cc_print(unit, "%s: %s", cc_where(unit, member->base), why) : why;
    LLVMValueRef function = cc_drop_body(unit, member->base);
    member->base = function;
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, function, ""));
    LLVMValueRef text = cc_string(unit, message);
    cc_call_runtime(unit, "verso_native_refuse", unit->none, &text, 1);
    LLVMBuildUnreachable(unit->builder);
}

/* What comes after a refusal in its block is not looked at: it is not reached. */
static void refuse_in_block(cc_unit *unit, const cc_member *member, LLVMBasicBlockRef block) {
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at != NULL; at = LLVMGetNextInstruction(at)) {
        const char *why = cc_refusal(unit, member, at);
        if (why == NULL)
            continue;
        cc_refuse_here(unit, at, why);
        return;
    }
}

void cc_lower_refused(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++) {
        cc_member *member = unit->program->members[i];
        const char *why = cc_refusal_of_function(unit, member);
        if (why != NULL) {
            refuse_function(unit, member, why);
            continue;
        }
        if (member->adjoint != NULL)
            continue;
        cc_map live = cc_live_blocks(unit, member->base);
        for (LLVMBasicBlockRef next, at = LLVMGetFirstBasicBlock(member->base); at != NULL; at = next) {
            next = LLVMGetNextBasicBlock(at);
            if (cc_map_get(&live, at) != CC_NOT_FOUND)
                refuse_in_block(unit, member, at);
        }
    }
    /* What is left of exceptions only cleans up behind them: without them these are plain calls. */
    cc_run_passes(unit, "function(lower-invoke)");
}
