/* How compiled code and the machine work together. Compiled code is a table of regions: parts of an evaluation
 * that run without an interruption. A region begins at an expression (whose locals are in registers) or after a
 * part of one (whose value is in VLAD_RESULT, with the waiting frame on top). Each region declares the maximum
 * numbers of steps and of words of memory that it takes, and is entered only if that many are available. It leaves
 * the machine in the same state as the interpreter would. So either can continue where the other stopped, and code
 * that interrupts, captures or differentiates does not depend on which of them runs.
 *
 * The functions below `Called by compiled code` are called by the C text that emit_value.c and emit_tail.c write;
 * that text begins with vlad/generated/prelude.h. */
#ifndef VLAD_CODE_H
#define VLAD_CODE_H

#include "vlad/interpret.h"

typedef struct vlad_region {
    void (*code)(void); /* NULL: there is no code, the region is interpreted */
    uint32_t steps, words;
} vlad_region;

typedef struct vlad_code {
    const vlad_region *at;    /* regions that begin at an expression, by its number */
    const vlad_region *after; /* regions that begin after a part of an expression: index 3 * number + part */
    int (*enter)(vlad_machine *machine, void (*code)(void), int64_t left);
    /* The parts of the program by number; vlad_code_bind fills them in. */
    const vlad_expression **expressions;
    const vlad_lambda **lambdas;
    const vlad_letrec **letrecs;
    vlad_value (*closures)[3]; /* static closures of the closed lambdas */
    vlad_value (*groups)[2];   /* static group objects of the closed letrecs */
    uint32_t numbers, lambda_count, letrec_count;
    bool prelude; /* the program begins with the prelude */
} vlad_code;

/* True if the lambda has no free variables, so that all its closures are equal. */
bool vlad_is_closed(const vlad_lambda *lambda);
/* Connects the code with `program`, which must be the program that it was compiled from, read again. */
verso_status vlad_code_bind(const vlad_code *code, const vlad_program *program, verso_error *error);
/* Returns the region for the machine's current state; NULL if there is none, or if it may take more steps than are
 * left before `stop`. */
const vlad_region *vlad_code_region(vlad_machine *machine, uint64_t stop);
/* Runs the region and those that follow it. Returns false if the machine has failed. */
bool vlad_code_run(vlad_machine *machine, const vlad_region *region, uint64_t stop);

/* ---- Called by compiled code. 0, false and VLAD_NOTHING mean that the machine has failed. ---- */

/* Apply an operator to values that are not plain numbers. Afterwards `room` words of the heap are free. */
vlad_value vlad_code_unary(vlad_machine *machine, const vlad_expression *e, vlad_value a, uint32_t room);
vlad_value vlad_code_binary(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, uint32_t room);
/* Applies an operator that yields its value immediately. */
vlad_value vlad_code_operate(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, vlad_value c,
                             uint32_t room);
/* Begins an operator that applies functions. */
int vlad_code_begin(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, vlad_value c);
/* Applies a function that is not compiled, or fails if the value is not a function. */
int vlad_code_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument);
/* Matches a pattern that compiled code does not handle: a constant, or a value that does not fit. */
bool vlad_code_bind_value(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value);
/* Makes room for an entry on the tape of the topmost level. */
bool vlad_code_tape(vlad_machine *machine, uint32_t room);

#endif
