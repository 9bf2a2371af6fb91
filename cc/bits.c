/* Traces bits through integer operations: see bits.h.
 *
 * A vector is traced lane by lane; leaf `l` of an integer, pointer or vector of them is word `l % words` of lane
 * `l / words`, a word being 32 bits, or the 8 or 16 that there are. A root of which nothing more is known counts as a
 * double when it is 64 bits wide and as a float when 32: that decides which of its bits are mantissa. */
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
    FLOAT_MANTISSA = 23,
    DOUBLE_MANTISSA = 52
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
    bool (*varied)(void *, LLVMValueRef);
    void *context;
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

/* How many leaves a lane has. */
static unsigned words_of(LLVMTypeRef type) {
    unsigned width = width_of(type);
    if (width == BYTE || width == 2 * BYTE)
        return 1;
    return width % WORD == 0 ? width / WORD : 0;
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

typedef enum word_kind { WORD_UNKNOWN, WORD_FLOAT, WORD_LOW, WORD_HIGH } word_kind; /* a float, or half a double */

/* What a word of a root is, when the root is a number taken for an integer, or when only doubles have derivatives. */
static word_kind kind_of_word(cc_unit *unit, LLVMValueRef root, unsigned leaf) {
    if (LLVMIsABitCastInst(root) == NULL && unit->program->doubles_only && words_of(LLVMTypeOf(root)) > 1)
        return leaf % 2 == 0 ? WORD_LOW : WORD_HIGH;
    if (LLVMIsABitCastInst(root) == NULL)
        return WORD_UNKNOWN;
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(root, 0));
    uint64_t offset = cc_leaf_offset(unit, LLVMTypeOf(root), leaf);
    for (unsigned i = 0; i < cc_leaf_count(unit, from); i++) {
        LLVMTypeKind kind = LLVMGetTypeKind(cc_leaf_type(unit, from, i));
        uint64_t at = cc_leaf_offset(unit, from, i);
        if (kind == LLVMFloatTypeKind && at == offset)
            return WORD_FLOAT;
        if (kind == LLVMDoubleTypeKind && at == offset)
            return WORD_LOW;
        if (kind == LLVMDoubleTypeKind && at + 4 == offset)
            return WORD_HIGH;
    }
    return WORD_UNKNOWN;
}

static unsigned leaf_of(LLVMValueRef root, unsigned lane, unsigned word) {
    return lane * words_of(LLVMTypeOf(root)) + word;
}

static bool in_mantissa(cc_unit *unit, const bit *b) {
    unsigned width = width_of(LLVMTypeOf(b->root)), word = b->index / WORD, at = b->index % WORD;
    if (width % WORD != 0)
        return true;
    switch (kind_of_word(unit, b->root, leaf_of(b->root, b->lane, word))) {
    case WORD_FLOAT: return at < FLOAT_MANTISSA;
    case WORD_LOW: return true;
    case WORD_HIGH: return at < DOUBLE_MANTISSA - WORD;
    default: return width == WORD ? at < FLOAT_MANTISSA : word % 2 == 0 || at < DOUBLE_MANTISSA - WORD;
    }
}

static bool is_smooth(cc_unit *unit, const bit *b) {
    return b->origin == ORIGIN_SMOOTH || (b->origin == ORIGIN_ROOT && in_mantissa(unit, b));
}

static bool any_smooth(cc_unit *unit, const bit *bits, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++)
        if (is_smooth(unit, &bits[i]))
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

