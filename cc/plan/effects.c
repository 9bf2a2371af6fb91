/* Finds what calls may access: see effects.h.
 *
 * Each address is traced back, within its function, to where the pointer came from: a variable of the frame, a global,
 * a parameter, or a pointer that was loaded. Parameters are replaced by what callers pass, until nothing changes.
 * Which object a pointer leads to is found by the run time, at the call. An object counts as a whole.
 *
 * A pointer that was loaded leads to an object that can be reached from the object it was loaded from: that object is
 * followed, and at the call, the run time scans it for addresses. This is right if the pointer was in that object
 * before the call. If the function also stores pointers, or copies bytes that may be pointers, or loads one from its
 * own frame, it is `wild`: then everything that it was passed or mentions is followed. Variables of a frame are never
 * scanned, since they are not initialised: a function that hands one to a function that follows it, or hides its
 * address, is unknown. So is whatever hides pointers from a scan: integers that become pointers, and pointers that are
 * not at multiples of 8.
 *
 * A function is unknown if a function that it calls is. So if a call has a small snapshot, all calls within it have. */
#include "cc/plan/effects.h"

#include "cc/front/known.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

enum { BOTH = CC_EFFECT_USED | CC_EFFECT_FOLLOWED, PART_MOST = 256 };

typedef struct finder {
    cc_unit *unit;
    cc_effects *effects; /* of the function at hand */
    cc_map seen;         /* value -> how it was traced so far, in the current search */
    bool changed;
} finder;

/* ---- Adding ---- */

static void set(finder *f, bool *flag) {
    f->changed |= !*flag;
    *flag = true;
}

static void give_up(finder *f) {
    set(f, &f->effects->unknown);
}

/* Returns the program's own definition of a variable; NULL if the run time does not know it. */
static LLVMValueRef definition_of(cc_unit *unit, LLVMValueRef global) {
    LLVMValueRef own = LLVMGetNamedGlobal(unit->program->module, LLVMGetValueName(global));
    bool known = own && !LLVMIsDeclaration(own) && !LLVMIsThreadLocal(own) &&
                 LLVMGetLinkage(own) != LLVMAvailableExternallyLinkage;
    return known ? own : NULL;
}

static void mention(finder *f, LLVMValueRef constant);

static void add_variable(finder *f, LLVMValueRef variable, unsigned how) {
    cc_effects *effects = f->effects;
    ptrdiff_t at = cc_map_get(&effects->variable_of, variable);
    if (at == CC_NOT_FOUND) {
        at = (ptrdiff_t)effects->variable_count;
        cc_map_put(f->unit, &effects->variable_of, variable, (size_t)at);
        cc_reserve(f->unit, &effects->variables, &effects->variable_capacity, effects->variable_count + 1,
                   sizeof *effects->variables);
        effects->variables[effects->variable_count++] = (cc_effect){variable, 0};
    }
    f->changed |= (effects->variables[at].how & how) != how;
    effects->variables[at].how |= how;
}

static void add_mention(finder *f, LLVMValueRef variable) {
    cc_effects *effects = f->effects;
    if (cc_map_get(&effects->mentioned, variable) != CC_NOT_FOUND)
        return;
    cc_map_put(f->unit, &effects->mentioned, variable, 1);
    cc_reserve(f->unit, &effects->mentions, &effects->mention_capacity, effects->mention_count + 1,
               sizeof *effects->mentions);
    effects->mentions[effects->mention_count++] = variable;
    f->changed = true;
}

/* Mentions a variable, and, of a constant, all variables whose addresses it contains. */
static void mention_global(finder *f, LLVMValueRef global) {
    LLVMValueRef own = definition_of(f->unit, global);
    bool again = cc_map_get(&f->effects->mentioned, own ? own : global) != CC_NOT_FOUND;
    add_mention(f, own ? own : global);
    if (!again && own && LLVMIsGlobalConstant(own))
        mention(f, LLVMGetInitializer(own));
}

