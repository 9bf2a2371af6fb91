/* Tangents in memory: loads read the cells of what they load, stores write them, copies copy them.
 *
 * If an access is aligned to 8 bytes, the planes of its cells are known at compile time; if it is aligned to 4,
 * they are computed from the address; otherwise the run time checks whether there is a cell. Integers of 8 and 16
 * bits are bytes of what may be a number: its cell belongs to the first of four bytes. */
#include "cc/ir/program.h"
#include "cc/tangent/inside.h"

#include "cc/front/known.h"
#include "cc/ir/cells.h"
#include "cc/ir/leaves.h"
#include "cc/ir/small.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/types/bits.h"
#include "cc/types/parts.h"
#include "native/state.h"

#include <math.h>

/* Variables of more than this number of bytes are not cleared at their start, since memory that was never written
 * has no meaning. Smaller ones are, so that integers in them do not meet the derivative of a number that was there
 * before. */
enum { CLEARED_BYTES = 4096 };

static const char unaligned[] =
    "a number with a derivative is stored at an address that is not a multiple of 4 (a packed "
    "struct, or memory of bytes); align it";
static const char half_stored[] =
    "a number of 16 bits with a derivative is stored; 16-bit numbers in memory have none: "
    "use float";

static const char bytes_stored[] =
    "bits of a number with a derivative are stored as an integer of another size, which Verso "
    "cannot follow; copy it with memcpy";

/* ---- Cells ---- */

/* An access to memory. */
typedef struct place {
    LLVMValueRef address;
    uint64_t alignment; /* of the address, in bytes */
} place;

/* Builds the address of a cell whose plane depends on the address. */
static LLVMValueRef cell_at(cc_tangent *tangent, LLVMValueRef address, verso__native_kind kind) {
    cc_unit *unit = tangent->unit;
    LLVMValueRef cell = LLVMBuildAdd(unit->builder, address, cc_i64(unit, verso__native_plane_of(kind)), "");
    if (kind != VERSO_NATIVE_FLOAT) {
        /* Shift bit 2 of the address, which is set at odd multiples of 4, to VERSO_SHADOW_ODD. */
        _Static_assert(VERSO_SHADOW_ODD == INT64_C(4) << 43, "the odd plane is this far from the even one");
        LLVMValueRef odd = LLVMBuildAnd(unit->builder, address, cc_i64(unit, 4), "");
        cell = LLVMBuildSub(unit->builder, cell, LLVMBuildShl(unit->builder, odd, cc_i64(unit, 43), ""), "");
    }
    return LLVMBuildIntToPtr(unit->builder, cell, unit->pointer, "");
}

/* Builds the address of a cell; NULL if there may be no cell. */
static LLVMValueRef cell_of(cc_tangent *tangent, place at, uint64_t offset, verso__native_kind kind) {
    cc_unit *unit = tangent->unit;
    if (at.alignment < 4 || offset % 4 != 0)
        return NULL;
    if (kind == VERSO_NATIVE_FLOAT || at.alignment >= 8) {
        bool odd = kind != VERSO_NATIVE_FLOAT && offset % 8 != 0;
        int64_t plane = verso__native_plane_of(kind) - (odd ? VERSO_SHADOW_ODD : 0);
        return cc_offset(unit, cc_move_address(unit, at.address, cc_i64(unit, plane)), (int64_t)offset);
    }
    LLVMValueRef address = LLVMBuildPtrToInt(unit->builder, at.address, unit->i64, "");
    return cell_at(tangent, LLVMBuildAdd(unit->builder, address, cc_i64(unit, (int64_t)offset), ""), kind);
}

/* Builds a load of a cell, as a double. */
static LLVMValueRef load_cell(cc_unit *unit, LLVMValueRef cell, verso__native_kind kind) {
    return cc_number_as(unit, cc_load_cell(unit, cell, kind), unit->f64);
}

static LLVMValueRef read_cell(cc_tangent *tangent, place at, uint64_t offset, verso__native_kind kind) {
    cc_unit *unit = tangent->unit;
    LLVMValueRef cell = cell_of(tangent, at, offset, kind);
    if (cell != NULL)
        return load_cell(unit, cell, kind);
    LLVMValueRef arguments[] = {cc_offset(unit, at.address, (int64_t)offset), cc_i64(unit, kind)};
    return cc_call_runtime(unit, "verso__native_tangent_read", unit->f64, arguments, 2);
}

