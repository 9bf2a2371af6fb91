/* Tangent mode: every value that can carry a derivative gets a second value, its tangent, which is computed along
 * with it; the tangents of numbers in memory are in their cells (native/state.h).
 *
 * Works in place on the tangent copy of a function. Instructions stay unchanged, and what is added comes after each
 * of them, in an order in which every tangent is built before it is used (blocks after their dominators); phis are
 * completed at the end. Only markers are removed. Tangent mode shares the rules (rules.h) with reverse mode, and
 * nothing else, so the two modes test each other. */
#include "cc/tangent/tangent.h"
#include "cc/ir/program.h"
#include "cc/tangent/inside.h"

#include "cc/front/known.h"
#include "cc/ir/cells.h"
#include "cc/ir/leaves.h"
#include "cc/ir/memory_scopes.h"
#include "cc/rules/rules.h"
#include "cc/types/bits.h"
#include "native/state.h"

#include <math.h>
#include <string.h>

static const char bits_lost[] =
    "integer arithmetic on the bits of a number, which Verso cannot follow; write it with floating-point functions "
    "(fabs, copysign, ldexp, frexp), give the function a VERSO_CUSTOM_ADJOINT, or declare it VERSO_INACTIVE";

/* ---- Building ---- */

LLVMValueRef cc_tangent_leaf(const cc_tangent *tangent, LLVMValueRef value, unsigned leaf) {
    if (!cc_tangent_active(tangent, value))
        return tangent->zero;
    LLVMValueRef built = cc_tangent_find(tangent, value)->leaf[leaf];
    if (built == NULL)
        cc_give_up(tangent->unit, VERSO_STATUS_STATE,
                   "internal error (please report it): %s: the tangent of a value of %s is used before it is built",
                   cc_where(tangent->unit, value), tangent->function->name);
    return built;
}

void cc_tangent_before(cc_tangent *tangent, LLVMValueRef instruction) {
    LLVMPositionBuilderBefore(tangent->unit->builder, instruction);
}

void cc_tangent_after(cc_tangent *tangent, LLVMValueRef instruction) {
    LLVMPositionBuilderBefore(tangent->unit->builder, LLVMGetNextInstruction(instruction));
}

LLVMValueRef cc_tangent_message(cc_tangent *tangent, LLVMValueRef place, const char *why) {
    return cc_string(tangent->unit, cc_print(tangent->unit, "%s: %s", cc_where(tangent->unit, place), why));
}

void cc_tangent_report_lost(cc_tangent *tangent, LLVMValueRef place, LLVMValueRef derivative, const char *why) {
    if (derivative == tangent->zero)
        return;
    LLVMValueRef arguments[] = {derivative, cc_tangent_message(tangent, place, why)};
    cc_call_runtime(tangent->unit, "verso__native_refuse_lost", tangent->unit->none, arguments, 2);
}

static LLVMValueRef part_bits(const cc_tangent *tangent) {
    return cc_i64(tangent->unit, INT64_C(0x7ff8706172740000));
}

LLVMValueRef cc_tangent_part(cc_tangent *tangent) {
    return LLVMConstBitCast(part_bits(tangent), tangent->unit->f64);
}

LLVMValueRef cc_tangent_unless_part(cc_tangent *tangent, LLVMValueRef value) {
    LLVMBuilderRef build = tangent->unit->builder;
    if (value == tangent->zero)
        return value;
    LLVMValueRef bits = LLVMBuildBitCast(build, value, tangent->unit->i64, "");
    LLVMValueRef is_part = LLVMBuildICmp(build, LLVMIntEQ, bits, part_bits(tangent), "");
    return LLVMBuildSelect(build, is_part, tangent->zero, value, "");
}

LLVMValueRef cc_tangent_magnitude(cc_tangent *tangent, LLVMValueRef x) {
    return cc_call_intrinsic(tangent->unit, "llvm.fabs", tangent->unit->f64, &x, 1);
}

void cc_tangent_replace(cc_tangent *tangent, LLVMValueRef instruction, LLVMValueRef by) {
    cc_tangent_value *value = cc_tangent_find(tangent, instruction);
    if (by != NULL && LLVMTypeOf(by) != tangent->unit->none)
        LLVMReplaceAllUsesWith(instruction, by);
    if (by != NULL && LLVMIsAInstruction(by) != NULL)
        cc_map_put(tangent->unit, &tangent->index, by, (size_t)(value - tangent->values));
    value->value = by;
    LLVMInstructionEraseFromParent(instruction);
}

