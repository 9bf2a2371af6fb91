/* Classes of memory: what a load or store may have to do with derivatives, from an analysis of the whole program.
 *
 * The analysis is field-sensitive and follows pointers through memory, calls and returns (places.h); functions are
 * analysed once for each call, as far as that does not take too long. Two accesses can meet if their places can be the
 * same memory, whatever their types are. An integer can carry a number if the
 * bits of a number flow into it: from a number in a register, or from memory where numbers, or integers that carry
 * some, are stored. The type of an access counts, and where values come from; a tag alone proves nothing. */
#ifndef CC_TYPES_CLASSES_H
#define CC_TYPES_CLASSES_H

#include "cc/ir/unit.h"

/* Finds the classes of all loads and stores of the base copy, and attaches them (ir/tags.h); copies of the base copy
 * keep them. Call it when the base copy is in its final form. */
void cc_find_classes(cc_unit *unit);

#endif
