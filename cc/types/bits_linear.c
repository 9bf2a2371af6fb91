/* Numbers whose bits, taken as an integer, are a sum of another number's bits times a constant: 0x5f3759df - (i >>
 * 1), i / 3 + c, a number without its low word. The bits of a number are piecewise linear in the number, with a
 * slope of one per unit in its last place, and so is the number in its bits. So the derivative of such a number is
 * the constant times the ratio of both units. Dropped low bits count as rounding, as long as enough bits are left. They
 * may be added again below after an operation on the other bits: musl and FreeBSD normalise the argument of a logarithm
 * in this way.
 *
 * All other operations on a mantissa (a hash, a table, a product that overflows) are not linear. */
#include "cc/types/inside.h"

#include <math.h>

/* The least numbers of bits of a mantissa that rounding leaves (table lookups use fewer), and the greatest depth of
 * recursion. */
enum { FLOAT_LEFT = 10, DOUBLE_LEFT = 12, DEPTH = 12 };

/* An integer that is `times` the root, taken as an integer, plus something piecewise constant. */
typedef struct slope {
    const cc_trace *at;
    cc_bit root; /* a bit of the root; root.root is NULL if the integer contains no bits of a mantissa */
    double times;
    int top, low; /* positions of the mantissa's highest bit and of its lowest bit that is left */
    bool rest;    /* `top` is not the mantissa's highest bit: usable only together with the bits above it */
} slope;

static bool find_slope(slope *found, LLVMValueRef value, unsigned lane, unsigned depth);

static bool same_root(const cc_bit *a, const cc_bit *b) {
    return a->root == b->root && a->lane == b->lane && a->index / (2 * WORD) == b->index / (2 * WORD);
}

/* Returns the place of a bit in the mantissa, from 0. Sets *last to the place of the mantissa's last bit. */
static unsigned place_of(const cc_trace *at, const cc_bit *bit, unsigned *last) {
    *last = cc_trace_single(at) ? FLOAT_MANTISSA - 1 : DOUBLE_MANTISSA - 1;
    return bit->index % (cc_trace_single(at) ? WORD : 2 * WORD);
}

/* Returns true if the bits are successive bits of a mantissa, shifted, with zeros below them. */
static bool is_field(slope *found, const cc_bit *bits, unsigned width) {
    int low = -1, top = -1;
    unsigned last = 0;
    for (unsigned i = 0; i < width; i++) {
        if (!cc_bit_smooth(found->at, &bits[i])) {
            if (low < 0 && (bits[i].origin != ORIGIN_CONSTANT || bits[i].index != 0))
                return false;
            continue;
        }
        if (bits[i].origin != ORIGIN_ROOT || (low >= 0 && (top != (int)i - 1 || !same_root(&bits[i], &bits[low]) ||
                                                           bits[i].index != bits[top].index + 1)))
            return false;
        low = low < 0 ? (int)i : low;
        top = (int)i;
    }
    bool rest = place_of(found->at, &bits[top], &last) != last;
    *found = (slope){found->at, bits[low], ldexp(1, low - (int)place_of(found->at, &bits[low], &last)), top, low, rest};
    return true;
}

/* Adds bits that were dropped to the bits directly above them that were left. The slope of these already includes the
 * dropped ones. */
static bool add_rest(slope *found, const slope *other, double sign) {
    const slope *first = found->rest ? other : found, *rest = found->rest ? found : other;
    int exponent;
    if (first->rest || sign < 0 || first->times != rest->times || frexp(first->times, &exponent) != 0.5 ||
        first->low != rest->top + 1 || !same_root(&first->root, &rest->root))
        return false;
    *found = (slope){found->at, first->root, first->times, first->top, rest->low, false};
    return true;
}

static bool add(slope *found, const slope *other, double sign) {
    if (other->root.root == NULL)
        return true;
    if (found->root.root == NULL) {
        *found = *other;
        found->times *= sign;
        return true;
    }
    if (found->rest || other->rest)
        return add_rest(found, other, sign);
    found->times += sign * other->times;
    found->top = found->top > other->top ? found->top : other->top;
    found->low = found->low < other->low ? found->low : other->low;
    return same_root(&found->root, &other->root);
}

static bool sum(slope *found, LLVMValueRef value, unsigned lane, unsigned depth, double sign) {
    slope other = {.at = found->at};
    return find_slope(found, LLVMGetOperand(value, 0), lane, depth + 1) &&
           find_slope(&other, LLVMGetOperand(value, 1), lane, depth + 1) && add(found, &other, sign);
}

/* Returns true if an or is a sum: no bit of a mantissa meets a bit that may be set. */
static bool are_disjoint(const cc_trace *at, LLVMValueRef value, unsigned lane, unsigned depth) {
    cc_bit a[MOST_BITS], b[MOST_BITS];
    cc_bits_follow(at, LLVMGetOperand(value, 0), lane, depth + 1, a);
    cc_bits_follow(at, LLVMGetOperand(value, 1), lane, depth + 1, b);
    for (unsigned i = 0; i < cc_bits_width(LLVMTypeOf(value)); i++) {
        bool no_a = a[i].origin == ORIGIN_CONSTANT && a[i].index == 0;
        bool no_b = b[i].origin == ORIGIN_CONSTANT && b[i].index == 0;
        if (!no_a && !no_b && (cc_bit_smooth(at, &a[i]) || cc_bit_smooth(at, &b[i])))
            return false;
    }
    return true;
}

