/* The address space of a compiled program: fixed areas, the planes of shadow memory, and system calls about pages. All
 * functions on pages take whole pages unless noted. */
#ifndef NATIVE_MEMORY_SPACE_H
#define NATIVE_MEMORY_SPACE_H

#include "base/status.h"
#include "native/state.h"

#include <stdbool.h>

enum {
    VERSO_NATIVE_PAGE = 4096,                                         /* bytes of a page */
    VERSO_NATIVE_COVERED = 3,                                         /* ranges of addresses that have cells */
    VERSO_NATIVE_SHIFTS = 2 * VERSO_NATIVE_KINDS - 1,                 /* planes of one range; floats have one */
    VERSO_NATIVE_PLANES = VERSO_NATIVE_SHIFTS * VERSO_NATIVE_COVERED, /* planes of all ranges */
};

/* A range of addresses; `end` is excluded. */
typedef struct verso__native_range {
    char *begin, *end;
} verso__native_range;

/* ---- Fixed areas: addresses and sizes in bytes ---- */

#define VERSO_NATIVE_TIB (UINT64_C(1) << 40)
#define VERSO_NATIVE_FRAMES_AT UINT64_C(0x080000000000)
#define VERSO_NATIVE_FRAMES_SIZE VERSO_NATIVE_TIB
#define VERSO_NATIVE_TAPE_AT UINT64_C(0x100000000000)
/* The last bytes of these addresses are for lasting copies (native/sweep/lasting.h). */
#define VERSO_NATIVE_LASTING_SIZE (UINT64_C(16) << 20)
#define VERSO_NATIVE_TAPE_SIZE (4 * VERSO_NATIVE_TIB - VERSO_NATIVE_LASTING_SIZE)
#define VERSO_NATIVE_LASTING_AT (VERSO_NATIVE_TAPE_AT + VERSO_NATIVE_TAPE_SIZE)
#define VERSO_NATIVE_ARENA_AT ((uint64_t)VERSO_INSIDE_AT)
#define VERSO_NATIVE_ARENA_SIZE VERSO_NATIVE_TIB
#define VERSO_NATIVE_STACK_AT UINT64_C(0x610000000000)
#define VERSO_NATIVE_STACK_SIZE (UINT64_C(64) << 30)
/* Addresses without memory. Their cells hold the derivatives of numbers that the program has written to files. */
#define VERSO_NATIVE_FILES_AT UINT64_C(0x618000000000)
#define VERSO_NATIVE_FILES_SIZE (VERSO_NATIVE_TIB / 2)
/* What all run times of the process share (native/memory/shared.h). */
#define VERSO_NATIVE_SHARED_AT UINT64_C(0x617f00000000)

static inline char *verso__native_address(uint64_t address) {
    return (char *)(uintptr_t)address;
}

/* ---- Reserving ---- */

/* Reserves planes, tape, frames and private stack at the first call. If that fails, the error says what occupies the
 * addresses or which limit is too low. */
verso_status verso__native_space_reserve(verso_error *error);
bool verso__native_space_is_reserved(void);
/* Returns VERSO_STATUS_INVALID if program, libraries or stack lie at addresses without shadow memory. */
verso_status verso__native_check_layout(verso_error *error);
/* Reserves one more area: readable and writable, without memory until it is touched. `what` names it in errors. */
verso_status verso__native_reserve(uint64_t address, uint64_t size, const char *what, verso_error *error);

/* ---- Pages ---- */

/* Makes the pages of [begin, end) accessible or inaccessible. Returns false if the system refuses. */
bool verso__native_protect(char *begin, char *end, bool accessible);
/* Gives the memory of the pages back to the system. The pages then read as zero. */
void verso__native_drop(char *begin, char *end);
/* Lets the system take the pages when it needs memory. Their contents may become zero at any time. */
void verso__native_offer(char *begin, char *end);
/* Sets resident[i] & 1 for each of the `pages` pages at `begin` that is in memory (a page that is not may have been
 * swapped out), and returns their number. If the system does not report it, all pages count as resident. */
size_t verso__native_resident(char *begin, size_t pages, unsigned char *resident);
/* Sets written[i] to false for each of the `pages` pages at `begin` that was certainly never written. Pages that were
 * swapped out count as written. */
void verso__native_find_written(const char *begin, size_t pages, bool *written);
/* Sets owned[i] for each of the `pages` pages at `begin` that has memory of its own; a page that was only read has not.
 * If the system does not report it, all pages count as owned. */
void verso__native_find_owned(const char *begin, size_t pages, bool *owned);
/* Returns the bytes of owned pages in [begin, end), which need not be whole pages. */
uint64_t verso__native_owned_bytes(const char *begin, const char *end);

/* ---- The process and the machine ---- */

/* Returns the number of page faults of this thread so far. */
uint64_t verso__native_faults(void);
/* Returns the bytes of the process that are in memory; 0: not known. */
uint64_t verso__native_resident_set(void);
/* Returns the part of it that is not mapped from files, nor shared with other processes, nor in the C library's heap,
 * where libraries such as MPI have their memory. */
uint64_t verso__native_resident_private(void);
/* Returns the bytes that the machine can provide without swapping; UINT64_MAX: not known. */
uint64_t verso__native_available(void);
/* Returns the maximum bytes of the tape, and of shadow memory, that stay with the process between differentiations. */
uint64_t verso__native_kept_most(void);
/* Returns the range that the program itself occupies: code, constants and globals. Empty: not known. */
verso__native_range verso__native_program(void);
/* Returns the range of the program's code. Empty: not known. */
verso__native_range verso__native_program_code(void);

/* ---- Shadow memory ---- */

/* First address, and address after the last, of each range that has cells. */
extern const uint64_t verso__native_covered[VERSO_NATIVE_COVERED][2];
/* One plane of shadow memory. */
typedef struct verso__native_plane {
    verso__native_range covered; /* the memory whose cells the plane holds */
    verso__native_kind kind;     /* the kind of these cells */
    uint64_t shift;              /* the cell of a number is at the number's address plus `shift` (modulo 2^64) */
} verso__native_plane;
/* Returns the plane with this index, 0 <= index < VERSO_NATIVE_PLANES. */
verso__native_plane verso__native_plane_at(size_t index);
/* Returns true if all `size` bytes at `data` have cells. */
bool verso__native_covers(const void *data, uint64_t size);
/* Returns true if all `size` bytes at `cells` belong to one plane. */
bool verso__native_has_cells(const void *cells, uint64_t size);

#endif
