/* Programs of several processes (MPI): what the ranks of a differentiation do together. In other programs the functions
 * do nothing. */
#ifndef NATIVE_SWEEP_RANKS_H
#define NATIVE_SWEEP_RANKS_H

#include "native/run/job.h"

/* Begin and end a differentiation, in either mode. All ranks call them. */
void verso__native_ranks_begin(verso_ranks convention);
void verso__native_ranks_end(verso_status status, const verso_error *error);
/* Returns true if this process is one of an MPI program that has called MPI_Init. */
bool verso__native_ranks_run(void);
/* Returns what identifies this process among those of the program: its rank, and their number. */
uint64_t verso__native_ranks_fact(void);
/* The ranks of a durable run continue together: to be called when its log has been opened. If another process has
 * communicated in this run, waits for the other ranks, and cuts the log off where they have not come to. */
void verso__native_ranks_meet(void);
/* The same before the first communication of this process, and before the end of a run: exchanges what messages of
 * derivatives were on the way between the places where the ranks continue. No-op later. */
void verso__native_ranks_settle(void);
/* The reverse sweep continues from an adjoint of an earlier process. */
void verso__native_ranks_continue(void);
/* Refuses to reverse a run again within one process, because the other ranks do not. */
verso_status verso__native_ranks_refuse_again(verso_error *error);
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
/* Returns DIRECTORY/rank-N; NULL without memory. The caller frees it with verso__dealloc. */
char *verso__native_ranks_directory(const char *directory);
/* Returns the factor of the seed of f's result on this rank. A value that all ranks share is that of rank 0. */
double verso__native_ranks_weight(void);

#endif
