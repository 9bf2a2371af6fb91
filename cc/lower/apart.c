/* Joins numbers that LLVM has taken apart. LLVM keeps the members of a union of a double and an int, or of a double
 * and a 16-bit tag, in registers of their own, and combines them where the whole is needed again. The derivative of
 * half a number that passes through a phi or a select alone is unknown. So where parts that are combined are phis
 * of one block, or selects by one condition, this lowering replaces them by one phi or select of the whole; and a
 * phi of parts of numbers, where there is also a phi of these numbers, becomes a part of that phi.
 *
 * A register that holds a part may hold other bits as well: LLVM takes the upper half of one variable with a mask,
 * and the lower half of another. bits_of computes which bits of a phi can be set, from all its incoming values.
 *
 * Runs after cc_normalise, because normalising also takes numbers apart. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

enum { MOST_PARTS = 8, MOST_STEPS = 12, MOST_PHIS = 4096, MOST_ROUNDS = 16 };

/* Some bits of a register that are some bits of the whole. */
typedef struct part {
    LLVMValueRef value;
    unsigned from;  /* position of the lowest of these bits in the register */
    unsigned first; /* position of the lowest of these bits in the whole */
    unsigned width; /* number of bits */
} part;

typedef struct parts {
    LLVMTypeRef type; /* type of the whole */
    part of[MOST_PARTS];
    unsigned count;
} parts;

/* Phis of parts that were joined. */
typedef struct joined {
    parts of;
    LLVMValueRef whole;
    size_t next; /* index + 1 of another entry whose first part is in the same register; 0: none */
} joined;

typedef struct joins {
    cc_unit *unit;
    joined *made;
    size_t count, capacity;
    cc_map by_value;    /* register of the first part -> index + 1 of its newest entry in `made` */
    LLVMValueRef *dead; /* instructions to erase at the end */
    size_t dead_count, dead_capacity;
} joins;

