/* Leaves: the places of a type that can carry a derivative, one cell of shadow memory each, in order.
 *
 *   float, double, long double, __float128, half     one, at its own address
 *   integers of 32 n bits, pointers                  n, four bytes apart: numbers may travel through them as bits
 *   integers of 8 and 16 bits                        one: a number that is copied byte by byte travels with its first
 *                                                    byte; the others have no cell (their address is no multiple of 4)
 *   vectors, structs, arrays                         those of their elements
 *   anything else                                    none */
#ifndef CC_LEAVES_H
#define CC_LEAVES_H

#include "cc/cc.h"

unsigned cc_leaf_count(cc_unit *unit, LLVMTypeRef type);
/* In bytes from the start of a value of that type in memory. */
uint64_t cc_leaf_offset(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* The scalar that the leaf belongs to: a floating-point, integer or pointer type. */
LLVMTypeRef cc_leaf_type(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* The number of the first leaf of element `index` of a struct, array or vector. */
unsigned cc_leaf_first(cc_unit *unit, LLVMTypeRef type, unsigned index);
/* Whether the type is float, double, long double, __float128 or half. */
bool cc_leaf_is_number(LLVMTypeRef scalar);

#endif
