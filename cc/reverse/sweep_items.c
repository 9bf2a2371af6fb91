/* Reverses single instructions: one function per kind; cc_sweep_item selects it. */
#include "cc/ir/cells.h"
#include "cc/ir/leaves.h"
#include "cc/ir/small.h"
#include "cc/plan/active.h"
#include "cc/plan/doubts.h"
#include "cc/reverse/inside.h"
#include "cc/rules/rules.h"
#include "cc/types/bits.h"
#include "cc/types/parts.h"
#include "native/state.h"

static LLVMValueRef operand(const cc_item *item, unsigned k) {
    return LLVMGetOperand(item->value, k);
}

static unsigned leaves_of(cc_sweep *sweep, LLVMValueRef value) {
    return cc_leaf_count(sweep->unit, LLVMTypeOf(value));
}

/* ---- Arithmetic ---- */

static bool floating(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return cc_leaf_is_number(LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type);
}

static void sweep_rule_lane(cc_sweep *sweep, const cc_rule *rule, int x, unsigned lane) {
    const cc_item *item = &sweep->body->items[x];
    LLVMValueRef seed = cc_sweep_take(sweep, x, lane);
    if (!seed)
        return;
    sweep->unit->rule_type = cc_rule_type(sweep->unit, item->value);
    seed = cc_number_as(sweep->unit, seed, sweep->unit->rule_type);
    for (unsigned by = 0; by < rule->operands; by++) {
        if (rule->zero[by] || !cc_is_active(sweep->body, operand(item, by)))
            continue;
        LLVMValueRef operands[CC_RULE_OPERANDS] = {NULL}, result = NULL;
        for (unsigned k = 0; k < rule->operands; k++)
            if (rule->needs[by] & 1u << k)
                operands[k] = floating(operand(item, k)) ? cc_sweep_number(sweep, operand(item, k), lane)
                                                         : cc_sweep_value(sweep, operand(item, k));
        if (rule->needs[by] & CC_RULE_RESULT)
            result = cc_sweep_number(sweep, item->value, lane);
        LLVMValueRef adjoint = rule->partial(sweep->unit, rule, by, seed, operands, result);
        cc_sweep_add(sweep, operand(item, by), lane, cc_sweep_if_chosen(sweep, x, operand(item, by), adjoint));
    }
    sweep->unit->rule_type = sweep->unit->f64;
}

static void sweep_rule(cc_sweep *sweep, int x) {
    const cc_rule *rule = cc_rule_of(sweep->body->items[x].value);
    for (unsigned lane = 0; lane < sweep->body->items[x].leaves; lane++)
        sweep_rule_lane(sweep, rule, x, lane);
}

/* ---- Aggregates and vectors ---- */

/* Returns the first leaf of the member that an insertvalue or extractvalue selects. */
static unsigned named_leaf(cc_sweep *sweep, LLVMValueRef value, LLVMTypeRef type) {
    const unsigned *indices = LLVMGetIndices(value);
    unsigned first = 0;
    for (unsigned k = 0; k < LLVMGetNumIndices(value); k++) {
        first += cc_leaf_first(sweep->unit, type, indices[k]);
        type = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, indices[k])
                                                           : LLVMGetElementType(type);
    }
    return first;
}

static void sweep_extract_value(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    unsigned first = named_leaf(sweep, item->value, LLVMTypeOf(operand(item, 0)));
    for (unsigned i = 0; i < item->leaves; i++)
        cc_sweep_add(sweep, operand(item, 0), first + i, cc_sweep_take(sweep, x, i));
}

static void sweep_insert_value(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    unsigned first = named_leaf(sweep, item->value, LLVMTypeOf(item->value));
    unsigned count = leaves_of(sweep, operand(item, 1));
    for (unsigned i = 0; i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, x, i);
        if (i >= first && i < first + count)
            cc_sweep_add(sweep, operand(item, 1), i - first, adjoint);
        else
            cc_sweep_add(sweep, operand(item, 0), i, adjoint);
    }
}