static unsigned width_of(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static uint64_t ones(unsigned count) {
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static bool is_with(LLVMValueRef value, LLVMOpcode opcode, uint64_t *constant) {
    if (LLVMIsAInstruction(value) == NULL || LLVMGetInstructionOpcode(value) != opcode || width_of(value) > 64 ||
        LLVMIsAConstantInt(LLVMGetOperand(value, 1)) == NULL)
        return false;
    *constant = LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
    return true;
}

static bool is_by(LLVMValueRef value, LLVMOpcode opcode, unsigned *bits) {
    uint64_t by;
    if (!is_with(value, opcode, &by) || by >= 64)
        return false;
    *bits = (unsigned)by;
    return true;
}

/* ---- Which bits can be set ---- */

static uint64_t bits_without_phis(LLVMValueRef value, unsigned steps) {
    unsigned width = width_of(value), by;
    uint64_t mask;
    if (LLVMIsUndef(value) || LLVMIsPoison(value))
        return 0;
    if (LLVMIsAConstantInt(value) != NULL && width <= 64)
        return LLVMConstIntGetZExtValue(value);
    if (width == 0 || width > 64 || steps == MOST_STEPS || LLVMIsAInstruction(value) == NULL)
        return UINT64_MAX;
    if (is_with(value, LLVMAnd, &mask))
        return mask & bits_without_phis(LLVMGetOperand(value, 0), steps + 1);
    if (is_by(value, LLVMShl, &by))
        return bits_without_phis(LLVMGetOperand(value, 0), steps + 1) << by & ones(width);
    if (is_by(value, LLVMLShr, &by))
        return (bits_without_phis(LLVMGetOperand(value, 0), steps + 1) & ones(width)) >> by;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMOr:
        return bits_without_phis(LLVMGetOperand(value, 0), steps + 1) |
               bits_without_phis(LLVMGetOperand(value, 1), steps + 1);
    case LLVMZExt:
        return bits_without_phis(LLVMGetOperand(value, 0), steps + 1) & ones(width_of(LLVMGetOperand(value, 0)));
    default: return ones(width);
    }
}

/* Returns the bits of `value` that may be set. Follows any number of phis and selects to all their sources. */
static uint64_t bits_of(cc_unit *unit, LLVMValueRef value) {
    LLVMValueRef *web = NULL;
    size_t count = 1, capacity = 0;
    uint64_t bits = 0;
    cc_map seen = {0};
    cc_reserve(unit, &web, &capacity, 1, sizeof *web);
    web[0] = value;
    for (size_t i = 0; i < count && bits != ones(width_of(value)); i++) {
        bool phi = LLVMIsAPHINode(web[i]) != NULL, select = LLVMIsASelectInst(web[i]) != NULL;
        unsigned sources = phi ? LLVMCountIncoming(web[i]) : select ? 2 : 0;
        if (count + sources > MOST_PHIS)
            return UINT64_MAX;
        if (sources == 0)
            bits |= bits_without_phis(web[i], 0);
        cc_reserve(unit, &web, &capacity, count + sources, sizeof *web);
        for (unsigned k = 0; k < sources; k++) {
            LLVMValueRef source = phi ? LLVMGetIncomingValue(web[i], k) : LLVMGetOperand(web[i], k + 1);
            if (cc_map_get(&seen, source) != CC_NOT_FOUND)
                continue;
            cc_map_put(unit, &seen, source, 0);
            web[count++] = source;
        }
    }
    return bits;
}

/* ---- Finding parts ---- */

/* Adds the bits of a register that may be set as a part. Returns false if they are not contiguous, or too many
 * parts. */
static bool add_part(cc_unit *unit, LLVMValueRef value, int shift, uint64_t wanted, parts *found) {
    uint64_t bits = bits_of(unit, value) & (shift < 0 ? wanted << -shift : wanted >> shift) & ones(width_of(value));
    if (bits == 0)
        return true;
    unsigned from = (unsigned)__builtin_ctzll(bits), width = 64 - (unsigned)__builtin_clzll(bits) - from;
    if (found->count == MOST_PARTS || bits >> from != ones(width))
        return false;
    found->of[found->count++] = (part){value, from, (unsigned)((int)from + shift), width};
    return true;
}

/* Finds the registers that the `wanted` bits of the whole come from, through shifts, masks and ors. Bit i of
 * `value` is bit i + shift of the whole. Returns false if another operation is found. */
static bool find_parts(cc_unit *unit, LLVMValueRef value, int shift, uint64_t wanted, unsigned steps, parts *found) {
    unsigned width = width_of(value), by = 0;
    uint64_t mask;
    if (wanted == 0)
        return true;
    if (steps == MOST_STEPS || width == 0 || width > 64)
        return false;
    if (LLVMIsAInstruction(value) == NULL)
        return add_part(unit, value, shift, wanted, found);
    LLVMValueRef first = LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
    if (is_by(value, LLVMShl, &by))
        return find_parts(unit, first, shift + (int)by, wanted, steps + 1, found);
    if (is_with(value, LLVMAnd, &mask)) {
        mask = shift < 0 ? mask >> -shift : mask << shift;
        return find_parts(unit, first, shift, wanted & mask, steps + 1, found);
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMOr:
        return find_parts(unit, first, shift, wanted, steps + 1, found) &&
               find_parts(unit, LLVMGetOperand(value, 1), shift, wanted, steps + 1, found);
    case LLVMZExt:
        mask = ones(width_of(first));
        return find_parts(unit, first, shift, wanted & (shift < 0 ? mask >> -shift : mask << shift), steps + 1, found);
    default: return add_part(unit, value, shift, wanted, found);
    }
}

/* Sorts the parts by position. Returns whether there are several and they cover the whole without gap or overlap. */
static bool are_whole(parts *found) {
    unsigned next = 0;
    for (unsigned i = 0; i < found->count; i++) {
        for (unsigned k = i + 1; k < found->count; k++)
            if (found->of[k].first < found->of[i].first) {
                part other = found->of[k];
                found->of[k] = found->of[i];
                found->of[i] = other;
            }
        if (found->of[i].first != next)
            return false;
        next += found->of[i].width;
    }
    return found->count > 1 && next == LLVMGetIntTypeWidth(found->type);
}

/* Follows a part back to the register that its bits come from. */
static void trace_part(part *part) {
    for (unsigned steps = 0; steps < MOST_STEPS && LLVMIsAInstruction(part->value) != NULL; steps++) {
        LLVMValueRef from = LLVMGetNumOperands(part->value) > 0 ? LLVMGetOperand(part->value, 0) : NULL;
        unsigned by = 0;
        uint64_t mask = 0, own = ones(part->width) << part->from;
        if (from == NULL || width_of(from) == 0 || width_of(from) > 64)
            return;
        bool right = is_by(part->value, LLVMLShr, &by) || is_by(part->value, LLVMAShr, &by);
        if (right && part->from + by + part->width <= width_of(from))
            part->from += by;
        else if (!right && is_by(part->value, LLVMShl, &by) && part->from >= by)
            part->from -= by;
        else if (LLVMIsATruncInst(part->value) == NULL &&
                 !(LLVMIsAZExtInst(part->value) != NULL && part->from + part->width <= width_of(from)) &&
                 !(is_with(part->value, LLVMAnd, &mask) && (mask & own) == own))
            return;
        part->value = from;
    }
}

/* ---- Joining parts ---- */

static LLVMValueRef join(joins *joins, parts *of, LLVMValueRef before);

static LLVMValueRef same_whole(const parts *of) {
    for (unsigned i = 0; i < of->count; i++)
        if (of->of[i].value != of->of[0].value || of->of[i].from != of->of[i].first)
            return NULL;
    return LLVMTypeOf(of->of[0].value) == of->type ? of->of[0].value : NULL;
}

static bool are_phis(const parts *of) {
    for (unsigned i = 0; i < of->count; i++)
        if (LLVMIsAPHINode(of->of[i].value) == NULL ||
            LLVMGetInstructionParent(of->of[i].value) != LLVMGetInstructionParent(of->of[0].value))
            return false;
    return true;
}

static bool are_selects(const parts *of) {
    for (unsigned i = 0; i < of->count; i++)
        if (LLVMIsASelectInst(of->of[i].value) == NULL ||
            LLVMGetOperand(of->of[i].value, 0) != LLVMGetOperand(of->of[0].value, 0))
            return false;
    return true;
}

/* Returns the value that a phi takes from a block; NULL if it has no entry for that block yet. */
static LLVMValueRef incoming_of(LLVMValueRef phi, LLVMBasicBlockRef block) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == block)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

