/* Which parameters and results of functions carry bits: see carried.c. */
#ifndef CC_CARRIED_H
#define CC_CARRIED_H

#include "cc/cc.h"

typedef struct cc_carried cc_carried;

/* Of the base copy, normalised. `pointers`: what calls through pointers carry, too. */
cc_carried *cc_find_carried(cc_unit *unit, bool pointers);
/* A parameter or an instruction; a function stands for its result. `element` is one of a structure, or 0. */
bool cc_is_carried(const cc_carried *carried, LLVMValueRef value, unsigned element);
/* Whether any element of the value is. */
bool cc_any_carried(const cc_carried *carried, LLVMValueRef value);
/* How many elements a type has: 1 for float, double and vectors of them, those of a structure; 0: it carries nothing.
 */
unsigned cc_carried_elements(cc_unit *unit, LLVMTypeRef type);

/* Whether `call`, through a pointer, can be meant for a member. */
struct cc_member;
bool cc_may_call(cc_unit *unit, LLVMValueRef call, const struct cc_member *member);
/* The member's function in the base copy, as it is; NULL: all its calls were inlined. */
LLVMValueRef cc_normal_function(cc_unit *unit, const struct cc_member *member);

/* lower_carried_calls.c: calls through pointers that carry something become direct ones, of a function that knows whom
 * they can be meant for. Nothing is known of those calls then. */
void cc_dispatch_carried(cc_unit *unit, const cc_carried *carried);

#endif
