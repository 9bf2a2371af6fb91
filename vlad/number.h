/* Arithmetic on numbers of all levels. Each invocation of an AD operator has a tag that is larger than those of
 * all invocations around it. The numbers that depend on its inputs carry the tag:
 *
 *   j*                    duals: a primal and a tangent
 *   *j, checkpoint-*j     reverse numbers: a primal, and the index at which they were created (their number)
 *
 * Primal and tangent may be numbers with lower tags, so derivatives nest. While a level is recording, each new
 * reverse number adds an entry to its tape: the numbers of both operands and the partial derivatives. Reverse
 * numbers are counted whether or not a level is recording, and evaluation is deterministic. So a recomputed value
 * has the same number as before. By these numbers alone cotangents pass from one leaf of a checkpointed run to the
 * leaf before it; no structure has to be traversed. */
#ifndef VLAD_NUMBER_H
#define VLAD_NUMBER_H

#include "vlad/core.h"
#include "vlad/heap.h"

/* A level of reverse mode in use. */
typedef struct vlad_level {
    uint64_t tag;
    uint64_t born;  /* number of reverse numbers created so far */
    uint64_t first; /* number of the first entry on the tape */
    bool recording;
    bool shared;     /* the last chunk also belongs to capsules: copy it before adding an entry */
    uint32_t filled; /* entries in the last chunk of the tape */
} vlad_level;

/* VLAD_LEVELS: maximum nesting of reverse-mode operators. VLAD_DEEPEST: maximum nesting of all AD operators.
 * VLAD_CHUNK: entries in a chunk of a tape; eight chunks fill a segment of the heap. */
enum { VLAD_LEVELS = 64, VLAD_DEEPEST = 1000, VLAD_CHUNK = 127 };
/* On a tape, in place of an operand's number: there is no operand. */
#define VLAD_NO_OPERAND UINT64_C(0xffffffffffff)

typedef struct vlad_numbers {
    vlad_heap *heap;
    vlad_level levels[VLAD_LEVELS + 1]; /* the last one is a sentinel */
    /* the last chunk of each tape, linked to the one before it; VLAD_NULL: none */
    vlad_value tapes[VLAD_LEVELS];
    uint32_t count;
    uint64_t tags; /* number of AD operators in progress; the innermost has this tag */
    vlad_roots roots;
} vlad_numbers;

/* Initialises the levels (there are none yet) and registers the tapes as roots. */
void vlad_numbers_open(vlad_numbers *numbers, vlad_heap *heap);
void vlad_numbers_close(vlad_numbers *numbers);

/* Apply an operator to plain numbers, duals or reverse numbers; the caller has checked that they are. Return
 * VLAD_NOTHING if the heap is exhausted. Comparisons and predicates return booleans; they and `floor` use the
 * plain number inside. */
vlad_value vlad_number_unary(vlad_numbers *numbers, vlad_operator operation, vlad_value a);
vlad_value vlad_number_binary(vlad_numbers *numbers, vlad_operator operation, vlad_value a, vlad_value b);
/* Returns the plain number inside. */
double vlad_number_plain(vlad_value number);

/* Returns the tag of an operator inside all that are in progress; 0 if there are VLAD_DEEPEST already. */
uint64_t vlad_numbers_tag(vlad_numbers *numbers);
/* Gives back the tag of an operator that has ended. No value may carry it any more. */
void vlad_numbers_release(vlad_numbers *numbers, uint64_t tag);
/* Begins a new topmost level. Returns false if there are VLAD_LEVELS already or `tag` is 0. */
bool vlad_level_begin(vlad_numbers *numbers, uint64_t tag, bool recording);
/* Sets a message about too many levels or tags. Returns the status. */
verso_status vlad_too_deep(verso_error *error);
void vlad_level_end(vlad_numbers *numbers);
/* Makes room for the next entry on the tape of the topmost level. Returns false if the heap is exhausted. */
bool vlad_level_room(vlad_numbers *numbers);
/* Returns a new reverse number of the topmost level that is an input: its entry has no operands. */
vlad_value vlad_level_input(vlad_numbers *numbers, vlad_value primal);
/* Takes the last entry off the tape: the numbers of two operands (UINT64_MAX: none) and the partial derivatives.
 * Returns false if the tape is empty. */
typedef struct vlad_entry {
    uint64_t operand[2];
    vlad_value partial[2];
} vlad_entry;
static inline bool vlad_level_entry(vlad_numbers *numbers, uint32_t level, vlad_entry *entry) {
    enum { WORDS = 4 }; /* words of an entry */
    vlad_level *of = &numbers->levels[level];
    if (numbers->tapes[level] == VLAD_NULL)
        return false;
    const vlad_value *words = &vlad_object_of(numbers->tapes[level])->field[1 + WORDS * --of->filled];
    for (int i = 0; i < 2; i++) {
        entry->operand[i] = words[2 * i] == VLAD_NO_OPERAND ? UINT64_MAX : words[2 * i];
        entry->partial[i] = words[2 * i + 1];
    }
    if (of->filled == 0) {
        numbers->tapes[level] = vlad_object_of(numbers->tapes[level])->field[0];
        of->filled = VLAD_CHUNK;
        of->shared = true;
    }
    return true;
}

#endif
