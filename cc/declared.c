/* What the program says about its own functions: which are inactive (an annotation, or an option of the command), and
 * which have custom adjoints (constants that VERSO_CUSTOM_ADJOINT defines). */
#include "cc/known.h"
#include "cc/program.h"
#include "cc/surgery.h"

#include <string.h>

/* ---- Inactive ---- */

static bool is_annotation_inactive(LLVMValueRef text) {
    if (text == NULL || LLVMIsAGlobalVariable(text) == NULL)
        return false;
    LLVMValueRef bytes = LLVMGetInitializer(text);
    if (bytes == NULL || !LLVMIsConstantString(bytes))
        return false;
    size_t length;
    const char *string = LLVMGetAsString(bytes, &length);
    return length == sizeof "verso.inactive" && memcmp(string, "verso.inactive", length) == 0;
}

static void read_annotations(cc_unit *unit) {
    LLVMValueRef list = LLVMGetNamedGlobal(unit->program->module, "llvm.global.annotations");
    LLVMValueRef entries = list == NULL ? NULL : LLVMGetInitializer(list);
    for (int i = 0; entries != NULL && i < LLVMGetNumOperands(entries); i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
        LLVMValueRef function = LLVMGetOperand(entry, 0);
        if (LLVMIsAFunction(function) != NULL && is_annotation_inactive(LLVMGetOperand(entry, 1)))
            cc_map_put(unit, &unit->program->inactive, function, 1);
    }
}

static void read_options(cc_unit *unit) {
    const cc_request *request = unit->program->request;
    for (size_t i = 0; i < request->inactive_count; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(unit->program->module, request->inactive[i]);
        if (function != NULL)
            cc_map_put(unit, &unit->program->inactive, function, 1);
    }
}

bool cc_is_inactive(cc_unit *unit, LLVMValueRef function) {
    LLVMValueRef own = LLVMGetNamedFunction(unit->program->module, LLVMGetValueName(function));
    return own != NULL && cc_map_get(&unit->program->inactive, own) != CC_NOT_FOUND;
}

/* ---- Custom adjoints ---- */

/* R (verso_call *, A...) for f's R (A...). */
static LLVMTypeRef type_with_call(cc_unit *unit, LLVMValueRef function, LLVMTypeRef result) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    unsigned count = LLVMCountParamTypes(type);
    LLVMTypeRef *parameters = cc_alloc(unit, count + 1, sizeof *parameters);
    parameters[0] = unit->pointer;
    LLVMGetParamTypes(type, parameters + 1);
    return LLVMFunctionType(result, parameters, count + 1, false);
}

static bool in_memory(LLVMValueRef function) {
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (cc_byval(function, i) != NULL)
            return true;
    return false;
}

static const char *read_part(cc_unit *unit, LLVMValueRef part, LLVMValueRef function, bool sweeps, const char *what) {
    if (part == NULL || LLVMIsAFunction(part) == NULL) {
        cc_diagnose(unit, function, "VERSO_CUSTOM_ADJOINT of %s: its %s must be the name of a function",
                    LLVMGetValueName(function), what);
        return NULL;
    }
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    LLVMTypeRef wanted = type_with_call(unit, function, sweeps ? unit->none : result);
    if (LLVMGlobalGetValueType(part) != wanted)
        cc_diagnose(
            unit, part,
            "VERSO_CUSTOM_ADJOINT of %s: %s is its %s, but its type does not fit: it takes a verso_call * and then "
            "the arguments of %s, and returns %s",
            LLVMGetValueName(function), LLVMGetValueName(part), what, LLVMGetValueName(function),
            sweeps ? "nothing" : "what that returns");
    return cc_print(unit, "%s", LLVMGetValueName(part));
}

static cc_adjoint *find_adjoint(cc_unit *unit, const char *name) {
    for (size_t i = 0; i < unit->program->adjoint_count; i++)
        if (strcmp(unit->program->adjoints[i].function, name) == 0)
            return &unit->program->adjoints[i];
    return NULL;
}

const cc_adjoint *cc_adjoint_of(cc_unit *unit, const char *name) {
    return find_adjoint(unit, name);
}

static bool can_have_one(cc_unit *unit, LLVMValueRef function) {
    const char *name = LLVMGetValueName(function);
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) || in_memory(function)) {
        cc_diagnose(
            unit, function,
            "VERSO_CUSTOM_ADJOINT of %s: a function with variable arguments, or that is passed a large structure by "
            "value, cannot have one; pass a pointer",
            name);
        return false;
    }
    /* Where it was inlined there is no call left that could have an adjoint, and nobody would notice. */
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    if (!LLVMIsDeclaration(function) && LLVMGetEnumAttributeAtIndex(function, index, cc_attribute("noinline")) == NULL)
        cc_diagnose(unit, function,
                    "VERSO_CUSTOM_ADJOINT of %s: clang may have inlined it where it is called, so that its adjoint is "
                    "not used; declare it __attribute__((noinline))",
                    name);
    return true;
}

static cc_adjoint *new_adjoint(cc_unit *unit) {
    cc_program *program = unit->program;
    cc_reserve(unit, &program->adjoints, &program->adjoint_capacity, program->adjoint_count + 1,
               sizeof *program->adjoints);
    return &program->adjoints[program->adjoint_count++];
}

