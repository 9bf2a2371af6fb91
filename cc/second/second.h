/* Room `second`: second derivatives. Makes recording and reverse functions compute tangents, too, so that a reverse
 * sweep gives the derivative of the gradient along a direction: a Hessian-vector product.
 *
 *   second.c    goes through the instructions of a function; names of the module
 *   varied.c    finds the values that have tangents
 *   mirror.c    addresses of tangents in memory, and what they may overlap
 *   numbers.c   tangents of arithmetic
 *   integers.c  tangents of integers that are the bits of numbers
 *   calls.c     calls between functions, of the run time and of the C library
 *
 * The tangent of what is at address p is at p + VERSO_MIRROR (native/state.h) and has the same type, whether p is in
 * the program's memory, on the tape, or a cell. So copies of bytes keep tangents without any rule, and the tangent of a
 * value has the type of the value.
 *
 * Requires: a module of recording and reverse functions that was made with unit->second. Leaves: their names with
 * ".second". Owns: nothing that outlives the transformation of one function. */
#ifndef CC_SECOND_SECOND_H
#define CC_SECOND_SECOND_H

#include "cc/ir/unit.h"

/* Prepares such a module: what LLVM would inline is inlined, and variables that need no memory are values. */
void cc_second_open(cc_unit *unit);
/* Transforms all functions of the current module. */
void cc_second_all(cc_unit *unit);
/* Renames what the module shares with that of recording code and must not share: all but call sites. */
void cc_second_rename(cc_unit *unit);

#endif
