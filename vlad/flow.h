/* Which values may flow where, as the compiler guesses: for each expression and each variable, whether its value may
 * be a plain number, a number with a derivative (which is then called active), or anything else. Structures have the
 * properties of all that is in them.
 *
 * The guess decides only which versions of a loop are written (emit_version.c). Each version tests its variables before
 * it is entered, so a wrong guess costs time and nothing else. */
#ifndef VLAD_FLOW_H
#define VLAD_FLOW_H

#include "vlad/survey.h"

enum { VLAD_FLOW_PLAIN = 1, VLAD_FLOW_ACTIVE = 2, VLAD_FLOW_OTHER = 4 };

typedef struct vlad_flow {
    uint8_t *values;   /* by expression */
    uint8_t *locals;   /* by lambda: those of lambda n begin at locals_at[n]; those outside of lambdas are last */
    uint8_t *captured; /* by lambda: begin at captured_at[n] */
    uint8_t *grouped;  /* by letrec: begin at grouped_at[n] */
    bool *escaped;     /* by lambda: it may be called in unknown places */
    size_t *locals_at, *captured_at, *grouped_at;
} vlad_flow;

/* Makes the guess; vlad_flow_free frees it. Returns false if there is no memory. */
bool vlad_flow_make(const vlad_survey *survey, const vlad_program *program, vlad_flow *flow);
void vlad_flow_free(vlad_flow *flow);

/* Returns what a variable that is used in a lambda (NULL: outside of lambdas) may be. */
uint8_t vlad_flow_of(const vlad_flow *flow, const vlad_survey *survey, const vlad_lambda *within,
                     const vlad_reference *reference);

#endif
