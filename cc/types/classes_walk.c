/* Walks over the base copy to find what its pointers point to and how its integers flow. Nothing depends on the order
 * of instructions.
 *
 * A function is analysed once for each call, with places of its own, so that a helper that allocates or copies does not
 * mix the memory of its callers. If that becomes too much, or the calls are recursive, callers share one analysis. */
#include "cc/types/classes_inside.h"
#include "cc/types/outside.h"

#include "cc/front/known.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/types/multiples.h"

#include <limits.h>
#include <string.h>

enum { MOST_DEPTH = 6, WORK_FACTOR = 4, WORK_LEAST = 50000, POINTER_BITS = 64 };

/* One analysis of a function. */
typedef struct analysis {
    LLVMValueRef function;
    struct analysis *caller; /* NULL: shared */
    unsigned depth;
    cc_map nodes, integers; /* value -> node, index in accesses->values */
} analysis;

typedef struct walk {
    cc_unit *unit;
    cc_accesses *to;
    cc_places *places;
    cc_map shared;  /* function -> index in `queue` */
    cc_map globals; /* global of the program's module -> node */
    analysis **queue;
    size_t queue_count, queue_capacity;
    size_t work_left; /* instructions that may still be analysed for single calls */
    size_t *mixed;    /* nodes of integers that are operands of arithmetic */
    size_t mixed_count, mixed_capacity;
    const char **names; /* of tags */
    size_t name_count, name_capacity;
    size_t pointer_tag; /* the tag of pointers; 0: none */
} walk;

static void analyse(walk *walk, analysis *now);

/* ---- Values ---- */

static LLVMTypeRef element_of(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind || LLVMGetTypeKind(type) == LLVMArrayTypeKind
               ? LLVMGetElementType(type)
               : type;
}

/* Returns whether the type is, or contains, a pointer or an integer of at least `bits` bits. */
static bool has_integers_of(LLVMTypeRef type, unsigned bits) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind: return true;
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) >= bits;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind: return has_integers_of(element_of(type), bits);
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (has_integers_of(LLVMStructGetTypeAtIndex(type, i), bits))
                return true;
        return false;
    default: return false;
    }
}

/* Returns whether a value of this type may contain a pointer. */
static bool has_pointers(LLVMTypeRef type) {
    return has_integers_of(type, POINTER_BITS);
}

/* Returns whether it may contain bits of a number; a truth value does not. */
static bool has_integers(LLVMTypeRef type) {
    return has_integers_of(type, 2);
}

static int kind_of(LLVMTypeRef scalar) {
    switch (LLVMGetTypeKind(scalar)) {
    case LLVMDoubleTypeKind: return VERSO_NATIVE_DOUBLE;
    case LLVMFloatTypeKind: return VERSO_NATIVE_FLOAT;
    case LLVMX86_FP80TypeKind: return VERSO_NATIVE_LONG;
    case LLVMIntegerTypeKind:
    case LLVMPointerTypeKind: return CC_INTEGER;
    default: return CC_OTHER_NUMBER;
    }
}

static bool is_variable(LLVMValueRef value) {
    return LLVMIsAInstruction(value) || LLVMIsAArgument(value);
}

/* Returns the index of an integer in accesses->values; 0 for a constant, and for what is no integer. */
static size_t integer_of(walk *walk, analysis *now, LLVMValueRef value) {
    cc_accesses *to = walk->to;
    if (!is_variable(value) || !has_integers(LLVMTypeOf(value)))
        return 0;
    ptrdiff_t found = cc_map_get(&now->integers, value);
    if (found != CC_NOT_FOUND)
        return (size_t)found;
    cc_reserve(walk->unit, &to->values, &to->value_capacity, to->value_count + 1, sizeof *to->values);
    to->values[to->value_count] = (cc_integer){false, 0};
    cc_map_put(walk->unit, &now->integers, value, to->value_count);
    return to->value_count++;
}

static void add_edge(walk *walk, size_t from, size_t to) {
    cc_accesses *all = walk->to;
    if (from == 0 || to == 0)
        return;
    cc_reserve(walk->unit, &all->edges, &all->edge_capacity, all->edge_count + 1, sizeof *all->edges);
    all->edges[all->edge_count++] = (cc_edge){from, to};
}

/* ---- Globals ---- */

static size_t node_of_global(walk *walk, LLVMValueRef global);

