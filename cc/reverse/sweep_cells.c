/* Cells in the reverse function: reversed loads add to them, reversed stores take from them. If the address is
 * known to be a multiple of 8, the cell's address is the number's plus a constant; if it is a multiple of 4, a few
 * instructions select the plane; otherwise the run time finds the cell. */
#include "cc/ir/cells.h"
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/small.h"
#include "cc/reverse/words.h"
#include "native/state.h"

/* Returns whether LLVM may find out that an address is in a global. LLVM must then not see an address far outside
 * the global that is computed from it. */
static bool in_global(LLVMValueRef address) {
    while (LLVMIsAGetElementPtrInst(address) ||
           (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
        address = LLVMGetOperand(address, 0);
    return LLVMIsConstant(address) || LLVMIsAArgument(address);
}

static LLVMValueRef move_address(cc_unit *unit, LLVMValueRef address, LLVMValueRef distance) {
    return in_global(address) ? cc_move_address(unit, address, distance)
                              : LLVMBuildGEP2(unit->builder, unit->i8, address, &distance, 1, "");
}

/* For second derivatives: only doubles at multiples of 8 have cells. For others, builds the address of a place that is
 * not used. */
static LLVMValueRef cell_or_nothing(cc_unit *unit, LLVMValueRef address, uint64_t offset, unsigned alignment,
                                    verso__native_kind kind) {
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef nothing = cc_state(unit, offsetof(verso__native_state, second_nothing));
    LLVMValueRef cell = move_address(unit, address, cc_i64(unit, (int64_t)offset + verso__native_plane_of(kind)));
    if (alignment % 8 == 0)
        return offset % 8 == 0 ? cell : nothing;
    LLVMValueRef number = LLVMBuildPtrToInt(build, address, unit->i64, "");
    number = LLVMBuildAdd(build, number, cc_i64(unit, (int64_t)offset), "");
    LLVMValueRef odd = LLVMBuildAnd(build, number, cc_i64(unit, 4), "");
    return LLVMBuildSelect(build, LLVMBuildICmp(build, LLVMIntEQ, odd, cc_i64(unit, 0), ""), cell, nothing, "");
}

/* Builds the address of the cell of the number of this kind at address + offset. `alignment` is that of `address`,
 * a multiple of 4. */
static LLVMValueRef cell_address(cc_unit *unit, LLVMValueRef address, uint64_t offset, unsigned alignment,
                                 verso__native_kind kind) {
    int64_t constant = (int64_t)offset + verso__native_plane_of(kind);
    if (kind == VERSO_NATIVE_FLOAT)
        return move_address(unit, address, cc_i64(unit, constant));
    if (unit->second)
        return cell_or_nothing(unit, address, offset, alignment, kind);
    if (alignment % 8 == 0)
        return move_address(unit, address, cc_i64(unit, offset % 8 == 0 ? constant : constant - VERSO_SHADOW_ODD));
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef number = LLVMBuildPtrToInt(build, address, unit->i64, "");
    number = LLVMBuildAdd(build, number, cc_i64(unit, (int64_t)offset), "");
    LLVMValueRef odd = LLVMBuildAnd(build, number, cc_i64(unit, 4), "");
    odd = LLVMBuildShl(build, odd, cc_i64(unit, 43), "");
    return move_address(unit, address, LLVMBuildSub(build, cc_i64(unit, constant), odd, ""));
}

LLVMValueRef cc_sweep_cell(cc_sweep *sweep, LLVMValueRef address, unsigned alignment, verso__native_kind kind) {
    return cell_address(sweep->unit, address, 0, alignment, kind);
}

LLVMValueRef cc_sweep_load_cell(cc_sweep *sweep, LLVMValueRef of, LLVMValueRef cell, verso__native_kind kind) {
    LLVMValueRef load = cc_load_cell(sweep->unit, cell, kind);
    cc_in_memory(sweep->unit, &sweep->memories, load, of, true);
    return load;
}

void cc_sweep_store_cell(cc_sweep *sweep, LLVMValueRef of, LLVMValueRef value, LLVMValueRef cell,
                         verso__native_kind kind) {
    LLVMValueRef store = cc_store_cell(sweep->unit, value, cell, kind);
    cc_in_memory(sweep->unit, &sweep->memories, store, of, true);
}

static bool has_cell(uint64_t offset, unsigned alignment) {
    return alignment % 4 == 0 && offset % 4 == 0;
}

static LLVMValueRef leaf_address(cc_sweep *sweep, LLVMValueRef address, uint64_t offset) {
    return offset == 0 ? address : cc_offset(sweep->unit, address, (int64_t)offset);
}

/* ---- Doubles at odd multiples of 4 ---- */

/* Returns whether integers of more than 4 bytes may have moved a double to an odd multiple of 4, which
 * native/cells/odd.c must know. */
static bool may_be_odd(const cc_unit *unit, LLVMTypeRef type, uint64_t offset, unsigned alignment,
                       verso__native_kind kind) {
    return kind == VERSO_NATIVE_DOUBLE && alignment % 8 == 4 && offset % 4 == 0 && !unit->program->packs &&
           LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 32;
}

/* Integers mostly have a zero adjoint. Then a guard cell, which an addition would change, is kept unchanged. */
static LLVMValueRef unless_zero(cc_unit *unit, LLVMTypeRef type, LLVMValueRef before, LLVMValueRef adjoint,
                                LLVMValueRef sum) {
    if (cc_leaf_is_number(type) || unit->program->packs || unit->second)
        return sum;
    LLVMValueRef some = LLVMBuildFCmp(unit->builder, LLVMRealUNE, adjoint, LLVMConstNull(LLVMTypeOf(adjoint)), "");
    return LLVMBuildSelect(unit->builder, some, sum, before, "");
}

/* ---- Doubts ---- */

/* A doubt that reaches a word concerns all of its bytes: see native/cells/doubts.c. */
static LLVMValueRef unless_doubt(cc_unit *unit, LLVMTypeRef type, verso__native_kind kind, LLVMValueRef adjoint,
                                 LLVMValueRef sum) {
    if (!unit->program->doubts || kind != VERSO_NATIVE_DOUBTED || cc_leaf_is_number(type))
        return sum;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef bits = LLVMBuildBitCast(build, adjoint, unit->i64, "");
    bits = LLVMBuildAnd(build, bits, cc_i64(unit, (int64_t)~VERSO_NATIVE_DOUBT_SPARED), "");
    LLVMValueRef whole = LLVMBuildBitCast(build, bits, unit->f64, "");
    return LLVMBuildSelect(build, LLVMBuildFCmp(build, LLVMRealUNO, adjoint, adjoint, ""), whole, sum, "");
}

/* Returns whether doubts about a leaf concern single bytes, which the run time keeps. Sets *size to the number of
 * bytes. */
static bool are_bytes(cc_unit *unit, LLVMTypeRef type, unsigned leaf, LLVMValueRef *size) {
    LLVMTypeRef scalar = cc_leaf_type(unit, type, leaf);
    if (!unit->program->doubts || cc_leaf_kind(unit, type, leaf) != VERSO_NATIVE_DOUBTED ||
        LLVMGetTypeKind(scalar) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(scalar) >= 32)
        return false;
    *size = cc_i64(unit, LLVMGetIntTypeWidth(scalar) / 8);
    return true;
}

/* Calls verso__native_sweep_odd if the double is at an odd multiple of 4 and has an adjoint. `before` is the cell
 * before the adjoint was added. */
static void tell_odd(cc_unit *unit, LLVMValueRef address, uint64_t offset, LLVMValueRef before, LLVMValueRef adjoint,
                     bool apart) {
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef at = offset == 0 ? address : cc_offset(unit, address, (int64_t)offset);
    LLVMValueRef bit = LLVMBuildAnd(build, LLVMBuildPtrToInt(build, at, unit->i64, ""), cc_i64(unit, 4), "");
    LLVMValueRef odd = LLVMBuildICmp(build, LLVMIntNE, bit, cc_i64(unit, 0), "");
    LLVMValueRef some = LLVMBuildFCmp(build, LLVMRealUNE, adjoint, LLVMConstReal(unit->f64, 0), "");
    LLVMValueRef arguments[] = {at, LLVMBuildBitCast(build, before, unit->i64, "")};
    const char *callee = unit->second ? "verso__native_second_odd" : "verso__native_sweep_odd";
    cc_call_if(unit, LLVMBuildAnd(build, odd, some, ""), callee, apart, arguments, 2);
}

/* ---- Integers and pointers outside loops ---- */

/* Most of them carry no number, and they have so many cells that their code is in small functions (ir/small.h). */
typedef struct words {
    LLVMTypeRef type;
    unsigned alignment, leaves;
    bool together; /* their adjoints are in memory (words.h), whose address is given; else they are given one by one */
} words;

static bool are_apart(cc_sweep *sweep, LLVMValueRef access, words of) {
    bool bytes = LLVMGetTypeKind(of.type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(of.type) < 32;
    return cc_leaves_are_words(of.type, of.leaves) && of.alignment % 4 == 0 && of.leaves > 1 &&
           !(bytes && sweep->unit->program->doubts) && cc_sweep_apart(sweep, access);
}

static LLVMValueRef word_cell(cc_unit *unit, const words *of, LLVMValueRef function, unsigned leaf) {
    return cell_address(unit, LLVMGetParam(function, 0), cc_leaf_offset(unit, of->type, leaf), of->alignment,
                        cc_leaf_kind(unit, of->type, leaf));
}

/* Builds the address of an adjoint that is in memory. */
static LLVMValueRef adjoint_at(cc_unit *unit, LLVMValueRef function, unsigned leaf) {
    LLVMValueRef first = LLVMGetParam(function, 1);
    return leaf == 0 ? first : cc_offset(unit, first, (int64_t)(leaf * sizeof(double)));
}

/* Takes the adjoint of a leaf. */
static LLVMValueRef adjoint_given(cc_unit *unit, LLVMValueRef function, const words *of, unsigned leaf) {
    if (!of->together)
        return LLVMGetParam(function, leaf + 1);
    LLVMValueRef at = adjoint_at(unit, function, leaf), adjoint = LLVMBuildLoad2(unit->builder, unit->f64, at, "");
    LLVMBuildStore(unit->builder, LLVMConstReal(unit->f64, 0), at);
    return adjoint;
}

static void build_add(cc_unit *unit, LLVMValueRef function, const void *context) {
    const words *of = context;
    for (unsigned i = 0; i < of->leaves; i++) {
        LLVMValueRef given = adjoint_given(unit, function, of, i);
        LLVMValueRef cell = word_cell(unit, of, function, i);
        LLVMValueRef before = cc_load_cell(unit, cell, cc_leaf_kind(unit, of->type, i));
        LLVMValueRef adjoint = cc_number_as(unit, given, LLVMTypeOf(before));
        LLVMValueRef sum = LLVMBuildFAdd(unit->builder, before, adjoint, "");
        LLVMSetFastMathFlags(sum, LLVMFastMathNoSignedZeros);
        uint64_t offset = cc_leaf_offset(unit, of->type, i);
        verso__native_kind kind = cc_leaf_kind(unit, of->type, i);
        sum = unless_doubt(unit, of->type, kind, given, sum);
        cc_store_cell(unit, unless_zero(unit, of->type, before, adjoint, sum), cell, kind);
        if (may_be_odd(unit, of->type, offset, of->alignment, kind))
            tell_odd(unit, LLVMGetParam(function, 0), offset, before, given, true);
    }
    LLVMBuildRetVoid(unit->builder);
}

static void build_take(cc_unit *unit, LLVMValueRef function, const void *context) {
    const words *of = context;
    LLVMValueRef taken[CC_WORDS_MOST];
    for (unsigned i = 0; i < of->leaves; i++) {
        LLVMValueRef cell = word_cell(unit, of, function, i);
        taken[i] = cc_number_as(unit, cc_load_cell(unit, cell, cc_leaf_kind(unit, of->type, i)), unit->f64);
        cc_store_cell(unit, LLVMConstReal(unit->f64, 0), cell, cc_leaf_kind(unit, of->type, i));
    }
    for (unsigned i = 0; i < of->leaves && of->together; i++) {
        LLVMValueRef at = adjoint_at(unit, function, i), before = LLVMBuildLoad2(unit->builder, unit->f64, at, "");
        LLVMValueRef sum = LLVMBuildFAdd(unit->builder, before, taken[i], "");
        LLVMSetFastMathFlags(sum, LLVMFastMathNoSignedZeros);
        LLVMBuildStore(unit->builder, sum, at);
    }
    if (of->together)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildAggregateRet(unit->builder, taken, of->leaves);
}

static LLVMValueRef call_words(cc_unit *unit, const char *what, const words *of, cc_build_small *build,
                               LLVMTypeRef result, LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef types[CC_WORDS_MOST + 1];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    const char *kind = LLVMGetTypeKind(of->type) == LLVMPointerTypeKind ? "pointer" : "integer"; /* see may_be_odd */
    const char *name = cc_print(unit, "verso.%s.%s.%u.%u%s", what, kind, of->leaves, of->alignment % 8 == 0 ? 8 : 4,
                                of->together ? ".words" : "");
    cc_make_small(unit, name, LLVMFunctionType(result, types, count, false), CC_SMALL_CHANGES, build, of);
    return cc_call_small(unit, name, true, arguments, count);
}

static void add_words(cc_sweep *sweep, int item, LLVMValueRef address, const words *of) {
    LLVMValueRef arguments[CC_WORDS_MOST + 1];
    bool any = false;
    if (of->together) {
        LLVMValueRef both[] = {cc_sweep_value(sweep, address), cc_words_at(sweep, item)};
        call_words(sweep->unit, "add", of, build_add, sweep->unit->none, both, 2);
        return;
    }
    for (unsigned i = 0; i < of->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, item, i);
        arguments[i + 1] = adjoint ? cc_number_as(sweep->unit, adjoint, sweep->unit->f64) : cc_sweep_zero(sweep);
        any = any || adjoint;
    }
    arguments[0] = any ? cc_sweep_value(sweep, address) : NULL;
    if (any)
        call_words(sweep->unit, "add", of, build_add, sweep->unit->none, arguments, of->leaves + 1);
}

static void take_words(cc_sweep *sweep, LLVMValueRef stored, LLVMValueRef address, const words *of) {
    cc_unit *unit = sweep->unit;
    if (of->together) {
        LLVMValueRef both[] = {address, cc_words_at(sweep, cc_item_find(sweep->body, stored))};
        call_words(unit, "take", of, build_take, unit->none, both, 2);
        return;
    }
    LLVMValueRef taken = call_words(unit, "take", of, build_take, cc_small_numbers(unit, of->leaves), &address, 1);
    for (unsigned i = 0; i < of->leaves && cc_is_active(sweep->body, stored); i++)
        cc_sweep_add(sweep, stored, i, LLVMBuildExtractValue(unit->builder, taken, i, ""));
}

/* ---- Loads and stores ---- */

void cc_sweep_read_cells(cc_sweep *sweep, int item, LLVMValueRef address, unsigned alignment) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef value = sweep->body->items[item].value;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef at = NULL;
    words words = {type, alignment, sweep->body->items[item].leaves, cc_words_together(sweep->body, item)};
    if (are_apart(sweep, value, words)) {
        add_words(sweep, item, address, &words);
        return;
    }
    for (unsigned i = 0; i < sweep->body->items[item].leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, item, i);
        if (!adjoint)
            continue;
        uint64_t offset = cc_leaf_offset(unit, type, i);
        verso__native_kind kind = cc_leaf_kind(unit, type, i);
        LLVMValueRef size;
        bool bytes = are_bytes(unit, type, i, &size);
        at = at ? at : cc_sweep_value(sweep, address);
        if (has_cell(offset, alignment) && !bytes) {
            LLVMValueRef cell = cell_address(unit, at, offset, alignment, kind);
            LLVMValueRef before = cc_sweep_load_cell(sweep, value, cell, kind);
            adjoint = cc_number_as(unit, adjoint, LLVMTypeOf(before));
            LLVMValueRef sum = cc_sweep_sum(sweep, before, adjoint);
            sum = unless_doubt(unit, cc_leaf_type(unit, type, i), kind, adjoint, sum);
            sum = unless_zero(unit, cc_leaf_type(unit, type, i), before, adjoint, sum);
            cc_sweep_store_cell(sweep, value, sum, cell, kind);
            if (may_be_odd(unit, type, offset, alignment, kind))
                tell_odd(unit, at, offset, before, adjoint, cc_sweep_apart(sweep, value));
            continue;
        }
        const char *text =
            cc_print(unit,
                     "%s: a number is read here from an address that is not a multiple of 4, where Verso cannot "
                     "follow its derivative; align it (do not pack the struct)",
                     cc_where(unit, value));
        LLVMValueRef arguments[] = {leaf_address(sweep, at, offset), bytes ? size : cc_i64(unit, kind),
                                    cc_number_as(unit, adjoint, unit->f64), cc_string(unit, text)};
        cc_call_runtime(unit, bytes ? "verso__native_sweep_read_bytes" : "verso__native_sweep_read", unit->none,
                        arguments, 4);
    }
}

