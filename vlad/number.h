/* Arithmetic on numbers of all levels. An invocation of an AD operator has a tag, larger than those of all invocations
 * that surround it, and the numbers that depend on what it differentiates by carry it:
 *
 *   j*                    duals: primal and tangent
 *   *j, checkpoint-*j     reverse numbers: a primal, and a number of their own in the order in which they are born
 *
 * Primal and tangent are numbers of lower tags, so derivatives nest. While a level is recording, each birth is an entry
 * on its tape: for both operands their number and the partial derivative. Births are counted whether or not a level is
 * recording, and evaluation is deterministic, so a reverse number has the same number whenever it is computed again:
 * that, and nothing else, is how cotangents find their way from one leaf of a checkpointed run to the one before, and
 * no structure is ever walked for it. */
#ifndef VLAD_NUMBER_H
#define VLAD_NUMBER_H

#include "vlad/core.h"
#include "vlad/heap.h"

/* A level of reverse mode that is being evaluated. */
typedef struct vlad_level {
    uint64_t tag;
    uint64_t born;  /* numbers so far */
    uint64_t first; /* the number of the first entry on the tape */
    bool recording;
    bool shared;     /* the last chunk belongs to capsules, too: the next entry goes to a copy */
    uint32_t filled; /* entries in the last chunk of the tape */
} vlad_level;

/* Operators in reverse mode, and of all kinds, one in another, at most; entries in a chunk, of which eight make a
 * segment of the heap. */
enum { VLAD_LEVELS = 64, VLAD_DEEPEST = 1000, VLAD_CHUNK = 127 };
/* On a tape: no operand, instead of its number. */
#define VLAD_NO_OPERAND UINT64_C(0xffffffffffff)

typedef struct vlad_numbers {
    vlad_heap *heap;
    vlad_level levels[VLAD_LEVELS + 1]; /* the last one is nobody's */
    vlad_value tapes[VLAD_LEVELS];      /* the last chunk of each: (the one before, entries); VLAD_NULL: none */
    uint32_t count;
    uint64_t tags; /* operators that are running; the innermost has this tag */
    vlad_roots roots;
} vlad_numbers;

void vlad_numbers_open(vlad_numbers *numbers, vlad_heap *heap);
void vlad_numbers_close(vlad_numbers *numbers);

/* Of plain numbers, duals and reverse numbers only: whoever calls has looked. VLAD_NOTHING: the heap is exhausted.
 * Comparisons and predicates give booleans; `floor`, comparisons and the like look at the plain number inside. */
vlad_value vlad_number_unary(vlad_numbers *numbers, vlad_operator operation, vlad_value a);
vlad_value vlad_number_binary(vlad_numbers *numbers, vlad_operator operation, vlad_value a, vlad_value b);
/* The plain number inside. */
double vlad_number_plain(vlad_value number);

/* For an operator within all that are running; 0: there are VLAD_DEEPEST. */
uint64_t vlad_numbers_tag(vlad_numbers *numbers);
/* The operator has ended, and nothing carries its tag any more. */
void vlad_numbers_release(vlad_numbers *numbers, uint64_t tag);
/* A new level on top of the others; false: there are VLAD_LEVELS, or there is no tag for it. */
bool vlad_level_begin(vlad_numbers *numbers, uint64_t tag, bool recording);
/* There are too many levels or tags, as an error. */
verso_status vlad_too_deep(verso_error *error);
void vlad_level_end(vlad_numbers *numbers);
/* An input of the topmost level: a reverse number without an entry that leads further. */
vlad_value vlad_level_input(vlad_numbers *numbers, vlad_value primal);
/* The last entry of the tape, taken off it: two operands' numbers (UINT64_MAX: none) and partials. False: there is
 * none. */
typedef struct vlad_entry {
    uint64_t operand[2];
    vlad_value partial[2];
} vlad_entry;
bool vlad_level_entry(vlad_numbers *numbers, uint32_t level, vlad_entry *entry);

#endif
