/* Turns setjmp and longjmp among differentiated functions into returns.
 *
 * Every call of setjmp gets a number, which it stores in the jmp_buf and in its own stack frame. longjmp reads the
 * number, stores it in the state of the run time (native/state.h) and returns from its function at once. After
 * every call that may end this way, the caller checks the state and returns, too, until the function is reached
 * whose frame has the number; there the run continues after the setjmp. So a recording closes all frames in order,
 * and the reverse sweep needs no special treatment.
 *
 * A jmp_buf without a number was filled outside of the differentiated functions: the run time refuses the jump.
 *
 * Continuing after setjmp is an edge from anywhere to there, so values that live in registers across blocks must be
 * in memory first: LLVM's reg2mem does that, and normalising reverts it. */
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <string.h>

enum { BUFFER_CHECK = 8 }; /* offset of the check word in a jmp_buf */
/* The check word of a jmp_buf is the number of the setjmp XOR this constant: "verso ju". */
static const uint64_t MARK = 0x766572736f206a75;

typedef struct setjmp_site {
    LLVMValueRef serial; /* stack slot with the number that it gave last */
    LLVMValueRef value;  /* stack slot with the value that it returns */
    LLVMValueRef after;  /* the first instruction after it; identifies the block even if that is split further */
} setjmp_site;

typedef struct jumper {
    cc_member *member;
    bool jumps; /* a long jump may pass through it */
    setjmp_site *sites;
    size_t site_count, site_capacity;
    LLVMBasicBlockRef leave; /* entered while a long jump is under way */
    LLVMBasicBlockRef out;   /* returns, because the long jump does not end in this function */
} jumper;

typedef struct jumpers {
    cc_unit *unit;
    jumper *all;
    size_t count;
    cc_map of_base;        /* base function -> index in `all` */
    bool through_pointers; /* a long jump may pass through a function whose address is taken */
} jumpers;

static bool is_jump(LLVMValueRef call, bool sets) {
    const char *name = cc_callee_name(call);
    return cc_known_find(name).class == CC_KNOWN_JUMP && (strstr(name, "setjmp") != NULL) == sets;
}

/* ---- Shared functions that access the state of the run time ---- */

static LLVMValueRef state_word(cc_unit *unit, size_t offset) {
    return LLVMBuildLoad2(unit->builder, unit->i64, cc_state(unit, offset), "");
}

static void set_state_word(cc_unit *unit, size_t offset, LLVMValueRef value) {
    LLVMBuildStore(unit->builder, value, cc_state(unit, offset));
}

static LLVMValueRef check_word(cc_unit *unit, LLVMValueRef serial) {
    return LLVMBuildXor(unit->builder, serial, LLVMConstInt(unit->i64, MARK, false), "");
}

/* i64 (buffer): gives the setjmp a number, stores it in the buffer and returns it. */
static void build_arm(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)context;
    LLVMValueRef buffer = LLVMGetParam(function, 0);
    size_t count = offsetof(verso__native_state, jump_count);
    LLVMValueRef serial = LLVMBuildAdd(unit->builder, state_word(unit, count), cc_i64(unit, 1), "");
    set_state_word(unit, count, serial);
    LLVMBuildStore(unit->builder, serial, buffer);
    LLVMBuildStore(unit->builder, check_word(unit, serial), cc_offset(unit, buffer, BUFFER_CHECK));
    LLVMBuildRet(unit->builder, serial);
}

/* void (buffer, value, message): starts a long jump, or refuses it with the message. */
static void build_start(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)context;
    LLVMValueRef buffer = LLVMGetParam(function, 0), value = LLVMGetParam(function, 1);
    LLVMValueRef message = LLVMGetParam(function, 2);
    LLVMValueRef serial = LLVMBuildLoad2(unit->builder, unit->i64, buffer, "");
    LLVMValueRef check = LLVMBuildLoad2(unit->builder, unit->i64, cc_offset(unit, buffer, BUFFER_CHECK), "");
    LLVMBasicBlockRef ours = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMBasicBlockRef foreign = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMValueRef same = LLVMBuildICmp(unit->builder, LLVMIntEQ, check, check_word(unit, serial), "");
    LLVMBuildCondBr(unit->builder, same, ours, foreign);
    cc_build_at_end(unit, foreign);
    cc_call_runtime(unit, "verso__native_refuse", unit->none, &message, 1);
    LLVMBuildUnreachable(unit->builder);
    cc_build_at_end(unit, ours);
    LLVMValueRef zero = LLVMBuildICmp(unit->builder, LLVMIntEQ, value, LLVMConstNull(unit->i32), "");
    value = LLVMBuildSelect(unit->builder, zero, LLVMConstInt(unit->i32, 1, false), value, "");
    set_state_word(unit, offsetof(verso__native_state, jump_value), LLVMBuildSExt(unit->builder, value, unit->i64, ""));
    set_state_word(unit, offsetof(verso__native_state, jump), serial);
    LLVMBuildRetVoid(unit->builder);
}

