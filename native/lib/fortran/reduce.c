/* SUM, PRODUCT, MAXVAL, MINVAL, NORM2, DOT_PRODUCT and reductions of bits, of whole arrays and along a dimension.
 * Numbers are combined in array order; sums of real(4) are kept in double precision, as in flang. */
#include "native/lib/fortran/fortran.h"

#include <float.h>
#include <math.h>

typedef float _Complex complex4;
typedef double _Complex complex8;
typedef long double _Complex complex10;

static bool is_true(const char *at, size_t bytes) {
    return bytes == 4   ? *(const int32_t *)at != 0
           : bytes == 8 ? *(const int64_t *)at != 0
           : bytes == 2 ? *(const int16_t *)at != 0
                        : *at != 0;
}

/* A line of a mask: NULL means that all elements count. */
typedef struct chosen {
    const char *at;
    int64_t stride;
    size_t bytes;
} chosen;

#define SUM(r, x) r += x
#define PRODUCT(r, x) r *= x
#define GREATER(r, x) r = x > r ? x : r
#define LESS(r, x) r = x < r ? x : r
#define SQUARES(r, x) r += (__typeof__(r))x * x
#define EVERY_BIT(r, x) r &= x
#define SOME_BIT(r, x) r |= x
#define ODD_BIT(r, x) r ^= x

/* Defines NAME_line, which combines `start` with the elements of a line, and NAME_all for an array. */
#define REDUCE(name, T, R, STEP, START) \
    static R name##_line(R r, const char *at, int64_t stride, int64_t n, chosen mask) { \
        if (mask.at != NULL) { \
            for (int64_t i = 0; i < n; i++) \
                if (is_true(mask.at + i * mask.stride, mask.bytes)) \
                    STEP(r, *(const T *)(at + i * stride)); \
        } else if (stride == sizeof(T)) { \
            for (int64_t i = 0; i < n; i++) \
                STEP(r, ((const T *)at)[i]); \
        } else { \
            for (int64_t i = 0; i < n; i++) \
                STEP(r, *(const T *)(at + i * stride)); \
        } \
        return r; \
    } \
    static R name##_all(const array *a, const array *mask) { \
        R r = START; \
        walk walk = {{0}}; \
        int64_t all = elements(a); \
        chosen chosen = {NULL, 0, 0}; \
        if (all == 0 || (mask != NULL && mask->rank == 0 && !is_true(mask->base, mask->bytes))) \
            return r; \
        if (mask != NULL && mask->rank == 0) \
            mask = NULL; \
        if (mask == NULL && is_contiguous(a)) \
            return name##_line(r, a->base, sizeof(T), all, chosen); \
        do { \
            if (mask != NULL) \
                chosen = (struct chosen){line_of(mask, &walk, 1), mask->dim[0].stride, mask->bytes}; \
            r = name##_line(r, line_of(a, &walk, 1), a->dim[0].stride, a->dim[0].count, chosen); \
        } while (next_line(a, &walk, 1)); \
        return r; \
    }

