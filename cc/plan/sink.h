/* Moves stores to after loops. A sum that a loop keeps in memory, a[i][j] -= a[i][k] * a[k][j], is in a register as
 * well; LLVM stores it in each iteration if it cannot tell that the loop never reads it. The reverse of such a loop
 * would fetch the adjoint of the sum from its cell, and clear the cell, each time. */
#ifndef CC_SINK_H
#define CC_SINK_H

#include "cc/plan/ranges.h"

/* Moves stores of the function to after the loops in which their addresses stay the same, if nothing in the loop reads
 * or writes what they write. A nest with copies is only entered if it does not write to them. `ranges` may be NULL. */
void cc_sink_stores(cc_unit *unit, cc_function *function, const cc_ranges *ranges);

#endif
