/* Number types of the public interface: their sizes, and the kinds of their cells. */
#ifndef NATIVE_MEMORY_SCALAR_H
#define NATIVE_MEMORY_SCALAR_H

#include "native/state.h"

#include <verso/native.h>

/* Returns the size of a number of this type in bytes; 0 for a value that is not a verso_scalar. */
size_t verso__native_scalar_size(verso_scalar type);
/* Returns the kind of cells that numbers of this type have. It is VERSO_NATIVE_DOUBLE if the program uses no numbers of
 * this type. */
verso__native_kind verso__native_kind_of(verso_scalar type);
/* Return and set what the cell of a number holds. Requires that it has a cell. */
double verso__native_cell_read(const void *number, verso__native_kind kind);
void verso__native_cell_write(const void *number, verso__native_kind kind, double value);
/* Read and set the cells of `count` adjacent numbers of this type. Require that `numbers` is a multiple of 4. */
void verso__native_cells_read(const void *numbers, verso_scalar type, size_t count, double *values);
void verso__native_cells_write(const void *numbers, verso_scalar type, size_t count, const double *values);
/* Returns true if no number of this kind at a multiple of 4 from `begin` to `end` has a cell that is not zero. */
bool verso__native_cells_are_zero(uintptr_t begin, uintptr_t end, verso__native_kind kind);

#endif
