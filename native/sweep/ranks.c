/* Programs of several processes (MPI): what the ranks of a differentiation do together. The adjoints of MPI's
 * functions are in include/verso/mpi; `verso cc` links them into programs that call MPI, and only there the
 * functions below exist. */
#include "native/sweep/inside.h"

#include "native/sweep/ranks.h"

#include "base/alloc.h"
#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern int verso__mpi_rank(void) __attribute__((weak));
extern int verso__mpi_size(void) __attribute__((weak));
extern int verso__mpi_communicated(void) __attribute__((weak));
extern void verso__mpi_begin(void) __attribute__((weak));
extern void verso__mpi_end(int status, const char *message) __attribute__((weak));
extern int verso__mpi_runs(void) __attribute__((weak));
extern void verso__mpi_meet(void) __attribute__((weak));
extern bool verso__mpi_settle(bool turned) __attribute__((weak));
extern bool verso__mpi_is_settled(void) __attribute__((weak));
extern void verso__mpi_wait(void) __attribute__((weak));
extern void verso__mpi_reduce(double *numbers, int count, int how) __attribute__((weak));

static struct {
    verso_ranks convention;
    bool runs, turned;
    bool communicated; /* the last differentiation has communicated */
} ranks_now;

/* ---- Called by the adjoints of MPI ---- */

void *verso__native_mpi_block(size_t size) {
    static void *block;
    if (block == NULL)
        block = verso__alloc(1, size);
    return block;
}

bool verso__native_mpi_has_numbers(verso_scalar type) {
    return verso__native_uses(verso__native_kind_of(type));
}

/* ---- The ranks of a differentiation ---- */

void verso__native_ranks_begin(verso_ranks convention) {
    ranks_now.convention = convention;
    ranks_now.runs = &verso__mpi_begin != NULL;
    ranks_now.turned = false;
    if (ranks_now.runs)
        verso__mpi_begin();
}

void verso__native_ranks_end(verso_status status, const verso_error *error) {
    if (ranks_now.runs)
        verso__mpi_end((int)status, error != NULL && status != VERSO_STATUS_OK ? error->message : "");
    ranks_now.communicated = ranks_now.runs && verso__mpi_communicated();
    ranks_now.runs = false;
}

int verso__native_rank(void) {
    return &verso__mpi_rank != NULL ? verso__mpi_rank() : 0;
}

void verso__native_ranks_reduce(double *numbers, int count, verso__native_reduction how) {
    if (ranks_now.communicated)
        verso__mpi_reduce(numbers, count, (int)how);
}

/* ---- Durable runs ---- */

bool verso__native_ranks_run(void) {
    return &verso__mpi_runs != NULL && verso__mpi_runs();
}

uint64_t verso__native_ranks_fact(void) {
    return verso__native_ranks_run() ? (uint64_t)verso__mpi_size() << 32 | (uint64_t)verso__mpi_rank() : 0;
}

char *verso__native_ranks_directory(const char *directory) {
    char name[32];
    snprintf(name, sizeof name, "rank-%d", verso__native_rank());
    return verso__path_join(directory, name);
}

void verso__native_ranks_meet(void) {
    if (verso__native_ranks_run() && verso__native_log_is_open())
        verso__mpi_meet();
}

void verso__native_ranks_settle(void) {
    if (verso__native_ranks_run() && verso__native_log_is_open() && !verso__mpi_is_settled())
        ranks_now.turned = verso__mpi_settle(ranks_now.turned);
}

void verso__native_ranks_continue(void) {
    ranks_now.turned = true;
}

static bool together(void) {
    return ranks_now.runs && verso__mpi_communicated();
}

/* NaNs are the same value. Values are compared as least and greatest of all. */
static verso_status check_shared(double value, verso_error *error) {
    double range[2] = {isnan(value) ? 0 : value, isnan(value) ? 0 : -value}, odd = isnan(value);
    verso__mpi_reduce(range, 2, VERSO_NATIVE_LEAST_OF);
    verso__mpi_reduce(&odd, 1, VERSO_NATIVE_SUM_OF);
    if (range[0] == -range[1] && (odd == 0 || odd == verso__mpi_size()))
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "the ranks return different values, from %.17g to %.17g, so it is not clear whose gradient is "
                       "wanted: return a value that all ranks share (MPI_Allreduce), or set options.ranks = "
                       "VERSO_RANKS_SUM (VERSO_RANKS=sum) for the gradient of their sum",
                       range[0], -range[1]);
}

/* In a durable run no rank reverses before the logs of all are complete and on the disk. So if a process continues
 * from an adjoint, no log is cut off any more. */
static verso_status turn_durably(verso_error *error) {
    verso_status status = verso__native_log_sync(error);
    verso__native_ranks_settle();
    if (status == VERSO_STATUS_OK && !ranks_now.turned)
        verso__mpi_wait();
    return status;
}

verso_status verso__native_ranks_turn(verso__native_job *job, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    if (!together() || ranks_now.turned)
        return VERSO_STATUS_OK;
    if (verso__native_log_is_open())
        status = turn_durably(error);
    if (status == VERSO_STATUS_OK && !ranks_now.turned && job->run == NULL && ranks_now.convention != VERSO_RANKS_SUM)
        status = check_shared(job->value, error);
    ranks_now.turned = true;
    return status;
}

verso_status verso__native_ranks_refuse_again(verso_error *error) {
    if (!together() || !ranks_now.turned)
        return VERSO_STATUS_OK;
    if (verso__native_log_is_open())
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                           "the run needs more memory than its budget was divided for, which was found when other "
                           "ranks had begun to reverse it; start the program again: it divides the budget again");
    return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                       "the run needs more memory than its budget was divided for, which was found when other ranks "
                       "had begun to reverse it; give a larger budget");
}

double verso__native_ranks_weight(void) {
    return together() && ranks_now.convention == VERSO_RANKS_SHARED && verso__mpi_rank() > 0 ? 0 : 1;
}
