/* State that the files of this room share. Only this room and its tests may include this header. */
#ifndef NATIVE_CELLS_INSIDE_H
#define NATIVE_CELLS_INSIDE_H

#include "native/cells/cells.h"

/* The state of parts.c and odd.c. A stored adjoint contains a copy of it. */
typedef struct verso__native_parts_state {
    uint64_t changes;        /* number of changes of the fields below so far; 0: all of them are empty */
    verso__native_parts now; /* the parts of the store that is being reversed or differentiated */
    const void *data;        /* address of that store */
    verso__native_unfinished unfinished[VERSO_NATIVE_UNFINISHED]; /* hash table by address and kind */
    const char *suspect; /* message for a derivative that became a NaN for another reason (notes.c); NULL: none */
    struct {
        bool any;                                         /* an odd double with a derivative was met in this run */
        uintptr_t first, last;                            /* lowest and highest address of those met */
        verso__native_culprit culprit;                    /* the copy that moved the last of them */
        verso__native_hidden hidden[VERSO_NATIVE_HIDDEN]; /* guards that are hidden at the moment */
        unsigned hidden_count;
    } odd;
} verso__native_parts_state;
extern verso__native_parts_state verso__native_parts_now;

/* Returns the bits of a number's cell. */
uint64_t verso__native_cell_bits(uintptr_t number, verso__native_kind kind);
/* Returns true if the bits of a cell are neither a derivative nor a mark. (A guard, see odd.c, is nothing, too.) */
bool verso__native_is_nothing(uint64_t bits);

#endif
