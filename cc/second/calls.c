/* Calls. Recording functions pass the tangents of arguments in state.second_argument, and those of results in
 * state.second_result, as values of the same type. In reverse functions, adjoints pass through memory, and so do their
 * tangents. */
#include "cc/second/inside.h"

#include "cc/front/known.h"
#include "cc/ir/memory_scopes.h"
#include "cc/ir/surgery.h"
#include "cc/rules/rules.h"
#include "native/state.h"

#include <string.h>

/* ---- Arguments and results ---- */

enum { GRAIN = 16 };

static LLVMValueRef slot(cc_second *second, uint64_t offset, bool result) {
    size_t base =
        result ? offsetof(verso__native_state, second_result) : offsetof(verso__native_state, second_argument);
    return cc_state(second->unit, base + offset);
}

/* Returns the offset after a value of this type. */
static uint64_t after_slot(cc_second *second, LLVMTypeRef type, uint64_t offset) {
    uint64_t size = (LLVMStoreSizeOfType(second->unit->layout, type) + GRAIN - 1) / GRAIN * GRAIN;
    if (offset + size > VERSO_NATIVE_LEAVES * sizeof(double))
        cc_give_up(second->unit, VERSO_STATUS_INVALID,
                   "%s: %s has more numbers among its parameters or in its result than second derivatives allow; pass "
                   "them by a pointer",
                   cc_where(second->unit, second->function), LLVMGetValueName(second->function));
    return offset + size;
}

static LLVMValueRef load_slot(cc_second *second, LLVMTypeRef type, uint64_t offset, bool result) {
    LLVMValueRef load = LLVMBuildLoad2(second->unit->builder, type, slot(second, offset, result), "");
    LLVMSetAlignment(load, 8);
    return cc_in_scope(second->unit, load, CC_SCOPE_STATE);
}

static void store_slot(cc_second *second, LLVMValueRef value, uint64_t offset, bool result) {
    LLVMValueRef store = LLVMBuildStore(second->unit->builder, value, slot(second, offset, result));
    LLVMSetAlignment(store, 8);
    cc_in_scope(second->unit, store, CC_SCOPE_STATE);
}

static LLVMValueRef message(cc_second *second, LLVMValueRef place, const char *why) {
    return cc_string(second->unit, cc_print(second->unit, "%s: %s", cc_where(second->unit, place), why));
}

void cc_second_entry(cc_second *second) {
    uint64_t offset = 0;
    cc_second_before(second, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(second->function)));
    for (LLVMValueRef p = LLVMGetFirstParam(second->function); p != NULL; p = LLVMGetNextParam(p)) {
        if (!cc_second_has_numbers(LLVMTypeOf(p)))
            continue;
        uint64_t next = after_slot(second, LLVMTypeOf(p), offset);
        if (cc_second_varied(second, p))
            cc_second_set(second, p, load_slot(second, LLVMTypeOf(p), offset, false));
        offset = next;
    }
}

/* Refuses if an integer that has the bits of a number is passed. */
static void refuse_integer(cc_second *second, LLVMValueRef place, LLVMValueRef value) {
    cc_unit *unit = second->unit;
    LLVMValueRef tangent = cc_second_tangent(second, value);
    if (tangent == NULL || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
        return;
    LLVMValueRef some = LLVMBuildICmp(unit->builder, LLVMIntNE, tangent, LLVMConstNull(LLVMTypeOf(tangent)), "");
    LLVMValueRef arguments[] = {LLVMBuildUIToFP(unit->builder, some, unit->f64, ""),
                                message(second, place,
                                        "an integer with the bits of a number is passed here, which second derivatives "
                                        "do not follow; pass the number itself")};
    cc_call_runtime(unit, "verso__native_refuse_lost", unit->none, arguments, 2);
}

void cc_second_return(cc_second *second, LLVMValueRef end) {
    if (second->reverse || LLVMGetNumOperands(end) == 0)
        return;
    LLVMValueRef result = LLVMGetOperand(end, 0);
    cc_second_before(second, end);
    refuse_integer(second, end, result);
    if (!cc_second_has_numbers(LLVMTypeOf(result)))
        return;
    (void)after_slot(second, LLVMTypeOf(result), 0);
    store_slot(second, cc_second_whole(second, result), 0, true);
}

static void followed(cc_second *second, LLVMValueRef call) {
    uint64_t offset = 0;
    cc_second_before(second, call);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        refuse_integer(second, call, argument);
        if (!cc_second_has_numbers(LLVMTypeOf(argument)))
            continue;
        uint64_t next = after_slot(second, LLVMTypeOf(argument), offset);
        store_slot(second, cc_second_whole(second, argument), offset, false);
        offset = next;
    }
    if (!cc_second_varied(second, call))
        return;
    cc_second_after(second, call);
    cc_second_set(second, call, load_slot(second, LLVMTypeOf(call), 0, true));
}

/* ---- Memory ---- */

static LLVMValueRef as_size(cc_second *second, LLVMValueRef number) {
    return LLVMBuildIntCast2(second->unit->builder, number, second->unit->i64, false, "");
}

static void clear(cc_second *second, LLVMValueRef data, LLVMValueRef size) {
    LLVMValueRef arguments[] = {data, as_size(second, size)};
    cc_call_runtime(second->unit, "verso__native_second_clear", second->unit->none, arguments, 2);
}

