/* Calls of all routines for one element type, by their Fortran names and through CBLAS and LAPACKE. routines.c includes
 * this file once for each type, with
 *     T, R               the type and its real part's
 *     NAME(x)            a name for this type
 *     F(x), B(x), K(x)   the routine x by its Fortran name, in CBLAS, in LAPACKE
 *     REAL               1 for real types */

#include "special.h"

/* The Fortran interface and CBLAS take the same arguments in the same order. */
static void NAME(vectors)(void) {
    T *x = now.a, *y = now.b;
    T *alpha = now.alpha;
    int n = now.n, ix = now.step_x, iy = now.step_y;
    bool c = now.through_c;
    switch (now.routine) {
    case 0: c ? B(axpy)(n, S(alpha), x, ix, y, iy) : F(axpy)(&n, alpha, x, &ix, y, &iy); break;
    case 1: c ? B(scal)(n, S(alpha), x, abs(ix)) : F(scal)(&n, alpha, x, (ix = abs(ix), &ix)); break;
    case 2: c ? B(copy)(n, x, ix, y, iy) : F(copy)(&n, x, &ix, y, &iy); break;
    case 3: c ? B(swap)(n, x, ix, y, iy) : F(swap)(&n, x, &ix, y, &iy); break;
    default: NAME(sums)();
    }
}

static void NAME(matrix_vector)(void) {
    enum CBLAS_ORDER l = now.layout;
    enum CBLAS_TRANSPOSE t = now.trans;
    enum CBLAS_UPLO u = now.uplo;
    enum CBLAS_DIAG d = now.diag;
    T *a = now.a, *x = now.b, *y = now.c, *alpha = now.alpha, *beta = now.beta;
    int m = now.m, n = now.n, k = now.bands, ix = now.step_x, iy = now.step_y, lda = now.lda, ldb = 2 * k + 2;
    char *ft = flag(t), *fu = flag(u), *fd = flag(d);
    bool c = now.through_c;
    switch (now.routine) {
    case 10:
        c ? B(gemv)(l, t, m, n, S(alpha), a, lda, x, ix, S(beta), y, iy)
          : F(gemv)(ft, &m, &n, alpha, a, &lda, x, &ix, beta, y, &iy);
        break;
    case 11:
        c ? B(gbmv)(l, t, m, n, k, k + 1, S(alpha), a, ldb, x, ix, S(beta), y, iy)
          : F(gbmv)(ft, &m, &n, &k, (int[]){k + 1}, alpha, a, &ldb, x, &ix, beta, y, &iy);
        break;
    case 12: c ? B(trmv)(l, u, t, d, n, a, lda, x, ix) : F(trmv)(fu, ft, fd, &n, a, &lda, x, &ix); break;
    case 13: c ? B(tbmv)(l, u, t, d, n, k, a, ldb, x, ix) : F(tbmv)(fu, ft, fd, &n, &k, a, &ldb, x, &ix); break;
    case 14: c ? B(tpmv)(l, u, t, d, n, a, x, ix) : F(tpmv)(fu, ft, fd, &n, a, x, &ix); break;
    case 15: c ? B(trsv)(l, u, t, d, n, a, lda, x, ix) : F(trsv)(fu, ft, fd, &n, a, &lda, x, &ix); break;
    case 16: c ? B(tbsv)(l, u, t, d, n, k, a, ldb, x, ix) : F(tbsv)(fu, ft, fd, &n, &k, a, &ldb, x, &ix); break;
    default: c ? B(tpsv)(l, u, t, d, n, a, x, ix) : F(tpsv)(fu, ft, fd, &n, a, x, &ix);
    }
}