static void write_cell(cc_tangent *tangent, LLVMValueRef store, place at, uint64_t offset, verso__native_kind kind,
                       LLVMValueRef value) {
    cc_unit *unit = tangent->unit;
    LLVMValueRef cell = cell_of(tangent, at, offset, kind);
    bool blamed = kind == VERSO_NATIVE_FLOAT && unit->program->float_bits; /* see build_rule */
    if (cell != NULL && !blamed) {
        cc_store_cell(unit, value, cell, kind);
    } else if (cell != NULL || value != tangent->zero) {
        LLVMValueRef arguments[] = {cc_offset(unit, at.address, (int64_t)offset), cc_i64(unit, kind), value,
                                    cc_tangent_message(tangent, store, unaligned)};
        cc_call_runtime(unit, "verso__native_tangent_write", unit->none, arguments, 4);
    }
}

static void clear_cells(cc_tangent *tangent, LLVMValueRef address, LLVMValueRef size) {
    LLVMValueRef arguments[] = {address, size};
    cc_call_runtime(tangent->unit, "verso__native_tangent_clear", tangent->unit->none, arguments, 2);
}

static bool is_half(LLVMTypeRef scalar) {
    LLVMTypeKind kind = LLVMGetTypeKind(scalar);
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static LLVMValueRef read_leaf(cc_tangent *tangent, place at, LLVMTypeRef type, unsigned leaf) {
    uint64_t offset = cc_leaf_offset(tangent->unit, type, leaf);
    if (is_half(cc_leaf_type(tangent->unit, type, leaf)) || (at.alignment >= 4 && offset % 4 != 0))
        return tangent->zero;
    return read_cell(tangent, at, offset, cc_leaf_kind(tangent->unit, type, leaf));
}

static void write_leaf(cc_tangent *tangent, LLVMValueRef store, place at, LLVMTypeRef type, unsigned leaf,
                       LLVMValueRef value) {
    uint64_t offset = cc_leaf_offset(tangent->unit, type, leaf);
    if (is_half(cc_leaf_type(tangent->unit, type, leaf)))
        cc_tangent_report_lost(tangent, store, value, half_stored);
    else if (at.alignment >= 4 && offset % 4 != 0)
        cc_tangent_report_lost(tangent, store, value, bytes_stored);
    else
        write_cell(tangent, store, at, offset, cc_leaf_kind(tangent->unit, type, leaf), value);
}

/* ---- Bytes ---- */

static bool is_byte(cc_unit *unit, LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 32 &&
           cc_leaf_count(unit, type) == cc_kind_count(unit);
}

/* Builds the address of the cell of the four bytes that contain `address`, and in *is_first whether it is that of
 * the first of them. */
static LLVMValueRef cell_around(cc_tangent *tangent, LLVMValueRef address, verso__native_kind kind,
                                LLVMValueRef *is_first) {
    cc_unit *unit = tangent->unit;
    LLVMValueRef at = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    LLVMValueRef beyond = LLVMBuildAnd(unit->builder, at, cc_i64(unit, 3), "");
    *is_first = LLVMBuildICmp(unit->builder, LLVMIntEQ, beyond, cc_i64(unit, 0), "");
    return cell_at(tangent, LLVMBuildAnd(unit->builder, at, cc_i64(unit, -4), ""), kind);
}

static LLVMValueRef read_byte(cc_tangent *tangent, LLVMValueRef address, uint64_t size, verso__native_kind kind) {
    cc_unit *unit = tangent->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef is_first, cell = cell_around(tangent, address, kind, &is_first);
    LLVMValueRef value = load_cell(unit, cell, kind);
    LLVMValueRef there = cc_parts_around(unit, address, size, kind);
    LLVMValueRef later = LLVMBuildSelect(build, there, cc_tangent_part(tangent), tangent->zero, "");
    LLVMValueRef some = LLVMBuildFCmp(build, LLVMRealUNE, value, tangent->zero, "");
    return LLVMBuildSelect(build, LLVMBuildAnd(build, is_first, some, ""), value, later, "");
}

/* The tangents that a store writes. */
typedef struct writing {
    LLVMValueRef store, address;
    LLVMValueRef *leaf; /* tangent of the stored value */
    unsigned leaves;    /* number of `leaf` */
    bool active;        /* the stored value has a tangent */
} writing;

/* Writes the cell for a stored byte. A byte that was not part of a number clears the cell. A byte that was is the
 * number, if it is the first of four here and was the first where it came from; if not, the number that the four
 * bytes form is unknown until something else is stored there. native/cells/parts.c handles the other bytes. */
static void store_byte(cc_tangent *tangent, const writing *what, unsigned leaf) {
    cc_unit *unit = tangent->unit;
    verso__native_kind kind = cc_leaf_kind(unit, LLVMTypeOf(LLVMGetOperand(what->store, 0)), leaf);
    LLVMValueRef is_first, cell = cell_around(tangent, what->address, kind, &is_first);
    LLVMValueRef value = what->leaf[leaf];
    if (what->active) {
        value = cc_tangent_unless_part(tangent, value);
        LLVMValueRef before = load_cell(unit, cell, kind);
        LLVMValueRef none = LLVMBuildFCmp(unit->builder, LLVMRealOEQ, value, tangent->zero, "");
        LLVMValueRef later = LLVMBuildSelect(unit->builder, none, before, LLVMConstReal(unit->f64, NAN), "");
        value = LLVMBuildSelect(unit->builder, is_first, value, later, "");
    }
    cc_store_cell(unit, value, cell, kind);
}

static void store_bytes(cc_tangent *tangent, const writing *what) {
    cc_unit *unit = tangent->unit;
    uint64_t bytes = LLVMStoreSizeOfType(unit->layout, LLVMTypeOf(LLVMGetOperand(what->store, 0)));
    bool aligned = LLVMGetAlignment(what->store) >= bytes;
    for (unsigned i = 0; i < what->leaves; i++)
        if (aligned)
            store_byte(tangent, what, i);
        else
            cc_tangent_report_lost(tangent, what->store, what->leaf[i], bytes_stored);
    if (!aligned)
        clear_cells(tangent, what->address, cc_i64(unit, (int64_t)bytes));
}

/* ---- Loads and stores ---- */

/* Builds the tangent of an integer's first word: if no number begins there, the integer may begin with the rest of
 * one. */
static LLVMValueRef read_word(cc_tangent *tangent, LLVMValueRef address, LLVMValueRef value, verso__native_kind kind) {
    cc_unit *unit = tangent->unit;
    LLVMBuilderRef build = unit->builder;
    if (kind == VERSO_NATIVE_FLOAT || kind == VERSO_NATIVE_DOUBTED)
        return value;
    if (kind == VERSO_NATIVE_DOUBLE && !unit->program->packs) {
        LLVMValueRef bits = cc_parts_unless_guard(unit, LLVMBuildBitCast(build, value, unit->i64, ""));
        value = LLVMBuildBitCast(build, bits, unit->f64, "");
    }
    LLVMValueRef there = cc_parts_around(unit, address, 4, kind);
    LLVMValueRef later = LLVMBuildSelect(build, there, cc_tangent_part(tangent), tangent->zero, "");
    LLVMValueRef some = LLVMBuildFCmp(build, LLVMRealUNE, value, tangent->zero, "");
    return LLVMBuildSelect(build, some, value, later, "");
}

/* Returns whether the type is an integer of more than 32 bits. */
static bool is_long(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 32;
}

static bool may_begin_with_rest(cc_unit *unit, place at, LLVMTypeRef type, unsigned leaf) {
    return type == unit->i32 || (is_long(type) && at.alignment % 8 == 4 && cc_leaf_offset(unit, type, leaf) == 0);
}

/* A double at an odd multiple of 4 becomes invalid when a neighbouring guard is overwritten (native/cells/odd.c).
 * Builds NaN then, else `value`. */
static LLVMValueRef unless_broken(cc_tangent *tangent, LLVMValueRef address, LLVMValueRef value) {
    cc_unit *unit = tangent->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef at = LLVMBuildPtrToInt(build, address, unit->i64, "");
    LLVMValueRef bit = LLVMBuildAnd(build, at, cc_i64(unit, 4), "");
    LLVMValueRef broken = LLVMConstInt(LLVMInt1TypeInContext(unit->context), 0, false);
    for (int64_t beside = -4; beside <= 4; beside += 8) {
        LLVMValueRef number = LLVMBuildAdd(build, at, cc_i64(unit, beside), "");
        LLVMValueRef cell = cell_at(tangent, number, VERSO_NATIVE_DOUBLE);
        LLVMValueRef bits = LLVMBuildLoad2(build, unit->i64, cell, "");
        LLVMSetAlignment(bits, 4);
        bits = LLVMBuildAnd(build, bits, cc_i64(unit, ~INT64_C(1)), ""); /* either form of the guard */
        LLVMValueRef gone = LLVMBuildICmp(build, LLVMIntNE, bits, cc_i64(unit, VERSO_NATIVE_GUARD), "");
        broken = LLVMBuildOr(build, broken, gone, "");
    }
    broken = LLVMBuildAnd(build, broken, LLVMBuildICmp(build, LLVMIntNE, bit, cc_i64(unit, 0), ""), "");
    LLVMValueRef some = LLVMBuildFCmp(build, LLVMRealUNE, value, tangent->zero, "");
    return LLVMBuildSelect(build, LLVMBuildAnd(build, broken, some, ""), LLVMConstReal(unit->f64, NAN), value, "");
}

static LLVMValueRef load_leaf(cc_tangent *tangent, place at, LLVMTypeRef type, unsigned leaf) {
    cc_unit *unit = tangent->unit;
    verso__native_kind kind = cc_leaf_kind(unit, type, leaf);
    if (is_byte(unit, type))
        return read_byte(tangent, at.address, LLVMStoreSizeOfType(unit->layout, type), kind);
    LLVMValueRef value = read_leaf(tangent, at, type, leaf);
    if (!may_begin_with_rest(unit, at, type, leaf))
        return value;
    if (type != unit->i32 && kind == VERSO_NATIVE_DOUBLE && !unit->program->packs)
        value = unless_broken(tangent, at.address, value);
    return read_word(tangent, at.address, value, kind);
}

/* Names of small functions distinguish pointers from integers, because a double may be a part of an integer only. */
static const char *kind_name(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? "pointer" : "integer";
}

typedef struct reading {
    cc_tangent *tangent;
    LLVMTypeRef type;
    uint64_t alignment;
    unsigned leaves;
} reading;

static void build_load(cc_unit *unit, LLVMValueRef function, const void *context) {
    const reading *of = context;
    LLVMValueRef leaf[CC_WORDS_MOST];
    for (unsigned i = 0; i < of->leaves; i++)
        leaf[i] = load_leaf(of->tangent, (place){LLVMGetParam(function, 0), of->alignment}, of->type, i);
    LLVMBuildAggregateRet(unit->builder, leaf, of->leaves);
}

static void load_words(cc_tangent *tangent, place at, cc_tangent_value *load) {
    cc_unit *unit = tangent->unit;
    reading of = {tangent, LLVMTypeOf(load->value), at.alignment, load->leaves};
    LLVMTypeRef result = cc_small_numbers(unit, of.leaves);
    const char *name =
        cc_print(unit, "verso.load.%s.%llu.%llu", kind_name(of.type),
                 (unsigned long long)LLVMStoreSizeOfType(unit->layout, of.type), (unsigned long long)at.alignment);
    cc_make_small(unit, name, LLVMFunctionType(result, &unit->pointer, 1, false), CC_SMALL_READS, build_load, &of);
    LLVMValueRef loaded = cc_call_small(unit, name, true, &at.address, 1);
    for (unsigned i = 0; i < of.leaves; i++)
        load->leaf[i] = LLVMBuildExtractValue(unit->builder, loaded, i, "");
}

void cc_tangent_load(cc_tangent *tangent, cc_tangent_value *load) {
    LLVMTypeRef type = LLVMTypeOf(load->value);
    place at = {LLVMGetOperand(load->value, 0), LLVMGetAlignment(load->value)};
    cc_tangent_after(tangent, load->value);
    bool reads_around = is_byte(tangent->unit, type) || may_begin_with_rest(tangent->unit, at, type, 0);
    if (cc_leaves_are_words(type, load->leaves) && (reads_around || load->leaves > 2)) {
        load_words(tangent, at, load);
        return;
    }
    for (unsigned i = 0; i < load->leaves; i++)
        load->leaf[i] = load_leaf(tangent, at, type, i);
}

/* Returns whether every byte of the type belongs to a leaf. */
static bool has_only_leaves(cc_unit *unit, LLVMTypeRef type) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++) {
        LLVMTypeRef scalar = cc_leaf_type(unit, type, i);
        bool whole = cc_leaf_is_number(scalar) || is_byte(unit, scalar);
        if (cc_leaf_is_number(scalar) || cc_leaf_kind(unit, type, i) == VERSO_NATIVE_DOUBLE) /* count one kind only */
            bytes += whole ? LLVMStoreSizeOfType(unit->layout, scalar) : 4;
    }
    return bytes == LLVMStoreSizeOfType(unit->layout, type);
}

