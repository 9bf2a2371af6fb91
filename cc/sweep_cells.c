/* Cells in the reverse function: loads add to them, stores take from them. Where the plane of a cell is known when
 * compiling its address is the number's plus a constant; where the alignment is 4 a few instructions find the plane;
 * below 4 the run time does. */
#include "cc/leaves.h"
#include "cc/memory_scopes.h"
#include "cc/program.h"
#include "cc/reverse.h"
#include "cc/small.h"
#include "native/state.h"

/* Whether LLVM may find that an address is in a global: it must not see one far outside that is computed from it. */
static bool in_global(LLVMValueRef address) {
    while (LLVMIsAGetElementPtrInst(address) ||
           (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
        address = LLVMGetOperand(address, 0);
    return LLVMIsConstant(address) || LLVMIsAArgument(address);
}

static LLVMValueRef move_address(cc_unit *unit, LLVMValueRef address, LLVMValueRef distance) {
    if (!in_global(address))
        return LLVMBuildGEP2(unit->builder, unit->i8, address, &distance, 1, "");
    LLVMValueRef number = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    return LLVMBuildIntToPtr(unit->builder, LLVMBuildAdd(unit->builder, number, distance, ""), unit->pointer, "");
}

/* The cell of the number of that kind at address + offset. `alignment`, a multiple of 4, is the address's. */
static LLVMValueRef cell_address(cc_unit *unit, LLVMValueRef address, uint64_t offset, unsigned alignment,
                                 verso_native_kind kind) {
    int64_t constant = (int64_t)offset + VERSO_SHADOW + (int64_t)kind * VERSO_SHADOW_KIND;
    if (alignment % 8 == 0)
        return move_address(unit, address, cc_i64(unit, offset % 8 == 0 ? constant : constant - VERSO_SHADOW_ODD));
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef number = LLVMBuildPtrToInt(build, address, unit->i64, "");
    number = LLVMBuildAdd(build, number, cc_i64(unit, (int64_t)offset), "");
    LLVMValueRef odd = LLVMBuildAnd(build, number, cc_i64(unit, 4), "");
    odd = LLVMBuildShl(build, odd, cc_i64(unit, 43), "");
    return move_address(unit, address, LLVMBuildSub(build, cc_i64(unit, constant), odd, ""));
}

static LLVMValueRef load_cell(cc_unit *unit, LLVMValueRef cell) {
    LLVMValueRef load = LLVMBuildLoad2(unit->builder, unit->f64, cell, "");
    LLVMSetAlignment(load, 4);
    return cc_in_scope(unit, load, CC_SCOPE_PROGRAM);
}

static void store_cell(cc_unit *unit, LLVMValueRef value, LLVMValueRef cell) {
    LLVMValueRef store = LLVMBuildStore(unit->builder, value, cell);
    LLVMSetAlignment(store, 4);
    cc_in_scope(unit, store, CC_SCOPE_PROGRAM);
}

static bool has_cell(uint64_t offset, unsigned alignment) {
    return alignment % 4 == 0 && offset % 4 == 0;
}

static LLVMValueRef leaf_address(cc_sweep *sweep, LLVMValueRef address, uint64_t offset) {
    return offset == 0 ? address : cc_offset(sweep->unit, address, (int64_t)offset);
}

/* ---- Doubles at odd multiples of 4 ---- */

/* Whether words of more than 4 bytes may have brought a double to an odd multiple of 4: native/odd.c wants to know. */
static bool may_be_odd(const cc_unit *unit, LLVMTypeRef type, uint64_t offset, unsigned alignment,
                       verso_native_kind kind) {
    return kind == VERSO_NATIVE_DOUBLE && alignment % 8 == 4 && offset % 4 == 0 && !unit->program->packs &&
           LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 32;
}

/* Integers have no adjoint most of the time: then a guard, which an addition would change, stays what it is. */
static LLVMValueRef unless_zero(cc_unit *unit, LLVMTypeRef type, LLVMValueRef before, LLVMValueRef adjoint,
                                LLVMValueRef sum) {
    if (cc_leaf_is_number(type) || unit->program->packs)
        return sum;
    LLVMValueRef some = LLVMBuildFCmp(unit->builder, LLVMRealUNE, adjoint, LLVMConstReal(unit->f64, 0), "");
    return LLVMBuildSelect(unit->builder, some, sum, before, "");
}

/* `before`: the cell, before the adjoint was added. */
static void tell_odd(cc_unit *unit, LLVMValueRef address, uint64_t offset, LLVMValueRef before, LLVMValueRef adjoint,
                     bool apart) {
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef at = offset == 0 ? address : cc_offset(unit, address, (int64_t)offset);
    LLVMValueRef bit = LLVMBuildAnd(build, LLVMBuildPtrToInt(build, at, unit->i64, ""), cc_i64(unit, 4), "");
    LLVMValueRef odd = LLVMBuildICmp(build, LLVMIntNE, bit, cc_i64(unit, 0), "");
    LLVMValueRef some = LLVMBuildFCmp(build, LLVMRealUNE, adjoint, LLVMConstReal(unit->f64, 0), "");
    LLVMValueRef arguments[] = {at, LLVMBuildBitCast(build, before, unit->i64, "")};
    cc_call_if(unit, LLVMBuildAnd(build, odd, some, ""), "verso_native_sweep_odd", apart, arguments, 2);
}

/* ---- Integers and pointers outside loops ---- */

/* Most of them carry nothing, and have so many cells that their code is shared: see small.h. */
typedef struct words {
    LLVMTypeRef type;
    unsigned alignment, leaves;
} words;

static bool are_apart(cc_sweep *sweep, LLVMValueRef access, words of) {
    return cc_leaf_are_words(of.type, of.leaves) && of.alignment % 4 == 0 && of.leaves > 1 &&
           cc_sweep_apart(sweep, access);
}

static LLVMValueRef word_cell(cc_unit *unit, const words *of, LLVMValueRef function, unsigned leaf) {
    return cell_address(unit, LLVMGetParam(function, 0), cc_leaf_offset(unit, of->type, leaf), of->alignment,
                        cc_leaf_kind(unit, of->type, leaf));
}

static void build_add(cc_unit *unit, LLVMValueRef function, const void *context) {
    const words *of = context;
    for (unsigned i = 0; i < of->leaves; i++) {
        LLVMValueRef cell = word_cell(unit, of, function, i);
        LLVMValueRef before = load_cell(unit, cell);
        LLVMValueRef sum = LLVMBuildFAdd(unit->builder, before, LLVMGetParam(function, i + 1), "");
        LLVMSetFastMathFlags(sum, LLVMFastMathNoSignedZeros);
        store_cell(unit, unless_zero(unit, of->type, before, LLVMGetParam(function, i + 1), sum), cell);
        uint64_t offset = cc_leaf_offset(unit, of->type, i);
        if (may_be_odd(unit, of->type, offset, of->alignment, cc_leaf_kind(unit, of->type, i)))
            tell_odd(unit, LLVMGetParam(function, 0), offset, before, LLVMGetParam(function, i + 1), true);
    }
    LLVMBuildRetVoid(unit->builder);
}

static void build_take(cc_unit *unit, LLVMValueRef function, const void *context) {
    const words *of = context;
    LLVMValueRef taken[CC_WORDS_MOST];
    for (unsigned i = 0; i < of->leaves; i++) {
        LLVMValueRef cell = word_cell(unit, of, function, i);
        taken[i] = load_cell(unit, cell);
        store_cell(unit, LLVMConstReal(unit->f64, 0), cell);
    }
    LLVMBuildAggregateRet(unit->builder, taken, of->leaves);
}

static LLVMValueRef call_words(cc_unit *unit, const char *what, const words *of, cc_build_small *build,
                               LLVMTypeRef result, LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef types[CC_WORDS_MOST + 1];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    const char *kind = LLVMGetTypeKind(of->type) == LLVMPointerTypeKind ? "pointer" : "integer"; /* see may_be_odd */
    const char *name = cc_print(unit, "verso.%s.%s.%u.%u", what, kind, of->leaves, of->alignment % 8 == 0 ? 8 : 4);
    cc_small(unit, name, LLVMFunctionType(result, types, count, false), CC_SMALL_CHANGES, build, of);
    return cc_call_small(unit, name, true, arguments, count);
}

static void add_words(cc_sweep *sweep, int item, LLVMValueRef address, const words *of) {
    LLVMValueRef arguments[CC_WORDS_MOST + 1];
    bool any = false;
    for (unsigned i = 0; i < of->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, item, i);
        arguments[i + 1] = adjoint ? adjoint : cc_sweep_zero(sweep);
        any = any || adjoint;
    }
    arguments[0] = any ? cc_sweep_value(sweep, address) : NULL;
    if (any)
        call_words(sweep->unit, "add", of, build_add, sweep->unit->none, arguments, of->leaves + 1);
}

static void take_words(cc_sweep *sweep, LLVMValueRef stored, LLVMValueRef address, const words *of) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef taken = call_words(unit, "take", of, build_take, cc_small_numbers(unit, of->leaves), &address, 1);
    for (unsigned i = 0; i < of->leaves && cc_active(sweep->body, stored); i++)
        cc_sweep_add(sweep, stored, i, LLVMBuildExtractValue(unit->builder, taken, i, ""));
}

