/* Functions of numerical libraries whose derivatives Verso knows by name: BLAS and LAPACK (rules.c), FFTW (plans.c). */
#ifndef CC_FRONT_RULES_H
#define CC_FRONT_RULES_H

#include "cc/ir/program.h"

/* If the external function is a routine whose derivative Verso knows by name, makes its adjoint and returns true. */
bool cc_make_rule(cc_unit *unit, LLVMValueRef function, cc_adjoint *adjoint);
/* Makes the functions of the adjoint, which call verso__native_KIND_record and so on with `code` and the arguments. */
cc_adjoint cc_rule_adjoint(cc_unit *unit, LLVMValueRef function, uint64_t code, const char *kind);
/* Builds the word that stands for an argument. */
LLVMValueRef cc_rule_word(cc_unit *unit, LLVMValueRef value);
/* If `name` looks like a routine of BLAS or LAPACK, returns the names of the known ones that are most like it; NULL:
 * none is. */
const char *cc_rule_neighbours(cc_unit *unit, const char *name);

/* Replaces functions of FFTW that make and destroy plans. */
void cc_replace_plans(cc_unit *unit);
/* If the external function executes plans of FFTW, makes its adjoint and returns true. */
bool cc_make_plan_rule(cc_unit *unit, LLVMValueRef function, cc_adjoint *adjoint);

#endif
