/* The rules themselves, for rules.c, which finds the right one. */
#ifndef CC_RULES_MATH_H
#define CC_RULES_MATH_H

#include "cc/rules.h"

/* Instructions by their LLVM names: fadd, fsub, fmul, fdiv, frem, fneg, fpext, fptrunc. NULL when it is none of these.
 */
const cc_rule *cc_rules_arithmetic(const char *name);
/* Functions by their C name (double's), sorted by name. What only LLVM has is called "llvm.NAME". */
extern const cc_rule cc_rules_math[];
extern const size_t cc_rules_math_count;

#endif
