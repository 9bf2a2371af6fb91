/* Replaces what cannot be differentiated by calls that end the differentiation with a message.
 *
 * Code that certainly runs has no such instruction any more, because reach.c has reported an error for it. Most
 * runs never reach the others. */
#include "cc/front/front.h"
#include "cc/front/refuse.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <string.h>

/* Replaces the body of the function by a refusal. */
static void refuse_function(cc_unit *unit, cc_member *member, const char *why) {
    /* A wrapper has no place in the source. */
    bool placed = strncmp(member->name, "verso.wrap.", strlen("verso.wrap.")) != 0;
    const char *message = placed ? cc_print(unit, "%s: %s", cc_where(unit, member->base), why) : why;
    LLVMValueRef function = cc_drop_body(unit, member->base);
    member->base = function;
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, function, ""));
    LLVMValueRef text = cc_string(unit, cc_demangled(unit, message));
    cc_call_runtime(unit, "verso__native_refuse", unit->none, &text, 1);
    LLVMBuildUnreachable(unit->builder);
}

/* The rest of the block after a refusal is unreachable, so it need not be checked. */
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
    /* The remaining landing pads only clean up after exceptions, which are refused: invokes become plain calls. */
    cc_run_passes(unit, "function(lower-invoke)");
}
