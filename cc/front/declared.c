/* Reads what the program declares about its functions: which are inactive or pure (by an annotation or an option),
 * whose calls are always or never checkpointed (by an annotation), and which have custom adjoints (constants that
 * VERSO_CUSTOM_ADJOINT and VERSO_ADJOINT define). */
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/front/rules.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "native/state.h"

#include <string.h>

/* ---- Inactive functions and marks ---- */

static bool is_annotation(LLVMValueRef text, const char *annotation) {
    if (text == NULL || LLVMIsAGlobalVariable(text) == NULL)
        return false;
    LLVMValueRef bytes = LLVMGetInitializer(text);
    if (bytes == NULL || !LLVMIsConstantString(bytes))
        return false;
    size_t length;
    const char *string = LLVMGetAsString(bytes, &length);
    return length == strlen(annotation) + 1 && memcmp(string, annotation, length) == 0;
}

static void declare(cc_unit *unit, LLVMValueRef function, bool pure) {
    if (function == NULL || LLVMIsAFunction(function) == NULL)
        return;
    cc_map_put(unit, &unit->program->inactive, function, 1);
    if (pure)
        cc_map_put(unit, &unit->program->pure, function, 1);
}

static void mark(cc_unit *unit, LLVMValueRef function, int value) {
    if (function == NULL || LLVMIsAFunction(function) == NULL)
        return;
    ptrdiff_t before = cc_map_get(&unit->program->marked, function);
    if (before != CC_NOT_FOUND && before != value)
        cc_diagnose(unit, function, "%s is marked VERSO_CHECKPOINT and VERSO_NOCHECKPOINT; remove one",
                    LLVMGetValueName(function));
    cc_map_put(unit, &unit->program->marked, function, value);
}

int cc_mark_of(cc_unit *unit, const char *function) {
    LLVMValueRef own = LLVMGetNamedFunction(unit->program->module, function);
    ptrdiff_t found = own != NULL ? cc_map_get(&unit->program->marked, own) : CC_NOT_FOUND;
    return found != CC_NOT_FOUND ? (int)found : VERSO_NATIVE_MARK_NONE;
}

static void read_annotations(cc_unit *unit) {
    LLVMValueRef list = LLVMGetNamedGlobal(unit->program->module, "llvm.global.annotations");
    LLVMValueRef entries = list == NULL ? NULL : LLVMGetInitializer(list);
    for (int i = 0; entries != NULL && i < LLVMGetNumOperands(entries); i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i), text = LLVMGetOperand(entry, 1);
        bool pure = is_annotation(text, "verso.pure");
        if (pure || is_annotation(text, "verso.inactive"))
            declare(unit, LLVMGetOperand(entry, 0), pure);
        if (is_annotation(text, "verso.checkpoint"))
            mark(unit, LLVMGetOperand(entry, 0), VERSO_NATIVE_MARK_ALWAYS);
        if (is_annotation(text, "verso.nocheckpoint"))
            mark(unit, LLVMGetOperand(entry, 0), VERSO_NATIVE_MARK_NEVER);
    }
}

/* Declares the functions inactive that --verso-inactive named when the file of `function` was compiled
 * (cc/driver/compile.c). */
static void read_noted(cc_unit *unit, LLVMValueRef function) {
    static const char prefix[] = "verso-inactive.";
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned count = LLVMGetAttributeCountAtIndex(function, index), length;
    LLVMAttributeRef *attributes = cc_alloc(unit, count, sizeof *attributes);
    LLVMGetAttributesAtIndex(function, index, attributes);
    for (unsigned i = 0; i < count; i++) {
        const char *kind =
            LLVMIsStringAttribute(attributes[i]) ? LLVMGetStringAttributeKind(attributes[i], &length) : "";
        if (strncmp(kind, prefix, strlen(prefix)) != 0)
            continue;
        const char *name = cc_print(unit, "%.*s", (int)(length - strlen(prefix)), kind + strlen(prefix));
        LLVMValueRef named = LLVMGetNamedFunction(unit->program->module, name);
        if (named != NULL)
            declare(unit, named, false);
    }
}