static LLVMValueRef sum(cc_tangent *tangent, LLVMValueRef a, LLVMValueRef b) {
    if (a == tangent->zero)
        return b;
    return b == tangent->zero ? a : LLVMBuildFAdd(tangent->unit->builder, a, b, "");
}

static LLVMValueRef choose(cc_tangent *tangent, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no) {
    return yes == no ? yes : LLVMBuildSelect(tangent->unit->builder, condition, yes, no, "");
}

static bool is_vector(LLVMValueRef value) {
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

static LLVMValueRef in_lane(cc_tangent *tangent, LLVMValueRef value, unsigned lane) {
    if (!is_vector(value))
        return value;
    return LLVMBuildExtractElement(tangent->unit->builder, value, LLVMConstInt(tangent->unit->i32, lane, false), "");
}

/* ---- Arithmetic ---- */

/* Builds the number in a lane as one of unit->rule_type; integers stay unchanged. */
static LLVMValueRef number_in_lane(cc_tangent *tangent, LLVMValueRef value, unsigned lane) {
    LLVMValueRef number = in_lane(tangent, value, lane);
    LLVMBuilderRef builder = tangent->unit->builder;
    switch (LLVMGetTypeKind(LLVMTypeOf(number))) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return LLVMBuildFPExt(builder, number, tangent->unit->f64, "");
    case LLVMFloatTypeKind: return cc_number_as(tangent->unit, number, tangent->unit->rule_type);
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind: return LLVMBuildFPTrunc(builder, number, tangent->unit->f64, "");
    default: return number;
    }
}

static LLVMValueRef partial_in_lane(cc_tangent *tangent, const cc_rule *rule, LLVMValueRef at, unsigned by,
                                    unsigned lane) {
    LLVMValueRef operand[CC_RULE_OPERANDS] = {NULL}, result = NULL;
    for (unsigned i = 0; i < rule->operands; i++)
        if ((rule->needs[by] >> i & 1) != 0)
            operand[i] = number_in_lane(tangent, LLVMGetOperand(at, i), lane);
    if ((rule->needs[by] & CC_RULE_RESULT) != 0)
        result = number_in_lane(tangent, at, lane);
    LLVMValueRef seed = cc_tangent_leaf(tangent, LLVMGetOperand(at, by), lane);
    seed = cc_number_as(tangent->unit, seed, tangent->unit->rule_type);
    return rule->partial(tangent->unit, rule, by, seed, operand, result);
}

/* The tangent of a float is a double that holds a float: LLVM removes the conversions. If it may be the message of a
 * lost tangent, for which a float has no room, it is computed in doubles. */
static void build_rule(cc_tangent *tangent, const cc_rule *rule, cc_tangent_value *value) {
    cc_unit *unit = tangent->unit;
    cc_tangent_after(tangent, value->value);
    unit->rule_type = unit->program->float_bits ? unit->f64 : cc_rule_type(unit, value->value);
    for (unsigned lane = 0; lane < value->leaves; lane++) {
        LLVMValueRef all = NULL;
        for (unsigned by = 0; by < rule->operands; by++) {
            if (rule->zero[by] || !cc_tangent_active(tangent, LLVMGetOperand(value->value, by)))
                continue;
            LLVMValueRef one = partial_in_lane(tangent, rule, value->value, by, lane);
            all = all == NULL ? one : LLVMBuildFAdd(unit->builder, all, one, "");
        }
        value->leaf[lane] = all == NULL ? tangent->zero : cc_number_as(unit, all, unit->f64);
    }
    unit->rule_type = unit->f64;
}

/* ---- Bits ---- */

bool cc_tangent_varied_in(void *tangent, LLVMValueRef value) {
    return cc_tangent_varied(tangent, value);
}

/* Builds the sum of the magnitudes of all derivatives that the bits could have. */
static LLVMValueRef all_roots(cc_tangent *tangent, LLVMValueRef at) {
    size_t count;
    LLVMValueRef *roots = cc_bits_roots(tangent->unit, at, &count), all = tangent->zero;
    for (size_t i = 0; i < count; i++)
        for (unsigned leaf = 0;
             cc_tangent_active(tangent, roots[i]) && leaf < cc_tangent_find(tangent, roots[i])->leaves; leaf++) {
            LLVMValueRef one = cc_tangent_leaf(tangent, roots[i], leaf);
            if (one != tangent->zero)
                all = sum(tangent, all, cc_tangent_magnitude(tangent, one));
        }
    return all;
}

