/* Factorisations as matrices: A = P L U as LAPACK stores it, and A = L L^H. */
#ifndef NATIVE_BLAS_FACTORS_H
#define NATIVE_BLAS_FACTORS_H

#include "native/blas/inside.h"

/* ---- lu.c ---- */

typedef struct verso__blas_lu {
    verso__blas_matrix f; /* L below the diagonal, U above it and on it */
    const int *pivots;
} verso__blas_lu;

/* Exchanges rows of m: m becomes P^T m, or P m if `back`. */
void verso__blas_exchange(verso__blas_matrix m, const int *pivots, int64_t count, bool back);
/* Returns L and U, or with `cells` their derivatives, as new matrices. */
verso__blas_matrix verso__blas_lower_of(verso__blas_matrix f, bool cells);
verso__blas_matrix verso__blas_upper_of(verso__blas_matrix f);
/* Solves op(A) x = b, where op is n, t, c or r. */
void verso__blas_lu_solve(verso__blas_lu lu, char flag, verso__blas_matrix b);
/* m holds the adjoints of the factors, and then those of A; m holds tangents of A, and then those of the factors. */
void verso__blas_lu_sweep(verso__blas_lu lu, verso__blas_matrix m);
void verso__blas_lu_tangent(verso__blas_lu lu, verso__blas_matrix m);

/* ---- cholesky.c ---- */

/* Solves A x = b with A = L L^H. */
void verso__blas_cholesky_solve(verso__blas_matrix lower, verso__blas_matrix b);

#endif