/* Builds `adjoint` if the index selects this lane (`named`: if it does, else: if it does not), otherwise zero. */
static LLVMValueRef if_lane(cc_sweep *sweep, LLVMValueRef index, unsigned lane, LLVMValueRef adjoint, bool named) {
    LLVMBuilderRef build = sweep->unit->builder;
    LLVMValueRef at = cc_sweep_value(sweep, index);
    LLVMValueRef same = LLVMBuildICmp(build, LLVMIntEQ, at, LLVMConstInt(LLVMTypeOf(at), lane, false), "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(adjoint));
    return LLVMBuildSelect(build, same, named ? adjoint : zero, named ? zero : adjoint, "");
}

static void sweep_extract_element(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    LLVMValueRef vector = operand(item, 0), index = operand(item, 1);
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(vector));
    for (unsigned i = 0; i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, x, i);
        if (!adjoint)
            continue;
        if (LLVMIsAConstantInt(index)) {
            unsigned lane = (unsigned)LLVMConstIntGetZExtValue(index);
            cc_sweep_add(sweep, vector, lane * item->leaves + i, adjoint);
            continue;
        }
        for (unsigned lane = 0; lane < lanes; lane++)
            cc_sweep_add(sweep, vector, lane * item->leaves + i, if_lane(sweep, index, lane, adjoint, true));
    }
}

static void sweep_insert_element(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    LLVMValueRef index = operand(item, 2);
    unsigned count = leaves_of(sweep, operand(item, 1));
    for (unsigned i = 0; i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, x, i);
        if (!adjoint)
            continue;
        unsigned lane = i / count;
        if (LLVMIsAConstantInt(index)) {
            bool here = LLVMConstIntGetZExtValue(index) == lane;
            cc_sweep_add(sweep, operand(item, here ? 1 : 0), here ? i % count : i, adjoint);
            continue;
        }
        cc_sweep_add(sweep, operand(item, 1), i % count, if_lane(sweep, index, lane, adjoint, true));
        cc_sweep_add(sweep, operand(item, 0), i, if_lane(sweep, index, lane, adjoint, false));
    }
}

static void sweep_shuffle(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    unsigned lanes = LLVMGetNumMaskElements(item->value), per_lane = item->leaves / lanes;
    int width = (int)LLVMGetVectorSize(LLVMTypeOf(operand(item, 0)));
    for (unsigned i = 0; i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, x, i);
        int from = LLVMGetMaskValue(item->value, i / per_lane);
        if (!adjoint || from < 0)
            continue;
        unsigned leaf = (unsigned)(from % width) * per_lane + i % per_lane;
        cc_sweep_add(sweep, operand(item, from < width ? 0 : 1), leaf, adjoint);
    }
}

/* Builds a call of the run time if `adjoint`, a derivative that has reached something without derivative, is not
 * zero. */
static void report_lost(cc_sweep *sweep, LLVMValueRef place, LLVMValueRef adjoint, const char *why) {
    adjoint = cc_number_as(sweep->unit, adjoint, sweep->unit->f64);
    LLVMValueRef there = LLVMBuildFCmp(sweep->unit->builder, LLVMRealUNE, adjoint, cc_sweep_zero(sweep), "");
    const char *text = cc_print(sweep->unit, "%s: %s", cc_where(sweep->unit, place), why);
    LLVMValueRef arguments[] = {adjoint, cc_string(sweep->unit, text)};
    if (sweep->unit->second) { /* its tangent may differ from zero */
        cc_call_runtime(sweep->unit, "verso__native_refuse_lost", sweep->unit->none, arguments, 2);
        return;
    }
    cc_call_if(sweep->unit, there, "verso__native_refuse_lost", cc_sweep_apart(sweep, place), arguments, 2);
}

