/* Traces bits through integer operations: see bits.h.
 *
 * A vector is traced lane by lane, and once for each kind of number that its bits may be: that decides which of them
 * are mantissa. A word is 32 bits, or the 8 or 16 that there are; it has a leaf of each kind. */
#include "cc/bits.h"

#include "cc/leaves.h"
#include "cc/program.h"

#include <string.h>

enum {
    BYTE = 8,
    WORD = 32,
    MOST_BITS = 128,
    MOST_DEPTH = 24,
    MOST_OPERATIONS = 200,
    LONG_DEPTH = 160, /* for 80 bits: LLVM moves long doubles byte by byte through registers */
    LONG_OPERATIONS = 5000,
    FLOAT_MANTISSA = 23,
    DOUBLE_MANTISSA = 52,
    LONG_MANTISSA = 64,
    LONG_BITS = 80
};

typedef enum origin {
    ORIGIN_CONSTANT, /* `index` is the bit */
    ORIGIN_ROOT,     /* bit `index` of the root's lane */
    ORIGIN_DISCRETE, /* of something, but of no number's mantissa */
    ORIGIN_SMOOTH,   /* of a mantissa, in a way that was not followed */
} origin;

typedef struct bit {
    LLVMValueRef root;
    unsigned char origin, index;
    unsigned lane;
} bit;

typedef struct trace {
    cc_unit *unit;
    unsigned slot; /* of the leaves of a word: those of `kind` */
    verso_native_kind kind;
    bool (*varied)(void *, LLVMValueRef);
    void *context;
    unsigned depth; /* of operations one within the other, at most */
    unsigned *left; /* operations that may still be followed: chains that meet again and again grow without bound */
} trace;

static const bit zero_bit = {NULL, ORIGIN_CONSTANT, 0, 0};
static const bit discrete_bit = {NULL, ORIGIN_DISCRETE, 0, 0};
static const bit smooth_bit = {NULL, ORIGIN_SMOOTH, 0, 0};

/* ---- Types ---- */

static LLVMTypeRef scalar_of(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* Bits of one lane of an integer, a pointer or a vector of them; 0 for all else. */
static unsigned width_of(LLVMTypeRef type) {
    LLVMTypeRef scalar = scalar_of(type);
    switch (LLVMGetTypeKind(scalar)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(scalar);
    case LLVMPointerTypeKind: return 64;
    default: return 0;
    }
}

/* How many words a lane has that have leaves. */
static unsigned words_of(LLVMTypeRef type) {
    unsigned width = width_of(type);
    if (width == BYTE || width == 2 * BYTE)
        return 1;
    return width % WORD == 0 || width == LONG_BITS ? width / WORD : 0;
}

static bool is_intrinsic(LLVMValueRef value, const char *name) {
    return LLVMIsACallInst(value) != NULL && strncmp(cc_callee_name(value), name, strlen(name)) == 0;
}

bool cc_bits_operation(LLVMValueRef value) {
    if (LLVMIsAInstruction(value) == NULL || width_of(LLVMTypeOf(value)) == 0)
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
        return false;
    default: return false;
    }
}

/* ---- Roots ---- */

static unsigned leaf_of(const trace *at, LLVMValueRef root, unsigned lane, unsigned word) {
    return (lane * words_of(LLVMTypeOf(root)) + word) * cc_kind_count(at->unit) + at->slot;
}

static unsigned root_leaf(const trace *at, const bit *b) {
    return leaf_of(at, b->root, b->lane, b->index / WORD);
}

/* A float, half a double (of an integer of 32 bits nobody knows which), or a part of a long double. */
typedef enum word_kind { WORD_FLOAT, WORD_LOW, WORD_HIGH, WORD_HALF, WORD_LONG } word_kind;

