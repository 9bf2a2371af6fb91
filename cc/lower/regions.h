/* Parallel regions of OpenMP whose threads' shares are differentiated one by one, or in parallel. */
#ifndef CC_LOWER_REGIONS_H
#define CC_LOWER_REGIONS_H

#include "cc/ir/program.h"

/* Returns whether this region, a function of the base copy that still has its name in the program, can be divided. */
bool cc_is_divided(cc_unit *unit, LLVMValueRef region);

#endif