static void read_options(cc_unit *unit) {
    const cc_request *request = unit->program->request;
    for (size_t i = 0; i < request->inactive_count; i++) {
        const char *name = request->inactive[i];
        LLVMValueRef function = LLVMGetNamedFunction(unit->program->module, name);
        if (function != NULL)
            declare(unit, function, false);
        else
            cc_note(unit,
                    cc_print(unit, "warning: --verso-inactive=%s: the program does not use such a function\n", name));
    }
    for (size_t i = 0; i < request->pure_count; i++)
        declare(unit, LLVMGetNamedFunction(unit->program->module, request->pure[i]), true);
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->program->module); f != NULL; f = LLVMGetNextFunction(f))
        read_noted(unit, f);
}

static bool is_declared(cc_unit *unit, const cc_map *functions, LLVMValueRef function) {
    LLVMValueRef own = LLVMGetNamedFunction(unit->program->module, LLVMGetValueName(function));
    return own != NULL && cc_map_get(functions, own) != CC_NOT_FOUND;
}

bool cc_is_inactive(cc_unit *unit, LLVMValueRef function) {
    return is_declared(unit, &unit->program->inactive, function);
}

bool cc_is_pure(cc_unit *unit, LLVMValueRef function) {
    return is_declared(unit, &unit->program->pure, function);
}

/* ---- Custom adjoints ---- */

LLVMTypeRef cc_type_with_call(cc_unit *unit, LLVMValueRef function, LLVMTypeRef result) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    unsigned count = LLVMCountParamTypes(type);
    LLVMTypeRef *parameters = cc_alloc(unit, count + 1, sizeof *parameters);
    parameters[0] = unit->pointer;
    LLVMGetParamTypes(type, parameters + 1);
    return LLVMFunctionType(result, parameters, count + 1, false);
}

static bool has_byval_parameter(LLVMValueRef function) {
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
    LLVMTypeRef wanted = cc_type_with_call(unit, function, sweeps ? unit->none : result);
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

static bool can_have_adjoint(cc_unit *unit, LLVMValueRef function) {
    const char *name = LLVMGetValueName(function);
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) || has_byval_parameter(function)) {
        cc_diagnose(
            unit, function,
            "VERSO_CUSTOM_ADJOINT of %s: a function with variable arguments, or that is passed a large structure by "
            "value, cannot have one; pass a pointer",
            name);
        return false;
    }
    return true;
}

static cc_adjoint *new_adjoint(cc_unit *unit) {
    cc_program *program = unit->program;
    cc_reserve(unit, &program->adjoints, &program->adjoint_capacity, program->adjoint_count + 1,
               sizeof *program->adjoints);
    return &program->adjoints[program->adjoint_count++];
}

/* Returns the custom adjoint of the function, and adds an empty one if it has none yet; NULL if it cannot have one. */
static cc_adjoint *adjoint_to_read(cc_unit *unit, LLVMValueRef function) {
    const char *name = LLVMGetValueName(function);
    cc_adjoint *adjoint = find_adjoint(unit, name);
    if (adjoint == NULL && can_have_adjoint(unit, function)) {
        adjoint = new_adjoint(unit);
        *adjoint = (cc_adjoint){.function = cc_print(unit, "%s", name)};
    }
    return adjoint;
}

/* Reads one constant {function, record, sweep, tangent}. `whole`: the adjoint is in one piece and in the place of
 * the sweep. `world`: record runs once. */
static void read_adjoint(cc_unit *unit, LLVMValueRef entry, bool whole, bool world) {
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
        adjoint->world = world;
        adjoint->record = read_part(unit, LLVMGetAggregateElement(entry, 1), function, false, "record");
        adjoint->sweep = read_part(unit, sweep, function, true, "sweep");
    }
}

/* verso_fixed_point_at is a function of the run time, which also has its adjoint. It calls the step that is passed
 * to it. */
