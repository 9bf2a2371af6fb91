/* Follows every bit of an integer back to its origin: a constant, a bit of a root, or neither.
 *
 * A vector is followed lane by lane, and once for each kind of number that its bits may be, because the kind decides
 * which bits are mantissa. A word has 32 bits, or 8 or 16 if the integer has no more; it has one leaf of each kind. */
#include "cc/ir/program.h"
#include "cc/types/inside.h"

#include "cc/front/machine.h"
#include "cc/ir/leaves.h"

#include <string.h>

static const cc_bit zero_bit = {NULL, ORIGIN_CONSTANT, 0, 0};
static const cc_bit discrete_bit = {NULL, ORIGIN_DISCRETE, 0, 0};
static const cc_bit smooth_bit = {NULL, ORIGIN_SMOOTH, 0, 0};

/* ---- Types ---- */

LLVMTypeRef cc_bits_lane_type(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

unsigned cc_bits_width(LLVMTypeRef type) {
    LLVMTypeRef scalar = cc_bits_lane_type(type);
    switch (LLVMGetTypeKind(scalar)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(scalar);
    case LLVMPointerTypeKind: return 64;
    default: return 0;
    }
}

unsigned cc_bits_words(LLVMTypeRef type) {
    unsigned width = cc_bits_width(type);
    if (width == BYTE || width == 2 * BYTE)
        return 1;
    return width % WORD == 0 || width == LONG_BITS ? width / WORD : 0;
}

static bool is_intrinsic(LLVMValueRef value, const char *name) {
    return LLVMIsACallInst(value) != NULL && strncmp(cc_callee_name(value), name, strlen(name)) == 0;
}

/* Returns true for an intrinsic of the processor that computes integers from integers. Their bits are not followed. */
static bool is_machine_operation(LLVMValueRef value) {
    if (LLVMIsACallInst(value) == NULL || !cc_is_machine_intrinsic(cc_callee_name(value)) ||
        LLVMGetNumArgOperands(value) == 0)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(value); i++)
        if (LLVMGetTypeKind(cc_bits_lane_type(LLVMTypeOf(LLVMGetOperand(value, i)))) != LLVMIntegerTypeKind)
            return false;
    return true;
}

bool cc_bits_operation(LLVMValueRef value) {
    if (LLVMIsAInstruction(value) == NULL || cc_bits_width(LLVMTypeOf(value)) == 0)
        return false;
    static const char *const intrinsics[] = {"llvm.abs.",      "llvm.bitreverse.", "llvm.bswap.",
                                             "llvm.fshl.",     "llvm.fshr.",       "llvm.sadd.sat.",
                                             "llvm.uadd.sat.", "llvm.ssub.sat.",   "llvm.usub.sat."};
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr: return true;
    case LLVMCall:
        for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
            if (is_intrinsic(value, intrinsics[i]))
                return true;
        return is_machine_operation(value);
    default: return false;
    }
}

/* ---- Roots ---- */

static unsigned leaf_of(const cc_trace *at, LLVMValueRef root, unsigned lane, unsigned word) {
    return (lane * cc_bits_words(LLVMTypeOf(root)) + word) * cc_kind_count(at->unit) + at->slot;
}

unsigned cc_bit_leaf(const cc_trace *at, const cc_bit *b) {
    return leaf_of(at, b->root, b->lane, b->index / WORD);
}

bool cc_word_kind_of_cast(cc_unit *unit, LLVMValueRef root, uint64_t offset, cc_word_kind *kind) {
    if (LLVMIsABitCastInst(root) == NULL)
        return false;
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(root, 0));
    for (unsigned i = 0; i < cc_leaf_count(unit, from); i++) {
        LLVMTypeKind type = LLVMGetTypeKind(cc_leaf_type(unit, from, i));
        uint64_t at = cc_leaf_offset(unit, from, i);
        *kind = type == LLVMFloatTypeKind ? WORD_FLOAT : at == offset ? WORD_LOW : WORD_HIGH;
        if ((type == LLVMFloatTypeKind && at == offset) ||
            (type == LLVMDoubleTypeKind && (at == offset || at + 4 == offset)))
            return true;
    }
    return false;
}