/* Builds zero if `derivative` is zero, otherwise NaN. What is computed from the bits of a number has an unknown
 * derivative, but that does not matter unless it is used as a number again. */
static LLVMValueRef marked(cc_tangent *tangent, LLVMValueRef derivative) {
    if (derivative == tangent->zero)
        return derivative;
    LLVMValueRef none = LLVMBuildFCmp(tangent->unit->builder, LLVMRealOEQ, derivative, tangent->zero, "");
    return choose(tangent, none, tangent->zero, LLVMConstReal(tangent->unit->f64, NAN));
}

/* Builds the tangent of the number that the bits are now, from that of the number that they were. */
static LLVMValueRef rescaled(cc_tangent *tangent, LLVMValueRef at, unsigned leaf, const cc_bits *bits) {
    LLVMValueRef arguments[] = {cc_tangent_leaf(tangent, bits->root, bits->leaf),
                                cc_bits_number(tangent->unit, bits->root, bits->leaf, bits->wide),
                                cc_bits_number(tangent->unit, at, leaf, bits->wide)};
    return cc_bits_rescaled(tangent->unit, bits, arguments);
}

/* Handles the high half of what may be a double that was moved to the place of a low half: it is a part of a
 * number, if that has a derivative. */
static LLVMValueRef high_half(cc_tangent *tangent, const cc_bits *bits, LLVMValueRef leaf) {
    LLVMBuilderRef build = tangent->unit->builder;
    LLVMValueRef low = cc_tangent_leaf(tangent, bits->root, bits->leaf - cc_kind_count(tangent->unit));
    LLVMValueRef none = LLVMBuildFCmp(build, LLVMRealOEQ, low, tangent->zero, "");
    LLVMValueRef part = choose(tangent, none, tangent->zero, cc_tangent_part(tangent));
    return choose(tangent, LLVMBuildFCmp(build, LLVMRealUNE, leaf, tangent->zero, ""), leaf, part);
}

static bool is_high(cc_tangent *tangent, LLVMValueRef value, unsigned leaf) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return cc_leaf_kind(tangent->unit, type, leaf) == VERSO_NATIVE_DOUBLE &&
           cc_leaf_offset(tangent->unit, type, leaf) % 8 == 4;
}

/* Builds the tangent of copied bits. The derivative of two halves that do not belong to one number is unknown. */
static LLVMValueRef copied(cc_tangent *tangent, LLVMValueRef at, unsigned to, const cc_bits *bits) {
    LLVMValueRef leaf = cc_tangent_leaf(tangent, bits->root, bits->leaf);
    if (is_high(tangent, bits->root, bits->leaf) && !is_high(tangent, at, to))
        return high_half(tangent, bits, leaf);
    if (bits->partner == NULL || leaf == tangent->zero)
        return leaf;
    LLVMValueRef apart = cc_bits_apart(tangent->unit, LLVMGetOperand(bits->root, 0), LLVMGetOperand(bits->partner, 0));
    return choose(tangent, apart, marked(tangent, leaf), leaf);
}

/* Builds the tangent of bytes that were joined. Either none of them is the first of a number, or one is, and the
 * others may be the rest of that number. */
static LLVMValueRef joined(cc_tangent *tangent, LLVMValueRef at, const cc_bits *bits) {
    LLVMValueRef others = tangent->zero, leaf;
    if (bits->root == NULL) {
        LLVMValueRef all = all_roots(tangent, at);
        LLVMValueRef none = LLVMBuildFCmp(tangent->unit->builder, LLVMRealOEQ, all, tangent->zero, "");
        return choose(tangent, none, tangent->zero, cc_tangent_part(tangent));
    }
    leaf = cc_tangent_leaf(tangent, bits->root, bits->leaf);
    for (unsigned i = 0; i < CC_BITS_OTHERS; i++)
        if (bits->others[i] != NULL && cc_tangent_active(tangent, bits->others[i])) {
            LLVMValueRef other = cc_tangent_leaf(tangent, bits->others[i], bits->other_leaf[i]);
            other = cc_tangent_unless_part(tangent, other);
            others = sum(tangent, others, cc_tangent_magnitude(tangent, other));
        }
    if (others == tangent->zero)
        return leaf;
    LLVMValueRef none = LLVMBuildFCmp(tangent->unit->builder, LLVMRealOEQ, others, tangent->zero, "");
    return choose(tangent, none, leaf, LLVMConstReal(tangent->unit->f64, NAN));
}

