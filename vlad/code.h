/* Compiled code and the machine. Compiled code is a table of regions: stretches of evaluation without a stop within. A
 * region begins at an expression (its locals in registers), or behind a part of one (its value in VLAD_RESULT, its
 * frame on top); it says beforehand how many steps it takes at most, and how many words of memory. It is entered only
 * when there are that many, and leaves the machine as the interpreter would: so each may go on where the other stopped,
 * and whoever interrupts, captures or differentiates need not know which of the two is running.
 *
 * What is below `Called by compiled code` is called by the text that emit.c writes, in which `prelude.h` of
 * vlad/generated/ comes first. */
#ifndef VLAD_CODE_H
#define VLAD_CODE_H

#include "vlad/interpret.h"

typedef struct vlad_region {
    void (*code)(void); /* NULL: none, it is interpreted */
    uint32_t steps, words;
} vlad_region;

typedef struct vlad_code {
    const vlad_region *at;     /* by number of an expression */
    const vlad_region *behind; /* by three times that, plus the part */
    int (*enter)(vlad_machine *machine, void (*code)(void), int64_t left);
    /* What the code is about, by number; vlad_code_bind fills them in. */
    const vlad_expression **expressions;
    const vlad_lambda **lambdas;
    const vlad_letrec **letrecs;
    vlad_value (*closures)[3]; /* of lambdas that are closed */
    vlad_value (*groups)[2];   /* of letrecs that are */
    uint32_t numbers, lambda_count, letrec_count;
} vlad_code;

/* It has no variables but its own: all of its closures are alike. */
bool vlad_is_closed(const vlad_lambda *lambda);
/* The program is the one that the code was made from, read again. */
verso_status vlad_code_bind(const vlad_code *code, const vlad_program *program, verso_error *error);
/* For where the machine stands; NULL: there is none, or it may take more steps than there are before `stop`. */
const vlad_region *vlad_code_region(vlad_machine *machine, uint64_t stop);
/* From there to somewhere else. False: the machine has failed. */
bool vlad_code_run(vlad_machine *machine, const vlad_region *region, uint64_t stop);

/* ---- Called by compiled code: 0 and VLAD_NOTHING say that the machine has failed ---- */

/* Numbers that are not plain, or no numbers at all. `room` words are free afterwards. */
vlad_value vlad_code_unary(vlad_machine *machine, const vlad_expression *e, vlad_value a, uint32_t room);
vlad_value vlad_code_binary(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, uint32_t room);
/* Operators that give their value at once. */
vlad_value vlad_code_operate(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, vlad_value c,
                             uint32_t room);
/* Operators that apply functions. */
int vlad_code_begin(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, vlad_value c);
/* A function that is not compiled, or none at all. */
int vlad_code_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument);
/* A pattern that is a constant, or that does not take the value. */
bool vlad_code_bind_value(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value);

#endif
