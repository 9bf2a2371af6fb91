/* Leaves: the places of a type that can carry a derivative, in the order of their addresses. Each leaf has one cell
 * of shadow memory. A type has this many leaves:
 *
 *   float, double, long double, __float128, half   1, at the address of the number
 *   integers of 32 n bits; pointers (64 bits)      n, four bytes apart: numbers may be copied through them as bits
 *   integers of 80 bits                            2, four bytes apart: the cell of a long double is at its first bytes
 *   integers of 8 and 16 bits                      1: a number that is copied byte by byte has its cell at its first
 *                                                  byte; the others, at no multiple of 4, have none
 *   vectors, structs, arrays                       the leaves of their elements
 *   other types                                    0
 *
 * For integers and pointers this count is multiplied by the number of kinds of numbers that the program uses
 * (verso__native_kind), because their type does not say which kind of number the bits are: each place has one leaf
 * per kind, in the order of the kinds. */
#ifndef CC_LEAVES_H
#define CC_LEAVES_H

#include "cc/ir/unit.h"
#include "native/state.h"

/* Returns the number of leaves of `type`. */
unsigned cc_leaf_count(cc_unit *unit, LLVMTypeRef type);
/* Returns the offset of the leaf in bytes from the start of a value of this type in memory. */
uint64_t cc_leaf_offset(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* Returns the scalar type that contains the leaf: a floating-point, integer or pointer type. */
LLVMTypeRef cc_leaf_type(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* Returns the type of the leaf's adjoint: f32 for a float, else f64. */
LLVMTypeRef cc_leaf_adjoint(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* Returns the kind of the leaf's cell, which selects the plane of shadow memory. */
verso__native_kind cc_leaf_kind(cc_unit *unit, LLVMTypeRef type, unsigned leaf);
/* Returns the number of kinds of numbers that the program uses; 1 (double) until cc_find_kinds has run. */
unsigned cc_kind_count(const cc_unit *unit);
/* Returns the index-th of these kinds; requires index < cc_kind_count(unit). */
verso__native_kind cc_kind_at(const cc_unit *unit, unsigned index);
/* Returns whether a leaf of one type and a leaf of another have the same offset and kind. */
bool cc_leaf_same(cc_unit *unit, LLVMTypeRef type, unsigned leaf, LLVMTypeRef other, unsigned other_leaf);
/* Returns the number of the first leaf of element `index` of a struct, array or vector. */
unsigned cc_leaf_first(cc_unit *unit, LLVMTypeRef type, unsigned index);
/* Returns whether `type` is an integer or a pointer with at least one and at most CC_WORDS_MOST leaves. Such values
 * have more cells than numbers have, and their cells are mostly zero, so the code for the cells goes into a small
 * function (small.h). */
enum { CC_WORDS_MOST = 6 };
bool cc_leaves_are_words(LLVMTypeRef type, unsigned leaves);
/* Returns whether the type is float, double, long double, __float128 or half. */
bool cc_leaf_is_number(LLVMTypeRef scalar);
/* Returns whether a value of this type is or contains a floating-point number, as opposed to integers or pointers
 * whose bits may be a number. */
bool cc_leaf_any_number(cc_unit *unit, LLVMTypeRef type);

#endif
