/* Parts of numbers, and numbers over others: see parts.h. */
#include "cc/parts.h"

#include "cc/bits.h"
#include "cc/leaves.h"
#include "cc/program.h"
#include "cc/surgery.h"
#include "native/state.h"

/* ---- Kinds of numbers ---- */

static unsigned bytes_of_kind(verso_native_kind kind) {
    static const unsigned bytes[VERSO_NATIVE_KINDS] = {8, 4, 16};
    return bytes[kind];
}

/* Of all members. It is told to the program at the end: what a type's leaves are follows from it. */
typedef struct findings {
    cc_unit *unit;
    uint64_t kinds;
    bool packs;
} findings;

static void note_type(findings *found, LLVMTypeRef type, unsigned alignment) {
    cc_unit *unit = found->unit;
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++) {
        LLVMTypeKind scalar = LLVMGetTypeKind(cc_leaf_type(unit, type, i));
        verso_native_kind kind = scalar == LLVMFloatTypeKind      ? VERSO_NATIVE_FLOAT
                                 : scalar == LLVMX86_FP80TypeKind ? VERSO_NATIVE_LONG
                                                                  : VERSO_NATIVE_DOUBLE;
        found->kinds |= UINT64_C(1) << kind;
        if (cc_leaf_is_number(cc_leaf_type(unit, type, i)) && alignment > 0 && alignment % bytes_of_kind(kind) != 0)
            found->packs = true;
    }
}

static void note_instruction(findings *found, LLVMValueRef at) {
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad: note_type(found, LLVMTypeOf(at), LLVMGetAlignment(at)); break;
    case LLVMStore: note_type(found, LLVMTypeOf(LLVMGetOperand(at, 0)), LLVMGetAlignment(at)); break;
    case LLVMBitCast:
        note_type(found, LLVMTypeOf(at), 0);
        note_type(found, LLVMTypeOf(LLVMGetOperand(at, 0)), 0);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: note_type(found, LLVMTypeOf(LLVMGetOperand(at, 1)), 0); break;
    default: break;
    }
}

void cc_find_kinds(cc_unit *unit) {
    cc_program *program = unit->program;
    findings found = {.unit = unit, .kinds = UINT64_C(1) << VERSO_NATIVE_DOUBLE};
    for (size_t i = 0; i < program->member_count; i++) {
        const cc_member *member = program->members[i];
        LLVMValueRef function = LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.base", member->name));
        for (LLVMValueRef at = member->inactive || function == NULL ? NULL : cc_first(function); at != NULL;
             at = cc_next(at))
            note_instruction(&found, at);
    }
    program->kinds = found.kinds;
    program->packs = found.packs;
}

static bool uses(const cc_unit *unit, unsigned kind) {
    return (unit->program->kinds >> kind & 1) != 0;
}

/* ---- Cells ---- */

static LLVMValueRef bits_of_cell(cc_unit *unit, LLVMValueRef number, verso_native_kind kind) {
    LLVMBuilderRef build = unit->builder;
    int64_t plane = VERSO_SHADOW + (int64_t)kind * VERSO_SHADOW_KIND;
    LLVMValueRef cell = LLVMBuildAdd(build, number, cc_i64(unit, plane), "");
    if (bytes_of_kind(kind) % 8 != 0) {
        _Static_assert(VERSO_SHADOW_ODD == INT64_C(4) << 43, "the odd plane is this far from the even one");
        LLVMValueRef odd = LLVMBuildAnd(build, number, cc_i64(unit, 4), "");
        cell = LLVMBuildSub(build, cell, LLVMBuildShl(build, odd, cc_i64(unit, 43), ""), "");
    }
    LLVMValueRef bits = LLVMBuildLoad2(build, unit->i64, LLVMBuildIntToPtr(build, cell, unit->pointer, ""), "");
    LLVMSetAlignment(bits, 4);
    return bits;
}

/* Of cells that were looked at, all together. */
typedef struct look {
    cc_unit *unit;
    LLVMValueRef any; /* NULL: none yet */
} look;

static void look_at(look *look, LLVMValueRef number, verso_native_kind kind) {
    LLVMValueRef bits = bits_of_cell(look->unit, number, kind);
    look->any = look->any ? LLVMBuildOr(look->unit->builder, look->any, bits, "") : bits;
}

/* The number of that kind that the byte at address + offset belongs to. */
static void look_around(look *look, LLVMValueRef address, uint64_t offset, verso_native_kind kind) {
    LLVMBuilderRef build = look->unit->builder;
    LLVMValueRef at = LLVMBuildAdd(build, address, cc_i64(look->unit, (int64_t)offset), "");
    look_at(look, LLVMBuildAnd(build, at, cc_i64(look->unit, -(int64_t)bytes_of_kind(kind)), ""), kind);
}

/* Whatever their signs are. */
static LLVMValueRef found(look *look) {
    cc_unit *unit = look->unit;
    if (!look->any)
        return LLVMConstInt(LLVMInt1TypeInContext(unit->context), 0, false);
    LLVMValueRef magnitude = LLVMBuildShl(unit->builder, look->any, cc_i64(unit, 1), "");
    return LLVMBuildICmp(unit->builder, LLVMIntNE, magnitude, cc_i64(unit, 0), "");
}

