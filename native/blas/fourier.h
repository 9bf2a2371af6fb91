/* Plans of FFTW, which the program makes, and calls of them. cc/front/plans.c makes the calls of these functions. */
#ifndef NATIVE_BLAS_FOURIER_H
#define NATIVE_BLAS_FOURIER_H

#include "native/sweep/sweep.h"

#include <verso/native.h>

/* Functions of the program's library, of one precision. */
typedef struct verso__native_fftw {
    void *(*plan_many_dft)(int rank, const int *n, int howmany, void *in, const int *inembed, int istride, int idist,
                           void *out, const int *onembed, int ostride, int odist, int sign, unsigned flags);
    void (*execute)(void *plan);
    void (*destroy_plan)(void *plan);
} verso__native_fftw;

/* Called after the program has made a plan, with the arguments as words. `code`: see cc/front/plans.c. */
void verso__native_plan_made(void *plan, uint64_t code, const int64_t *words, const verso__native_fftw *library);
/* Called in place of fftw_destroy_plan. A plan that a sweep may need is destroyed later. */
void verso__native_plan_drop(void *plan);
/* Called before and after a plan is executed in a recording, in the sweep instead, and so on: as in blas.h. Words: the
 * plan, and for the functions that take them the arrays. */
void verso__native_plan_record(verso_call *call, uint64_t code, const int64_t *words);
void verso__native_plan_recorded(verso_call *call, uint64_t code, const int64_t *words);
void verso__native_plan_sweep(verso_call *call, uint64_t code, const int64_t *words);
void verso__native_plan_tangent(verso_call *call, uint64_t code, const int64_t *words);
void verso__native_plan_tangent_end(verso_call *call, uint64_t code, const int64_t *words);

#endif