static void trace_leaf_value(const trace *at, LLVMValueRef value, unsigned lane, bit *bits) {
    unsigned width = width_of(LLVMTypeOf(value));
    LLVMValueRef constant = constant_in_lane(value, lane);
    if (constant != NULL && width <= 64) {
        uint64_t number = LLVMConstIntGetZExtValue(constant);
        for (unsigned i = 0; i < width; i++)
            bits[i] = (bit){NULL, ORIGIN_CONSTANT, number >> i & 1, 0};
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
static bit mixed(cc_unit *unit, const bit *a, const bit *b) {
    return is_smooth(unit, a) || is_smooth(unit, b) ? smooth_bit : discrete_bit;
}

static bit combine(cc_unit *unit, LLVMOpcode opcode, const bit *a, const bit *b) {
    unsigned neutral = opcode == LLVMAnd ? 1 : 0;
    if (is_constant(a, neutral))
        return *b;
    if (is_constant(b, neutral))
        return *a;
    if (opcode != LLVMXor && (is_constant(a, !neutral) || is_constant(b, !neutral)))
        return (bit){NULL, ORIGIN_CONSTANT, !neutral, 0};
    return mixed(unit, a, b);
}

/* Below the first bit that both have nothing is carried. */
static void trace_sum(cc_unit *unit, LLVMOpcode opcode, const bit *a, const bit *b, unsigned width, bit *sum) {
    bool carries = false, smooth = false;
    for (unsigned i = 0; i < width; i++) {
        bool first = is_constant(&b[i], 0), second = opcode == LLVMAdd && is_constant(&a[i], 0);
        if (!carries && (first || second)) {
            sum[i] = first ? a[i] : b[i];
            continue;
        }
        carries = true;
        smooth = smooth || is_smooth(unit, &a[i]) || is_smooth(unit, &b[i]);
        sum[i] = smooth ? smooth_bit : discrete_bit;
    }
}

static void trace_shift(const trace *at, LLVMValueRef value, unsigned lane, const bit *from, unsigned width,
                        bit *bits) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef amount = constant_in_lane(LLVMGetOperand(value, 1), lane);
    if (amount == NULL || LLVMConstIntGetZExtValue(amount) >= width) {
        fill(bits, width, any_smooth(at->unit, from, 0, width) ? smooth_bit : discrete_bit);
        return;
    }
    unsigned by = (unsigned)LLVMConstIntGetZExtValue(amount);
    bit top = opcode == LLVMAShr ? from[width - 1] : zero_bit;
    if (opcode == LLVMAShr && top.origin != ORIGIN_CONSTANT)
        top = is_smooth(at->unit, &top) ? smooth_bit : discrete_bit;
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
              : is_smooth(at->unit, &from[had - 1])   ? smooth_bit
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
        fill(bits, width, any_smooth(at->unit, first, 0, width) ? smooth_bit : discrete_bit);
        return;
    }
    trace_bits(at, LLVMGetOperand(value, 1), lane, depth + 1, second);
    if (opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor) {
        for (unsigned i = 0; i < width; i++)
            bits[i] = combine(at->unit, opcode, &first[i], &second[i]);
    } else if (opcode == LLVMAdd || opcode == LLVMSub) {
        trace_sum(at->unit, opcode, first, second, width, bits);
    } else {
        bool smooth = any_smooth(at->unit, first, 0, width) || any_smooth(at->unit, second, 0, width);
        fill(bits, width, smooth ? smooth_bit : discrete_bit);
    }
}

