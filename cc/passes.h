/* The passes, in the order of cc.h. Each works on unit->module unless it says otherwise. */
#ifndef CC_PASSES_H
#define CC_PASSES_H

#include "cc/cc.h"

/* Records all functions and makes their reverse functions. Requires lowered and normalised functions, and
 * unit->functions with all reverse functions declared; sets `inert` in them. */
void cc_record_all(cc_unit *unit);
/* split.c: sites are one thing in all object files. */
void cc_share_sites(cc_unit *unit);
#define CC_SITE_INFIX ".site."

/* Makes the function carry tangents: those of arguments come in state.argument, that of the result goes to
 * state.result. */
void cc_tangent_function(cc_unit *unit, cc_function *function);

#endif
