/* The functions of FFTW that Verso knows by name: shared by cc/front/plans.c and native/blas/fourier.c.
 *
 *   X(NAME, SIGNATURE)
 *
 * SIGNATURE, for a function that makes a plan: one letter per argument:
 *     k  the rank      l  the list of lengths    n  a length
 *     h  howmany       i o  the arrays           e f  inembed, onembed
 *     s t  istride, ostride                      d g  idist, odist
 *     w  the sign      u  flags */
#ifndef NATIVE_BLAS_PLANS_H
#define NATIVE_BLAS_PLANS_H

#define VERSO_PLAN_LIST(X) \
    X(dft_1d, "niowu") \
    X(dft_2d, "nniowu") \
    X(dft_3d, "nnniowu") \
    X(dft, "kliowu") \
    X(many_dft, "klhiesdoftgwu") \
    X(dft_r2c_1d, "niou") \
    X(dft_r2c_2d, "nniou") \
    X(dft_r2c_3d, "nnniou") \
    X(dft_r2c, "kliou") \
    X(many_dft_r2c, "klhiesdoftgu") \
    X(dft_c2r_1d, "niou") \
    X(dft_c2r_2d, "nniou") \
    X(dft_c2r_3d, "nnniou") \
    X(dft_c2r, "kliou") \
    X(many_dft_c2r, "klhiesdoftgu")

typedef enum verso__plan_maker {
#define VERSO_PLAN_ENUMERATOR(name, signature) VERSO_PLAN_##name,
    VERSO_PLAN_LIST(VERSO_PLAN_ENUMERATOR)
#undef VERSO_PLAN_ENUMERATOR
        VERSO_PLANS,
} verso__plan_maker;

/* A function that makes plans, of doubles or floats, as generated code passes it on. */
#define VERSO_PLAN_CODE(maker, single) ((uint64_t)(maker) | (uint64_t)(single) << 16)

#endif