/* Reverses bitcasts and freezes. */
static void sweep_move(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    int from[CC_MOVED_MOST];
    if (!cc_moved_leaves(sweep->unit, item->value, from))
        cc_give_up(sweep->unit, VERSO_STATUS_STATE,
                   "internal error (please report it): there is no adjoint for the operation at %s",
                   cc_where(sweep->unit, item->value));
    for (unsigned i = 0; i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, x, i);
        if (adjoint && from[i] >= 0)
            cc_sweep_add(sweep, operand(item, 0), (unsigned)from[i], adjoint);
        else if (adjoint)
            report_lost(
                sweep, item->value, adjoint,
                "bits of a floating-point number of one type are used as one of another type, which Verso cannot "
                "follow; write it with floating-point functions, give the function a VERSO_CUSTOM_ADJOINT, or declare "
                "it VERSO_INACTIVE");
    }
}

/* Builds the adjoint times the derivative of the number here by the number that its bits come from. */
static LLVMValueRef scaled(cc_sweep *sweep, const cc_item *item, unsigned leaf, LLVMValueRef adjoint) {
    const cc_bits *bits = &item->bits[leaf];
    LLVMValueRef arguments[] = {adjoint,
                                cc_bits_number(sweep->unit, cc_sweep_value(sweep, bits->root), bits->leaf, bits->wide),
                                cc_bits_number(sweep->unit, cc_sweep_value(sweep, item->value), leaf, bits->wide)};
    return cc_bits_rescaled(sweep->unit, bits, arguments);
}

static const char bits_not_followed[] =
    "integer arithmetic on the bits of a number, which Verso cannot follow; write it with floating-point functions "
    "(fabs, "
    "copysign, ldexp, frexp), give the function a VERSO_CUSTOM_ADJOINT, or declare it VERSO_INACTIVE";

/* Builds the adjoint if two halves do not belong to one number, otherwise zero. */
static LLVMValueRef if_apart(cc_sweep *sweep, const cc_bits *bits, LLVMValueRef adjoint) {
    LLVMValueRef apart = cc_bits_apart(sweep->unit, cc_sweep_value(sweep, LLVMGetOperand(bits->root, 0)),
                                       cc_sweep_value(sweep, LLVMGetOperand(bits->partner, 0)));
    return LLVMBuildSelect(sweep->unit->builder, apart, adjoint, cc_sweep_zero(sweep), "");
}

/* Passes a doubt to the values that the operation goes back to, if its adjoint is not zero: see doubts.h. */
static void doubt(cc_sweep *sweep, cc_item *item, LLVMValueRef adjoint) {
    cc_unit *unit = sweep->unit;
    const char *text = cc_print(unit, "%s: %s", cc_where(unit, item->value), bits_not_followed);
    LLVMValueRef there = LLVMBuildFCmp(unit->builder, LLVMRealUNE, adjoint, cc_sweep_zero(sweep), "");
    LLVMValueRef added = LLVMBuildSelect(unit->builder, there, cc_doubt(unit, text), cc_sweep_zero(sweep), "");
    for (size_t i = 0; i < item->root_count; i++)
        for (unsigned leaf = 0; leaf < leaves_of(sweep, item->roots[i]); leaf++)
            if (cc_doubts_leaf(unit, item->roots[i], leaf))
                cc_sweep_add(sweep, item->roots[i], leaf, added);
}

/* Reverses integer operations: see types/bits.h. */
static void sweep_bits(cc_sweep *sweep, int x) {
    cc_item *item = &sweep->body->items[x];
    for (unsigned i = 0; i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, x, i);
        if (!adjoint)
            continue;
        const cc_bits *bits = &item->bits[i];
        bool joined = bits->kind == CC_BITS_JOINED;
        if (bits->partner)
            report_lost(sweep, item->value, if_apart(sweep, bits, adjoint), bits_not_followed);
        if (bits->kind == CC_BITS_COPY || (joined && bits->root))
            cc_sweep_add(sweep, bits->root, bits->leaf, adjoint);
        else if (bits->kind == CC_BITS_SCALED || bits->kind == CC_BITS_LINEAR)
            cc_sweep_add(sweep, bits->root, bits->leaf, scaled(sweep, item, i, adjoint));
        else if (bits->kind == CC_BITS_LOST && cc_doubts_go_on(sweep->body, item))
            doubt(sweep, item, adjoint);
        else if (bits->kind == CC_BITS_LOST || joined)
            report_lost(sweep, item->value, adjoint, bits_not_followed);
    }
}

