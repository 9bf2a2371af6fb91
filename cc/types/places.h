/* Places: abstract memory for the analysis of classes (classes.c). A node stands for the memory that a pointer may
 * point to, beginning at the pointer. Nodes that may be the same memory, perhaps at a distance, are united; a set of
 * united nodes is called a root. Memory that is accessed at an unknown multiple of a distance, such as an array, is
 * folded: offsets in it count modulo that distance, its period. */
#ifndef CC_TYPES_PLACES_H
#define CC_TYPES_PLACES_H

#include "cc/ir/unit.h"

/* A position in the memory of a node. */
typedef struct cc_place {
    size_t node; /* CC_PLACE_NONE: not a pointer */
    int64_t offset;
} cc_place;
enum { CC_PLACE_NONE = 0 };

/* What is known of a root. */
typedef enum cc_place_flag {
    CC_PLACE_OUTSIDE = 1, /* code that is not analysed may have pointers to it */
    CC_PLACE_UNKNOWN = 2, /* pointers to it may be computed in ways that are not followed */
    CC_PLACE_MADE = 4,    /* a pointer to it was computed by integer arithmetic */
    CC_PLACE_SHARED = 8,  /* code that is not analysed may know its address, perhaps only to name it as an input */
} cc_place_flag;

typedef struct cc_places cc_places;
cc_places *cc_places_new(cc_unit *unit);

/* Returns a new node that is united with no other. */
size_t cc_places_add(cc_places *places);
/* Returns the root of a place as a node, and the offset in it, which is less than the period if there is one. */
cc_place cc_places_find(cc_places *places, cc_place place);
/* Returns the period of a root; 0: none. */
uint64_t cc_places_period(const cc_places *places, size_t root);
/* The two places may be the same address. No-op if one of them is CC_PLACE_NONE. */
void cc_places_unite(cc_places *places, cc_place a, cc_place b);
/* The node is accessed at offsets that differ by multiples of `distance`. */
void cc_places_fold(cc_places *places, size_t node, uint64_t distance);
/* Returns the place that a pointer in memory at `place` points to. */
cc_place cc_places_follow(cc_places *places, cc_place place);
/* The bytes of a pointer at `place`, at whatever of its offsets, may be accessed other than as a whole: marks as
 * UNKNOWN what pointers in the `size` bytes there point to, except one that is exactly there if `whole`. */
void cc_places_disturb(cc_places *places, cc_place place, uint64_t size, bool whole);
void cc_places_mark(cc_places *places, size_t node, cc_place_flag flag);
unsigned cc_places_flags(cc_places *places, size_t node);
/* Marks everything that can be reached from memory that is OUTSIDE or UNKNOWN in the same way. */
void cc_places_spread(cc_places *places);

#endif