static void link_initialiser(walk *walk, size_t node, LLVMValueRef content, uint64_t offset) {
    LLVMTypeRef type = LLVMTypeOf(content);
    LLVMTargetDataRef layout = walk->unit->layout;
    if (LLVMIsAGlobalVariable(content)) {
        cc_places_unite(walk->places, cc_places_follow(walk->places, (cc_place){node, (int64_t)offset}),
                        (cc_place){node_of_global(walk, content), 0});
        return;
    }
    if (!LLVMIsAConstantExpr(content) && !LLVMIsAConstantStruct(content) && !LLVMIsAConstantArray(content) &&
        !LLVMIsAConstantVector(content))
        return;
    bool expression = LLVMIsAConstantExpr(content);
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(content); i++) {
        uint64_t at = expression                                    ? 0
                      : LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMOffsetOfElement(layout, type, i)
                                                                    : i * LLVMABISizeOfType(layout, element_of(type));
        LLVMValueRef operand = LLVMGetOperand(content, i);
        link_initialiser(walk, node, operand, offset + at);
        if (expression && LLVMIsAGlobalVariable(operand)) /* an address inside it, at whatever offset */
            cc_places_fold(walk->places, node_of_global(walk, operand), 1);
    }
}

static size_t node_of_global(walk *walk, LLVMValueRef global) {
    LLVMValueRef home = LLVMGetNamedGlobal(walk->unit->program->module, LLVMGetValueName(global));
    home = home ? home : global;
    ptrdiff_t found = cc_map_get(&walk->globals, home);
    if (found != CC_NOT_FOUND)
        return (size_t)found;
    size_t node = cc_places_add(walk->places);
    cc_map_put(walk->unit, &walk->globals, home, node);
    if (LLVMIsDeclaration(home) || !cc_only_analysed(walk->unit, home))
        cc_places_mark(walk->places, node, CC_PLACE_OUTSIDE);
    if (LLVMIsDeclaration(home) || cc_is_shared(walk->unit, home))
        cc_places_mark(walk->places, node, CC_PLACE_SHARED);
    LLVMValueRef content = LLVMGetInitializer(home);
    if (content)
        link_initialiser(walk, node, content, 0);
    return node;
}

/* ---- Places ---- */

static cc_place place_of(walk *walk, analysis *now, LLVMValueRef value);

/* Returns the place of a getelementptr, an instruction or a constant. */
static cc_place place_of_element(walk *walk, analysis *now, LLVMValueRef element) {
    LLVMTargetDataRef layout = walk->unit->layout;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(element);
    cc_place place = place_of(walk, now, LLVMGetOperand(element, 0));
    if (place.node == CC_PLACE_NONE)
        return place;
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(element); k++) {
        LLVMValueRef index = LLVMGetOperand(element, k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            place.offset += (int64_t)LLVMOffsetOfElement(layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        type = k > 1 ? LLVMGetElementType(type) : type;
        uint64_t size = LLVMABISizeOfType(layout, type);
        if (LLVMIsAConstantInt(index))
            place.offset += LLVMConstIntGetSExtValue(index) * (int64_t)size;
        else if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind) /* a vector of indices */
            cc_places_fold(walk->places, place.node, size);
        else
            cc_places_fold(walk->places, place.node, size * cc_multiple_of(index));
    }
    return place;
}

static cc_place place_of_constant(walk *walk, analysis *now, LLVMValueRef value) {
    if (LLVMIsAGlobalVariable(value))
        return (cc_place){node_of_global(walk, value), 0};
    if (!LLVMIsAConstantExpr(value))
        return (cc_place){CC_PLACE_NONE, 0};
    if (LLVMGetConstOpcode(value) == LLVMGetElementPtr)
        return place_of_element(walk, now, value);
    cc_place place = place_of(walk, now, LLVMGetOperand(value, 0));
    LLVMOpcode opcode = LLVMGetConstOpcode(value);
    if (opcode != LLVMPtrToInt && opcode != LLVMIntToPtr && opcode != LLVMBitCast && place.node != CC_PLACE_NONE)
        cc_places_mark(walk->places, place.node, CC_PLACE_UNKNOWN);
    return place;
}

