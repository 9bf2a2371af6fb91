/* The parts of `verso grad`: the answer, and one function for each form in which it is printed. */
#ifndef CLI_GRAD_H
#define CLI_GRAD_H

#include "cli/derive.h"

#include <stdio.h>

typedef struct grad_answer {
    double value;           /* of the function */
    const double *gradient; /* derivatives by all differentiated parameters, in their order */
    size_t count;           /* number of derivatives */
    size_t parameters;      /* number of differentiated parameters */
    /* Costs of the run, as in verso_native_report (<verso/native.h>). */
    uint64_t steps, forward_steps, recordings, capsules, tape_bytes, offload_bytes, peak_bytes;
    uint64_t leaf_bytes;     /* bytes of recording per step; 0: recorded in a single pass */
    uint64_t budget_bytes;   /* the budget; 0: none was given */
    const char *schedule;    /* the schedule that was played, in words */
    uint64_t begun_anew;     /* how often the run began anew */
    double seconds_primal;   /* of a plain call; negative: not measured */
    double seconds_gradient; /* negative: not measured */
} grad_answer;

/* Reads the answer from the program's result. Returns CLI_OK, or CLI_FAILED after a message if it is incomplete. */
int grad_read_answer(derive *task, const derive_result *result, grad_answer *answer);
/* Prints the answer as a page for reading. */
void grad_print_page(FILE *out, derive *task, const grad_answer *answer);
/* Prints the answer as one JSON object. */
void grad_print_json(FILE *out, const derive *task, const grad_answer *answer);
/* Writes the gradient to a file, one number per line. Returns CLI_OK, or CLI_FAILED after a message. */
int grad_write_file(derive *task, const grad_answer *answer, const char *path);

/* Print a number in the shortest form that reads back as the same number. grad_print_number prints "inf", "-inf" and
 * "nan"; grad_print_json_number prints null for non-finite values. */
void grad_print_number(FILE *out, double number);
void grad_print_json_number(FILE *out, double number);

#endif