/* Refuses derivatives of an integer of an odd width, or a vector of such integers: their bits cannot be followed. */
static void report_odd_width(cc_tangent *tangent, LLVMValueRef store) {
    LLVMValueRef stored = LLVMGetOperand(store, 0);
    for (unsigned i = 0; i < cc_tangent_leaves(tangent->unit, LLVMTypeOf(stored)); i++)
        cc_tangent_report_lost(tangent, store, cc_tangent_leaf(tangent, stored, i), bytes_stored);
}

/* The rest of a number is not the beginning of one, so its tangent there is zero. The exception is a rest that was
 * stored at a multiple of 8 with what follows it: then a double consists of parts of two others, and its tangent is
 * a NaN. */
static LLVMValueRef unless_rest(cc_tangent *tangent, place at, LLVMTypeRef type, LLVMValueRef value) {
    cc_unit *unit = tangent->unit;
    if (!is_long(type) || value == tangent->zero)
        return cc_tangent_unless_part(tangent, value);
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef address = LLVMBuildPtrToInt(build, at.address, unit->i64, "");
    LLVMValueRef bits = LLVMBuildAnd(build, address, cc_i64(unit, 7), "");
    LLVMValueRef even = LLVMBuildICmp(build, LLVMIntEQ, bits, cc_i64(unit, 0), "");
    return at.alignment % 8 == 0 ? value
                                 : LLVMBuildSelect(build, even, value, cc_tangent_unless_part(tangent, value), "");
}

