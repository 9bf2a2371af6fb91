/* Replaces the processor's intrinsics (front/machine.h) by LLVM instructions that compute the same bits and can be
 * differentiated.
 *
 * Where no instructions compute the same bits (approximations, a rounding mode other than the current one), the
 * intrinsic stays for the value, and the derivative is attached to it (verso__native_carry in native/api/math.h).
 * Intrinsics whose derivative is zero stay, too: no derivative comes out of a call of an unknown function. */
#include "cc/front/machine.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "cc/lower/masks.h"

typedef struct lowering {
    cc_unit *unit;
    LLVMValueRef call;
    cc_machine machine;
    LLVMTypeRef type; /* type of the result */
    LLVMValueRef a, b, c;
    uint64_t immediate;
    unsigned lanes; /* number of lanes that are computed: 1 if only lane 0 is */
} lowering;

/* ---- Building ---- */

static bool is_vector(LLVMValueRef value) {
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

static LLVMTypeRef element_of(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static unsigned lanes_of(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static LLVMValueRef index_of(const lowering *at, unsigned lane) {
    return LLVMConstInt(at->unit->i32, lane, false);
}

static LLVMValueRef extract(const lowering *at, LLVMValueRef vector, unsigned lane) {
    return is_vector(vector) ? LLVMBuildExtractElement(at->unit->builder, vector, index_of(at, lane), "") : vector;
}

static LLVMValueRef insert(const lowering *at, LLVMValueRef vector, LLVMValueRef value, unsigned lane) {
    return LLVMBuildInsertElement(at->unit->builder, vector, value, index_of(at, lane), "");
}

typedef unsigned lane_chooser(const lowering *at, unsigned lane);

/* Builds a vector whose lane i is lane choose(i) of `first` and `second` concatenated. */
static LLVMValueRef shuffle(const lowering *at, LLVMValueRef first, LLVMValueRef second, unsigned lanes,
                            lane_chooser *choose) {
    LLVMValueRef *chosen = cc_alloc(at->unit, lanes, sizeof *chosen);
    for (unsigned i = 0; i < lanes; i++)
        chosen[i] = index_of(at, choose(at, i));
    return LLVMBuildShuffleVector(at->unit->builder, first, second, LLVMConstVector(chosen, lanes), "");
}

static LLVMValueRef intrinsic(const lowering *at, const char *name, LLVMValueRef *arguments, unsigned count) {
    return cc_call_intrinsic(at->unit, name, LLVMTypeOf(arguments[0]), arguments, count);
}

static LLVMValueRef constant(LLVMTypeRef type, double value) {
    LLVMValueRef one = LLVMConstReal(element_of(type), value), all[64];
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return one;
    for (unsigned i = 0; i < lanes_of(type); i++)
        all[i] = one;
    return LLVMConstVector(all, lanes_of(type));
}

/* Builds one number with the value of `value` and `slope` times the derivative of `exact`. */
static LLVMValueRef carry_lane(const lowering *at, LLVMValueRef value, LLVMValueRef slope, LLVMValueRef exact) {
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef arguments[] = {value, slope, exact};
    return cc_call_runtime(at->unit, type == at->unit->f32 ? "verso__native_carryf" : "verso__native_carry", type,
                           arguments, 3);
}

/* Builds `value` with the derivative of `exact`, for all lanes. */
static LLVMValueRef carry(const lowering *at, LLVMValueRef value, LLVMValueRef exact) {
    LLVMValueRef one = LLVMConstReal(at->unit->f64, 1);
    if (!is_vector(value))
        return carry_lane(at, value, one, exact);
    for (unsigned i = 0; i < lanes_of(LLVMTypeOf(value)); i++)
        value = insert(at, value, carry_lane(at, extract(at, value, i), one, extract(at, exact, i)), i);
    return value;
}

/* ---- Arithmetic ---- */

static LLVMValueRef fused(const lowering *at, LLVMValueRef c) {
    LLVMValueRef arguments[] = {at->a, at->b, c};
    return intrinsic(at, "llvm.fma", arguments, 3);
}

/* Even lanes come from the second vector, odd lanes from the first. */
static unsigned alternate(const lowering *at, unsigned lane) {
    return lane % 2 == 0 ? lane + at->lanes : lane;
}

/* hadd: within each 128 bits, pairs of a, then pairs of b. */
static unsigned pair_of(const lowering *at, unsigned lane) {
    unsigned group = LLVMGetTypeKind(element_of(at->type)) == LLVMDoubleTypeKind ? 2 : 4;
    unsigned within = lane % group, first = lane - within + within % (group / 2) * 2;
    return within < group / 2 ? first : first + at->lanes;
}

static unsigned pair_second(const lowering *at, unsigned lane) {
    return pair_of(at, lane) + 1;
}

static LLVMValueRef horizontal(const lowering *at, bool sum) {
    LLVMValueRef first = shuffle(at, at->a, at->b, at->lanes, pair_of);
    LLVMValueRef second = shuffle(at, at->a, at->b, at->lanes, pair_second);
    LLVMBuilderRef build = at->unit->builder;
    return sum ? LLVMBuildFAdd(build, first, second, "") : LLVMBuildFSub(build, first, second, "");
}

/* dpps, dppd: within each 128 bits, the sum of the products that the upper half of the immediate selects (the
 * others are zero), in the lanes that the lower half selects. The order is (p0 + p1) + (p2 + p3). */
static LLVMValueRef dot_product(const lowering *at) {
    LLVMBuilderRef build = at->unit->builder;
    LLVMTypeRef element = element_of(at->type);
    unsigned group = LLVMGetTypeKind(element) == LLVMDoubleTypeKind ? 2 : 4;
    LLVMValueRef result = LLVMConstNull(at->type), zero = LLVMConstNull(element);
    for (unsigned first = 0; first < at->lanes; first += group) {
        LLVMValueRef products[4];
        for (unsigned i = 0; i < group; i++)
            products[i] = at->immediate >> (4 + i) & 1
                              ? LLVMBuildFMul(build, extract(at, at->a, first + i), extract(at, at->b, first + i), "")
                              : zero;
        LLVMValueRef sum = LLVMBuildFAdd(build, products[0], products[1], "");
        if (group == 4)
            sum = LLVMBuildFAdd(build, sum, LLVMBuildFAdd(build, products[2], products[3], ""), "");
        for (unsigned i = 0; i < group; i++)
            if (at->immediate >> i & 1)
                result = insert(at, result, sum, first + i);
    }
    return result;
}

static LLVMValueRef extreme(const lowering *at, LLVMRealPredicate order) {
    LLVMValueRef first = LLVMBuildFCmp(at->unit->builder, order, at->a, at->b, "");
    return LLVMBuildSelect(at->unit->builder, first, at->a, at->b, "");
}

static LLVMValueRef compare(const lowering *at) {
    static const LLVMRealPredicate predicates[] = {LLVMRealOEQ, LLVMRealOLT, LLVMRealOLE, LLVMRealUNO,
                                                   LLVMRealUNE, LLVMRealUGE, LLVMRealUGT, LLVMRealORD,
                                                   LLVMRealUEQ, LLVMRealULT, LLVMRealULE, LLVMRealPredicateFalse,
                                                   LLVMRealONE, LLVMRealOGE, LLVMRealOGT, LLVMRealPredicateTrue};
    LLVMBuilderRef build = at->unit->builder;
    LLVMValueRef holds = LLVMBuildFCmp(build, predicates[at->immediate & 15], at->a, at->b, "");
    LLVMTypeRef type = LLVMTypeOf(at->a);
    LLVMTypeRef word = LLVMGetTypeKind(element_of(type)) == LLVMDoubleTypeKind ? at->unit->i64 : at->unit->i32;
    LLVMTypeRef words = is_vector(at->a) ? LLVMVectorType(word, lanes_of(type)) : word;
    return LLVMBuildBitCast(build, LLVMBuildSExt(build, holds, words, ""), type, "");
}

/* Builds 1 / x, or 1 / sqrt(x), for the derivative only. */
static LLVMValueRef reciprocal(const lowering *at) {
    LLVMValueRef x = at->a;
    if (at->machine.operation == CC_MACHINE_RECIPROCAL_SQRT)
        x = intrinsic(at, "llvm.sqrt", &x, 1);
    return LLVMBuildFDiv(at->unit->builder, constant(LLVMTypeOf(x), 1), x, "");
}

/* Builds a 2^floor(b). */
static LLVMValueRef scale(const lowering *at) {
    LLVMValueRef floor = at->b;
    floor = intrinsic(at, "llvm.floor", &floor, 1);
    return LLVMBuildFMul(at->unit->builder, at->a, intrinsic(at, "llvm.exp2", &floor, 1), "");
}

/* The mantissa of x is x times a power of two that is piecewise constant: the slope is value / x. */
static LLVMValueRef mantissa(const lowering *at, LLVMValueRef value) {
    LLVMBuilderRef build = at->unit->builder;
    LLVMValueRef factor = LLVMBuildFDiv(build, value, at->a, "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(at->a));
    LLVMValueRef nothing = LLVMBuildFCmp(build, LLVMRealUEQ, at->a, zero, "");
    LLVMValueRef constant_factor = LLVMBuildSelect(build, nothing, zero, factor, "");
    for (unsigned i = 0; i < lanes_of(LLVMTypeOf(value)); i++) {
        LLVMValueRef slope = extract(at, constant_factor, i);
        if (LLVMTypeOf(slope) == at->unit->f32)
            slope = LLVMBuildFPExt(build, slope, at->unit->f64, "");
        LLVMValueRef lane = carry_lane(at, extract(at, value, i), slope, extract(at, at->a, i));
        value = is_vector(value) ? insert(at, value, lane, i) : lane;
    }
    return value;
}

/* ---- Moving lanes ---- */

static LLVMValueRef lane_chosen(const lowering *at, LLVMValueRef from, LLVMValueRef index, unsigned first,
                                unsigned count) {
    LLVMBuilderRef build = at->unit->builder;
    LLVMTypeRef type = LLVMTypeOf(index);
    LLVMValueRef within = LLVMBuildAnd(build, index, LLVMConstInt(type, count - 1, false), "");
    LLVMValueRef lane = LLVMBuildAdd(build, within, LLVMConstInt(type, first, false), "");
    return LLVMBuildExtractElement(build, from, lane, "");
}

static unsigned same_lane(const lowering *at, unsigned lane) {
    (void)at;
    return lane;
}

static LLVMValueRef permute(const lowering *at) {
    LLVMValueRef indices = cc_machine_operand(&at->machine, at->call, 'x'), result = LLVMGetUndef(at->type);
    LLVMValueRef from = at->a;
    bool two = at->machine.operation == CC_MACHINE_PERMUTE_TWO;
    bool within = at->machine.operation == CC_MACHINE_PERMUTE_LANE;
    unsigned group = LLVMGetTypeKind(element_of(at->type)) == LLVMDoubleTypeKind ? 2 : 4;
    if (two)
        from = shuffle(at, at->a, at->b, 2 * at->lanes, same_lane);
    for (unsigned i = 0; i < at->lanes; i++) {
        LLVMValueRef index = extract(at, indices, i);
        if (within && group == 2) /* bit 1 is the index */
            index = LLVMBuildLShr(at->unit->builder, index, LLVMConstInt(LLVMTypeOf(index), 1, false), "");
        LLVMValueRef lane = within ? lane_chosen(at, from, index, i - i % group, group)
                                   : lane_chosen(at, from, index, 0, two ? 2 * at->lanes : at->lanes);
        result = insert(at, result, lane, i);
    }
    return result;
}

/* insertps: copies lane imm[7:6] of b to lane imm[5:4] of a, then sets the lanes in imm[3:0] to zero. */
static LLVMValueRef insert_lane(const lowering *at) {
    LLVMValueRef lane = extract(at, at->b, at->immediate >> 6 & 3);
    LLVMValueRef result = insert(at, at->a, lane, at->immediate >> 4 & 3);
    for (unsigned i = 0; i < at->lanes; i++)
        if (at->immediate >> i & 1)
            result = insert(at, result, LLVMConstNull(element_of(at->type)), i);
    return result;
}

static unsigned first_or_zero(const lowering *at, unsigned lane) {
    unsigned from = lanes_of(LLVMTypeOf(at->a));
    return lane < from ? lane : from; /* `from` is lane 0 of the second vector, which is zero */
}

/* Converts float to double or back. Lanes of the result beyond those of the operand are zero. */
static LLVMValueRef convert(const lowering *at) {
    unsigned from = lanes_of(LLVMTypeOf(at->a));
    LLVMTypeRef element = element_of(at->type);
    LLVMTypeRef type = is_vector(at->a) ? LLVMVectorType(element, from) : element;
    LLVMValueRef result = LLVMBuildFPCast(at->unit->builder, at->a, type, "");
    if (from >= at->lanes)
        return result;
    return shuffle(at, result, LLVMConstNull(type), at->lanes, first_or_zero);
}

static LLVMValueRef blend(const lowering *at) {
    LLVMValueRef mask = cc_machine_operand(&at->machine, at->call, 'k');
    return LLVMBuildSelect(at->unit->builder, cc_mask(at->unit, mask, at->lanes, at->lanes), at->b, at->a, "");
}

/* expand: lane i of `a` goes to the i-th lane whose mask is true. compress: the reverse. */
static LLVMValueRef pack(const lowering *at, bool expands) {
    LLVMBuilderRef build = at->unit->builder;
    LLVMValueRef mask = cc_mask(at->unit, cc_machine_operand(&at->machine, at->call, 'k'), at->lanes, at->lanes);
    LLVMValueRef result = cc_machine_operand(&at->machine, at->call, 's'), count = LLVMConstNull(at->unit->i32);
    for (unsigned i = 0; i < at->lanes; i++) {
        LLVMValueRef named = extract(at, mask, i);
        LLVMValueRef within = LLVMBuildAnd(build, count, index_of(at, at->lanes - 1), "");
        LLVMValueRef moved = expands ? insert(at, result, LLVMBuildExtractElement(build, at->a, within, ""), i)
                                     : LLVMBuildInsertElement(build, result, extract(at, at->a, i), within, "");
        result = LLVMBuildSelect(build, named, moved, result, "");
        count = LLVMBuildAdd(build, count, LLVMBuildZExt(build, named, at->unit->i32, ""), "");
    }
    return result;
}

/* ---- The pass ---- */

/* Builds the result without the mask. `value` is the result of the intrinsic, which is used where no instructions
 * compute the same bits. */
static LLVMValueRef compute(const lowering *at, LLVMValueRef value) {
    LLVMBuilderRef build = at->unit->builder;
    LLVMValueRef root = at->a;
    switch (at->machine.operation) {
    case CC_MACHINE_ADD: return LLVMBuildFAdd(build, at->a, at->b, "");
    case CC_MACHINE_SUB: return LLVMBuildFSub(build, at->a, at->b, "");
    case CC_MACHINE_MUL: return LLVMBuildFMul(build, at->a, at->b, "");
    case CC_MACHINE_DIV: return LLVMBuildFDiv(build, at->a, at->b, "");
    case CC_MACHINE_MIN: return extreme(at, LLVMRealOLT);
    case CC_MACHINE_MAX: return extreme(at, LLVMRealOGT);
    case CC_MACHINE_SQRT: return intrinsic(at, "llvm.sqrt", &root, 1);
    case CC_MACHINE_FMA: return fused(at, at->c);
    case CC_MACHINE_FMADDSUB:
        return shuffle(at, fused(at, at->c), fused(at, LLVMBuildFNeg(build, at->c, "")), at->lanes, alternate);
    case CC_MACHINE_ADDSUB:
        return shuffle(at, LLVMBuildFAdd(build, at->a, at->b, ""), LLVMBuildFSub(build, at->a, at->b, ""), at->lanes,
                       alternate);
    case CC_MACHINE_HADD: return horizontal(at, true);
    case CC_MACHINE_HSUB: return horizontal(at, false);
    case CC_MACHINE_DOT: return dot_product(at);
    case CC_MACHINE_BLEND: return blend(at);
    case CC_MACHINE_PERMUTE:
    case CC_MACHINE_PERMUTE_LANE:
    case CC_MACHINE_PERMUTE_TWO: return permute(at);
    case CC_MACHINE_COMPARE: return compare(at);
    case CC_MACHINE_CONVERT: return convert(at);
    case CC_MACHINE_INSERT: return insert_lane(at);
    case CC_MACHINE_COMPRESS: return pack(at, false);
    case CC_MACHINE_EXPAND: return pack(at, true);
    case CC_MACHINE_RECIPROCAL:
    case CC_MACHINE_RECIPROCAL_SQRT: return carry(at, value, reciprocal(at));
    case CC_MACHINE_MANTISSA: return mantissa(at, value);
    case CC_MACHINE_SCALE: return carry(at, value, scale(at));
    case CC_MACHINE_REDUCE: return carry(at, value, at->a);
    default: return value;
    }
}

/* Returns whether the intrinsic rounds differently from ordinary instructions, which use the current rounding mode. */
static bool rounds_otherwise(const lowering *at) {
    enum { ROUND_AS_SET = 4, NO_EXCEPTIONS = 8 };
    if (at->machine.operation < CC_MACHINE_ADD ||
        (at->machine.operation > CC_MACHINE_FMADDSUB && at->machine.operation != CC_MACHINE_CONVERT) ||
        at->machine.operation == CC_MACHINE_MIN || at->machine.operation == CC_MACHINE_MAX)
        return false;
    LLVMValueRef how = cc_machine_operand(&at->machine, at->call, 'r');
    return how != NULL && (LLVMConstIntGetZExtValue(how) & ~(uint64_t)NO_EXCEPTIONS) != ROUND_AS_SET;
}

/* Fills in the lanes that the mask excludes and, if only lane 0 is computed, the lanes above it. */
static LLVMValueRef merge(const lowering *at, LLVMValueRef result) {
    LLVMBuilderRef build = at->unit->builder;
    LLVMValueRef mask = cc_machine_operand(&at->machine, at->call, 'k');
    LLVMValueRef rest = cc_machine_operand(&at->machine, at->call, 's');
    if (mask != NULL && rest != NULL) {
        LLVMValueRef from = cc_machine_operand(&at->machine, at->call, 'a');
        from = from != NULL ? from : cc_machine_operand(&at->machine, at->call, 'x');
        LLVMValueRef lanes = cc_mask(at->unit, mask, at->lanes, lanes_of(LLVMTypeOf(from)));
        if (at->machine.scalar)
            lanes = extract(at, lanes, 0);
        result = LLVMBuildSelect(build, lanes, result, at->machine.scalar ? extract(at, rest, 0) : rest, "");
    }
    return at->machine.scalar && LLVMGetTypeKind(at->type) == LLVMVectorTypeKind
               ? insert(at, cc_machine_operand(&at->machine, at->call, 'a'), result, 0)
               : result;
}

/* Returns whether the operation has one operand. In the scalar form with two operands, that operand is b. */
static bool is_unary(cc_machine_operation operation) {
    switch (operation) {
    case CC_MACHINE_SQRT:
    case CC_MACHINE_CONVERT:
    case CC_MACHINE_RECIPROCAL:
    case CC_MACHINE_RECIPROCAL_SQRT:
    case CC_MACHINE_MANTISSA:
    case CC_MACHINE_REDUCE: return true;
    default: return false;
    }
}

static lowering describe(cc_unit *unit, LLVMValueRef call, cc_machine machine) {
    LLVMValueRef immediate = cc_machine_operand(&machine, call, 'i');
    lowering at = {.unit = unit,
                   .call = call,
                   .machine = machine,
                   .type = LLVMTypeOf(call),
                   .a = cc_machine_operand(&machine, call, 'a'),
                   .b = cc_machine_operand(&machine, call, 'b'),
                   .c = cc_machine_operand(&machine, call, 'c'),
                   .immediate = immediate == NULL ? 0 : LLVMConstIntGetZExtValue(immediate)};
    at.lanes = machine.scalar ? 1 : lanes_of(at.type);
    if (machine.scalar && at.b != NULL && is_unary(machine.operation))
        at.a = at.b;
    if (machine.scalar) {
        at.a = at.a == NULL ? NULL : extract(&at, at.a, 0);
        at.b = at.b == NULL ? NULL : extract(&at, at.b, 0);
    }
    return at;
}

static void lower(cc_unit *unit, LLVMValueRef call, cc_machine machine) {
    cc_build_before(unit, call);
    /* A copy of the intrinsic provides the value where no instructions compute it; if unused, it is removed later. */
    LLVMValueRef again = LLVMInstructionClone(call);
    LLVMInsertIntoBuilder(unit->builder, again);
    lowering at = describe(unit, call, machine);
    LLVMValueRef value = machine.scalar ? extract(&at, again, 0) : again;
    LLVMValueRef result = compute(&at, value);
    if (rounds_otherwise(&at))
        result = carry(&at, value, result);
    if (machine.operation != CC_MACHINE_COMPRESS && machine.operation != CC_MACHINE_EXPAND)
        result = merge(&at, result);
    LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

static void lower_call(cc_unit *unit, LLVMValueRef call) {
    cc_machine machine = cc_machine_of(call);
    switch (machine.operation) {
    case CC_MACHINE_NOT:
    case CC_MACHINE_DISCRETE: return;
    case CC_MACHINE_LOAD:
    case CC_MACHINE_STORE:
    case CC_MACHINE_GATHER:
    case CC_MACHINE_SCATTER:
    case CC_MACHINE_LOAD_ALL: cc_lower_masked_machine(unit, call, &machine); return;
    default: lower(unit, call, machine);
    }
}

void cc_lower_machine(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++)
        for (LLVMValueRef next, at = cc_first(unit->program->members[i]->base); at != NULL; at = next) {
            next = cc_next(at);
            if (LLVMIsACallInst(at) != NULL)
                lower_call(unit, at);
        }
}
