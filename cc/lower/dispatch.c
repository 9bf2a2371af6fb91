/* Calls through pointers that pass a large struct by value, or variable arguments.
 *
 * The caller lays both out in a way that only the program's version of the callee understands; the differentiated
 * version takes pointers (lower/byval.c, lower/variadic.c). So such a call is replaced by a call of a dispatcher,
 * which compares the pointer with the functions that it may point to and calls these directly with the original
 * types. The following lowerings then handle these direct calls. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <string.h>

typedef struct dispatcher {
    LLVMTypeRef call;       /* function type of the call */
    LLVMTypeRef type;       /* type of the dispatcher: R (pointer, A...), with all arguments of the call */
    LLVMTypeRef *in_memory; /* for each argument, the struct that it passes by value; NULL: it does not */
    LLVMValueRef function;  /* the dispatcher */
} dispatcher;

typedef struct dispatchers {
    dispatcher *all;
    size_t count, capacity;
} dispatchers;

static bool needs_dispatcher(LLVMValueRef call) {
    if (cc_callee(call) != NULL || LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL)
        return false;
    if (LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)))
        return true;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (cc_byval(call, i) != NULL)
            return true;
    return false;
}

/* ---- One case ---- */

static LLVMValueRef converted(cc_unit *unit, LLVMValueRef value, LLVMTypeRef type) {
    if (LLVMTypeOf(value) == type)
        return value;
    bool from_pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
    bool to_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    if (from_pointer)
        return LLVMBuildPtrToInt(unit->builder, value, type, "");
    return to_pointer ? LLVMBuildIntToPtr(unit->builder, value, type, "")
                      : LLVMBuildIntCast2(unit->builder, value, type, false, "");
}

/* Returns whether the member takes the same arguments by value in memory as the call passes. */
static bool has_same_in_memory(const dispatcher *made, const cc_member *member) {
    unsigned count = LLVMCountParamTypes(made->type) - 1;
    unsigned fixed = LLVMCountParams(member->base);
    for (unsigned i = 0; i < count && i < fixed; i++)
        if ((made->in_memory[i] != NULL) != (cc_byval(member->base, i) != NULL))
            return false;
    return true;
}

static bool may_call(cc_unit *unit, const dispatcher *made, const cc_member *member) {
    if (!member->pointed || member->program == NULL)
        return false;
    unsigned count = LLVMCountParamTypes(made->type);
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    LLVMGetParamTypes(made->type, types);
    return cc_fits(unit, made->call, types + 1, count - 1, LLVMGlobalGetValueType(member->base)) &&
           has_same_in_memory(made, member);
}

/* Builds a call of the member with the dispatcher's arguments, and returns its result. */
static void build_case(cc_unit *unit, const dispatcher *made, const cc_member *member) {
    LLVMTypeRef type = LLVMGlobalGetValueType(member->base);
    unsigned fixed = LLVMCountParamTypes(type), count = LLVMCountParams(made->function) - 1;
    LLVMTypeRef *types = cc_alloc(unit, fixed, sizeof *types);
    LLVMGetParamTypes(type, types);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = LLVMGetParam(made->function, i + 1);
        if (i < fixed)
            arguments[i] = converted(unit, arguments[i], types[i]);
    }
    LLVMValueRef call = LLVMBuildCall2(unit->builder, type, member->base, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(member->base));
    unsigned byval = cc_attribute("byval");
    for (unsigned i = 0; i < count; i++)
        if (made->in_memory[i] != NULL)
            LLVMAddCallSiteAttribute(call, i + 1, LLVMCreateTypeAttribute(unit->context, byval, made->in_memory[i]));
    LLVMTypeRef result = LLVMGetReturnType(made->type);
    if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, converted(unit, call, result));
}

/* ---- The dispatcher ---- */

static void build_body(cc_unit *unit, const dispatcher *made) {
    cc_program *program = unit->program;
    LLVMBasicBlockRef at = LLVMAppendBasicBlockInContext(unit->context, made->function, "");
    for (size_t i = 0; i < program->member_count; i++) {
        const cc_member *member = program->members[i];
        if (!may_call(unit, made, member))
            continue;
        at = cc_build_case(unit, made->function, at, LLVMGetNamedFunction(unit->module, member->name));
        build_case(unit, made, member);
    }
    cc_build_at_end(unit, at);
    LLVMValueRef text =
        cc_string(unit, "a function that was not compiled by `verso cc` is called through a pointer with variable "
                        "arguments or a large structure by value, which Verso cannot follow; call it directly");
    cc_call_runtime(unit, "verso__native_refuse", unit->none, &text, 1);
    LLVMBuildUnreachable(unit->builder);
}

static dispatcher describe(cc_unit *unit, LLVMValueRef call) {
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMTypeRef *types = cc_alloc(unit, count + 1, sizeof *types);
    dispatcher made = {.call = LLVMGetCalledFunctionType(call)};
    made.in_memory = cc_alloc(unit, count, sizeof *made.in_memory);
    types[0] = unit->pointer;
    for (unsigned i = 0; i < count; i++) {
        types[i + 1] = LLVMTypeOf(LLVMGetOperand(call, i));
        made.in_memory[i] = cc_byval(call, i);
    }
    made.type = LLVMFunctionType(LLVMTypeOf(call), types, count + 1, false);
    return made;
}

/* Returns the dispatcher for a call, and makes it if it is missing. */
static dispatcher *find(cc_unit *unit, dispatchers *list, LLVMValueRef call) {
    dispatcher wanted = describe(unit, call);
    size_t bytes = LLVMGetNumArgOperands(call) * sizeof *wanted.in_memory;
    for (size_t i = 0; i < list->count; i++)
        if (list->all[i].call == wanted.call && list->all[i].type == wanted.type &&
            memcmp(list->all[i].in_memory, wanted.in_memory, bytes) == 0)
            return &list->all[i];
    const char *name = cc_print(unit, "verso.dispatch.%zu", unit->program->made++);
    wanted.function = LLVMAddFunction(unit->module, cc_print(unit, "%s.base", name), wanted.type);
    LLVMSetLinkage(wanted.function, LLVMInternalLinkage);
    cc_copy_target(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), wanted.function);
    unsigned byval = cc_attribute("byval");
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (wanted.in_memory[i] != NULL)
            LLVMAddAttributeAtIndex(wanted.function, i + 2,
                                    LLVMCreateTypeAttribute(unit->context, byval, wanted.in_memory[i]));
    build_body(unit, &wanted);
    cc_add_made_member(unit, wanted.function, name);
    cc_reserve(unit, &list->all, &list->capacity, list->count + 1, sizeof wanted);
    list->all[list->count] = wanted;
    return &list->all[list->count++];
}

static void lower_call(cc_unit *unit, dispatchers *list, LLVMValueRef call) {
    dispatcher *made = find(unit, list, call);
    LLVMValueRef direct = cc_call_between(unit, call, made->function);
    unsigned byval = cc_attribute("byval");
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (made->in_memory[i] != NULL)
            LLVMAddCallSiteAttribute(direct, i + 2, LLVMGetCallSiteEnumAttribute(call, i + 1, byval));
    LLVMInstructionEraseFromParent(call);
}

void cc_lower_dispatch(cc_unit *unit) {
    dispatchers list = {0};
    for (size_t i = 0; i < unit->program->member_count; i++) {
        LLVMValueRef function = unit->program->members[i]->base;
        for (LLVMValueRef next, at = cc_first(function); at != NULL; at = next) {
            next = cc_next(at);
            if (LLVMIsACallInst(at) != NULL && needs_dispatcher(at))
                lower_call(unit, &list, at);
        }
    }
}