static void multiply(slope *found, double by) {
    int moved = (int)floor(log2(fabs(by)));
    found->times *= by;
    found->top += moved;
    found->low = found->low + moved > 0 ? found->low + moved : 0;
}

/* Follows shifts, products and quotients by a constant. */
static bool scaled(slope *found, LLVMValueRef value, unsigned lane, unsigned depth) {
    LLVMValueRef constant = cc_bits_constant(LLVMGetOperand(value, 1), lane);
    if (constant == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64 ||
        !find_slope(found, LLVMGetOperand(value, 0), lane, depth + 1))
        return false;
    double by = (double)LLVMConstIntGetSExtValue(constant);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    bool shift = opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr;
    if (shift ? by < 0 || by >= 64 : by == 0)
        return false;
    by = shift ? ldexp(1, (int)by) : by;
    multiply(found, opcode == LLVMShl || opcode == LLVMMul ? by : 1 / by);
    return true;
}

/* Follows an and with a constant that clears bits below some place, and perhaps some above the mantissa. */
static bool masked(slope *found, LLVMValueRef value, unsigned lane, unsigned depth) {
    LLVMValueRef constant = cc_bits_constant(LLVMGetOperand(value, 1), lane);
    if (constant == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64 ||
        !find_slope(found, LLVMGetOperand(value, 0), lane, depth + 1) || found->top > 63)
        return false;
    uint64_t mask = LLVMConstIntGetZExtValue(constant);
    int low = found->top + 1;
    while (low > found->low && (mask >> (low - 1) & 1) != 0)
        low--;
    if (low < 64 && (mask & ((UINT64_C(1) << low) - 1)) != 0 && low > found->low)
        return false;
    found->low = low;
    return true;
}

/* Follows a truncation that removes no bit of the mantissa, because a shift has moved all of it down before. */
static bool truncated(slope *found, LLVMValueRef value, unsigned lane, unsigned depth) {
    LLVMValueRef from = LLVMGetOperand(value, 0);
    unsigned lost = cc_bits_width(LLVMTypeOf(from)) - cc_bits_width(LLVMTypeOf(value));
    LLVMOpcode opcode = LLVMIsAInstruction(from) != NULL ? LLVMGetInstructionOpcode(from) : 0;
    bool moved = opcode == LLVMZExt || opcode == LLVMSExt;
    if (opcode == LLVMLShr || opcode == LLVMAShr) {
        LLVMValueRef by = cc_bits_constant(LLVMGetOperand(from, 1), lane);
        moved = by != NULL && LLVMConstIntGetZExtValue(by) >= lost;
    }
    return moved && find_slope(found, from, lane, depth + 1);
}

static bool find_slope_of(slope *found, LLVMValueRef value, unsigned lane, unsigned depth) {
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd: return sum(found, value, lane, depth, 1);
    case LLVMSub: return sum(found, value, lane, depth, -1);
    case LLVMOr: return are_disjoint(found->at, value, lane, depth) && sum(found, value, lane, depth, 1);
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMMul:
    case LLVMSDiv:
    case LLVMUDiv: return scaled(found, value, lane, depth);
    case LLVMAnd: return masked(found, value, lane, depth);
    case LLVMTrunc: return truncated(found, value, lane, depth);
    case LLVMZExt:
    case LLVMSExt: return find_slope(found, LLVMGetOperand(value, 0), lane, depth + 1);
    default: return false;
    }
}

static bool find_slope(slope *found, LLVMValueRef value, unsigned lane, unsigned depth) {
    cc_bit bits[MOST_BITS];
    unsigned width = cc_bits_width(LLVMTypeOf(value));
    bool any = false;
    if (width > 64 || depth > DEPTH)
        return false;
    cc_bits_follow(found->at, value, lane, 0, bits);
    for (unsigned i = 0; i < width; i++)
        any = any || cc_bit_smooth(found->at, &bits[i]);
    if (!any) {
        *found = (slope){.at = found->at};
        return true;
    }
    if (!is_field(found, bits, width) && !(cc_bits_operation(value) && find_slope_of(found, value, lane, depth)))
        return false;
    int least = cc_trace_single(found->at) ? FLOAT_LEFT : DOUBLE_LEFT;
    return found->root.root == NULL ||
           (found->top < (int)width && (found->rest || found->top - found->low + 1 >= least));
}

bool cc_bits_linear(const cc_trace *at, LLVMValueRef value, unsigned lane, cc_bits *found) {
    unsigned left = MOST_OPERATIONS;
    cc_trace again = *at;
    again.left = &left;
    slope line = {.at = &again};
    if (!find_slope(&line, value, lane, 0) || line.root.root == NULL || line.rest || line.times == 0)
        return false;
    cc_bit first = line.root;
    first.index -= (unsigned char)(at->kind == VERSO_NATIVE_DOUBLE ? first.index % (2 * WORD) : first.index % WORD);
    *found = (cc_bits){.kind = CC_BITS_LINEAR,
                       .root = first.root,
                       .leaf = cc_bit_leaf(at, &first),
                       .times = line.times,
                       .wide = at->kind == VERSO_NATIVE_DOUBLE};
    return true;
}