static cc_place place_of(walk *walk, analysis *now, LLVMValueRef value) {
    if (LLVMIsAConstant(value))
        return place_of_constant(walk, now, value);
    if (!is_variable(value) || !has_pointers(LLVMTypeOf(value)))
        return (cc_place){CC_PLACE_NONE, 0};
    ptrdiff_t found = cc_map_get(&now->nodes, value);
    if (found == CC_NOT_FOUND) {
        found = (ptrdiff_t)cc_places_add(walk->places);
        cc_map_put(walk->unit, &now->nodes, value, (size_t)found);
    }
    return (cc_place){(size_t)found, 0};
}

static void unite(walk *walk, analysis *now, LLVMValueRef value, LLVMValueRef with) {
    cc_places_unite(walk->places, place_of(walk, now, value), place_of(walk, now, with));
}

/* ---- Loads and stores ---- */

static size_t tag_of(walk *walk, LLVMValueRef at) {
    const char *name = cc_tag_name(walk->unit, at);
    for (size_t i = 0; name && i < walk->name_count; i++)
        if (strcmp(walk->names[i], name) == 0)
            return i + 1;
    if (!name)
        return 0;
    cc_reserve(walk->unit, &walk->names, &walk->name_capacity, walk->name_count + 1, sizeof *walk->names);
    walk->names[walk->name_count++] = name;
    if (strcmp(name, "any pointer") == 0)
        walk->pointer_tag = walk->name_count;
    return walk->name_count;
}

/* A load or store, and the value that is loaded or stored. */
typedef struct moving {
    LLVMValueRef at, value;
    cc_place address, pointed; /* of the value; CC_PLACE_NONE: it has no pointers */
    size_t tag, integer;
    unsigned alignment;
} moving;

static void add_access(walk *walk, const moving *of, LLVMTypeRef scalar, uint64_t offset) {
    cc_accesses *to = walk->to;
    cc_place place = {of->address.node, of->address.offset + (int64_t)offset};
    int kind = kind_of(scalar);
    unsigned alignment = offset == 0 ? of->alignment : (unsigned)cc_common_divisor(of->alignment, offset);
    cc_reserve(walk->unit, &to->all, &to->capacity, to->count + 1, sizeof *to->all);
    to->all[to->count++] = (cc_access){.at = of->at,
                                       .place = place,
                                       .size = LLVMStoreSizeOfType(walk->unit->layout, scalar),
                                       .alignment = alignment,
                                       .kind = kind,
                                       .tag = of->tag,
                                       .value = kind == CC_INTEGER ? of->integer : 0};
    if (kind == CC_INTEGER && has_pointers(scalar) && of->pointed.node != CC_PLACE_NONE)
        cc_places_unite(walk->places, cc_places_follow(walk->places, place), of->pointed);
}

static void add_accesses(walk *walk, const moving *of, LLVMTypeRef type, uint64_t offset) {
    LLVMTargetDataRef layout = walk->unit->layout;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            add_accesses(walk, of, LLVMStructGetTypeAtIndex(type, i), offset + LLVMOffsetOfElement(layout, type, i));
        break;
    case LLVMArrayTypeKind:
        for (uint64_t i = 0; i < LLVMGetArrayLength2(type); i++)
            add_accesses(walk, of, LLVMGetElementType(type),
                         offset + i * LLVMABISizeOfType(layout, LLVMGetElementType(type)));
        break;
    case LLVMVectorTypeKind:
        for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
            add_accesses(walk, of, LLVMGetElementType(type),
                         offset + i * LLVMSizeOfTypeInBits(layout, LLVMGetElementType(type)) / 8);
        break;
    default: add_access(walk, of, type, offset);
    }
}

static void move_value(walk *walk, analysis *now, LLVMValueRef at, LLVMValueRef value, LLVMValueRef address) {
    moving of = {.at = at,
                 .value = value,
                 .address = place_of(walk, now, address),
                 .pointed = place_of(walk, now, value),
                 .tag = tag_of(walk, at),
                 .integer = integer_of(walk, now, value),
                 .alignment = LLVMGetAlignment(at)};
    if (of.address.node == CC_PLACE_NONE) { /* a constant address */
        of.address.node = cc_places_add(walk->places);
        cc_places_mark(walk->places, of.address.node, CC_PLACE_UNKNOWN);
    }
    add_accesses(walk, &of, LLVMTypeOf(value), 0);
}

/* ---- Calls ---- */

