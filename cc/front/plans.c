/* Plans of FFTW (native/blas/fourier.c). A plan does not say which arrays and lengths it is for, so every function that
 * makes one is replaced, in all code that `verso cc` compiled, by a function of the program's module that tells the run
 * time:
 *
 *     plan verso.plan.NAME(A...) {
 *         made = NAME(A...);
 *         words = {A...};
 *         verso__native_plan_made(made, code, words, &verso.fftw);
 *         return made;
 *     }
 *
 * verso.fftw lists the functions of the library that the run time calls. Executing a plan has a custom adjoint. */
#include "native/blas/plans.h"
#include "cc/front/rules.h"

#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

static const char *const prefixes[] = {"fftw_", "fftwf_"}, *const tables[] = {"verso.fftw", "verso.fftwf"};
enum { PRECISIONS = 2 };

static const struct {
    const char *name, *signature;
} makers[] = {
#define MAKER(name, signature) {#name, signature},
    VERSO_PLAN_LIST(MAKER)
#undef MAKER
};

/* The functions that execute plans; all but the first take the arrays. */
static const char *const executing[] = {"execute", "execute_dft", "execute_dft_r2c", "execute_dft_c2r"};

static LLVMValueRef external(cc_unit *unit, const char *prefix, const char *name) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->program->module, cc_print(unit, "%s%s", prefix, name));
    return function != NULL && LLVMIsDeclaration(function) ? function : NULL;
}

static void declare_inactive(cc_unit *unit, LLVMValueRef function) {
    cc_map_put(unit, &unit->program->inactive, function, 1);
}

static LLVMValueRef table_of(cc_unit *unit, size_t precision) {
    LLVMValueRef table = LLVMGetNamedGlobal(unit->module, tables[precision]);
    if (table != NULL)
        return table;
    table = LLVMAddGlobal(unit->module, LLVMArrayType2(unit->pointer, 3), tables[precision]);
    LLVMSetVisibility(table, LLVMHiddenVisibility);
    LLVMSetGlobalConstant(table, true);
    return table;
}

static void replace_maker(cc_unit *unit, LLVMValueRef maker, size_t number, size_t precision) {
    LLVMTypeRef type = LLVMGlobalGetValueType(maker);
    unsigned count = LLVMCountParams(maker);
    if (LLVMIsFunctionVarArg(type) || count != strlen(makers[number].signature))
        return;
    LLVMValueRef new = LLVMAddFunction(unit->module, cc_print(unit, "verso.plan.%s", LLVMGetValueName(maker)), type);
    LLVMSetLinkage(new, LLVMInternalLinkage);
    LLVMReplaceAllUsesWith(maker, new);
    declare_inactive(unit, maker);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, new, ""));
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    LLVMGetParams(new, arguments);
    LLVMValueRef words = LLVMBuildAlloca(unit->builder, LLVMArrayType2(unit->i64, count + 1), "");
    for (unsigned i = 0; i < count; i++)
        LLVMBuildStore(unit->builder, cc_rule_word(unit, arguments[i]), cc_offset(unit, words, 8 * (int64_t)i));
    LLVMValueRef made = LLVMBuildCall2(unit->builder, type, maker, arguments, count, "");
    LLVMValueRef tell[] = {made, cc_i64(unit, (int64_t)VERSO_PLAN_CODE(number, precision)), words,
                           table_of(unit, precision)};
    LLVMValueRef call = cc_call_runtime(unit, "verso__native_plan_made", unit->none, tell, 4);
    declare_inactive(unit, LLVMGetCalledValue(call));
    LLVMBuildRet(unit->builder, made);
}

static void replace_destroyer(cc_unit *unit, const char *prefix) {
    LLVMValueRef destroy = external(unit, prefix, "destroy_plan");
    if (destroy == NULL)
        return;
    LLVMTypeRef type = LLVMFunctionType(unit->none, &unit->pointer, 1, false);
    LLVMValueRef drop = cc_runtime(unit, "verso__native_plan_drop", unit->none, &unit->pointer, 1);
    if (LLVMGlobalGetValueType(destroy) == type)
        LLVMReplaceAllUsesWith(destroy, drop);
    declare_inactive(unit, drop);
}

/* To be called when all uses by the program are replaced. */
static void fill_table(cc_unit *unit, size_t precision) {
    static const char *const names[] = {"plan_many_dft", "execute", "destroy_plan"};
    LLVMValueRef table = LLVMGetNamedGlobal(unit->module, tables[precision]), entries[3];
    if (table == NULL)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        entries[i] = external(unit, prefixes[precision], names[i]);
        if (entries[i] == NULL)
            entries[i] = LLVMAddFunction(unit->module, cc_print(unit, "%s%s", prefixes[precision], names[i]),
                                         LLVMFunctionType(unit->pointer, &unit->pointer, 1, false));
    }
    LLVMSetInitializer(table, LLVMConstArray2(unit->pointer, entries, 3));
}

void cc_replace_plans(cc_unit *unit) {
    cc_use_module(unit, unit->program->module);
    for (size_t precision = 0; precision < PRECISIONS; precision++) {
        for (size_t i = 0; i < VERSO_PLANS; i++) {
            LLVMValueRef maker = external(unit, cc_print(unit, "%splan_", prefixes[precision]), makers[i].name);
            if (maker != NULL)
                replace_maker(unit, maker, i, precision);
        }
        replace_destroyer(unit, prefixes[precision]);
        fill_table(unit, precision);
    }
}

bool cc_make_plan_rule(cc_unit *unit, LLVMValueRef function, cc_adjoint *adjoint) {
    const char *name = LLVMGetValueName(function);
    for (size_t precision = 0; precision < PRECISIONS; precision++)
        for (size_t i = 0; i < sizeof executing / sizeof *executing; i++) {
            if (strcmp(name, cc_print(unit, "%s%s", prefixes[precision], executing[i])) != 0 ||
                LLVMCountParams(function) != (i == 0 ? 1 : 3))
                continue;
            *adjoint = cc_rule_adjoint(unit, function, i > 0, "plan");
            unit->program->singles = unit->program->singles || precision == 1;
            return true;
        }
    return false;
}