static void trace_bits(const trace *at, LLVMValueRef value, unsigned lane, unsigned depth, bit *bits) {
    unsigned width = width_of(LLVMTypeOf(value));
    if (!cc_bits_operation(value) && width <= MOST_BITS)
        trace_leaf_value(at, value, lane, bits);
    else if (width > MOST_BITS || depth > MOST_DEPTH || *at->left == 0 ||
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

static unsigned root_leaf(const bit *b) {
    return leaf_of(b->root, b->lane, b->index / WORD);
}

static bool all_zero(const bit *bits, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (!is_constant(&bits[i], 0))
            return false;
    return true;
}

/* Bytes of roots side by side, each whole. A derivative is where the first byte of a word is. */
static bool joined_bytes(const bit *bits, unsigned count, cc_bits *joined) {
    unsigned others = 0;
    *joined = (cc_bits){.kind = CC_BITS_JOINED};
    for (unsigned at = 0; at < count; at += BYTE) {
        const bit *byte = bits + at;
        if (!in_sequence(byte, BYTE, BYTE))
            return false;
        if (byte->index % WORD != 0)
            continue;
        if (at == 0) {
            joined->root = byte->root;
            joined->leaf = root_leaf(byte);
        } else {
            joined->others[others] = byte->root;
            joined->other_leaf[others++] = root_leaf(byte);
        }
    }
    return true;
}

/* A word that came along whole, next to another. Half a double is worth nothing without its other half; a word that may
 * be one is believed to be a float when what stands beside it is nothing or a number of its own. */
static cc_bits_kind kind_of_copy(cc_unit *unit, const bit *word, const bit *beside) {
    word_kind kind = kind_of_word(unit, word->root, root_leaf(word));
    if (kind == WORD_FLOAT || kind == WORD_HIGH || beside == NULL)
        return CC_BITS_COPY;
    bool number = in_order(beside, WORD);
    bool partner =
        number && beside->root == word->root && beside->lane == word->lane && beside->index == word->index + WORD;
    if (partner)
        return CC_BITS_COPY;
    return kind == WORD_UNKNOWN && (number || all_zero(beside, WORD)) ? CC_BITS_COPY : CC_BITS_LOST;
}

/* A word that has the first bits of a double's mantissa. */
static bool is_head(cc_unit *unit, const bit *word) {
    return in_order(word, DOUBLE_MANTISSA - WORD) && kind_of_word(unit, word->root, root_leaf(word)) == WORD_HIGH;
}

static cc_bits word_of_bits(cc_unit *unit, const bit *word, unsigned width, const bit *beside) {
    cc_bits found = {.kind = CC_BITS_NOTHING};
    if (in_order(word, width)) {
        found = (cc_bits){.kind = kind_of_copy(unit, word, beside), .root = word->root, .leaf = root_leaf(word)};
    } else if (!any_smooth(unit, word, 0, width)) {
        if (beside != NULL && is_head(unit, beside)) /* whose last 32 bits were replaced */
            found.kind = CC_BITS_LOST;
    } else if (joined_bytes(word, width, &found)) {
        return found;
    } else {
        found = (cc_bits){.kind = CC_BITS_LOST};
        if (width == WORD && in_order(word, FLOAT_MANTISSA)) {
            word_kind kind = kind_of_word(unit, word->root, root_leaf(word));
            if (kind == WORD_FLOAT || kind == WORD_UNKNOWN)
                found = (cc_bits){.kind = CC_BITS_SCALED, .root = word->root, .leaf = root_leaf(word)};
        }
    }
    return found;
}

/* Two words that are one double. */
static bool is_double(cc_unit *unit, const bit *bits) {
    if (!in_order(bits, DOUBLE_MANTISSA) || bits->index % (2 * WORD) != 0 || in_order(bits, 2 * WORD))
        return false;
    word_kind kind = kind_of_word(unit, bits->root, root_leaf(bits));
    return kind == WORD_LOW || kind == WORD_UNKNOWN;
}

static void trace_lane(const trace *at, LLVMValueRef value, unsigned lane, cc_bits *leaves) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned width = width_of(type), words = words_of(type);
    bit bits[MOST_BITS];
    if (width <= MOST_BITS)
        trace_bits(at, value, lane, 0, bits);
    for (unsigned w = 0; w < words; w++) {
        const bit *word = bits + w * WORD;
        const bit *beside = w % 2 == 0 && w + 1 < words ? word + WORD : NULL;
        if (width > MOST_BITS) {
            leaves[w] = (cc_bits){.kind = CC_BITS_LOST};
        } else if (beside != NULL && is_double(at->unit, word)) {
            leaves[w] = (cc_bits){.kind = CC_BITS_SCALED, .root = word->root, .leaf = root_leaf(word), .wide = true};
            leaves[++w] = (cc_bits){.kind = CC_BITS_NOTHING};
        } else {
            leaves[w] = word_of_bits(at->unit, word, width < WORD ? width : WORD, beside);
        }
    }
}

void cc_bits_trace(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                   cc_bits *leaves) {
    unsigned left = MOST_OPERATIONS;
    trace at = {unit, varied, context, &left};
    unsigned words = words_of(LLVMTypeOf(value));
    for (unsigned leaf = 0; leaf < cc_leaf_count(unit, LLVMTypeOf(value)); leaf += words)
        trace_lane(&at, value, leaf / words, leaves + leaf);
}

bool cc_bits_copied(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context) {
    unsigned count = cc_leaf_count(unit, LLVMTypeOf(value));
    if (!varied(context, value) || !cc_bits_operation(value))
        return varied(context, value);
    cc_bits *leaves = cc_alloc(unit, count, sizeof *leaves);
    cc_bits_trace(unit, value, varied, context, leaves);
    for (unsigned i = 0; i < count; i++)
        if (leaves[i].kind != CC_BITS_COPY)
            return false;
    return true;
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

LLVMValueRef cc_bits_number(cc_unit *unit, LLVMValueRef value, unsigned leaf, bool wide) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned words = words_of(type);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        value = LLVMBuildExtractElement(unit->builder, value, LLVMConstInt(unit->i32, leaf / words, false), "");
    if (LLVMGetTypeKind(scalar_of(type)) == LLVMPointerTypeKind)
        value = LLVMBuildPtrToInt(unit->builder, value, unit->i64, "");
    LLVMTypeRef integer = wide ? unit->i64 : unit->i32;
    if (leaf % words > 0)
        value = LLVMBuildLShr(unit->builder, value, LLVMConstInt(LLVMTypeOf(value), leaf % words * WORD, false), "");
    if (LLVMTypeOf(value) != integer)
        value = LLVMBuildTrunc(unit->builder, value, integer, "");
    value = LLVMBuildBitCast(unit->builder, value, wide ? unit->f64 : unit->f32, "");
    return wide ? value : LLVMBuildFPExt(unit->builder, value, unit->f64, "");
}
