/* A VLAD program that is evaluated, interrupted and resumed by tests. Its value is that of its last expression.
 * Whatever goes wrong in setting it up fails the test at hand. */
#ifndef VERSO_TESTS_VLAD_SUBJECT_H
#define VERSO_TESTS_VLAD_SUBJECT_H

#include "vlad/checkpoint.h"

typedef struct vlad_subject {
    const char *text;
    vlad_sources *sources;
    vlad_program program;
    vlad_effects effects;
    vlad_checkpointing how;
    FILE *in, *out;
    char *printed; /* by write-real */
    size_t printed_size;
    vlad_machine machine;
    verso_error error;
} vlad_subject;

/* How an evaluation ended. */
typedef struct vlad_ending {
    vlad_outcome outcome;
    uint64_t steps;
    char text[VERSO_MESSAGE_MAX]; /* of the value, or the message */
    uint64_t bits;                /* of all the reals in the value, and of their order */
} vlad_ending;

/* `input`: what read-real reads. checkpoint-*j is done by players, so that it can be interrupted like everything else.
 */
void vlad_subject_open(vlad_subject *subject, const vlad_evaluator *evaluator, const char *text, const char *input);
void vlad_subject_close(vlad_subject *subject);

/* The machine stands in front of the first step, and no steps are done. What was read and written is remembered. */
void vlad_subject_begin(vlad_subject *subject);
/* On, until it ends or so many steps are done. */
vlad_ending vlad_subject_run(vlad_subject *subject, uint64_t limit);
/* The same in all but the name of who evaluates. Says what differs. */
void vlad_subject_require_same(const vlad_subject *subject, vlad_ending expected, vlad_ending found);

/* A capsule of the whole evaluation, in the register VLAD_SPARE. */
void vlad_subject_capture(vlad_subject *subject);
/* Goes back to it, where `steps` were done; nothing of what the machine knew is left. */
void vlad_subject_resume(vlad_subject *subject, uint64_t steps);

#endif
