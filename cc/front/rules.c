/* Routines of BLAS and LAPACK that the program calls by name (native/blas/routines.h). For each, this pass makes the
 * three functions of a custom adjoint, which put the arguments into an array of words:
 *
 *     R verso.rule.NAME.record(call, A...) {
 *         words = {A...};
 *         verso__native_rule_record(call, code, words);
 *         result = NAME(A...);
 *         verso__native_rule_recorded(call, code, words);
 *         return result;
 *     }
 *
 * and likewise .sweep, which does not call the routine, and .tangent. */
#include "cc/front/rules.h"

#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "native/blas/routines.h"

#include <ctype.h>
#include <string.h>

typedef struct routine {
    const char *base, *types, *names, *signature;
    int level;
} routine;

static const routine routines[] = {
#define ROUTINE(routine, types, names, signature, level) {#routine, types, names, signature, level},
    VERSO_BLAS_LIST(ROUTINE)
#undef ROUTINE
};

/* What a name means. */
typedef struct found {
    size_t routine, type;
    verso__blas_interface interface;
} found;

/* ---- Names ---- */

/* Returns the type for which the routine has this name; 4: it has not. */
static size_t type_of_name(const routine *routine, const char *name, size_t length) {
    const char *next = routine->names;
    for (size_t i = 0; routine->types[i] != '\0'; i++) {
        size_t type = (size_t)(strchr("sdcz", routine->types[i]) - "sdcz"), size = strcspn(next, " ");
        bool same = routine->names[0] == '\0' ? name[0] == routine->types[i] && length == 1 + strlen(routine->base) &&
                                                    strncmp(name + 1, routine->base, length - 1) == 0
                                              : length == size && strncmp(name, next, size) == 0;
        if (same)
            return type;
        next += size + (next[size] == ' ');
    }
    return 4;
}

static bool begins_with(const char *name, const char *prefix) {
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Splits `name` into the routine's name and its interface. Returns false if it looks like no routine. */
static bool split_name(const char **name, size_t *length, verso__blas_interface *interface, bool *lapack) {
    *interface = VERSO_BLAS_C;
    *lapack = begins_with(*name, "LAPACKE_");
    if (*lapack || begins_with(*name, "cblas_")) {
        *name += strlen(*lapack ? "LAPACKE_" : "cblas_");
        *length = strlen(*name);
        if (!*lapack && *length > 4 && strcmp(*name + *length - 4, "_sub") == 0)
            *length -= 4;
        return true;
    }
    *interface = VERSO_BLAS_FORTRAN;
    *length = strlen(*name);
    if (*length < 2 || (*name)[*length - 1] != '_')
        return false;
    --*length;
    return true;
}

static bool find_routine(const char *name, found *found) {
    size_t length;
    bool lapack;
    if (!split_name(&name, &length, &found->interface, &lapack))
        return false;
    for (size_t i = 0; i < VERSO_BLAS_ROUTINES; i++) {
        found->type = type_of_name(&routines[i], name, length);
        if (found->type == 4 || (found->interface == VERSO_BLAS_C && lapack != (routines[i].level == 0)))
            continue;
        found->routine = i;
        return true;
    }
    return false;
}

/* ---- Types ---- */

/* Returns the number of arguments of the routine. */
static unsigned count_arguments(const found *found) {
    const routine *routine = &routines[found->routine];
    bool fortran = found->interface == VERSO_BLAS_FORTRAN;
    unsigned count = !fortran && routine->level != 1;
    bool complex = found->type >= 2;
    for (const char *at = routine->signature; *at != '\0'; at++) {
        if (*at == '|' && (fortran || !complex))
            break;
        count += *at != '|' && (fortran || !isupper((unsigned char)*at));
    }
    return count;
}

static bool is_word(const cc_unit *unit, LLVMTypeRef type) {
    return type == unit->pointer || type == unit->f64 || type == unit->f32 || type == unit->i64 || type == unit->i32 ||
           type == unit->i8;
}

/* Returns whether the program declares the function as the routine is: LP64, every argument a word. */
static bool is_declared_so(const cc_unit *unit, LLVMValueRef function, unsigned count) {
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) || LLVMCountParams(function) < count)
        return false;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (!is_word(unit, LLVMTypeOf(LLVMGetParam(function, i))))
            return false;
    return true;
}

/* ---- The functions ---- */

