/* Calls of routines whose names or arguments differ between real and complex types: see calls.h. */

static T *NAME(result)(void) {
    return now.c;
}

static void NAME(sums)(void) {
    T *x = now.a, *y = now.b;
    int n = now.n, ix = now.step_x, iy = now.step_y, up = abs(ix);
    bool c = now.through_c;
    R rotation[2] = {(R)creal(now.first), (R)creal(now.second)};
    switch (now.routine) {
#if REAL
    case 4: *NAME(result)() = c ? B(dot)(n, x, ix, y, iy) : F(dot)(&n, x, &ix, y, &iy); break;
    case 5: *NAME(result)() = c ? B(dot)(n, x, ix, x, ix) : F(dot)(&n, x, &ix, x, &ix); break;
    case 6: *NAME(result)() = c ? B(nrm2)(n, x, up) : F(nrm2)(&n, x, &up); break;
    case 7: *NAME(result)() = c ? B(asum)(n, x, up) : F(asum)(&n, x, &up); break;
    default:
        c ? B(rot)(n, x, ix, y, iy, rotation[0], rotation[1]) : F(rot)(&n, x, &ix, y, &iy, &rotation[0], &rotation[1]);
        *NAME(result)() = (T)(c ? (int)B_AMAX(n, x, up) : F_AMAX(&n, x, &up));
#else
    case 4: c ? B2(dotu)(n, x, ix, y, iy, now.c) : (void)(*NAME(result)() = F(dotu)(&n, x, &ix, y, &iy)); break;
    case 5: c ? B2(dotc)(n, x, ix, y, iy, now.c) : (void)(*NAME(result)() = F(dotc)(&n, x, &ix, y, &iy)); break;
    case 6: *NAME(result)() = c ? B_NRM2(n, x, up) : F_NRM2(&n, x, &up); break;
    case 7: *NAME(result)() = c ? B_ASUM(n, x, up) : F_ASUM(&n, x, &up); break;
    default: c ? B_RSCAL(n, rotation[0], x, up) : F_RSCAL(&n, &rotation[0], x, &up);
#endif
    }
}

static void NAME(updates)(void) {
    enum CBLAS_ORDER l = now.layout;
    enum CBLAS_UPLO u = now.uplo;
    T *x = now.a, *y = now.b, *o = now.c, *alpha = now.alpha;
    R real = (R)creal(now.first);
    int m = now.m, n = now.n, ix = now.step_x, iy = now.step_y, ld = now.lda;
    char *fu = flag(u);
    bool c = now.through_c;
    switch (now.routine) {
#if REAL
    case 46: c ? B(ger)(l, m, n, S(alpha), x, ix, y, iy, o, ld) : F(ger)(&m, &n, alpha, x, &ix, y, &iy, o, &ld); break;
    case 47: c ? B(syr)(l, u, n, real, x, ix, o, ld) : F(syr)(fu, &n, &real, x, &ix, o, &ld); break;
    case 48: c ? B(spr)(l, u, n, real, x, ix, o) : F(spr)(fu, &n, &real, x, &ix, o); break;
    case 49:
        c ? B(syr2)(l, u, n, S(alpha), x, ix, y, iy, o, ld) : F(syr2)(fu, &n, alpha, x, &ix, y, &iy, o, &ld);
        break;
    default: c ? B(spr2)(l, u, n, S(alpha), x, ix, y, iy, o) : F(spr2)(fu, &n, alpha, x, &ix, y, &iy, o);
#else
    case 46:
        c ? B(geru)(l, m, n, S(alpha), x, ix, y, iy, o, ld) : F(geru)(&m, &n, alpha, x, &ix, y, &iy, o, &ld);
        c ? B(gerc)(l, m, n, S(alpha), y, iy, x, ix, o, ld) : F(gerc)(&m, &n, alpha, y, &iy, x, &ix, o, &ld);
        break;
    case 47: c ? B(her)(l, u, n, real, x, ix, o, ld) : F(her)(fu, &n, &real, x, &ix, o, &ld); break;
    case 48: c ? B(hpr)(l, u, n, real, x, ix, o) : F(hpr)(fu, &n, &real, x, &ix, o); break;
    case 49:
        c ? B(her2)(l, u, n, S(alpha), x, ix, y, iy, o, ld) : F(her2)(fu, &n, alpha, x, &ix, y, &iy, o, &ld);
        break;
    default: c ? B(hpr2)(l, u, n, S(alpha), x, ix, y, iy, o) : F(hpr2)(fu, &n, alpha, x, &ix, y, &iy, o);
#endif
    }
}

