/* Call sites. native/sweep/callsites.c says what the run time does there.
 *
 * Each site is a variable in a section that the linker gathers, so the run time finds all sites without a table,
 * however many object files there are. Recording code reads before and after the call whether the site is on. */
#include "cc/reverse/callsite.h"
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/reverse/effects_table.h"
#include "cc/reverse/reverse.h"

#include "cc/ir/small.h"
#include "cc/ir/surgery.h"
#include "native/state.h"

#include <string.h>

static const char enter_name[] = "verso.enter", leave_name[] = "verso.leave";

static const char *name_of(const cc_function *function) {
    return function->fragment ? function->fragment : function->name;
}

/* Returns the function that is called; NULL if it is called through a pointer. */
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
    int mark = cc_mark_of_call(call);
    if (mark == VERSO_NATIVE_MARK_NONE && callee)
        mark = cc_mark_of(unit, callee->name);
    LLVMValueRef members[] = {cc_i64(unit, kind == VERSO_NATIVE_SITE_ALWAYS || mark == VERSO_NATIVE_MARK_ALWAYS),
                              cc_string(unit, name_of(body->function)),
                              cc_string(unit, callee ? name_of(callee) : "*"),
                              cc_string(unit, cc_where(unit, call)),
                              cc_i64(unit, segment),
                              cc_i64(unit, kind),
                              cc_i64(unit, 0),
                              cc_i64(unit, mark),
                              cc_effects_table(unit, call)};
    LLVMValueRef value = LLVMConstStructInContext(unit->context, members, sizeof members / sizeof *members, false);
    _Static_assert(sizeof(verso__native_callsite) == sizeof members / sizeof *members * 8, "one word per member");
    site = LLVMAddGlobal(unit->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(site, value);
    LLVMSetLinkage(site, LLVMInternalLinkage);
    LLVMSetSection(site, VERSO_NATIVE_CALLSITES);
    LLVMSetAlignment(site, _Alignof(verso__native_callsite));
    return site;
}

static LLVMValueRef build_is_on(cc_unit *unit, LLVMValueRef site) {
    LLVMValueRef on = LLVMBuildLoad2(unit->builder, unit->i64, site, "");
    return LLVMBuildICmp(unit->builder, LLVMIntNE, on, cc_i64(unit, 0), "");
}

static void build_enter(cc_unit *unit, LLVMValueRef function, const void *context) {
    (void)context;
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(unit->context, function, "on");
    LLVMBasicBlockRef off = LLVMAppendBasicBlockInContext(unit->context, function, "off");
    LLVMValueRef arguments[] = {LLVMGetParam(function, 0), LLVMGetParam(function, 1)};
    LLVMBuildCondBr(unit->builder, build_is_on(unit, arguments[0]), on, off);
    cc_build_at_end(unit, on);
    LLVMBuildRet(unit->builder, cc_call_runtime(unit, "verso__native_call_enter", unit->pointer, arguments, 2));
    cc_build_at_end(unit, off);
    LLVMBuildRet(unit->builder, arguments[1]);
}

static void build_leave(cc_unit *unit, LLVMValueRef function, const void *context) {
    (void)context;
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(unit->context, function, "on");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(unit->context, function, "end");
    LLVMValueRef site = LLVMGetParam(function, 0);
    LLVMBuildCondBr(unit->builder, build_is_on(unit, site), on, end);
    cc_build_at_end(unit, on);
    cc_call_runtime(unit, "verso__native_call_leave", unit->none, &site, 1);
    LLVMBuildBr(unit->builder, end);
    cc_build_at_end(unit, end);
    LLVMBuildRetVoid(unit->builder);
}

/* Returns whether the hooks of the call that ends the segment should not be inlined. */
static bool is_apart(const cc_body *body, int segment) {
    return !cc_repeats(body, body->items[body->segments[segment].call].block);
}

LLVMValueRef cc_build_enter(const cc_body *body, int segment, LLVMValueRef site, LLVMValueRef callee) {
    cc_unit *unit = body->unit;
    LLVMTypeRef types[] = {unit->pointer, unit->pointer};
    LLVMTypeRef type = LLVMFunctionType(unit->pointer, types, 2, false);
    LLVMValueRef arguments[] = {site, callee};
    cc_make_small(unit, enter_name, type, CC_SMALL_CHANGES, build_enter, NULL);
    return cc_call_small(unit, enter_name, is_apart(body, segment), arguments, 2);
}

void cc_build_leave(const cc_body *body, int segment, LLVMValueRef site) {
    cc_unit *unit = body->unit;
    LLVMTypeRef type = LLVMFunctionType(unit->none, &unit->pointer, 1, false);
    cc_make_small(unit, leave_name, type, CC_SMALL_CHANGES, build_leave, NULL);
    cc_call_small(unit, leave_name, is_apart(body, segment), &site, 1);
}

static bool is_call_of(LLVMValueRef instruction, const char *name) {
    return LLVMIsACallInst(instruction) &&
           strncmp(LLVMGetValueName(LLVMGetCalledValue(instruction)), name, strlen(name)) == 0;
}

bool cc_is_hook(LLVMValueRef instruction) {
    return is_call_of(instruction, enter_name) || is_call_of(instruction, leave_name);
}

LLVMValueRef cc_callee_of_hook(LLVMValueRef instruction) {
    return is_call_of(instruction, enter_name) ? LLVMGetOperand(instruction, 1) : NULL;
}

LLVMValueRef cc_build_reversed(cc_unit *unit, LLVMValueRef site, LLVMValueRef reverse) {
    LLVMValueRef replacement = cc_runtime(unit, "verso__native_sweep_call", unit->none, NULL, 0);
    return LLVMBuildSelect(unit->builder, build_is_on(unit, site), replacement, reverse, "");
}
