/* Room `memory`: the address space of a compiled program, its heap, its shadow memory, and the private stack on which
 * differentiated functions run.
 *
 *   state.c        defines verso__native_now, the state that generated code knows (native/state.h)
 *   fixed.c        switches random addresses off before main, where that matters
 *   space.c        knows what lies at which address, reserves it, and makes all system calls about pages
 *   scalar.c       sizes of number types, and the kinds of their cells
 *   arena.c        the allocator of the program's heap, at a fixed address, with its state inside the heap
 *   arena_large.c  the allocator's large blocks: whole pages, in bins by size
 *   arena_find.c   finds the block that an address belongs to
 *   heap.c         malloc and its relatives, as the program calls them
 *   mapped.c       anonymous mappings that the program requests
 *   rows.c         the least and the greatest pointer of a table
 *   shared.c       what all run times of a process share: a program and shared libraries
 *   shadow.c       the planes of cells: finds and clears the pages that a differentiation touched
 *   stack.c        runs a function on the private stack, suspends and resumes it (x86-64, System V); failures
 *
 * Requires: base/.
 * Leaves: memory that upper rooms read and write; no upper room calls mmap, mprotect or madvise.
 * Owns: the allocator's lock and bounds, the reserved ranges, the list of pages kept between differentiations, the two
 * stack pointers, and the error of the run that failed last. All of these except the heap belong to the one
 * differentiation that may run at a time. */
#ifndef NATIVE_MEMORY_MEMORY_H
#define NATIVE_MEMORY_MEMORY_H

#include "native/memory/arena.h"
#include "native/memory/fixed.h"
#include "native/memory/platform.h"
#include "native/memory/scalar.h"
#include "native/memory/shadow.h"
#include "native/memory/shared.h"
#include "native/memory/space.h"
#include "native/memory/stack.h"

#endif