/* What a word of a number that was taken for an integer is. False: it was none. */
static bool kind_of_cast(cc_unit *unit, LLVMValueRef root, uint64_t offset, word_kind *kind) {
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

static word_kind kind_of_word(const trace *at, const bit *b) {
    word_kind kind;
    if (kind_of_cast(at->unit, b->root, cc_leaf_offset(at->unit, LLVMTypeOf(b->root), root_leaf(at, b)), &kind))
        return kind;
    if (at->kind != VERSO_NATIVE_DOUBLE)
        return at->kind == VERSO_NATIVE_FLOAT ? WORD_FLOAT : WORD_LONG;
    if (words_of(LLVMTypeOf(b->root)) < 2)
        return WORD_HALF;
    return b->index / WORD % 2 == 0 ? WORD_LOW : WORD_HIGH;
}

static bool in_mantissa(const trace *at, const bit *b) {
    unsigned width = width_of(LLVMTypeOf(b->root));
    if (width == LONG_BITS && at->kind == VERSO_NATIVE_LONG)
        return b->index < LONG_MANTISSA;
    if (width % WORD != 0)
        return true;
    switch (kind_of_word(at, b)) {
    case WORD_FLOAT: return b->index % WORD < FLOAT_MANTISSA;
    case WORD_HIGH: return b->index % WORD < DOUBLE_MANTISSA - WORD;
    default: return true;
    }
}

static bool is_smooth(const trace *at, const bit *b) {
    return b->origin == ORIGIN_SMOOTH || (b->origin == ORIGIN_ROOT && in_mantissa(at, b));
}

static bool any_smooth(const trace *at, const bit *bits, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++)
        if (is_smooth(at, &bits[i]))
            return true;
    return false;
}

static bool is_constant(const bit *b, unsigned value) {
    return b->origin == ORIGIN_CONSTANT && b->index == value;
}

static void fill(bit *bits, unsigned width, bit with) {
    for (unsigned i = 0; i < width; i++)
        bits[i] = with;
}

/* ---- Tracing ---- */

static void trace_bits(const trace *at, LLVMValueRef value, unsigned lane, unsigned depth, bit *bits);

/* The integer constant in a lane; NULL when it is none. */
static LLVMValueRef constant_in_lane(LLVMValueRef value, unsigned lane) {
    if (!LLVMIsConstant(value))
        return NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind)
        value = LLVMGetAggregateElement(value, lane);
    return value != NULL && LLVMIsAConstantInt(value) != NULL ? value : NULL;
}

/* 64 bits of an integer constant, or less, from a multiple of 64 on. */
static uint64_t constant_bits(cc_unit *unit, LLVMValueRef constant, unsigned first) {
    LLVMTypeRef type = LLVMTypeOf(constant);
    if (LLVMGetIntTypeWidth(type) <= 64)
        return LLVMConstIntGetZExtValue(constant);
    LLVMValueRef shifted = LLVMBuildLShr(unit->builder, constant, LLVMConstInt(type, first, false), "");
    return LLVMConstIntGetZExtValue(LLVMBuildTrunc(unit->builder, shifted, unit->i64, ""));
}

static void trace_leaf_value(const trace *at, LLVMValueRef value, unsigned lane, bit *bits) {
    unsigned width = width_of(LLVMTypeOf(value));
    LLVMValueRef constant = constant_in_lane(value, lane);
    if (constant != NULL) {
        for (unsigned i = 0; i < width; i++)
            bits[i] = (bit){NULL, ORIGIN_CONSTANT, constant_bits(at->unit, constant, i / 64 * 64) >> i % 64 & 1, 0};
    } else if (LLVMIsConstant(value)) {
        fill(bits, width, LLVMIsNull(value) ? zero_bit : discrete_bit);
    } else if (!at->varied(at->context, value)) {
        fill(bits, width, discrete_bit);
    } else {
        for (unsigned i = 0; i < width; i++)
            bits[i] = (bit){value, ORIGIN_ROOT, (unsigned char)i, lane};
    }
}

/* Both bits matter, and how they do is not followed. */
static bit mixed(const trace *at, const bit *a, const bit *b) {
    return is_smooth(at, a) || is_smooth(at, b) ? smooth_bit : discrete_bit;
}

static bit combine(const trace *at, LLVMOpcode opcode, const bit *a, const bit *b) {
    unsigned neutral = opcode == LLVMAnd ? 1 : 0;
    if (is_constant(a, neutral))
        return *b;
    if (is_constant(b, neutral))
        return *a;
    if (opcode != LLVMXor && (is_constant(a, !neutral) || is_constant(b, !neutral)))
        return (bit){NULL, ORIGIN_CONSTANT, !neutral, 0};
    return mixed(at, a, b);
}

