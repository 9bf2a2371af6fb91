/* Memory of compiled programs as the run time sees it: the address space, the program's heap, shadow memory, and the
 * numbers in it that are not simply written and read as a whole. Part of native.h, which lists the files. */
#ifndef NATIVE_MEMORY_H
#define NATIVE_MEMORY_H

#include "base/status.h"
#include "native/state.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <verso/native.h>

/* ---- space.c ---- */

/* Ranges of addresses that have cells, and planes: for each range, of each kind, for even and for odd cells. */
enum {
    VERSO_NATIVE_PAGE = 4096,
    VERSO_NATIVE_COVERED = 3,
    VERSO_NATIVE_SHIFTS = 2 * VERSO_NATIVE_KINDS,
    VERSO_NATIVE_PLANES = VERSO_NATIVE_SHIFTS * VERSO_NATIVE_COVERED,
};

/* A range of addresses, `end` excluded. */
typedef struct verso_native_range {
    char *begin, *end;
} verso_native_range;

#define VERSO_NATIVE_TIB (UINT64_C(1) << 40)
#define VERSO_NATIVE_FRAMES_AT UINT64_C(0x080000000000)
#define VERSO_NATIVE_FRAMES_SIZE VERSO_NATIVE_TIB
#define VERSO_NATIVE_TAPE_AT UINT64_C(0x100000000000)
#define VERSO_NATIVE_TAPE_SIZE (4 * VERSO_NATIVE_TIB)
#define VERSO_NATIVE_ARENA_AT ((uint64_t)VERSO_INSIDE_AT)
#define VERSO_NATIVE_ARENA_SIZE VERSO_NATIVE_TIB
#define VERSO_NATIVE_STACK_AT UINT64_C(0x610000000000)
#define VERSO_NATIVE_STACK_SIZE (UINT64_C(64) << 30)

static inline char *verso_native_address(uint64_t address) {
    return (char *)(uintptr_t)address;
}

/* Planes, tape, frames and stack, at the first call; says what is in the way when they cannot be had. */
verso_status verso_native_space_reserve(verso_error *error);
/* Whether program, libraries and stack lie where there is shadow memory. */
verso_status verso_native_check_layout(verso_error *error);
/* One more area: readable and writable, no memory until it is touched. */
verso_status verso_native_reserve(uint64_t address, uint64_t size, const char *what, verso_error *error);
/* Makes whole pages inaccessible, or accessible again. False: the system refuses. */
bool verso_native_protect(char *begin, char *end, bool accessible);
/* Gives whole pages back: they read as zero. */
void verso_native_drop(char *begin, char *end);
/* Lets the system take whole pages when it needs memory; what they hold may turn to zero at any time. */
void verso_native_offer(char *begin, char *end);
/* Gives back what the C library keeps of memory that was freed. */
void verso_native_heap_trim(void);
/* How many of so many pages at `begin` are in memory, and which: resident[i] & 1. A page that is not may have been
 * swapped out. All, when the system does not tell. */
size_t verso_native_resident(char *begin, size_t pages, unsigned char *resident);
/* Which of so many pages at `begin` may ever have been written: written[i]. Those that were swapped out, too. */
void verso_native_written(const char *begin, size_t pages, bool *written);
/* Which of them have memory of their own; one that was only read has not. All, when the system does not tell. */
void verso_native_owned(const char *begin, size_t pages, bool *owned);
/* Page faults of this thread so far. Never decreases while nothing but this thread touches memory. */
uint64_t verso_native_faults(void);
/* Bytes of the process that are in memory; 0: not known. */
uint64_t verso_native_resident_set(void);
/* Bytes that can be had without swapping; UINT64_MAX: not known. */
uint64_t verso_native_available(void);
/* Bytes of the tape or of shadow memory that stay with the process between differentiations at most. */
uint64_t verso_native_kept_most(void);
/* Where the program itself lies: code, constants and globals. */
verso_native_range verso_native_program(void);
extern const uint64_t verso_native_covered[VERSO_NATIVE_COVERED][2];
/* Which of them a plane has the cells of, of which kind they are, and how far above their numbers they lie. */
typedef struct verso_native_plane {
    verso_native_range covered;
    verso_native_kind kind;
    uint64_t shift;
} verso_native_plane;
verso_native_plane verso_native_plane_at(size_t index);
/* Whether every byte there belongs to them. */
bool verso_native_covers(const void *data, uint64_t size);
/* Whether every byte there belongs to a plane. */
bool verso_native_has_cells(const void *cells, uint64_t size);

/* ---- fixed.c ---- */

/* VERSO_INVALID unless everything lies at the same addresses in every process of this program. */
verso_status verso_native_require_fixed(verso_error *error);

/* ---- arena.c ---- */

/* Reserves the arena if that has not been tried. False: it cannot be had, the heap is the C library's. */
bool verso_native_arena_ready(void);
/* The whole heap: from the arena's start to the end of its last block. */
verso_native_range verso_native_arena_used(void);
/* Up to the last byte that was ever part of a block. */
verso_native_range verso_native_arena_ever_used(void);
/* What is free is zero, and in the order of addresses: the heap depends on what is in use alone, not on what was freed
 * before, or when. */
void verso_native_arena_tidy(void);
/* A heap of so many bytes is put back, perhaps that of another process: so many may have been written. */
void verso_native_arena_reach(size_t size);

/* ---- shadow.c ---- */

enum { VERSO_NATIVE_BLOCK = 64 };

/* Whether that many bytes at `cells` are zero; in registers of the machine, because most memory has no derivatives. */
static inline bool verso_native_block_zero(const void *cells) {
    typedef uint64_t pair __attribute__((vector_size(16), aligned(4), may_alias));
    const pair *four = cells;
    pair any = (four[0] | four[1]) | (four[2] | four[3]);
    return (any[0] | any[1]) == 0;
}