static analysis *shared_analysis(walk *walk, LLVMValueRef function) {
    ptrdiff_t found = cc_map_get(&walk->shared, function);
    if (found != CC_NOT_FOUND)
        return walk->queue[found];
    analysis *made = cc_alloc(walk->unit, 1, sizeof *made);
    made->function = function;
    cc_reserve(walk->unit, &walk->queue, &walk->queue_capacity, walk->queue_count + 1, sizeof(analysis *));
    cc_map_put(walk->unit, &walk->shared, function, walk->queue_count);
    walk->queue[walk->queue_count++] = made;
    return made;
}

/* The value that stands for a function's result in its analyses. */
static LLVMValueRef result_of(LLVMValueRef function) {
    LLVMValueRef found = NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !found; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (LLVMIsAReturnInst(end) && LLVMGetNumOperands(end) == 1)
            found = LLVMGetOperand(end, 0);
    }
    return found;
}

static void pass(walk *walk, analysis *now, LLVMValueRef call, analysis *callee) {
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned k = 0; k < count && k < LLVMCountParams(callee->function); k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k), parameter = LLVMGetParam(callee->function, k);
        cc_places_unite(walk->places, place_of(walk, now, argument), place_of(walk, callee, parameter));
        add_edge(walk, integer_of(walk, now, argument), integer_of(walk, callee, parameter));
    }
    LLVMValueRef result = result_of(callee->function);
    if (!result)
        return;
    cc_places_unite(walk->places, place_of(walk, now, call), place_of(walk, callee, result));
    add_edge(walk, integer_of(walk, callee, result), integer_of(walk, now, call));
}

static size_t size_of(LLVMValueRef function) {
    size_t count = 0;
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at))
        count++;
    return count;
}

static bool is_running(const analysis *now, LLVMValueRef function) {
    while (now && now->function != function)
        now = now->caller;
    return now != NULL;
}

static void follow(walk *walk, analysis *now, LLVMValueRef call, LLVMValueRef callee) {
    size_t size = size_of(callee);
    if (now->depth >= MOST_DEPTH || walk->work_left < size || is_running(now, callee)) {
        pass(walk, now, call, shared_analysis(walk, callee));
        return;
    }
    walk->work_left -= size;
    analysis *own = cc_alloc(walk->unit, 1, sizeof *own);
    *own = (analysis){.function = callee, .caller = now, .depth = now->depth + 1};
    pass(walk, now, call, own);
    analyse(walk, own);
}

static void follow_pointer(walk *walk, analysis *now, LLVMValueRef call) {
    const cc_program *program = walk->unit->program;
    for (size_t i = 0; i < program->member_count; i++) {
        const cc_member *member = program->members[i];
        LLVMValueRef base =
            member->pointed ? LLVMGetNamedFunction(walk->unit->module, cc_print(walk->unit, "%s.base", member->name))
                            : NULL;
        if (base && !LLVMIsDeclaration(base) && LLVMCountParams(base) == LLVMGetNumArgOperands(call))
            pass(walk, now, call, shared_analysis(walk, base));
    }
}

/* Code that is not analysed gets the pointers among the arguments, and may return one of them. */
static void leave(walk *walk, analysis *now, LLVMValueRef call) {
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        cc_place place = place_of(walk, now, LLVMGetOperand(call, k));
        cc_places_mark(walk->places, place.node, CC_PLACE_OUTSIDE);
        cc_place result = place_of(walk, now, call);
        if (place.node == CC_PLACE_NONE || result.node == CC_PLACE_NONE)
            continue;
        cc_places_unite(walk->places, place, result);
        cc_places_fold(walk->places, result.node, 1);
    }
    cc_places_mark(walk->places, place_of(walk, now, call).node, CC_PLACE_OUTSIDE);
}

static void flow_through(walk *walk, analysis *now, LLVMValueRef at) {
    size_t to = integer_of(walk, now, at);
    for (unsigned k = 0; to != 0 && k < cc_operand_count(at); k++)
        add_edge(walk, integer_of(walk, now, LLVMGetOperand(at, k)), to);
}