/* Below the first bit that both have nothing is carried. */
static void trace_sum(const trace *at, LLVMOpcode opcode, const bit *a, const bit *b, unsigned width, bit *sum) {
    bool carries = false, smooth = false;
    for (unsigned i = 0; i < width; i++) {
        bool first = is_constant(&b[i], 0), second = opcode == LLVMAdd && is_constant(&a[i], 0);
        if (!carries && (first || second)) {
            sum[i] = first ? a[i] : b[i];
            continue;
        }
        carries = true;
        smooth = smooth || is_smooth(at, &a[i]) || is_smooth(at, &b[i]);
        sum[i] = smooth ? smooth_bit : discrete_bit;
    }
}

static void trace_shift(const trace *at, LLVMValueRef value, unsigned lane, const bit *from, unsigned width,
                        bit *bits) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef amount = constant_in_lane(LLVMGetOperand(value, 1), lane);
    if (amount == NULL || LLVMConstIntGetZExtValue(amount) >= width) {
        fill(bits, width, any_smooth(at, from, 0, width) ? smooth_bit : discrete_bit);
        return;
    }
    unsigned by = (unsigned)LLVMConstIntGetZExtValue(amount);
    bit top = opcode == LLVMAShr ? from[width - 1] : zero_bit;
    if (opcode == LLVMAShr && top.origin != ORIGIN_CONSTANT)
        top = is_smooth(at, &top) ? smooth_bit : discrete_bit;
    for (unsigned i = 0; i < width; i++)
        if (opcode == LLVMShl)
            bits[i] = i < by ? zero_bit : from[i - by];
        else
            bits[i] = i + by < width ? from[i + by] : top;
}

static void trace_widened(const trace *at, LLVMOpcode opcode, const bit *from, unsigned had, unsigned width,
                          bit *bits) {
    bit top = zero_bit;
    if (opcode == LLVMSExt && had > 0)
        top = from[had - 1].origin == ORIGIN_CONSTANT ? from[had - 1]
              : is_smooth(at, &from[had - 1])         ? smooth_bit
                                                      : discrete_bit;
    for (unsigned i = 0; i < width; i++)
        bits[i] = i < had ? from[i] : top;
}

static void trace_swapped(const bit *from, unsigned width, bit *bits) {
    for (unsigned i = 0; i < width; i++)
        bits[i] = from[width - 8 - i / 8 * 8 + i % 8];
}

static void trace_operation(const trace *at, LLVMValueRef value, unsigned lane, unsigned depth, bit *bits) {
    bit first[MOST_BITS], second[MOST_BITS];
    LLVMValueRef a = LLVMGetOperand(value, 0);
    unsigned width = width_of(LLVMTypeOf(value)), had = width_of(LLVMTypeOf(a));
    trace_bits(at, a, lane, depth + 1, first);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    switch (opcode) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr: trace_widened(at, opcode, first, had, width, bits); return;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: trace_shift(at, value, lane, first, width, bits); return;
    case LLVMCall:
        if (is_intrinsic(value, "llvm.bswap.")) {
            trace_swapped(first, width, bits);
            return;
        }
        break;
    default: break;
    }
    unsigned operands = opcode == LLVMCall ? LLVMGetNumArgOperands(value) : (unsigned)LLVMGetNumOperands(value);
    if (operands < 2 || width_of(LLVMTypeOf(LLVMGetOperand(value, 1))) != width) {
        fill(bits, width, any_smooth(at, first, 0, width) ? smooth_bit : discrete_bit);
        return;
    }
    trace_bits(at, LLVMGetOperand(value, 1), lane, depth + 1, second);
    if (opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor) {
        for (unsigned i = 0; i < width; i++)
            bits[i] = combine(at, opcode, &first[i], &second[i]);
    } else if (opcode == LLVMAdd || opcode == LLVMSub) {
        trace_sum(at, opcode, first, second, width, bits);
    } else {
        bool smooth = any_smooth(at, first, 0, width) || any_smooth(at, second, 0, width);
        fill(bits, width, smooth ? smooth_bit : discrete_bit);
    }
}

