/* Cotangents of reverse numbers, by number: those of a stretch in an array, all that are older in a table. A leaf of a
 * checkpointed run reads and writes as many as it has operations, however many numbers are alive. */
#ifndef VLAD_COTANGENTS_H
#define VLAD_COTANGENTS_H

#include "vlad/number.h"

typedef struct vlad_cotangents {
    vlad_numbers *numbers;
    uint64_t first, end; /* the stretch at hand */
    vlad_value *stretch; /* VLAD_NOTHING: none yet, which is a zero */
    size_t stretch_room;
    uint64_t *keys; /* of older ones; UINT64_MAX: free */
    vlad_value *values;
    size_t used, room; /* room is a power of two */
    vlad_roots roots;
} vlad_cotangents;

void vlad_cotangents_open(vlad_cotangents *cotangents, vlad_numbers *numbers);
void vlad_cotangents_close(vlad_cotangents *cotangents);
/* The stretch is [first, end) from now on: it takes its cotangents out of the table. What was left in the stretch
 * before is forgotten. False: no memory. */
bool vlad_cotangents_turn(vlad_cotangents *cotangents, uint64_t first, uint64_t end);
/* Adds to that of a number before `end`; before the first turn all are in the table. False: no memory. */
bool vlad_cotangents_add(vlad_cotangents *cotangents, uint64_t number, vlad_value term);
/* Of a number of the stretch; VLAD_NOTHING: none, or it is not of the stretch. */
vlad_value vlad_cotangents_of(const vlad_cotangents *cotangents, uint64_t number);
/* All that are in the table, as a VLAD_TABLE: number, cotangent, ... VLAD_NOTHING: the heap is exhausted. */
vlad_value vlad_cotangents_save(const vlad_cotangents *cotangents);
/* Adds those of such a table, or of none (VLAD_NULL). False: no memory. */
bool vlad_cotangents_load(vlad_cotangents *cotangents, vlad_value table);
/* As at the beginning. */
void vlad_cotangents_clear(vlad_cotangents *cotangents);
/* Takes the entries off the tape of a level, the last of which is number end - 1, and hands cotangents on to operands.
 */
bool vlad_cotangents_sweep(vlad_cotangents *cotangents, uint32_t level);

#endif
