/* Calls of foreign functions that no derivative passes through: unknown functions without numbers, and functions
 * that are declared inactive or pure. They are called in primal mode, because they may call back into the program.
 * Each call becomes a call of a shared function of its own in the program's module,
 *
 *     R verso.pass.NAME.k(A..., foreign) {
 *         pointers = {those among A...};
 *         if (verso__native_foreign_begin(foreign, pointers)) {
 *             mode = state.mode, state.mode = primal;
 *             result = NAME(A...);
 *             state.mode = mode;
 *         }
 *         verso__native_foreign_end(&result, sizeof result);
 *         return result;
 *     }
 *
 * so that the call is made only once where a run is repeated, and the run time notices what it changes
 * (native/run/foreign.c). A marker after it passes on what was noted: verso.changed(state.noted). A pure function
 * without pointers, and a function that certainly writes nothing, is called without this. */
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <string.h>

/* ---- Properties of a call ---- */

/* Returns whether the argument is a pointer, or an integer that may be one. */
static bool may_point(cc_unit *unit, LLVMValueRef argument) {
    return LLVMTypeOf(argument) == unit->pointer || LLVMTypeOf(argument) == unit->i64;
}

static bool has_pointer(cc_unit *unit, LLVMValueRef call) {
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (may_point(unit, LLVMGetOperand(call, i)) && LLVMIsAConstantInt(LLVMGetOperand(call, i)) == NULL)
            return true;
    return false;
}

/* Returns whether the function is declared __attribute__((pure)) or ((const)). LLVM's attribute "memory" has two
 * bits for each kind of memory: may be read, may be written. */
static bool writes_nothing(LLVMValueRef call) {
    LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef memory = LLVMGetCallSiteEnumAttribute(call, whole, cc_attribute("memory"));
    if (memory == NULL && cc_callee(call) != NULL)
        memory = LLVMGetEnumAttributeAtIndex(cc_callee(call), whole, cc_attribute("memory"));
    return memory != NULL && (LLVMGetEnumAttributeValue(memory) & UINT64_C(0xaaaaaaaa)) == 0;
}

typedef struct queue {
    LLVMValueRef waiting[64];
    unsigned count;
} queue;

/* Adds a value that is not in the queue yet. When the queue is full, further values are ignored. */
static void put(queue *queue, LLVMValueRef value) {
    for (unsigned i = 0; i < queue->count; i++)
        if (queue->waiting[i] == value)
            return;
    if (queue->count < sizeof queue->waiting / sizeof *queue->waiting)
        queue->waiting[queue->count++] = value;
}

/* Returns whether this function itself, or the C library on its behalf, reads the memory that `pointer` points to. */
static bool is_read(LLVMValueRef pointer) {
    queue queue = {{pointer}, 1};
    for (unsigned next = 0; next < queue.count; next++)
        for (LLVMUseRef use = LLVMGetFirstUse(queue.waiting[next]); use != NULL; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            switch ((int)LLVMGetInstructionOpcode(user)) {
            case LLVMLoad: return true;
            case LLVMGetElementPtr:
            case LLVMPHI:
            case LLVMSelect: put(&queue, user); break;
            case LLVMCall: {
                cc_known_class class = cc_known_find(cc_callee_name(user)).class;
                if (class != CC_KNOWN_NOT && class != CC_KNOWN_THREAD)
                    return true;
                break;
            }
            default: break;
            }
        }
    return false;
}

static uint64_t flags_of(cc_unit *unit, LLVMValueRef call, bool pure) {
    uint64_t flags = pure ? VERSO_NATIVE_PURE : 0;
    if (LLVMGetFirstUse(call) != NULL)
        flags |= VERSO_NATIVE_ANSWERS;
    if (LLVMTypeOf(call) == unit->pointer && is_read(call))
        flags |= VERSO_NATIVE_READ;
    return flags;
}

/* Returns how far the variable of fixed size that `pointer` points into extends before and after it; {0, 0} if
 * unknown. */
static struct verso__native_extent extent_of(cc_unit *unit, LLVMValueRef pointer) {
    struct verso__native_extent none = {0, 0};
    int64_t offset = 0;
    while (LLVMIsAGetElementPtrInst(pointer) != NULL) {
        if (LLVMGetNumOperands(pointer) != 2 || LLVMIsAConstantInt(LLVMGetOperand(pointer, 1)) == NULL)
            return none;
        offset += LLVMConstIntGetSExtValue(LLVMGetOperand(pointer, 1)) *
                  (int64_t)LLVMABISizeOfType(unit->layout, LLVMGetGEPSourceElementType(pointer));
        pointer = LLVMGetOperand(pointer, 0);
    }
    if (LLVMIsAAllocaInst(pointer) == NULL || LLVMIsAConstantInt(LLVMGetOperand(pointer, 0)) == NULL)
        return none;
    int64_t size = (int64_t)(LLVMABISizeOfType(unit->layout, LLVMGetAllocatedType(pointer)) *
                             LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 0)));
    return offset < 0 || offset > size ? none : (struct verso__native_extent){offset, size - offset};
}

/* Builds a constant verso__native_foreign. */
static LLVMValueRef describe(cc_unit *unit, LLVMValueRef call, uint64_t flags) {
    unsigned arguments = LLVMGetNumArgOperands(call), count = 0;
    LLVMTypeRef pair = LLVMArrayType2(unit->i64, 2);
    LLVMValueRef *extents = cc_alloc(unit, arguments + 1, sizeof *extents);
    for (unsigned i = 0; i < arguments; i++) {
        LLVMValueRef argument = LLVMGetOperand(call, i);
        if (!may_point(unit, argument))
            continue;
        struct verso__native_extent extent = extent_of(unit, argument);
        LLVMValueRef ends[2] = {cc_i64(unit, extent.before), cc_i64(unit, extent.after)};
        extents[count++] = LLVMConstArray2(unit->i64, ends, 2);
    }
    LLVMValueRef members[5];
    cc_outside_members(unit, call, members);
    members[2] = cc_i64(unit, (int64_t)flags);
    members[3] = cc_i64(unit, count);
    members[4] = LLVMConstArray2(pair, extents, count);
    return cc_private_constant(unit, LLVMConstStructInContext(unit->context, members, 5, false), "verso.foreign");
}

