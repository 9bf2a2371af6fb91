/* Divided regions (cc/lower/regions.h) in generated code. The version f.record that callers know hands its arguments to
 * the run time (native/sweep/team.h), which calls the generated code, f.record.one, for the shares of one or of all
 * threads; f.tangent does likewise. Callers enter the reverse function by way of f.enter. */
#ifndef CC_SHARES_H
#define CC_SHARES_H

#include "cc/ir/unit.h"

/* Declares the entrance of a divided region's reverse function. */
void cc_declare_entrance(cc_unit *unit, cc_function *function, const char *name);
/* Builds the entrances, and makes callers of all divided regions call the run time. To be called when all functions are
 * recorded. */
void cc_share_recorded(cc_unit *unit);
/* Makes the callers of `version` call the function `runtime` of the run time instead, a verso__native_team_...
 * `entrance`: NULL in tangent code. */
void cc_share_version(cc_unit *unit, LLVMValueRef version, const char *runtime, LLVMValueRef entrance);

#endif