static void declare_fixed_point(cc_unit *unit) {
    LLVMModuleRef module = unit->program->module;
    LLVMValueRef function = LLVMGetNamedFunction(module, "verso_fixed_point_at");
    if (function == NULL)
        return;
    LLVMTypeRef type = cc_type_with_call(unit, function, LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    LLVMAddFunction(module, "verso__native_fixed_record", type);
    LLVMAddFunction(module, "verso__native_fixed_tangent", type);
    LLVMAddFunction(module, "verso__native_fixed_sweep", cc_type_with_call(unit, function, unit->none));
    *new_adjoint(unit) = (cc_adjoint){.function = "verso_fixed_point_at",
                                      .record = "verso__native_fixed_record",
                                      .sweep = "verso__native_fixed_sweep",
                                      .tangent = "verso__native_fixed_tangent",
                                      .calls = LLVMFunctionType(unit->none, &unit->pointer, 1, false)};
}

/* The two parts of verso_linear_solve_at that native/lib/linear.c calls. */
static void declare_linear_part(cc_unit *unit, const char *name, unsigned count) {
    LLVMTypeRef *pointers = cc_alloc(unit, count + 1, sizeof *pointers);
    for (unsigned i = 0; i <= count; i++)
        pointers[i] = unit->pointer;
    LLVMModuleRef module = unit->program->module;
    LLVMAddFunction(module, name, LLVMFunctionType(unit->none, pointers, count, false));
    cc_adjoint made = {.function = name};
    const char **parts[] = {&made.record, &made.sweep, &made.tangent};
    static const char *const suffixes[] = {"record", "sweep", "tangent"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i] = cc_print(unit, "%s_%s", name, suffixes[i]);
        LLVMAddFunction(module, *parts[i], LLVMFunctionType(unit->none, pointers, count + 1, false));
    }
    *new_adjoint(unit) = made;
}

static void declare_linear(cc_unit *unit) {
    if (LLVMGetNamedFunction(unit->program->module, "verso_linear_solve_at") == NULL)
        return;
    declare_linear_part(unit, "verso__native_linear_begin", 5);
    declare_linear_part(unit, "verso__native_linear_end", 6);
}

/* Returns a function of the program in the current module, and declares it if it is missing: the optimiser drops
 * declarations without uses. */
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

static void check_never_mark(cc_unit *unit, const cc_adjoint *adjoint) {
    if (adjoint->whole != NULL && adjoint->sweep == NULL &&
        cc_mark_of(unit, adjoint->function) == VERSO_NATIVE_MARK_NEVER)
        cc_diagnose(
            unit, LLVMGetNamedFunction(unit->program->module, adjoint->function),
            "%s is marked VERSO_NOCHECKPOINT, but its adjoint is in one piece and needs a snapshot of each call; "
            "remove the mark, or give it an adjoint in two pieces (VERSO_CUSTOM_ADJOINT)",
            adjoint->function);
}

/* Routines that Verso knows by name, and that the program does not declare anything about. */
static void add_rules(cc_unit *unit) {
    LLVMModuleRef module = unit->program->module;
    for (LLVMValueRef next, at = LLVMGetFirstFunction(module); at != NULL; at = next) {
        cc_adjoint made;
        next = LLVMGetNextFunction(at);
        const char *name = LLVMGetValueName(at);
        if (LLVMIsDeclaration(at) && find_adjoint(unit, name) == NULL && !cc_is_inactive(unit, at) &&
            (cc_make_rule(unit, at, &made) || cc_make_plan_rule(unit, at, &made)))
            *new_adjoint(unit) = made;
    }
}

void cc_read_declarations(cc_unit *unit) {
    static const char prefix[] = "verso__custom_adjoint_", whole[] = "verso__whole_adjoint_",
                      world[] = "verso__world_adjoint_";
    read_annotations(unit);
    read_options(unit);
    declare_fixed_point(unit);
    declare_linear(unit);
    LLVMModuleRef module = unit->program->module;
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global != NULL; global = LLVMGetNextGlobal(global)) {
        const char *name = LLVMGetValueName(global);
        name += name[0] == '\1'; /* set with an asm label */
        bool is_whole = strncmp(name, whole, strlen(whole)) == 0, is_world = strncmp(name, world, strlen(world)) == 0;
        if (!is_whole && !is_world && strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        LLVMValueRef entry = LLVMGetInitializer(global);
        if (entry != NULL)
            read_adjoint(unit, entry, is_whole, is_world);
    }
    cc_replace_plans(unit);
    add_rules(unit);
    for (size_t i = 0; i < unit->program->adjoint_count; i++)
        check_never_mark(unit, &unit->program->adjoints[i]);
}
