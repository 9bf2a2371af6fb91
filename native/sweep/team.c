/* Teams of OpenMP: see team.h. The threads are those of the program's own OpenMP, which its parallel regions use while
 * nothing is differentiated, so they exist already and are bound to processors as the user wants. */
#include "native/sweep/team.h"

#include "base/system.h"
#include "native/sweep/fixpoint.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* ---- What programs with OpenMP have ---- */

typedef struct ident {
    int32_t unused, flags, unused2, length;
    const char *place;
} ident;
enum { IDENT_OF_CLANG = 2 };
static const ident place_of_teams = {.flags = IDENT_OF_CLANG, .place = ";unknown;unknown;0;0;;"};

typedef void microtask(int32_t *thread, int32_t *bound, ...);
__attribute__((weak)) void __kmpc_fork_call(const ident *place, int32_t count, microtask *task, ...);
__attribute__((weak)) void __kmpc_push_num_threads(const ident *place, int32_t thread, int32_t threads);
__attribute__((weak)) int32_t __kmpc_global_thread_num(const ident *place);
__attribute__((weak)) int omp_get_max_threads(void);
__attribute__((weak)) int omp_get_num_threads(void);
__attribute__((weak)) int omp_get_thread_num(void);
__attribute__((weak)) extern verso__native_team verso__lib_team;

int32_t verso__team_most(void) {
    return omp_get_max_threads == NULL ? 1 : omp_get_max_threads();
}

/* ---- State ---- */

/* What a thread's share has left. */
typedef struct share_result {
    char *begin, *end; /* its recording */
    bool failed;
    atomic_bool done; /* the thread has computed its share */
    uint64_t faults;  /* page faults of its thread */
    verso_error error;
} share_result;

static struct {
    int32_t threads; /* 0: the shares of the region at hand are computed one after the other */
    verso__native_share *share;
    const void *arguments;
    verso__native_state state; /* at the call for thread 0 */
    share_result results[VERSO_NATIVE_THREADS];
} team;

/* ---- Tapes of threads ---- */

/* Each has so many addresses that they are never exhausted; memory may be. */
#define TAPES_AT UINT64_C(0x0a0000000000)
#define TAPE_SIZE (UINT64_C(64) << 30)
#define KEPT_AS_IT_IS (UINT64_C(64) << 20) /* by all threads */

static struct {
    bool reserved, on;
    size_t used[VERSO_NATIVE_THREADS]; /* bytes of each tape, since `begin` */
    size_t recorded;                   /* bytes of all recordings there */
} team_state;

static char *tape_of(int thread) {
    return verso__native_address(TAPES_AT + (uint64_t)thread * TAPE_SIZE);
}

static bool reserve_tapes(void) {
    verso_error error;
    if (!team_state.reserved)
        team_state.reserved = verso__native_reserve(TAPES_AT, VERSO_NATIVE_THREADS * TAPE_SIZE, "a parallel recording",
                                                    &error) == VERSO_STATUS_OK;
    return team_state.reserved;
}

void verso__native_team_begin(void) {
    if (&verso__lib_team != NULL)
        verso__lib_team = (verso__native_team){0};
    team_state.on = false;
    team.threads = 0;
    team_state.recorded = 0;
    memset(team_state.used, 0, sizeof team_state.used);
}

void verso__native_team_set_parallel(bool on) {
    team_state.on = on && __kmpc_fork_call != NULL && reserve_tapes();
}

size_t verso__native_team_bytes(void) {
    return team_state.recorded;
}

/* Pages of small recordings stay for the next one; beyond, the system may take them. */
void verso__native_team_end(void) {
    uint64_t threads = 0;
    for (int i = 0; i < VERSO_NATIVE_THREADS; i++)
        threads += team_state.used[i] > 0;
    for (int i = 0; i < VERSO_NATIVE_THREADS; i++) {
        if (team_state.used[i] == 0)
            continue;
        uint64_t kept = KEPT_AS_IT_IS / threads / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
        uint64_t most = verso__native_kept_most() / threads / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
        uint64_t used = (team_state.used[i] + VERSO_NATIVE_PAGE - 1) / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
        char *tape = tape_of(i), *dropped = tape + (most > kept ? most : kept);
        verso__native_offer(tape + kept, tape + used < dropped ? tape + used : dropped);
        verso__native_drop(dropped, tape + used);
    }
    team_state.on = false;
}

/* ---- A team at work ---- */

void (*verso__native_team_pause)(void);

static void pause_for_tests(void) {
    if (verso__native_team_pause != NULL)
        verso__native_team_pause();
}

static void wait_a_little(unsigned *tries) {
    enum { SPINS = 4000 };
    if (++*tries < SPINS)
        __builtin_ia32_pause();
    else
        sched_yield();
}

int32_t verso__native_team_worker(void) {
    return (int32_t)verso__native_now.worker;
}

void verso__native_team_turn(void) {
    unsigned tries = 0;
    if (verso__native_now.worker == 0)
        return;
    pause_for_tests();
    for (int64_t i = 0; i + 1 < verso__native_now.worker; i++)
        while (!atomic_load_explicit(&team.results[i].done, memory_order_acquire))
            wait_a_little(&tries);
}

static void call_share(void *context) {
    int32_t thread = *(int32_t *)context, threads = team.threads;
    pause_for_tests();
    team.share(&thread, &threads, team.arguments);
    pause_for_tests();
}