cc_word_kind cc_word_kind_of(const cc_trace *at, const cc_bit *b) {
    cc_word_kind kind;
    if (cc_word_kind_of_cast(at->unit, b->root, cc_leaf_offset(at->unit, LLVMTypeOf(b->root), cc_bit_leaf(at, b)),
                             &kind))
        return kind;
    if (at->kind != VERSO_NATIVE_DOUBLE)
        return cc_trace_single(at) ? WORD_FLOAT : WORD_LONG;
    if (cc_bits_words(LLVMTypeOf(b->root)) < 2)
        return WORD_HALF;
    return b->index / WORD % 2 == 0 ? WORD_LOW : WORD_HIGH;
}

bool cc_bit_in_mantissa(const cc_trace *at, const cc_bit *b) {
    unsigned width = cc_bits_width(LLVMTypeOf(b->root));
    if (width == LONG_BITS && at->kind == VERSO_NATIVE_LONG)
        return b->index < LONG_MANTISSA;
    if (width % WORD != 0)
        return true;
    switch (cc_word_kind_of(at, b)) {
    case WORD_FLOAT: return b->index % WORD < FLOAT_MANTISSA;
    case WORD_HIGH: return b->index % WORD < DOUBLE_MANTISSA - WORD;
    default: return true;
    }
}

bool cc_bit_smooth(const cc_trace *at, const cc_bit *b) {
    return b->origin == ORIGIN_SMOOTH || (b->origin == ORIGIN_ROOT && cc_bit_in_mantissa(at, b));
}

bool cc_bits_any_smooth(const cc_trace *at, const cc_bit *bits, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++)
        if (cc_bit_smooth(at, &bits[i]))
            return true;
    return false;
}

static bool is_constant(const cc_bit *b, unsigned value) {
    return b->origin == ORIGIN_CONSTANT && b->index == value;
}

static void fill(cc_bit *bits, unsigned width, cc_bit with) {
    for (unsigned i = 0; i < width; i++)
        bits[i] = with;
}

LLVMValueRef *cc_bits_roots(cc_unit *unit, LLVMValueRef value, size_t *count) {
    cc_map seen = {0};
    LLVMValueRef *found = NULL, *waiting = NULL;
    size_t found_capacity = 0, waiting_count = 1, waiting_capacity = 0;
    *count = 0;
    cc_reserve(unit, &waiting, &waiting_capacity, 1, sizeof *waiting);
    waiting[0] = value;
    while (waiting_count > 0) {
        LLVMValueRef at = waiting[--waiting_count];
        if (LLVMIsConstant(at) || cc_map_get(&seen, at) != CC_NOT_FOUND)
            continue;
        cc_map_put(unit, &seen, at, 0);
        if (!cc_bits_operation(at)) {
            cc_reserve(unit, &found, &found_capacity, *count + 1, sizeof *found);
            found[(*count)++] = at;
            continue;
        }
        unsigned operands = LLVMIsACallInst(at) != NULL ? LLVMGetNumArgOperands(at) : (unsigned)LLVMGetNumOperands(at);
        cc_reserve(unit, &waiting, &waiting_capacity, waiting_count + operands, sizeof *waiting);
        for (unsigned i = 0; i < operands; i++)
            waiting[waiting_count++] = LLVMGetOperand(at, i);
    }
    return found;
}

/* ---- Tracing ---- */

LLVMValueRef cc_bits_constant(LLVMValueRef value, unsigned lane) {
    if (!LLVMIsConstant(value))
        return NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind)
        value = LLVMGetAggregateElement(value, lane);
    return value != NULL && LLVMIsAConstantInt(value) != NULL ? value : NULL;
}

/* Returns the 64 bits of an integer constant from bit `first` on (fewer at its end). `first` is a multiple of 64. */
static uint64_t constant_bits(cc_unit *unit, LLVMValueRef constant, unsigned first) {
    LLVMTypeRef type = LLVMTypeOf(constant);
    if (LLVMGetIntTypeWidth(type) <= 64)
        return LLVMConstIntGetZExtValue(constant);
    LLVMValueRef shifted = LLVMBuildLShr(unit->builder, constant, LLVMConstInt(type, first, false), "");
    return LLVMConstIntGetZExtValue(LLVMBuildTrunc(unit->builder, shifted, unit->i64, ""));
}

enum { ZEROS_DEPTH = 5 };

