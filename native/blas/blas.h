/* Room `blas`: derivatives of calls of BLAS and LAPACK, which programs call by name (routines.h). For each routine that
 * a program uses, cc/front/rules.c makes a custom adjoint in two pieces, whose functions put the arguments into an
 * array, one word each, and call the functions below around the routine itself, which is always the program's own.
 *
 *   routines.h      the list of routines
 *   rules.c         the functions below; which rule a routine has
 *   arguments.c     reads the arguments of any routine by its signature
 *   matrix.c        matrices of the four element types, products and triangular systems; kernels.h: for one type
 *   operand.c       operands as routines store them: triangles, packed or not, bands; their cells
 *   vectors.c       rules of level 1
 *   products.c      rules of everything that is a product; products_list.c: which product each routine is
 *   solves.c        rules of triangular systems
 *   lu.c            rules of getrf, getrs and gesv
 *   cholesky.c      rules of potrf, potrs and posv
 *   fourier.c       rules of FFTW's plans (plans.h, cc/front/plans.c)
 *
 * Requires: room `sweep`. Leaves: adjoints and tangents in cells. Owns: temporary matrices during one call.
 *
 * The library refers to no routine of BLAS directly. matrix.c uses a product and a triangular solver if the program
 * contains them, and loops of its own otherwise. */
#ifndef NATIVE_BLAS_BLAS_H
#define NATIVE_BLAS_BLAS_H

#include "native/blas/routines.h"
#include "native/sweep/sweep.h"

#include <verso/native.h>

/* Called before and after a routine that is recorded. `code`: VERSO_BLAS_CODE. */
void verso__native_rule_record(verso_call *call, uint64_t code, const int64_t *words);
void verso__native_rule_recorded(verso_call *call, uint64_t code, const int64_t *words);
/* Called in the sweep instead of it. */
void verso__native_rule_sweep(verso_call *call, uint64_t code, const int64_t *words);
/* Called before and after a routine in tangent mode. */
void verso__native_rule_tangent(verso_call *call, uint64_t code, const int64_t *words);
void verso__native_rule_tangent_end(verso_call *call, uint64_t code, const int64_t *words);

#endif