LLVMValueRef cc_rule_word(cc_unit *unit, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (type == unit->f32) {
        value = LLVMBuildFPExt(unit->builder, value, unit->f64, "");
        type = unit->f64;
    }
    if (type == unit->f64)
        return LLVMBuildBitCast(unit->builder, value, unit->i64, "");
    if (type == unit->pointer)
        return LLVMBuildPtrToInt(unit->builder, value, unit->i64, "");
    return type == unit->i64 ? value : LLVMBuildSExt(unit->builder, value, unit->i64, "");
}

static void call_rule(cc_unit *unit, const char *name, LLVMValueRef function, uint64_t code, LLVMValueRef words) {
    LLVMValueRef arguments[] = {LLVMGetParam(function, 0), cc_i64(unit, (int64_t)code), words};
    cc_call_runtime(unit, name, unit->none, arguments, 3);
}

/* Makes one of the three functions. `before` and `after` are called around the routine; NULL: the routine is not
 * called. */
static const char *make_part(cc_unit *unit, LLVMValueRef routine, uint64_t code, const char *part, const char *before,
                             const char *after) {
    const char *name = cc_print(unit, "verso.rule.%s.%s", LLVMGetValueName(routine), part);
    LLVMTypeRef type = LLVMGlobalGetValueType(routine), result = LLVMGetReturnType(type);
    LLVMValueRef function =
        LLVMAddFunction(unit->module, name, cc_type_with_call(unit, routine, after == NULL ? unit->none : result));
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, function, ""));
    unsigned count = LLVMCountParams(routine);
    LLVMValueRef words = LLVMBuildAlloca(unit->builder, LLVMArrayType2(unit->i64, count + 1), "");
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = LLVMGetParam(function, i + 1);
        LLVMBuildStore(unit->builder, cc_rule_word(unit, arguments[i]), cc_offset(unit, words, 8 * (int64_t)i));
    }
    call_rule(unit, before, function, code, words);
    if (after == NULL) {
        LLVMBuildRetVoid(unit->builder);
        return name;
    }
    LLVMValueRef value = LLVMBuildCall2(unit->builder, type, routine, arguments, count, "");
    call_rule(unit, after, function, code, words);
    if (result == unit->none)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, value);
    return name;
}

cc_adjoint cc_rule_adjoint(cc_unit *unit, LLVMValueRef function, uint64_t code, const char *kind) {
    const char *names[5];
    static const char *const suffixes[] = {"record", "recorded", "sweep", "tangent", "tangent_end"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        names[i] = cc_print(unit, "verso__native_%s_%s", kind, suffixes[i]);
    cc_use_module(unit, unit->program->module);
    cc_adjoint made = {.function = cc_print(unit, "%s", LLVMGetValueName(function))};
    made.record = make_part(unit, function, code, "record", names[0], names[1]);
    made.sweep = make_part(unit, function, code, "sweep", names[2], NULL);
    made.tangent = make_part(unit, function, code, "tangent", names[3], names[4]);
    return made;
}

bool cc_make_rule(cc_unit *unit, LLVMValueRef function, cc_adjoint *adjoint) {
    found found;
    const char *name = LLVMGetValueName(function);
    if (!find_routine(name, &found) || !is_declared_so(unit, function, count_arguments(&found)))
        return false;
    *adjoint = cc_rule_adjoint(unit, function, VERSO_BLAS_CODE(found.routine, found.type, found.interface), "rule");
    unit->program->singles = unit->program->singles || found.type % 2 == 0;
    return true;
}

/* ---- Unknown routines ---- */

/* Returns the number of letters that two names have in common at their beginning. */
static size_t common(const char *a, const char *b, size_t length) {
    size_t same = 0;
    while (same < length && b[same] != '\0' && a[same] == b[same])
        same++;
    return same;
}

const char *cc_rule_neighbours(cc_unit *unit, const char *name) {
    verso__blas_interface interface;
    bool lapack;
    size_t length, best = 1;
    if (!split_name(&name, &length, &interface, &lapack) || length < 4 || strchr("sdcz", name[0]) == NULL)
        return NULL;
    const char *list = NULL;
    for (size_t i = 0; i < VERSO_BLAS_ROUTINES; i++) {
        size_t same = common(name + 1, routines[i].base, length - 1);
        if (same > best)
            list = NULL;
        if (same < 2 || same < best)
            continue;
        best = same;
        list = list == NULL ? cc_print(unit, "%c%s", name[0], routines[i].base)
                            : cc_print(unit, "%s, %c%s", list, name[0], routines[i].base);
    }
    return list;
}
