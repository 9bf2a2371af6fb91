/* MATMUL, and MATMUL of a transposed matrix. The innermost loop goes along a column, so that it is vectorised and its
 * matrices are copied once for the reverse sweep. */
#include "native/lib/fortran/fortran.h"

#include <complex.h>

typedef float _Complex complex4;
typedef double _Complex complex8;
typedef long double _Complex complex10;

/* The sizes and strides of a product of an n x k and a k x m matrix; strides in bytes. */
typedef struct shape {
    int64_t n, k, m;
    int64_t a_row, a_column, b_row, b_column; /* from one row, or column, to the next */
} shape;

/* Reads the shapes; a vector is a row or a column. `transposed`: the first matrix is used transposed. */
static shape shape_of(const array *a, const array *b, bool transposed, const char *file, int line) {
    shape s = {1, 0, 1, 0, 0, b->dim[0].stride, 0};
    if (a->rank == 2) {
        int rows = transposed ? 1 : 0;
        s.n = a->dim[rows].count;
        s.k = a->dim[1 - rows].count;
        s.a_row = a->dim[rows].stride;
        s.a_column = a->dim[1 - rows].stride;
    } else {
        s.k = a->dim[0].count;
        s.a_column = a->dim[0].stride;
    }
    if (b->rank == 2) {
        s.m = b->dim[1].count;
        s.b_column = b->dim[1].stride;
    }
    if (s.k != b->dim[0].count)
        verso__fortran_fail("MATMUL: the sizes of the matrices do not match", file, line);
    return s;
}

static void allocate_product(array *result, const array *a, const array *b, const shape *s, int8_t code, size_t bytes,
                             const char *file, int line) {
    int64_t counts[2] = {s->n, s->m};
    int rank = a->rank + b->rank - 2;
    verso__fortran_result_of(result, code, bytes, rank, a->rank == 1 ? counts + 1 : counts, file, line);
}

#define PRODUCT(pair, TA, TB, R, CODE) \
    /* Of matrices with contiguous columns. */ \
    static void multiply_columns_##pair(R *restrict c, const TA *a, int64_t a_column, const TB *b, int64_t b_column, \
                                        int64_t n, int64_t k, int64_t m) { \
        for (int64_t j = 0; j < m; j++) { \
            for (int64_t i = 0; i < n; i++) \
                c[j * n + i] = 0; \
            for (int64_t l = 0; l < k; l++) \
                for (int64_t i = 0; i < n; i++) \
                    c[j * n + i] += (R)a[l * a_column + i] * (R)b[j * b_column + l]; \
        } \
    } \
    static void multiply_##pair(R *restrict c, const char *a, const char *b, shape s) { \
        if (s.n > 1 && s.a_row == sizeof(TA) && s.b_row == sizeof(TB) && s.a_column % (int64_t)sizeof(TA) == 0 && \
            s.b_column % (int64_t)sizeof(TB) == 0) { \
            multiply_columns_##pair(c, (const TA *)a, s.a_column / (int64_t)sizeof(TA), (const TB *)b, \
                                    s.b_column / (int64_t)sizeof(TB), s.n, s.k, s.m); \
        } else { \
            for (int64_t j = 0; j < s.m; j++) \
                for (int64_t i = 0; i < s.n; i++) { \
                    R sum = 0; \
                    for (int64_t l = 0; l < s.k; l++) \
                        sum += (R) * (const TA *)(a + i * s.a_row + l * s.a_column) * (R) * \
                               (const TB *)(b + j * s.b_column + l * s.b_row); \
                    c[j * s.n + i] = sum; \
                } \
        } \
    } \
    /* Into an array that exists, which may be a section. */ \
    static void direct_##pair(array *result, const array *a, const array *b, bool transposed, const char *file, \
                              int line) { \
        shape s = shape_of(a, b, transposed, file, line); \
        room room; \
        array *product = (array *)room.bytes; \
        product->extra = 0; \
        if (is_contiguous(result)) { \
            multiply_##pair((R *)result->base, a->base, b->base, s); \
            return; \
        } \
        allocate_product(product, a, b, &s, CODE, sizeof(R), file, line); \
        multiply_##pair((R *)product->base, a->base, b->base, s); \
        verso__fortran_copy_all(result, product); \
        verso__fortran_free(product); \
    } \
    static void fresh_##pair(array *result, const array *a, const array *b, bool transposed, const char *file, \
                             int line) { \
        shape s = shape_of(a, b, transposed, file, line); \
        result->extra = 0; \
        allocate_product(result, a, b, &s, CODE, sizeof(R), file, line); \
        multiply_##pair((R *)result->base, a->base, b->base, s); \
    } \
    void _FortranAMatmul##pair(array *result, const array *a, const array *b, const char *file, int line) { \
        fresh_##pair(result, a, b, false, file, line); \
    } \
    void _FortranAMatmulDirect##pair(array *result, const array *a, const array *b, const char *file, int line) { \
        direct_##pair(result, a, b, false, file, line); \
    } \
    void _FortranAMatmulTranspose##pair(array *result, const array *a, const array *b, const char *file, int line) { \
        fresh_##pair(result, a, b, true, file, line); \
    } \
    void _FortranAMatmulTransposeDirect##pair(array *result, const array *a, const array *b, const char *file, \
                                              int line) { \
        direct_##pair(result, a, b, true, file, line); \
    }

PRODUCT(Integer1Integer1, int8_t, int8_t, int8_t, 7)
PRODUCT(Integer2Integer2, int16_t, int16_t, int16_t, 8)
PRODUCT(Integer4Integer4, int32_t, int32_t, int32_t, 9)
PRODUCT(Integer4Integer8, int32_t, int64_t, int64_t, 10)
PRODUCT(Integer8Integer4, int64_t, int32_t, int64_t, 10)
PRODUCT(Integer8Integer8, int64_t, int64_t, int64_t, 10)
PRODUCT(Integer4Real4, int32_t, float, float, 27)
PRODUCT(Integer8Real4, int64_t, float, float, 27)
PRODUCT(Integer4Real8, int32_t, double, double, 28)
PRODUCT(Integer8Real8, int64_t, double, double, 28)
PRODUCT(Real4Integer4, float, int32_t, float, 27)
PRODUCT(Real4Integer8, float, int64_t, float, 27)
PRODUCT(Real8Integer4, double, int32_t, double, 28)
PRODUCT(Real8Integer8, double, int64_t, double, 28)
PRODUCT(Real4Real4, float, float, float, 27)
PRODUCT(Real4Real8, float, double, double, 28)
PRODUCT(Real8Real4, double, float, double, 28)
PRODUCT(Real8Real8, double, double, double, 28)
PRODUCT(Real10Real10, long double, long double, long double, 29)
PRODUCT(Real4Complex4, float, complex4, complex4, 34)
PRODUCT(Complex4Real4, complex4, float, complex4, 34)
PRODUCT(Real4Complex8, float, complex8, complex8, 35)
PRODUCT(Complex8Real4, complex8, float, complex8, 35)
PRODUCT(Real8Complex8, double, complex8, complex8, 35)
PRODUCT(Complex8Real8, complex8, double, complex8, 35)
PRODUCT(Complex4Complex4, complex4, complex4, complex4, 34)
PRODUCT(Complex8Complex8, complex8, complex8, complex8, 35)
PRODUCT(Complex10Complex10, complex10, complex10, complex10, 36)
