/* What the files of room `second` share. */
#ifndef CC_SECOND_INSIDE_H
#define CC_SECOND_INSIDE_H

#include "cc/ir/unit.h"

/* A function that is being transformed. Tangents and mirrors are made before their first use. */
typedef struct cc_second {
    cc_unit *unit;
    LLVMValueRef function;
    bool reverse, inactive;
    LLVMValueRef *instructions; /* those that it had, in an order in which definitions precede their uses */
    size_t count, capacity;
    LLVMValueRef *accesses; /* the loads and stores among them */
    cc_map varied;          /* set of values that have tangents */
    cc_map tangent;         /* value -> its tangent */
    cc_map mirror;          /* address -> the address of the tangent of what is there */
} cc_second;

/* ---- varied.c ---- */

/* Lists the instructions, and finds those that have tangents. */
void cc_second_collect(cc_second *second);
bool cc_second_varied(const cc_second *second, LLVMValueRef value);
/* Returns whether a value of this type is or has a number. */
bool cc_second_has_numbers(LLVMTypeRef type);
/* Returns whether a load or store may move numbers: as numbers, or, in recording functions, as integers. */
bool cc_second_moves(cc_second *second, LLVMValueRef access, LLVMTypeRef type);
/* Returns whether the call is of a differentiated function. */
bool cc_second_follows(cc_second *second, LLVMValueRef call);
/* Returns whether the instruction is an operation on integers whose operands may be the bits of numbers. */
bool cc_second_is_integer(LLVMValueRef instruction);

/* ---- second.c ---- */

/* Returns the tangent of a value; NULL: it is zero. */
LLVMValueRef cc_second_tangent(const cc_second *second, LLVMValueRef value);
/* The same, with a constant for zero. */
LLVMValueRef cc_second_whole(const cc_second *second, LLVMValueRef value);
void cc_second_set(cc_second *second, LLVMValueRef value, LLVMValueRef tangent);
void cc_second_before(cc_second *second, LLVMValueRef instruction);
void cc_second_after(cc_second *second, LLVMValueRef instruction);

/* ---- mirror.c ---- */

/* Returns the address of the tangent of what is at `address`, and builds it where `address` is computed. */
LLVMValueRef cc_second_mirror(cc_second *second, LLVMValueRef address);
/* Makes `made`, an access of a tangent, one that overlaps only tangents, and of these only what `access` overlaps of
 * other memory. */
void cc_second_mark(cc_second *second, LLVMValueRef made, LLVMValueRef access);
/* Marks all other accesses of the function. */
void cc_second_mark_plain(cc_second *second, LLVMValueRef access);

/* ---- numbers.c ---- */

/* Builds the tangent of an operation with a rule (cc/rules/rules.h). */
void cc_second_rule(cc_second *second, LLVMValueRef value);
void cc_second_select(cc_second *second, LLVMValueRef value);

/* ---- integers.c ---- */

void cc_second_integer(cc_second *second, LLVMValueRef value);

/* ---- calls.c ---- */

void cc_second_entry(cc_second *second);
void cc_second_return(cc_second *second, LLVMValueRef end);
void cc_second_call(cc_second *second, LLVMValueRef call);

#endif
