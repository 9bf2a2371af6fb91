/* Decides which derivative each leaf of an integer has, from the origins of its bits (bits_origin.c), and builds the
 * code that computes derivatives of scaled numbers. bits.h lists the kinds of derivatives. */
#include "cc/ir/program.h"
#include "cc/types/inside.h"

#include "cc/ir/leaves.h"

/* ---- Leaves ---- */

/* Returns true if bits[0 .. count) are successive bits of one root, and the first is a multiple of `start`. */
static bool in_sequence(const cc_bit *bits, unsigned count, unsigned start) {
    if (bits[0].origin != ORIGIN_ROOT || bits[0].index % start != 0 || cc_bits_words(LLVMTypeOf(bits[0].root)) == 0)
        return false;
    for (unsigned i = 1; i < count; i++)
        if (bits[i].origin != ORIGIN_ROOT || bits[i].root != bits[0].root || bits[i].lane != bits[0].lane ||
            bits[i].index != bits[0].index + i)
            return false;
    return true;
}

/* Returns true if the bit is in a word of its root that has leaves. (The last 16 bits of 80 are not.) */
static bool has_leaf(const cc_bit *bit) {
    return bit->index / WORD < cc_bits_words(LLVMTypeOf(bit->root));
}

/* Returns true if bits[0 .. count) are successive bits of one root, from the start of a word with leaves. */
static bool in_order(const cc_bit *bits, unsigned count) {
    return in_sequence(bits, count, WORD) && has_leaf(bits);
}

/* Returns true if each byte is a whole byte of some root. A byte that is the first of its word carries the word's
 * derivative; *joined lists these words. */
static bool joined_bytes(const cc_trace *at, const cc_bit *bits, unsigned count, cc_bits *joined) {
    unsigned others = 0;
    *joined = (cc_bits){.kind = CC_BITS_JOINED};
    for (unsigned i = 0; i < count; i += BYTE) {
        const cc_bit *byte = bits + i;
        if (!in_sequence(byte, BYTE, BYTE))
            return false;
        if (byte->index % WORD != 0 || !has_leaf(byte))
            continue;
        if (i == 0) {
            joined->root = byte->root;
            joined->leaf = cc_bit_leaf(at, byte);
        } else {
            joined->others[others] = byte->root;
            joined->other_leaf[others++] = cc_bit_leaf(at, byte);
        }
    }
    return true;
}

static bool is_of_other_kind(const cc_trace *at, cc_word_kind kind) {
    return cc_trace_single(at) ? kind != WORD_FLOAT : kind == WORD_FLOAT;
}

/* Returns true if the two words were loaded as two integers of 32 bits. */
static bool are_loaded(const cc_bit *word, const cc_bit *beside) {
    return word->root != beside->root && LLVMIsALoadInst(word->root) != NULL && LLVMIsALoadInst(beside->root) != NULL &&
           cc_bits_width(LLVMTypeOf(word->root)) == WORD && cc_bits_width(LLVMTypeOf(beside->root)) == WORD;
}

/* Returns what becomes of the derivative of a word that was copied as a whole. The low half of a double loses it if the
 * word that follows is not the high half: the next word of the same root, or another integer that was loaded. */
static cc_bits_kind kind_of_copy(const cc_trace *at, const cc_bit *word, const cc_bit *beside) {
    cc_word_kind kind = cc_word_kind_of(at, word);
    if (is_of_other_kind(at, kind))
        return CC_BITS_LOST;
    if (kind == WORD_FLOAT || kind == WORD_HIGH || beside == NULL)
        return CC_BITS_COPY;
    if (!in_order(beside, WORD))
        return CC_BITS_LOST;
    bool partner = beside->root == word->root && beside->lane == word->lane && beside->index == word->index + WORD;
    return partner || are_loaded(word, beside) ? CC_BITS_COPY : CC_BITS_LOST;
}