static void build_bits(cc_tangent *tangent, cc_tangent_value *value) {
    cc_tangent_after(tangent, value->value);
    if (cc_leaf_count(tangent->unit, LLVMTypeOf(value->value)) ==
        0) { /* it only matters whether there is a derivative */
        value->leaf[0] = all_roots(tangent, value->value);
        return;
    }
    cc_bits *bits = cc_alloc(tangent->unit, value->leaves, sizeof *bits);
    cc_bits_trace(tangent->unit, value->value, cc_tangent_varied_in, tangent, bits);
    LLVMValueRef lost = NULL;
    for (unsigned i = 0; i < value->leaves; i++) {
        value->leaf[i] = tangent->zero;
        if (bits[i].kind == CC_BITS_COPY)
            value->leaf[i] = copied(tangent, value->value, i, &bits[i]);
        else if (bits[i].kind == CC_BITS_SCALED || bits[i].kind == CC_BITS_LINEAR)
            value->leaf[i] = rescaled(tangent, value->value, i, &bits[i]);
        else if (bits[i].kind == CC_BITS_JOINED)
            value->leaf[i] = joined(tangent, value->value, &bits[i]);
        else if (bits[i].kind == CC_BITS_LOST)
            value->leaf[i] = lost = lost != NULL ? lost : marked(tangent, all_roots(tangent, value->value));
    }
}

/* ---- Moving values ---- */

static void copy_leaves(cc_tangent *tangent, cc_tangent_value *value, LLVMValueRef from, unsigned first) {
    for (unsigned i = 0; i < value->leaves; i++)
        value->leaf[i] = cc_tangent_leaf(tangent, from, first + i);
}

/* Returns the tangent of the leaf of a cast's operand that has the same offset and kind; NULL if there is none. */
static LLVMValueRef same_leaf(cc_tangent *tangent, LLVMValueRef cast, unsigned leaf) {
    LLVMValueRef from = LLVMGetOperand(cast, 0);
    for (unsigned i = 0; i < cc_leaf_count(tangent->unit, LLVMTypeOf(from)); i++)
        if (cc_leaf_same(tangent->unit, LLVMTypeOf(from), i, LLVMTypeOf(cast), leaf))
            return cc_tangent_leaf(tangent, from, i);
    return NULL;
}

/* Builds the tangent of bits that are used as a number: if an operation that is not understood changed them, a NaN
 * that names the place. This is not refused yet, because a program may read a union as a number before it tests the
 * tag. */
static LLVMValueRef number_from_bits(cc_tangent *tangent, LLVMValueRef cast, LLVMValueRef derivative) {
    cc_unit *unit = tangent->unit;
    if (LLVMIsConstant(derivative))
        return derivative;
    LLVMValueRef text = cc_tangent_message(tangent, cast, bits_lost);
    LLVMSetAlignment(text, VERSO_NATIVE_DOUBT_SPARED + 1); /* the last bits of its address are not kept */
    LLVMValueRef blame = LLVMBuildPtrToInt(unit->builder, text, unit->i64, "");
    blame = LLVMBuildOr(unit->builder, blame, cc_i64(unit, (int64_t)VERSO_NATIVE_BLAME), "");
    LLVMValueRef lost = LLVMBuildFCmp(unit->builder, LLVMRealUNO, derivative, derivative, "");
    return choose(tangent, lost, LLVMBuildBitCast(unit->builder, blame, unit->f64, ""), derivative);
}

static LLVMValueRef all_leaves(cc_tangent *tangent, LLVMValueRef value) {
    LLVMValueRef all = tangent->zero;
    for (unsigned i = 0; i < cc_leaf_count(tangent->unit, LLVMTypeOf(value)); i++)
        all = sum(tangent, all, cc_tangent_magnitude(tangent, cc_tangent_leaf(tangent, value, i)));
    return all;
}