/* i64 (void): returns the number of the setjmp that a long jump is under way to; 0: none is. */
static void build_pending(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)function;
    (void)context;
    LLVMBuildRet(unit->builder, state_word(unit, offsetof(verso__native_state, jump)));
}

/* i32 (void): ends the long jump and returns its value. */
static void build_land(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)function;
    (void)context;
    set_state_word(unit, offsetof(verso__native_state, jump), cc_i64(unit, 0));
    LLVMValueRef value = state_word(unit, offsetof(verso__native_state, jump_value));
    LLVMBuildRet(unit->builder, LLVMBuildTrunc(unit->builder, value, unit->i32, ""));
}

static LLVMValueRef arm(cc_unit *unit, LLVMValueRef buffer) {
    LLVMTypeRef type = LLVMFunctionType(unit->i64, &unit->pointer, 1, false);
    return cc_call_shared(unit, cc_shared(unit, "verso.pass.jump_arm", type, build_arm, NULL), &buffer, 1);
}

static void start(cc_unit *unit, LLVMValueRef *arguments) {
    LLVMTypeRef types[3] = {unit->pointer, unit->i32, unit->pointer};
    LLVMTypeRef type = LLVMFunctionType(unit->none, types, 3, false);
    cc_call_shared(unit, cc_shared(unit, "verso.pass.jump_start", type, build_start, NULL), arguments, 3);
}

static LLVMValueRef pending(cc_unit *unit) {
    LLVMTypeRef type = LLVMFunctionType(unit->i64, NULL, 0, false);
    return cc_call_shared(unit, cc_shared(unit, "verso.pass.jump_pending", type, build_pending, NULL), NULL, 0);
}

static LLVMValueRef land(cc_unit *unit) {
    LLVMTypeRef type = LLVMFunctionType(unit->i32, NULL, 0, false);
    return cc_call_shared(unit, cc_shared(unit, "verso.pass.jump_land", type, build_land, NULL), NULL, 0);
}

/* ---- Functions that a long jump may pass through ---- */

/* Returns whether a long jump may be under way when the call returns. */
static bool may_jump(const jumpers *jumpers, LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    if (callee == NULL)
        return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) == NULL && jumpers->through_pointers;
    ptrdiff_t index = cc_map_get(&jumpers->of_base, callee);
    return index != CC_NOT_FOUND && jumpers->all[index].jumps;
}

static bool may_be_left(const jumpers *jumpers, const jumper *jumper) {
    for (LLVMValueRef at = cc_first(jumper->member->base); at != NULL; at = cc_next(at))
        if (LLVMIsACallInst(at) != NULL && (may_jump(jumpers, at) || is_jump(at, false)))
            return true;
    return false;
}

static void find_left(jumpers *jumpers) {
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < jumpers->count; i++) {
            jumper *jumper = &jumpers->all[i];
            if (jumper->jumps || !may_be_left(jumpers, jumper))
                continue;
            jumper->jumps = again = true;
            jumpers->through_pointers = jumpers->through_pointers || jumper->member->pointed;
        }
    }
}

/* ---- First step: the calls of setjmp and longjmp, and the checks after other calls ---- */

static void make_leave(cc_unit *unit, jumper *jumper) {
    if (jumper->leave != NULL)
        return;
    LLVMValueRef function = jumper->member->base;
    jumper->leave = LLVMAppendBasicBlockInContext(unit->context, function, "leave");
    jumper->out = LLVMAppendBasicBlockInContext(unit->context, function, "out");
    cc_build_at_end(unit, jumper->leave);
    LLVMBuildBr(unit->builder, jumper->out);
    cc_build_at_end(unit, jumper->out);
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, LLVMConstNull(result)); /* the caller does not use it */
}

/* Adds a check after the call: branches to `leave` if a long jump is under way. */
static void check_after(cc_unit *unit, jumper *jumper, LLVMValueRef call) {
    make_leave(unit, jumper);
    LLVMValueRef next = LLVMGetNextInstruction(call);
    LLVMBasicBlockRef head = cc_split_before(unit, next);
    cc_build_at_end(unit, head);
    LLVMValueRef under_way = LLVMBuildICmp(unit->builder, LLVMIntNE, pending(unit), cc_i64(unit, 0), "");
    LLVMBuildCondBr(unit->builder, under_way, jumper->leave, LLVMGetInstructionParent(next));
}