/* Returns true for a bit of the mantissa of a root that is certainly a number. */
static bool is_of_number(const cc_trace *at, const cc_bit *b) {
    cc_word_kind kind;
    return b->origin == ORIGIN_ROOT && cc_bit_in_mantissa(at, b) &&
           cc_word_kind_of_cast(at->unit, b->root, cc_leaf_offset(at->unit, LLVMTypeOf(b->root), cc_bit_leaf(at, b)),
                                &kind);
}

/* Returns true if the word is likely the high word of a double, or a part of a long double: it has the first bits of a
 * mantissa in place, or some bit of the mantissa of a number anywhere. (Otherwise its bits are likely those of an
 * exponent that was computed.) */
static bool is_head(const cc_trace *at, const cc_bit *word) {
    bool number = !cc_trace_single(at) && in_order(word, DOUBLE_MANTISSA - WORD);
    for (unsigned i = 0; !cc_trace_single(at) && i < WORD && !number; i++)
        number = is_of_number(at, &word[i]);
    return number;
}

/* Returns true if the word consists of whole bytes of roots, and, if it is half of a double, the other half does,
 * too. */
static bool joined_word(const cc_trace *at, const cc_bit *word, unsigned width, const cc_bit *beside, cc_bits *joined) {
    cc_bits other;
    bool alone = beside == NULL || at->kind != VERSO_NATIVE_DOUBLE;
    return joined_bytes(at, word, width, joined) && (alone || joined_bytes(at, beside, WORD, &other));
}

static cc_bits word_of_bits(const cc_trace *at, const cc_bit *word, unsigned width, const cc_bit *beside) {
    cc_bits found = {.kind = CC_BITS_NOTHING};
    if (in_order(word, width)) {
        found = (cc_bits){.kind = kind_of_copy(at, word, beside), .root = word->root, .leaf = cc_bit_leaf(at, word)};
        if (at->kind == VERSO_NATIVE_DOUBLE && beside != NULL && in_order(beside, WORD) && are_loaded(word, beside))
            found.partner = beside->root;
    } else if (!cc_bits_any_smooth(at, word, 0, width)) {
        if (beside != NULL && is_head(at, beside)) /* a number whose last 32 bits were replaced */
            found.kind = CC_BITS_LOST;
        else if (beside != NULL && at->kind == VERSO_NATIVE_DOUBLE && cc_bits_any_smooth(at, beside, 0, WORD))
            found.kind = CC_BITS_LOST;
    } else if (joined_word(at, word, width, beside, &found)) {
        return found;
    } else {
        found = (cc_bits){.kind = CC_BITS_LOST};
        if (at->kind == VERSO_NATIVE_FLOAT && width == WORD && in_order(word, FLOAT_MANTISSA) &&
            cc_word_kind_of(at, word) == WORD_FLOAT)
            found = (cc_bits){.kind = CC_BITS_SCALED, .root = word->root, .leaf = cc_bit_leaf(at, word)};
    }
    return found;
}

/* Returns true if two words have the mantissa of one double, but another sign or exponent. */
static bool is_double(const cc_trace *at, const cc_bit *bits) {
    return at->kind == VERSO_NATIVE_DOUBLE && in_order(bits, DOUBLE_MANTISSA) && bits->index % (2 * WORD) == 0 &&
           !in_order(bits, 2 * WORD) && cc_word_kind_of(at, bits) == WORD_LOW;
}

/* Returns true if two words are a double whose bits after the binary point were cleared, at least in one of the words:
 * such a number is piecewise constant. */
static bool is_cut_double(const cc_trace *at, const cc_bit *bits) {
    LLVMValueRef root = NULL;
    for (unsigned i = 0; at->kind == VERSO_NATIVE_DOUBLE && i < DOUBLE_MANTISSA; i++)
        if (bits[i].origin == ORIGIN_DISCRETE && bits[i].root != NULL)
            root = bits[i].root;
    for (unsigned i = 0; root != NULL && i < DOUBLE_MANTISSA; i++)
        if (cc_bit_smooth(at, &bits[i]) && bits[i].root != root)
            return false;
    return root != NULL;
}