/* All planes hold zeros when a differentiation begins. */
void verso_native_shadow_begin(void);
/* Makes it so again; `nearby` names memory likely to be touched the next time too. Returns the bytes that were touched.
 */
size_t verso_native_shadow_end(const verso_native_range *nearby, size_t count);
/* Clears whole multiples of 8 bytes of a plane; pages that are zero or not there are not written. */
void verso_native_shadow_clear(char *begin, char *end);

/* ---- parts.c ---- */

enum { VERSO_NATIVE_UNFINISHED = 1021 }; /* a prime: neighbours of all kinds have places of their own */

/* What wrote a part of a number: a sentence, or a copy or fill of so many bytes. */
typedef struct verso_native_culprit {
    const char *message; /* NULL: the others say it */
    const char *what;
    const void *data;
    uint64_t size;
    bool copied;        /* bytes of numbers, or of nothing, as they were */
    uintptr_t distance; /* from `data` to where they were */
} verso_native_culprit;

/* Bits `bytes` of the bytes of a number are about to be written; `before` is its cell. */
typedef struct verso_native_part {
    uintptr_t number;
    verso_native_kind kind;
    uint64_t before;
    unsigned bytes;
    bool moved; /* tangent mode: the number that its bytes are copied from has a tangent */
} verso_native_part;

/* At the beginning and at the end, at each multiple of 4: a float, two doubles, three long doubles. */
typedef struct verso_native_parts {
    verso_native_part part[12];
    size_t count;
} verso_native_parts;

/* A number of which some bytes are known. */
typedef struct verso_native_unfinished {
    uintptr_t number; /* 0: none */
    verso_native_kind kind;
    uint64_t kept;          /* the bits of its derivative */
    unsigned known, copied; /* bytes */
    uintptr_t distance;     /* to where the copied ones were */
    uint64_t ordinal;       /* of its last change */
    verso_native_culprit culprit;
} verso_native_unfinished;

/* Before a run. */
void verso_native_parts_begin(void);
/* The numbers of which some memory has a part: at its beginning and its end. And those whose cells are not zero. */
verso_native_parts verso_native_parts_of(void *data, uint64_t size);
verso_native_parts verso_native_parts_there(void *data, uint64_t size);
/* Reverse mode, before and after the cells of that memory are taken; tangent mode, after they are set. */
void verso_native_parts_sweep(const verso_native_parts *parts);
void verso_native_parts_swept(const verso_native_parts *parts, const verso_native_culprit *culprit);
void verso_native_parts_tangent(const verso_native_parts *parts, const verso_native_culprit *how);
/* Tangent mode, before a copy: looks at where the parts come from. */
void verso_native_parts_from(verso_native_parts *parts, const verso_native_culprit *how);
/* Refuses a derivative that is a doubt, with its message. */
void verso_native_doubt_check(double derivative);
/* Ends the differentiation, and says why. */
_Noreturn void verso_native_parts_lost(const verso_native_culprit *culprit);
/* VERSO_INVALID when a number was put together of bytes that do not belong together, or when the cell of a region's
 * number is a NaN, and that may be for what was written over a number. */
verso_status verso_native_parts_check(const verso_array *regions, size_t count, verso_error *error);

/* Whether some doubles may be stored at odd multiples of 4. */
bool verso_native_packs(void);
/* Whether a cell's bits say that its number is unfinished. */
bool verso_native_is_mark(uint64_t bits);
/* Whether they are a doubt. */
bool verso_native_is_doubt(uint64_t bits);

/* ---- cells.c ---- */

/* Tangent mode, after a copy to a place that differs by 4 modulo 8. Doubles that it has made of the halves of two
 * others, at multiples of 8 as where doubles usually are, have no tangent of their own while one of the others has.
 * `before`: the one that was not copied whole has. */
void verso_native_tangent_across(char *destination, uint64_t size, bool before);

/* ---- odd.c ---- */

enum { VERSO_NATIVE_HIDDEN = 4 };
typedef struct verso_native_hidden {
    uintptr_t number;
    uint64_t bits;
} verso_native_hidden;

/* Whether a cell's bits are a guard of a double beside it. */
bool verso_native_odd_guards(uint64_t bits);
/* The double there, if that is an odd multiple of 4, has got an adjoint. */
void verso_native_odd_arrived(uintptr_t number, const verso_native_culprit *culprit);
/* What wrote those of its bytes is met. Refuses when they were copied, and something else has written there since. */
void verso_native_odd_left(uintptr_t number, unsigned bytes, bool copied);
/* All of some memory, of the culprit's size: before its cells are taken, before it gets those of a copy, and after. */
void verso_native_odd_leave(const char *data, const verso_native_culprit *culprit);
void verso_native_odd_check(const char *data, uint64_t size);
void verso_native_odd_arrive(const char *data, const verso_native_culprit *culprit);
/* While cells of memory are taken: hides the guards at its ends, of which only a part was written, and shows them
 * again. `copied`: reverse mode, what was written there has come from elsewhere. */
void verso_native_odd_hide(const void *data, uint64_t size);
void verso_native_odd_show(bool copied);
/* Whether some may be there, or guards of them. */
bool verso_native_odd_met(const void *data, uint64_t size);
/* Tangent mode. Before memory is read: what is no number any more gets a NaN. After it was written: what there is gets
 * guards; `may`: there may be some. Before a part of a double behind its end is written: hides its guard. */
void verso_native_odd_spoil(const void *data, uint64_t size);
void verso_native_odd_surround(const void *data, uint64_t size, bool may);
void verso_native_odd_hide_last(const void *data, uint64_t size);

#endif
