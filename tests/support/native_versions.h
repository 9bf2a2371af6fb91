/* Helpers for functions whose versions are written by hand (native_program.h): records, frames, and transfers between
 * reverse functions. */
#ifndef VERSO_TESTS_NATIVE_VERSIONS_H
#define VERSO_TESTS_NATIVE_VERSIONS_H

#include "native/state.h"

#include <stdbool.h>
#include <string.h>

#define NOW verso__native_now

/* Writes a record to the tape. Returns the new end of the tape. */
static inline char *put(char *tape, const void *record, size_t size) {
    memcpy(tape, record, size);
    return tape + size;
}

/* Reads the last record of the tape. Returns the new end of the tape. */
static inline char *take(char *tape, void *record, size_t size) {
    memcpy(record, tape - size, size);
    return tape - size;
}

#define PUT(tape, record) put(tape, &(record), sizeof(record))
#define TAKE(tape, record) take(tape, &(record), sizeof(record))

/* A record before a call, by which the reverse function of the callee returns to that of the caller. */
typedef struct link {
    void (*reverse)(void); /* reverse function of the caller */
    uint64_t resume;       /* its entry */
} link;

/* Writes a link before a call. */
static inline void leave_link(char *tape, void (*reverse)(void), uint64_t resume) {
    link to_caller = {reverse, resume};
    NOW.tape = PUT(tape, to_caller);
}

/* At the end of a reverse function: continues with the caller's. */
static inline void hand_back(char *tape) {
    link to_caller;
    NOW.tape = TAKE(tape, to_caller);
    NOW.next = to_caller.reverse;
    NOW.entry = to_caller.resume;
}

/* Continues with the reverse function of a callee. */
static inline void hand_to(char *tape, void (*reverse)(void)) {
    NOW.tape = tape;
    NOW.next = reverse;
    NOW.entry = 0;
}

/* Ends the sweep of the stretch. */
static inline void stop_here(char *tape) {
    NOW.tape = tape;
    NOW.next = NULL;
}

static inline void push_frame(const void *frame, size_t size) {
    memcpy(NOW.frame, frame, size);
    NOW.frame += size;
}

static inline void pop_frame(void *frame, size_t size) {
    NOW.frame -= size;
    memcpy(frame, NOW.frame, size);
}

static inline char *safepoint(char *tape, uint64_t count, const verso__native_site *site) {
    return tape >= NOW.tape_limit ? verso__native_safepoint(tape, count, site) : tape;
}

static inline bool stops(const char *tape, uint64_t count, const verso__native_site *site) {
    return tape == NOW.tape_stop && verso__native_stop(count, site);
}

#endif
