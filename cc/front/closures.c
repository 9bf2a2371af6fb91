/* Procedures that are passed as arguments together with the frame of the procedure that contains them: Fortran's
 * internal procedures. flang makes code on the stack for each (llvm.init.trampoline), which passes the frame in a
 * register. In its place each such function gets a few functions without that parameter, which take the frame from a
 * variable of the program:
 *
 *     R f.closure.K(A...) { return f(A..., frame.K); }
 *     ptr f.closure(ptr frame) { the first K with frame.K == frame or NULL: frame.K = frame; return f.closure.K; }
 *     void f.release(ptr frame) { frame.K = NULL; }   called where the containing procedure returns
 *
 * The variables are part of capsules like all others.
 *
 * Requires: all modules are linked. Leaves: no trampolines, no parameters with the attribute "nest". */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

/* The most calls of one procedure, within each other, whose internal procedure is passed on. */
enum { CLOSURES = 6 };

static bool is_call_of(LLVMValueRef call, const char *name) {
    return LLVMIsACallInst(call) != NULL && cc_callee(call) != NULL &&
           strcmp(LLVMGetValueName(cc_callee(call)), name) == 0;
}

/* Returns the index of the parameter with the frame; the number of parameters if there is none. */
static unsigned frame_of(LLVMValueRef function) {
    unsigned count = LLVMCountParams(function), at = 0;
    while (at < count && LLVMGetEnumAttributeAtIndex(function, at + 1, cc_attribute("nest")) == NULL)
        at++;
    return at;
}

/* Builds f.closure.K. */
static LLVMValueRef build_caller(cc_unit *unit, LLVMValueRef function, unsigned frame, LLVMValueRef variable,
                                 const char *name) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function), few;
    unsigned count = LLVMCountParams(function);
    LLVMTypeRef *parameters = cc_alloc(unit, count, sizeof *parameters);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    LLVMGetParamTypes(type, parameters);
    memmove(parameters + frame, parameters + frame + 1, (count - frame - 1) * sizeof *parameters);
    few = LLVMFunctionType(LLVMGetReturnType(type), parameters, count - 1, false);
    LLVMValueRef caller = LLVMAddFunction(unit->module, name, few);
    LLVMSetLinkage(caller, LLVMInternalLinkage);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, caller, ""));
    for (unsigned i = 0, from = 0; i < count; i++)
        arguments[i] =
            i == frame ? LLVMBuildLoad2(unit->builder, unit->pointer, variable, "") : LLVMGetParam(caller, from++);
    LLVMValueRef result = LLVMBuildCall2(unit->builder, type, function, arguments, count, "");
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, result);
    return caller;
}

static void build_failure(cc_unit *unit) {
    static const char name[] = "_FortranAReportFatalUserError";
    LLVMTypeRef parameters[] = {unit->pointer, unit->pointer, unit->i32};
    LLVMTypeRef type = LLVMFunctionType(unit->none, parameters, 3, false);
    LLVMValueRef report = LLVMGetNamedFunction(unit->module, name);
    if (report == NULL)
        report = LLVMAddFunction(unit->module, name, type);
    LLVMValueRef arguments[] = {
        cc_string(unit, "an internal procedure is passed as an argument by more than 6 calls of the procedure that "
                        "contains it, within each other"),
        LLVMConstNull(unit->pointer), LLVMConstNull(unit->i32)};
    LLVMBuildCall2(unit->builder, type, report, arguments, 3, "");
    LLVMBuildUnreachable(unit->builder);
}

/* Builds "if (condition) { variable = given; return caller; }"; the builder is left after it. */
static void build_take(cc_unit *unit, LLVMValueRef condition, LLVMValueRef variable, LLVMValueRef caller) {
    LLVMValueRef closure = LLVMGetBasicBlockParent(LLVMGetInsertBlock(unit->builder));
    LLVMBasicBlockRef take = LLVMAppendBasicBlockInContext(unit->context, closure, "");
    LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(unit->context, closure, "");
    LLVMBuildCondBr(unit->builder, condition, take, next);
    cc_build_at_end(unit, take);
    LLVMBuildStore(unit->builder, LLVMGetParam(closure, 0), variable);
    LLVMBuildRet(unit->builder, caller);
    cc_build_at_end(unit, next);
}

/* Adds the functions f.closure.K and their variables. */
static void make_callers(cc_unit *unit, LLVMValueRef function, LLVMValueRef *variables, LLVMValueRef *callers) {
    const char *base = LLVMGetValueName(function);
    for (int k = 0; k < CLOSURES; k++) {
        const char *name = cc_print(unit, "%s.frame.%d", base, k);
        variables[k] = LLVMAddGlobal(unit->module, unit->pointer, name);
        LLVMSetInitializer(variables[k], LLVMConstNull(unit->pointer));
        LLVMSetLinkage(variables[k], LLVMInternalLinkage);
        callers[k] =
            build_caller(unit, function, frame_of(function), variables[k], cc_print(unit, "%s.closure.%d", base, k));
    }
}