static void lower_longjmp(cc_unit *unit, jumper *jumper, LLVMValueRef call) {
    make_leave(unit, jumper);
    LLVMValueRef message = cc_string(
        unit, cc_print(unit,
                       "%s: a long jump leaves the function that is differentiated, or goes to a setjmp that was "
                       "called before its differentiation began; call setjmp in a function that is "
                       "differentiated, too",
                       cc_where(unit, call)));
    LLVMBasicBlockRef head = cc_split_before(unit, call);
    cc_build_at_end(unit, head);
    LLVMValueRef arguments[3] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), message};
    start(unit, arguments);
    LLVMBuildBr(unit->builder, jumper->leave);
    LLVMInstructionEraseFromParent(call); /* the code after it is unreachable now */
}

static void lower_setjmp(cc_unit *unit, jumper *jumper, LLVMValueRef call) {
    setjmp_site site = {.serial = cc_entry_slot(unit, call, unit->i64, 8),
                        .value = cc_entry_slot(unit, call, unit->i32, 4)};
    LLVMPositionBuilderBefore(unit->builder, LLVMGetNextInstruction(site.serial));
    LLVMBuildStore(unit->builder, cc_i64(unit, 0), site.serial);
    LLVMBasicBlockRef head = cc_split_before(unit, call);
    cc_build_at_end(unit, head);
    LLVMBuildStore(unit->builder, arm(unit, LLVMGetOperand(call, 0)), site.serial);
    LLVMBuildStore(unit->builder, LLVMConstNull(unit->i32), site.value);
    LLVMBuildBr(unit->builder, LLVMGetInstructionParent(call));
    cc_build_before(unit, call);
    site.after = LLVMBuildLoad2(unit->builder, unit->i32, site.value, "");
    LLVMReplaceAllUsesWith(call, site.after);
    LLVMInstructionEraseFromParent(call);
    cc_reserve(unit, &jumper->sites, &jumper->site_capacity, jumper->site_count + 1, sizeof site);
    jumper->sites[jumper->site_count++] = site;
}

static void lower_forward(const jumpers *jumpers, jumper *jumper) {
    cc_unit *unit = jumpers->unit;
    for (LLVMValueRef next, at = cc_first(jumper->member->base); at != NULL; at = next) {
        next = cc_next(at);
        if (LLVMIsACallInst(at) == NULL)
            continue;
        if (is_jump(at, true))
            lower_setjmp(unit, jumper, at);
        else if (is_jump(at, false))
            lower_longjmp(unit, jumper, at);
        else if (may_jump(jumpers, at))
            check_after(unit, jumper, at);
    }
}

/* ---- Second step, when all values are in memory: the edges back to the code after a setjmp ---- */

static void lower_backward(cc_unit *unit, jumper *jumper) {
    if (jumper->site_count == 0 || jumper->leave == NULL)
        return;
    LLVMValueRef function = jumper->member->base;
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(jumper->leave));
    LLVMBasicBlockRef at = jumper->leave;
    for (size_t i = 0; i < jumper->site_count; i++) {
        const setjmp_site *site = &jumper->sites[i];
        LLVMBasicBlockRef here = LLVMAppendBasicBlockInContext(unit->context, function, "land");
        LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(unit->context, function, "leave");
        cc_build_at_end(unit, at);
        LLVMValueRef serial = LLVMBuildLoad2(unit->builder, unit->i64, site->serial, "");
        LLVMBuildCondBr(unit->builder, LLVMBuildICmp(unit->builder, LLVMIntEQ, serial, pending(unit), ""), here, other);
        cc_build_at_end(unit, here);
        LLVMBuildStore(unit->builder, land(unit), site->value);
        LLVMBuildBr(unit->builder, LLVMGetInstructionParent(site->after));
        at = other;
    }
    cc_build_at_end(unit, at);
    LLVMBuildBr(unit->builder, jumper->out);
}

void cc_lower_jumps(cc_unit *unit) {
    jumpers jumpers = {.unit = unit, .count = unit->program->member_count};
    jumpers.all = cc_alloc(unit, jumpers.count, sizeof *jumpers.all);
    for (size_t i = 0; i < jumpers.count; i++) {
        jumpers.all[i].member = unit->program->members[i];
        cc_map_put(unit, &jumpers.of_base, jumpers.all[i].member->base, i);
    }
    find_left(&jumpers);
    bool any = false;
    for (size_t i = 0; i < jumpers.count; i++) {
        lower_forward(&jumpers, &jumpers.all[i]);
        any = any || jumpers.all[i].site_count > 0;
    }
    if (!any)
        return;
    cc_verify(unit, "lower");
    cc_run_passes(unit, "function(reg2mem)");
    for (size_t i = 0; i < jumpers.count; i++)
        lower_backward(unit, &jumpers.all[i]);
}
