/* The survey of a program that the compiler makes first: an index, and the variables that are always bound to the
 * same lambda. */
#ifndef VLAD_SURVEY_H
#define VLAD_SURVEY_H

#include "vlad/bytes.h"
#include "vlad/memory.h"

typedef struct vlad_survey {
    vlad_index index;
    uint32_t *order;  /* numbers of expressions, each before its parts */
    uint32_t visited; /* number of entries in `order` */
    /* for each VARIABLE: the lambda that it is always bound to; NULL: unknown */
    const vlad_lambda **known;
    /* For each lambda that captures, and for each letrec: the index in `bound` of the lambdas that its variables
     * are bound to. */
    size_t *captured, *grouped;
    vlad_stack bound; /* const vlad_lambda * */
} vlad_survey;

/* Makes the survey of a program; vlad_survey_free frees it. Fails only for lack of memory. */
verso_status vlad_survey_make(const vlad_program *program, vlad_survey *survey, verso_error *error);
void vlad_survey_free(vlad_survey *survey);

/* Returns the lambda that a variable of `lambda` is bound to; the variable must not be a local. NULL: unknown. */
const vlad_lambda *vlad_survey_bound(const vlad_survey *survey, const vlad_lambda *lambda,
                                     const vlad_reference *reference);

#endif
