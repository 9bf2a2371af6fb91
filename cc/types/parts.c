/* Code for stores that may write parts of numbers, or numbers over others. */
#include "cc/types/parts.h"
#include "cc/ir/program.h"

#include "cc/ir/leaves.h"
#include "cc/ir/small.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/types/bits.h"
#include "native/state.h"

/* ---- Kinds of numbers ---- */

static unsigned bytes_of_kind(verso__native_kind kind) {
    static const unsigned bytes[VERSO_NATIVE_KINDS] = {8, 4, 16, 4};
    return bytes[kind];
}

/* What the instructions of all members show about the program (cc_program). */
typedef struct findings {
    cc_unit *unit;
    uint64_t kinds;
    bool packs, float_bits;
} findings;

static void note_type(findings *found, LLVMTypeRef type, unsigned alignment) {
    cc_unit *unit = found->unit;
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++) {
        LLVMTypeKind scalar = LLVMGetTypeKind(cc_leaf_type(unit, type, i));
        verso__native_kind kind = scalar == LLVMFloatTypeKind      ? VERSO_NATIVE_FLOAT
                                  : scalar == LLVMX86_FP80TypeKind ? VERSO_NATIVE_LONG
                                                                   : VERSO_NATIVE_DOUBLE;
        found->kinds |= UINT64_C(1) << kind;
        if (cc_leaf_is_number(cc_leaf_type(unit, type, i)) && alignment > 0 && alignment % bytes_of_kind(kind) != 0)
            found->packs = true;
    }
}

