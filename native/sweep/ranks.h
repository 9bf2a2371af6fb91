/* Programs of several processes (MPI): what the ranks of a differentiation do together. In other programs the functions
 * do nothing. */
#ifndef NATIVE_SWEEP_RANKS_H
#define NATIVE_SWEEP_RANKS_H

#include "native/run/job.h"

/* Begin and end a differentiation, in either mode. All ranks call them. */
void verso__native_ranks_begin(verso_ranks convention);
void verso__native_ranks_end(bool failed);
/* To be called by all ranks between the run and the reverse sweep. VERSO_STATUS_INVALID if the value that they should
 * share is not the same on all; then all ranks fail. */
verso_status verso__native_ranks_turn(verso__native_job *job, verso_error *error);
typedef enum verso__native_reduction {
    VERSO_NATIVE_SUM_OF,
    VERSO_NATIVE_LEAST_OF,
} verso__native_reduction;
/* Replaces each number by its sum, or least value, over all ranks, which all call this, if the last differentiation has
 * communicated. */
void verso__native_ranks_reduce(double *numbers, int count, verso__native_reduction how);
/* Returns this process's rank; 0 if MPI is not used. */
int verso__native_rank(void);
/* Returns the factor of the seed of f's result on this rank. A value that all ranks share is that of rank 0. */
double verso__native_ranks_weight(void);

#endif
