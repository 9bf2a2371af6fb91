/* Finds functions whose address is taken, and roots: the functions that are passed to verso_gradient and similar
 * functions.
 *
 * The search for roots goes backwards from the argument of the call: through phis, selects, constant tables, and
 * the parameters of functions that pass it on. If it ends in something unknown, every function of the right type
 * whose address is taken is a possible root. */
#include "cc/front/front.h"
#include "cc/front/threads.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

/* ---- The calls ---- */

static const struct {
    const char *name;
    bool numbers;         /* takes double (const double *, size_t); else void (void *) */
    bool record, tangent; /* runs recording code, tangent code */
    bool steps;           /* the run can be interrupted at any safepoint */
    bool second;          /* runs code for second derivatives */
} starters[] = {
    {"verso_gradient", true, true, false, false, false},
    {"verso_directional", true, false, true, false, false},
    {"verso_vjp", false, true, false, false, false},
    {"verso_jvp", false, false, true, false, false},
    {"verso_check", false, true, true, false, false},
    {"verso_check_gradient", true, true, true, false, false},
    {"verso_jacobian", false, true, true, false, false},
    {"verso_jacobian_sparse", false, true, true, false, false},
    {"verso_execution_open", false, true, false, true, false},
    {"verso_hvp", true, true, false, false, true},
    {"verso_vjp_along", false, true, false, false, true},
    {"verso_hessian", true, true, false, false, true},
    {"verso_hessian_sparse", true, true, false, false, true},
};
enum { STARTERS = sizeof starters / sizeof *starters };

static int starter_named(const char *name) {
    for (int i = 0; i < STARTERS; i++)
        if (strcmp(name, starters[i].name) == 0)
            return i;
    return -1;
}

bool cc_is_root_call(LLVMValueRef call) {
    return cc_is_call(call) && starter_named(cc_callee_name(call)) >= 0;
}

/* ---- Addresses ---- */

