/* Multiples: see multiples.h. */
#include "cc/types/multiples.h"

enum { MOST_DEPTH = 6, MOST_BITS = 64, MOST_SHIFT = 31 };

uint64_t cc_common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns a number that the integer is certainly a multiple of; 0 for `except`, which does not count. */
static uint64_t multiple_of(LLVMValueRef value, LLVMValueRef except, unsigned depth) {
    if (value == except)
        return 0;
    if (LLVMIsAConstantInt(value)) {
        int64_t number = LLVMConstIntGetSExtValue(value);
        return (uint64_t)(number < 0 ? -number : number);
    }
    if (!LLVMIsAInstruction(value) || depth == 0 || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > MOST_BITS)
        return 1;
    LLVMValueRef first = LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
    LLVMValueRef second = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMMul: {
        uint64_t a = multiple_of(first, except, depth - 1), b = multiple_of(second, except, depth - 1), product;
        return __builtin_mul_overflow(a, b, &product) ? 1 : product;
    }
    case LLVMShl:
        if (LLVMIsAConstantInt(second) && LLVMConstIntGetZExtValue(second) <= MOST_SHIFT)
            return UINT64_C(1) << LLVMConstIntGetZExtValue(second);
        return 1;
    case LLVMAdd:
    case LLVMSub:
        return cc_common_divisor(multiple_of(first, except, depth - 1), multiple_of(second, except, depth - 1));
    case LLVMSExt:
    case LLVMZExt: {
        uint64_t whole = multiple_of(first, except, depth - 1); /* what is left of it if the integer overflows */
        return whole & -whole;
    }
    case LLVMPHI: {
        uint64_t all = 0;
        for (unsigned k = 0; except == NULL && k < LLVMCountIncoming(value); k++)
            all = cc_common_divisor(all, multiple_of(LLVMGetIncomingValue(value, k), value, depth - 1));
        return except == NULL ? all : 1;
    }
    default: return 1;
    }
}

uint64_t cc_multiple_of(LLVMValueRef integer) {
    return multiple_of(integer, NULL, MOST_DEPTH);
}
