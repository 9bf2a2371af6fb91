/* `--verso-externals`: lists the functions that `verso cc` did not compile and that differentiated code calls:
 * where each is called, which derivative it has or needs, where the derivatives of its arguments are, and what must
 * be preserved for its adjoint.
 *
 * Functions of the C library that Verso knows are not listed, nor are functions without numbers and pointers, which
 * need no derivative. */
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/front/refuse.h"
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

typedef struct external {
    LLVMValueRef function;
    const char *places;
} external;

typedef struct externals {
    cc_unit *unit;
    external *all;
    size_t count, capacity;
} externals;

static bool is_listed(cc_unit *unit, LLVMValueRef callee) {
    const char *name = LLVMGetValueName(callee);
    if (!LLVMIsDeclaration(callee) || strncmp(name, "llvm.", 5) == 0 || strncmp(name, "verso_", 6) == 0)
        return false;
    if (cc_adjoint_of(unit, name) != NULL || cc_is_inactive(unit, callee))
        return true;
    return cc_known_find(name).class == CC_KNOWN_NOT && cc_has_number_or_pointer(unit, LLVMGlobalGetValueType(callee));
}

static external *find(externals *e, LLVMValueRef function) {
    for (size_t i = 0; i < e->count; i++)
        if (e->all[i].function == function)
            return &e->all[i];
    cc_reserve(e->unit, &e->all, &e->capacity, e->count + 1, sizeof *e->all);
    e->all[e->count] = (external){.function = function};
    return &e->all[e->count++];
}

static void add_place(externals *e, LLVMValueRef callee, const char *place) {
    external *external = find(e, callee);
    if (external->places == NULL)
        external->places = place;
    else if (strstr(external->places, place) == NULL)
        external->places = cc_print(e->unit, "%s, %s", external->places, place);
}

static void scan(externals *e, const cc_member *member) {
    bool wraps = strncmp(member->name, "verso.wrap.", strlen("verso.wrap.")) == 0;
    if (wraps ? !member->pointed : member->adjoint != NULL)
        return;
    for (LLVMValueRef at = cc_first(member->program); at != NULL; at = cc_next(at)) {
        LLVMValueRef callee = cc_is_call(at) ? cc_callee(at) : NULL;
        if (callee != NULL && is_listed(e->unit, callee))
            add_place(e, callee, wraps ? "a pointer" : cc_where(e->unit, at));
    }
}

/* ---- The text ---- */

static const char *form_of(cc_unit *unit, LLVMValueRef function) {
    const cc_adjoint *adjoint = cc_adjoint_of(unit, LLVMGetValueName(function));
    if (adjoint != NULL)
        return cc_print(unit, "has an adjoint in %s, %s",
                        adjoint->either          ? "one piece and one in two"
                        : adjoint->whole != NULL ? "one piece"
                                                 : "two pieces",
                        adjoint->tangent != NULL ? "and a tangent version" : "but no tangent version");
    if (cc_is_pure(unit, function))
        return "is declared pure";
    return cc_is_inactive(unit, function)
               ? "is declared inactive"
               : "needs VERSO_ADJOINT (one piece), VERSO_CUSTOM_ADJOINT (two pieces) or VERSO_INACTIVE";
}

/* Returns where the derivatives of a value of this type are; "" if it has none. Adds the count of numbers passed by
 * value to *number. */
static const char *derivatives_of(cc_unit *unit, LLVMTypeRef type, const char *array, unsigned *number) {
    unsigned numbers = 0;
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        numbers += cc_leaf_is_number(cc_leaf_type(unit, type, i));
    *number += numbers;
    if (numbers == 1)
        return cc_print(unit, "%s[%u]", array, *number - 1);
    if (numbers > 1)
        return cc_print(unit, "%s[%u] to %s[%u]", array, *number - numbers, array, *number - 1);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return "its target, if it points to numbers (verso_adjoint_add)";
    return "";
}

static void say_arguments(cc_unit *unit, LLVMValueRef function) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function), result = LLVMGetReturnType(type);
    unsigned number = 0, results = 0;
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        const char *where = derivatives_of(unit, LLVMTypeOf(LLVMGetParam(function, i)), "argument", &number);
        if (*where != '\0')
            cc_note(unit, cc_print(unit, "    argument %u: derivative in %s\n", i + 1, where));
    }
    const char *where = derivatives_of(unit, result, "result", &results);
    if (*where != '\0')
        cc_note(unit, cc_print(unit, "    result: derivative in %s\n", where));
}

static void say_preserved(cc_unit *unit, LLVMValueRef function) {
    const cc_adjoint *adjoint = cc_adjoint_of(unit, LLVMGetValueName(function));
    bool pointers = false;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        pointers = pointers || LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, i))) == LLVMPointerTypeKind;
    if (!pointers)
        cc_note(unit, "    preserved: all arguments, by Verso; global variables that it reads, in two pieces by "
                      "verso_keep\n");
    else if (adjoint != NULL && adjoint->whole != NULL && !adjoint->either)
        cc_note(unit, "    preserved: all, by Verso\n");
    else
        cc_note(unit, "    preserved: the arguments, by Verso; what they point to, if its derivative depends on it, in "
                      "two pieces by verso_keep, in one piece by Verso\n");
}

static void say(cc_unit *unit, const external *external) {
    LLVMValueRef function = external->function;
    const char *name = LLVMGetValueName(function), *shown = cc_demangled(unit, name);
    /* --verso-inactive takes the mangled name, so it is shown, too. */
    const char *symbol = strcmp(name, shown) == 0 ? "" : cc_print(unit, " (%s)", name);
    cc_note(unit, cc_print(unit, "external %s%s: %s\n", shown, symbol, form_of(unit, function)));
    cc_note(unit, cc_print(unit, "    called by %s\n", cc_demangled(unit, external->places)));
    if (cc_is_inactive(unit, function))
        return;
    say_arguments(unit, function);
    say_preserved(unit, function);
}

void cc_list_externals(cc_unit *unit) {
    externals e = {.unit = unit};
    for (size_t i = 0; i < unit->program->member_count; i++)
        if (unit->program->members[i]->program != NULL)
            scan(&e, unit->program->members[i]);
    for (size_t i = 0; i < e.count; i++)
        say(unit, &e.all[i]);
    if (e.count == 0)
        cc_note(unit, "no external functions are called by differentiated code, but for those that Verso knows\n");
}