/* Computes the share of a thread. That of thread 0 continues the run itself. */
static void compute_share(int32_t thread) {
    verso__native_state *now = &verso__native_now, before;
    share_result *result = &team.results[thread];
    if (thread > 0) {
        before = *now;
        *now = team.state;
        result->begin = tape_of(thread) + team_state.used[thread];
        now->tape = result->begin + 2 * sizeof(uint64_t);
        now->tape_limit = (char *)UINTPTR_MAX;
        now->tape_stop = NULL;
        now->locals = NULL;
    }
    now->worker = thread + 1;
    result->failed = verso__native_catch(call_share, &thread, &result->error);
    now->worker = 0;
    if (thread > 0) {
        result->end = now->tape;
        *now = before;
    }
    atomic_store_explicit(&result->done, true, memory_order_release);
}

/* OpenMP may start fewer threads than it was asked for; then each computes several shares, in ascending order, because
 * shares wait for those before them. */
static void compute_shares(int32_t *global, int32_t *bound, ...) {
    (void)global, (void)bound;
    int self = omp_get_thread_num(), all = omp_get_num_threads();
    uint64_t faults = verso__native_faults();
    for (int thread = self; thread < team.threads; thread += all)
        compute_share(thread);
    team.results[self].faults = self > 0 ? verso__native_faults() - faults : 0;
}

/* A share that has failed does not keep others from going on, so several may fail. */
static void report_failure(void) {
    for (int i = 0; i < team.threads; i++)
        if (team.results[i].failed) {
            team.threads = 0;
            verso__native_give_up(team.results[i].error.status, "%s", team.results[i].error.message);
        }
}

static void start_team(int32_t threads, const void *arguments, verso__native_share *share) {
    team.threads = threads;
    team.share = share;
    team.arguments = arguments;
    team.state = verso__native_now;
    memset(team.results, 0, (size_t)threads * sizeof *team.results);
    __kmpc_push_num_threads(&place_of_teams, __kmpc_global_thread_num(&place_of_teams), threads);
    __kmpc_fork_call(&place_of_teams, 0, compute_shares);
    for (int32_t i = 1; i < threads; i++) {
        const share_result *result = &team.results[i];
        team_state.used[i] = (size_t)(result->end - tape_of(i));
        team_state.recorded += (size_t)(result->end - result->begin) - 2 * sizeof(uint64_t);
        verso__native_shadow_add_faults(result->faults);
    }
    report_failure();
}

/* Returns whether the shares of the region at hand are computed in parallel; if so, the call for thread 0 computes all
 * of them. A region that the program calls itself, because the clause `if` says so, is outside of a team. Its first two
 * arguments may be anything then. */
static bool is_parallel(verso__native_mode mode, const void *arguments, verso__native_share *share) {
    int32_t threads = verso__lib_team.threads;
    if (verso__lib_team.thread > 0)
        return team.threads > 0;
    team.threads = 0;
    if (team_state.on && threads > 1 && verso__native_now.mode == mode && !verso__native_fixed_is_recorded())
        start_team(threads, arguments, share);
    return team.threads > 0;
}

/* ---- Recording ---- */

/* Whether shares are computed in parallel must not change the length of a recording, so a mark is always there. */
static void leave_mark(verso__native_team_mark mark) {
    if (verso__native_now.mode == VERSO_NATIVE_RECORD)
        memcpy(verso__native_now.tape, &mark, sizeof mark);
    verso__native_now.tape += sizeof mark;
}

/* The first words of a recording on another tape are what its reverse function returns to: the end of the tape of the
 * run goes with it. */
static void return_to_run(void) {
    verso__native_now.tape = verso__native_address(verso__native_now.entry) - 2 * sizeof(uint64_t);
    memcpy(&verso__native_now.next, verso__native_now.tape, sizeof verso__native_now.next);
    memcpy(&verso__native_now.entry, verso__native_now.tape + sizeof(uint64_t), sizeof verso__native_now.entry);
}

static void fetch_recording(int32_t thread) {
    const share_result *result = &team.results[thread];
    void (*back)(void) = return_to_run;
    uint64_t at = (uintptr_t)verso__native_now.tape;
    memcpy(result->begin, &back, sizeof back);
    memcpy(result->begin + sizeof back, &at, sizeof at);
    leave_mark((verso__native_team_mark){result->end, (uint64_t)thread});
}

void verso__native_team_record(int32_t *thread, int32_t *threads, const void *arguments, verso__native_share *share,
                               void (*entrance)(void)) {
    bool parallel = is_parallel(VERSO_NATIVE_RECORD, arguments, share);
    if (!parallel)
        share(thread, threads, arguments);
    if (parallel && verso__lib_team.thread > 0)
        fetch_recording(verso__lib_team.thread);
    else
        leave_mark((verso__native_team_mark){0});
    verso__native_now.last = entrance;
}

void verso__native_team_tangent(int32_t *thread, int32_t *threads, const void *arguments, verso__native_share *share,
                                void (*entrance)(void)) {
    (void)entrance;
    if (!is_parallel(VERSO_NATIVE_TANGENT, arguments, share))
        share(thread, threads, arguments);
}

/* ---- Reversing ---- */

void verso__native_team_reverse(void (*reverse)(void)) {
    verso__native_now.next = reverse;
    verso__native_now.entry = 0;
    verso__native_team_mark mark;
    verso__native_now.tape -= sizeof mark;
    memcpy(&mark, verso__native_now.tape, sizeof mark);
    if (mark.end != NULL)
        verso__native_now.tape = mark.end;
}
