/* The common part of the examples with checkpointed calls: reads options, computes a gradient and its cost, and
 * compares choices of calls to checkpoint. Each example supplies a function as for verso_gradient. */
#ifndef EXAMPLES_STUDY_H
#define EXAMPLES_STUDY_H

#include <stddef.h>

/* An option with a number: --size 20. */
typedef struct study_option {
    const char *name;
    double *value;
} study_option;

typedef enum study_task {
    STUDY_GRADIENT, /* default: print value, gradient, time and memory, with the current choice of sites */
    STUDY_CHECK,    /* --check: check the gradient, and that other choices give the same bits in the predicted memory */
    STUDY_CHOOSE,   /* --choose: compare all calls checkpointed, none, and the best choices in the former's memory */
} study_task;

/* Reads the command line; ends the program if it is wrong. */
study_task study_read(int argc, char **argv, const study_option *options, size_t count);
/* Carries out the task and returns the exit status. */
int study(study_task task, double (*f)(const double *x, size_t n), const double *x, size_t n);

/* Returns zeroed memory; ends the program if there is none. */
void *study_allocate(size_t count, size_t size);
/* Returns the processor time of this process, in seconds. */
double study_seconds(void);
/* Returns the next random number between 0 and 1. */
double study_random(unsigned long long *state);

#endif
