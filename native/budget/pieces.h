/* Pieces: recordings of the last steps of a run, in a ring of slots of the tape's memory. If they are all steps of the
 * run, nothing is computed twice; otherwise only the first steps are run again. */
#ifndef NATIVE_BUDGET_PIECES_H
#define NATIVE_BUDGET_PIECES_H

#include "native/budget/program.h"

/* Maximum number of slots. */
enum { VERSO_NATIVE_PIECES = 16 };

typedef struct verso__native_pieces {
    uint64_t memory; /* maximum bytes of all recordings */
    uint64_t leaf;   /* length of a step in bytes */
    uint64_t slots;  /* number of slots */
    uint64_t slot;   /* bytes from one slot to the next */
    uint64_t page;   /* size of the pages in which the slots' memory is counted, in bytes */
    uint64_t begin;  /* the first step that is recorded; begin == end: none is */
    uint64_t end;    /* the step after the last one that is recorded */
    uint64_t used;   /* peak bytes of all recordings */
    verso__native_recording recordings[VERSO_NATIVE_PIECES]; /* the recording of step i is number i modulo slots */
    bool bare;                                               /* slots without a recording have no memory */
} verso__native_pieces;

/* Divides the memory that the budget leaves into slots, and sets the length of a step. Gives back memory of the tape
 * that an earlier run left outside these slots. */
void verso__native_pieces_open(verso__native_program_state *program, verso__native_pieces *pieces);
/* Gives back the memory of the slots, except for about `bytes` bytes. The recordings are lost. */
void verso__native_pieces_close(const verso__native_pieces *pieces, uint64_t bytes);
/* Returns the maximum number of steps that verso__native_pieces_record records before it stops. */
uint64_t verso__native_pieces_most(const verso__native_pieces *pieces);
/* Records from the beginning of a walk to the end of the run. Stops, and leaves no recording, when too many steps would
 * have to be run again. */
verso_status verso__native_pieces_record(verso__native_program_state *program, verso__native_pieces *pieces,
                                         verso_error *error);
/* Returns true if all steps of the run are recorded, and the recordings fit beside everything else in the budget. */
bool verso__native_pieces_fit(const verso__native_program_state *program, verso__native_pieces *pieces);
/* Drops the first recordings until the others fit. */
void verso__native_pieces_forget(const verso__native_program_state *program, verso__native_pieces *pieces);
/* Reverses all recordings. */
verso_status verso__native_pieces_reverse(verso__native_program_state *program, verso__native_pieces *pieces,
                                          verso_error *error);

#endif