/* ---- Loads and stores ---- */

void cc_sweep_read_cells(cc_sweep *sweep, int item, LLVMValueRef address, unsigned alignment) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef value = sweep->body->items[item].value;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef at = NULL;
    words words = {type, alignment, sweep->body->items[item].leaves};
    if (are_apart(sweep, value, words)) {
        add_words(sweep, item, address, &words);
        return;
    }
    for (unsigned i = 0; i < sweep->body->items[item].leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, item, i);
        if (!adjoint)
            continue;
        uint64_t offset = cc_leaf_offset(unit, type, i);
        verso_native_kind kind = cc_leaf_kind(unit, type, i);
        at = at ? at : cc_sweep_value(sweep, address);
        if (has_cell(offset, alignment)) {
            LLVMValueRef cell = cell_address(unit, at, offset, alignment, kind);
            LLVMValueRef before = load_cell(unit, cell);
            LLVMValueRef sum = cc_sweep_sum(sweep, before, adjoint);
            store_cell(unit, unless_zero(unit, cc_leaf_type(unit, type, i), before, adjoint, sum), cell);
            if (may_be_odd(unit, type, offset, alignment, kind))
                tell_odd(unit, at, offset, before, adjoint, cc_sweep_apart(sweep, value));
            continue;
        }
        const char *text =
            cc_print(unit,
                     "%s: a number is read here from an address that is no multiple of 4, where Verso cannot "
                     "follow its derivative; align it (do not pack the struct)",
                     cc_where(unit, value));
        LLVMValueRef arguments[] = {leaf_address(sweep, at, offset), cc_i64(unit, kind), adjoint,
                                    cc_string(unit, text)};
        cc_call_runtime(unit, "verso_native_sweep_read", unit->none, arguments, 4);
    }
}