static void store_cells(cc_tangent *tangent, const writing *what) {
    cc_unit *unit = tangent->unit;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(what->store, 0));
    place at = {what->address, LLVMGetAlignment(what->store)};
    if (is_byte(unit, type)) {
        store_bytes(tangent, what);
        return;
    }
    if (cc_leaf_count(unit, type) == 0)
        report_odd_width(tangent, what->store);
    if (at.alignment < 4 || !has_only_leaves(unit, type))
        clear_cells(tangent, at.address, cc_i64(unit, (int64_t)LLVMStoreSizeOfType(unit->layout, type)));
    bool number = cc_leaf_any_number(unit, type);
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        write_leaf(tangent, what->store, at, type, i,
                   number ? what->leaf[i] : unless_rest(tangent, at, type, what->leaf[i]));
}

static writing writing_of(cc_tangent *tangent, LLVMValueRef store) {
    LLVMValueRef stored = LLVMGetOperand(store, 0);
    writing what = {.store = store,
                    .address = LLVMGetOperand(store, 1),
                    .leaves = cc_tangent_leaves(tangent->unit, LLVMTypeOf(stored)),
                    .active = cc_tangent_active(tangent, stored)};
    what.leaf = cc_alloc(tangent->unit, what.leaves, sizeof *what.leaf);
    for (unsigned i = 0; i < what.leaves; i++)
        what.leaf[i] = cc_tangent_leaf(tangent, stored, i);
    return what;
}

