/* Matrices of the four element types: see inside.h. Large products and triangular systems are left to the program's own
 * BLAS; small ones, and those of a program without these routines, to the loops in kernels.h. */
#include "native/blas/inside.h"

#include "base/alloc.h"
#include "native/memory/memory.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

typedef verso__blas_matrix matrix;
typedef verso__blas_number number;

typedef struct kernels {
    number (*get)(matrix m, int64_t i, int64_t j);
    void (*set)(matrix m, int64_t i, int64_t j, number value);
    void (*combine)(matrix to, bool keep, number factor, matrix from);
    void (*copy)(matrix to, matrix from);
    void (*scale)(matrix m, number factor);
    number (*dot)(matrix a, matrix b);
    bool (*is_zero)(matrix m);
    void (*multiply_here)(number factor, matrix a, matrix b, matrix c);
    void (*multiply_there)(void *routine, number factor, matrix a, matrix b, double keep, matrix c);
    void (*solve_here)(matrix a, bool lower, bool unit, matrix b);
    void (*solve_there)(void *routine, matrix a, bool lower, bool unit, matrix b);
} kernels;

/* ---- As BLAS sees a matrix ---- */

/* Returns the distance between columns, or between rows if these are contiguous. */
static int leading(const matrix *m) {
    int64_t distance = m->down == 1 ? m->across : m->down, least = m->down == 1 ? m->rows : m->cols;
    return (int)(distance > least ? distance : least > 1 ? least : 1);
}

static const char *flag_of(const matrix *m) {
    return m->down == 1 ? "N" : m->conj ? "C" : "T";
}

/* Returns whether BLAS can read the matrix in place. */
static bool suits(const matrix *m) {
    int64_t distance = m->down == 1 ? m->across : m->down;
    int64_t least = m->down == 1 ? m->rows : m->cols, others = m->down == 1 ? m->cols : m->rows;
    return (m->down == 1 ? !m->conj : m->across == 1) && (distance >= least || others <= 1) && distance < INT_MAX;
}

/* ---- The four types ---- */

#define ELEMENT float
#define CONJUGATE(x) (x)
#define FROM(x) ((float)creal(x))
#define NAME(x) s_##x
#define GEMM sgemm_
#define TRSM strsm_
#include "native/blas/kernels.h"
#undef ELEMENT
#undef NAME
#undef GEMM
#undef TRSM
#undef FROM
#define ELEMENT double
#define FROM(x) creal(x)
#define NAME(x) d_##x
#define GEMM dgemm_
#define TRSM dtrsm_
#include "native/blas/kernels.h"
#undef ELEMENT
#undef NAME
#undef GEMM
#undef TRSM
#undef FROM
#undef CONJUGATE
#define ELEMENT float _Complex
#define CONJUGATE(x) conjf(x)
#define FROM(x) ((float _Complex)(x))
#define NAME(x) c_##x
#define GEMM cgemm_
#define TRSM ctrsm_
#include "native/blas/kernels.h"
#undef ELEMENT
#undef NAME
#undef GEMM
#undef TRSM
#undef FROM
#undef CONJUGATE
#define ELEMENT double _Complex
#define CONJUGATE(x) conj(x)
#define FROM(x) (x)
#define NAME(x) z_##x
#define GEMM zgemm_
#define TRSM ztrsm_
#include "native/blas/kernels.h"

static const kernels *const all[] = {&s_kernels, &d_kernels, &c_kernels, &z_kernels};

/* ---- The program's routines ---- */

/* A routine of a library that only another library refers to is not bound to the weak reference. */
static void *find(const char *name, void *bound) {
    return bound != NULL ? bound : dlsym(RTLD_DEFAULT, name);
}

#define BOUND(routine) (*(void **)&(__typeof__(&routine)){&routine})

static void *product_routine(verso__blas_type type) {
    switch (type) {
    case VERSO_BLAS_S: return find("sgemm_", BOUND(sgemm_));
    case VERSO_BLAS_D: return find("dgemm_", BOUND(dgemm_));
    case VERSO_BLAS_C_: return find("cgemm_", BOUND(cgemm_));
    default: return find("zgemm_", BOUND(zgemm_));
    }
}

static void *solver_routine(verso__blas_type type) {
    switch (type) {
    case VERSO_BLAS_S: return find("strsm_", BOUND(strsm_));
    case VERSO_BLAS_D: return find("dtrsm_", BOUND(dtrsm_));
    case VERSO_BLAS_C_: return find("ctrsm_", BOUND(ctrsm_));
    default: return find("ztrsm_", BOUND(ztrsm_));
    }
}

/* ---- Views ---- */

size_t verso__blas_size(verso__blas_type type) {
    static const size_t sizes[] = {4, 8, 8, 16};
    return sizes[type];
}

matrix verso__blas_transposed(matrix m) {
    return (matrix){m.data, m.cols, m.rows, m.across, m.down, m.type, m.conj};
}

matrix verso__blas_op(matrix m, char flag) {
    matrix made = flag == 't' || flag == 'c' ? verso__blas_transposed(m) : m;
    made.conj = m.conj != ((flag == 'c' || flag == 'r') && verso__blas_is_complex(m.type));
    return made;
}