/* Returns the derivative of 80 bits, which are one long double. */
static cc_bits long_of_bits(const cc_trace *at, const cc_bit *bits) {
    cc_bits found = {.kind = CC_BITS_NOTHING};
    if (in_order(bits, LONG_BITS))
        found = (cc_bits){.kind = CC_BITS_COPY, .root = bits->root, .leaf = cc_bit_leaf(at, bits)};
    else if (cc_bits_any_smooth(at, bits, 0, LONG_MANTISSA) && !joined_bytes(at, bits, LONG_BITS, &found))
        found = (cc_bits){.kind = CC_BITS_LOST};
    return found;
}

/* Follows a lane of one whole number as a sum (bits_linear.c) if it could not be followed bit by bit. */
static void try_linear(const cc_trace *at, LLVMValueRef value, unsigned lane, cc_bits *leaves) {
    unsigned words = cc_trace_single(at) ? 1 : 2;
    if (at->kind == VERSO_NATIVE_LONG || at->kind == VERSO_NATIVE_DOUBTED ||
        cc_bits_width(LLVMTypeOf(value)) != words * WORD || leaves[at->slot].kind != CC_BITS_LOST ||
        !cc_bits_linear(at, value, lane, &leaves[at->slot]) || words == 1)
        return;
    leaves[cc_kind_count(at->unit) + at->slot] = (cc_bits){.kind = CC_BITS_NOTHING};
}

static void trace_lane(const cc_trace *at, LLVMValueRef value, unsigned lane, cc_bits *leaves) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned width = cc_bits_width(type), words = cc_bits_words(type), kinds = cc_kind_count(at->unit);
    cc_bit bits[MOST_BITS];
    if (width <= MOST_BITS)
        cc_bits_follow(at, value, lane, 0, bits);
    for (unsigned w = 0; w < words; w++) {
        const cc_bit *word = bits + w * WORD;
        const cc_bit *beside = w % 2 == 0 && w + 1 < words ? word + WORD : NULL;
        cc_bits *leaf = &leaves[w * kinds + at->slot];
        if (width > MOST_BITS) {
            *leaf = (cc_bits){.kind = CC_BITS_LOST};
        } else if (width == LONG_BITS && at->kind == VERSO_NATIVE_LONG) {
            *leaf = w == 0 ? long_of_bits(at, bits) : (cc_bits){.kind = CC_BITS_NOTHING};
        } else if (beside != NULL && (is_double(at, word) || is_cut_double(at, word))) {
            *leaf = (cc_bits){.kind = CC_BITS_NOTHING};
            if (is_double(at, word))
                *leaf =
                    (cc_bits){.kind = CC_BITS_SCALED, .root = word->root, .leaf = cc_bit_leaf(at, word), .wide = true};
            leaves[++w * kinds + at->slot] = (cc_bits){.kind = CC_BITS_NOTHING};
        } else {
            *leaf = word_of_bits(at, word, width < WORD ? width : WORD, beside);
        }
    }
}

void cc_bits_trace(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                   cc_bits *leaves) {
    unsigned kinds = cc_kind_count(unit), each = cc_bits_words(LLVMTypeOf(value)) * kinds;
    bool is_long = cc_bits_width(LLVMTypeOf(value)) == LONG_BITS;
    for (unsigned slot = 0; slot < kinds; slot++) {
        unsigned left = is_long ? LONG_OPERATIONS : MOST_OPERATIONS;
        cc_trace at = {unit, slot, cc_kind_at(unit, slot), varied, context, is_long ? LONG_DEPTH : MOST_DEPTH, &left};
        for (unsigned leaf = 0; leaf < cc_leaf_count(unit, LLVMTypeOf(value)); leaf += each)
            trace_lane(&at, value, leaf / each, leaves + leaf), try_linear(&at, value, leaf / each, leaves + leaf);
    }
}