static LLVMValueRef ask(cc_unit *unit, const char *name, LLVMValueRef address, uint64_t size, int64_t kind) {
    LLVMValueRef arguments[] = {address, cc_i64(unit, (int64_t)size), cc_i64(unit, kind)};
    LLVMValueRef there = cc_call_runtime(unit, name, unit->i64, arguments, kind < 0 ? 2 : 3);
    return LLVMBuildICmp(unit->builder, LLVMIntNE, there, cc_i64(unit, 0), "");
}

/* ---- Stores of integers ---- */

typedef struct extent {
    uint64_t size;
    unsigned alignment;
} extent;

static LLVMTypeRef type_stored(LLVMValueRef store) {
    return LLVMTypeOf(LLVMGetOperand(store, 0));
}

static extent extent_of(cc_unit *unit, LLVMValueRef store) {
    return (extent){LLVMStoreSizeOfType(unit->layout, type_stored(store)), LLVMGetAlignment(store)};
}

static bool has_number(cc_unit *unit, LLVMTypeRef type) {
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        if (cc_leaf_is_number(cc_leaf_type(unit, type, i)))
            return true;
    return false;
}

static bool writes_part(const cc_unit *unit, extent at, unsigned kind) {
    unsigned bytes = bytes_of_kind((verso_native_kind)kind);
    return uses(unit, kind) && (unit->program->packs || at.alignment % bytes != 0 || at.size % bytes != 0);
}

bool cc_parts_may(cc_unit *unit, LLVMValueRef store) {
    if (has_number(unit, type_stored(store)))
        return false;
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        if (writes_part(unit, extent_of(unit, store), kind))
            return true;
    return false;
}

static LLVMValueRef any_part(cc_unit *unit, LLVMValueRef address, extent stored, unsigned alignment) {
    look look = {unit, NULL};
    if (unit->program->packs)
        return ask(unit, "verso_native_parts_there", address, stored.size, -1);
    LLVMValueRef first = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++) {
        if (!writes_part(unit, stored, kind))
            continue;
        look_around(&look, first, 0, (verso_native_kind)kind);
        if (stored.size > bytes_of_kind((verso_native_kind)kind) || alignment < stored.size)
            look_around(&look, first, stored.size - 1, (verso_native_kind)kind);
    }
    return found(&look);
}

LLVMValueRef cc_parts_there(cc_unit *unit, LLVMValueRef store, LLVMValueRef address) {
    return any_part(unit, address, extent_of(unit, store), LLVMGetAlignment(store));
}

LLVMValueRef cc_parts_were(cc_unit *unit, LLVMValueRef store, LLVMValueRef origin) {
    return any_part(unit, origin, extent_of(unit, store), 1);
}

/* ---- Stores of numbers ---- */

bool cc_over_may(cc_unit *unit, LLVMValueRef store) {
    return cc_kind_count(unit) > 1 && has_number(unit, type_stored(store));
}

LLVMValueRef cc_over_there(cc_unit *unit, LLVMValueRef store, LLVMValueRef address) {
    extent at = extent_of(unit, store);
    LLVMTypeRef type = type_stored(store);
    look look = {unit, NULL};
    verso_native_kind own = cc_leaf_kind(unit, type, 0);
    if (unit->program->packs || at.size > 16 || at.alignment % 4 != 0 || cc_leaf_count(unit, type) > 1)
        return ask(unit, "verso_native_over_there", address, at.size, own);
    LLVMValueRef first = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        for (uint64_t offset = 0; uses(unit, kind) && kind != own && offset < at.size;
             offset += bytes_of_kind((verso_native_kind)kind))
            look_around(&look, first, offset, (verso_native_kind)kind);
    return found(&look);
}

/* ---- Where bits come from ---- */

LLVMValueRef cc_parts_loaded(cc_unit *unit, LLVMValueRef store, bool (*varied)(void *, LLVMValueRef), void *context) {
    cc_bits_origin origin;
    bool copied = cc_bits_copied(unit, LLVMGetOperand(store, 0), varied, context, &origin);
    return copied && origin.root && LLVMIsALoadInst(origin.root) ? LLVMGetOperand(origin.root, 0) : NULL;
}

/* Of a parameter or an instruction, in its function. */
static int64_t number_of(LLVMValueRef value) {
    if (LLVMIsAInstruction(value) == NULL)
        return -1;
    int64_t number = 1;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(value));
    for (LLVMValueRef at = cc_first(function); at != NULL && at != value; at = cc_next(at))
        number++;
    return number;
}

LLVMValueRef cc_parts_origin(cc_unit *unit, LLVMValueRef store, LLVMValueRef loaded,
                             bool (*varied)(void *, LLVMValueRef), void *context) {
    cc_bits_origin origin;
    if (!cc_bits_copied(unit, LLVMGetOperand(store, 0), varied, context, &origin))
        return LLVMConstNull(unit->pointer);
    LLVMValueRef base = loaded ? LLVMBuildPtrToInt(unit->builder, loaded, unit->i64, "")
                               : cc_i64(unit, 64 * number_of(origin.root ? origin.root : store));
    base = LLVMBuildAdd(unit->builder, base, cc_i64(unit, (int64_t)origin.offset), "");
    return LLVMBuildIntToPtr(unit->builder, base, unit->pointer, "");
}