static void sweep_choice(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    LLVMBuilderRef build = sweep->unit->builder;
    for (unsigned i = 0; i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, x, i), zero = cc_sweep_zero(sweep);
        if (!adjoint)
            continue;
        LLVMValueRef first = LLVMBuildICmp(build, LLVMIntEQ, cc_sweep_value(sweep, item->value),
                                           cc_sweep_value(sweep, operand(item, 0)), "");
        cc_sweep_add(sweep, operand(item, 0), i, LLVMBuildSelect(build, first, adjoint, zero, ""));
        cc_sweep_add(sweep, operand(item, 1), i, LLVMBuildSelect(build, first, zero, adjoint, ""));
    }
}

/* ---- Memory ---- */

static LLVMValueRef as_size(cc_sweep *sweep, LLVMValueRef number) {
    return LLVMBuildIntCast2(sweep->unit->builder, number, sweep->unit->i64, false, "");
}

static void clear(cc_sweep *sweep, LLVMValueRef address, LLVMValueRef size) {
    LLVMValueRef arguments[] = {address, as_size(sweep, size)};
    cc_call_runtime(sweep->unit, "verso__native_sweep_clear", sweep->unit->none, arguments, 2);
}

static void sweep_alloca(cc_sweep *sweep, const cc_item *item) {
    uint64_t size = LLVMABISizeOfType(sweep->unit->layout, LLVMGetAllocatedType(item->value));
    LLVMValueRef count = as_size(sweep, cc_sweep_value(sweep, operand(item, 0)));
    LLVMValueRef bytes = LLVMBuildMul(sweep->unit->builder, count, cc_i64(sweep->unit, (int64_t)size), "");
    clear(sweep, cc_sweep_value(sweep, item->value), bytes);
}

/* Bits that were computed get a doubt if they are not the first bits of a number, because its derivative is not
 * found there. */
static LLVMValueRef begin_part(cc_sweep *sweep, LLVMValueRef store, LLVMValueRef address, bool apart) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef stored = LLVMGetOperand(store, 0);
    cc_bits_origin origin;
    if (!cc_is_active(sweep->body, stored) || LLVMGetAlignment(store) % 4 != 0 ||
        cc_bits_copied(unit, stored, cc_is_varied_in, sweep->body, &origin))
        return cc_parts_begin(unit, store, address, "verso__native_sweep_part", NULL, apart);
    const char *text = cc_print(unit, "%s: %s", cc_where(unit, store), bits_not_followed);
    return cc_parts_begin(unit, store, address, "verso__native_sweep_part_computed", cc_doubt(unit, text), apart);
}

/* Reverses a store of an integer that may be a part of a number. */
static void sweep_part(cc_sweep *sweep, const cc_item *item) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef store = item->value, address = cc_sweep_value(sweep, operand(item, 1));
    bool apart = cc_sweep_apart(sweep, store);
    LLVMValueRef there = begin_part(sweep, store, address, apart);
    cc_sweep_write_cells(sweep, store);
    const char *text =
        cc_print(unit,
                 "%s: a part of a floating-point number whose derivative is needed is written here without the rest; "
                 "copy numbers whole (memcpy), write bit tricks with <math.h>, give the function a "
                 "VERSO_CUSTOM_ADJOINT, or declare it VERSO_INACTIVE",
                 cc_where(unit, store));
    LLVMValueRef loaded = cc_parts_loaded(unit, store, cc_is_varied_in, sweep->body);
    loaded = loaded ? cc_sweep_value(sweep, loaded) : NULL;
    LLVMValueRef after[] = {cc_string(unit, text), cc_parts_origin(unit, store, loaded, cc_is_varied_in, sweep->body)};
    cc_call_if(unit, there, "verso__native_sweep_part_end", apart, after, 2);
}

