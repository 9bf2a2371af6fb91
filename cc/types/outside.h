/* What code that the analysis of classes (classes.h) does not read may do with a global variable. */
#ifndef CC_TYPES_OUTSIDE_H
#define CC_TYPES_OUTSIDE_H

#include "cc/ir/unit.h"

/* Returns whether the analysis knows all pointers to the global, and all that is stored in it while a differentiated
 * function runs. Functions that are not analysed may use it, if they run only before and after, and access it directly,
 * and store no pointers in it. */
bool cc_only_analysed(cc_unit *unit, LLVMValueRef global);

/* Returns whether code that is not analysed may call a function, apart from calls through pointers: it does so in the
 * program, or the function returns something and other files may name it. */
bool cc_is_called_outside(cc_unit *unit, LLVMValueRef function);
/* Returns whether code that is not analysed may know the address of a global: other files may name it, or it is in the
 * initialiser of a variable that such code uses. */
bool cc_is_shared(cc_unit *unit, LLVMValueRef global);

#endif