matrix verso__blas_adjoint(matrix m) {
    return verso__blas_op(m, 'c');
}

matrix verso__blas_part(matrix m, int64_t row, int64_t col, int64_t rows, int64_t cols) {
    m.data += (row * m.down + col * m.across) * (int64_t)verso__blas_size(m.type);
    m.rows = rows;
    m.cols = cols;
    return m;
}

/* ---- New matrices ---- */

typedef struct block {
    struct block *next, *unused; /* keeps what follows at a multiple of 16 */
} block;
static block *blocks;

matrix verso__blas_new(verso__blas_type type, int64_t rows, int64_t cols) {
    size_t count = (size_t)rows * (size_t)cols + 1, size = verso__blas_size(type);
    block *made = verso__alloc(1, sizeof *made + count * size);
    if (made == NULL)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY, "no memory for a matrix of %lld by %lld", (long long)rows,
                              (long long)cols);
    made->next = blocks;
    blocks = made;
    return (matrix){(char *)(made + 1), rows, cols, 1, rows > 0 ? rows : 1, type, false};
}

void verso__blas_release(void) {
    while (blocks != NULL) {
        block *next = blocks->next;
        verso__dealloc(blocks);
        blocks = next;
    }
}

matrix verso__blas_new_copy(matrix m) {
    matrix made = verso__blas_new(m.type, m.rows, m.cols);
    verso__blas_copy(made, m);
    return made;
}

/* ---- Elements ---- */

number verso__blas_get(matrix m, int64_t i, int64_t j) {
    return all[m.type]->get(m, i, j);
}

void verso__blas_set(matrix m, int64_t i, int64_t j, number value) {
    all[m.type]->set(m, i, j, value);
}

/* The inner loop should run over neighbours. */
static bool lies_by_rows(const matrix *m) {
    return m->across == 1 && m->down != 1;
}

void verso__blas_copy(matrix to, matrix from) {
    if (lies_by_rows(&to)) {
        to = verso__blas_transposed(to);
        from = verso__blas_transposed(from);
    }
    all[to.type]->copy(to, from);
}

static void combine(matrix to, bool keep, number factor, matrix from) {
    if (lies_by_rows(&to)) {
        to = verso__blas_transposed(to);
        from = verso__blas_transposed(from);
    }
    all[to.type]->combine(to, keep, factor, from);
}

void verso__blas_add(matrix to, number factor, matrix from) {
    combine(to, true, factor, from);
}

void verso__blas_scale(matrix m, number factor) {
    if (factor != 1)
        all[m.type]->scale(lies_by_rows(&m) ? verso__blas_transposed(m) : m, factor);
}

number verso__blas_dot(matrix a, matrix b) {
    return all[a.type]->dot(a, b);
}

void verso__blas_keep_triangle(matrix m, bool lower, double diagonal) {
    for (int64_t j = 0; j < m.cols; j++)
        for (int64_t i = 0; i < m.rows; i++)
            if (i == j)
                verso__blas_set(m, i, j, diagonal * verso__blas_get(m, i, j));
            else if ((i > j) != lower)
                verso__blas_set(m, i, j, 0);
}

bool verso__blas_is_zero(matrix m) {
    return all[m.type]->is_zero(lies_by_rows(&m) ? verso__blas_transposed(m) : m);
}

/* ---- Products and triangular systems ---- */

enum { SMALL = 512 }; /* below so many multiplications a call of the routine does not pay */

static matrix suiting(matrix m) {
    return suits(&m) ? m : verso__blas_new_copy(m);
}

void verso__blas_multiply(number factor, matrix a, matrix b, double keep, matrix c) {
    if (c.rows == 0 || c.cols == 0)
        return;
    if (lies_by_rows(&c)) { /* c' = b' a' */
        verso__blas_multiply(factor, verso__blas_transposed(b), verso__blas_transposed(a), keep,
                             verso__blas_transposed(c));
        return;
    }
    void *routine = c.rows * c.cols * a.cols < SMALL ? NULL : product_routine(c.type);
    if (routine == NULL) {
        if (keep == 0)
            verso__blas_scale(c, 0);
        all[c.type]->multiply_here(factor, a, b, c);
        return;
    }
    matrix there = suits(&c) && c.down == 1 ? c : verso__blas_new_copy(c);
    all[c.type]->multiply_there(routine, factor, suiting(a), suiting(b), keep, there);
    if (there.data != c.data)
        verso__blas_copy(c, there);
}

void verso__blas_solve(matrix a, bool lower, bool unit, matrix b) {
    if (b.rows == 0 || b.cols == 0)
        return;
    void *routine = a.rows * a.rows * b.cols < SMALL ? NULL : solver_routine(b.type);
    if (routine == NULL) {
        all[b.type]->solve_here(a, lower, unit, b);
        return;
    }
    matrix there = suits(&b) ? b : verso__blas_new_copy(b);
    matrix used = there.down == 1 ? a : verso__blas_transposed(a);
    if (!suits(&used)) {
        used = verso__blas_new_copy(used);
        a = there.down == 1 ? used : verso__blas_transposed(used);
    }
    all[b.type]->solve_there(routine, a, lower, unit, there);
    if (there.data != b.data)
        verso__blas_copy(b, there);
}