static void trace_bits(const trace *at, LLVMValueRef value, unsigned lane, unsigned depth, bit *bits) {
    unsigned width = width_of(LLVMTypeOf(value));
    if (!cc_bits_operation(value) && width <= MOST_BITS)
        trace_leaf_value(at, value, lane, bits);
    else if (width > MOST_BITS || depth > at->depth || *at->left == 0 ||
             width_of(LLVMTypeOf(LLVMGetOperand(value, 0))) > MOST_BITS)
        fill(bits, width < MOST_BITS ? width : MOST_BITS, smooth_bit);
    else {
        --*at->left;
        trace_operation(at, value, lane, depth, bits);
    }
}

/* ---- What the bits amount to ---- */

/* Whether bits[0 .. count) are bits of one root, in its order, from a multiple of `start` bits on. */
static bool in_sequence(const bit *bits, unsigned count, unsigned start) {
    if (bits[0].origin != ORIGIN_ROOT || bits[0].index % start != 0 || words_of(LLVMTypeOf(bits[0].root)) == 0)
        return false;
    for (unsigned i = 1; i < count; i++)
        if (bits[i].origin != ORIGIN_ROOT || bits[i].root != bits[0].root || bits[i].lane != bits[0].lane ||
            bits[i].index != bits[0].index + i)
            return false;
    return true;
}

/* The same, from the start of a word on. */
static bool in_order(const bit *bits, unsigned count) {
    return in_sequence(bits, count, WORD);
}

/* Bytes of roots side by side, each whole. A derivative is where the first byte of a word is. */
static bool joined_bytes(const trace *at, const bit *bits, unsigned count, cc_bits *joined) {
    unsigned others = 0;
    *joined = (cc_bits){.kind = CC_BITS_JOINED};
    for (unsigned i = 0; i < count; i += BYTE) {
        const bit *byte = bits + i;
        if (!in_sequence(byte, BYTE, BYTE))
            return false;
        if (byte->index % WORD != 0)
            continue;
        if (i == 0) {
            joined->root = byte->root;
            joined->leaf = root_leaf(at, byte);
        } else {
            joined->others[others] = byte->root;
            joined->other_leaf[others++] = root_leaf(at, byte);
        }
    }
    return true;
}

static bool is_of_other_kind(const trace *at, word_kind kind) {
    return at->kind == VERSO_NATIVE_FLOAT ? kind != WORD_FLOAT : kind == WORD_FLOAT;
}

/* Whether both are integers of 32 bits as they were loaded, one by one. */
static bool are_loaded(const bit *word, const bit *beside) {
    return word->root != beside->root && LLVMIsALoadInst(word->root) != NULL && LLVMIsALoadInst(beside->root) != NULL &&
           width_of(LLVMTypeOf(word->root)) == WORD && width_of(LLVMTypeOf(beside->root)) == WORD;
}

/* A word that came along whole, next to another. Half a double is worth nothing without its other half, which is the
 * word beside it in the same root; or in another one, where the halves were loaded one by one. */
static cc_bits_kind kind_of_copy(const trace *at, const bit *word, const bit *beside) {
    word_kind kind = kind_of_word(at, word);
    if (is_of_other_kind(at, kind))
        return CC_BITS_LOST;
    if (kind == WORD_FLOAT || kind == WORD_HIGH || beside == NULL)
        return CC_BITS_COPY;
    if (!in_order(beside, WORD))
        return CC_BITS_LOST;
    bool partner = beside->root == word->root && beside->lane == word->lane && beside->index == word->index + WORD;
    return partner || are_loaded(word, beside) ? CC_BITS_COPY : CC_BITS_LOST;
}

/* A bit of the mantissa of something that is certainly a number. */
static bool is_of_number(const trace *at, const bit *b) {
    word_kind kind;
    return b->origin == ORIGIN_ROOT && in_mantissa(at, b) &&
           kind_of_cast(at->unit, b->root, cc_leaf_offset(at->unit, LLVMTypeOf(b->root), root_leaf(at, b)), &kind);
}

/* A word that has the first bits of a double's mantissa, or a part of a long double, made of bits of a number: as they
 * were in whatever word of theirs, or anyhow. Other bits there are likely those of an exponent that was computed. */
