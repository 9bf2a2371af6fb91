/* The run time of compiled programs: a stack, a heap and shadow memory of its own, and a tape. See state.h for what
 * generated code relies on, docs/native.md for pictures.
 *
 *   arena.c    the program's heap at a fixed address, its allocator's state inside it
 *   shadow.c   the planes, and the operations on cells
 *   stack.c    runs a function on the private stack; suspends and resumes it (x86-64, System V)
 *   capsule.c  copies of registers, stack, arena and globals: resumes any number of times, bit for bit
 *   tape.c     the tape's and the frames' memory
 *   sweep.c    stretches: record from one safepoint to another, reverse, go on with the one before
 *   derive.c   verso_gradient, verso_vjp, verso_jvp
 *   check.c    verso_check: dot-product, Taylor and cut tests
 *   custom.c   custom adjoints
 *   lib/       C functions that are differentiated like the program's own: compiled to bitcode and carried by the
 *              `verso` command (qsort, bsearch, modf, complex arithmetic, ...) */
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

#include "native/state.h"

#endif