/* Returns the number of the value's lowest bits that are certainly zero. */
static unsigned zeros_of(LLVMValueRef value, unsigned lane, unsigned depth) {
    unsigned width = cc_bits_width(LLVMTypeOf(value)), least = width, first = 0;
    LLVMValueRef constant = cc_bits_constant(value, lane), by;
    if (constant != NULL)
        return width > 64 || LLVMIsNull(constant) ? (LLVMIsNull(constant) ? width : 0)
                                                  : (unsigned)__builtin_ctzll(LLVMConstIntGetZExtValue(constant));
    if (depth == 0 || LLVMIsAInstruction(value) == NULL)
        return 0;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMShl:
        by = cc_bits_constant(LLVMGetOperand(value, 1), lane);
        least = by != NULL ? zeros_of(LLVMGetOperand(value, 0), lane, depth - 1) : 0;
        least += by != NULL ? (unsigned)LLVMConstIntGetZExtValue(by) : 0;
        return least < width ? least : width;
    case LLVMSelect: first = 1; break;
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPHI:
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
    case LLVMXor: break;
    default: return 0;
    }
    for (unsigned i = first; i < (unsigned)LLVMGetNumOperands(value) && least > 0; i++) {
        unsigned each = zeros_of(LLVMGetOperand(value, i), lane, depth - 1);
        least = each < least ? each : least;
    }
    return least;
}

/* Fills in bits that come from no mantissa: zeros where they are certain. */
static void fill_discrete(LLVMValueRef value, unsigned lane, cc_bit *bits) {
    unsigned width = cc_bits_width(LLVMTypeOf(value)), zeros = zeros_of(value, lane, ZEROS_DEPTH);
    fill(bits, width, discrete_bit);
    fill(bits, zeros < width ? zeros : width, zero_bit);
}

static void trace_leaf_value(const cc_trace *at, LLVMValueRef value, unsigned lane, cc_bit *bits) {
    unsigned width = cc_bits_width(LLVMTypeOf(value));
    LLVMValueRef constant = cc_bits_constant(value, lane);
    if (constant != NULL) {
        for (unsigned i = 0; i < width; i++)
            bits[i] = (cc_bit){NULL, ORIGIN_CONSTANT, constant_bits(at->unit, constant, i / 64 * 64) >> i % 64 & 1, 0};
    } else if (LLVMIsConstant(value)) {
        fill(bits, width, LLVMIsNull(value) ? zero_bit : discrete_bit);
    } else if (!at->varied(at->context, value)) {
        fill_discrete(value, lane, bits);
    } else {
        for (unsigned i = 0; i < width; i++)
            bits[i] = (cc_bit){value, ORIGIN_ROOT, (unsigned char)i, lane};
    }
}

/* Returns the origin of a bit that depends on both bits in a way that is not followed. */
static cc_bit mixed(const cc_trace *at, const cc_bit *a, const cc_bit *b) {
    return cc_bit_smooth(at, a) || cc_bit_smooth(at, b) ? smooth_bit : discrete_bit;
}

static cc_bit combine(const cc_trace *at, LLVMOpcode opcode, const cc_bit *a, const cc_bit *b) {
    unsigned neutral = opcode == LLVMAnd ? 1 : 0;
    if (is_constant(a, neutral))
        return *b;
    if (is_constant(b, neutral))
        return *a;
    if (opcode != LLVMXor && (is_constant(a, !neutral) || is_constant(b, !neutral)))
        return (cc_bit){NULL, ORIGIN_CONSTANT, !neutral, 0};
    return mixed(at, a, b);
}

/* Returns true for operations and selects, whose operands are followed. (A select may choose between masks.) */
static bool is_of_others(LLVMValueRef value) {
    return cc_bits_operation(value) || LLVMIsASelectInst(value) != NULL;
}

static bool comes_from(LLVMValueRef value, LLVMValueRef root, unsigned depth) {
    bool found = value == root;
    for (unsigned i = 0; depth > 0 && is_of_others(value) && i < (unsigned)LLVMGetNumOperands(value) && !found; i++)
        found = comes_from(LLVMGetOperand(value, i), root, depth - 1);
    return found;
}

/* Returns the root that both the bits of a number and a mask (or the amount of a shift) come from; NULL: none. */
static LLVMValueRef common_root(const cc_trace *at, LLVMValueRef number, LLVMValueRef mask) {
    size_t count;
    LLVMValueRef *roots = cc_bits_roots(at->unit, number, &count);
    for (size_t i = 0; i < count; i++)
        if (at->varied(at->context, roots[i]) && comes_from(mask, roots[i], MOVED_DEPTH))
            return roots[i];
    return NULL;
}

/* Returns true if the mask was shifted by an amount that is computed. */
static bool is_moved(LLVMValueRef mask, unsigned depth) {
    if (depth == 0 || !is_of_others(mask))
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(mask);
    bool shift = opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr;
    bool moved = shift && !LLVMIsConstant(LLVMGetOperand(mask, 1));
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(mask) && !moved; i++)
        moved = is_moved(LLVMGetOperand(mask, i), depth - 1);
    return moved;
}

