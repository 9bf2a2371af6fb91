/* Calls of the C library that meet the outside world, where a run may be repeated: each becomes a call of a function of
 * its own in the program's module,
 *
 *     R verso.pass.world.NAME.k(A..., outside) {
 *         if (state.world == 0)
 *             return NAME(A...);
 *         if (verso_native_world_begin(outside)) {
 *             verso_native_world_uses(stream); ...
 *             result = NAME(A...);
 *             verso_native_world_opens(result); ...
 *         }
 *         verso_native_world_data(&result, sizeof result);
 *         verso_native_world_data(memory that NAME writes, its size); ...
 *         verso_native_world_end();
 *         return result;
 *     }
 *
 * so that nothing changes for the differentiating passes: it is called as it is. */
#include "cc/known.h"
#include "cc/program.h"
#include "cc/surgery.h"
#include "native/state.h"

#include <string.h>

typedef struct world_call {
    LLVMValueRef call; /* in the base copy */
    cc_known known;
    const char *format;      /* of scanf; NULL */
    const char *held;        /* see cc_known_held */
    cc_library_call wrapped; /* the same call in the function that stands for it */
    LLVMValueRef function, outside;
} world_call;

/* ---- Pieces of the function's body ---- */

static LLVMBasicBlockRef new_block(cc_unit *unit, const world_call *world) {
    return LLVMAppendBasicBlockInContext(unit->context, world->function, "");
}

static void build_return(cc_unit *unit, LLVMValueRef result) {
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, result);
}

static void log_area(cc_unit *unit, cc_area area, void *context) {
    (void)context;
    LLVMValueRef arguments[2] = {area.data, area.bytes};
    if (area.bytes == NULL)
        cc_call_runtime(unit, "verso_native_world_string", unit->none, arguments, 1);
    else
        cc_call_runtime(unit, "verso_native_world_data", unit->none, arguments, 2);
}

/* ---- What does not outlive the process ---- */

static LLVMValueRef handle_of(cc_unit *unit, char kind, LLVMValueRef value) {
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(unit->builder, value, unit->i64, "");
    uint64_t tag = kind == 'k' ? VERSO_NATIVE_KEY : VERSO_NATIVE_DESCRIPTOR;
    LLVMValueRef number = LLVMBuildIntCast2(unit->builder, value, unit->i64, false, "");
    return LLVMBuildOr(unit->builder, number, cc_i64(unit, (int64_t)tag), "");
}

/* Before the call, or behind it with its result. */
static void build_held(cc_unit *unit, const world_call *world, LLVMValueRef result) {
    static const char *const before = "sdkc", *const behind = "oOp";
    for (const char *how = world->held; how[0] != '\0'; how += 2) {
        if (strchr(result == NULL ? before : behind, how[0]) == NULL)
            continue;
        LLVMValueRef value = how[1] == 'r'   ? result
                             : how[1] == 'i' ? cc_i64(unit, 0)
                             : how[1] == 'c' ? NULL
                                             : world->wrapped.arguments[how[1] - '0'];
        if (how[0] == 'c')
            cc_call_runtime(unit, "verso_native_world_changes", unit->none, NULL, 0);
        else if (how[0] == 'p')
            cc_call_runtime(unit, "verso_native_world_points", unit->none, &value, 1);
        else {
            value = handle_of(unit, how[0], value);
            cc_call_runtime(unit, result == NULL ? "verso_native_world_uses" : "verso_native_world_opens", unit->none,
                            &value, 1);
        }
    }
}

/* The call, made or replayed; `result` is a place for its result, NULL when it has none. */
static void build_once(cc_unit *unit, world_call *world, LLVMValueRef result) {
    LLVMBasicBlockRef make = new_block(unit, world), had = new_block(unit, world);
    LLVMValueRef first = cc_call_runtime(unit, "verso_native_world_begin", unit->i32, &world->outside, 1);
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNotNull(unit->builder, first, ""), make, had);
    cc_build_at_end(unit, make);
    build_held(unit, world, NULL);
    LLVMValueRef made = cc_pass_call(unit, world->call, world->wrapped.arguments);
    if (result != NULL) {
        build_held(unit, world, made);
        LLVMBuildStore(unit->builder, made, result);
    }
    LLVMBuildBr(unit->builder, had);
    cc_build_at_end(unit, had);
    if (result != NULL) {
        LLVMTypeRef type = LLVMTypeOf(made);
        log_area(unit, (cc_area){result, cc_i64(unit, (int64_t)LLVMStoreSizeOfType(unit->layout, type))}, NULL);
        world->wrapped.result = LLVMBuildLoad2(unit->builder, type, result, "");
    }
    cc_each_area(unit, &world->wrapped, world->known.writes, log_area, NULL);
    cc_call_runtime(unit, "verso_native_world_end", unit->none, NULL, 0);
    if (result != NULL)
        LLVMBuildRet(unit->builder, world->wrapped.result);
    else
        LLVMBuildRetVoid(unit->builder);
}

