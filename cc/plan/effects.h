/* What calls of a function may access: the program's memory that the function and all functions that it calls may read
 * or write, besides their own frames. The run time makes the snapshot of a checkpointed call from it. */
#ifndef CC_EFFECTS_H
#define CC_EFFECTS_H

#include "cc/ir/unit.h"

/* How an object is accessed. */
enum {
    CC_EFFECT_USED = 1,     /* it is read or written */
    CC_EFFECT_FOLLOWED = 2, /* so are objects that pointers in it lead to, and pointers in those */
};

/* The object that a parameter points into. */
typedef struct cc_reach {
    unsigned how; /* CC_EFFECT_...; 0: not accessed */
    bool whole;   /* any part of it; false: the bytes from `low` to `high`, counted from the pointer */
    int64_t low, high;
} cc_reach;

/* A variable of the program. */
typedef struct cc_effect {
    LLVMValueRef variable; /* in the program's module */
    unsigned how;          /* CC_EFFECT_... */
} cc_effect;

typedef struct cc_effects {
    bool unknown;         /* it may access anything; the other members say nothing */
    cc_reach *parameters; /* by parameter */
    cc_effect *variables; /* the variables that it accesses, in the order of the code */
    size_t variable_count;

    /* For effects.c. */
    size_t variable_capacity;
    cc_map variable_of;     /* variable -> index in `variables` */
    bool follows;           /* it uses a pointer that it found in memory */
    bool keeps;             /* it may write a pointer, or bits of one, to memory */
    bool packs;             /* it moves words that are not at multiples of 8 */
    bool wild;              /* a pointer that it uses may have come from anywhere that it can reach */
    LLVMValueRef *mentions; /* variables whose addresses it uses in any way */
    size_t mention_count, mention_capacity;
    cc_map mentioned; /* set of `mentions` */
} cc_effects;

/* Sets `effects` of all functions. Requires cc_find_inert and lowered functions that have no recording code yet. */
void cc_find_effects(cc_unit *unit);
/* Returns what a call of a differentiated function, or one through a pointer, may access, by argument. */
const cc_effects *cc_effects_of_call(cc_unit *unit, LLVMValueRef call);

#endif
