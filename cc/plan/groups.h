/* What a loop nest reads and writes, while ranges.h looks at it: loads that copies can serve, and stores, in groups
 * with the pointers that their addresses are computed from. */
#ifndef CC_GROUPS_H
#define CC_GROUPS_H

#include "cc/plan/body.h"
#include "cc/plan/extent.h"
#include "cc/plan/skipped.h"

/* CC_ENOUGH: numbers of bytes and iterations are not counted beyond this. */
enum { CC_GROUPS_MOST = 32 };
#define CC_ENOUGH (INT64_C(1) << 44)

/* The loads, or the stores, of a loop with one root; loads that read again what they have read are apart, and so are
 * loads of numbers and of others. */
typedef struct cc_group {
    LLVMValueRef root;
    bool table;         /* the root is a table, whose rows are accessed (tables.h); the extents are of addresses */
    int level;          /* the loop at whose exit the bytes are copied: the nest, or a loop inside */
    bool known;         /* the extents below are known */
    cc_extent whole;    /* offsets from the root that the nest accesses */
    cc_extent first;    /* of loads: in iteration 0 */
    cc_skipped skipped; /* of stores: the iteration of the nest in which none of them runs */
    bool moving;        /* `first` does not tell what other iterations read */
    bool sums;          /* of loads: the adjoint does not need what they read, only their cells (rolling.h) */
    bool numbers;       /* of loads: they load numbers, and not integers and pointers that addresses follow from */
    bool again;         /* each load reads the same bytes in several iterations, or the nest does when it runs again */
    bool lasting;       /* ... all of them only then, so that copies pay if the nest runs several times (lasting.h) */
    LLVMValueRef *accesses;
    size_t count, capacity;
    LLVMValueRef *stores; /* of loads: the stores of the nest that may change what they read (rewritten.c) */
    size_t store_count;
    LLVMValueRef wanted; /* condition for a version with copies of these loads; NULL: not looked at */
} cc_group;

typedef struct cc_search {
    cc_unit *unit;
    cc_body *body;
    int nest;
    cc_reach reach;
    int level;                                              /* the loop that is looked at */
    cc_group loads[CC_GROUPS_MOST], stores[CC_GROUPS_MOST]; /* stores: those of the level */
    size_t load_groups, store_groups;
    bool opaque;         /* the level writes to memory in a way that is not known */
    bool *taken;         /* items that are loads in a group */
    bool rewrites;       /* groups may have stores */
    bool rewrote;        /* out: a group got stores */
    LLVMValueRef *turns; /* for each loop of the nest */
    cc_narrow narrow;    /* what the reach notes */
} cc_search;

/* Returns the address of a load or store, and its size in bytes. */
LLVMValueRef cc_address_of(LLVMValueRef access);
int64_t cc_size_of_access(const cc_search *s, LLVMValueRef access);
/* Builds the extent of the bytes of an access: of its offset from its root, or of its address if that is in a table
 * (tables.h). Returns false if it is not understood. */
bool cc_extent_of_access(cc_search *s, LLVMValueRef access, cc_extent *out);
/* Returns whether two groups have the same root. */
bool cc_have_same_root(const cc_group *one, const cc_group *other);
/* Returns whether an item may write to memory. */
bool cc_may_write(const cc_item *item);
/* Builds the number of times that an iteration of the nest executes a block, on average. */
LLVMValueRef cc_times_of(cc_search *s, int block);
/* Puts the loads and stores of the level into groups. */
void cc_consider_items(cc_search *s);
/* Moves loads that read nothing repeatedly to groups of the level that do, if what they read is part of it or lies
 * beside it without gaps, so that a copy serves them at no cost; sets `lasting` of groups that remain. `first`: the
 * first group of the level. */
void cc_join_loads(cc_search *s, size_t first);
/* Returns whether a nest loads numbers. */
bool cc_has_numbers(const cc_body *body, int nest);

/* apart.c: Builds whether what loads read certainly does not overlap what stores write; their extents are known. */
LLVMValueRef cc_build_apart(cc_search *s, const cc_group *loads, const cc_group *stores);

/* rewritten.c: written ranges. Gives a group of loads the stores that may write to what it reads, and the other loads
 * with its root. Returns whether that is possible, and the loads are in deeper loops than the stores. */
bool cc_rewrite(cc_search *s, cc_group *loads);
/* Builds the bytes that an iteration of the nest overwrites in written ranges. */
LLVMValueRef cc_bytes_rewritten(cc_search *s);

#endif