#if !REAL
/* Products of Hermitian matrices: their factor `real` is real. */
static void NAME(hermitian)(void) {
    enum CBLAS_ORDER l = now.layout;
    enum CBLAS_UPLO u = now.uplo;
    enum CBLAS_TRANSPOSE t = now.trans == CblasNoTrans ? CblasNoTrans : CblasConjTrans;
    enum CBLAS_SIDE s = now.side;
    T *a = now.a, *b = now.b, *o = now.c, *alpha = now.alpha, *beta = now.beta;
    R first = (R)creal(now.first), second = (R)creal(now.second);
    int m = now.m, n = now.n, k = now.k, ld = now.lda;
    char *fu = flag(u), *ft = flag(t), *fs = flag(s);
    bool c = now.through_c;
    switch (now.routine) {
    case 43:
        c ? B(hemm)(l, s, u, m, n, S(alpha), a, ld, b, ld, S(beta), o, ld)
          : F(hemm)(fs, fu, &m, &n, alpha, a, &ld, b, &ld, beta, o, &ld);
        break;
    case 44:
        c ? B(herk)(l, u, t, n, k, first, a, ld, second, o, ld)
          : F(herk)(fu, ft, &n, &k, &first, a, &ld, &second, o, &ld);
        break;
    default:
        c ? B(her2k)(l, u, t, n, k, S(alpha), a, ld, b, ld, second, o, ld)
          : F(her2k)(fu, ft, &n, &k, alpha, a, &ld, b, &ld, &second, o, &ld);
    }
}
#endif

static void NAME(symmetric)(void) {
    enum CBLAS_ORDER l = now.layout;
    enum CBLAS_UPLO u = now.uplo;
    T *a = now.a, *x = now.b, *y = now.c, *alpha = now.alpha, *beta = now.beta;
    int n = now.n, k = now.bands, ix = now.step_x, iy = now.step_y, ld = now.lda, ldb = 2 * k + 2;
    char *fu = flag(u);
    bool c = now.through_c;
    switch (now.routine) {
#if REAL
    case 40:
        c ? B(symv)(l, u, n, S(alpha), a, ld, x, ix, S(beta), y, iy)
          : F(symv)(fu, &n, alpha, a, &ld, x, &ix, beta, y, &iy);
        break;
    case 41:
        c ? B(sbmv)(l, u, n, k, S(alpha), a, ldb, x, ix, S(beta), y, iy)
          : F(sbmv)(fu, &n, &k, alpha, a, &ldb, x, &ix, beta, y, &iy);
        break;
    case 42:
        c ? B(spmv)(l, u, n, S(alpha), a, x, ix, S(beta), y, iy) : F(spmv)(fu, &n, alpha, a, x, &ix, beta, y, &iy);
        break;
#else
    case 40:
        c ? B(hemv)(l, u, n, S(alpha), a, ld, x, ix, S(beta), y, iy)
          : F(hemv)(fu, &n, alpha, a, &ld, x, &ix, beta, y, &iy);
        break;
    case 41:
        c ? B(hbmv)(l, u, n, k, S(alpha), a, ldb, x, ix, S(beta), y, iy)
          : F(hbmv)(fu, &n, &k, alpha, a, &ldb, x, &ix, beta, y, &iy);
        break;
    case 42:
        c ? B(hpmv)(l, u, n, S(alpha), a, x, ix, S(beta), y, iy) : F(hpmv)(fu, &n, alpha, a, x, &ix, beta, y, &iy);
        break;
    case 43:
    case 44:
    case 45: NAME(hermitian)(); break;
#endif
    default: NAME(updates)();
    }
}
