/* Leaves of types. Offsets of struct members come from the data layout. Elements of arrays are their ABI size apart;
 * elements of vectors are packed, their size in bits apart. */
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"

bool cc_leaf_is_number(LLVMTypeRef scalar) {
    switch (LLVMGetTypeKind(scalar)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind: return true;
    default: return false;
    }
}

bool cc_leaves_are_words(LLVMTypeRef type, unsigned leaves) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind) && leaves > 0 && leaves <= CC_WORDS_MOST;
}

/* ---- Kinds ---- */

/* Returns the bit mask of the program's kinds. Before cc_find_kinds has set them, double is the only kind. */
static uint64_t kinds_of(const cc_unit *unit) {
    return unit->program->kinds | 1u << VERSO_NATIVE_DOUBLE;
}

unsigned cc_kind_count(const cc_unit *unit) {
    return (unsigned)__builtin_popcountll(kinds_of(unit));
}

verso__native_kind cc_kind_at(const cc_unit *unit, unsigned index) {
    unsigned kind = 0;
    for (uint64_t kinds = kinds_of(unit);; kind++)
        if ((kinds >> kind & 1) != 0 && index-- == 0)
            return (verso__native_kind)kind;
}

/* ---- Leaves ---- */

/* Returns the number of elements of a struct, array or vector; 0 for a scalar. */
static unsigned elements(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
    case LLVMArrayTypeKind: return (unsigned)LLVMGetArrayLength2(type);
    case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
    default: return 0;
    }
}

static LLVMTypeRef element(LLVMTypeRef type, unsigned index) {
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index)
                                                       : LLVMGetElementType(type);
}

static unsigned scalar_count(const cc_unit *unit, LLVMTypeRef type) {
    if (cc_leaf_is_number(type))
        return 1;
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return 2 * cc_kind_count(unit);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return 0;
    unsigned bits = LLVMGetIntTypeWidth(type);
    return cc_kind_count(unit) * (bits == 8 || bits == 16 ? 1 : bits % 32 == 0 || bits == 80 ? bits / 32 : 0);
}

unsigned cc_leaf_first(cc_unit *unit, LLVMTypeRef type, unsigned index) {
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return index * cc_leaf_count(unit, LLVMGetElementType(type));
    unsigned first = 0;
    for (unsigned i = 0; i < index; i++)
        first += cc_leaf_count(unit, LLVMStructGetTypeAtIndex(type, i));
    return first;
}

unsigned cc_leaf_count(cc_unit *unit, LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind: return elements(type) == 0 ? 0 : cc_leaf_first(unit, type, elements(type));
    default: return scalar_count(unit, type);
    }
}

bool cc_leaf_any_number(cc_unit *unit, LLVMTypeRef type) {
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        if (cc_leaf_is_number(cc_leaf_type(unit, type, i)))
            return true;
    return false;
}

static uint64_t element_offset(cc_unit *unit, LLVMTypeRef type, unsigned index) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind: return LLVMOffsetOfElement(unit->layout, type, index);
    case LLVMArrayTypeKind: return index * LLVMABISizeOfType(unit->layout, LLVMGetElementType(type));
    default: return index * LLVMSizeOfTypeInBits(unit->layout, LLVMGetElementType(type)) / 8;
    }
}

/* Where a leaf is: the scalar that contains it, the offset of that scalar in bytes, and the leaf's index within it. */
typedef struct place {
    LLVMTypeRef scalar;
    uint64_t offset;
    unsigned leaf;
} place;

static place find(cc_unit *unit, LLVMTypeRef type, unsigned leaf) {
    place at = {type, 0, leaf};
    while (elements(at.scalar) > 0) {
        LLVMTypeRef outer = at.scalar;
        unsigned index = 0;
        for (; index + 1 < elements(outer); index++) {
            unsigned count = cc_leaf_count(unit, element(outer, index));
            if (at.leaf < count)
                break;
            at.leaf -= count;
        }
        at.scalar = element(outer, index);
        at.offset += element_offset(unit, outer, index);
    }
    return at;
}

uint64_t cc_leaf_offset(cc_unit *unit, LLVMTypeRef type, unsigned leaf) {
    place at = find(unit, type, leaf);
    return at.offset + 4 * (uint64_t)(at.leaf / cc_kind_count(unit));
}

verso__native_kind cc_leaf_kind(cc_unit *unit, LLVMTypeRef type, unsigned leaf) {
    place at = find(unit, type, leaf);
    verso__native_kind kind = VERSO_NATIVE_DOUBLE;
    switch (LLVMGetTypeKind(at.scalar)) {
    case LLVMFloatTypeKind: kind = VERSO_NATIVE_FLOAT; break;
    case LLVMX86_FP80TypeKind: kind = VERSO_NATIVE_LONG; break;
    case LLVMIntegerTypeKind:
    case LLVMPointerTypeKind: kind = cc_kind_at(unit, at.leaf % cc_kind_count(unit)); break;
    default: break;
    }
    return (kinds_of(unit) >> kind & 1) != 0 ? kind : VERSO_NATIVE_DOUBLE;
}

bool cc_leaf_same(cc_unit *unit, LLVMTypeRef type, unsigned leaf, LLVMTypeRef other, unsigned other_leaf) {
    return cc_leaf_offset(unit, type, leaf) == cc_leaf_offset(unit, other, other_leaf) &&
           cc_leaf_kind(unit, type, leaf) == cc_leaf_kind(unit, other, other_leaf);
}

LLVMTypeRef cc_leaf_type(cc_unit *unit, LLVMTypeRef type, unsigned leaf) {
    return find(unit, type, leaf).scalar;
}

LLVMTypeRef cc_leaf_adjoint(cc_unit *unit, LLVMTypeRef type, unsigned leaf) {
    return cc_leaf_type(unit, type, leaf) == unit->f32 ? unit->f32 : unit->f64;
}
