/* What the examples with checkpointed calls share: options, the gradient and what it took, and what the choice of calls
 * to checkpoint does to it. Each example brings a function of an array, as for verso_gradient. */
#ifndef EXAMPLES_STUDY_H
#define EXAMPLES_STUDY_H

#include <stddef.h>

/* An option with a number: --size 20. */
typedef struct study_option {
    const char *name;
    double *value;
} study_option;

typedef enum study_task {
    STUDY_GRADIENT, /* no word: value, gradient, time and memory, with the sites as they are */
    STUDY_CHECK,  /* --check: is the gradient right, has it the same bits whatever is checkpointed, and does it take the
                     memory that a profile predicts? */
    STUDY_CHOOSE, /* --choose: all calls checkpointed, none, and the best choices within what the former takes */
} study_task;

/* Ends the program when the command line is not understood. */
study_task study_read(int argc, char **argv, const study_option *options, size_t count);
/* The exit status. */
int study(study_task task, double (*f)(const double *x, size_t n), const double *x, size_t n);

/* Memory that is zero; ends the program when there is none. */
void *study_allocate(size_t count, size_t size);
/* Of the processor: whatever else the machine is doing. */
double study_seconds(void);
/* A number from 0 to 1, the next one each time. */
double study_random(unsigned long long *state);

#endif
