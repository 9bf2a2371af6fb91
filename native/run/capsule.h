/* Capsules: the state of the program as bytes. capsule.c lists what a capsule holds. */
#ifndef NATIVE_RUN_CAPSULE_H
#define NATIVE_RUN_CAPSULE_H

#include "native/run/job.h"

/* A capsule in a buffer of its own. Zero-initialise it; free it with verso__native_capsule_free. */
typedef struct verso__native_capsule {
    char *bytes; /* NULL: empty */
    size_t room; /* bytes of the buffer */
} verso__native_capsule;

/* Returns true if the program was linked by `verso cc`, so that the table of its globals exists. */
bool verso__native_is_linked(void);

/* ---- Sizes, in bytes ---- */

/* Returns the size of a capsule of the current state. It includes the suspended stack, except at the beginning and at
 * the end of a run and between differentiations. */
size_t verso__native_capsule_size(void);
/* Returns the part of that size which is the stack. */
size_t verso__native_capsule_stack(void);
/* Returns the size of a capsule, without a stack, in which everything equals the base. */
size_t verso__native_capsule_unchanged(void);
/* Returns the size of a capsule without a stack and without a base. */
size_t verso__native_capsule_whole(void);

/* ---- Writing and reading ---- */

/* Writes a capsule of the current state. Must directly follow verso__native_capsule_size; `bytes` must have room for
 * the size that it returned. */
void verso__native_capsule_write(char *bytes);
/* Returns true if the log of the outside world still contains what it contained when the capsule was written. */
bool verso__native_capsule_fits(const char *bytes);
/* Puts the program back to the state of the capsule. */
void verso__native_capsule_read(const char *bytes);
/* Writes a capsule of the current state into `capsule`, whose buffer is reused if it is large enough. */
verso_status verso__native_capsule_take(verso__native_capsule *capsule, verso_error *error);
/* Puts the program back to the state of the capsule. */
void verso__native_capsule_restore(const verso__native_capsule *capsule);
/* Frees the buffer. No-op on an empty capsule. */
void verso__native_capsule_free(verso__native_capsule *capsule);

/* ---- What capsules leave out ---- */

/* Makes capsules leave out memory that is equal in `base`: a capsule that was taken without a base at the beginning of
 * the run, and that must stay unchanged as long as such capsules are used. NULL: capsules are complete. `always`: leave
 * memory out even where that saves little, so that the size of a capsule depends on the program's state only. */
void verso__native_capsule_base(const verso__native_capsule *base, bool always);
/* Returns where the base holds the bytes of this memory; NULL if it does not hold all of it, or there is no base. */
const char *verso__native_capsule_base_at(const char *data, size_t size);
/* Makes capsules leave out memory that the job's run does not write: f's x, and the arrays of derivatives. NULL: leave
 * nothing out. */
void verso__native_capsule_leave_out(const verso__native_job *job);
/* Lists the memory outside heap and stack that capsules hold: writes it to `ranges`, unless that is NULL, and returns
 * the number of ranges. */
size_t verso__native_capsule_fixed(verso__native_range *ranges);

#endif