/* Replaces the uses of every register that consists of one part by that part of the whole. */
static void replace_parts(joins *joins, const parts *of, LLVMValueRef whole, LLVMValueRef before) {
    LLVMBuilderRef builder = joins->unit->builder;
    for (unsigned i = 0; i < of->count; i++) {
        LLVMValueRef value = of->of[i].value, moved = whole;
        if (of->of[i].width != width_of(value) || LLVMGetFirstUse(value) == NULL)
            continue;
        cc_build_before(joins->unit, before);
        if (of->of[i].first > 0)
            moved = LLVMBuildLShr(builder, whole, LLVMConstInt(of->type, of->of[i].first, false), "");
        LLVMReplaceAllUsesWith(value, LLVMBuildTrunc(builder, moved, LLVMTypeOf(value), ""));
        cc_reserve(joins->unit, &joins->dead, &joins->dead_capacity, joins->dead_count + 1, sizeof *joins->dead);
        joins->dead[joins->dead_count++] = value;
    }
}

static bool are_same(const parts *a, const parts *b) {
    bool same = a->type == b->type && a->count == b->count;
    for (unsigned i = 0; same && i < a->count; i++)
        same = a->of[i].value == b->of[i].value && a->of[i].from == b->of[i].from && a->of[i].first == b->of[i].first;
    return same;
}

static LLVMValueRef find_joined(const joins *joins, const parts *of) {
    ptrdiff_t at = cc_map_get(&joins->by_value, of->of[0].value);
    for (size_t i = at == CC_NOT_FOUND ? 0 : (size_t)at; i > 0; i = joins->made[i - 1].next)
        if (are_same(&joins->made[i - 1].of, of))
            return joins->made[i - 1].whole;
    return NULL;
}

static void remember(joins *joins, const parts *of, LLVMValueRef whole) {
    ptrdiff_t at = cc_map_get(&joins->by_value, of->of[0].value);
    cc_reserve(joins->unit, &joins->made, &joins->capacity, joins->count + 1, sizeof *joins->made);
    joins->made[joins->count++] = (joined){*of, whole, at == CC_NOT_FOUND ? 0 : (size_t)at};
    cc_map_put(joins->unit, &joins->by_value, of->of[0].value, joins->count);
}

/* Builds a phi of the whole; the incoming values are joined in turn. A block that appears twice as predecessor
 * provides the same value both times. */