static void mention(finder *f, LLVMValueRef constant) {
    if (LLVMIsAGlobalVariable(constant))
        mention_global(f, constant);
    else if (LLVMIsAConstantExpr(constant) || LLVMIsAConstantStruct(constant) || LLVMIsAConstantArray(constant) ||
             LLVMIsAConstantVector(constant))
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(constant); k++)
            mention(f, LLVMGetOperand(constant, k));
}

/* ---- Where pointers come from ---- */

static void trace(finder *f, LLVMValueRef value, unsigned how);

/* A constant that is followed leads to the variables whose addresses it contains. */
static void trace_initializer(finder *f, LLVMValueRef constant) {
    if (LLVMIsAGlobalVariable(constant))
        trace(f, constant, BOTH);
    else if (!LLVMIsAFunction(constant))
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(constant); k++)
            trace_initializer(f, LLVMGetOperand(constant, k));
}

static void trace_global(finder *f, LLVMValueRef global, unsigned how) {
    LLVMValueRef own = definition_of(f->unit, global);
    if (!own)
        give_up(f);
    else if (!LLVMIsGlobalConstant(own))
        add_variable(f, own, how);
    else if ((how & CC_EFFECT_FOLLOWED) != 0)
        trace_initializer(f, LLVMGetInitializer(own));
}

static cc_reach *reach_of(finder *f, LLVMValueRef parameter) {
    LLVMValueRef function = LLVMGetParamParent(parameter);
    unsigned k = 0;
    while (LLVMGetParam(function, k) != parameter)
        k++;
    return &f->effects->parameters[k];
}

static void trace_parameter(finder *f, LLVMValueRef parameter, unsigned how) {
    cc_reach *reach = reach_of(f, parameter);
    f->changed |= (reach->how & how) != how || !reach->whole;
    reach->how |= how;
    reach->whole = true;
}

/* Adds bytes that are accessed at a constant distance from the parameter. */
static void add_part(finder *f, LLVMValueRef parameter, int64_t low, int64_t high) {
    cc_reach *reach = reach_of(f, parameter), wider = *reach;
    if (reach->whole)
        return;
    wider.low = reach->how == 0 || low < reach->low ? low : reach->low;
    wider.high = reach->how == 0 || high > reach->high ? high : reach->high;
    wider.how |= CC_EFFECT_USED;
    wider.whole = wider.high - wider.low > PART_MOST;
    f->changed |= wider.how != reach->how || wider.low != reach->low || wider.high != reach->high || wider.whole;
    *reach = wider;
}

/* A scan finds only addresses at multiples of 8. */
static void trace_load(finder *f, LLVMValueRef load) {
    if (LLVMGetAlignment(load) % 8 != 0)
        give_up(f);
    set(f, &f->effects->follows);
    trace(f, LLVMGetOperand(load, 0), BOTH);
}