/* Returns whether an intrinsic certainly writes nothing where its arguments point to. */
static bool writes_nothing(const char *name) {
    static const char *const names[] = {
        "llvm.lifetime", "llvm.invariant", "llvm.assume",     "llvm.prefetch",
        "llvm.dbg",      "llvm.expect",    "llvm.objectsize", "llvm.is.constant",
        "llvm.launder",  "llvm.strip",     "llvm.ptrmask",    "llvm.experimental.noalias",
        "llvm.umin",     "llvm.umax",      "llvm.smin",       "llvm.smax"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void call_intrinsic(walk *walk, analysis *now, LLVMValueRef call, const char *name) {
    if (strncmp(name, "llvm.va_", 8) == 0) {
        cc_places_mark(walk->places, place_of(walk, now, LLVMGetOperand(call, 0)).node, CC_PLACE_UNKNOWN);
        return;
    }
    flow_through(walk, now, call);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call) && !writes_nothing(name); k++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, k))) == LLVMPointerTypeKind)
            cc_places_mark(walk->places, place_of(walk, now, LLVMGetOperand(call, k)).node, CC_PLACE_OUTSIDE);
    for (unsigned k = 0; place_of(walk, now, call).node != CC_PLACE_NONE && k < LLVMGetNumArgOperands(call); k++)
        unite(walk, now, call, LLVMGetOperand(call, k));
}

static void call_memory(walk *walk, analysis *now, LLVMValueRef call, char how) {
    if (how == 'c')
        unite(walk, now, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1));
    if (how == 'c' || how == 's')
        unite(walk, now, call, LLVMGetOperand(call, 0));
}

static void walk_call(walk *walk, analysis *now, LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    if (!callee && !LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
        follow_pointer(walk, now, call);
        leave(walk, now, call);
        return;
    }
    if (callee && !LLVMIsDeclaration(callee)) {
        follow(walk, now, call, callee);
        return;
    }
    const char *name = callee ? LLVMGetValueName(callee) : "";
    cc_known known = cc_known_find(name);
    if (known.class == CC_KNOWN_MEMORY)
        call_memory(walk, now, call, known.writes[0]);
    else if (strncmp(name, "llvm.", 5) == 0)
        call_intrinsic(walk, now, call, name);
    else if (strcmp(name, "verso.written") != 0 && strcmp(name, "verso.changed") != 0)
        leave(walk, now, call);
}

/* ---- Instructions ---- */

/* Notes the addresses among the operands of integer arithmetic. Its result counts as a pointer only if it is used as
 * one later: see end_mixing. */
static void mix(walk *walk, analysis *now, LLVMValueRef at) {
    for (unsigned k = 0; k < cc_operand_count(at); k++) {
        size_t node = place_of(walk, now, LLVMGetOperand(at, k)).node;
        if (node == CC_PLACE_NONE)
            continue;
        cc_reserve(walk->unit, &walk->mixed, &walk->mixed_capacity, walk->mixed_count + 1, sizeof *walk->mixed);
        walk->mixed[walk->mixed_count++] = node;
    }
    cc_places_mark(walk->places, place_of(walk, now, at).node, CC_PLACE_MADE);
}

/* Pointers that are copied in parts, or as numbers, are not followed. */
static void disturb_pointers(walk *walk) {
    for (size_t i = 0; i < walk->to->count; i++) {
        const cc_access *access = &walk->to->all[i];
        bool whole = access->kind == CC_INTEGER && access->size == POINTER_BITS / CHAR_BIT;
        if (access->tag == 0 || access->tag == walk->pointer_tag)
            cc_places_disturb(walk->places, access->place, access->size, whole);
    }
}

static void walk_sum(walk *walk, analysis *now, LLVMValueRef at) {
    LLVMValueRef constant = LLVMGetOperand(at, 1);
    cc_place place = place_of(walk, now, LLVMGetOperand(at, 0));
    if (!LLVMIsAConstantInt(constant) || LLVMGetIntTypeWidth(LLVMTypeOf(at)) != POINTER_BITS ||
        place.node == CC_PLACE_NONE) {
        mix(walk, now, at);
        return;
    }
    int64_t distance = LLVMConstIntGetSExtValue(constant);
    place.offset += LLVMGetInstructionOpcode(at) == LLVMAdd ? distance : -distance;
    cc_places_unite(walk->places, place_of(walk, now, at), place);
}

static void use_kind(walk *walk, analysis *now, LLVMValueRef integer, LLVMTypeRef number, bool carries) {
    size_t value = integer_of(walk, now, integer);
    if (value == 0)
        return;
    walk->to->values[value].kinds |= 1u << kind_of(element_of(number));
    walk->to->values[value].carries = walk->to->values[value].carries || carries;
}

