/* Derivatives of single operations: floating-point instructions, and calls of mathematical functions.
 *
 * A rule builds seed * (d result / d operand), which is linear in the seed; tangent mode adds these up over the
 * operands with their tangents as seeds, reverse mode adds them to the operands with the result's adjoint as seed. So
 * the two modes cannot disagree. Everything is a double here, one number at a time: callers widen floats, narrow long
 * doubles and take vectors apart. */
#ifndef CC_RULES_H
#define CC_RULES_H

#include "cc/cc.h"

enum { CC_RULE_OPERANDS = 3, CC_RULE_RESULT = 1 << 30 };

typedef struct cc_rule {
    const char *name;
    unsigned operands; /* how many the rule knows; those of integer type have no partial derivative but may be needed */
    /* Which values the partial derivative by operand i uses: bit k operand k, CC_RULE_RESULT the result. */
    unsigned needs[CC_RULE_OPERANDS];
    bool zero[CC_RULE_OPERANDS]; /* the derivative by operand i is zero everywhere: nothing is built */
    /* operand[k] and result are there when `needs` says so, else NULL. Floating operands are doubles; integers are as
     * in the program. */
    LLVMValueRef (*partial)(cc_unit *unit, const struct cc_rule *rule, unsigned by, LLVMValueRef seed,
                            const LLVMValueRef *operand, LLVMValueRef result);
    double constant[2];   /* for `partial` */
    const char *function; /* for `partial` */
} cc_rule;

/* fadd, fsub, fmul, fdiv, frem, fneg, fpext, fptrunc, and calls that known.h calls CC_CALL_RULE; NULL for all else. */
const cc_rule *cc_rule_of(LLVMValueRef instruction);
/* By the name of a function or intrinsic, any of its float, double, long double and vector forms. */
const cc_rule *cc_rule_named(const char *name);

/* Whether recomputing it from its operands is cheaper than a load: fadd, fsub, fmul, fneg, fma, fabs, ... */
bool cc_rule_cheap(LLVMValueRef instruction);

#endif