/* ---- The function ---- */

typedef struct passing {
    LLVMValueRef call; /* in the base copy */
    bool plain;        /* only call it in primal mode; nothing is logged or noted */
} passing;

static LLVMValueRef build_primal_call(cc_unit *unit, LLVMValueRef call, LLVMValueRef *arguments) {
    LLVMValueRef mode = cc_state(unit, offsetof(verso__native_state, mode));
    LLVMValueRef before = LLVMBuildLoad2(unit->builder, unit->i64, mode, "");
    LLVMBuildStore(unit->builder, cc_i64(unit, VERSO_NATIVE_PRIMAL), mode);
    LLVMValueRef result = cc_pass_call(unit, call, arguments);
    LLVMBuildStore(unit->builder, before, mode);
    return result;
}

static LLVMValueRef store_pointers(cc_unit *unit, LLVMValueRef *arguments, unsigned count) {
    LLVMValueRef array = LLVMBuildAlloca(unit->builder, LLVMArrayType2(unit->i64, count + 1), "");
    unsigned stored = 0;
    for (unsigned i = 0; i < count; i++)
        if (may_point(unit, arguments[i]))
            LLVMBuildStore(unit->builder, arguments[i], cc_offset(unit, array, 8 * (int64_t)stored++));
    return array;
}

static void build_watched(cc_unit *unit, LLVMValueRef function, LLVMValueRef call, LLVMValueRef *arguments) {
    LLVMTypeRef type = LLVMTypeOf(call);
    unsigned count = LLVMGetNumArgOperands(call);
    bool answers = LLVMGetTypeKind(type) != LLVMVoidTypeKind;
    LLVMValueRef result = answers ? LLVMBuildAlloca(unit->builder, type, "") : LLVMConstNull(unit->pointer);
    LLVMValueRef begin[] = {arguments[count], store_pointers(unit, arguments, count)};
    LLVMBasicBlockRef make = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMBasicBlockRef made = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMValueRef first = cc_call_runtime(unit, "verso__native_foreign_begin", unit->i32, begin, 2);
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNotNull(unit->builder, first, ""), make, made);
    cc_build_at_end(unit, make);
    LLVMValueRef value = build_primal_call(unit, call, arguments);
    if (answers)
        LLVMBuildStore(unit->builder, value, result);
    LLVMBuildBr(unit->builder, made);
    cc_build_at_end(unit, made);
    int64_t size = answers ? (int64_t)LLVMStoreSizeOfType(unit->layout, type) : 0;
    LLVMValueRef end[] = {result, cc_i64(unit, size)};
    cc_call_runtime(unit, "verso__native_foreign_end", unit->none, end, 2);
    if (answers)
        LLVMBuildRet(unit->builder, LLVMBuildLoad2(unit->builder, type, result, ""));
    else
        LLVMBuildRetVoid(unit->builder);
}

static void build_passing(cc_unit *unit, LLVMValueRef function, void *context) {
    const passing *passing = context;
    cc_copy_call_attributes(unit, passing->call, function, 0);
    LLVMValueRef *arguments = cc_alloc(unit, LLVMCountParams(function) + 1, sizeof *arguments);
    LLVMGetParams(function, arguments);
    if (!passing->plain) {
        build_watched(unit, function, passing->call, arguments);
        return;
    }
    LLVMValueRef result = build_primal_call(unit, passing->call, arguments);
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, result);
}

/* i64 (): returns state.noted. */
static void build_noted(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)function, (void)context;
    LLVMValueRef place = cc_state(unit, offsetof(verso__native_state, noted));
    LLVMBuildRet(unit->builder, LLVMBuildLoad2(unit->builder, unit->i64, place, ""));
}

void cc_mark_noted(cc_unit *unit, LLVMValueRef before) {
    LLVMTypeRef type = LLVMFunctionType(unit->i64, NULL, 0, false);
    cc_build_before(unit, before);
    LLVMValueRef shared = cc_shared(unit, "verso.pass.noted", type, build_noted, NULL);
    LLVMValueRef noted = cc_call_shared(unit, shared, NULL, 0);
    cc_call_runtime(unit, "verso.changed", unit->none, &noted, 1);
}

/* Each call gets a function of its own, because a variadic function is called with many types. */
void cc_lower_passing(cc_unit *unit, LLVMValueRef call) {
    const char *name = cc_print(unit, "verso.pass.%s.%zu", cc_callee_name(call), unit->program->made++);
    bool reads = writes_nothing(call), pure = reads || cc_is_pure(unit, cc_callee(call));
    passing passing = {call, reads || (pure && !has_pointer(unit, call))};
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(call, i);
    if (!passing.plain)
        arguments[count++] = describe(unit, call, flags_of(unit, call, pure));
    LLVMTypeRef type = cc_type_of_arguments(unit, LLVMTypeOf(call), arguments, count);
    LLVMValueRef shared = cc_shared(unit, name, type, build_passing, &passing);
    LLVMValueRef passed = cc_replace_passed(unit, call, type, shared, arguments, count);
    if (!passing.plain)
        cc_mark_noted(unit, LLVMGetNextInstruction(passed));
}