static bool is_bookkeeping(LLVMValueRef global) {
    static const char *const names[] = {"llvm.", "verso.fftw", "verso__custom_adjoint_", "verso__whole_adjoint_",
                                        "verso__world_adjoint_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(LLVMGetValueName(global), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Returns whether the call starts a differentiation of the function and does not use its address otherwise. */
static bool only_starts(LLVMValueRef call, LLVMValueRef function) {
    if (!cc_is_root_call(call) || LLVMGetOperand(call, 0) != function)
        return false;
    for (unsigned i = 1; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetOperand(call, i) == function)
            return false;
    return true;
}

static bool is_taken_by(cc_unit *unit, LLVMValueRef user, LLVMValueRef value, LLVMValueRef function) {
    if (LLVMIsAInstruction(user) != NULL)
        return !(value == function &&
                 (cc_is_direct_call(user, function) || only_starts(user, function) || cc_forked(user) == function));
    if (LLVMIsAGlobalVariable(user) != NULL)
        return !is_bookkeeping(user);
    if (LLVMIsAGlobalAlias(user) != NULL || LLVMIsABlockAddress(user) != NULL || LLVMIsAFunction(user) != NULL)
        return false;
    size_t count;
    LLVMValueRef *users = cc_users(unit, user, &count);
    for (size_t i = 0; i < count; i++)
        if (is_taken_by(unit, users[i], user, function))
            return true;
    return false;
}

bool cc_address_taken(cc_unit *unit, LLVMValueRef function) {
    size_t count;
    LLVMValueRef *users = cc_users(unit, function, &count);
    for (size_t i = 0; i < count; i++)
        if (is_taken_by(unit, users[i], function, function))
            return true;
    return false;
}

/* ---- Where a function pointer comes from ---- */

typedef struct search {
    cc_unit *unit;
    LLVMTypeRef type; /* type of the functions searched for; functions of other types in a table are ignored */
    cc_map seen;
    LLVMValueRef *found;
    size_t found_count, found_capacity;
    bool unknown; /* the pointer may also come from a source that the search cannot follow */
} search;

static void trace(search *search, LLVMValueRef value);

static void add_found(search *search, LLVMValueRef function) {
    cc_reserve(search->unit, &search->found, &search->found_capacity, search->found_count + 1, sizeof function);
    search->found[search->found_count++] = function;
}

/* Traces all functions in a constant, whatever else it contains. */
static void trace_constant(search *search, LLVMValueRef constant) {
    if (LLVMIsAFunction(constant) != NULL) {
        if (LLVMGlobalGetValueType(constant) == search->type)
            trace(search, constant);
        return;
    }
    for (int i = 0; LLVMIsAGlobalVariable(constant) == NULL && i < LLVMGetNumOperands(constant); i++) {
        LLVMValueRef part = LLVMGetOperand(constant, (unsigned)i);
        if (part != NULL && LLVMIsConstant(part))
            trace_constant(search, part);
    }
}

/* Returns the global variable that an address points into; NULL if it is not known. */
static LLVMValueRef global_of(LLVMValueRef address) {
    while (LLVMIsAGetElementPtrInst(address) != NULL ||
           (LLVMIsAConstantExpr(address) != NULL && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAGlobalVariable(address);
}

/* Traces a local variable that is only stored to and loaded from, as in code that was not optimised. */
static void trace_variable(search *search, LLVMValueRef variable) {
    size_t count;
    LLVMValueRef *users = cc_users(search->unit, variable, &count);
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsAStoreInst(users[i]) != NULL && LLVMGetOperand(users[i], 1) == variable)
            trace(search, LLVMGetOperand(users[i], 0));
        else if (LLVMIsALoadInst(users[i]) == NULL)
            search->unknown = true;
    }
}

static void trace_load(search *search, LLVMValueRef load) {
    if (LLVMIsAAllocaInst(LLVMGetOperand(load, 0)) != NULL) {
        trace_variable(search, LLVMGetOperand(load, 0));
        return;
    }
    LLVMValueRef table = global_of(LLVMGetOperand(load, 0));
    LLVMValueRef content = table == NULL || !LLVMIsGlobalConstant(table) ? NULL : LLVMGetInitializer(table);
    if (content == NULL)
        search->unknown = true;
    else
        trace_constant(search, content);
}

static void trace_parameter(search *search, LLVMValueRef parameter) {
    LLVMValueRef function = LLVMGetParamParent(parameter);
    unsigned index = 0;
    while (LLVMGetParam(function, index) != parameter)
        index++;
    size_t count;
    LLVMValueRef *users = cc_users(search->unit, function, &count);
    for (size_t i = 0; i < count; i++) {
        if (cc_is_direct_call(users[i], function))
            trace(search, LLVMGetOperand(users[i], index));
        else if (is_taken_by(search->unit, users[i], function, function))
            search->unknown = true;
    }
    /* Code outside the program may call the function, too. A root that is passed that way is not found here, but its
     * address is taken, so it is still differentiated if its type fits. */
}

static void trace(search *search, LLVMValueRef value) {
    if (cc_map_get(&search->seen, value) != CC_NOT_FOUND)
        return;
    cc_map_put(search->unit, &search->seen, value, 1);
    if (LLVMIsAFunction(value) != NULL) {
        add_found(search, value);
    } else if (LLVMIsAPHINode(value) != NULL) {
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
            trace(search, LLVMGetIncomingValue(value, i));
    } else if (LLVMIsASelectInst(value) != NULL) {
        trace(search, LLVMGetOperand(value, 1));
        trace(search, LLVMGetOperand(value, 2));
    } else if (LLVMIsALoadInst(value) != NULL) {
        trace_load(search, value);
    } else if (LLVMIsAArgument(value) != NULL) {
        trace_parameter(search, value);
    } else if (!LLVMIsNull(value) && !LLVMIsUndef(value)) {
        search->unknown = true;
    }
}

/* ---- Roots ---- */

static LLVMTypeRef starter_type(cc_unit *unit, int starter) {
    LLVMTypeRef parameters[2] = {unit->pointer, unit->i64};
    return starters[starter].numbers ? LLVMFunctionType(unit->f64, parameters, 2, false)
                                     : LLVMFunctionType(unit->none, parameters, 1, false);
}

typedef void found_root(cc_unit *unit, LLVMValueRef call, LLVMValueRef function, bool certain);

static void all_of_type(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, found_root *found) {
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at))
        if (!LLVMIsDeclaration(at) && LLVMGlobalGetValueType(at) == type && cc_address_taken(unit, at))
            found(unit, call, at, false);
}

static void roots_of_call(cc_unit *unit, LLVMValueRef call, int starter, found_root *found) {
    search search = {.unit = unit, .type = starter_type(unit, starter)};
    trace(&search, LLVMGetOperand(call, 0));
    for (size_t i = 0; i < search.found_count; i++)
        found(unit, call, search.found[i], true);
    if (search.unknown)
        all_of_type(unit, call, search.type, found);
}

void cc_find_roots(cc_unit *unit, found_root *found) {
    cc_use_module(unit, unit->program->module);
    for (int i = 0; i < STARTERS; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(unit->module, starters[i].name);
        if (function == NULL)
            continue;
        size_t count;
        LLVMValueRef *users = cc_users(unit, function, &count);
        unit->program->wants_record = unit->program->wants_record || (count > 0 && starters[i].record);
        unit->program->wants_tangent = unit->program->wants_tangent || (count > 0 && starters[i].tangent);
        unit->program->wants_second = unit->program->wants_second || (count > 0 && starters[i].second);
        unit->program->wants_steps = unit->program->wants_steps || (count > 0 && starters[i].steps);
        for (size_t k = 0; k < count; k++) {
            if (cc_is_call(users[k]) && LLVMGetCalledValue(users[k]) == function && LLVMGetNumArgOperands(users[k]) > 0)
                roots_of_call(unit, users[k], i, found);
            else if (is_taken_by(unit, users[k], function, function))
                all_of_type(unit, NULL, starter_type(unit, i), found);
        }
    }
}