#define INTEGERS(name, STEP, START1, START2, START4, START8) \
    REDUCE(name##_1, int8_t, int8_t, STEP, START1) \
    REDUCE(name##_2, int16_t, int16_t, STEP, START2) \
    REDUCE(name##_4, int32_t, int32_t, STEP, START4) \
    REDUCE(name##_8, int64_t, int64_t, STEP, START8)
#define REALS(name, STEP, R4, START4, START8, START10) \
    REDUCE(name##_r4, float, R4, STEP, START4) \
    REDUCE(name##_r8, double, double, STEP, START8) \
    REDUCE(name##_r10, long double, long double, STEP, START10)
#define COMPLEXES(name, STEP, START) \
    REDUCE(name##_c4, complex4, complex8, STEP, START) \
    REDUCE(name##_c8, complex8, complex8, STEP, START) \
    REDUCE(name##_c10, complex10, complex10, STEP, START)

INTEGERS(sum, SUM, 0, 0, 0, 0)
REALS(sum, SUM, double, 0, 0, 0)
COMPLEXES(sum, SUM, 0)
INTEGERS(product, PRODUCT, 1, 1, 1, 1)
REALS(product, PRODUCT, double, 1, 1, 1)
COMPLEXES(product, PRODUCT, 1)
INTEGERS(maxval, GREATER, INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN)
REALS(maxval, GREATER, float, -FLT_MAX, -DBL_MAX, -LDBL_MAX)
INTEGERS(minval, LESS, INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX)
REALS(minval, LESS, float, FLT_MAX, DBL_MAX, LDBL_MAX)
REALS(squares, SQUARES, double, 0, 0, 0)
REDUCE(wide_squares, double, long double, SQUARES, 0)
INTEGERS(iall, EVERY_BIT, -1, -1, -1, -1)
INTEGERS(iany, SOME_BIT, 0, 0, 0, 0)
INTEGERS(iparity, ODD_BIT, 0, 0, 0, 0)

/* ---- Whole arrays ---- */

#define ENTRY(flang, name, R) \
    R _FortranA##flang(const array *a, const char *file, int line, int dim, const array *mask) { \
        (void)file, (void)line, (void)dim; \
        return (R)name##_all(a, mask); \
    }
#define ENTRY_COMPLEX(flang, name, R) \
    void _FortranACpp##flang(R *result, const array *a, const char *file, int line, int dim, const array *mask) { \
        (void)file, (void)line, (void)dim; \
        *result = (R)name##_all(a, mask); \
    }
#define ENTRY_INTEGERS(flang, name) \
    ENTRY(flang##1, name##_1, int8_t) \
    ENTRY(flang##2, name##_2, int16_t) \
    ENTRY(flang##4, name##_4, int32_t) \
    ENTRY(flang##8, name##_8, int64_t)
#define ENTRY_REALS(flang, name) \
    ENTRY(flang##4, name##_r4, float) \
    ENTRY(flang##8, name##_r8, double) \
    ENTRY(flang##10, name##_r10, long double)
#define ENTRY_COMPLEXES(flang, name) \
    ENTRY_COMPLEX(flang##4, name##_c4, complex4) \
    ENTRY_COMPLEX(flang##8, name##_c8, complex8) \
    ENTRY_COMPLEX(flang##10, name##_c10, complex10)

ENTRY_INTEGERS(SumInteger, sum)
ENTRY_REALS(SumReal, sum)
ENTRY_COMPLEXES(SumComplex, sum)
ENTRY_INTEGERS(ProductInteger, product)
ENTRY_REALS(ProductReal, product)
ENTRY_COMPLEXES(ProductComplex, product)
ENTRY_INTEGERS(MaxvalInteger, maxval)
ENTRY_REALS(MaxvalReal, maxval)
ENTRY_INTEGERS(MinvalInteger, minval)
ENTRY_REALS(MinvalReal, minval)
ENTRY_INTEGERS(IAll, iall)
ENTRY_INTEGERS(IAny, iany)
ENTRY_INTEGERS(IParity, iparity)

float _FortranANorm2_4(const array *a, const char *file, int line, int dim) {
    (void)file, (void)line, (void)dim;
    return (float)sqrt(squares_r4_all(a, NULL));
}

/* Squares of very large and of very small numbers need the range of long double. */
double _FortranANorm2_8(const array *a, const char *file, int line, int dim) {
    (void)file, (void)line, (void)dim;
    double sum = squares_r8_all(a, NULL);
    return sum > 1e-280 && sum < 1e300 ? sqrt(sum) : (double)sqrtl(wide_squares_all(a, NULL));
}

long double _FortranANorm2_10(const array *a, const char *file, int line, int dim) {
    (void)file, (void)line, (void)dim;
    return sqrtl(squares_r10_all(a, NULL));
}

/* ---- Along a dimension ---- */

#define LINE(name, R, START) \
    static void name##_to(char *to, const char *at, int64_t stride, int64_t n, chosen mask) { \
        *(R *)to = (R)name##_line(START, at, stride, n, mask); \
    }
#define LINES_INTEGERS(name, START1, START2, START4, START8) \
    LINE(name##_1, int8_t, START1) \
    LINE(name##_2, int16_t, START2) \
    LINE(name##_4, int32_t, START4) \
    LINE(name##_8, int64_t, START8)
#define LINES_REALS(name, START4, START8, START10) \
    LINE(name##_r4, float, START4) \
    LINE(name##_r8, double, START8) \
    LINE(name##_r10, long double, START10)
#define LINES_COMPLEXES(name, START) \
    LINE(name##_c4, complex4, START) \
    LINE(name##_c8, complex8, START) \
    LINE(name##_c10, complex10, START)

LINES_INTEGERS(sum, 0, 0, 0, 0)
LINES_REALS(sum, 0, 0, 0)
LINES_COMPLEXES(sum, 0)
LINES_INTEGERS(product, 1, 1, 1, 1)
LINES_REALS(product, 1, 1, 1)
LINES_COMPLEXES(product, 1)
LINES_INTEGERS(maxval, INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN)
LINES_REALS(maxval, -FLT_MAX, -DBL_MAX, -LDBL_MAX)
LINES_INTEGERS(minval, INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX)
LINES_REALS(minval, FLT_MAX, DBL_MAX, LDBL_MAX)
LINES_INTEGERS(iall, -1, -1, -1, -1)
LINES_INTEGERS(iany, 0, 0, 0, 0)
LINES_INTEGERS(iparity, 0, 0, 0, 0)

static void squares_r4_to(char *to, const char *at, int64_t stride, int64_t n, chosen mask) {
    *(float *)to = (float)sqrt(squares_r4_line(0, at, stride, n, mask));
}

static void squares_r8_to(char *to, const char *at, int64_t stride, int64_t n, chosen mask) {
    *(double *)to = sqrt(squares_r8_line(0, at, stride, n, mask));
}

static void squares_r10_to(char *to, const char *at, int64_t stride, int64_t n, chosen mask) {
    *(long double *)to = sqrtl(squares_r10_line(0, at, stride, n, mask));
}

/* The subscripts of an array's element that belongs to the result's: dimension `along` is left out. */
static const char *start_of(const array *a, const walk *walk, int along) {
    const char *at = a->base;
    for (int i = 0, j = 0; i < a->rank; i++)
        at += i == along ? 0 : walk->at[j++] * a->dim[i].stride;
    return at;
}

#define CASE(name, code_, tail) \
    case code_: name##tail##_to(to, at, stride, n, mask); return;
#define CASES_INTEGERS(name) CASE(name, 7, _1) CASE(name, 8, _2) CASE(name, 9, _4) CASE(name, 10, _8)
#define CASES_REALS(name) CASE(name, 27, _r4) CASE(name, 28, _r8) CASE(name, 29, _r10)
#define CASES_COMPLEXES(name) CASE(name, 34, _c4) CASE(name, 35, _c8) CASE(name, 36, _c10)

/* Defines NAME_any, which reduces a line of elements of any type, and flang's function, which does it for all lines. */
#define ALONG(flang, name, CASES) \
    __attribute__((noinline)) static void name##_any(int8_t code, char *to, const char *at, int64_t stride, int64_t n, \
                                                     chosen mask) { \
        switch (code) { \
            CASES \
        default: verso__fortran_fail("a reduction of elements of this type", NULL, 0); \
        } \
    } \
    static void name##_along(array *result, const array *a, int dim, const char *file, int line, const array *mask) { \
        int64_t counts[RANK_MOST]; \
        int along = dim - 1; \
        for (int i = 0, j = 0; i < a->rank; i++) \
            if (i != along) \
                counts[j++] = a->dim[i].count; \
        verso__fortran_result(result, a, a->rank - 1, counts, file, line); \
        if (elements(result) == 0) \
            return; \
        int64_t n = a->dim[along].count, stride = a->dim[along].stride; \
        bool none = mask != NULL && mask->rank == 0 && !is_true(mask->base, mask->bytes); \
        walk walk = {{0}}; \
        do { \
            chosen chosen = {NULL, 0, 0}; \
            if (mask != NULL && mask->rank > 0) \
                chosen = (struct chosen){start_of(mask, &walk, along), mask->dim[along].stride, mask->bytes}; \
            name##_any(a->code, line_of(result, &walk, 0), start_of(a, &walk, along), stride, none ? 0 : n, chosen); \
        } while (next_line(result, &walk, 0)); \
    } \
    void _FortranA##flang(array *result, const array *a, int dim, const char *file, int line, const array *mask) { \
        name##_along(result, a, dim, file, line, mask); \
    }

ALONG(SumDim, sum, CASES_INTEGERS(sum) CASES_REALS(sum) CASES_COMPLEXES(sum))
ALONG(ProductDim, product, CASES_INTEGERS(product) CASES_REALS(product) CASES_COMPLEXES(product))
ALONG(MaxvalDim, maxval, CASES_INTEGERS(maxval) CASES_REALS(maxval))
ALONG(MinvalDim, minval, CASES_INTEGERS(minval) CASES_REALS(minval))
ALONG(IAllDim, iall, CASES_INTEGERS(iall))
ALONG(IAnyDim, iany, CASES_INTEGERS(iany))
ALONG(IParityDim, iparity, CASES_INTEGERS(iparity))
ALONG(_Norm2DimMasked, squares, CASES_REALS(squares))

void _FortranANorm2Dim(array *result, const array *a, int dim, const char *file, int line) {
    squares_along(result, a, dim, file, line, NULL);
}

/* ---- DOT_PRODUCT ---- */

#define DOT(flang, T, R, R_KEPT, FACTOR) \
    R _FortranADotProduct##flang(const array *a, const array *b, const char *file, int line) { \
        int64_t n = a->dim[0].count, sa = a->dim[0].stride, sb = b->dim[0].stride; \
        const char *x = a->base, *y = b->base; \
        R_KEPT r = 0; \
        if (n != b->dim[0].count) \
            verso__fortran_fail("DOT_PRODUCT: the arguments have different sizes", file, line); \
        if (a->code != b->code) \
            verso__fortran_fail("DOT_PRODUCT: the arguments have different types", file, line); \
        if (sa == sizeof(T) && sb == sizeof(T)) \
            for (int64_t i = 0; i < n; i++) \
                r += (R_KEPT)FACTOR(((const T *)x)[i]) * ((const T *)y)[i]; \
        else \
            for (int64_t i = 0; i < n; i++) \
                r += (R_KEPT)FACTOR(*(const T *)(x + i * sa)) * *(const T *)(y + i * sb); \
        return (R)r; \
    }
#define SAME(x) (x)
DOT(Integer1, int8_t, int8_t, int8_t, SAME)
DOT(Integer2, int16_t, int16_t, int16_t, SAME)
DOT(Integer4, int32_t, int32_t, int32_t, SAME)
DOT(Integer8, int64_t, int64_t, int64_t, SAME)
DOT(Real4, float, float, double, SAME)
DOT(Real8, double, double, double, SAME)
DOT(Real10, long double, long double, long double, SAME)

#define DOT_COMPLEX(flang, T, part) \
    void _FortranACppDotProductComplex##flang(T *result, const array *a, const array *b, const char *file, int line) { \
        part re = 0, im = 0; \
        if (a->dim[0].count != b->dim[0].count || a->code != b->code) \
            verso__fortran_fail("DOT_PRODUCT: the arguments have different sizes or types", file, line); \
        for (int64_t i = 0; i < a->dim[0].count; i++) { \
            const part *x = (const part *)(a->base + i * a->dim[0].stride); \
            const part *y = (const part *)(b->base + i * b->dim[0].stride); \
            re += x[0] * y[0] + x[1] * y[1]; \
            im += x[0] * y[1] - x[1] * y[0]; \
        } \
        ((part *)result)[0] = re; \
        ((part *)result)[1] = im; \
    }
DOT_COMPLEX(4, complex4, float)
DOT_COMPLEX(8, complex8, double)
DOT_COMPLEX(10, complex10, long double)
