/* The outside world: calls of the C library whose effect or result lies outside the program's memory. In a run that
 * is repeated, each is made once and logged; repetitions read the log. native/state.h declares what generated code
 * calls. */
#ifndef NATIVE_RUN_WORLD_H
#define NATIVE_RUN_WORLD_H

#include "native/memory/memory.h"

/* Begins a run that may be repeated: from now on, calls to the outside world are logged, and blocks of the C library's
 * heap that the program frees are kept until verso__native_world_close. */
void verso__native_world_open(void);
/* Ends such a run, and returns the bytes that the log took. */
size_t verso__native_world_close(void);
/* Lets the log of this run, once it outgrows memory, go to a file without a name in TMPDIR. */
void verso__native_world_may_spill(void);
/* Returns the bytes of memory that the log takes now. */
size_t verso__native_world_bytes(void);
/* Returns how many bytes of memory a log takes at most that goes to a file when it is long. */
uint64_t verso__native_world_window(void);
/* Limits the log, because a budget has no room for more: a longer log is a failure. 0: no limit. */
void verso__native_world_limit(uint64_t bytes);
/* Returns the offset in the log that the run has reached. It is part of capsules. */
uint64_t verso__native_world_at(void);
/* Returns the size of the log. */
uint64_t verso__native_world_size(void);
/* Sets the offset that the run has reached. To be called before the program's memory is put back. */
void verso__native_world_rewind(uint64_t at);
/* Appends memory of the run time to the current entry, or reads it from there in a repeated run. Outside repeated runs,
 * in a single pass, it always appends. */
void verso__native_world_keep(void *data, uint64_t size);
/* Marks the current entry, which is made now, as one that consists of items. */
void verso__native_world_has_items(void);
/* Frees the log of a single pass, and returns the bytes that it took. */
size_t verso__native_world_forget(void);

/* Maximum number of handles in an entry. */
enum { VERSO_NATIVE_HANDLES = 3 };
/* The head of an entry of the log. */
typedef struct verso__native_entry {
    uint64_t call : 24;         /* number of the call (verso__native_outside) */
    uint64_t changes_errno : 1; /* the entry contains errno */
    uint64_t changes : 1;       /* the call changed the process itself */
    uint64_t foreign : 1;       /* the call was one of a foreign function */
    uint64_t files : 1;         /* the call changed which numbers are in files; the entry has the offset of its notes */
    uint64_t handles : 2;       /* number of handles in the entry */
    uint64_t items : 1;         /* the entry consists of items (once.c) */
    uint64_t size : 33;         /* bytes after the head */
} verso__native_entry;

#endif
