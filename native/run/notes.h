/* Notes: what a call into code that Verso does not see has done to numbers of the program. */
#ifndef NATIVE_RUN_NOTES_H
#define NATIVE_RUN_NOTES_H

#include "native/memory/memory.h"

typedef enum verso__native_note_kind {
    VERSO_NATIVE_NOTE_CHANGED, /* `data` holds other numbers now, which depend on no input */
    VERSO_NATIVE_NOTE_UNKNOWN, /* some numbers in `data` have changed; it is not known which */
    VERSO_NATIVE_NOTE_COPIED,  /* `data` holds copies of the numbers at `from` */
    VERSO_NATIVE_NOTE_FILE,    /* names the file of the next note: `data` is its device, `from` its inode */
    VERSO_NATIVE_NOTE_PIECE,   /* the file has, at offset `from`, the numbers whose cells are those of `data`; if `data`
                                  is NULL, it no longer has numbers there, and if `size` is 0, it has text */
} verso__native_note_kind;

typedef struct verso__native_note {
    uint64_t kind : 8;  /* a verso__native_note_kind */
    uint64_t size : 56; /* bytes of `data` */
    char *data, *from;
} verso__native_note;

/* Begins the notes of a call. */
void verso__native_notes_begin(void);
/* Adds a note. Private stack only: gives up if there is no memory. */
void verso__native_note_add(verso__native_note_kind kind, void *data, uint64_t size, void *from);
/* Ends the notes of a call: appends them to the log of the outside world, or reads them from there in a repeated run,
 * and sets state.noted. With `with_bytes`, the contents of changed memory are logged, or restored, too. */
void verso__native_notes_keep(bool with_bytes);
/* Frees all notes. */
void verso__native_notes_forget(void);

#endif
