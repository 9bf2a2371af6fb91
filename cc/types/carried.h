/* Finds parameters and results of functions that carry bits of numbers of unknown kind (carried.c). */
#ifndef CC_CARRIED_H
#define CC_CARRIED_H

#include "cc/ir/unit.h"

typedef struct cc_carried cc_carried;

/* Analyses the normalised base copy. `pointers`: includes what calls through pointers carry. */
cc_carried *cc_find_carried(cc_unit *unit, bool pointers);
/* Returns whether a parameter or instruction carries bits; for a function, whether its result does. `element` is
 * that of a struct, or 0. */
bool cc_is_carried(const cc_carried *carried, LLVMValueRef value, unsigned element);
/* Returns whether any element of the value carries bits. */
bool cc_any_carried(const cc_carried *carried, LLVMValueRef value);
/* Returns the number of elements of a type: 1 for float, double and vectors of them, the number of members for a
 * struct, 0 for types that carry nothing. */
unsigned cc_carried_elements(cc_unit *unit, LLVMTypeRef type);

/* Returns whether `call`, which is through a pointer, may call the member. */
struct cc_member;
bool cc_may_call(cc_unit *unit, LLVMValueRef call, const struct cc_member *member);
/* Returns the member's current function in the base copy; NULL if all its calls were inlined. */
LLVMValueRef cc_normal_function(cc_unit *unit, const struct cc_member *member);

/* lower_carried_calls.c: replaces each call through a pointer whose arguments or result carry bits by a direct call of
 * a dispatcher, a new function that compares the pointer with the functions that it may point to and calls the right
 * one. cc_is_carried knows nothing about the new calls. */
void cc_dispatch_carried(cc_unit *unit, const cc_carried *carried);

#endif
