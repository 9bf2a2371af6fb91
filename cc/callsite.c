/* See callsite.h, and native/callsites.c for what happens there.
 *
 * A site is a variable of its own in a section that the linker gathers: so the run time finds all of them without a
 * table, however many object files there are. Recording code reads whether it is on in front of the call and behind
 * it. */
#include "cc/callsite.h"

#include "cc/passes.h"
#include "cc/program.h"
#include "cc/small.h"
#include "cc/surgery.h"
#include "native/state.h"

#include <string.h>

static const char *const hook_names[] = {"verso.enter", "verso.leave"};
static const char *const runtime_names[] = {"verso_native_call_enter", "verso_native_call_leave"};

static const char *name_of(const cc_function *function) {
    return function->fragment ? function->fragment : function->name;
}

/* NULL: it is called through a pointer. */
static const cc_function *function_of_call(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    return callee ? cc_function_find(unit, callee) : NULL;
}

static int64_t kind_of(const cc_function *callee) {
    if (!callee || !callee->whole)
        return VERSO_NATIVE_SITE_CALL;
    return callee->whole->either ? VERSO_NATIVE_SITE_EITHER : VERSO_NATIVE_SITE_ALWAYS;
}

LLVMValueRef cc_callsite(cc_body *body, int segment) {
    cc_unit *unit = body->unit;
    if (!body->function->program && !body->function->fragment)
        return NULL;
    const char *name = cc_print(unit, "%s" CC_SITE_INFIX "call.%d", body->function->name, segment);
    LLVMValueRef site = LLVMGetNamedGlobal(unit->module, name), call = body->items[body->segments[segment].call].value;
    if (site)
        return site;
    const cc_function *callee = function_of_call(unit, call);
    int64_t kind = kind_of(callee);
    LLVMValueRef members[] = {cc_i64(unit, kind == VERSO_NATIVE_SITE_ALWAYS),
                              cc_string(unit, name_of(body->function)),
                              cc_string(unit, callee ? name_of(callee) : "*"),
                              cc_string(unit, cc_where(unit, call)),
                              cc_i64(unit, segment),
                              cc_i64(unit, kind),
                              cc_i64(unit, 0)};
    LLVMValueRef value = LLVMConstStructInContext(unit->context, members, sizeof members / sizeof *members, false);
    _Static_assert(sizeof(verso_native_callsite) == sizeof members / sizeof *members * 8, "as it is made here");
    site = LLVMAddGlobal(unit->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(site, value);
    LLVMSetLinkage(site, LLVMInternalLinkage);
    LLVMSetSection(site, VERSO_NATIVE_CALLSITES);
    LLVMSetAlignment(site, _Alignof(verso_native_callsite));
    return site;
}

static LLVMValueRef build_is_on(cc_unit *unit, LLVMValueRef site) {
    LLVMValueRef on = LLVMBuildLoad2(unit->builder, unit->i64, site, "");
    return LLVMBuildICmp(unit->builder, LLVMIntNE, on, cc_i64(unit, 0), "");
}

static void build_hook(cc_unit *unit, LLVMValueRef function, const void *name) {
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(unit->context, function, "on");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(unit->context, function, "end");
    LLVMValueRef site = LLVMGetParam(function, 0);
    LLVMBuildCondBr(unit->builder, build_is_on(unit, site), on, end);
    cc_build_at_end(unit, on);
    cc_call_runtime(unit, name, unit->none, &site, 1);
    LLVMBuildBr(unit->builder, end);
    cc_build_at_end(unit, end);
    LLVMBuildRetVoid(unit->builder);
}

void cc_build_hook(const cc_body *body, cc_hook hook, int segment, LLVMValueRef site) {
    cc_unit *unit = body->unit;
    const cc_item *call = &body->items[body->segments[segment].call];
    LLVMTypeRef type = LLVMFunctionType(unit->none, &unit->pointer, 1, false);
    cc_small(unit, hook_names[hook], type, CC_SMALL_CHANGES, build_hook, runtime_names[hook]);
    cc_call_small(unit, hook_names[hook], !cc_repeats(body, call->block), &site, 1);
}

bool cc_is_hook(LLVMValueRef instruction) {
    if (!LLVMIsACallInst(instruction))
        return false;
    const char *name = LLVMGetValueName(LLVMGetCalledValue(instruction));
    return strncmp(name, hook_names[CC_HOOK_ENTER], strlen(hook_names[CC_HOOK_ENTER])) == 0 ||
           strncmp(name, hook_names[CC_HOOK_LEAVE], strlen(hook_names[CC_HOOK_LEAVE])) == 0;
}

LLVMValueRef cc_build_reversed(cc_unit *unit, LLVMValueRef site, LLVMValueRef reverse) {
    LLVMValueRef ours = cc_runtime(unit, "verso_native_sweep_call", unit->none, NULL, 0);
    return LLVMBuildSelect(unit->builder, build_is_on(unit, site), ours, reverse, "");
}