static LLVMValueRef join_phis(joins *joins, const parts *of) {
    LLVMValueRef first = of->of[0].value, after = first;
    while (LLVMIsAPHINode(after) != NULL)
        after = LLVMGetNextInstruction(after);
    cc_build_before(joins->unit, first);
    LLVMValueRef whole = LLVMBuildPhi(joins->unit->builder, of->type, "");
    remember(joins, of, whole);
    replace_parts(joins, of, whole, after);
    for (unsigned k = 0; k < LLVMCountIncoming(first); k++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(first, k);
        parts incoming = *of;
        for (unsigned i = 0; i < of->count; i++)
            incoming.of[i].value = incoming_of(of->of[i].value, block);
        LLVMValueRef value = incoming_of(whole, block);
        value = value != NULL ? value : join(joins, &incoming, LLVMGetBasicBlockTerminator(block));
        LLVMAddIncoming(whole, &value, &block, 1);
    }
    return whole;
}

static LLVMValueRef join_selects(joins *joins, const parts *of, LLVMValueRef before) {
    LLVMValueRef chosen[2];
    for (unsigned side = 0; side < 2; side++) {
        parts taken = *of;
        for (unsigned i = 0; i < of->count; i++)
            taken.of[i].value = LLVMGetOperand(of->of[i].value, side + 1);
        chosen[side] = join(joins, &taken, before);
    }
    cc_build_before(joins->unit, before);
    return LLVMBuildSelect(joins->unit->builder, LLVMGetOperand(of->of[0].value, 0), chosen[0], chosen[1], "");
}

/* Builds the bits of a part at their position in the whole, with all other bits zero. */
static LLVMValueRef placed(cc_unit *unit, const part *part, LLVMTypeRef type) {
    LLVMBuilderRef builder = unit->builder;
    LLVMValueRef value = part->value;
    unsigned width = width_of(value), whole = LLVMGetIntTypeWidth(type), last = part->from + part->width;
    if (part->from != part->first || last < width)
        value =
            LLVMBuildAnd(builder, value, LLVMConstInt(LLVMTypeOf(value), ones(part->width) << part->from, false), "");
    if (part->from > part->first)
        value = LLVMBuildLShr(builder, value, LLVMConstInt(LLVMTypeOf(value), part->from - part->first, false), "");
    if (width != whole)
        value = width < whole ? LLVMBuildZExt(builder, value, type, "") : LLVMBuildTrunc(builder, value, type, "");
    if (part->first > part->from)
        value = LLVMBuildShl(builder, value, LLVMConstInt(type, part->first - part->from, false), "");
    return value;
}

/* Builds the whole from its parts. Undefined parts become zero, so that they do not make the whole undefined. */
static LLVMValueRef join_bits(cc_unit *unit, const parts *of, LLVMValueRef before) {
    LLVMValueRef whole = LLVMConstNull(of->type);
    cc_build_before(unit, before);
    for (unsigned i = 0; i < of->count; i++) {
        if (LLVMIsUndef(of->of[i].value) || LLVMIsPoison(of->of[i].value))
            continue;
        LLVMValueRef wide = placed(unit, &of->of[i], of->type);
        whole = LLVMIsNull(whole) ? wide : LLVMBuildOr(unit->builder, whole, wide, "");
    }
    return whole;
}

static LLVMValueRef join(joins *joins, parts *of, LLVMValueRef before) {
    for (unsigned i = 0; i < of->count; i++)
        trace_part(&of->of[i]);
    LLVMValueRef whole = same_whole(of);
    if (whole == NULL)
        whole = find_joined(joins, of);
    if (whole != NULL)
        return whole;
    if (are_phis(of))
        return join_phis(joins, of);
    return are_selects(of) ? join_selects(joins, of, before) : join_bits(joins->unit, of, before);
}

/* ---- Phis and selects of parts ---- */

/* Returns whether `value` is a part of the bits of a number, and if so, all bits of the number, as an integer, and the
 * position of the part. */
static bool is_part_of_number(LLVMValueRef value, LLVMValueRef *bits, unsigned *first) {
    *first = 0;
    if (LLVMIsATruncInst(value) != NULL)
        value = LLVMGetOperand(value, 0);
    if (is_by(value, LLVMLShr, first))
        value = LLVMGetOperand(value, 0);
    *bits = value;
    return LLVMIsABitCastInst(value) != NULL && width_of(value) > 0;
}

/* Returns the only predecessor of `block`, or NULL if it has several or none. */
static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block) {
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    return use != NULL && LLVMGetNextUse(use) == NULL && LLVMIsABranchInst(LLVMGetUser(use)) != NULL
               ? LLVMGetInstructionParent(LLVMGetUser(use))
               : NULL;
}