static bool is_head(const trace *at, const bit *word) {
    bool number = at->kind != VERSO_NATIVE_FLOAT && in_order(word, DOUBLE_MANTISSA - WORD);
    for (unsigned i = 0; at->kind != VERSO_NATIVE_FLOAT && i < WORD && !number; i++)
        number = is_of_number(at, &word[i]);
    return number;
}

/* The same where half a double must be beside them, of bytes, too. */
static bool joined_word(const trace *at, const bit *word, unsigned width, const bit *beside, cc_bits *joined) {
    cc_bits other;
    bool alone = beside == NULL || at->kind != VERSO_NATIVE_DOUBLE;
    return joined_bytes(at, word, width, joined) && (alone || joined_bytes(at, beside, WORD, &other));
}

static cc_bits word_of_bits(const trace *at, const bit *word, unsigned width, const bit *beside) {
    cc_bits found = {.kind = CC_BITS_NOTHING};
    if (in_order(word, width)) {
        found = (cc_bits){.kind = kind_of_copy(at, word, beside), .root = word->root, .leaf = root_leaf(at, word)};
        if (at->kind == VERSO_NATIVE_DOUBLE && beside != NULL && in_order(beside, WORD) && are_loaded(word, beside))
            found.partner = beside->root;
    } else if (!any_smooth(at, word, 0, width)) {
        if (beside != NULL && is_head(at, beside)) /* whose last 32 bits were replaced */
            found.kind = CC_BITS_LOST;
        else if (beside != NULL && at->kind == VERSO_NATIVE_DOUBLE && any_smooth(at, beside, 0, WORD))
            found.kind = CC_BITS_LOST;
    } else if (joined_word(at, word, width, beside, &found)) {
        return found;
    } else {
        found = (cc_bits){.kind = CC_BITS_LOST};
        if (at->kind == VERSO_NATIVE_FLOAT && width == WORD && in_order(word, FLOAT_MANTISSA) &&
            kind_of_word(at, word) == WORD_FLOAT)
            found = (cc_bits){.kind = CC_BITS_SCALED, .root = word->root, .leaf = root_leaf(at, word)};
    }
    return found;
}

/* Two words that are one double. */
static bool is_double(const trace *at, const bit *bits) {
    return at->kind == VERSO_NATIVE_DOUBLE && in_order(bits, DOUBLE_MANTISSA) && bits->index % (2 * WORD) == 0 &&
           !in_order(bits, 2 * WORD) && kind_of_word(at, bits) == WORD_LOW;
}

/* 80 bits that are one long double. */
static cc_bits long_of_bits(const trace *at, const bit *bits) {
    cc_bits found = {.kind = CC_BITS_NOTHING};
    if (in_order(bits, LONG_BITS))
        found = (cc_bits){.kind = CC_BITS_COPY, .root = bits->root, .leaf = root_leaf(at, bits)};
    else if (any_smooth(at, bits, 0, LONG_MANTISSA) && !joined_bytes(at, bits, LONG_BITS, &found))
        found = (cc_bits){.kind = CC_BITS_LOST};
    return found;
}

static void trace_lane(const trace *at, LLVMValueRef value, unsigned lane, cc_bits *leaves) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned width = width_of(type), words = words_of(type), kinds = cc_kind_count(at->unit);
    bit bits[MOST_BITS];
    if (width <= MOST_BITS)
        trace_bits(at, value, lane, 0, bits);
    for (unsigned w = 0; w < words; w++) {
        const bit *word = bits + w * WORD;
        const bit *beside = w % 2 == 0 && w + 1 < words ? word + WORD : NULL;
        cc_bits *leaf = &leaves[w * kinds + at->slot];
        if (width > MOST_BITS) {
            *leaf = (cc_bits){.kind = CC_BITS_LOST};
        } else if (width == LONG_BITS && at->kind == VERSO_NATIVE_LONG) {
            *leaf = w == 0 ? long_of_bits(at, bits) : (cc_bits){.kind = CC_BITS_NOTHING};
        } else if (beside != NULL && is_double(at, word)) {
            *leaf = (cc_bits){.kind = CC_BITS_SCALED, .root = word->root, .leaf = root_leaf(at, word), .wide = true};
            leaves[++w * kinds + at->slot] = (cc_bits){.kind = CC_BITS_NOTHING};
        } else {
            *leaf = word_of_bits(at, word, width < WORD ? width : WORD, beside);
        }
    }
}