/* Returns the number whose bits after the binary point a mask or a shift to the right clears, because the mask, or the
 * amount of the shift, is computed from the number's own exponent. Programs round to integers in this way. */
static LLVMValueRef cut_root(const cc_trace *at, LLVMValueRef value, const cc_bit *bits, const cc_bit *by,
                             unsigned width) {
    bool one = cc_bits_any_smooth(at, bits, 0, width), other = cc_bits_any_smooth(at, by, 0, width);
    LLVMValueRef mask = LLVMGetOperand(value, one ? 1 : 0);
    if (one == other || (LLVMGetInstructionOpcode(value) == LLVMAnd && !is_moved(mask, MOVED_DEPTH)))
        return NULL;
    return common_root(at, LLVMGetOperand(value, one ? 0 : 1), mask);
}

/* Traces a sum. There is no carry below the first bit that both operands have. Above a mantissa only its carries
 * matter, which are piecewise constant. */
static void trace_sum(const cc_trace *at, LLVMOpcode opcode, const cc_bit *a, const cc_bit *b, unsigned width,
                      cc_bit *sum) {
    bool carries = false, smooth = false;
    unsigned smooth_end = width;
    while (smooth_end > 0 && !cc_bit_smooth(at, &a[smooth_end - 1]) && !cc_bit_smooth(at, &b[smooth_end - 1]))
        smooth_end--;
    for (unsigned i = 0; i < width; i++) {
        bool first = is_constant(&b[i], 0), second = opcode == LLVMAdd && is_constant(&a[i], 0);
        if (!carries && (first || second)) {
            sum[i] = first ? a[i] : b[i];
            continue;
        }
        carries = true;
        smooth = smooth || cc_bit_smooth(at, &a[i]) || cc_bit_smooth(at, &b[i]);
        sum[i] = smooth && i < smooth_end ? smooth_bit : discrete_bit;
    }
}

static void trace_shift(const cc_trace *at, LLVMValueRef value, unsigned lane, unsigned depth, const cc_bit *from,
                        unsigned width, cc_bit *bits) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef amount = cc_bits_constant(LLVMGetOperand(value, 1), lane);
    if (amount == NULL || LLVMConstIntGetZExtValue(amount) >= width) {
        cc_bit by[MOST_BITS], cut = {NULL, ORIGIN_DISCRETE, 0, 0};
        cc_bits_follow(at, LLVMGetOperand(value, 1), lane, depth + 1, by);
        cut.root = amount == NULL && opcode != LLVMShl ? cut_root(at, value, from, by, width) : NULL;
        bool smooth = cc_bits_any_smooth(at, from, 0, width) || cc_bits_any_smooth(at, by, 0, width);
        fill(bits, width, cut.root != NULL ? cut : smooth ? smooth_bit : discrete_bit);
        return;
    }
    unsigned by = (unsigned)LLVMConstIntGetZExtValue(amount);
    cc_bit top = opcode == LLVMAShr ? from[width - 1] : zero_bit;
    if (opcode == LLVMAShr && top.origin != ORIGIN_CONSTANT)
        top = cc_bit_smooth(at, &top) ? smooth_bit : discrete_bit;
    for (unsigned i = 0; i < width; i++)
        if (opcode == LLVMShl)
            bits[i] = i < by ? zero_bit : from[i - by];
        else
            bits[i] = i + by < width ? from[i + by] : top;
}

static void trace_widened(const cc_trace *at, LLVMOpcode opcode, const cc_bit *from, unsigned had, unsigned width,
                          cc_bit *bits) {
    cc_bit top = zero_bit;
    if (opcode == LLVMSExt && had > 0)
        top = from[had - 1].origin == ORIGIN_CONSTANT ? from[had - 1]
              : cc_bit_smooth(at, &from[had - 1])     ? smooth_bit
                                                      : discrete_bit;
    for (unsigned i = 0; i < width; i++)
        bits[i] = i < had ? from[i] : top;
}

static void trace_swapped(const cc_bit *from, unsigned width, cc_bit *bits) {
    for (unsigned i = 0; i < width; i++)
        bits[i] = from[width - 8 - i / 8 * 8 + i % 8];
}

