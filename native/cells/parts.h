/* Numbers that are written in parts: an integer store, a copy or a fill writes some bytes of a number that has a
 * derivative. The number then counts as unfinished until all its bytes are accounted for. parts.c explains the
 * scheme. */
#ifndef NATIVE_CELLS_PARTS_H
#define NATIVE_CELLS_PARTS_H

#include "native/cells/doubts.h"
#include "native/memory/memory.h"

/* Entries of the table of unfinished numbers. It is a prime, so that neighbouring numbers of all kinds get different
 * entries. */
enum { VERSO_NATIVE_UNFINISHED = 1021 };

/* The operation that wrote a part of a number, for the error message. */
typedef struct verso__native_culprit {
    const char *message; /* the whole message; NULL: it is made from `what`, `size` and `data` */
    const char *what;    /* "copying", "filling" */
    const void *data;    /* the memory that was written */
    uint64_t size;       /* its bytes */
    bool copied;         /* the bytes were copied from elsewhere, unchanged */
    uintptr_t distance;  /* from `data` to the source of the copy, modulo 2^64 */
} verso__native_culprit;

/* A number of which some bytes are about to be written. */
typedef struct verso__native_part {
    uintptr_t number;        /* its address */
    verso__native_kind kind; /* its kind */
    uint64_t before;         /* the bits of its cell before the write */
    unsigned bytes;          /* the bytes that are written: bit i for byte i */
    bool moved;              /* tangent mode: the number that the bytes are copied from has a tangent */
} verso__native_part;

/* The numbers that some memory contains only in part. There are at most seven at each end: at multiples of 4, one
 * float, two doubles, three long doubles and one doubt. */
typedef struct verso__native_parts {
    verso__native_part part[14];
    size_t count;
} verso__native_parts;

/* A number of which the origin of some bytes is known. */
typedef struct verso__native_unfinished {
    uintptr_t number; /* its address; 0: the entry is free */
    verso__native_kind kind;
    uint64_t kept;      /* the bits of its derivative */
    unsigned known;     /* the bytes whose origin is known: bit i for byte i */
    unsigned copied;    /* those of them that were copied */
    uintptr_t distance; /* from the copied bytes to their source, modulo 2^64 */
    uint64_t ordinal;   /* number of its last change */
    verso__native_culprit culprit;
} verso__native_unfinished;

/* A mark in the cell of an unfinished number: this, with further bits. */
#define VERSO_NATIVE_MARK (UINT64_C(0x1ffd) << 50)

/* Empties the table; to be called before a run. */
void verso__native_parts_begin(void);
/* Returns the numbers that the memory contains in part, at its beginning and at its end. */
verso__native_parts verso__native_parts_of(void *data, uint64_t size);
/* Returns whether the cells of all numbers that have bytes in the memory are zero, for memory of few bytes. */
bool verso__native_parts_nothing_near(const void *data, uint64_t size);
/* Returns those of them whose cells are not zero. */
verso__native_parts verso__native_parts_find_nonzero(void *data, uint64_t size);
/* Reverse mode: to be called before the cells of the written memory are taken. */
void verso__native_parts_sweep(const verso__native_parts *parts);
/* Reverse mode: to be called after the cells of the written memory were taken. */
void verso__native_parts_end_sweep(const verso__native_parts *parts, const verso__native_culprit *culprit);
/* Tangent mode: to be called before a copy; sets `moved` of each part from the source of the copy. */
void verso__native_parts_from(verso__native_parts *parts, const verso__native_culprit *how);
/* Tangent mode: to be called after the cells of the written memory were set. */
void verso__native_parts_tangent(const verso__native_parts *parts, const verso__native_culprit *how);
/* Ends the differentiation with a message about the culprit. */
_Noreturn void verso__native_parts_refuse(const verso__native_culprit *culprit);
/* Returns VERSO_STATUS_INVALID if a number was composed of bytes of several numbers, or if the cell of a number in
 * `regions` is a NaN that may come from a partial write. */
verso_status verso__native_parts_check(const verso_array *regions, size_t count, verso_error *error);
/* Records a message for the case that a derivative became a NaN for a reason outside this room. */
void verso__native_parts_suspect(const char *message);

/* ---- The table as bytes, for a stored adjoint ---- */

/* Returns the bytes that it takes; 0 if the table is empty. */
size_t verso__native_parts_size(void);
/* Returns true if verso__native_parts_read accepts this many bytes. */
bool verso__native_parts_fit(size_t size);
void verso__native_parts_write(char *bytes);
void verso__native_parts_read(const char *bytes, size_t size);

/* Returns true if the program may store doubles at odd multiples of 4. */
bool verso__native_packs(void);
/* Returns true if the bits of a cell mark its number as unfinished. */
bool verso__native_is_mark(uint64_t bits);

#endif