/* Builds f.release. */
static void make_release(cc_unit *unit, const char *name, const LLVMValueRef *variables) {
    LLVMTypeRef type = LLVMFunctionType(unit->none, &unit->pointer, 1, false);
    LLVMValueRef release = LLVMAddFunction(unit->module, name, type), given = LLVMGetParam(release, 0);
    LLVMSetLinkage(release, LLVMInternalLinkage);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, release, ""));
    for (int k = 0; k < CLOSURES; k++) {
        LLVMValueRef kept = LLVMBuildLoad2(unit->builder, unit->pointer, variables[k], "");
        LLVMValueRef same = LLVMBuildICmp(unit->builder, LLVMIntEQ, kept, given, "");
        kept = LLVMBuildSelect(unit->builder, same, LLVMConstNull(unit->pointer), kept, "");
        LLVMBuildStore(unit->builder, kept, variables[k]);
    }
    LLVMBuildRetVoid(unit->builder);
}

/* Returns f.closure; builds it, and f.release, for the first use. */
static LLVMValueRef closure_of(cc_unit *unit, LLVMValueRef function) {
    const char *base = LLVMGetValueName(function), *name = cc_print(unit, "%s.closure", base);
    LLVMTypeRef type = LLVMFunctionType(unit->pointer, &unit->pointer, 1, false);
    LLVMValueRef closure = LLVMGetNamedFunction(unit->module, name), variables[CLOSURES], callers[CLOSURES];
    if (closure != NULL)
        return closure;
    make_callers(unit, function, variables, callers);
    make_release(unit, cc_print(unit, "%s.release", base), variables);
    closure = LLVMAddFunction(unit->module, name, type);
    LLVMSetLinkage(closure, LLVMInternalLinkage);
    LLVMValueRef given = LLVMGetParam(closure, 0);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, closure, ""));
    for (int taken = 1; taken >= 0; taken--)
        for (int k = 0; k < CLOSURES; k++) {
            LLVMValueRef kept = LLVMBuildLoad2(unit->builder, unit->pointer, variables[k], "");
            LLVMValueRef wanted = taken ? given : LLVMConstNull(unit->pointer);
            build_take(unit, LLVMBuildICmp(unit->builder, LLVMIntEQ, kept, wanted, ""), variables[k], callers[k]);
        }
    build_failure(unit);
    return closure;
}

/* Releases the frame where the procedure that made the closure returns. */
static void release_at_returns(cc_unit *unit, LLVMValueRef call, LLVMValueRef function) {
    LLVMValueRef host = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), frame = LLVMGetOperand(call, 2);
    LLVMValueRef release = LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.release", LLVMGetValueName(function)));
    LLVMValueRef place = cc_entry_slot(unit, call, unit->pointer, 8);
    LLVMPositionBuilderBefore(unit->builder, LLVMGetNextInstruction(place));
    LLVMBuildStore(unit->builder, LLVMConstNull(unit->pointer), place);
    cc_build_before(unit, call);
    LLVMBuildStore(unit->builder, frame, place);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(host); block != NULL; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (LLVMGetInstructionOpcode(end) != LLVMRet)
            continue;
        cc_build_before(unit, end);
        LLVMValueRef kept = LLVMBuildLoad2(unit->builder, unit->pointer, place, "");
        LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(release), release, &kept, 1, "");
    }
}

static void replace_trampoline(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef place = LLVMGetOperand(call, 0);
    if (is_call_of(call, "llvm.adjust.trampoline")) {
        cc_build_before(unit, call);
        LLVMReplaceAllUsesWith(call, LLVMBuildLoad2(unit->builder, unit->pointer, place, ""));
        LLVMInstructionEraseFromParent(call);
        return;
    }
    LLVMValueRef function = LLVMGetOperand(call, 1), frame = LLVMGetOperand(call, 2);
    if (LLVMIsAFunction(function) == NULL || frame_of(function) == LLVMCountParams(function))
        return;
    LLVMValueRef closure = closure_of(unit, function);
    release_at_returns(unit, call, function);
    cc_build_before(unit, call);
    LLVMValueRef made = LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(closure), closure, &frame, 1, "");
    LLVMBuildStore(unit->builder, made, place);
    LLVMInstructionEraseFromParent(call);
}

void cc_make_closures(cc_unit *unit) {
    LLVMModuleRef module = unit->module;
    if (LLVMGetNamedFunction(module, "llvm.init.trampoline") != NULL)
        for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
            for (LLVMValueRef next, at = cc_first(f); at != NULL; at = next) {
                next = cc_next(at);
                if (is_call_of(at, "llvm.init.trampoline") || is_call_of(at, "llvm.adjust.trampoline"))
                    replace_trampoline(unit, at);
            }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        unsigned frame = frame_of(f);
        if (frame == LLVMCountParams(f) || strncmp(LLVMGetValueName(f), "llvm.", 5) == 0)
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, frame + 1, cc_attribute("nest"));
        for (LLVMUseRef use = LLVMGetFirstUse(f); use != NULL; use = LLVMGetNextUse(use))
            if (cc_is_call(LLVMGetUser(use)) && LLVMGetCalledValue(LLVMGetUser(use)) == f)
                LLVMRemoveCallSiteEnumAttribute(LLVMGetUser(use), frame + 1, cc_attribute("nest"));
    }
}
