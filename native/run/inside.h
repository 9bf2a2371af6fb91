/* State that the files of this room share. Only this room and its tests may include this header. */
#ifndef NATIVE_RUN_INSIDE_H
#define NATIVE_RUN_INSIDE_H

#include "native/run/run.h"

/* The state of world.c and log.c: the log of the outside world, and the entry that is being written or read. */
typedef struct verso__native_world_state {
    /* The log. Offsets count from its beginning. */
    char *bytes;            /* its memory */
    size_t room;            /* bytes of that memory */
    uint64_t size;          /* bytes of all entries */
    uint64_t at;            /* offset that the run has reached; at == size: the run is here for the first time */
    verso__native_log *log; /* its file; NULL: in memory only */
    uint64_t limit;         /* maximum bytes of the log; 0: no limit */
    bool met;               /* a call was made since memory was last put back */
    bool may_spill;         /* a log that outgrows memory goes to a file (spill.c) */
    bool spilled;           /* `bytes` is a mapping of `file`, after `before` bytes of it */
    int file;
    uint64_t before;
    uint64_t gone; /* offset up to which its pages were let go */
    /* The current entry. */
    const verso__native_outside *call;      /* the call that it belongs to */
    bool first;                             /* the call is made now; false: the entry is read */
    uint64_t next;                          /* offset of the next byte to write or read */
    uint64_t end;                           /* offset of the end of an entry that is read */
    int errno_before;                       /* errno before the call */
    uint64_t handles[VERSO_NATIVE_HANDLES]; /* handles that the call uses or opens (durable runs only) */
    unsigned handle_count;
    bool changes;   /* the call changes the process itself (durable runs only) */
    bool foreign;   /* the call is one of a foreign function */
    bool items;     /* the entry consists of items */
    bool files;     /* the call changes which numbers are in files; `noted` is set */
    uint64_t noted; /* offset of the notes of the call */
    /* Blocks of the C library's heap that the program has freed; they are freed at the end. May contain duplicates. */
    void **blocks;
    size_t block_count, block_room;
} verso__native_world_state;
extern verso__native_world_state verso__native_world_now;

/* spill.c */

/* Makes room for `size` bytes in a file, if the log may be there and is large. Returns false if it is not in a file
 * afterwards with so much room. */
bool verso__native_world_spill(uint64_t size);
/* Reads a long log of a durable run, of at most `size` bytes, by mapping its file. */
void verso__native_world_map(uint64_t size);
/* Restores the length of the file after it was truncated. Returns false if that fails. */
bool verso__native_world_spilled_again(void);
/* Returns how many of `size` bytes of the log are in memory. */
uint64_t verso__native_world_resident(uint64_t size);
/* Lets pages of a log in a file go: those before `at`, once they are many; or all. */
void verso__native_world_let_go(uint64_t at, bool all);
/* Frees the log's memory and its file. */
void verso__native_world_free(void);

/* The notes of the current call (notes.c). */
typedef struct verso__native_notes_state {
    verso__native_note *list;
    size_t count, room;
} verso__native_notes_state;
extern verso__native_notes_state verso__native_notes_now;

/* The state of foreign.c and objects.c. */
typedef struct verso__native_foreign_state {
    const verso__native_foreign *call; /* the current call */
    bool first;                        /* the call is made now; false: its result comes from the log */
    verso__native_objects objects;     /* memory that the call can reach */
    size_t handed;                     /* the first `handed` of them are reached from the call's own arguments */
    char *copies;                      /* copies, or checksums, of the objects before the call */
    size_t copies_room;                /* bytes of `copies` */
    uint64_t heap;                     /* the allocator's state before the call (verso__native_arena_checksum) */
    verso__native_objects given;       /* objects that foreign functions were handed in earlier calls */
    uint64_t calls;                    /* number of calls so far */
} verso__native_foreign_state;
extern verso__native_foreign_state verso__native_foreign_now;

#endif