static void copy(cc_second *second, LLVMValueRef call) {
    LLVMValueRef to = cc_second_mirror(second, LLVMGetOperand(call, 0));
    LLVMValueRef from = cc_second_mirror(second, LLVMGetOperand(call, 1));
    cc_second_after(second, call);
    if (second->inactive) {
        clear(second, LLVMGetOperand(call, 0), LLVMGetOperand(call, 2));
        return;
    }
    LLVMBuildMemMove(second->unit->builder, to, 1, from, 1, LLVMGetOperand(call, 2));
}

static LLVMValueRef argument(void *call, unsigned index) {
    return LLVMGetOperand(call, index);
}

static void allocate(cc_second *second, LLVMValueRef call) {
    LLVMBuilderRef build = second->unit->builder;
    cc_second_after(second, call);
    LLVMValueRef size = as_size(second, cc_call_allocated(second->unit, call, argument, call));
    clear(second, call, LLVMBuildSelect(build, LLVMBuildIsNull(build, call, ""), cc_i64(second->unit, 0), size, ""));
}

static void changed(cc_second *second, LLVMValueRef call) {
    static const char why[] = "a function that was not compiled by `verso cc` changes numbers in memory here, which "
                              "second derivatives do not "
                              "follow; compile it with `verso cc`, or declare it VERSO_INACTIVE";
    LLVMValueRef arguments[] = {LLVMGetOperand(call, 0), message(second, call, why)};
    cc_second_before(second, call);
    cc_call_runtime(second->unit, "verso__native_second_changed", second->unit->none, arguments, 2);
}

/* ---- The run time's functions, in reverse functions ---- */

/* Functions that are called once more for the tangents of adjoints. `number`: the argument that is an adjoint; -1:
 * none.
 */
static const struct {
    const char *name, *second;
    int number;
} again[] = {
    {"verso__native_sweep_copy", "verso__native_second_sweep_copy", -1},
    {"verso__native_sweep_clear", "verso__native_second_sweep_clear", -1},
    {"verso__native_sweep_opaque", "verso__native_second_opaque", -1},
    {"verso__native_sweep_read", "verso__native_second_read", 2},
    {"verso__native_sweep_write", "verso__native_second_write", -1},
    {"verso__native_sweep_changed", "verso__native_second_changed", -1},
    {"verso__native_refuse_lost", "verso__native_refuse_lost", 0},
    /* linear in the derivative; the factor is constant between jumps */
    {"verso__native_rescale_derivative", "verso__native_rescale_derivative", 0},
    {"verso__native_scale_by_ulps", "verso__native_scale_by_ulps", 0},
};

static void of_run_time(cc_second *second, LLVMValueRef call, size_t i) {
    cc_unit *unit = second->unit;
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef arguments[4];
    for (unsigned k = 0; k < count; k++)
        arguments[k] = LLVMGetOperand(call, k);
    if (again[i].number >= 0) {
        LLVMValueRef tangent = cc_second_tangent(second, arguments[again[i].number]);
        if (tangent == NULL)
            return;
        arguments[again[i].number] = tangent;
    }
    bool gives = cc_second_varied(second, call);
    cc_second_after(second, call);
    LLVMValueRef made = cc_call_runtime(unit, again[i].second, gives ? unit->f64 : unit->none, arguments, count);
    if (gives)
        cc_second_set(second, call, made);
}

/* A value whose derivative was attached to it (verso__native_carry): refuses if the derivative has come from a function
 * that was not compiled by `verso cc`, because it has none of its own then. */
static void refuse_attached(cc_second *second, LLVMValueRef call) {
    static const char name[] = "verso__native_carry";
    static const char why[] = "complex functions and divisions have no second derivatives; compute with the parts";
    LLVMValueRef slope = LLVMGetNumArgOperands(call) == 3 ? LLVMGetOperand(call, 1) : NULL;
    if (slope == NULL || strncmp(cc_callee_name(call), name, strlen(name)) != 0 || LLVMIsConstant(slope) ||
        cc_second_tangent(second, slope) != NULL || cc_second_tangent(second, LLVMGetOperand(call, 2)) == NULL)
        return;
    LLVMValueRef text = message(second, call, why);
    cc_second_before(second, call);
    cc_call_runtime(second->unit, "verso__native_refuse", second->unit->none, &text, 1);
}

void cc_second_call(cc_second *second, LLVMValueRef call) {
    const char *name = cc_callee_name(call);
    for (size_t i = 0; i < sizeof again / sizeof *again; i++)
        if (strcmp(name, again[i].name) == 0) {
            of_run_time(second, call, i);
            return;
        }
    if (cc_second_follows(second, call)) {
        followed(second, call);
        return;
    }
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL)
        return;
    switch (cc_call_kind_of(second->unit, call)) {
    case CC_CALL_RULE:
        refuse_attached(second, call);
        if (cc_second_varied(second, call))
            cc_second_rule(second, call);
        return;
    case CC_CALL_COPY: copy(second, call); return;
    case CC_CALL_CLEAR:
        cc_second_after(second, call);
        clear(second, LLVMGetOperand(call, 0), LLVMGetOperand(call, 2));
        return;
    case CC_CALL_ALLOCATE: allocate(second, call); return;
    case CC_CALL_WRITTEN:
        cc_second_after(second, call);
        clear(second, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1));
        LLVMInstructionEraseFromParent(call);
        return;
    case CC_CALL_CHANGED:
        changed(second, call);
        LLVMInstructionEraseFromParent(call);
        return;
    default: return;
    }
}
