/* Implements shared.h.
 *
 * The page may be something else's, of which not even reading is certain to be possible, so a page that is there
 * already is read through /proc/self/mem before it is used.
 *
 * While a process is forked, both locks are held, so that the child finds heap and turn in order. Each run time
 * registers its handlers, since libraries may be unloaded; the first one of them takes the locks, the last one
 * releases them. A child whose parent's other thread has a turn must not wait for that thread, which the child does not
 * have: it takes the turn away, and the areas are cleaned at its next turn. */
#define _GNU_SOURCE 1 /* MAP_FIXED_NOREPLACE */
#include "native/memory/shared.h"

#include "native/memory/inside.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <verso/version.h>

#define MARK UINT64_C(0x76657273706f6f6c)

static verso__native_shared alone = {
    .heap_lock = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
verso__native_shared *verso__native_shared_now = &alone;

static uint64_t own_number; /* of this run time; 0: it has had no turn */

/* ---- fork ---- */

static void before_fork(void) {
    verso__native_shared *shared = verso__native_shared_now;
    uintptr_t self = (uintptr_t)pthread_self();
    if (atomic_load(&shared->forker) != self) {
        pthread_mutex_lock(&shared->lock);
        pthread_mutex_lock(&shared->heap_lock);
        atomic_store(&shared->forker, self);
    }
    shared->forks++;
}

static void after_fork(void) {
    verso__native_shared *shared = verso__native_shared_now;
    if (--shared->forks > 0)
        return;
    atomic_store(&shared->forker, 0);
    pthread_mutex_unlock(&shared->heap_lock);
    pthread_mutex_unlock(&shared->lock);
}

static void in_child(void) {
    verso__native_shared *shared = verso__native_shared_now;
    pthread_cond_t fresh = PTHREAD_COND_INITIALIZER; /* the threads that wait are not in the child */
    shared->ended = fresh;
    if (shared->taken && !pthread_equal(shared->holder, pthread_self())) {
        shared->taken = shared->open = false;
        shared->abandoned = true;
    }
    if (shared->abandoned) {
        const verso__native_state before = verso__native_now;
        verso__native_now = (verso__native_state){
            .inside = UINT64_MAX, .variables = before.variables, .variables_size = before.variables_size};
    }
    after_fork();
}

/* ---- The page ---- */

#if VERSO_NATIVE_HERE

static size_t page_size(void) {
    return (sizeof(verso__native_shared) + VERSO_NATIVE_PAGE - 1) / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
}

static verso_status cannot_map(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "Verso needs a page at 0x%llx, and something else is there or the system refuses; run the "
                       "program without sanitizers and valgrind",
                       (unsigned long long)VERSO_NATIVE_SHARED_AT);
}

/* Reads the page that is there until its owner has filled it in, for a second at most. */
static verso_status adopt(verso__native_shared *page, verso_error *error) {
    verso__native_shared copy = {0};
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < 1000 && atomic_load(&copy.mark) != MARK; i++) {
        if (i > 0)
            usleep(1000);
        if (memory < 0 || pread(memory, &copy, sizeof copy, (off_t)VERSO_NATIVE_SHARED_AT) != (ssize_t)sizeof copy)
            break;
    }
    if (memory >= 0)
        close(memory);
    if (atomic_load(&copy.mark) != MARK)
        return cannot_map(error);
    if (copy.size != sizeof copy || strncmp(copy.version, verso_version(), sizeof copy.version) != 0)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the process has code that was linked by Verso %.24s, and this library was linked by Verso "
                           "%s; link all of it with one version",
                           copy.version, verso_version());
    verso__native_shared_now = page;
    return VERSO_STATUS_OK;
}

verso_status verso__native_shared_find(verso_error *error) {
    void *wanted = verso__native_address(VERSO_NATIVE_SHARED_AT);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    void *got = mmap(wanted, page_size(), PROT_READ | PROT_WRITE, flags, -1, 0);
    verso_status status = VERSO_STATUS_OK;
    if (got == wanted) {
        verso__native_shared *page = got;
        *page = alone;
        page->size = sizeof *page;
        strncpy(page->version, verso_version(), sizeof page->version - 1);
        atomic_store(&page->mark, MARK);
        verso__native_shared_now = page;
    } else {
        if (got != MAP_FAILED)
            munmap(got, page_size()); /* a kernel without MAP_FIXED_NOREPLACE treats the address as a hint */
        status = adopt(wanted, error);
    }
    if (status == VERSO_STATUS_OK)
        (void)pthread_atfork(before_fork, after_fork, in_child);
    return status;
}

#else

verso_status verso__native_shared_find(verso_error *error) {
    (void)pthread_atfork(before_fork, after_fork, in_child);
    return verso__native_reserve(0, 0, "verso cc", error);
}

#endif

/* ---- Turns ---- */

static verso_status refuse_turn(bool own, verso_error *error) {
    return own ? verso__fail(error, VERSO_STATUS_STATE,
                             "a differentiation is running already, around this call; there can be one at a time in a "
                             "process")
               : verso__fail(error, VERSO_STATUS_STATE,
                             "an execution (verso_execution) of another thread is open; close it first: there can be "
                             "one, or one differentiation, at a time in a process");
}

verso_status verso__native_turn_take(bool *others, bool *dirty, verso_error *error) {
    verso__native_shared *shared = verso__native_shared_now;
    pthread_mutex_lock(&shared->lock);
    bool own = false;
    while (shared->taken && !shared->open && !(own = pthread_equal(shared->holder, pthread_self())))
        pthread_cond_wait(&shared->ended, &shared->lock);
    if (shared->taken) {
        own = own || pthread_equal(shared->holder, pthread_self());
        pthread_mutex_unlock(&shared->lock);
        return refuse_turn(own, error);
    }
    if (own_number == 0)
        own_number = ++shared->run_times;
    *others = shared->last != own_number || shared->abandoned;
    *dirty = shared->abandoned;
    shared->last = own_number;
    shared->abandoned = false;
    shared->taken = true;
    shared->holder = pthread_self();
    pthread_mutex_unlock(&shared->lock);
    return VERSO_STATUS_OK;
}

void verso__native_turn_open(void) {
    verso__native_shared *shared = verso__native_shared_now;
    pthread_mutex_lock(&shared->lock);
    shared->open = true;
    pthread_cond_broadcast(&shared->ended);
    pthread_mutex_unlock(&shared->lock);
}

void verso__native_turn_end(void) {
    verso__native_shared *shared = verso__native_shared_now;
    pthread_mutex_lock(&shared->lock);
    shared->taken = shared->open = false;
    pthread_cond_signal(&shared->ended);
    pthread_mutex_unlock(&shared->lock);
}

bool verso__native_turn_is_taken(void) {
    verso__native_shared *shared = verso__native_shared_now;
    pthread_mutex_lock(&shared->lock);
    bool taken = shared->taken;
    pthread_mutex_unlock(&shared->lock);
    return taken;
}
