/* A VLAD program that tests evaluate, interrupt and resume. Its value is that of its last expression. A failure to
 * set it up fails the running test. */
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
    char *printed;       /* output of write-real */
    size_t printed_size; /* in bytes */
    vlad_machine machine;
    verso_error error;
} vlad_subject;

/* How an evaluation ended. */
typedef struct vlad_ending {
    vlad_outcome outcome;
    uint64_t steps;
    char text[VERSO_MESSAGE_MAX]; /* the value as text, or the error message */
    uint64_t bits;                /* checksum of the bits of all reals in the value, in order */
} vlad_ending;

/* Opens a program. `input` is the input of read-real. checkpoint-*j is executed by players, so that it can be
 * interrupted like any other evaluation. */
void vlad_subject_open(vlad_subject *subject, const vlad_evaluator *evaluator, const char *text, const char *input);
void vlad_subject_close(vlad_subject *subject);

/* Puts the machine before the first step and sets its step count to 0. The log of effects is kept and is read from its
 * beginning. */
void vlad_subject_begin(vlad_subject *subject);
/* Continues the evaluation until it ends or `limit` steps are done. */
vlad_ending vlad_subject_run(vlad_subject *subject, uint64_t limit);
/* Fails the test, and prints the differences, unless both endings are the same. */
void vlad_subject_require_same(const vlad_subject *subject, vlad_ending expected, vlad_ending found);

/* Makes a capsule of the whole evaluation in the register VLAD_SPARE. */
void vlad_subject_capture(vlad_subject *subject);
/* Resumes from that capsule, which was made after `steps` steps. The rest of the machine's state is destroyed first. */
void vlad_subject_resume(vlad_subject *subject, uint64_t steps);

#endif