static void walk_cast(walk *walk, analysis *now, LLVMValueRef at) {
    LLVMValueRef from = LLVMGetOperand(at, 0);
    bool to_integer = has_integers(LLVMTypeOf(at)), from_integer = has_integers(LLVMTypeOf(from));
    if (to_integer && !from_integer)
        use_kind(walk, now, at, LLVMTypeOf(from), true);
    else if (!to_integer && from_integer)
        use_kind(walk, now, from, LLVMTypeOf(at), false);
    else
        unite(walk, now, at, from);
}

static void walk_instruction(walk *walk, analysis *now, LLVMValueRef at) {
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad: move_value(walk, now, at, at, LLVMGetOperand(at, 0)); return;
    case LLVMStore: move_value(walk, now, at, LLVMGetOperand(at, 0), LLVMGetOperand(at, 1)); return;
    case LLVMCall: walk_call(walk, now, at); return;
    case LLVMGetElementPtr:
        cc_places_unite(walk->places, place_of(walk, now, at), place_of_element(walk, now, at));
        break;
    case LLVMBitCast: walk_cast(walk, now, at); break;
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMInsertValue:
    case LLVMExtractValue:
    case LLVMInsertElement:
    case LLVMExtractElement:
    case LLVMShuffleVector:
        for (unsigned k = 0; k < cc_operand_count(at); k++)
            unite(walk, now, at, LLVMGetOperand(at, k));
        break;
    case LLVMAdd:
    case LLVMSub: walk_sum(walk, now, at); break;
    case LLVMAlloca:
    case LLVMICmp: return;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        cc_places_mark(walk->places, place_of(walk, now, LLVMGetOperand(at, 0)).node, CC_PLACE_UNKNOWN);
        break;
    default: mix(walk, now, at); break;
    }
    flow_through(walk, now, at);
}

static void analyse(walk *walk, analysis *now) {
    for (LLVMValueRef at = cc_first(now->function); at != NULL; at = cc_next(at))
        walk_instruction(walk, now, at);
}

/* ---- All functions ---- */

static void begin_member(walk *walk, const cc_member *member, size_t *size) {
    LLVMValueRef base = LLVMGetNamedFunction(walk->unit->module, cc_print(walk->unit, "%s.base", member->name));
    if (!base || LLVMIsDeclaration(base))
        return;
    *size += size_of(base);
    if (!member->pointed && !(member->program && cc_is_called_outside(walk->unit, member->program)))
        return;
    analysis *shared = shared_analysis(walk, base);
    cc_place_flag flag = member->pointed ? CC_PLACE_OUTSIDE : CC_PLACE_SHARED;
    for (unsigned k = 0; k < LLVMCountParams(base); k++)
        cc_places_mark(walk->places, place_of(walk, shared, LLVMGetParam(base, k)).node, flag);
    if (result_of(base))
        cc_places_mark(walk->places, place_of(walk, shared, result_of(base)).node, CC_PLACE_SHARED);
}

/* If the program uses a pointer that was made by integer arithmetic, that pointer may point to all memory whose
 * addresses were operands of such arithmetic. */
static void end_mixing(walk *walk) {
    bool used = false;
    for (size_t i = 0; i < walk->to->count && !used; i++)
        used = (cc_places_flags(walk->places, walk->to->all[i].place.node) & CC_PLACE_MADE) != 0;
    for (size_t i = 0; used && i < walk->mixed_count; i++)
        cc_places_mark(walk->places, walk->mixed[i], CC_PLACE_UNKNOWN);
    for (size_t i = 0; used && i < walk->to->count; i++)
        if ((cc_places_flags(walk->places, walk->to->all[i].place.node) & CC_PLACE_MADE) != 0)
            cc_places_mark(walk->places, walk->to->all[i].place.node, CC_PLACE_UNKNOWN);
}

void cc_collect_accesses(cc_accesses *accesses) {
    cc_unit *unit = accesses->unit;
    const cc_program *program = unit->program;
    walk all = {.unit = unit, .to = accesses, .places = accesses->places};
    size_t size = 0;
    cc_reserve(unit, &accesses->values, &accesses->value_capacity, 1, sizeof *accesses->values);
    accesses->values[0] = (cc_integer){false, 0};
    accesses->value_count = 1;
    for (size_t i = 0; i < program->member_count; i++)
        begin_member(&all, program->members[i], &size);
    all.work_left = WORK_FACTOR * size + WORK_LEAST;
    for (size_t i = 0; i < all.queue_count; i++)
        analyse(&all, all.queue[i]);
    end_mixing(&all);
    disturb_pointers(&all);
    cc_places_spread(accesses->places);
}