static bool is_same_pointer(LLVMValueRef call) {
    static const char *const names[] = {"llvm.ptrmask.", "llvm.launder.invariant.group.", "llvm.strip.invariant.group.",
                                        "llvm.ptr.annotation."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(cc_callee_name(call), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void trace_instruction(finder *f, LLVMValueRef value, unsigned how) {
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAlloca:
        if ((how & CC_EFFECT_FOLLOWED) != 0)
            set(f, &f->effects->wild);
        return;
    case LLVMLoad: trace_load(f, value); return;
    case LLVMPHI:
        for (unsigned k = 0; k < LLVMCountIncoming(value); k++)
            trace(f, LLVMGetIncomingValue(value, k), how);
        return;
    case LLVMSelect:
        trace(f, LLVMGetOperand(value, 1), how);
        trace(f, LLVMGetOperand(value, 2), how);
        return;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
    case LLVMExtractValue:
    case LLVMExtractElement: trace(f, LLVMGetOperand(value, 0), how); return;
    case LLVMInsertValue:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        trace(f, LLVMGetOperand(value, 0), how);
        trace(f, LLVMGetOperand(value, 1), how);
        return;
    case LLVMCall:
        if (is_same_pointer(value))
            trace(f, LLVMGetOperand(value, 0), how);
        else
            set(f, &f->effects->wild);
        return;
    default: give_up(f); return;
    }
}

/* Traces a pointer to an object that is accessed. */
static void trace(finder *f, LLVMValueRef value, unsigned how) {
    ptrdiff_t before = cc_map_get(&f->seen, value);
    if (f->effects->unknown || (before != CC_NOT_FOUND && ((unsigned)before & how) == how))
        return;
    cc_map_put(f->unit, &f->seen, value, how | (before != CC_NOT_FOUND ? (unsigned)before : 0));
    if (LLVMIsAArgument(value))
        trace_parameter(f, value, how);
    else if (LLVMIsAGlobalVariable(value))
        trace_global(f, value, how);
    else if (LLVMIsAInstruction(value))
        trace_instruction(f, value, how);
    else if (LLVMIsNull(value) || LLVMIsUndef(value) || LLVMIsAFunction(value))
        return;
    else if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) != LLVMIntToPtr)
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
            trace(f, LLVMGetOperand(value, k), how);
    else if (!LLVMIsAConstantInt(value)) /* an index */
        give_up(f);
}

/* Returns whether all indices of a getelementptr are constant; adds its offset to *offset. */
static bool is_constant_offset(cc_unit *unit, LLVMValueRef address, int64_t *offset) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    for (int k = 1; k < LLVMGetNumOperands(address); k++) {
        LLVMValueRef index = LLVMGetOperand(address, (unsigned)k);
        if (!LLVMIsAConstantInt(index))
            return false;
        int64_t value = LLVMConstIntGetSExtValue(index);
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (k > 1 && kind == LLVMStructTypeKind) {
            *offset += (int64_t)LLVMOffsetOfElement(unit->layout, type, (unsigned)value);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)value);
            continue;
        }
        if (k > 1 && kind != LLVMArrayTypeKind)
            return false;
        type = k > 1 ? LLVMGetElementType(type) : type;
        *offset += value * (int64_t)LLVMABISizeOfType(unit->layout, type);
    }
    return true;
}

/* Traces a pointer of whose object the bytes from `low` to `high` are accessed, counted from the pointer. */
static void trace_part(finder *f, LLVMValueRef value, int64_t low, int64_t high) {
    LLVMValueRef at = value;
    int64_t offset = 0;
    while (LLVMIsAGetElementPtrInst(at) && is_constant_offset(f->unit, at, &offset))
        at = LLVMGetOperand(at, 0);
    if (LLVMIsAArgument(at))
        add_part(f, at, low + offset, high + offset);
    else
        trace(f, at, CC_EFFECT_USED);
}

static void trace_access(finder *f, LLVMValueRef address, LLVMTypeRef type) {
    trace_part(f, address, 0, (int64_t)LLVMABISizeOfType(f->unit->layout, type));
}

/* Traces a pointer that a function reaches like this. */
static void trace_reach(finder *f, LLVMValueRef value, const cc_reach *reach) {
    if (reach->how == 0)
        return;
    if (reach->whole)
        trace(f, value, reach->how);
    else
        trace_part(f, value, reach->low, reach->high);
}

/* ---- Calls ---- */

static bool holds_pointer(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind: return true;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind: return holds_pointer(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
            if (holds_pointer(LLVMStructGetTypeAtIndex(type, k)))
                return true;
        return false;
    default: return false;
    }
}

