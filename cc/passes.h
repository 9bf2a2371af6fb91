/* The passes, in the order of cc.h. Each works on unit->module unless it says otherwise. */
#ifndef CC_PASSES_H
#define CC_PASSES_H

#include "cc/cc.h"

/* Records one function and makes its reverse function. Requires a lowered and normalised function, unit->functions with
 * all reverse functions declared. */
void cc_record_function(cc_unit *unit, cc_function *function);
/* Whether nothing in it concerns derivatives: no floating-point store, load or arithmetic that matters, no copying, no
 * allocation, no followed call but of functions that are inert too. Called for all functions until nothing changes. */
bool cc_record_inert(cc_unit *unit, cc_function *function);

/* Makes the function carry tangents: those of arguments come in state.argument, that of the result goes to state.result. */
void cc_tangent_function(cc_unit *unit, cc_function *function);

#endif