/* Returns true if all leaves of one kind are copies. Sets *origin to where they come from; its root is NULL unless they
 * are leaves of one root, with the same distances between them. */
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

/* Does the same for an integer of one or two bytes, which may come from any bytes of a word. */
static bool bytes_copied(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                         cc_bits_origin *origin) {
    cc_bit bits[MOST_BITS];
    unsigned left = MOST_OPERATIONS, width = cc_bits_width(LLVMTypeOf(value));
    cc_trace at = {unit, 0, cc_kind_at(unit, 0), varied, context, MOST_DEPTH, &left};
    cc_bits_follow(&at, value, 0, 0, bits);
    if (!in_sequence(bits, width, BYTE))
        return false;
    unsigned lane = cc_bits_width(LLVMTypeOf(bits[0].root)) / BYTE;
    *origin = (cc_bits_origin){bits[0].root, bits[0].lane * lane + bits[0].index / BYTE};
    return true;
}

bool cc_bits_copied(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                    cc_bits_origin *origin) {
    LLVMTypeRef type = LLVMTypeOf(value);
    *origin = (cc_bits_origin){value, 0};
    if (cc_bits_operation(value) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < WORD)
        return bytes_copied(unit, value, varied, context, origin);
    if (!varied(context, value) || !cc_bits_operation(value))
        return varied(context, value);
    cc_bits *leaves = cc_alloc(unit, cc_leaf_count(unit, type), sizeof *leaves);
    cc_bits_trace(unit, value, varied, context, leaves);
    for (unsigned slot = 0; slot < cc_kind_count(unit); slot++)
        if (copied_as(unit, type, leaves, slot, origin))
            return true;
    return false;
}

/* ---- Code ---- */

LLVMValueRef cc_bits_apart(cc_unit *unit, LLVMValueRef address, LLVMValueRef partner) {
    LLVMValueRef first = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    LLVMValueRef second = LLVMBuildPtrToInt(unit->builder, partner, unit->i64, "");
    LLVMValueRef next = LLVMBuildAdd(unit->builder, first, cc_i64(unit, 4), "");
    return LLVMBuildICmp(unit->builder, LLVMIntNE, next, second, "");
}

LLVMValueRef cc_bits_number(cc_unit *unit, LLVMValueRef value, unsigned leaf, bool wide) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned words = cc_bits_words(type), word = leaf / cc_kind_count(unit);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        value = LLVMBuildExtractElement(unit->builder, value, LLVMConstInt(unit->i32, word / words, false), "");
    if (LLVMGetTypeKind(cc_bits_lane_type(type)) == LLVMPointerTypeKind)
        value = LLVMBuildPtrToInt(unit->builder, value, unit->i64, "");
    LLVMTypeRef integer = wide ? unit->i64 : unit->i32;
    if (word % words > 0)
        value = LLVMBuildLShr(unit->builder, value, LLVMConstInt(LLVMTypeOf(value), word % words * WORD, false), "");
    if (LLVMTypeOf(value) != integer)
        value = LLVMBuildTrunc(unit->builder, value, integer, "");
    value = LLVMBuildBitCast(unit->builder, value, wide ? unit->f64 : unit->f32, "");
    return wide ? value : LLVMBuildFPExt(unit->builder, value, unit->f64, "");
}

LLVMValueRef cc_bits_rescaled(cc_unit *unit, const cc_bits *bits, LLVMValueRef arguments[3]) {
    if (bits->kind == CC_BITS_SCALED)
        return cc_call_runtime(unit, "verso__native_rescale_derivative", unit->f64, arguments, 3);
    LLVMValueRef sloped[] = {arguments[0], LLVMConstReal(unit->f64, bits->times), arguments[1], arguments[2]};
    return cc_call_runtime(unit, "verso__native_scale_by_ulps", unit->f64, sloped, 4);
}
