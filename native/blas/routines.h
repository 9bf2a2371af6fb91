/* The routines of BLAS and LAPACK whose derivatives Verso knows by name: shared by cc/front/rules.c, which recognises
 * calls of them, and by the rules in native/blas.
 *
 *   X(ROUTINE, TYPES, NAMES, SIGNATURE, LEVEL)
 *
 * TYPES: the letters of the element types that it exists for. NAMES: its names for these types, without `cblas_`,
 * `LAPACKE_` or the final `_`; "" if each is the letter and ROUTINE. SIGNATURE: one letter per argument:
 *     t u d s j   a flag: transposition, triangle, unit diagonal, side, job
 *     n x         a number of rows, columns or bands; a distance between columns or elements
 *     a r         a number of the element type; a real number
 *     p i         an array of elements; of integers
 *     e           an array of real numbers
 * Upper-case letters are arguments of the Fortran interface only (workspace and the like). After `|` come arguments of
 * CBLAS only. LEVEL 1 has no argument for the layout in CBLAS; 2 has one; 0 is LAPACK. */
#ifndef NATIVE_BLAS_ROUTINES_H
#define NATIVE_BLAS_ROUTINES_H

#define VERSO_BLAS_LIST(X) \
    X(axpy, "sdcz", "", "napxpx", 1) \
    X(scal, "sdcz", "", "napx", 1) \
    X(rscal, "cz", "csscal zdscal", "nrpx", 1) \
    X(copy, "sdcz", "", "npxpx", 1) \
    X(swap, "sdcz", "", "npxpx", 1) \
    X(dot, "sd", "", "npxpx", 1) \
    X(dotu, "cz", "", "npxpx|p", 1) \
    X(dotc, "cz", "", "npxpx|p", 1) \
    X(nrm2, "sdcz", "snrm2 dnrm2 scnrm2 dznrm2", "npx", 1) \
    X(asum, "sdcz", "sasum dasum scasum dzasum", "npx", 1) \
    X(iamax, "sdcz", "isamax idamax icamax izamax", "npx", 1) \
    X(rot, "sdcz", "srot drot csrot zdrot", "npxpxrr", 1) \
    X(gemv, "sdcz", "", "tnnapxpxapx", 2) \
    X(gbmv, "sdcz", "", "tnnnnapxpxapx", 2) \
    X(symv, "sd", "", "unapxpxapx", 2) \
    X(hemv, "cz", "", "unapxpxapx", 2) \
    X(sbmv, "sd", "", "unnapxpxapx", 2) \
    X(hbmv, "cz", "", "unnapxpxapx", 2) \
    X(spmv, "sd", "", "unappxapx", 2) \
    X(hpmv, "cz", "", "unappxapx", 2) \
    X(trmv, "sdcz", "", "utdnpxpx", 2) \
    X(tbmv, "sdcz", "", "utdnnpxpx", 2) \
    X(tpmv, "sdcz", "", "utdnppx", 2) \
    X(trsv, "sdcz", "", "utdnpxpx", 2) \
    X(tbsv, "sdcz", "", "utdnnpxpx", 2) \
    X(tpsv, "sdcz", "", "utdnppx", 2) \
    X(ger, "sd", "", "nnapxpxpx", 2) \
    X(geru, "cz", "", "nnapxpxpx", 2) \
    X(gerc, "cz", "", "nnapxpxpx", 2) \
    X(syr, "sd", "", "unapxpx", 2) \
    X(her, "cz", "", "unrpxpx", 2) \
    X(spr, "sd", "", "unapxp", 2) \
    X(hpr, "cz", "", "unrpxp", 2) \
    X(syr2, "sd", "", "unapxpxpx", 2) \
    X(her2, "cz", "", "unapxpxpx", 2) \
    X(spr2, "sd", "", "unapxpxp", 2) \
    X(hpr2, "cz", "", "unapxpxp", 2) \
    X(gemm, "sdcz", "", "ttnnnapxpxapx", 2) \
    X(symm, "sdcz", "", "sunnapxpxapx", 2) \
    X(hemm, "cz", "", "sunnapxpxapx", 2) \
    X(syrk, "sdcz", "", "utnnapxapx", 2) \
    X(herk, "cz", "", "utnnrpxrpx", 2) \
    X(syr2k, "sdcz", "", "utnnapxpxapx", 2) \
    X(her2k, "cz", "", "utnnapxpxrpx", 2) \
    X(trmm, "sdcz", "", "sutdnnapxpx", 2) \
    X(trsm, "sdcz", "", "sutdnnapxpx", 2) \
    X(trtrs, "sdcz", "", "utdnnpxpxN", 0) \
    X(getrf, "sdcz", "", "nnpxiN", 0) \
    X(getrs, "sdcz", "", "tnnpxipxN", 0) \
    X(gesv, "sdcz", "", "nnpxipxN", 0) \
    X(potrf, "sdcz", "", "unpxN", 0) \
    X(potrs, "sdcz", "", "unnpxpxN", 0) \
    X(posv, "sdcz", "", "unnpxpxN", 0)

typedef enum verso__blas_routine {
#define VERSO_BLAS_ENUMERATOR(routine, types, names, signature, level) VERSO_BLAS_##routine,
    VERSO_BLAS_LIST(VERSO_BLAS_ENUMERATOR)
#undef VERSO_BLAS_ENUMERATOR
        VERSO_BLAS_ROUTINES,
} verso__blas_routine;

/* How the program calls a routine: by its Fortran name, through CBLAS or through LAPACKE. */
typedef enum verso__blas_interface { VERSO_BLAS_FORTRAN, VERSO_BLAS_C, VERSO_BLAS_INTERFACES } verso__blas_interface;

/* A routine with its element type (0 to 3: s, d, c, z) and its interface, as generated code passes it on. */
#define VERSO_BLAS_CODE(routine, type, interface) \
    ((uint64_t)(routine) | (uint64_t)(type) << 16 | (uint64_t)(interface) << 24)

#endif