static void NAME(matrix_matrix)(void) {
    enum CBLAS_ORDER l = now.layout;
    enum CBLAS_TRANSPOSE t = now.trans, v = now.other, w = t == CblasNoTrans ? t : CblasTrans;
    enum CBLAS_UPLO u = now.uplo;
    enum CBLAS_DIAG d = now.diag;
    enum CBLAS_SIDE s = now.side;
    T *a = now.a, *b = now.b, *o = now.c, *alpha = now.alpha, *beta = now.beta;
    int m = now.m, n = now.n, k = now.k, lda = now.lda;
    char *ft = flag(t), *fv = flag(v), *fw = flag(w), *fu = flag(u), *fd = flag(d), *fs = flag(s);
    bool c = now.through_c;
    switch (now.routine) {
    case 20:
        c ? B(gemm)(l, t, v, m, n, k, S(alpha), a, lda, b, lda, S(beta), o, lda)
          : F(gemm)(ft, fv, &m, &n, &k, alpha, a, &lda, b, &lda, beta, o, &lda);
        break;
    case 21:
        c ? B(symm)(l, s, u, m, n, S(alpha), a, lda, b, lda, S(beta), o, lda)
          : F(symm)(fs, fu, &m, &n, alpha, a, &lda, b, &lda, beta, o, &lda);
        break;
    case 22:
        c ? B(syrk)(l, u, w, n, k, S(alpha), a, lda, S(beta), o, lda)
          : F(syrk)(fu, fw, &n, &k, alpha, a, &lda, beta, o, &lda);
        break;
    case 23:
        c ? B(syr2k)(l, u, w, n, k, S(alpha), a, lda, b, lda, S(beta), o, lda)
          : F(syr2k)(fu, fw, &n, &k, alpha, a, &lda, b, &lda, beta, o, &lda);
        break;
    case 24:
        c ? B(trmm)(l, s, u, t, d, m, n, S(alpha), a, lda, b, lda)
          : F(trmm)(fs, fu, ft, fd, &m, &n, alpha, a, &lda, b, &lda);
        break;
    default:
        c ? B(trsm)(l, s, u, t, d, m, n, S(alpha), a, lda, b, lda)
          : F(trsm)(fs, fu, ft, fd, &m, &n, alpha, a, &lda, b, &lda);
    }
}

static void NAME(systems)(void) {
    int l = (int)now.layout, m = now.m, n = now.n, k = now.k, lda = now.lda, info, *p = now.pivots;
    T *a = now.a, *b = now.b;
    char *ft = flag(now.trans), *fu = flag(now.uplo), *fd = flag(now.diag);
    bool c = now.through_c;
    switch (now.routine) {
    case 30: c ? (void)K(getrf)(l, m, n, a, lda, p) : F(getrf)(&m, &n, a, &lda, p, &info); break;
    case 31: c ? (void)K(gesv)(l, n, k, a, lda, p, b, lda) : F(gesv)(&n, &k, a, &lda, p, b, &lda, &info); break;
    case 32:
        c ? (void)K(getrs)(l, *ft, n, k, a, lda, p, b, lda) : F(getrs)(ft, &n, &k, a, &lda, p, b, &lda, &info, 1);
        break;
    case 33: c ? (void)K(potrf)(l, *fu, n, a, lda) : F(potrf)(fu, &n, a, &lda, &info, 1); break;
    case 34: c ? (void)K(posv)(l, *fu, n, k, a, lda, b, lda) : F(posv)(fu, &n, &k, a, &lda, b, &lda, &info, 1); break;
    case 35: c ? (void)K(potrs)(l, *fu, n, k, a, lda, b, lda) : F(potrs)(fu, &n, &k, a, &lda, b, &lda, &info, 1); break;
    default:
        c ? (void)K(trtrs)(l, *fu, *ft, *fd, n, k, a, lda, b, lda)
          : F(trtrs)(fu, ft, fd, &n, &k, a, &lda, b, &lda, &info, 1, 1, 1);
    }
}

static void NAME(call)(void) {
    if (now.routine < 10)
        NAME(vectors)();
    else if (now.routine < 20)
        NAME(matrix_vector)();
    else if (now.routine < 30)
        NAME(matrix_matrix)();
    else if (now.routine < 40)
        NAME(systems)();
    else
        NAME(symmetric)();
}
