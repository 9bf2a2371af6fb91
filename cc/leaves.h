/* Leaves: the places of a type that can carry a derivative, one cell of shadow memory each, in order.
 *
 *   float, double, long double, __float128, half     one, at its own address
 *   integers of 32 n bits, pointers                  n, four bytes apart: numbers may travel through them as bits
 *   integers of 80 bits                              two, in the same way: a long double travels with its first bits
 *   integers of 8 and 16 bits                        one: a number that is copied byte by byte travels with its first
 *                                                    byte; the others have no cell (their address is no multiple of 4)
 *   vectors, structs, arrays                         those of their elements
 *   anything else                                    none
 *
 * Where "one" is one of each kind of number that the program has (native/state.h), one after the other, for integers
 * and pointers: nobody knows which the bits are. */
#ifndef CC_LEAVES_H
#define CC_LEAVES_H

#include "cc/cc.h"
#include "native/state.h"

unsigned cc_leaf_count(cc_unit *unit, LLVMTypeRef type);
/* In bytes from the start of a value of that type in memory. */
uint64_t cc_leaf_offset(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* The scalar that the leaf belongs to: a floating-point, integer or pointer type. */
LLVMTypeRef cc_leaf_type(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* Which cell it has. */
verso_native_kind cc_leaf_kind(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* How many kinds there are, and the one that comes so manieth. */
unsigned cc_kind_count(const cc_unit *unit);
verso_native_kind cc_kind_at(const cc_unit *unit, unsigned index);
/* Whether leaves of two types are the same place and kind. */
bool cc_leaf_same(cc_unit *unit, LLVMTypeRef type, unsigned leaf, LLVMTypeRef other, unsigned other_leaf);
/* The number of the first leaf of element `index` of a struct, array or vector. */
unsigned cc_leaf_first(cc_unit *unit, LLVMTypeRef type, unsigned index);
/* Whether it is an integer or a pointer of so few leaves that what is done to its cells can be in a small function
 * (small.h): they have more than numbers have, and mostly carry nothing. */
enum { CC_WORDS_MOST = 6 };
bool cc_leaf_are_words(LLVMTypeRef type, unsigned leaves);
/* Whether the type is float, double, long double, __float128 or half. */
bool cc_leaf_is_number(LLVMTypeRef scalar);
/* Whether a value of this type is a number or holds one, not only bits that may be one. */
bool cc_leaf_any_number(cc_unit *unit, LLVMTypeRef type);

#endif
