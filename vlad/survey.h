/* What the compiler wants to know of a program before it writes anything: where everything is, and which variables are
 * always the same lambda. */
#ifndef VLAD_SURVEY_H
#define VLAD_SURVEY_H

#include "vlad/bytes.h"
#include "vlad/memory.h"

typedef struct vlad_survey {
    vlad_index index;
    uint32_t *order;           /* numbers of expressions, each before its parts */
    uint32_t visited;          /* how many there are in it */
    const vlad_lambda **known; /* by VARIABLE: the lambda that it is bound to, whenever; NULL: not known */
    /* By lambda that captures and by letrec: where the lambdas that its variables are bound to begin in `bound`. */
    size_t *captured, *grouped;
    vlad_stack bound; /* const vlad_lambda * */
} vlad_survey;

verso_status vlad_survey_make(const vlad_program *program, vlad_survey *survey, verso_error *error);
void vlad_survey_free(vlad_survey *survey);

/* The lambda that a variable of `lambda`'s is bound to, when it is none of the locals. */
const vlad_lambda *vlad_survey_bound(const vlad_survey *survey, const vlad_lambda *lambda,
                                     const vlad_reference *reference);

#endif
