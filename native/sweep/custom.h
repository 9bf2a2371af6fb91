/* Custom adjoints: the state while a function of the user's runs that belongs to a custom adjoint. */
#ifndef NATIVE_SWEEP_CUSTOM_H
#define NATIVE_SWEEP_CUSTOM_H

#include <stdbool.h>
#include <stdint.h>
#include <verso/export.h>

typedef struct verso__native_custom {
    uint64_t mode; /* the mode in which the function was called (a verso__native_mode) */
    bool keeping;  /* the user's `record` runs, and may call verso_keep */
    bool whole;    /* the bytes kept are the adjoints of an adjoint in one piece */
} verso__native_custom;

/* Returns the current state, so that it can be restored after a nested custom adjoint. */
verso__native_custom verso__native_custom_save(void);
void verso__native_custom_restore(verso__native_custom custom);

/* Returns the adjoints of the doubles at `data`, contiguous like them. Code that `verso rev --register` generates uses
 * it. NULL, after the run was given up, if Verso has no cells there. */
VERSO_API double *verso__native_adjoint_cells(const void *data);

#endif
