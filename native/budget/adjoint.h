/* The adjoint as bytes, so that it can be stored and outlives the process. It consists of the cells of all memory that
 * capsules hold, the frames, and `end`: a capsule of the program's memory at the end of the run, which is empty until
 * the run has ended. */
#ifndef NATIVE_BUDGET_ADJOINT_H
#define NATIVE_BUDGET_ADJOINT_H

#include "native/sweep/sweep.h"

/* Returns the size of the current adjoint in bytes. */
size_t verso__native_adjoint_size(const verso__native_capsule *end);
/* Writes the current adjoint. `size` must be what verso__native_adjoint_size returned. */
verso_status verso__native_adjoint_write(const verso__native_capsule *end, char *bytes, size_t size,
                                         verso_error *error);
/* Clears cells and frames, as they are before the sweep begins. */
void verso__native_adjoint_clear(void);
/* Replaces cells, frames and *end by those in `bytes`. Returns VERSO_STATUS_CORRUPT if they are not an adjoint. */
verso_status verso__native_adjoint_read(verso__native_capsule *end, const char *bytes, size_t size, verso_error *error);

#endif