static LLVMValueRef any_tangent(cc_tangent *tangent, const writing *what) {
    LLVMValueRef any = tangent->zero;
    for (unsigned i = 0; what->active && i < what->leaves; i++) {
        if (what->leaf[i] == tangent->zero)
            continue;
        LLVMValueRef one = cc_tangent_magnitude(tangent, what->leaf[i]);
        any = any == tangent->zero ? one : LLVMBuildFAdd(tangent->unit->builder, any, one, "");
    }
    return any;
}

/* Builds VERSO_NATIVE_PART_REST if the stored value begins with the rest of a number, else 0. The tangent of such a
 * rest is a NaN: that of a part, or that of an unknown number. */
static LLVMValueRef begins_with_rest(cc_tangent *tangent, const writing *what) {
    cc_unit *unit = tangent->unit;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(what->store, 0));
    for (unsigned i = 0; what->active && i < what->leaves && cc_leaf_offset(unit, type, i) == 0; i++)
        if (cc_leaf_kind(unit, type, i) == VERSO_NATIVE_DOUBLE && what->leaf[i] != tangent->zero)
            return LLVMBuildSelect(unit->builder,
                                   LLVMBuildFCmp(unit->builder, LLVMRealUNO, what->leaf[i], what->leaf[i], ""),
                                   cc_i64(unit, VERSO_NATIVE_PART_REST), cc_i64(unit, 0), "");
    return cc_i64(unit, 0);
}