void cc_sweep_write_cells(cc_sweep *sweep, LLVMValueRef store) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef stored = LLVMGetOperand(store, 0), at = cc_sweep_value(sweep, LLVMGetOperand(store, 1));
    LLVMTypeRef type = LLVMTypeOf(stored);
    unsigned leaves = cc_leaf_count(unit, type), alignment = LLVMGetAlignment(store);
    words words = {type, alignment, leaves, cc_words_together(sweep->body, cc_item_find(sweep->body, stored))};
    if (are_apart(sweep, store, words)) {
        take_words(sweep, stored, at, &words);
        return;
    }
    for (unsigned i = 0; i < leaves; i++) {
        uint64_t offset = cc_leaf_offset(unit, type, i);
        verso__native_kind kind = cc_leaf_kind(unit, type, i);
        LLVMValueRef size;
        bool bytes = are_bytes(unit, type, i, &size);
        if (!has_cell(offset, alignment) || bytes) {
            LLVMValueRef where[] = {leaf_address(sweep, at, offset), bytes ? size : cc_i64(unit, kind)};
            const char *take = bytes ? "verso__native_sweep_write_bytes" : "verso__native_sweep_write";
            cc_sweep_add(sweep, stored, i, cc_call_runtime(unit, take, unit->f64, where, 2));
            continue;
        }
        LLVMValueRef cell = cell_address(unit, at, offset, alignment, kind);
        if (cc_is_active(sweep->body, stored))
            cc_sweep_add(sweep, stored, i, cc_sweep_load_cell(sweep, store, cell, kind));
        cc_sweep_store_cell(sweep, store, cc_sweep_zero(sweep), cell, kind);
    }
}