/* Returns whether `branch` goes to `to` exactly if the bits of `whole` from `first` on are equal to `constant`. */
static bool branches_on(LLVMValueRef branch, LLVMBasicBlockRef to, LLVMValueRef whole, unsigned first,
                        LLVMValueRef constant) {
    LLVMValueRef test = LLVMIsConditional(branch) ? LLVMGetCondition(branch) : NULL;
    if (test == NULL || LLVMIsAICmpInst(test) == NULL || LLVMIsAConstantInt(LLVMGetOperand(test, 1)) == NULL)
        return false;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    unsigned where = predicate == LLVMIntEQ ? 0 : 1, width = width_of(constant);
    part tested = {LLVMGetOperand(test, 0), 0, 0, width};
    if ((predicate != LLVMIntEQ && predicate != LLVMIntNE) || LLVMGetSuccessor(branch, where) != to ||
        width_of(tested.value) < width || width_of(tested.value) > 64)
        return false;
    uint64_t equal = LLVMConstIntGetZExtValue(LLVMGetOperand(test, 1));
    trace_part(&tested);
    bool same =
        tested.value == whole || (LLVMIsABitCastInst(tested.value) != NULL && LLVMGetOperand(tested.value, 0) == whole);
    return same && tested.from == first && (equal & ones(width)) == LLVMConstIntGetZExtValue(constant);
}

/* Returns whether the bits of `whole` from `first` on are equal to `constant` in `block`, because a branch to the block
 * requires it. After such a branch LLVM replaces the bits by the constant. */
static bool is_known(LLVMBasicBlockRef block, LLVMValueRef whole, unsigned first, LLVMValueRef constant) {
    if (LLVMIsAConstantInt(constant) == NULL || width_of(constant) > 64)
        return false;
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        LLVMBasicBlockRef before = only_predecessor(block);
        if (before == NULL)
            return false;
        if (branches_on(LLVMGetBasicBlockTerminator(before), block, whole, first, constant))
            return true;
        block = before;
    }
    return false;
}

/* Returns whether each value of `phi` is the part at the same position of the value of `numbers`, another phi of
 * numbers or of their bits. */
static bool are_parts_of(LLVMValueRef phi, LLVMValueRef numbers, unsigned *first) {
    bool any = false;
    unsigned each, count = LLVMCountIncoming(phi);
    for (unsigned k = 0; k < 2 * count; k++) { /* constants in the second round */
        LLVMValueRef value = LLVMGetIncomingValue(phi, k % count), bits;
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, k % count);
        LLVMValueRef whole = incoming_of(numbers, block);
        if (LLVMIsConstant(value) != (k >= count))
            continue;
        if (k >= count ? !any || !is_known(block, whole, *first, value)
                       : !is_part_of_number(value, &bits, &each) || (any && each != *first) ||
                             (bits != whole && LLVMGetOperand(bits, 0) != whole))
            return false;
        *first = k < count ? each : *first;
        any = true;
    }
    return any;
}

static LLVMValueRef build_part(cc_unit *unit, LLVMValueRef number, unsigned first, LLVMTypeRef type) {
    LLVMTypeRef bits =
        LLVMIntTypeInContext(unit->context, (unsigned)LLVMSizeOfTypeInBits(unit->layout, LLVMTypeOf(number)));
    LLVMValueRef value = LLVMBuildBitCast(unit->builder, number, bits, "");
    if (first > 0)
        value = LLVMBuildLShr(unit->builder, value, LLVMConstInt(bits, first, false), "");
    return bits == type ? value : LLVMBuildTrunc(unit->builder, value, type, "");
}

static bool is_phi_of_parts(LLVMValueRef phi, LLVMValueRef *whole, unsigned *first) {
    for (*whole = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi)); LLVMIsAPHINode(*whole) != NULL;
         *whole = LLVMGetNextInstruction(*whole))
        if ((width_of(*whole) == 0 || width_of(*whole) > width_of(phi)) && are_parts_of(phi, *whole, first))
            return true;
    return false;
}

static bool is_select_of_parts(LLVMValueRef select, LLVMValueRef *whole, unsigned *first) {
    LLVMValueRef one, other;
    unsigned second;
    if (!is_part_of_number(LLVMGetOperand(select, 1), &one, first) ||
        !is_part_of_number(LLVMGetOperand(select, 2), &other, &second) || *first != second)
        return false;
    one = LLVMGetOperand(one, 0);
    other = LLVMGetOperand(other, 0);
    for (LLVMUseRef use = LLVMGetFirstUse(one); use != NULL; use = LLVMGetNextUse(use)) {
        *whole = LLVMGetUser(use);
        if (LLVMIsASelectInst(*whole) != NULL && LLVMGetOperand(*whole, 0) == LLVMGetOperand(select, 0) &&
            LLVMGetOperand(*whole, 1) == one && LLVMGetOperand(*whole, 2) == other &&
            LLVMGetInstructionParent(*whole) == LLVMGetInstructionParent(select))
            return true;
    }
    return false;
}

