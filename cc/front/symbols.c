/* dlsym: makes functions that the program looks up by name differentiable.
 *
 * dlsym returns the address of a function that does not test the mode: an external function, or one of the
 * program's whose address is not taken elsewhere and which therefore has no stub. So the run time looks the result
 * of every call up in a table of functions of the program. The table takes their addresses, which gives them stubs;
 * external functions are replaced by wrappers there (wrap.c). If the name is a constant, the table has this one
 * function; otherwise it has all functions that the linker exports, and the mathematical ones. A function that is
 * in no table is refused when differentiated code calls it. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Functions double (double), and functions double (double, double). */
static const char *const of_one[] = {"acos",  "acosh",  "asin", "asinh", "atan",  "atanh",  "cbrt",  "ceil",
                                     "cos",   "cosh",   "erf",  "erfc",  "exp",   "exp2",   "expm1", "fabs",
                                     "floor", "lgamma", "log",  "log10", "log1p", "log2",   "rint",  "round",
                                     "sin",   "sinh",   "sqrt", "tan",   "tanh",  "tgamma", "trunc"};
static const char *const of_two[] = {"atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "pow"};

typedef struct table {
    cc_unit *unit;
    LLVMValueRef *entries; /* structs {name, function} */
    size_t count, capacity;
} table;

static LLVMTypeRef entry_type(const cc_unit *unit) {
    LLVMTypeRef members[] = {unit->pointer, unit->pointer};
    return LLVMStructTypeInContext(unit->context, members, 2, false);
}

static void add(table *table, const char *name, LLVMValueRef function) {
    LLVMValueRef members[] = {cc_string(table->unit, name), function};
    cc_reserve(table->unit, &table->entries, &table->capacity, table->count + 1, sizeof *table->entries);
    table->entries[table->count++] = LLVMConstStructInContext(table->unit->context, members, 2, false);
}

/* ---- Functions ---- */

static bool is_visible(LLVMValueRef function) {
    LLVMLinkage linkage = LLVMGetLinkage(function);
    return linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage &&
           LLVMGetVisibility(function) == LLVMDefaultVisibility && LLVMGetIntrinsicID(function) == 0;
}

/* Returns whether `name` is `base`, or `base` with the suffix of float or long double: sin, sinf, sinl. */
static bool is_form_of(const char *name, const char *base) {
    size_t length = strlen(base);
    return strncmp(name, base, length) == 0 &&
           (name[length] == '\0' || ((name[length] == 'f' || name[length] == 'l') && name[length + 1] == '\0'));
}

/* Returns the number of operands of a mathematical function of the lists above; 0 for any other name. */
static unsigned operands_of(const char *name) {
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
        if (is_form_of(name, of_one[i]))
            return 1;
    for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
        if (is_form_of(name, of_two[i]))
            return 2;
    return 0;
}

/* Returns the mathematical function with this name, and declares it if the program does not; NULL if there is none. */
static LLVMValueRef mathematical(cc_unit *unit, const char *name) {
    unsigned operands = operands_of(name);
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
    if (operands == 0 || function != NULL)
        return function;
    char last = name[strlen(name) - 1];
    LLVMTypeRef type = operands_of(cc_print(unit, "%.*s", (int)strlen(name) - 1, name)) == 0 ? unit->f64
                       : last == 'f'                                                         ? unit->f32
                                                                                             : unit->f80;
    LLVMTypeRef types[] = {type, type};
    return LLVMAddFunction(unit->module, name, LLVMFunctionType(type, types, operands, false));
}

/* Adds the function with this name: one that the program defines or declares, or a mathematical one. */
static void add_named(table *table, const char *name) {
    LLVMValueRef function = LLVMGetNamedFunction(table->unit->module, name);
    if (function == NULL || !is_visible(function))
        function = mathematical(table->unit, name);
    if (function != NULL && is_visible(function))
        add(table, name, function);
}

static void add_all(table *table) {
    LLVMModuleRef module = table->unit->module;
    bool exports = table->unit->program->request->exports;
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
        add_named(table, of_one[i]);
    for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
        add_named(table, of_two[i]);
    for (LLVMValueRef at = exports ? LLVMGetFirstFunction(module) : NULL; at != NULL; at = LLVMGetNextFunction(at))
        if (!LLVMIsDeclaration(at) && is_visible(at) && strcmp(LLVMGetValueName(at), "main") != 0)
            add(table, LLVMGetValueName(at), at);
}

/* ---- Calls ---- */

/* Returns the constant string at `address`; NULL if it is not constant. */
static const char *text_of(cc_unit *unit, LLVMValueRef address) {
    LLVMValueRef bytes =
        LLVMIsAGlobalVariable(address) != NULL && LLVMIsGlobalConstant(address) ? LLVMGetInitializer(address) : NULL;
    size_t length;
    if (bytes == NULL || LLVMIsAConstantDataArray(bytes) == NULL || !LLVMIsConstantString(bytes))
        return NULL;
    const char *text = LLVMGetAsString(bytes, &length);
    return length > 0 && memchr(text, '\0', length) == text + length - 1 ? cc_print(unit, "%s", text) : NULL;
}

static LLVMValueRef table_at(const table *table) {
    LLVMTypeRef entry = entry_type(table->unit);
    LLVMValueRef content = LLVMConstArray2(entry, table->entries, table->count);
    LLVMValueRef global = LLVMAddGlobal(table->unit->module, LLVMTypeOf(content), "verso.symbols");
    LLVMSetInitializer(global, content);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

static void look_up(cc_unit *unit, LLVMValueRef call) {
    const char *name = text_of(unit, LLVMGetOperand(call, 1));
    table table = {.unit = unit};
    if (name != NULL)
        add_named(&table, name);
    else
        add_all(&table);
    if (table.count == 0)
        return;
    size_t count;
    LLVMValueRef *users = cc_users(unit, call, &count);
    LLVMValueRef symbols = table_at(&table);
    cc_build_before(unit, LLVMGetNextInstruction(call));
    LLVMValueRef arguments[] = {call, LLVMGetOperand(call, 1), symbols, cc_i64(unit, (int64_t)table.count)};
    LLVMValueRef known = cc_call_runtime(unit, "verso__native_symbol", unit->pointer, arguments, 4);
    LLVMInstructionSetDebugLoc(known, LLVMInstructionGetDebugLoc(call));
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users[i]); k++)
            if (LLVMGetOperand(users[i], k) == call)
                LLVMSetOperand(users[i], k, known);
}

void cc_find_symbols(cc_unit *unit) {
    static const char *const names[] = {"dlsym", "dlvsym"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(unit->module, names[i]);
        if (function == NULL || !LLVMIsDeclaration(function))
            continue;
        size_t count;
        LLVMValueRef *users = cc_users(unit, function, &count);
        for (size_t k = 0; k < count; k++)
            if (LLVMIsACallInst(users[k]) != NULL && cc_is_direct_call(users[k], function) &&
                LLVMGetNumArgOperands(users[k]) > 1)
                look_up(unit, users[k]);
    }
}