/* Builds the tangent of a number's bits that are used as another kind of number: it is unknown, unless it is zero. */
static LLVMValueRef other_leaf(cc_tangent *tangent, LLVMValueRef cast, unsigned leaf) {
    LLVMValueRef from = LLVMGetOperand(cast, 0);
    LLVMTypeRef had = LLVMTypeOf(from), type = LLVMTypeOf(cast);
    if (!cc_leaf_any_number(tangent->unit, had) ||
        cc_leaf_kind(tangent->unit, had, 0) == cc_leaf_kind(tangent->unit, type, leaf))
        return tangent->zero;
    return marked(tangent, all_leaves(tangent, from));
}

static void build_cast(cc_tangent *tangent, cc_tangent_value *value) {
    LLVMValueRef from = LLVMGetOperand(value->value, 0);
    LLVMTypeRef type = LLVMTypeOf(value->value);
    cc_tangent_after(tangent, value->value);
    if (cc_leaf_count(tangent->unit, type) == 0) {
        value->leaf[0] = all_leaves(tangent, from);
        return;
    }
    if (cc_leaf_count(tangent->unit, LLVMTypeOf(from)) == 0)
        cc_tangent_report_lost(tangent, value->value, cc_tangent_leaf(tangent, from, 0), bits_lost);
    for (unsigned i = 0; i < value->leaves; i++) {
        LLVMValueRef same = same_leaf(tangent, value->value, i);
        value->leaf[i] = same ? same : other_leaf(tangent, value->value, i);
        if (cc_leaf_any_number(tangent->unit, type) && (!same || !cc_leaf_any_number(tangent->unit, LLVMTypeOf(from))))
            value->leaf[i] = number_from_bits(tangent, value->value, value->leaf[i]);
    }
}

static void check_cast(cc_tangent *tangent, LLVMValueRef cast) {
    LLVMValueRef from = LLVMGetOperand(cast, 0);
    if (cc_tangent_leaves(tangent->unit, LLVMTypeOf(cast)) > 0 || !cc_tangent_active(tangent, from))
        return;
    cc_tangent_after(tangent, cast);
    for (unsigned i = 0; i < cc_tangent_find(tangent, from)->leaves; i++)
        cc_tangent_report_lost(tangent, cast, cc_tangent_leaf(tangent, from, i), bits_lost);
}

static void build_select(cc_tangent *tangent, cc_tangent_value *value) {
    LLVMValueRef at = value->value, condition = LLVMGetOperand(at, 0);
    unsigned lanes = is_vector(condition) ? LLVMGetVectorSize(LLVMTypeOf(condition)) : 1;
    cc_tangent_after(tangent, at);
    for (unsigned i = 0; i < value->leaves; i++)
        value->leaf[i] = choose(tangent, in_lane(tangent, condition, i / (value->leaves / lanes)),
                                cc_tangent_leaf(tangent, LLVMGetOperand(at, 1), i),
                                cc_tangent_leaf(tangent, LLVMGetOperand(at, 2), i));
}

/* Builds the tangent of the larger or smaller of two integers, whose bits may be numbers. */
static void build_choice(cc_tangent *tangent, cc_tangent_value *value) {
    LLVMValueRef at = value->value, first = LLVMGetOperand(at, 0), second = LLVMGetOperand(at, 1);
    unsigned lanes = is_vector(at) ? LLVMGetVectorSize(LLVMTypeOf(at)) : 1;
    cc_tangent_after(tangent, at);
    LLVMValueRef same = LLVMBuildICmp(tangent->unit->builder, LLVMIntEQ, at, first, "");
    for (unsigned i = 0; i < value->leaves; i++)
        value->leaf[i] = choose(tangent, in_lane(tangent, same, i / (value->leaves / lanes)),
                                cc_tangent_leaf(tangent, first, i), cc_tangent_leaf(tangent, second, i));
}

/* Returns the first leaf of the member that the indices of an insertvalue or extractvalue select. */
static unsigned indexed_leaf(cc_tangent *tangent, LLVMValueRef at, LLVMTypeRef type) {
    unsigned first = 0;
    for (unsigned i = 0; i < LLVMGetNumIndices(at); i++) {
        unsigned index = LLVMGetIndices(at)[i];
        first += cc_leaf_first(tangent->unit, type, index);
        type = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index)
                                                           : LLVMGetElementType(type);
    }
    return first;
}