/* Traces an intrinsic of the processor, which may move any lane to any other. */
static void trace_machine(const cc_trace *at, LLVMValueRef value, unsigned depth, cc_bit *bits) {
    cc_bit from[MOST_BITS];
    bool smooth = false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(value); i++) {
        LLVMValueRef operand = LLVMGetOperand(value, i);
        LLVMTypeRef type = LLVMTypeOf(operand);
        unsigned lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
        for (unsigned lane = 0; lane < lanes && !smooth; lane++) {
            cc_bits_follow(at, operand, lane, depth + 1, from);
            smooth = cc_bits_any_smooth(at, from, 0, cc_bits_width(type));
        }
    }
    fill(bits, cc_bits_width(LLVMTypeOf(value)), smooth ? smooth_bit : discrete_bit);
}

static void trace_operation(const cc_trace *at, LLVMValueRef value, unsigned lane, unsigned depth, cc_bit *bits) {
    cc_bit first[MOST_BITS], second[MOST_BITS];
    LLVMValueRef a = LLVMGetOperand(value, 0);
    if (is_machine_operation(value)) {
        trace_machine(at, value, depth, bits);
        return;
    }
    unsigned width = cc_bits_width(LLVMTypeOf(value)), had = cc_bits_width(LLVMTypeOf(a));
    cc_bits_follow(at, a, lane, depth + 1, first);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    switch (opcode) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr: trace_widened(at, opcode, first, had, width, bits); return;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: trace_shift(at, value, lane, depth, first, width, bits); return;
    case LLVMCall:
        if (is_intrinsic(value, "llvm.bswap.")) {
            trace_swapped(first, width, bits);
            return;
        }
        break;
    default: break;
    }
    unsigned operands = opcode == LLVMCall ? LLVMGetNumArgOperands(value) : (unsigned)LLVMGetNumOperands(value);
    if (operands < 2 || cc_bits_width(LLVMTypeOf(LLVMGetOperand(value, 1))) != width) {
        fill(bits, width, cc_bits_any_smooth(at, first, 0, width) ? smooth_bit : discrete_bit);
        return;
    }
    cc_bits_follow(at, LLVMGetOperand(value, 1), lane, depth + 1, second);
    if (opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor) {
        LLVMValueRef cut = opcode == LLVMAnd ? cut_root(at, value, first, second, width) : NULL;
        for (unsigned i = 0; i < width; i++) {
            bits[i] = combine(at, opcode, &first[i], &second[i]);
            if (cut != NULL && bits[i].origin == ORIGIN_SMOOTH)
                bits[i] = (cc_bit){cut, ORIGIN_DISCRETE, 0, 0};
        }
    } else if (opcode == LLVMAdd || opcode == LLVMSub) {
        trace_sum(at, opcode, first, second, width, bits);
    } else {
        bool smooth = cc_bits_any_smooth(at, first, 0, width) || cc_bits_any_smooth(at, second, 0, width);
        fill(bits, width, smooth ? smooth_bit : discrete_bit);
    }
}

/* Returns true for a choice between integers, such as masks, neither of which has bits of a mantissa of this kind. */
static bool is_discrete_choice(const cc_trace *at, LLVMValueRef value, unsigned lane, unsigned depth, cc_bit *bits) {
    unsigned width = cc_bits_width(LLVMTypeOf(value));
    if (LLVMIsASelectInst(value) == NULL || !at->varied(at->context, value) || depth >= at->depth || *at->left == 0)
        return false;
    --*at->left;
    for (unsigned side = 1; side <= 2; side++) {
        cc_bits_follow(at, LLVMGetOperand(value, side), lane, depth + 1, bits);
        if (cc_bits_any_smooth(at, bits, 0, width))
            return false;
    }
    fill_discrete(value, lane, bits);
    return true;
}

void cc_bits_follow(const cc_trace *at, LLVMValueRef value, unsigned lane, unsigned depth, cc_bit *bits) {
    unsigned width = cc_bits_width(LLVMTypeOf(value));
    if (width <= MOST_BITS && is_discrete_choice(at, value, lane, depth, bits))
        return;
    if (!cc_bits_operation(value) && width <= MOST_BITS)
        trace_leaf_value(at, value, lane, bits);
    else if (width > MOST_BITS || depth > at->depth || *at->left == 0 ||
             cc_bits_width(LLVMTypeOf(LLVMGetOperand(value, 0))) > MOST_BITS)
        fill(bits, width < MOST_BITS ? width : MOST_BITS, smooth_bit);
    else {
        --*at->left;
        trace_operation(at, value, lane, depth, bits);
    }
}