void cc_sweep_write_cells(cc_sweep *sweep, LLVMValueRef store) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef stored = LLVMGetOperand(store, 0), at = cc_sweep_value(sweep, LLVMGetOperand(store, 1));
    LLVMTypeRef type = LLVMTypeOf(stored);
    unsigned leaves = cc_leaf_count(unit, type), alignment = LLVMGetAlignment(store);
    words words = {type, alignment, leaves};
    if (are_apart(sweep, store, words)) {
        take_words(sweep, stored, at, &words);
        return;
    }
    for (unsigned i = 0; i < leaves; i++) {
        uint64_t offset = cc_leaf_offset(unit, type, i);
        verso_native_kind kind = cc_leaf_kind(unit, type, i);
        if (!has_cell(offset, alignment)) {
            LLVMValueRef where[] = {leaf_address(sweep, at, offset), cc_i64(unit, kind)};
            cc_sweep_add(sweep, stored, i, cc_call_runtime(unit, "verso_native_sweep_write", unit->f64, where, 2));
            continue;
        }
        LLVMValueRef cell = cell_address(unit, at, offset, alignment, kind);
        if (cc_active(sweep->body, stored))
            cc_sweep_add(sweep, stored, i, load_cell(unit, cell));
        store_cell(unit, cc_sweep_zero(sweep), cell);
    }
}