/* Adds the effects of a call of `callee`. A parameter that no argument corresponds to is not accessed. */
static void add_callee(finder *f, LLVMValueRef call, const cc_effects *callee, unsigned parameters) {
    static const cc_reach wild = {.how = BOTH, .whole = true};
    if (callee->unknown)
        give_up(f);
    bool *flags[] = {&f->effects->follows, &f->effects->keeps, &f->effects->packs};
    bool theirs[] = {callee->follows, callee->keeps, callee->packs};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (theirs[i])
            set(f, flags[i]);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call) && k < parameters && !f->effects->unknown; k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        if (holds_pointer(LLVMTypeOf(argument)))
            trace_reach(f, argument, callee->wild ? &wild : &callee->parameters[k]);
    }
    for (size_t i = 0; i < callee->variable_count; i++)
        add_variable(f, callee->variables[i].variable, callee->variables[i].how);
    for (size_t i = 0; i < callee->mention_count; i++)
        add_mention(f, callee->mentions[i]);
}

/* A call through a pointer may call every function whose address is taken; the run time refuses others. */
static void add_followed(finder *f, LLVMValueRef call) {
    cc_unit *unit = f->unit;
    const cc_function *callee = cc_function_find(unit, cc_callee(call));
    if (callee) {
        add_callee(f, call, callee->effects, LLVMCountParams(callee->value));
        return;
    }
    for (size_t i = 0; i < unit->function_count && !f->effects->unknown; i++)
        if (unit->functions[i].address_taken)
            add_callee(f, call, unit->functions[i].effects, LLVMCountParams(unit->functions[i].value));
}

/* Returns which memory a function that is not differentiated may access, as LLVM describes it: two bits each for what
 * its arguments point to, for memory that the program cannot access, and for the rest. */
static uint64_t memory_of(LLVMValueRef call) {
    unsigned kind = cc_attribute("memory");
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMValueRef callee = cc_callee(call);
    LLVMAttributeRef found = LLVMGetCallSiteEnumAttribute(call, index, kind);
    if (!found && callee)
        found = LLVMGetEnumAttributeAtIndex(callee, index, kind);
    return found ? LLVMGetEnumAttributeValue(found) : UINT64_MAX;
}

enum { ARGUMENTS = 3 };

/* Returns whether the intrinsic accesses no memory. LLVM declares that these do, so that it does not move them. */
static bool is_remark(const char *name) {
    static const char *const names[] = {
        "llvm.lifetime.", "llvm.assume",    "llvm.dbg.",       "llvm.prefetch",
        "llvm.invariant", "llvm.donothing", "llvm.sideeffect", "llvm.experimental.noalias.scope.decl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void use_arguments(finder *f, LLVMValueRef call) {
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
        if (holds_pointer(LLVMTypeOf(LLVMGetOperand(call, k))))
            trace(f, LLVMGetOperand(call, k), CC_EFFECT_USED);
}

static void add_passed(finder *f, LLVMValueRef call) {
    const cc_function *inert = cc_function_find(f->unit, cc_callee(call));
    if (inert)
        add_callee(f, call, inert->effects, LLVMCountParams(inert->value));
    else if (memory_of(call) == 0 || is_remark(cc_callee_name(call)))
        return;
    else if ((memory_of(call) & ~(uint64_t)ARGUMENTS) == 0)
        use_arguments(f, call);
    else
        give_up(f);
}

static uint64_t alignment_of_argument(LLVMValueRef call, unsigned index) {
    LLVMAttributeRef found = LLVMGetCallSiteEnumAttribute(call, index + 1, cc_attribute("align"));
    return found ? LLVMGetEnumAttributeValue(found) : 1;
}

static void add_copy(finder *f, LLVMValueRef call) {
    LLVMValueRef size = LLVMGetOperand(call, 2);
    bool words = !LLVMIsAConstantInt(size) || LLVMConstIntGetZExtValue(size) >= 8;
    set(f, &f->effects->keeps);
    if (words && (alignment_of_argument(call, 0) % 8 != 0 || alignment_of_argument(call, 1) % 8 != 0))
        set(f, &f->effects->packs);
    use_arguments(f, call);
}

static void add_call(finder *f, LLVMValueRef call) {
    switch (cc_call_kind_of(f->unit, call)) {
    case CC_CALL_FOLLOWED: add_followed(f, call); return;
    case CC_CALL_COPY: add_copy(f, call); return;
    case CC_CALL_CLEAR:
    case CC_CALL_RULE: use_arguments(f, call); return;
    case CC_CALL_PASS: add_passed(f, call); return;
    default: give_up(f); return;
    }
}

/* ---- Variables of the frame ---- */

/* Returns whether the call may keep or follow argument `value`, the address of a variable of the frame. */
static bool call_hides(finder *f, LLVMValueRef call, LLVMValueRef value) {
    cc_call_kind kind = cc_call_kind_of(f->unit, call);
    const cc_function *callee = cc_function_find(f->unit, cc_callee(call));
    if (!callee)
        return kind == CC_CALL_FOLLOWED;
    if (callee->effects->keeps || callee->effects->wild)
        return true;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
        if (LLVMGetOperand(call, k) == value &&
            (k >= LLVMCountParams(callee->value) || (callee->effects->parameters[k].how & CC_EFFECT_FOLLOWED) != 0))
            return true;
    return false;
}

/* Returns whether a scan could meet the address of this variable, or should look into the variable. */
static bool is_hidden(finder *f, LLVMValueRef address) {
    if (cc_map_get(&f->seen, address) != CC_NOT_FOUND)
        return false;
    cc_map_put(f->unit, &f->seen, address, 1);
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad:
        case LLVMICmp: break;
        case LLVMStore:
            if (LLVMGetOperand(user, 0) == address)
                return true;
            break;
        case LLVMGetElementPtr:
        case LLVMPHI:
        case LLVMSelect:
        case LLVMBitCast:
        case LLVMFreeze:
            if (is_hidden(f, user))
                return true;
            break;
        case LLVMCall:
            if (call_hides(f, user, address))
                return true;
            break;
        default: return true;
        }
    }
    return false;
}

