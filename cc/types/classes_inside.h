/* What the files of the analysis of classes share: classes_walk.c collects the accesses of a program and the ways that
 * integers flow, classes.c classifies the accesses. */
#ifndef CC_TYPES_CLASSES_INSIDE_H
#define CC_TYPES_CLASSES_INSIDE_H

#include "cc/types/classes.h"
#include "cc/types/places.h"
#include "native/state.h"

/* The kind of an access: a verso__native_kind, or one of these. */
enum { CC_OTHER_NUMBER = VERSO_NATIVE_KINDS /* half, __float128 */, CC_INTEGER /* integer or pointer */ };

/* An access to one scalar in memory. An instruction has several accesses if it loads or stores a struct or a vector,
 * or if its function is analysed several times. */
typedef struct cc_access {
    LLVMValueRef at; /* the load or store */
    cc_place place;
    uint64_t size;
    unsigned alignment;
    int kind;
    size_t tag;   /* the type that the language says it accesses; 0: any */
    size_t value; /* of an integer: index in `values`; 0: a constant */
    size_t key;   /* classes.c: index of its key */
} cc_access;

/* An integer or pointer in a register, in one analysis of its function. */
typedef struct cc_integer {
    bool carries;   /* it may contain bits of a number */
    unsigned kinds; /* set of kinds: the numbers that these bits may come from, or be used as */
} cc_integer;

/* An integer may be computed from another one. */
typedef struct cc_edge {
    size_t from, to;
} cc_edge;

typedef struct cc_accesses {
    cc_unit *unit;
    cc_places *places;
    cc_access *all;
    size_t count, capacity;
    cc_integer *values; /* values[0] is not used */
    size_t value_count, value_capacity;
    cc_edge *edges;
    size_t edge_count, edge_capacity;
} cc_accesses;

/* restore.c: makes numbers of integers that are only moved between `places`, the loads and stores of integers where
 * memory holds whole numbers of one kind of their size, and nothing else. Returns whether there were any. */
bool cc_restore_numbers(cc_unit *unit, const cc_map *places);

/* Collects all accesses of the base copy, and the ways that integers flow. */
void cc_collect_accesses(cc_accesses *accesses);

#endif
