/* Operations on matrices of one element type. matrix.c includes this file once for each type, with
 *     ELEMENT     the type; IS_COMPLEX: 1 or 0; CONJUGATE(x), FROM(number): in this type
 *     NAME(x)     the name of function x for this type
 *     GEMM, TRSM  the program's routines, weak references */

extern void GEMM(const char *, const char *, const int *, const int *, const int *, const ELEMENT *, const ELEMENT *,
                 const int *, const ELEMENT *, const int *, const ELEMENT *, ELEMENT *, const int *, size_t, size_t)
    __attribute__((weak));
extern void TRSM(const char *, const char *, const char *, const char *, const int *, const int *, const ELEMENT *,
                 const ELEMENT *, const int *, ELEMENT *, const int *, size_t, size_t, size_t, size_t)
    __attribute__((weak));

static inline ELEMENT *NAME(at)(const matrix *m, int64_t i, int64_t j) {
    return (ELEMENT *)m->data + (i * m->down + j * m->across);
}

static inline ELEMENT NAME(value)(const matrix *m, int64_t i, int64_t j) {
    ELEMENT x = *NAME(at)(m, i, j);
    return m->conj ? CONJUGATE(x) : x;
}

static number NAME(get)(matrix m, int64_t i, int64_t j) {
    return (number)NAME(value)(&m, i, j);
}

static void NAME(set)(matrix m, int64_t i, int64_t j, number value) {
    *NAME(at)(&m, i, j) = FROM(value);
}

/* to = keep * to + factor * from, where keep is 0 or 1. */
static void NAME(combine)(matrix to, bool keep, number factor, matrix from) {
    ELEMENT by = FROM(factor);
    for (int64_t j = 0; j < to.cols; j++)
        for (int64_t i = 0; i < to.rows; i++) {
            ELEMENT term = by * NAME(value)(&from, i, j), *at = NAME(at)(&to, i, j);
            *at = keep ? *at + term : term;
        }
}

static void NAME(copy)(matrix to, matrix from) {
    for (int64_t j = 0; j < to.cols; j++)
        if (to.down == 1 && from.down == 1 && !from.conj)
            memcpy(NAME(at)(&to, 0, j), NAME(at)(&from, 0, j), (size_t)to.rows * sizeof(ELEMENT));
        else
            for (int64_t i = 0; i < to.rows; i++)
                *NAME(at)(&to, i, j) = NAME(value)(&from, i, j);
}

static void NAME(scale)(matrix m, number factor) {
    ELEMENT by = FROM(factor);
    for (int64_t j = 0; j < m.cols; j++)
        if (factor == 0 && m.down == 1)
            memset(NAME(at)(&m, 0, j), 0, (size_t)m.rows * sizeof(ELEMENT));
        else
            for (int64_t i = 0; i < m.rows; i++) {
                ELEMENT *at = NAME(at)(&m, i, j);
                *at = factor == 0 ? 0 : by * *at;
            }
}

static bool NAME(is_zero)(matrix m) {
    for (int64_t j = 0; j < m.cols; j++)
        for (int64_t i = 0; i < m.rows; i++)
            if (*NAME(at)(&m, i, j) != 0)
                return false;
    return true;
}

static number NAME(dot)(matrix a, matrix b) {
    number sum = 0;
    for (int64_t j = 0; j < a.cols; j++)
        for (int64_t i = 0; i < a.rows; i++)
            sum += (number)(CONJUGATE(NAME(value)(&a, i, j)) * NAME(value)(&b, i, j));
    return sum;
}

/* c += factor a b; c has columns that are contiguous. */
static void NAME(multiply_here)(number factor, matrix a, matrix b, matrix c) {
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t k = 0; k < a.cols; k++) {
            ELEMENT by = FROM(factor) * NAME(value)(&b, k, j);
            for (int64_t i = 0; i < c.rows; i++)
                *NAME(at)(&c, i, j) += by * NAME(value)(&a, i, k);
        }
}

/* a and b have a unit step and suit a flag; c has down == 1. Dimensions fit an int. */
static void NAME(multiply_there)(void *routine, number factor, matrix a, matrix b, double keep, matrix c) {
    __typeof__(&GEMM) gemm;
    memcpy(&gemm, &routine, sizeof gemm);
    ELEMENT by = FROM(factor), kept = FROM(keep);
    int m = (int)c.rows, n = (int)c.cols, k = (int)a.cols, lda = leading(&a), ldb = leading(&b), ldc = leading(&c);
    gemm(flag_of(&a), flag_of(&b), &m, &n, &k, &by, (ELEMENT *)a.data, &lda, (ELEMENT *)b.data, &ldb, &kept,
         (ELEMENT *)c.data, &ldc, 1, 1);
}

static void NAME(solve_here)(matrix a, bool lower, bool unit, matrix b) {
    for (int64_t j = 0; j < b.cols; j++)
        for (int64_t step = 0; step < a.rows; step++) {
            int64_t k = lower ? step : a.rows - 1 - step;
            ELEMENT *at = NAME(at)(&b, k, j);
            if (!unit)
                *at /= NAME(value)(&a, k, k);
            ELEMENT x = *at;
            for (int64_t i = lower ? k + 1 : 0; i < (lower ? a.rows : k); i++)
                *NAME(at)(&b, i, j) -= x * NAME(value)(&a, i, k);
        }
}

static void NAME(solve_there)(void *routine, matrix a, bool lower, bool unit, matrix b) {
    __typeof__(&TRSM) trsm;
    memcpy(&trsm, &routine, sizeof trsm);
    bool left = b.down == 1;
    matrix used = left ? a : verso__blas_transposed(a); /* x' op(a)' = b' */
    bool flipped = used.down != 1;                      /* the routine sees the transposed matrix in memory */
    bool lower_there = (left ? lower : !lower) != flipped;
    ELEMENT one = 1;
    int m = (int)(left ? b.rows : b.cols), n = (int)(left ? b.cols : b.rows), lda = leading(&used);
    matrix there = left ? b : verso__blas_transposed(b);
    int ldb = leading(&there);
    trsm(left ? "L" : "R", lower_there ? "L" : "U", flag_of(&used), unit ? "U" : "N", &m, &n, &one,
         (ELEMENT *)used.data, &lda, (ELEMENT *)b.data, &ldb, 1, 1, 1, 1);
}

static const kernels NAME(kernels) = {
    NAME(get),     NAME(set),           NAME(combine),        NAME(copy),       NAME(scale),      NAME(dot),
    NAME(is_zero), NAME(multiply_here), NAME(multiply_there), NAME(solve_here), NAME(solve_there)};
