/* Tables of effects. The run time reads pointers from the registers in which a call passes its arguments, and from the
 * stack (System V, x86-64): six registers for integers and pointers, eight for numbers and short vectors, and the
 * stack for the rest. Calls that pass anything else have no table. */
#include "cc/reverse/effects_table.h"

#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/plan/effects.h"
#include "native/state.h"

enum { GENERAL = 6, VECTORS = 8 };

/* Where the arguments of a call are. */
typedef struct placing {
    cc_unit *unit;
    unsigned general, vectors; /* registers that are taken */
    uint64_t stack;            /* bytes of the stack that are taken */
    LLVMValueRef *roots;
    size_t root_count, root_capacity;
    bool strange; /* an argument is passed in a way that is not known here */
} placing;

static LLVMValueRef struct_of(cc_unit *unit, LLVMValueRef *members, unsigned count) {
    return LLVMConstStructInContext(unit->context, members, count, false);
}

static uint64_t take_stack(placing *p, uint64_t size, uint64_t alignment) {
    uint64_t at = (p->stack + alignment - 1) / alignment * alignment;
    p->stack = at + size;
    return at;
}

static void add_root(placing *p, uint64_t where, const cc_reach *reach) {
    LLVMValueRef members[] = {cc_i64(p->unit, (int64_t)where), cc_i64(p->unit, (reach->how & CC_EFFECT_FOLLOWED) != 0),
                              cc_i64(p->unit, reach->whole), cc_i64(p->unit, reach->low), cc_i64(p->unit, reach->high)};
    cc_reserve(p->unit, &p->roots, &p->root_capacity, p->root_count + 1, sizeof *p->roots);
    p->roots[p->root_count++] = struct_of(p->unit, members, 5);
}

static void place_word(placing *p, bool pointer, const cc_reach *reach) {
    uint64_t where =
        p->general < GENERAL ? p->general++ : VERSO_NATIVE_ROOT_STACK + take_stack(p, sizeof(void *), sizeof(void *));
    if (pointer && reach->how != 0)
        add_root(p, where, reach);
}

static void place_number(placing *p, uint64_t size) {
    if (p->vectors < VECTORS)
        p->vectors++;
    else
        take_stack(p, size <= 8 ? 8 : 16, size <= 8 ? 8 : 16);
}

static void place(placing *p, LLVMTypeRef type, const cc_reach *reach) {
    uint64_t size = LLVMABISizeOfType(p->unit->layout, type);
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind: place_word(p, true, reach); return;
    case LLVMIntegerTypeKind:
        if (LLVMGetIntTypeWidth(type) > 64)
            p->strange = true;
        else
            place_word(p, false, reach);
        return;
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind: place_number(p, size); return;
    case LLVMX86_FP80TypeKind: take_stack(p, 16, 16); return;
    case LLVMVectorTypeKind:
        if (size != 16 && size != 8)
            p->strange = true;
        else if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
            p->strange = true;
        else
            place_number(p, size);
        return;
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
            place(p, LLVMStructGetTypeAtIndex(type, k), reach);
        return;
    default: p->strange = true; return;
    }
}

static bool is_plain(LLVMValueRef call, unsigned index) {
    static const char *const names[] = {"byval",     "inalloca",   "preallocated", "nest",
                                        "swiftself", "swifterror", "inreg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (LLVMGetCallSiteEnumAttribute(call, index + 1, cc_attribute(names[i])))
            return false;
    return cc_byval(call, index) == NULL;
}

static LLVMValueRef array_of(cc_unit *unit, LLVMValueRef *entries, size_t count, const char *name) {
    if (count == 0)
        return LLVMConstNull(unit->pointer);
    LLVMTypeRef type = LLVMTypeOf(entries[0]);
    LLVMValueRef array = LLVMAddGlobal(unit->module, LLVMArrayType2(type, count), name);
    LLVMSetInitializer(array, LLVMConstArray2(type, entries, count));
    LLVMSetGlobalConstant(array, true);
    LLVMSetLinkage(array, LLVMPrivateLinkage);
    LLVMSetAlignment(array, 8);
    return array;
}

/* Returns the address of a variable of the program in the current module. */
static LLVMValueRef address_of(cc_unit *unit, LLVMValueRef variable) {
    LLVMValueRef here = LLVMGetNamedGlobal(unit->module, LLVMGetValueName(variable));
    return here ? here : LLVMAddGlobal(unit->module, LLVMGlobalGetValueType(variable), LLVMGetValueName(variable));
}

static LLVMValueRef table_of_variables(cc_unit *unit, const cc_effects *effects) {
    LLVMValueRef *entries = cc_alloc(unit, effects->variable_count + 1, sizeof *entries);
    for (size_t i = 0; i < effects->variable_count; i++) {
        const cc_effect *effect = &effects->variables[i];
        uint64_t size = LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(effect->variable));
        LLVMValueRef members[] = {address_of(unit, effect->variable), cc_i64(unit, (int64_t)size),
                                  cc_i64(unit, (effect->how & CC_EFFECT_FOLLOWED) != 0)};
        entries[i] = struct_of(unit, members, 3);
    }
    return array_of(unit, entries, effects->variable_count, "verso.variables");
}

/* On x86-64, fastcc passes arguments as C does. */
static bool has_plain_convention(LLVMValueRef call) {
    unsigned convention = LLVMGetInstructionCallConv(call);
    return !LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)) &&
           (convention == LLVMCCallConv || convention == LLVMFastCallConv);
}

LLVMValueRef cc_effects_table(cc_unit *unit, LLVMValueRef call) {
    const cc_effects *effects = cc_effects_of_call(unit, call);
    placing p = {.unit = unit, .strange = !has_plain_convention(call)};
    for (unsigned k = 0; !effects->unknown && k < LLVMGetNumArgOperands(call) && !p.strange; k++) {
        p.strange = !is_plain(call, k);
        place(&p, LLVMTypeOf(LLVMGetOperand(call, k)), &effects->parameters[k]);
    }
    if (effects->unknown || p.strange)
        return LLVMConstNull(unit->pointer);
    LLVMValueRef members[] = {cc_i64(unit, (int64_t)p.stack), cc_i64(unit, (int64_t)p.root_count),
                              cc_i64(unit, (int64_t)effects->variable_count),
                              array_of(unit, p.roots, p.root_count, "verso.roots"), table_of_variables(unit, effects)};
    LLVMValueRef table = struct_of(unit, members, 5);
    return array_of(unit, &table, 1, "verso.effects");
}
