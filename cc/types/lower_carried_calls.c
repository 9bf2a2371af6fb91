/* Calls through pointers that carry bits (carried.c). The program's functions keep the types with which pointers
 * call them. So such a call is replaced by a call of a dispatcher, which compares the pointer with the functions
 * that it may point to and calls these directly; lower_carried.c can change these calls. Any other function is
 * called as before. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "cc/types/carried.h"

/* Which small integers a call extends with zeros, or with their sign: bit 0 for the result, bit i for argument i.
 * Foreign functions rely on that. */
typedef struct extensions {
    uint64_t zeros, signs;
} extensions;

enum { MOST_EXTENDED = 64 };

static uint64_t extended(LLVMValueRef call, const char *how) {
    uint64_t found = 0;
    for (unsigned i = 0; i <= LLVMGetNumArgOperands(call) && i < MOST_EXTENDED; i++)
        found |= (uint64_t)(LLVMGetCallSiteEnumAttribute(call, i, cc_attribute(how)) != NULL) << i;
    return found;
}

static void extend(cc_unit *unit, LLVMValueRef call, const char *how, uint64_t which) {
    for (unsigned i = 0; i < MOST_EXTENDED; i++)
        if ((which >> i & 1) != 0)
            LLVMAddCallSiteAttribute(call, i, LLVMCreateEnumAttribute(unit->context, cc_attribute(how), 0));
}

typedef struct dispatcher {
    LLVMTypeRef call;      /* type of the calls that it replaces */
    extensions wide;       /* extensions of their result and arguments */
    LLVMValueRef function; /* the dispatcher */
} dispatcher;

typedef struct dispatchers {
    dispatcher *all;
    size_t count, capacity;
} dispatchers;

static bool needs_one(const cc_carried *carried, LLVMValueRef call) {
    if (cc_callee(call) != NULL || LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (cc_any_carried(carried, LLVMGetOperand(call, i)))
            return true;
    return cc_any_carried(carried, call);
}

/* Calls `callee` with the dispatcher's arguments and goes on at `end`, with the result. */
static void build_case(cc_unit *unit, const dispatcher *made, LLVMValueRef callee, LLVMBasicBlockRef end,
                       LLVMValueRef result) {
    unsigned count = LLVMCountParams(made->function) - 1;
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetParam(made->function, i + 1);
    LLVMBasicBlockRef block = LLVMGetInsertBlock(unit->builder);
    LLVMValueRef value = LLVMBuildCall2(unit->builder, made->call, callee, arguments, count, "");
    extend(unit, value, "zeroext", made->wide.zeros);
    extend(unit, value, "signext", made->wide.signs);
    LLVMBuildBr(unit->builder, end);
    if (result != NULL)
        LLVMAddIncoming(result, &value, &block, 1);
}

static void build_body(cc_unit *unit, const dispatcher *made, LLVMValueRef call) {
    LLVMBasicBlockRef at = LLVMAppendBasicBlockInContext(unit->context, made->function, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(unit->context, made->function, "");
    LLVMValueRef pointer = LLVMGetParam(made->function, 0), result = NULL;
    cc_build_at_end(unit, end);
    if (LLVMTypeOf(call) != unit->none)
        result = LLVMBuildPhi(unit->builder, LLVMTypeOf(call), "");
    if (result != NULL)
        LLVMBuildRet(unit->builder, result);
    else
        LLVMBuildRetVoid(unit->builder);
    for (size_t i = 0; i < unit->program->member_count; i++) {
        const cc_member *member = unit->program->members[i];
        if (!cc_may_call(unit, call, member))
            continue;
        LLVMValueRef address = cc_pointed_function(unit, member->name, member->program);
        at = cc_build_case(unit, made->function, at, address);
        build_case(unit, made, cc_normal_function(unit, member), end, result);
    }
    cc_build_at_end(unit, at);
    build_case(unit, made, pointer, end, result);
}

static LLVMValueRef find(cc_unit *unit, dispatchers *list, LLVMValueRef call) {
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    extensions wide = {extended(call, "zeroext"), extended(call, "signext")};
    for (size_t i = 0; i < list->count; i++) {
        const dispatcher *one = &list->all[i];
        if (one->call == type && one->wide.zeros == wide.zeros && one->wide.signs == wide.signs)
            return one->function;
    }
    unsigned count = LLVMCountParamTypes(type);
    LLVMTypeRef *types = cc_alloc(unit, count + 1, sizeof *types);
    types[0] = unit->pointer;
    LLVMGetParamTypes(type, types + 1);
    const char *name = cc_print(unit, "verso.carried.%zu", unit->program->made++);
    LLVMTypeRef own = LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, false);
    dispatcher made = {type, wide, LLVMAddFunction(unit->module, cc_print(unit, "%s.base", name), own)};
    LLVMSetLinkage(made.function, LLVMInternalLinkage);
    cc_copy_target(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), made.function);
    build_body(unit, &made, call);
    cc_add_made_member(unit, made.function, name);
    cc_reserve(unit, &list->all, &list->capacity, list->count + 1, sizeof made);
    list->all[list->count++] = made;
    return made.function;
}

static void lower_call(cc_unit *unit, dispatchers *list, LLVMValueRef call) {
    cc_call_between(unit, call, find(unit, list, call));
    LLVMInstructionEraseFromParent(call);
}

void cc_dispatch_carried(cc_unit *unit, const cc_carried *carried) {
    dispatchers list = {0};
    size_t count = unit->program->member_count;
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef function = cc_normal_function(unit, unit->program->members[i]);
        for (LLVMValueRef next, at = function != NULL ? cc_first(function) : NULL; at != NULL; at = next) {
            next = cc_next(at);
            if (LLVMIsACallInst(at) != NULL && needs_one(carried, at))
                lower_call(unit, &list, at);
        }
    }
}
