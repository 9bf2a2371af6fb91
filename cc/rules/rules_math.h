/* The table of rules, for rules.c, which searches it. */
#ifndef CC_RULES_MATH_H
#define CC_RULES_MATH_H

#include "cc/rules/rules.h"

/* Returns the rule of the instruction that LLVM calls `name` (fadd, fsub, fmul, fdiv, frem, fneg, fpext, fptrunc),
 * or the rule "rounding" (see rules.c); NULL for any other name. */
const cc_rule *cc_rules_arithmetic(const char *name);
/* Rules of functions, sorted by the name of the function for double in C. A function that only LLVM has is called
 * "llvm.NAME". */
extern const cc_rule cc_rules_math[];
extern const size_t cc_rules_math_count;

#endif
