/* What all run times of one process share. A program that `verso cc` has linked has a run time of its own, and so has
 * every shared library: code and static state. But heap, private stack, tape and shadow memory are at fixed addresses,
 * so there is one of each in a process, and the run times use them by turns.
 *
 * A page at a fixed address says what there is. The run time that comes first maps it; the others find it there.
 *
 * Between turns, all cells are zero and the private stack is not used. What a run time remembers about the areas beyond
 * that (which pages of shadow memory have memory, where the tape's guard is) holds only until another one has had its
 * turn: verso__native_turn_take tells. */
#ifndef NATIVE_MEMORY_SHARED_H
#define NATIVE_MEMORY_SHARED_H

#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the allocator knows beyond the arena: it must not change when a copy of the heap is put back. */
typedef struct verso__native_arena_bounds {
    char *touched;    /* end of the memory that was ever written; all bytes beyond it are zero */
    char *highest;    /* end of the highest block ever */
    uint64_t changes; /* number of changes of large blocks and spans so far */
} verso__native_arena_bounds;

/* The page. `heap_lock` guards the allocator; `lock` guards all members below it. */
typedef struct verso__native_shared {
    atomic_uint_fast64_t mark; /* says that this is such a page; set when the rest is */
    uint64_t size;             /* of this struct */
    char version[24];          /* of the run time that mapped the page */
    atomic_bool arena;         /* the arena is reserved */
    atomic_bool areas;         /* tape, shadow memory and private stack are reserved */
    pthread_mutex_t heap_lock;
    verso__native_arena_bounds bounds;
    pthread_mutex_t lock;
    pthread_cond_t ended;    /* signalled when a turn ends, or when it becomes an open one */
    bool taken;              /* a differentiation or an execution runs */
    bool open;               /* it is an execution: it may stay open for any time, so nobody waits for it */
    pthread_t holder;        /* its thread */
    uint64_t run_times;      /* number of run times that have had a turn */
    uint64_t last;           /* number of the one that had the last turn */
    bool abandoned;          /* a turn did not end: this process was forked while another thread had it */
    unsigned forks;          /* number of run times whose handlers before fork have run */
    atomic_uintptr_t forker; /* the thread that forks; 0: none */
} verso__native_shared;

/* The page; before verso__native_shared_find has succeeded, a struct of this run time alone. */
extern verso__native_shared *verso__native_shared_now;

/* Finds or maps the page. To be called once. Fails if something else is at its address, or the page of another version
 * of Verso. */
verso_status verso__native_shared_find(verso_error *error);

/* ---- Turns ---- */

/* Begins a turn; waits while another thread has one. *others: since this run time's last turn another one has had its
 * turn, or this is the first. *dirty: shadow memory may have cells that are not zero. Returns VERSO_STATUS_STATE if
 * this thread has a turn already, or another thread has an open one. */
verso_status verso__native_turn_take(bool *others, bool *dirty, verso_error *error);
/* Makes the turn an open one. */
void verso__native_turn_open(void);
void verso__native_turn_end(void);
/* Returns true while any run time has a turn. */
bool verso__native_turn_is_taken(void);

#endif
