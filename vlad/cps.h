/* CPS conversion: turns a program into terms that never return (section 3.11 of the paper, figure 15).
 *
 * A term is evaluated with these variables, which are registers of the machine:
 *
 *   k          the continuation, which receives the value (VLAD_CONTINUATION)
 *   f          the closure whose body contains the term (VLAD_SELF); it holds the captured variables
 *   l0 l1 ...  locals, as in the core
 *   x0 x1 x2   values of the parts of the current expression (VLAD_VALUES)
 *
 * The step count n and the limit l of the figure are those of the machine. A lambda of the program takes k and its
 * argument (lambda_4 in the figure). The code that waits for the value of a part is an explicit lambda, too
 * (lambda_3): it takes a value and captures its free variables, including k, one by one. So the text of k never
 * nests closures, and the terms are as long as the program, whatever its shape.
 *
 * Constants, variables and lambdas have their value immediately. For such a part lambda_3 would be applied where
 * it is written; instead of making it, the conversion sets its variable.
 *
 * Terms point to expressions of the core for what does not change: places, operators, patterns, sets of locals. */
#ifndef VLAD_CPS_H
#define VLAD_CPS_H

#include "vlad/core.h"

/* Each clause of figure 15 is a STEP around one of the others. E is the expression `e` of the term. */
typedef enum vlad_cps_kind {
    VLAD_CPS_STEP,    /* <<next>>: check the limit (61), then n + 1 */
    VLAD_CPS_RETURN,  /* k E: for a constant, a variable or a lambda E */
    VLAD_CPS_SET,     /* (lambda_3 x. next) E: set x */
    VLAD_CPS_PUSH,    /* next, with k a closure of lambda_3 */
    VLAD_CPS_CALL,    /* x0 k x1 */
    VLAD_CPS_OPERATE, /* k (E's operator x0 x1 x2) */
    VLAD_CPS_BRANCH,  /* if x0 then next else otherwise */
    VLAD_CPS_MATCH,   /* next, with the locals of E's pattern bound to parts of x0 */
    VLAD_CPS_LETREC,  /* next, with E's lambdas in its locals */
} vlad_cps_kind;

/* The free variables of a term, apart from k, which is always free. A local may be in both sets. */
typedef struct vlad_cps_captured {
    const uint32_t *locals[2]; /* in ascending order */
    uint32_t count[2];
    uint32_t values; /* number of x0, x1, ... among them */
    bool function;   /* f is among them */
} vlad_cps_captured;

/* lambda_3: a continuation. */
typedef struct vlad_cps_continuation {
    vlad_cps_captured captured;
    uint32_t number; /* among all continuations of the program, from 0 */
    uint32_t value;  /* its parameter is x of this number */
    const struct vlad_cps_term *body;
} vlad_cps_continuation;

typedef struct vlad_cps_term {
    vlad_cps_kind kind;
    uint32_t value;           /* STEP: its number, from 0; SET: the number of x; OPERATE: the number of arguments */
    const vlad_expression *e; /* the expression that the term comes from */
    const struct vlad_cps_term *next;
    union {
        vlad_cps_captured captured;                /* STEP: what a capsule before it captures */
        const vlad_cps_continuation *continuation; /* PUSH */
        const struct vlad_cps_term *otherwise;     /* BRANCH */
    } is;
} vlad_cps_term;

/* A converted program. The terms of a lambda's body and of an expression begin with the STEP of that expression. */
typedef struct vlad_cps {
    const vlad_cps_term **lambdas; /* bodies of the lambdas, by their numbers */
    /* top-level expressions of the program, by their numbers; other entries may be NULL */
    const vlad_cps_term **expressions;
    /* All steps and continuations by number. Capsules and closures refer to these numbers, which are the same
     * whenever the same program is converted. */
    const vlad_cps_term **steps;
    const vlad_cps_continuation **continuations;
    uint32_t step_count, continuation_count;
} vlad_cps;

/* Converts a program. The result lives in the arena. */
verso_status vlad_cps_convert(vlad_sources *sources, const vlad_program *program, vlad_cps *cps, verso_error *error);

#endif
