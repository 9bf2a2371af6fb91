/* Moves loads of pointers and integers to before loops. An object that keeps the address of its data, as a std::vector
 * does, is read again in each iteration where LLVM cannot tell that the loop does not change it. With the classes of
 * accesses (ir/tags.h) we can, and ranges.h needs to know before a nest where the data begin. */
#ifndef CC_HOIST_H
#define CC_HOIST_H

#include "cc/plan/body.h"

/* Moves the loads of the function whose addresses stay the same in a loop, and that read what nothing in the loop
 * writes, if the loop certainly executes them. */
void cc_hoist_loads(cc_unit *unit, cc_function *function);

#endif
