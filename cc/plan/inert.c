/* Finds inert functions: those that do not concern derivatives, so that calls of them are not recorded. They write
 * no number, call no function that does, and return no number, neither as such nor as bits.
 *
 * Functions often return integers, and sums of integers are mostly indices and counts. They matter only if they may
 * depend on the bits of a number: taken from a number, loaded from memory, or passed by a caller. */
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/tags.h"
#include "cc/plan/active.h"
#include "cc/types/bits.h"

typedef struct search {
    cc_unit *unit;
    cc_map given; /* set of parameters for which a caller may pass the bits of a number */
} search;

/* ---- Integers that may be bits of a number ---- */

/* Values that are still to be examined. */
typedef struct queue {
    cc_unit *unit;
    cc_map seen;
    LLVMValueRef *waiting;
    size_t count, capacity;
} queue;

/* Returns whether values of this type can carry a number: bytes that are computed with cannot. */
static bool has_words(cc_unit *unit, LLVMTypeRef type) {
    LLVMTypeRef scalar = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
    bool narrow = LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(scalar) % 32 != 0;
    return !narrow && LLVMGetTypeKind(scalar) != LLVMPointerTypeKind && cc_leaf_count(unit, type) > 0;
}

static void enqueue(queue *queue, LLVMValueRef value) {
    if (LLVMIsConstant(value) || !has_words(queue->unit, LLVMTypeOf(value)) ||
        cc_map_get(&queue->seen, value) != CC_NOT_FOUND)
        return;
    cc_map_put(queue->unit, &queue->seen, value, 1);
    cc_reserve(queue->unit, &queue->waiting, &queue->capacity, queue->count + 1, sizeof value);
    queue->waiting[queue->count++] = value;
}

static void enqueue_operands(queue *queue, LLVMValueRef value) {
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        enqueue(queue, LLVMGetOperand(value, k));
}

/* Returns whether the value is certainly taken as bits of a number; otherwise adds the values that decide it to the
 * queue. */
static bool is_bits(const search *search, queue *queue, LLVMValueRef value) {
    if (LLVMIsAArgument(value))
        return cc_map_get(&search->given, value) != CC_NOT_FOUND;
    if (cc_leaf_any_number(search->unit, LLVMTypeOf(value)))
        return true;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMLoad: return cc_may_carry(search->unit, value);
    case LLVMFPToSI:
    case LLVMFPToUI: return false;
    case LLVMCall:
        if (cc_bits_operation(value) || cc_chooses(value))
            enqueue_operands(queue, value);
        return cc_call_kind_of(search->unit, value) == CC_CALL_FOLLOWED;
    default: enqueue_operands(queue, value); return false;
    }
}

static bool may_be_bits(const search *search, LLVMValueRef value) {
    queue queue = {.unit = search->unit};
    enqueue(&queue, value);
    while (queue.count > 0)
        if (is_bits(search, &queue, queue.waiting[--queue.count]))
            return true;
    return false;
}

/* ---- What callers pass ---- */

static bool pass_argument(search *search, LLVMValueRef parameter, LLVMValueRef argument) {
    if (cc_map_get(&search->given, parameter) != CC_NOT_FOUND || !may_be_bits(search, argument))
        return false;
    cc_map_put(search->unit, &search->given, parameter, 1);
    return true;
}

static bool pass_arguments(search *search, LLVMValueRef call, LLVMValueRef callee) {
    bool changed = false;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call) && k < LLVMCountParams(callee); k++)
        changed |= pass_argument(search, LLVMGetParam(callee, k), LLVMGetOperand(call, k));
    return changed;
}

/* A call through a pointer may call every function whose address is taken. Returns whether a parameter was added. */
static bool follow_call(search *search, LLVMValueRef call) {
    cc_unit *unit = search->unit;
    const cc_function *callee = cc_function_find(unit, cc_callee(call));
    if (callee)
        return pass_arguments(search, call, callee->value);
    bool changed = false;
    for (size_t i = 0; !cc_callee(call) && i < unit->function_count; i++)
        if (unit->functions[i].address_taken)
            changed |= pass_arguments(search, call, unit->functions[i].value);
    return changed;
}

static bool follow_calls(search *search, const cc_function *function) {
    bool changed = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function->value); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i))
                changed |= follow_call(search, i);
    return changed;
}

/* ---- What concerns derivatives ---- */

static bool store_concerns(cc_unit *unit, LLVMValueRef store) {
    return cc_leaf_any_number(unit, LLVMTypeOf(LLVMGetOperand(store, 0))) || cc_may_carry(unit, store);
}

/* Returns whether the result may be a number or the bits of one. Only results of a few arithmetic operations are
 * traced; others are assumed to be. */
static bool result_concerns(const search *search, LLVMValueRef end) {
    if (LLVMGetNumOperands(end) == 0)
        return false;
    LLVMValueRef value = LLVMGetOperand(end, 0);
    if (LLVMIsConstant(value) || cc_leaf_count(search->unit, LLVMTypeOf(value)) == 0)
        return false;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind || !LLVMIsAInstruction(value))
        return true;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMSExt: return may_be_bits(search, value);
    case LLVMFPToSI:
    case LLVMFPToUI: return false;
    default: return true;
    }
}

static bool instruction_concerns(const search *search, LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMStore: return store_concerns(search->unit, instruction);
    case LLVMRet: return result_concerns(search, instruction);
    case LLVMCall: {
        cc_call_kind kind = cc_call_kind_of(search->unit, instruction);
        return kind != CC_CALL_PASS && kind != CC_CALL_RULE && kind != CC_CALL_FREE;
    }
    default: return false;
    }
}

static bool function_concerns(const search *search, const cc_function *function) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function->value); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (instruction_concerns(search, i))
                return true;
    return false;
}

/* Starts from the assumption that all functions are inert, and withdraws it until nothing changes; calls of inert
 * functions are of kind CC_CALL_PASS. In a program that interrupts runs, no function is inert, because all need
 * safepoints. */
void cc_find_inert(cc_unit *unit) {
    search search = {.unit = unit};
    for (size_t i = 0; i < unit->function_count; i++)
        unit->functions[i].inert = !unit->functions[i].address_taken && !unit->program->wants_steps;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->function_count; i++) {
            cc_function *function = &unit->functions[i];
            changed |= follow_calls(&search, function);
            if (!function->inert || !function_concerns(&search, function))
                continue;
            function->inert = false;
            changed = true;
        }
    }
}