/* Stores an integer that may be a part of a number. `origin` is as in types/parts.h; `loaded`: it is the address of
 * a load. */
static void store_part(cc_tangent *tangent, const writing *what, LLVMValueRef origin, bool loaded) {
    cc_unit *unit = tangent->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef before = cc_parts_begin(unit, what->store, what->address, "verso__native_tangent_part", NULL, false);
    store_cells(tangent, what);
    LLVMValueRef any = LLVMBuildFCmp(build, LLVMRealUNE, any_tangent(tangent, what), tangent->zero, "");
    any = LLVMBuildOr(build, any, before, "");
    any = LLVMBuildOr(build, any, cc_parts_have_derivative(unit, what->store, what->address), "");
    if (loaded)
        any = LLVMBuildOr(build, any, cc_origin_has_derivative(unit, what->store, origin), "");
    uint64_t size = LLVMStoreSizeOfType(unit->layout, LLVMTypeOf(LLVMGetOperand(what->store, 0)));
    LLVMValueRef how = LLVMBuildZExt(build, before, unit->i64, "");
    how = LLVMBuildOr(build, how, begins_with_rest(tangent, what), "");
    LLVMValueRef after[] = {what->address, cc_i64(unit, (int64_t)size), origin, how};
    cc_call_if(unit, any, "verso__native_tangent_part_end", false, after, 4);
}

typedef struct storing {
    cc_tangent *tangent;
    const writing *what;
    bool loaded;
} storing;

/* Builds the small function void (address, origin, leaf...). */
static void build_store(cc_unit *unit, LLVMValueRef function, const void *context) {
    const storing *of = context;
    writing what = *of->what;
    what.address = LLVMGetParam(function, 0);
    what.leaf = cc_alloc(unit, what.leaves, sizeof *what.leaf);
    for (unsigned i = 0; i < what.leaves; i++)
        what.leaf[i] = what.active ? LLVMGetParam(function, i + 2) : of->tangent->zero;
    store_part(of->tangent, &what, LLVMGetParam(function, 1), of->loaded);
    LLVMBuildRetVoid(unit->builder);
}

/* Returns whether the store needs no message with its place, so that a small function can be shared. */
static bool is_silent(cc_unit *unit, const writing *what) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(what->store, 0));
    unsigned alignment = LLVMGetAlignment(what->store);
    bool whole = is_byte(unit, type) ? alignment >= LLVMStoreSizeOfType(unit->layout, type)
                                     : alignment >= 4 && has_only_leaves(unit, type);
    return whole && cc_leaves_are_words(type, what->leaves) && what->leaves == cc_leaf_count(unit, type);
}

static void store_words(cc_tangent *tangent, const writing *what, LLVMValueRef origin, bool loaded) {
    cc_unit *unit = tangent->unit;
    unsigned count = 2;
    LLVMValueRef arguments[CC_WORDS_MOST + 2] = {what->address, origin};
    LLVMTypeRef types[CC_WORDS_MOST + 2] = {unit->pointer, unit->pointer};
    for (unsigned i = 0; what->active && i < what->leaves; i++) {
        arguments[count] = what->leaf[i];
        types[count++] = unit->f64;
    }
    uint64_t size = LLVMStoreSizeOfType(unit->layout, LLVMTypeOf(LLVMGetOperand(what->store, 0)));
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(what->store, 0));
    const char *name = cc_print(unit, "verso.store.%s.%llu.%u.%u%s", kind_name(type), (unsigned long long)size,
                                LLVMGetAlignment(what->store), count - 2, loaded ? ".loaded" : "");
    cc_make_small(unit, name, LLVMFunctionType(unit->none, types, count, false), CC_SMALL_CHANGES, build_store,
                  &(storing){tangent, what, loaded});
    cc_call_small(unit, name, true, arguments, count);
}