static LLVMTypeRef lane_of(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static bool is_float_of_bits(const cc_unit *unit, LLVMValueRef cast) {
    return lane_of(cast) == unit->f32 && LLVMGetTypeKind(lane_of(LLVMGetOperand(cast, 0))) == LLVMIntegerTypeKind;
}

static void note_instruction(findings *found, LLVMValueRef at) {
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad: note_type(found, LLVMTypeOf(at), LLVMGetAlignment(at)); break;
    case LLVMStore: note_type(found, LLVMTypeOf(LLVMGetOperand(at, 0)), LLVMGetAlignment(at)); break;
    case LLVMBitCast:
        note_type(found, LLVMTypeOf(at), 0);
        note_type(found, LLVMTypeOf(LLVMGetOperand(at, 0)), 0);
        found->float_bits = found->float_bits || is_float_of_bits(found->unit, at);
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
    program->kinds = found.kinds | (program->singles ? UINT64_C(1) << VERSO_NATIVE_FLOAT : 0);
    program->packs = found.packs;
    program->float_bits = found.float_bits;
}

static bool uses(const cc_unit *unit, unsigned kind) {
    return (unit->program->kinds >> kind & 1) != 0;
}

/* ---- Cells ---- */

typedef struct extent {
    uint64_t size;
    unsigned alignment;
} extent;

/* Builds the bits of a float's cell, shifted so that the sign is the highest bit, as in the bits of other cells. */
static LLVMValueRef bits_of_float_cell(cc_unit *unit, LLVMValueRef cell) {
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef bits = LLVMBuildLoad2(build, unit->i32, LLVMBuildIntToPtr(build, cell, unit->pointer, ""), "");
    LLVMSetAlignment(bits, 4);
    return LLVMBuildShl(build, LLVMBuildZExt(build, bits, unit->i64, ""), cc_i64(unit, 32), "");
}

/* Builds the bits of the cell of the number at first + offset. Both are multiples of 4, `first` also of `alignment`. */
static LLVMValueRef bits_of_cell(cc_unit *unit, LLVMValueRef first, int64_t offset, unsigned alignment,
                                 verso__native_kind kind) {
    LLVMBuilderRef build = unit->builder;
    int64_t plane = verso__native_plane_of(kind);
    if (kind == VERSO_NATIVE_FLOAT)
        return bits_of_float_cell(unit, LLVMBuildAdd(build, first, cc_i64(unit, offset + plane), ""));
    int64_t odd = offset % 8 == 0 ? 0 : VERSO_SHADOW_ODD;
    bool known = alignment % 8 == 0;
    LLVMValueRef cell = LLVMBuildAdd(build, first, cc_i64(unit, offset + plane - (known ? odd : 0)), "");
    if (!known) {
        _Static_assert(VERSO_SHADOW_ODD == INT64_C(4) << 43, "the odd plane is this far from the even one");
        LLVMValueRef number = LLVMBuildAdd(build, first, cc_i64(unit, offset), "");
        LLVMValueRef beyond = LLVMBuildAnd(build, number, cc_i64(unit, 4), "");
        cell = LLVMBuildSub(build, cell, LLVMBuildShl(build, beyond, cc_i64(unit, 43), ""), "");
    }
    LLVMValueRef bits = LLVMBuildLoad2(build, unit->i64, LLVMBuildIntToPtr(build, cell, unit->pointer, ""), "");
    LLVMSetAlignment(bits, 4);
    return bits;
}

LLVMValueRef cc_parts_unless_guard(cc_unit *unit, LLVMValueRef bits) {
    LLVMValueRef guards = LLVMBuildICmp(unit->builder, LLVMIntEQ, bits, cc_i64(unit, VERSO_NATIVE_GUARD), "");
    return LLVMBuildSelect(unit->builder, guards, cc_i64(unit, 0), bits, "");
}

/* The bitwise or of the cells that code tests together. */
typedef struct gathered {
    cc_unit *unit;
    bool numbers;     /* a guard (native/cells/odd.c) counts as zero */
    LLVMValueRef any; /* the bits; NULL: no cell yet */
} gathered;

static void add_cell(gathered *cells, LLVMValueRef bits) {
    if (cells->numbers)
        bits = cc_parts_unless_guard(cells->unit, bits);
    cells->any = cells->any ? LLVMBuildOr(cells->unit->builder, cells->any, bits, "") : bits;
}

/* Adds the cells of numbers of this kind that have bytes in the memory, at any multiples of 4. Unless `whole`, leaves
 * out numbers all of whose bytes are there. */
static void add_cells(gathered *cells, LLVMValueRef address, extent at, verso__native_kind kind, bool whole) {
    cc_unit *unit = cells->unit;
    int64_t bytes = kind == VERSO_NATIVE_LONG ? 10 : bytes_of_kind(kind), end = (int64_t)at.size;
    bool aligned = at.alignment % 4 == 0;
    LLVMValueRef first = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    if (!aligned) {
        first = LLVMBuildAnd(unit->builder, first, cc_i64(unit, -4), "");
        end += 3;
    }
    for (int64_t offset = -((bytes - 1) / 4 * 4); offset < end; offset += 4)
        if (whole || !aligned || offset < 0 || offset + bytes > end)
            add_cell(cells, bits_of_cell(unit, first, offset, aligned ? at.alignment : 4, kind));
}

/* Builds the test that one of the cells is not zero. -0 counts as zero. */
static LLVMValueRef build_any(gathered *cells) {
    cc_unit *unit = cells->unit;
    if (!cells->any)
        return LLVMConstInt(LLVMInt1TypeInContext(unit->context), 0, false);
    LLVMValueRef magnitude = LLVMBuildShl(unit->builder, cells->any, cc_i64(unit, 1), "");
    return LLVMBuildICmp(unit->builder, LLVMIntNE, magnitude, cc_i64(unit, 0), "");
}

/* ---- Questions ---- */

/* A test of cells: whether a number with bytes in the memory `at` has a derivative. It concerns numbers of the kinds in
 * `parts` of which the memory contains only a part, and all numbers of the kinds in `wholes`. */
typedef struct question {
    extent at;
    unsigned parts, wholes;
    bool numbers; /* a guard (native/cells/odd.c) counts as zero */
} question;

static void build_question(cc_unit *unit, LLVMValueRef function, const void *context) {
    const question *of = context;
    gathered cells = {unit, of->numbers, NULL};
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        if (((of->parts | of->wholes) >> kind & 1) != 0)
            add_cells(&cells, LLVMGetParam(function, 0), of->at, (verso__native_kind)kind,
                      (of->wholes >> kind & 1) != 0);
    LLVMBuildRet(unit->builder, build_any(&cells));
}

static LLVMValueRef ask(cc_unit *unit, question of, LLVMValueRef address, bool apart) {
    const char *name = cc_print(unit, "verso.there.%llu.%u.%x.%x%s", (unsigned long long)of.at.size, of.at.alignment,
                                of.parts, of.wholes, of.numbers ? ".numbers" : "");
    LLVMTypeRef type = LLVMFunctionType(LLVMInt1TypeInContext(unit->context), &unit->pointer, 1, false);
    cc_make_small(unit, name, type, CC_SMALL_READS, build_question, &of);
    return cc_call_small(unit, name, apart, &address, 1);
}

LLVMValueRef cc_parts_around(cc_unit *unit, LLVMValueRef address, uint64_t size, verso__native_kind kind) {
    bool guards = kind == VERSO_NATIVE_DOUBLE && !unit->program->packs;
    return ask(unit, (question){.at = {size, 1}, .wholes = 1u << kind, .numbers = guards}, address, false);
}

/* ---- Stores of integers ---- */

static LLVMTypeRef type_stored(LLVMValueRef store) {
    return LLVMTypeOf(LLVMGetOperand(store, 0));
}

static extent extent_of(cc_unit *unit, LLVMValueRef store) {
    return (extent){LLVMStoreSizeOfType(unit->layout, type_stored(store)), LLVMGetAlignment(store)};
}

static bool writes_part(const cc_unit *unit, extent at, unsigned kind) {
    unsigned bytes = bytes_of_kind((verso__native_kind)kind);
    return uses(unit, kind) && (unit->program->packs || at.alignment % bytes != 0 || at.size % bytes != 0);
}

static unsigned parts_of(const cc_unit *unit, extent stored) {
    unsigned kinds = 0;
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        kinds |= (unsigned)writes_part(unit, stored, kind) << kind;
    return kinds;
}

bool cc_may_write_parts(cc_unit *unit, LLVMValueRef store) {
    if (cc_leaf_any_number(unit, type_stored(store)) || cc_class_of(unit, store) == CC_CLASS_NOTHING)
        return false;
    return parts_of(unit, extent_of(unit, store)) != 0;
}

LLVMValueRef cc_parts_have_derivative(cc_unit *unit, LLVMValueRef store, LLVMValueRef address) {
    extent at = extent_of(unit, store);
    return ask(unit, (question){.at = at, .parts = parts_of(unit, at)}, address, false);
}

/* A store, and the run time's function that is called before it. */
typedef struct beginning {
    LLVMValueRef store;
    const char *callee;
} beginning;

static void build_begin(cc_unit *unit, LLVMValueRef function, const void *context) {
    const beginning *of = context;
    LLVMValueRef address = LLVMGetParam(function, 0), there = cc_parts_have_derivative(unit, of->store, address);
    unsigned given = LLVMCountParams(function);
    LLVMValueRef arguments[] = {address, cc_i64(unit, (int64_t)extent_of(unit, of->store).size),
                                LLVMGetParam(function, given - 1)};
    cc_call_if(unit, there, of->callee, false, arguments, given + 1);
    LLVMBuildRet(unit->builder, there);
}

LLVMValueRef cc_parts_begin(cc_unit *unit, LLVMValueRef store, LLVMValueRef address, const char *callee,
                            LLVMValueRef doubt, bool apart) {
    extent at = extent_of(unit, store);
    LLVMTypeRef types[] = {unit->pointer, unit->f64};
    LLVMValueRef arguments[] = {address, doubt};
    unsigned count = doubt ? 2 : 1;
    const char *name =
        cc_print(unit, "verso.begin.%llu.%u%s", (unsigned long long)at.size, at.alignment, doubt ? ".doubt" : "");
    LLVMTypeRef type = LLVMFunctionType(LLVMInt1TypeInContext(unit->context), types, count, false);
    cc_make_small(unit, name, type, CC_SMALL_CHANGES, build_begin, &(beginning){store, callee});
    return cc_call_small(unit, name, apart, arguments, count);
}

LLVMValueRef cc_origin_has_derivative(cc_unit *unit, LLVMValueRef store, LLVMValueRef origin) {
    extent stored = extent_of(unit, store);
    return ask(unit, (question){.at = {stored.size, 1}, .parts = parts_of(unit, stored)}, origin, false);
}

/* ---- Stores of numbers ---- */

bool cc_may_overwrite_numbers(cc_unit *unit, LLVMValueRef store) {
    return (cc_kind_count(unit) > 1 || unit->program->packs) && cc_leaf_any_number(unit, type_stored(store)) &&
           cc_class_of(unit, store) != CC_CLASS_NUMBERS;
}

LLVMValueRef cc_overlap_has_derivative(cc_unit *unit, LLVMValueRef store, LLVMValueRef address, bool apart) {
    extent at = extent_of(unit, store);
    LLVMTypeRef type = type_stored(store);
    verso__native_kind own = cc_leaf_kind(unit, type, 0);
    if (at.size > 16 || at.alignment % 4 != 0 || cc_leaf_count(unit, type) > 1) {
        LLVMValueRef arguments[] = {address, cc_i64(unit, (int64_t)at.size), cc_i64(unit, own)};
        LLVMValueRef there = cc_call_runtime(unit, "verso__native_has_overlapped", unit->i64, arguments, 3);
        return LLVMBuildICmp(unit->builder, LLVMIntNE, there, cc_i64(unit, 0), "");
    }
    unsigned itself = 1u << own, others = (unsigned)unit->program->kinds & ~itself;
    return ask(unit, (question){at, unit->program->packs ? itself : 0, others, false}, address, apart);
}

/* ---- Where bits come from ---- */

LLVMValueRef cc_parts_loaded(cc_unit *unit, LLVMValueRef store, bool (*varied)(void *, LLVMValueRef), void *context) {
    cc_bits_origin origin;
    bool copied = cc_bits_copied(unit, LLVMGetOperand(store, 0), varied, context, &origin);
    return copied && origin.root && LLVMIsALoadInst(origin.root) ? LLVMGetOperand(origin.root, 0) : NULL;
}

/* Returns the position of an instruction in its function, from 1; -1 for other values. */
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