void cc_bits_trace(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                   cc_bits *leaves) {
    unsigned kinds = cc_kind_count(unit), each = words_of(LLVMTypeOf(value)) * kinds;
    bool is_long = width_of(LLVMTypeOf(value)) == LONG_BITS;
    for (unsigned slot = 0; slot < kinds; slot++) {
        unsigned left = is_long ? LONG_OPERATIONS : MOST_OPERATIONS;
        trace at = {unit, slot, cc_kind_at(unit, slot), varied, context, is_long ? LONG_DEPTH : MOST_DEPTH, &left};
        for (unsigned leaf = 0; leaf < cc_leaf_count(unit, LLVMTypeOf(value)); leaf += each)
            trace_lane(&at, value, leaf / each, leaves + leaf);
    }
}

/* Whether its leaves of one kind are leaves of one root, as far apart as there. */
static bool copied_as(cc_unit *unit, LLVMTypeRef type, const cc_bits *leaves, unsigned slot, cc_bits_origin *origin) {
    unsigned count = cc_leaf_count(unit, type), kinds = cc_kind_count(unit);
    bool together = true;
    for (unsigned i = slot; i < count; i += kinds) {
        if (leaves[i].kind != CC_BITS_COPY)
            return false;
        LLVMValueRef root = leaves[i].root;
        uint64_t from = cc_leaf_offset(unit, LLVMTypeOf(root), leaves[i].leaf);
        if (i == slot)
            *origin = (cc_bits_origin){root, from};
        together = together && root == origin->root && from - cc_leaf_offset(unit, type, i) == origin->offset;
    }
    if (!together)
        origin->root = NULL;
    return count > 0;
}

bool cc_bits_copied(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                    cc_bits_origin *origin) {
    LLVMTypeRef type = LLVMTypeOf(value);
    *origin = (cc_bits_origin){value, 0};
    if (!varied(context, value) || !cc_bits_operation(value))
        return varied(context, value);
    cc_bits *leaves = cc_alloc(unit, cc_leaf_count(unit, type), sizeof *leaves);
    cc_bits_trace(unit, value, varied, context, leaves);
    for (unsigned slot = 0; slot < cc_kind_count(unit); slot++)
        if (copied_as(unit, type, leaves, slot, origin))
            return true;
    return false;
}

/* ---- Roots and numbers ---- */

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

LLVMValueRef cc_bits_apart(cc_unit *unit, LLVMValueRef address, LLVMValueRef partner) {
    LLVMValueRef first = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    LLVMValueRef second = LLVMBuildPtrToInt(unit->builder, partner, unit->i64, "");
    LLVMValueRef next = LLVMBuildAdd(unit->builder, first, cc_i64(unit, 4), "");
    return LLVMBuildICmp(unit->builder, LLVMIntNE, next, second, "");
}

LLVMValueRef cc_bits_number(cc_unit *unit, LLVMValueRef value, unsigned leaf, bool wide) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned words = words_of(type), word = leaf / cc_kind_count(unit);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        value = LLVMBuildExtractElement(unit->builder, value, LLVMConstInt(unit->i32, word / words, false), "");
    if (LLVMGetTypeKind(scalar_of(type)) == LLVMPointerTypeKind)
        value = LLVMBuildPtrToInt(unit->builder, value, unit->i64, "");
    LLVMTypeRef integer = wide ? unit->i64 : unit->i32;
    if (word % words > 0)
        value = LLVMBuildLShr(unit->builder, value, LLVMConstInt(LLVMTypeOf(value), word % words * WORD, false), "");
    if (LLVMTypeOf(value) != integer)
        value = LLVMBuildTrunc(unit->builder, value, integer, "");
    value = LLVMBuildBitCast(unit->builder, value, wide ? unit->f64 : unit->f32, "");
    return wide ? value : LLVMBuildFPExt(unit->builder, value, unit->f64, "");
}
