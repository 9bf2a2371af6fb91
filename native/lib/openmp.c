/* What clang's code for OpenMP calls. The differentiated versions of a program call these functions; the program's own
 * versions stay parallel and call OpenMP's run time (cc/lower/teams.c).
 *
 * The threads of a divided region (cc/lower/regions.c) have numbers, and what they do one after the other they do in
 * this order. Everything else is done by a team of one thread.
 *
 * Locks are not written to: one that the program has initialised with OpenMP's run time stays as it is. */
#include "native/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Describes a place in the source. */
typedef struct ident ident;

/* ---- Threads ---- */

verso__native_team verso__lib_team;

static bool is_divided(void) {
    return verso__lib_team.threads > 1;
}

static int32_t number(void) {
    int32_t worker = verso__native_team_worker();
    return worker != 0 ? worker - 1 : verso__lib_team.thread;
}

/* Returns the number of threads that a team has unless the program asks for another one. */
static int32_t most(void) {
    if (verso__lib_team.most == 0)
        verso__lib_team.most = verso__team_most();
    return verso__lib_team.most;
}

/* Around a divided region: `begin` returns the number of its threads. */
int32_t verso__lib___kmpc_team_begin(void) {
    int32_t threads = verso__lib_team.wanted > 0 ? verso__lib_team.wanted : most();
    threads = threads < VERSO_NATIVE_THREADS ? threads : VERSO_NATIVE_THREADS;
    verso__lib_team.wanted = 0;
    verso__lib_team.threads = threads;
    return threads;
}

/* The share of this thread is computed next. */
void verso__lib___kmpc_team_share(int32_t thread) {
    verso__lib_team.thread = thread;
}

void verso__lib___kmpc_team_end(void) {
    verso__lib_team.threads = 1;
    verso__lib_team.thread = 0;
}

int32_t verso__lib___kmpc_global_thread_num(ident *where) {
    (void)where;
    return number();
}

void verso__lib___kmpc_push_num_threads(ident *where, int32_t thread, int32_t threads) {
    (void)where, (void)thread;
    verso__lib_team.wanted = threads;
}

void verso__lib___kmpc_push_proc_bind(ident *where, int32_t thread, int32_t how) {
    (void)where, (void)thread, (void)how;
}

void verso__lib___kmpc_push_num_teams(ident *where, int32_t thread, int32_t teams, int32_t threads) {
    (void)where, (void)thread, (void)teams, (void)threads;
}

