/* State and functions that the files of this room share. Only this room and its tests may include this header. */
#ifndef NATIVE_MEMORY_INSIDE_H
#define NATIVE_MEMORY_INSIDE_H

#include "native/memory/memory.h"

/* The state of space.c and fixed.c. */
typedef struct verso__native_space_state {
    bool reserved;               /* verso__native_space_reserve has succeeded */
    verso__native_range program; /* code, constants and globals of the program; empty until first asked for */
    verso__native_range code;    /* the program's code; filled in together with `program` */
    bool library;                /* this run time belongs to a shared library */
    bool fixed;                  /* this process has the same addresses as every other process of the program */
    const char *why_not;         /* why switching random addresses off failed; NULL: it was not tried */
} verso__native_space_state;
extern verso__native_space_state verso__native_space_now;

/* Raises the end of the private stack to `lowest`, so that a test can reach it with little memory. Returns false if the
 * system refuses. */
bool verso__native_stack_raise(char *lowest);

/* ---- arena.c, for heap.c ---- */

/* The alignment of all blocks of the arena, in bytes. */
enum { VERSO_NATIVE_GRAIN = 16 };
/* Returns true if `block` is an address in the arena. */
bool verso__native_arena_owns(const void *block);
/* Allocates a block of at least `size` bytes. Returns NULL if the arena is full. Bytes of the block at and beyond
 * *touched_before are zero, because that memory was never used. */
void *verso__native_arena_new(size_t size, char **touched_before);
/* Frees a block. No-op if `block` is not a block in use. */
void verso__native_arena_release(void *block);
/* Resizes a block in place. Returns true if the block now holds `size` bytes: a small block of which at least half
 * would stay in use, or a large block that shrinks or has enough free memory after it. Returns false if nothing was
 * done. */
bool verso__native_arena_resize(void *block, size_t size);
/* Returns the bytes from `block` to the end of its memory. */
size_t verso__native_arena_size_of(void *block);
/* Marks `block` as an aligned part of the block that begins `distance` bytes before it. */
void verso__native_arena_mark_aligned(void *block, size_t distance);

#endif
