/* CPS conversion: a program as terms that never return (section 3.11 of the paper, figure 15).
 *
 * A term is evaluated in a frame of variables, which are registers of the machine:
 *
 *   k          the continuation: where the value goes (VLAD_CONTINUATION)
 *   f          the closure whose body the term is a part of (VLAD_SELF); what it has captured is reached through it
 *   l0 l1 ...  locals, as in the core
 *   x0 x1 x2   values of parts of the expression at hand (VLAD_VALUES)
 *
 * The step count n and the limit l of the figure are the machine's. A lambda of the program takes k and its argument
 * (the figure's lambda_4). What waits for the value of a part is an explicit lambda, too (lambda_3): it takes a value
 * and captures its free variables, k among them, one by one. So k is never more than one closure deep in the text of
 * the program, and terms are as long as the program is, whatever its shape.
 *
 * Parts that are constants, variables or lambdas have their value at once. There lambda_3 would be applied where it is
 * written; it is not made, and its variable is set.
 *
 * Terms point to the core's expressions for what does not change: places, operators, patterns, sets of locals. */
#ifndef VLAD_CPS_H
#define VLAD_CPS_H

#include "vlad/core.h"

/* Each clause of figure 15 is a step around one of the others. */
typedef enum vlad_cps_kind {
    VLAD_CPS_STEP,    /* <<next>>: a limit check (61), and n + 1 */
    VLAD_CPS_RETURN,  /* k E: of a constant, a variable, a lambda E */
    VLAD_CPS_SET,     /* (lambda_3 x. next) E: x is set where it is written */
    VLAD_CPS_PUSH,    /* next, in which k is a closure of lambda_3 */
    VLAD_CPS_CALL,    /* x0 k x1 */
    VLAD_CPS_OPERATE, /* k (E's operator x0 x1 x2) */
    VLAD_CPS_BRANCH,  /* if x0 then next else otherwise */
    VLAD_CPS_MATCH,   /* next, with the locals of E's pattern bound to parts of x0 */
    VLAD_CPS_LETREC,  /* next, with E's lambdas in its locals */
} vlad_cps_kind;

/* Free variables, other than k, which always is one. A local may be in both sets. */
typedef struct vlad_cps_captured {
    const uint32_t *locals[2]; /* in ascending order */
    uint32_t count[2];
    uint32_t values; /* x0, x1, ...: how many */
    bool function;   /* f */
} vlad_cps_captured;

/* lambda_3 */
typedef struct vlad_cps_continuation {
    vlad_cps_captured captured;
    uint32_t number; /* of all of the program's, from 0 */
    uint32_t value;  /* x of that number is its parameter */
    const struct vlad_cps_term *body;
} vlad_cps_continuation;

typedef struct vlad_cps_term {
    vlad_cps_kind kind;
    uint32_t value;           /* STEP: its number, from 0; SET: the number of x; OPERATE: how many there are */
    const vlad_expression *e; /* what it comes from: E */
    const struct vlad_cps_term *next;
    union {
        vlad_cps_captured captured;                /* STEP: what a capsule in front of it captures */
        const vlad_cps_continuation *continuation; /* PUSH */
        const struct vlad_cps_term *otherwise;     /* BRANCH */
    } is;
} vlad_cps_term;

/* A converted program. The bodies of lambdas and the expressions themselves begin with a step, whose e they are. */
typedef struct vlad_cps {
    const vlad_cps_term **lambdas;     /* bodies, by the numbers of lambdas */
    const vlad_cps_term **expressions; /* by their numbers: those of the program; others may be NULL */
    /* All steps and continuations, by their numbers, which are the same whenever the same program is converted: what
     * capsules and closures point to. */
    const vlad_cps_term **steps;
    const vlad_cps_continuation **continuations;
    uint32_t step_count, continuation_count;
} vlad_cps;

/* The result lives in the arena. */
verso_status vlad_cps_convert(vlad_sources *sources, const vlad_program *program, vlad_cps *cps, verso_error *error);

#endif
