/* What the routines of levels 2 and 3 that multiply compute:
 *
 *     out = sum of alpha left right + beta out
 *
 * where left and right are op(factor). */
#ifndef NATIVE_BLAS_PRODUCTS_H
#define NATIVE_BLAS_PRODUCTS_H

#include "native/blas/inside.h"

typedef struct verso__blas_term {
    int left, right; /* indices of factors */
    char left_flag, right_flag;
    bool conjugate; /* conj(alpha) in place of alpha */
} verso__blas_term;

typedef struct verso__blas_product {
    verso__blas_operand factor[2], out;
    int factors, terms;
    verso__blas_term term[2];
    int alpha, beta; /* arguments; -1: alpha is 1; beta is 1, or 0 in place */
    bool in_place;   /* factor 1 is what `out` holds before */
} verso__blas_product;

/* Describes the product that the routine computes. */
void verso__blas_describe(const verso__blas_call *c, verso__blas_product *p);

#endif