static void build_insert_value(cc_tangent *tangent, cc_tangent_value *value) {
    LLVMValueRef whole = LLVMGetOperand(value->value, 0), part = LLVMGetOperand(value->value, 1);
    unsigned first = indexed_leaf(tangent, value->value, LLVMTypeOf(whole));
    copy_leaves(tangent, value, whole, 0);
    for (unsigned i = 0; i < cc_leaf_count(tangent->unit, LLVMTypeOf(part)); i++)
        value->leaf[first + i] = cc_tangent_leaf(tangent, part, i);
}

static LLVMValueRef is_lane(cc_tangent *tangent, LLVMValueRef index, unsigned lane) {
    return LLVMBuildICmp(tangent->unit->builder, LLVMIntEQ, index, LLVMConstInt(LLVMTypeOf(index), lane, false), "");
}

static void build_extract_element(cc_tangent *tangent, cc_tangent_value *value) {
    LLVMValueRef vector = LLVMGetOperand(value->value, 0), index = LLVMGetOperand(value->value, 1);
    cc_tangent_after(tangent, value->value);
    for (unsigned i = 0; i < value->leaves; i++) {
        value->leaf[i] = tangent->zero;
        for (unsigned lane = 0; lane < LLVMGetVectorSize(LLVMTypeOf(vector)); lane++)
            value->leaf[i] = choose(tangent, is_lane(tangent, index, lane),
                                    cc_tangent_leaf(tangent, vector, lane * value->leaves + i), value->leaf[i]);
    }
}

static void build_insert_element(cc_tangent *tangent, cc_tangent_value *value) {
    LLVMValueRef vector = LLVMGetOperand(value->value, 0), part = LLVMGetOperand(value->value, 1),
                 index = LLVMGetOperand(value->value, 2);
    unsigned each = cc_leaf_count(tangent->unit, LLVMTypeOf(part));
    cc_tangent_after(tangent, value->value);
    for (unsigned i = 0; i < value->leaves; i++)
        value->leaf[i] = choose(tangent, is_lane(tangent, index, i / each), cc_tangent_leaf(tangent, part, i % each),
                                cc_tangent_leaf(tangent, vector, i));
}

static void build_shuffle(cc_tangent *tangent, cc_tangent_value *value) {
    LLVMValueRef first = LLVMGetOperand(value->value, 0), second = LLVMGetOperand(value->value, 1);
    unsigned had = LLVMGetVectorSize(LLVMTypeOf(first));
    unsigned each = cc_leaf_count(tangent->unit, LLVMGetElementType(LLVMTypeOf(first)));
    for (unsigned i = 0; i < value->leaves; i++) {
        int from = LLVMGetMaskValue(value->value, i / each);
        if (from == LLVMGetUndefMaskElem())
            value->leaf[i] = tangent->zero;
        else if ((unsigned)from < had)
            value->leaf[i] = cc_tangent_leaf(tangent, first, (unsigned)from * each + i % each);
        else
            value->leaf[i] = cc_tangent_leaf(tangent, second, ((unsigned)from - had) * each + i % each);
    }
}

static void begin_phi(cc_tangent *tangent, cc_tangent_value *value) {
    cc_tangent_before(tangent, value->value);
    for (unsigned i = 0; i < value->leaves; i++)
        value->leaf[i] = LLVMBuildPhi(tangent->unit->builder, tangent->unit->f64, "");
}

static void complete_phi(cc_tangent *tangent, cc_tangent_value *value) {
    for (unsigned k = 0; k < LLVMCountIncoming(value->value); k++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(value->value, k);
        for (unsigned i = 0; i < value->leaves; i++) {
            LLVMValueRef incoming = cc_tangent_leaf(tangent, LLVMGetIncomingValue(value->value, k), i);
            LLVMAddIncoming(value->leaf[i], &incoming, &block, 1);
        }
    }
}

/* ---- Instructions ---- */

static void build_call(cc_tangent *tangent, LLVMValueRef call) {
    switch (cc_call_kind_of(tangent->unit, call)) {
    case CC_CALL_FOLLOWED: cc_tangent_followed(tangent, call); break;
    case CC_CALL_CUSTOM: cc_tangent_custom(tangent, call); break;
    case CC_CALL_COPY:
    case CC_CALL_CLEAR:
    case CC_CALL_WRITTEN:
    case CC_CALL_CHANGED:
    case CC_CALL_ALLOCATE: cc_tangent_memory_call(tangent, call); break;
    case CC_CALL_RULE:
    case CC_CALL_FREE:
    case CC_CALL_PASS: break;
    }
}