/* ---- Functions ---- */

/* Returns whether a stored value may be a pointer, or a copy of bits of one. */
static bool may_be_pointer(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMIsConstant(value))
        return holds_pointer(type) && !LLVMIsNull(value);
    kind = kind == LLVMVectorTypeKind ? LLVMGetTypeKind(LLVMGetElementType(type)) : kind;
    bool number = kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind || kind == LLVMX86_FP80TypeKind;
    return !number || LLVMIsALoadInst(value) || LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

static void add_instruction(finder *f, LLVMValueRef at) {
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(at); k++)
        if (LLVMIsConstant(LLVMGetOperand(at, k)))
            mention(f, LLVMGetOperand(at, k));
    switch ((int)LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
        if (LLVMGetAlignment(at) % 8 != 0 && LLVMABISizeOfType(f->unit->layout, LLVMTypeOf(at)) >= 8)
            set(f, &f->effects->packs);
        trace_access(f, LLVMGetOperand(at, 0), LLVMTypeOf(at));
        return;
    case LLVMStore:
        if (may_be_pointer(LLVMGetOperand(at, 0)))
            set(f, &f->effects->keeps);
        trace_access(f, LLVMGetOperand(at, 1), LLVMTypeOf(LLVMGetOperand(at, 0)));
        return;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        set(f, &f->effects->keeps);
        trace(f, LLVMGetOperand(at, 0), CC_EFFECT_USED);
        return;
    case LLVMCall: add_call(f, at); return;
    case LLVMPtrToInt: set(f, &f->effects->keeps); return;
    case LLVMAlloca:
        if (!LLVMIsAConstantInt(LLVMGetOperand(at, 0)) ||
            LLVMGetInstructionParent(at) !=
                LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(at))))
            give_up(f);
        return;
    case LLVMVAArg:
    case LLVMIntToPtr: give_up(f); return;
    default: return;
    }
}

/* A wild function uses everything that it mentions or was passed. A scan does not find words that are not at
 * multiples of 8. */