/* Returns whether `one` comes after `other` in their block, or is the same. */
static bool comes_later(LLVMValueRef one, LLVMValueRef other) {
    while (other != NULL && other != one)
        other = LLVMGetNextInstruction(other);
    return other != NULL;
}

/* Replaces a phi or select of parts by a part of the phi or select of the numbers, if there is one in the same
 * block. */
static bool find_whole(cc_unit *unit, LLVMValueRef at) {
    LLVMValueRef whole;
    unsigned first = 0;
    bool found = LLVMIsAPHINode(at) != NULL      ? is_phi_of_parts(at, &whole, &first)
                 : LLVMIsASelectInst(at) != NULL ? is_select_of_parts(at, &whole, &first)
                                                 : false;
    if (!found)
        return false;
    LLVMValueRef before = LLVMGetNextInstruction(whole);
    if (LLVMIsASelectInst(at) != NULL && comes_later(whole, at)) { /* its operands are available before `at`, too */
        LLVMInstructionRemoveFromParent(whole);
        LLVMPositionBuilderBefore(unit->builder, at);
        LLVMInsertIntoBuilder(unit->builder, whole);
        before = at;
    }
    while (LLVMIsAPHINode(before) != NULL)
        before = LLVMGetNextInstruction(before);
    cc_build_before(unit, before);
    LLVMReplaceAllUsesWith(at, build_part(unit, whole, first, LLVMTypeOf(at)));
    return true;
}

static bool find_wholes(cc_unit *unit, LLVMValueRef function) {
    bool any = false;
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at))
        if (width_of(at) > 1 && LLVMGetFirstUse(at) != NULL)
            any |= find_whole(unit, at);
    return any;
}

/* ---- Functions ---- */

static bool is_candidate(LLVMValueRef at) {
    unsigned width = LLVMGetInstructionOpcode(at) == LLVMOr ? width_of(at) : 0;
    return (width == 64 || width == 32) && LLVMGetFirstUse(at) != NULL;
}

static bool join_at(joins *joins, LLVMValueRef at) {
    parts found = {.type = LLVMTypeOf(at)};
    if (!find_parts(joins->unit, at, 0, ones(width_of(at)), 0, &found) || !are_whole(&found))
        return false;
    for (unsigned i = 0; i < found.count; i++)
        trace_part(&found.of[i]);
    if (same_whole(&found) == NULL && !are_phis(&found) && !are_selects(&found))
        return false;
    LLVMReplaceAllUsesWith(at, join(joins, &found, at));
    LLVMInstructionEraseFromParent(at);
    return true;
}

/* Tries each candidate once. The caller repeats this, because what was joined may make further joins possible. */
static bool join_all(joins *joins, LLVMValueRef function) {
    LLVMValueRef *candidates = NULL;
    size_t count = 0, capacity = 0;
    bool any = false;
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at))
        if (is_candidate(at)) {
            cc_reserve(joins->unit, &candidates, &capacity, count + 1, sizeof *candidates);
            candidates[count++] = at;
        }
    for (size_t i = 0; i < count; i++)
        any |= join_at(joins, candidates[i]);
    return any;
}

static void join_function(cc_unit *unit, LLVMValueRef function) {
    joins joins = {.unit = unit};
    for (unsigned round = 0; round < MOST_ROUNDS && join_all(&joins, function); round++)
        ;
    for (size_t i = 0; i < joins.dead_count; i++)
        LLVMInstructionEraseFromParent(joins.dead[i]);
}

void cc_lower_apart(cc_unit *unit) {
    bool any = false;
    for (size_t i = 0; i < unit->program->member_count; i++) {
        LLVMValueRef function =
            LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.base", unit->program->members[i]->name));
        if (function == NULL || LLVMIsDeclaration(function))
            continue;
        any |= find_wholes(unit, function);
        join_function(unit, function);
    }
    if (any) /* makes the bits of one number one value */
        cc_run_passes(unit, "function(early-cse)");
}
