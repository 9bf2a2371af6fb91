/* The parts of `verso grad`: the answer, and one function for each way to tell it. */
#ifndef CLI_GRAD_H
#define CLI_GRAD_H

#include "cli/derive.h"

#include <stdio.h>

typedef struct grad_answer {
    double value;
    const double *gradient; /* parameter by parameter, those that are differentiated with respect to */
    size_t count;
    size_t parameters; /* how many those are */
    uint64_t steps, forward_steps, recordings, capsules, tape_bytes, offload_bytes, peak_bytes;
    uint64_t leaf_bytes, budget_bytes; /* 0: at one go; none was given */
    const char *schedule;
    double seconds_primal; /* negative: not measured */
    double seconds_gradient;
} grad_answer;

int grad_read_answer(derive *task, const derive_result *result, grad_answer *answer);
void grad_print_page(FILE *out, const derive *task, const grad_answer *answer);
void grad_print_json(FILE *out, const derive *task, const grad_answer *answer);
/* One number a line. */
int grad_write_file(derive *task, const grad_answer *answer, const char *path);

/* "-0", "inf" and "nan" where verso_shortest has no text; in JSON null for what is not finite. */
void grad_print_number(FILE *out, double number);
void grad_print_json_number(FILE *out, double number);

#endif
