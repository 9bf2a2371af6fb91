/* The derivatives of C's mathematical functions, and what users add by derivative(...). */
#ifndef REV_DERIVATIVES_H
#define REV_DERIVATIVES_H

#include "rev/program.h"

/* What a function of <math.h> or <complex.h> returns; REV_OTHER for others. */
rev_kind rev_result_kind(const char *name);
bool rev_is_imaginary_unit(const char *name);
/* The rule of a function; NULL: there is none. Those of C are read when they are first asked for. */
const rev_rule *rev_find_rule(rev_program *program, const char *name, size_t arguments);
/* One whose derivative is zero wherever it exists: floor, round, ... */
bool rev_is_flat(const char *name);
/* conj, creal, cimag, cabs, carg, cproj: complex functions without a complex derivative. */
bool rev_is_not_analytic(const char *name);

#endif
