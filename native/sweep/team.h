/* Teams of OpenMP: computes the threads' shares of a divided region (cc/lower/regions.h) in parallel.
 *
 * Generated code calls the region once for each thread of the team, in a loop (cc/lower/teams.c). One thread could run
 * this loop, and does so within budgets and wherever a run may be suspended. Otherwise the call for thread 0 computes
 * all shares, on the threads of the program's OpenMP, and the calls for the others only fetch what was recorded. So
 * what a gradient is does not depend on whether its shares were computed in parallel.
 *
 * Each thread records on a tape of its own. On the tape of the run, a mark follows the recording or stands for it. */
#ifndef NATIVE_SWEEP_TEAM_H
#define NATIVE_SWEEP_TEAM_H

#include "native/run/run.h"

typedef struct verso__native_team_mark {
    char *end; /* the end of the recording on another tape; NULL: it is on this one, before the mark */
    uint64_t thread;
} verso__native_team_mark;

/* Begins a differentiation: no number of threads is known. */
void verso__native_team_begin(void);
/* `on`: the shares of divided regions may be computed in parallel from now on. */
void verso__native_team_set_parallel(bool on);
/* Returns the bytes of the recordings on other tapes than that of the run, since verso__native_team_begin. */
size_t verso__native_team_bytes(void);
/* Gives back memory of these tapes. */
void verso__native_team_end(void);

/* Tests: called where threads begin and end, and where they wait for each other; NULL: nothing is. */
extern void (*verso__native_team_pause)(void);

#endif