/* Handles a store of numbers that may overlap numbers of another kind: bytes of one kind that are read as another. */
static void sweep_over(cc_sweep *sweep, const cc_item *item) {
    cc_unit *unit = sweep->unit;
    LLVMTypeRef type = LLVMTypeOf(operand(item, 0));
    LLVMValueRef address = cc_sweep_value(sweep, operand(item, 1));
    bool apart = cc_sweep_apart(sweep, item->value);
    LLVMValueRef there = cc_overlap_has_derivative(unit, item->value, address, apart);
    const char *text =
        cc_print(unit,
                 "%s: the bytes of the floating-point number that is written here are used as those of another type, "
                 "whose derivative is needed; copy numbers whole (memcpy), write bit tricks with <math.h>, give the "
                 "function a VERSO_CUSTOM_ADJOINT, or declare it VERSO_INACTIVE",
                 cc_where(unit, item->value));
    bool active = cc_is_active(sweep->body, operand(item, 0));
    LLVMValueRef arguments[] = {address, cc_i64(unit, (int64_t)LLVMStoreSizeOfType(unit->layout, type)),
                                cc_i64(unit, cc_leaf_kind(unit, type, 0)),
                                active ? cc_string(unit, text) : LLVMConstNull(unit->pointer)};
    cc_call_if(unit, there, "verso__native_sweep_over", apart, arguments, 4);
}

static void sweep_cells_of_store(cc_sweep *sweep, const cc_item *item) {
    if (cc_may_write_parts(sweep->unit, item->value)) {
        sweep_part(sweep, item);
        return;
    }
    if (cc_may_overwrite_numbers(sweep->unit, item->value))
        sweep_over(sweep, item);
    cc_sweep_write_cells(sweep, item->value);
}

static void sweep_store(cc_sweep *sweep, const cc_item *item) {
    cc_store_effect effect = cc_store_effect_of(sweep->body, item->value);
    if (effect == CC_STORE_MOVES) {
        sweep_cells_of_store(sweep, item);
        return;
    }
    if (effect == CC_STORE_NOTHING)
        return;
    uint64_t size = LLVMStoreSizeOfType(sweep->unit->layout, LLVMTypeOf(operand(item, 0)));
    LLVMValueRef address = cc_sweep_value(sweep, operand(item, 1));
    if (effect == CC_STORE_CLEARS && LLVMGetAlignment(item->value) % 4 == 0 && leaves_of(sweep, operand(item, 0)) > 0) {
        sweep_cells_of_store(sweep, item);
        return;
    }
    if (effect == CC_STORE_CLEARS) {
        clear(sweep, address, cc_i64(sweep->unit, (int64_t)size));
        return;
    }
    const char *text =
        cc_print(sweep->unit,
                 "%s: bytes written here are used as a floating-point number whose derivative is needed, but "
                 "they were made by integer operations, or byte by byte; copy numbers whole (memcpy), write "
                 "bit tricks with <math.h>, give the function a VERSO_CUSTOM_ADJOINT, or declare it "
                 "VERSO_INACTIVE",
                 cc_where(sweep->unit, item->value));
    LLVMValueRef arguments[] = {address, cc_i64(sweep->unit, (int64_t)size), cc_string(sweep->unit, text)};
    LLVMValueRef doubt = cc_call_runtime(sweep->unit, "verso__native_sweep_opaque", sweep->unit->f64, arguments, 3);
    for (unsigned i = 0; effect == CC_STORE_DOUBTS && i < leaves_of(sweep, operand(item, 0)); i++)
        if (cc_doubts_leaf(sweep->unit, operand(item, 0), i))
            cc_sweep_add(sweep, operand(item, 0), i, doubt);
}