/* Stores numbers that may overlap others, which become invalid. */
static void store_over(cc_tangent *tangent, const writing *what) {
    cc_unit *unit = tangent->unit;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(what->store, 0));
    LLVMValueRef arguments[] = {what->address, cc_i64(unit, (int64_t)LLVMStoreSizeOfType(unit->layout, type)),
                                cc_i64(unit, cc_leaf_kind(unit, type, 0)), any_tangent(tangent, what)};
    cc_call_runtime(unit, "verso__native_tangent_over", unit->none, arguments, 4);
}

void cc_tangent_store(cc_tangent *tangent, LLVMValueRef store) {
    cc_unit *unit = tangent->unit;
    if (!cc_leaf_any_number(unit, LLVMTypeOf(LLVMGetOperand(store, 0))) && !cc_may_carry(unit, store))
        return;
    cc_tangent_after(tangent, store);
    writing what = writing_of(tangent, store);
    if (cc_may_write_parts(unit, store)) {
        LLVMValueRef loaded = cc_parts_loaded(unit, store, cc_tangent_varied_in, tangent);
        LLVMValueRef origin = cc_parts_origin(unit, store, loaded, cc_tangent_varied_in, tangent);
        (is_silent(unit, &what) ? store_words : store_part)(tangent, &what, origin, loaded != NULL);
    } else {
        store_cells(tangent, &what);
    }
    if (cc_may_overwrite_numbers(unit, store))
        store_over(tangent, &what);
}

/* ---- Atomic operations ---- */

void cc_tangent_exchange(cc_tangent *tangent, cc_tangent_value *exchange) {
    cc_unit *unit = tangent->unit;
    LLVMValueRef at = exchange->value, next = LLVMGetOperand(at, 2);
    LLVMTypeRef type = LLVMTypeOf(next);
    place where = {LLVMGetOperand(at, 0), LLVMGetAlignment(at)};
    unsigned leaves = cc_leaf_count(unit, type);
    if (leaves == 0 || !cc_may_carry(unit, at))
        return;
    LLVMValueRef *before = cc_alloc(unit, leaves, sizeof *before);
    cc_tangent_before(tangent, at);
    for (unsigned i = 0; i < leaves; i++)
        before[i] = exchange->leaf[i] = read_leaf(tangent, where, type, i);
    cc_tangent_after(tangent, at);
    LLVMValueRef done = LLVMBuildExtractValue(unit->builder, at, 1, "");
    for (unsigned i = 0; i < leaves; i++)
        write_leaf(tangent, at, where, type, i,
                   LLVMBuildSelect(unit->builder, done, cc_tangent_leaf(tangent, next, i), before[i], ""));
}

/* Builds the tangent of what an atomic operation leaves in memory; integer arithmetic leaves zero. */
static LLVMValueRef updated(cc_tangent *tangent, LLVMValueRef at, unsigned leaf, LLVMValueRef before) {
    LLVMBuilderRef builder = tangent->unit->builder;
    LLVMValueRef operand = LLVMGetOperand(at, 1), with = cc_tangent_leaf(tangent, operand, leaf), first;
    switch (LLVMGetAtomicRMWBinOp(at)) {
    case LLVMAtomicRMWBinOpXchg: return with;
    case LLVMAtomicRMWBinOpFAdd: return LLVMBuildFAdd(builder, before, with, "");
    case LLVMAtomicRMWBinOpFSub: return LLVMBuildFSub(builder, before, with, "");
    case LLVMAtomicRMWBinOpFMax: first = LLVMBuildFCmp(builder, LLVMRealOGE, at, operand, ""); break;
    case LLVMAtomicRMWBinOpFMin: first = LLVMBuildFCmp(builder, LLVMRealOLE, at, operand, ""); break;
    default: return tangent->zero;
    }
    return LLVMBuildSelect(builder, first, before, with, "");
}