static void check_format(cc_unit *unit, const world_call *world) {
    const char *writes = world->known.writes;
    if (writes[0] == '\0' || writes[1] != 'F')
        return;
    LLVMValueRef arguments[2] = {world->outside, world->wrapped.arguments[writes[0] - '0']};
    cc_call_runtime(unit, "verso_native_world_format", unit->none, arguments, 2);
}

/* What is done where the run may be repeated; `plain` only makes the call. */
static void build_repeated(cc_unit *unit, world_call *world, LLVMValueRef result, LLVMBasicBlockRef plain) {
    switch (world->known.world) {
    case CC_WORLD_RANDOM:
        cc_call_runtime(unit, "verso_native_world_random", unit->none, NULL, 0);
        LLVMBuildBr(unit->builder, plain);
        return;
    case CC_WORLD_NEVER:
        cc_call_runtime(unit, "verso_native_world_refuse", unit->none, &world->outside, 1);
        LLVMBuildUnreachable(unit->builder);
        return;
    default: check_format(unit, world); build_once(unit, world, result);
    }
}

static void build_world(cc_unit *unit, LLVMValueRef function, void *context) {
    world_call *world = context;
    LLVMTypeRef type = LLVMTypeOf(world->call);
    unsigned count = LLVMGetNumArgOperands(world->call);
    cc_copy_call_attributes(unit, world->call, function, 0);
    world->function = function;
    world->wrapped = (cc_library_call){.count = count, .format = world->format};
    world->wrapped.arguments = cc_alloc(unit, count + 1, sizeof *world->wrapped.arguments);
    LLVMGetParams(function, world->wrapped.arguments);
    world->outside = LLVMGetParam(function, count);
    LLVMValueRef result = NULL;
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
        result = LLVMBuildAlloca(unit->builder, type, "");
    LLVMBasicBlockRef plain = new_block(unit, world), repeated = new_block(unit, world);
    LLVMValueRef state = cc_state(unit, offsetof(verso_native_state, world));
    LLVMValueRef on = LLVMBuildIsNotNull(unit->builder, LLVMBuildLoad2(unit->builder, unit->i64, state, ""), "");
    LLVMBuildCondBr(unit->builder, on, repeated, plain);
    cc_build_at_end(unit, plain);
    build_return(unit, cc_pass_call(unit, world->call, world->wrapped.arguments));
    cc_build_at_end(unit, repeated);
    build_repeated(unit, world, result, plain);
}

/* ---- The call ---- */

/* FNV-1a, folded. */
static uint64_t number_of(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (hash >> 24 ^ hash) & 0xffffff;
}

/* A constant verso_native_outside. */
static LLVMValueRef describe_outside(cc_unit *unit, LLVMValueRef call) {
    const char *where = cc_print(unit, "%s: %s", cc_where(unit, call), cc_callee_name(call));
    LLVMValueRef members[2] = {cc_i64(unit, (int64_t)number_of(where)), cc_string(unit, where)};
    LLVMValueRef value = LLVMConstStructInContext(unit->context, members, 2, false);
    LLVMValueRef outside = LLVMAddGlobal(unit->module, LLVMTypeOf(value), "verso.outside");
    LLVMSetInitializer(outside, value);
    LLVMSetGlobalConstant(outside, true);
    LLVMSetLinkage(outside, LLVMPrivateLinkage);
    return outside;
}

void cc_lower_world(cc_unit *unit, LLVMValueRef call, const cc_known *known) {
    cc_library_call described = cc_describe_call(unit, call, known->writes);
    world_call world = {
        .call = call, .known = *known, .format = described.format, .held = cc_known_held(cc_without_date(known->name))};
    unsigned count = described.count;
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    memcpy(arguments, described.arguments, count * sizeof *arguments);
    arguments[count] = describe_outside(unit, call);
    const char *name = cc_print(unit, "verso.pass.world.%s.%zu", known->name, unit->program->made++);
    LLVMTypeRef type = cc_type_of_arguments(unit, LLVMTypeOf(call), arguments, count + 1);
    LLVMValueRef wrapper = cc_shared(unit, name, type, build_world, &world);
    cc_replace_passed(unit, call, type, wrapper, arguments, count + 1);
}