/* That of the function, with none of its forms when there was none. */
static cc_adjoint *adjoint_to_read(cc_unit *unit, LLVMValueRef function) {
    const char *name = LLVMGetValueName(function);
    cc_adjoint *adjoint = find_adjoint(unit, name);
    if (adjoint == NULL && can_have_one(unit, function)) {
        adjoint = new_adjoint(unit);
        *adjoint = (cc_adjoint){.function = cc_print(unit, "%s", name)};
    }
    return adjoint;
}

/* `whole`: in one piece, which stands where the sweep does. */
static void read_adjoint(cc_unit *unit, LLVMValueRef entry, bool whole) {
    LLVMValueRef function = LLVMGetAggregateElement(entry, 0);
    if (function == NULL || LLVMIsAFunction(function) == NULL)
        return;
    cc_adjoint *adjoint = adjoint_to_read(unit, function);
    if (adjoint == NULL)
        return;
    LLVMValueRef sweep = LLVMGetAggregateElement(entry, 2), tangent = LLVMGetAggregateElement(entry, 3);
    const char *before = adjoint->tangent;
    if (tangent != NULL && !LLVMIsNull(tangent))
        adjoint->tangent = read_part(unit, tangent, function, false, "tangent");
    bool twice = (whole ? adjoint->whole : adjoint->sweep) != NULL;
    if (twice || (before != NULL && adjoint->tangent != NULL && strcmp(before, adjoint->tangent) != 0))
        cc_diagnose(unit, function, "VERSO_CUSTOM_ADJOINT of %s: its %s is there twice; remove one", adjoint->function,
                    !twice  ? "tangent"
                    : whole ? "adjoint in one piece"
                            : "adjoint in two pieces");
    if (whole)
        adjoint->whole = read_part(unit, sweep, function, true, "adjoint");
    else {
        adjoint->record = read_part(unit, LLVMGetAggregateElement(entry, 1), function, false, "record");
        adjoint->sweep = read_part(unit, sweep, function, true, "sweep");
    }
}

/* verso_fixed_point_at is a function of the run time, and so is its adjoint. It calls the step that it is handed. */
static void declare_fixed_point(cc_unit *unit) {
    LLVMModuleRef module = unit->program->module;
    LLVMValueRef function = LLVMGetNamedFunction(module, "verso_fixed_point_at");
    if (function == NULL)
        return;
    LLVMTypeRef type = type_with_call(unit, function, LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    LLVMAddFunction(module, "verso_native_fixed_record", type);
    LLVMAddFunction(module, "verso_native_fixed_tangent", type);
    LLVMAddFunction(module, "verso_native_fixed_sweep", type_with_call(unit, function, unit->none));
    *new_adjoint(unit) = (cc_adjoint){.function = "verso_fixed_point_at",
                                      .record = "verso_native_fixed_record",
                                      .sweep = "verso_native_fixed_sweep",
                                      .tangent = "verso_native_fixed_tangent",
                                      .calls = LLVMFunctionType(unit->none, &unit->pointer, 1, false)};
}

/* A function of the program in the module at hand; the optimiser drops declarations that nobody uses. */
static LLVMValueRef in_module(cc_unit *unit, const char *name) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
    if (function != NULL)
        return function;
    LLVMValueRef own = LLVMGetNamedFunction(unit->program->module, name);
    function = LLVMAddFunction(unit->module, name, LLVMGlobalGetValueType(own));
    LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(own));
    LLVMSetVisibility(function, LLVMGetVisibility(own));
    return function;
}

cc_custom cc_custom_find(cc_unit *unit, LLVMValueRef call) {
    const cc_adjoint *adjoint = cc_adjoint_of(unit, cc_callee_name(call) + strlen("verso.custom."));
    cc_custom custom = {.function = in_module(unit, adjoint->function),
                        .record = in_module(unit, adjoint->record),
                        .sweep = in_module(unit, adjoint->sweep)};
    if (adjoint->tangent != NULL)
        custom.tangent = in_module(unit, adjoint->tangent);
    return custom;
}

void cc_read_declarations(cc_unit *unit) {
    static const char prefix[] = "verso_custom_adjoint_", whole[] = "verso_whole_adjoint_";
    read_annotations(unit);
    read_options(unit);
    declare_fixed_point(unit);
    LLVMModuleRef module = unit->program->module;
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global != NULL; global = LLVMGetNextGlobal(global)) {
        bool is_whole = strncmp(LLVMGetValueName(global), whole, strlen(whole)) == 0;
        if (!is_whole && strncmp(LLVMGetValueName(global), prefix, strlen(prefix)) != 0)
            continue;
        LLVMValueRef entry = LLVMGetInitializer(global);
        if (entry != NULL)
            read_adjoint(unit, entry, is_whole);
    }
    for (size_t i = 0; unit->errors == 0 && i < unit->program->adjoint_count; i++)
        if (unit->program->adjoints[i].whole != NULL)
            cc_make_whole(unit, &unit->program->adjoints[i]);
}