static void settle(finder *f, LLVMValueRef function) {
    cc_effects *effects = f->effects;
    if (effects->follows && effects->packs)
        give_up(f);
    if (effects->follows && effects->keeps)
        set(f, &effects->wild);
    if (!effects->wild)
        return;
    for (unsigned k = 0; k < LLVMCountParams(function); k++)
        if (holds_pointer(LLVMTypeOf(LLVMGetParam(function, k))))
            trace_parameter(f, LLVMGetParam(function, k), BOTH);
    for (size_t i = 0; i < effects->mention_count; i++)
        trace_global(f, effects->mentions[i], BOTH);
}

static bool sweep_function(cc_unit *unit, cc_function *function) {
    finder f = {.unit = unit, .effects = function->effects};
    if (f.effects->unknown)
        return false;
    for (LLVMValueRef at = cc_first(function->value); at && !f.effects->unknown; at = cc_next(at))
        add_instruction(&f, at);
    settle(&f, function->value);
    f.seen = (cc_map){0};
    for (LLVMValueRef at = cc_first(function->value); at && !f.effects->unknown && f.effects->follows; at = cc_next(at))
        if (LLVMIsAAllocaInst(at) && is_hidden(&f, at))
            give_up(&f);
    return f.changed;
}

void cc_find_effects(cc_unit *unit) {
    for (size_t i = 0; i < unit->function_count; i++) {
        cc_effects *effects = unit->functions[i].effects = cc_alloc(unit, 1, sizeof *effects);
        effects->parameters = cc_alloc(unit, LLVMCountParams(unit->functions[i].value) + 1, sizeof(cc_reach));
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->function_count; i++)
            changed |= sweep_function(unit, &unit->functions[i]);
    }
}

/* Adds what the function may access. Arguments that come from variables only are replaced by these variables. */
static void add_target(finder *f, const cc_function *target, unsigned arguments) {
    const cc_effects *effects = target->effects;
    f->effects->unknown |= effects->unknown;
    for (unsigned k = 0; k < arguments && k < LLVMCountParams(target->value); k++) {
        cc_reach *to = &f->effects->parameters[k];
        const cc_reach *from = &effects->parameters[k];
        if (from->how == 0)
            continue;
        to->low = to->how == 0 || from->low < to->low ? from->low : to->low;
        to->high = to->how == 0 || from->high > to->high ? from->high : to->high;
        to->how |= from->how;
        to->whole |= from->whole;
    }
    for (size_t i = 0; i < effects->variable_count; i++)
        add_variable(f, effects->variables[i].variable, effects->variables[i].how);
}

/* Returns the variable that a pointer certainly points into; NULL if it is not known. */
static LLVMValueRef variable_of(cc_unit *unit, LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
        pointer = LLVMGetOperand(pointer, 0);
    LLVMValueRef own = LLVMIsAGlobalVariable(pointer) ? definition_of(unit, pointer) : NULL;
    return own && !LLVMIsGlobalConstant(own) ? own : NULL;
}

const cc_effects *cc_effects_of_call(cc_unit *unit, LLVMValueRef call) {
    const cc_function *callee = cc_function_find(unit, cc_callee(call));
    cc_effects *all = cc_alloc(unit, 1, sizeof *all);
    unsigned arguments = LLVMGetNumArgOperands(call);
    all->parameters = cc_alloc(unit, arguments + 1, sizeof(cc_reach));
    finder f = {.unit = unit, .effects = all};
    if (callee)
        add_target(&f, callee, arguments);
    for (size_t i = 0; i < unit->function_count && !callee; i++)
        if (unit->functions[i].address_taken)
            add_target(&f, &unit->functions[i], arguments);
    for (unsigned k = 0; k < arguments; k++) {
        LLVMValueRef variable = variable_of(unit, LLVMGetOperand(call, k));
        if (!variable || all->parameters[k].how == 0 || !all->parameters[k].whole)
            continue;
        add_variable(&f, variable, all->parameters[k].how);
        all->parameters[k].how = 0;
    }
    return all;
}