static void sweep_changed(cc_sweep *sweep, const cc_item *item) {
    const char *text =
        cc_print(sweep->unit,
                 "%s: a function that was not compiled by `verso cc` writes here, and Verso cannot tell whether it "
                 "overwrites numbers whose derivative is needed; give it a VERSO_CUSTOM_ADJOINT that sets the adjoints "
                 "of what it writes to zero",
                 cc_where(sweep->unit, item->value));
    LLVMValueRef arguments[] = {cc_sweep_value(sweep, operand(item, 0)), cc_string(sweep->unit, text)};
    cc_call_runtime(sweep->unit, "verso__native_sweep_changed", sweep->unit->none, arguments, 2);
}

typedef struct call_operands {
    cc_sweep *sweep;
    LLVMValueRef call;
} call_operands;

static LLVMValueRef call_operand(void *context, unsigned k) {
    call_operands *of = context;
    return cc_sweep_value(of->sweep, LLVMGetOperand(of->call, k));
}

static void sweep_call(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    switch (item->call) {
    case CC_CALL_RULE:
        if (item->varied && item->useful)
            sweep_rule(sweep, x);
        break;
    case CC_CALL_COPY: {
        if (sweep->body->function->inactive) {
            clear(sweep, cc_sweep_value(sweep, operand(item, 0)), cc_sweep_value(sweep, operand(item, 2)));
            break;
        }
        LLVMValueRef arguments[] = {cc_sweep_value(sweep, operand(item, 0)), cc_sweep_value(sweep, operand(item, 1)),
                                    as_size(sweep, cc_sweep_value(sweep, operand(item, 2)))};
        cc_call_runtime(sweep->unit, "verso__native_sweep_copy", sweep->unit->none, arguments, 3);
        break;
    }
    case CC_CALL_CLEAR:
        clear(sweep, cc_sweep_value(sweep, operand(item, 0)), cc_sweep_value(sweep, operand(item, 2)));
        break;
    case CC_CALL_WRITTEN:
        clear(sweep, cc_sweep_value(sweep, operand(item, 0)), cc_sweep_value(sweep, operand(item, 1)));
        break;
    case CC_CALL_CHANGED: sweep_changed(sweep, item); break;
    case CC_CALL_PASS:
        if (item->varied && item->useful && cc_bits_operation(item->value))
            sweep_bits(sweep, x);
        else if (item->varied && item->useful && cc_chooses(item->value))
            sweep_choice(sweep, x);
        break;
    case CC_CALL_ALLOCATE: {
        call_operands of = {sweep, item->value};
        clear(sweep, cc_sweep_value(sweep, item->value),
              cc_call_allocated(sweep->unit, item->value, call_operand, &of));
        break;
    }
    default: break;
    }
}

void cc_sweep_item(cc_sweep *sweep, int x) {
    const cc_item *item = &sweep->body->items[x];
    switch (item->opcode) {
    case LLVMStore: sweep_store(sweep, item); return;
    case LLVMAlloca: sweep_alloca(sweep, item); return;
    case LLVMCall: sweep_call(sweep, x); return;
    default: break;
    }
    if (!item->varied || !item->useful)
        return;
    switch (item->opcode) {
    case LLVMLoad: cc_sweep_read_cells(sweep, x, operand(item, 0), LLVMGetAlignment(item->value)); return;
    case LLVMSelect: cc_sweep_select(sweep, x); return;
    case LLVMExtractValue: sweep_extract_value(sweep, x); return;
    case LLVMInsertValue: sweep_insert_value(sweep, x); return;
    case LLVMExtractElement: sweep_extract_element(sweep, x); return;
    case LLVMInsertElement: sweep_insert_element(sweep, x); return;
    case LLVMShuffleVector: sweep_shuffle(sweep, x); return;
    default:
        if (cc_bits_operation(item->value))
            sweep_bits(sweep, x);
        else if (cc_rule_of(item->value))
            sweep_rule(sweep, x);
        else
            sweep_move(sweep, x);
    }
}
