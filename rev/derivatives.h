/* The derivatives of C's mathematical functions, and those that users add with derivative(...). */
#ifndef REV_DERIVATIVES_H
#define REV_DERIVATIVES_H

#include "rev/program.h"

/* Returns the type of the result of a function of <math.h> or <complex.h>; REV_OTHER for any other function. */
rev_kind rev_result_kind(const char *name);
/* True for `I` and `_Complex_I`. */
bool rev_is_imaginary_unit(const char *name);
/* Returns the rule of the function with this name and number of arguments; NULL if there is none. The rules of C's
 * functions are parsed at the first call that needs them. */
const rev_rule *rev_find_rule(rev_program *program, const char *name, size_t arguments);
/* True for functions whose derivative is zero wherever it exists: floor, round, ... */
bool rev_is_flat(const char *name);
/* True for conj, creal, cimag, cabs, carg and cproj: complex functions without a complex derivative. */
bool rev_is_not_analytic(const char *name);

#endif