/* Builds what an instruction needs whether or not its own value has a tangent. */
static void build_effect(cc_tangent *tangent, LLVMValueRef at) {
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMStore: cc_tangent_store(tangent, at); break;
    case LLVMAlloca: cc_tangent_alloca(tangent, at); break;
    case LLVMAtomicRMW: cc_tangent_update(tangent, cc_tangent_find(tangent, at)); break;
    case LLVMAtomicCmpXchg: cc_tangent_exchange(tangent, cc_tangent_find(tangent, at)); break;
    case LLVMCall: build_call(tangent, at); break;
    case LLVMRet: cc_tangent_return(tangent, at); break;
    case LLVMBitCast: check_cast(tangent, at); break;
    default: break;
    }
}

/* Builds the tangent of an active value. */
static void build_tangent(cc_tangent *tangent, cc_tangent_value *value) {
    LLVMValueRef at = value->value;
    const cc_rule *rule = cc_rule_of(at);
    if (rule != NULL) {
        build_rule(tangent, rule, value);
        return;
    }
    if (cc_bits_operation(at)) {
        build_bits(tangent, value);
        return;
    }
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad: cc_tangent_load(tangent, value); break;
    case LLVMPHI: begin_phi(tangent, value); break;
    case LLVMSelect: build_select(tangent, value); break;
    case LLVMBitCast: build_cast(tangent, value); break;
    case LLVMAddrSpaceCast:
    case LLVMFreeze: copy_leaves(tangent, value, LLVMGetOperand(at, 0), 0); break;
    case LLVMExtractValue:
        copy_leaves(tangent, value, LLVMGetOperand(at, 0),
                    indexed_leaf(tangent, at, LLVMTypeOf(LLVMGetOperand(at, 0))));
        break;
    case LLVMInsertValue: build_insert_value(tangent, value); break;
    case LLVMExtractElement: build_extract_element(tangent, value); break;
    case LLVMInsertElement: build_insert_element(tangent, value); break;
    case LLVMShuffleVector: build_shuffle(tangent, value); break;
    case LLVMCall:
        if (cc_tangent_chooses(at))
            build_choice(tangent, value);
        break;
    default: break;
    }
}

/* ---- Functions ---- */

/* Removes attributes that do not hold for the tangent version, which accesses cells and the state of the run time. */
static void strip_attributes(cc_tangent *tangent) {
    static const char *const names[] = {"memory", "nofree", "nosync", "norecurse", "willreturn", "speculatable"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMRemoveEnumAttributeAtIndex(tangent->function->value, LLVMAttributeFunctionIndex, kind);
        for (size_t v = 0; v < tangent->count; v++) {
            LLVMValueRef call = tangent->values[v].value;
            if (LLVMIsACallInst(call) == NULL || cc_call_kind_of(tangent->unit, call) != CC_CALL_FOLLOWED)
                continue;
            LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
            LLVMSetTailCallKind(call, LLVMTailCallKindNone);
        }
    }
}

void cc_tangent_function(cc_unit *unit, cc_function *function) {
    cc_tangent tangent = {.unit = unit, .function = function, .zero = LLVMConstReal(unit->f64, 0)};
    cc_tangent_collect(&tangent);
    strip_attributes(&tangent);
    cc_tangent_entry(&tangent);
    for (size_t i = 0; i < tangent.count; i++) {
        cc_tangent_value *value = &tangent.values[i];
        if (LLVMIsAInstruction(value->value) == NULL)
            continue; /* a parameter */
        if (LLVMIsALoadInst(value->value) != NULL || LLVMIsAStoreInst(value->value) != NULL)
            cc_in_scope(unit, value->value, CC_SCOPE_PROGRAM);
        if (cc_tangent_active(&tangent, value->value))
            build_tangent(&tangent, value);
        build_effect(&tangent, value->value);
    }
    for (size_t i = 0; i < tangent.count; i++)
        if (tangent.values[i].value != NULL && LLVMIsAPHINode(tangent.values[i].value) != NULL &&
            cc_tangent_active(&tangent, tangent.values[i].value))
            complete_phi(&tangent, &tangent.values[i]);
}
