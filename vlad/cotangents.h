/* The cotangents of reverse numbers, indexed by number. Those of the current stretch (a range of numbers) are in
 * an array, all older ones in a hash table. So a leaf of a checkpointed run accesses only as many cotangents as it
 * has operations, however many numbers are in use. */
#ifndef VLAD_COTANGENTS_H
#define VLAD_COTANGENTS_H

#include "vlad/number.h"

typedef struct vlad_cotangents {
    vlad_numbers *numbers;
    /* range of numbers [first, end) of the current stretch */
    uint64_t first, end;
    vlad_value *stretch; /* VLAD_NOTHING: no cotangent yet, which counts as zero */
    size_t stretch_room;
    uint64_t *keys; /* numbers in the table; UINT64_MAX: free */
    vlad_value *values;
    size_t used, room; /* entries of the table in use; size of the table, a power of two */
    vlad_roots roots;
} vlad_cotangents;

/* Opens an empty set, and registers its roots; vlad_cotangents_close frees it. */
void vlad_cotangents_open(vlad_cotangents *cotangents, vlad_numbers *numbers);
void vlad_cotangents_close(vlad_cotangents *cotangents);
/* Makes [first, end) the stretch and moves its cotangents from the table to the array. The array's former contents
 * are discarded. Returns false if there is no memory. */
bool vlad_cotangents_turn(vlad_cotangents *cotangents, uint64_t first, uint64_t end);
/* Adds `term` to the cotangent of a number below `end`. Before the first turn all cotangents are in the table.
 * Returns false if there is no memory. */
bool vlad_cotangents_add(vlad_cotangents *cotangents, uint64_t number, vlad_value term);
/* Returns the cotangent of a number; VLAD_NOTHING if it has none or is outside of the stretch. */
vlad_value vlad_cotangents_of(const vlad_cotangents *cotangents, uint64_t number);
/* Returns the table as a VLAD_TABLE: number, cotangent, ...; VLAD_NOTHING if the heap is exhausted. */
vlad_value vlad_cotangents_save(const vlad_cotangents *cotangents);
/* Adds the cotangents of a VLAD_TABLE; VLAD_NULL is an empty one. Returns false if there is no memory. */
bool vlad_cotangents_load(vlad_cotangents *cotangents, vlad_value table);
/* Removes all cotangents. */
void vlad_cotangents_clear(vlad_cotangents *cotangents);
/* Sweeps over the tape of a level, whose last entry is that of number end - 1: takes the entries off the tape and
 * adds the cotangents of the operands. Returns false if there is no memory. */
bool vlad_cotangents_sweep(vlad_cotangents *cotangents, uint32_t level);

#endif