void cc_tangent_update(cc_tangent *tangent, cc_tangent_value *update) {
    cc_unit *unit = tangent->unit;
    LLVMValueRef at = update->value;
    LLVMTypeRef type = LLVMTypeOf(at);
    place where = {LLVMGetOperand(at, 0), LLVMGetAlignment(at)};
    unsigned leaves = cc_leaf_count(unit, type);
    if (leaves == 0 || (!cc_leaf_any_number(unit, type) && !cc_may_carry(unit, at)))
        return;
    cc_tangent_before(tangent, at);
    for (unsigned i = 0; i < leaves; i++)
        update->leaf[i] = read_leaf(tangent, where, type, i);
    cc_tangent_after(tangent, at);
    for (unsigned i = 0; i < leaves; i++)
        write_leaf(tangent, at, where, type, i, updated(tangent, at, i, update->leaf[i]));
}

/* ---- Whole areas ---- */

void cc_tangent_alloca(cc_tangent *tangent, LLVMValueRef variable) {
    cc_unit *unit = tangent->unit;
    LLVMValueRef count = LLVMGetOperand(variable, 0);
    uint64_t each = LLVMABISizeOfType(unit->layout, LLVMGetAllocatedType(variable));
    if (LLVMIsAConstantInt(count) == NULL || each == 0 || LLVMConstIntGetZExtValue(count) > CLEARED_BYTES / each)
        return;
    cc_tangent_after(tangent, variable);
    clear_cells(tangent, variable, cc_i64(unit, (int64_t)(each * LLVMConstIntGetZExtValue(count))));
}

static LLVMValueRef as_size(cc_tangent *tangent, LLVMValueRef value) {
    return LLVMBuildIntCast2(tangent->unit->builder, value, tangent->unit->i64, false, "");
}

/* Builds the size of a block; 0 if the allocation failed. */
static LLVMValueRef size_if(cc_tangent *tangent, LLVMValueRef block, LLVMValueRef size) {
    LLVMBuilderRef builder = tangent->unit->builder;
    return LLVMBuildSelect(builder, LLVMBuildIsNull(builder, block, ""), cc_i64(tangent->unit, 0), size, "");
}

static LLVMValueRef argument(void *call, unsigned index) {
    return LLVMGetOperand(call, index);
}

static void allocate(cc_tangent *tangent, LLVMValueRef call) {
    cc_tangent_after(tangent, call);
    LLVMValueRef size = cc_call_allocated(tangent->unit, call, argument, call);
    clear_cells(tangent, call, size_if(tangent, call, size));
}

static void copy(cc_tangent *tangent, LLVMValueRef call) {
    LLVMValueRef arguments[] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), NULL};
    cc_tangent_before(tangent, call);
    arguments[2] = as_size(tangent, LLVMGetOperand(call, 2));
    if (tangent->function->inactive)
        clear_cells(tangent, arguments[0], arguments[2]);
    else
        cc_call_runtime(tangent->unit, "verso__native_tangent_copy", tangent->unit->none, arguments, 3);
}

void cc_tangent_memory_call(cc_tangent *tangent, LLVMValueRef call) {
    switch (cc_call_kind_of(tangent->unit, call)) {
    case CC_CALL_COPY: copy(tangent, call); break;
    case CC_CALL_ALLOCATE: allocate(tangent, call); break;
    case CC_CALL_CLEAR:
        cc_tangent_after(tangent, call);
        clear_cells(tangent, LLVMGetOperand(call, 0), as_size(tangent, LLVMGetOperand(call, 2)));
        break;
    case CC_CALL_WRITTEN:
        cc_tangent_after(tangent, call);
        clear_cells(tangent, LLVMGetOperand(call, 0), as_size(tangent, LLVMGetOperand(call, 1)));
        cc_tangent_replace(tangent, call, NULL);
        break;
    case CC_CALL_CHANGED: {
        LLVMValueRef noted = LLVMGetOperand(call, 0);
        cc_tangent_after(tangent, call);
        cc_call_runtime(tangent->unit, "verso__native_tangent_changed", tangent->unit->none, &noted, 1);
        cc_tangent_replace(tangent, call, NULL);
        break;
    }
    default: break;
    }
}
