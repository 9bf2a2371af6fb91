/* Parallel regions of OpenMP. clang makes a function of each region and passes it to __kmpc_fork_call. In the copy, the
 * region is called instead, by the one thread of its team; functions that it calls are those of native/lib.
 *
 * Also chooses between the copies of a thread-local variable (cc/front/threads.c). */
#include "cc/front/front.h"
#include "cc/front/threads.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- Regions ---- */

/* Builds a variable with the number of the thread, 0. */
static LLVMValueRef thread_number(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef slot = cc_entry_slot(unit, call, unit->i32, 4);
    cc_build_before(unit, call);
    LLVMBuildStore(unit->builder, LLVMConstNull(unit->i32), slot);
    return slot;
}

static void call_region(cc_unit *unit, LLVMValueRef fork, LLVMValueRef region) {
    LLVMTypeRef type = LLVMGlobalGetValueType(region);
    unsigned count = LLVMCountParams(region);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    for (unsigned i = 0; i < CC_BODY_THREADS; i++)
        arguments[i] = thread_number(unit, fork);
    for (unsigned i = CC_BODY_THREADS; i < count; i++)
        arguments[i] = LLVMGetOperand(fork, CC_FORK_BODY + 1 + i - CC_BODY_THREADS);
    cc_build_before(unit, fork);
    LLVMSetCurrentDebugLocation2(unit->builder, LLVMInstructionGetDebugLoc(fork));
    LLVMValueRef call = LLVMBuildCall2(unit->builder, type, region, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(region));
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
    LLVMInstructionEraseFromParent(fork);
}

/* ---- Copies of thread-local variables ---- */

static LLVMValueRef first_copy(cc_unit *unit, LLVMValueRef call) {
    (void)unit;
    return LLVMGetOperand(call, 0);
}

/* Builds, in the program: this thread is the first one ? variable : its thread-local copy. */
static LLVMValueRef own_copy(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef variable = LLVMGetOperand(call, 0);
    const char *name = cc_print(unit, CC_THREAD_COPIES "%s", LLVMGetValueName(variable));
    LLVMValueRef copies = LLVMGetNamedGlobal(unit->module, name);
    static const char thread[] = "llvm.thread.pointer", address[] = "llvm.threadlocal.address";
    LLVMTypeRef alone = LLVMFunctionType(unit->pointer, NULL, 0, false);
    LLVMTypeRef of_copies = LLVMFunctionType(unit->pointer, &unit->pointer, 1, false);
    LLVMValueRef this_thread =
        LLVMGetIntrinsicDeclaration(unit->module, LLVMLookupIntrinsicID(thread, strlen(thread)), NULL, 0);
    LLVMValueRef address_of =
        LLVMGetIntrinsicDeclaration(unit->module, LLVMLookupIntrinsicID(address, strlen(address)), &unit->pointer, 1);
    LLVMValueRef first = LLVMGetNamedGlobal(unit->module, "verso__native_first_thread");
    if (first == NULL)
        first = LLVMAddGlobal(unit->module, unit->pointer, "verso__native_first_thread");
    cc_build_before(unit, call);
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef is_first = LLVMBuildICmp(build, LLVMIntEQ, LLVMBuildCall2(build, alone, this_thread, NULL, 0, ""),
                                          LLVMBuildLoad2(build, unit->pointer, first, ""), "");
    return LLVMBuildSelect(build, is_first, variable, LLVMBuildCall2(build, of_copies, address_of, &copies, 1, ""), "");
}

static void choose_copies(cc_unit *unit, LLVMModuleRef module, LLVMValueRef (*make)(cc_unit *, LLVMValueRef)) {
    LLVMValueRef choose = LLVMGetNamedFunction(module, CC_THREAD_COPY);
    if (choose == NULL)
        return;
    LLVMModuleRef before = unit->module;
    unit->module = module;
    size_t count;
    LLVMValueRef *calls = cc_users(unit, choose, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMReplaceAllUsesWith(calls[i], make(unit, calls[i]));
        LLVMInstructionEraseFromParent(calls[i]);
    }
    LLVMDeleteFunction(choose);
    unit->module = before;
}

/* ---- The pass ---- */

void cc_lower_teams(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++)
        for (LLVMValueRef next, at = cc_first(unit->program->members[i]->base); at != NULL; at = next) {
            next = cc_next(at);
            LLVMValueRef region = cc_forked(at);
            if (region == NULL)
                continue;
            call_region(unit, at, region);
            unit->program->fast |= VERSO_NATIVE_FAST_TEAMS;
        }
    choose_copies(unit, unit->program->module, own_copy);
    choose_copies(unit, unit->module, first_copy);
}