void verso__lib___kmpc_serialized_parallel(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

void verso__lib___kmpc_end_serialized_parallel(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

int32_t verso__lib_omp_get_thread_num(void) {
    return number();
}

int32_t verso__lib_omp_get_num_threads(void) {
    return is_divided() ? verso__lib_team.threads : 1;
}

int32_t verso__lib_omp_get_max_threads(void) {
    int32_t threads = most();
    return threads < VERSO_NATIVE_THREADS ? threads : VERSO_NATIVE_THREADS;
}

int32_t verso__lib_omp_get_thread_limit(void) {
    return VERSO_NATIVE_THREADS;
}

int32_t verso__lib_omp_in_parallel(void) {
    return is_divided();
}

int32_t verso__lib_omp_get_active_level(void) {
    return is_divided();
}

int32_t verso__lib_omp_get_num_teams(void) {
    return 1;
}

int32_t verso__lib_omp_get_team_num(void) {
    return 0;
}

void verso__lib_omp_set_num_threads(int32_t threads) {
    if (threads > 0)
        verso__lib_team.most = threads;
}

void verso__lib_omp_set_dynamic(int32_t on) {
    (void)on;
}

void verso__lib_omp_set_nested(int32_t on) {
    (void)on;
}

void verso__lib_omp_set_max_active_levels(int32_t levels) {
    (void)levels;
}

/* ---- Synchronisation ---- */

void verso__lib___kmpc_barrier(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

int32_t verso__lib___kmpc_single(ident *where, int32_t thread) {
    (void)where;
    return thread == 0;
}

void verso__lib___kmpc_end_single(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

int32_t verso__lib___kmpc_master(ident *where, int32_t thread) {
    (void)where;
    return thread == 0;
}

void verso__lib___kmpc_end_master(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

int32_t verso__lib___kmpc_masked(ident *where, int32_t thread, int32_t filter) {
    (void)where;
    return thread == filter;
}

void verso__lib___kmpc_end_masked(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

void verso__lib___kmpc_critical(ident *where, int32_t thread, void *lock) {
    (void)where, (void)thread, (void)lock;
    verso__native_team_turn();
}

void verso__lib___kmpc_critical_with_hint(ident *where, int32_t thread, void *lock, uint32_t hint) {
    (void)where, (void)thread, (void)lock, (void)hint;
    verso__native_team_turn();
}

void verso__lib___kmpc_end_critical(ident *where, int32_t thread, void *lock) {
    (void)where, (void)thread, (void)lock;
}

void verso__lib___kmpc_ordered(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

void verso__lib___kmpc_end_ordered(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

void verso__lib___kmpc_doacross_init(ident *where, int32_t thread, int32_t count, const void *dimensions) {
    (void)where, (void)thread, (void)count, (void)dimensions;
}

void verso__lib___kmpc_doacross_wait(ident *where, int32_t thread, const int64_t *iteration) {
    (void)where, (void)thread, (void)iteration;
}

void verso__lib___kmpc_doacross_post(ident *where, int32_t thread, const int64_t *iteration) {
    (void)where, (void)thread, (void)iteration;
}

void verso__lib___kmpc_doacross_fini(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

/* The thread of the team has the value already. */
void verso__lib___kmpc_copyprivate(ident *where, int32_t thread, size_t size, void *data, void (*copy)(void *, void *),
                                   int32_t has_value) {
    (void)where, (void)thread, (void)size, (void)data, (void)copy, (void)has_value;
}

/* ---- Reductions: 1 says that the caller combines its value with the variable itself, when it is its turn ---- */

int32_t verso__lib___kmpc_reduce(ident *where, int32_t thread, int32_t count, size_t size, void *data,
                                 void (*combine)(void *, void *), void *lock) {
    (void)where, (void)thread, (void)count, (void)size, (void)data, (void)combine, (void)lock;
    verso__native_team_turn();
    return 1;
}

void verso__lib___kmpc_end_reduce(ident *where, int32_t thread, void *lock) {
    (void)where, (void)thread, (void)lock;
}

int32_t verso__lib___kmpc_reduce_nowait(ident *where, int32_t thread, int32_t count, size_t size, void *data,
                                        void (*combine)(void *, void *), void *lock) {
    (void)where, (void)thread, (void)count, (void)size, (void)data, (void)combine, (void)lock;
    verso__native_team_turn();
    return 1;
}

void verso__lib___kmpc_end_reduce_nowait(ident *where, int32_t thread, void *lock) {
    (void)where, (void)thread, (void)lock;
}

/* ---- Cancellation is off, as it is unless OMP_CANCELLATION asks for it ---- */

int32_t verso__lib___kmpc_cancel(ident *where, int32_t thread, int32_t what) {
    (void)where, (void)thread, (void)what;
    return 0;
}

int32_t verso__lib___kmpc_cancellationpoint(ident *where, int32_t thread, int32_t what) {
    (void)where, (void)thread, (void)what;
    return 0;
}

int32_t verso__lib___kmpc_cancel_barrier(ident *where, int32_t thread) {
    (void)where, (void)thread;
    return 0;
}

int32_t verso__lib_omp_get_cancellation(void) {
    return 0;
}

/* ---- Locks ---- */

void verso__lib_omp_init_lock(void *lock) {
    (void)lock;
}

void verso__lib_omp_init_lock_with_hint(void *lock, int32_t hint) {
    (void)lock, (void)hint;
}

void verso__lib_omp_destroy_lock(void *lock) {
    (void)lock;
}

void verso__lib_omp_set_lock(void *lock) {
    (void)lock;
    verso__native_team_turn();
}

void verso__lib_omp_unset_lock(void *lock) {
    (void)lock;
}

int32_t verso__lib_omp_test_lock(void *lock) {
    (void)lock;
    return 1;
}

void verso__lib_omp_init_nest_lock(void *lock) {
    (void)lock;
}

void verso__lib_omp_init_nest_lock_with_hint(void *lock, int32_t hint) {
    (void)lock, (void)hint;
}

void verso__lib_omp_destroy_nest_lock(void *lock) {
    (void)lock;
}

void verso__lib_omp_set_nest_lock(void *lock) {
    (void)lock;
    verso__native_team_turn();
}

void verso__lib_omp_unset_nest_lock(void *lock) {
    (void)lock;
}

int32_t verso__lib_omp_test_nest_lock(void *lock) {
    (void)lock;
    return 1;
}
