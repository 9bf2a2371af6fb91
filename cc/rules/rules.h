/* Room `rules`: derivatives of single operations: floating-point instructions, and calls of mathematical functions.
 *
 * A rule builds seed * (d result / d operand), which is linear in the seed. Tangent mode adds these products up
 * over the operands, with the operands' tangents as seeds. Reverse mode adds each product to the adjoint of its
 * operand, with the adjoint of the result as the seed. Both modes use the same rules, so they cannot disagree.
 * Rules work on single doubles or floats: callers set unit->rule_type, narrow long doubles, and split vectors.
 *
 *   rules.c       finds the rule of an instruction or call
 *   rules_math.c  the rules
 *
 * Requires: a builder that is placed where the product is to be computed. Leaves: the product, in new instructions
 * there. Owns: the table of rules, which is constant. */
#ifndef CC_RULES_H
#define CC_RULES_H

#include "cc/ir/unit.h"

enum {
    CC_RULE_OPERANDS = 3,    /* maximum number of operands of a rule */
    CC_RULE_RESULT = 1 << 30 /* bit of cc_rule.needs */
};

typedef struct cc_rule {
    const char *name;
    unsigned operands; /* number of operands; integer ones have no derivative, but a partial derivative may use them */
    /* needs[i]: the values that the partial derivative by operand i uses; bit k: operand k, CC_RULE_RESULT: the
     * result. */
    unsigned needs[CC_RULE_OPERANDS];
    bool zero[CC_RULE_OPERANDS]; /* zero[i]: the derivative by operand i is zero everywhere; `partial` is not called */
    /* Builds seed * (partial derivative by operand `by`) and returns it. operand[k] and result are NULL unless
     * `needs` has their bit. Floating-point operands have the type unit->rule_type; integer operands have the type that
     * they have in the program. */
    LLVMValueRef (*partial)(cc_unit *unit, const struct cc_rule *rule, unsigned by, LLVMValueRef seed,
                            const LLVMValueRef *operand, LLVMValueRef result);
    double constant[2];   /* parameters of `partial` */
    const char *function; /* name of a function that `partial` calls; may be NULL */
} cc_rule;

/* Metadata of selections that rules build: zero if the seed is zero, otherwise what is linear in the seed. */
#define CC_RULE_LINEAR "verso.linear"

/* Returns the rule of a floating-point instruction (fadd, fsub, fmul, fdiv, frem, fneg, fpext, fptrunc) or of a
 * call of a known mathematical function; NULL for any other instruction. */
const cc_rule *cc_rule_of(LLVMValueRef instruction);
/* Returns the type in which the rule of an instruction should compute: f32 if its result and its operands are floats,
 * or vectors of floats, else f64. */
LLVMTypeRef cc_rule_type(cc_unit *unit, LLVMValueRef instruction);
/* Returns the rule of the function or intrinsic with this name, in any of its float, double, long double and vector
 * forms; NULL if there is none. */
const cc_rule *cc_rule_named(const char *name);

/* Returns whether computing the instruction again from its operands costs less than loading its result from the tape:
 * true for additions, multiplications, conversions, fabs, copysign, minimum and maximum, and for fma if the processor
 * has that instruction; false for divisions and for all other calls. */
bool cc_rule_cheap(LLVMValueRef instruction);

#endif
