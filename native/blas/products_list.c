/* Which product each routine is: see products.h. */
#include "native/blas/products.h"

typedef verso__blas_call blas_call;
typedef verso__blas_operand operand;
typedef verso__blas_product product;

static int64_t integer(const blas_call *c, unsigned k) {
    return c->argument[k].integer;
}

static operand shaped(operand o, verso__blas_shape shape, char triangle) {
    o.shape = shape;
    o.lower = triangle == 'l';
    return o;
}

/* A triangle of n rows that is packed at argument k. */
static operand packed(const blas_call *c, unsigned k, int64_t n, verso__blas_shape shape, char triangle) {
    operand o = shaped((operand){.storage = VERSO_BLAS_PACKED, .by_rows = c->by_rows}, shape, triangle);
    o.at = (verso__blas_matrix){c->argument[k].pointer, n, n, 1, n, c->type, false};
    return o;
}

/* A matrix at argument k with these numbers of diagonals below and above the main one. */
static operand banded(const blas_call *c, unsigned k, int64_t rows, int64_t cols, int64_t below, int64_t above) {
    operand o = {.storage = VERSO_BLAS_BAND, .by_rows = c->by_rows, .below = below, .above = above};
    o.at = (verso__blas_matrix){c->argument[k].pointer, rows, cols, 1, rows, c->type, false};
    o.distance = integer(c, k + 1);
    return o;
}

static operand banded_triangle(const blas_call *c, unsigned k, int64_t n, int64_t diagonals, verso__blas_shape shape,
                               char triangle) {
    bool lower = triangle == 'l';
    return shaped(banded(c, k, n, n, lower ? diagonals : 0, lower ? 0 : diagonals), shape, triangle);
}

static char first_flag(const blas_call *c) {
    return verso__blas_flag(c, 0);
}

static void one_term(product *p, int left, char left_flag, int right, char right_flag) {
    p->terms = 1;
    p->term[0] = (verso__blas_term){left, right, left_flag, right_flag, false};
}

/* ---- Matrix times vector ---- */

static void general_vector(const blas_call *c, product *p) {
    bool band = c->routine == VERSO_BLAS_gbmv;
    char flag = first_flag(c);
    int64_t m = integer(c, 1), n = integer(c, 2);
    unsigned at = band ? 6 : 4;
    p->factor[0] = band ? banded(c, at, m, n, integer(c, 3), integer(c, 4)) : verso__blas_full(c, at, m, n);
    p->factor[1] = verso__blas_vector(c, at + 2, flag == 'n' ? n : m);
    p->out = verso__blas_vector(c, at + 5, flag == 'n' ? m : n);
    p->alpha = (int)at - 1;
    p->beta = (int)at + 4;
    one_term(p, 0, flag, 1, 'n');
}

static void symmetric_vector(const blas_call *c, product *p) {
    bool real = c->routine == VERSO_BLAS_symv || c->routine == VERSO_BLAS_sbmv || c->routine == VERSO_BLAS_spmv;
    bool band = c->routine == VERSO_BLAS_sbmv || c->routine == VERSO_BLAS_hbmv;
    bool pack = c->routine == VERSO_BLAS_spmv || c->routine == VERSO_BLAS_hpmv;
    verso__blas_shape shape = real ? VERSO_BLAS_SYMMETRIC : VERSO_BLAS_HERMITIAN;
    char triangle = first_flag(c);
    int64_t n = integer(c, 1);
    unsigned at = band ? 4 : 3, x = pack ? at + 1 : at + 2;
    p->factor[0] = pack   ? packed(c, at, n, shape, triangle)
                   : band ? banded_triangle(c, at, n, integer(c, 2), shape, triangle)
                          : shaped(verso__blas_full(c, at, n, n), shape, triangle);
    p->factor[1] = verso__blas_vector(c, x, n);
    p->out = verso__blas_vector(c, x + 3, n);
    p->alpha = (int)at - 1;
    p->beta = (int)x + 2;
    one_term(p, 0, 'n', 1, 'n');
}

static void triangular_vector(const blas_call *c, product *p) {
    char triangle = first_flag(c);
    int64_t n = integer(c, 3);
    bool band = c->routine == VERSO_BLAS_tbmv, pack = c->routine == VERSO_BLAS_tpmv;
    unsigned at = band ? 5 : 4;
    p->factor[0] = pack   ? packed(c, at, n, VERSO_BLAS_TRIANGULAR, triangle)
                   : band ? banded_triangle(c, at, n, integer(c, 4), VERSO_BLAS_TRIANGULAR, triangle)
                          : shaped(verso__blas_full(c, at, n, n), VERSO_BLAS_TRIANGULAR, triangle);
    p->factor[0].unit = verso__blas_flag(c, 2) == 'u';
    p->factor[1] = p->out = verso__blas_vector(c, pack ? at + 1 : at + 2, n);
    p->in_place = true;
    one_term(p, 0, verso__blas_flag(c, 1), 1, 'n');
}

/* ---- Updates by vectors ---- */

static void update(const blas_call *c, product *p) {
    int64_t m = integer(c, 0), n = integer(c, 1);
    p->alpha = 2;
    p->factor[0] = verso__blas_vector(c, 3, m);
    p->factor[1] = verso__blas_vector(c, 5, n);
    p->out = verso__blas_full(c, 7, m, n);
    one_term(p, 0, 'n', 1, c->routine == VERSO_BLAS_gerc ? 'c' : 't');
}

static bool is_packed_update(const blas_call *c) {
    return c->routine == VERSO_BLAS_spr || c->routine == VERSO_BLAS_hpr || c->routine == VERSO_BLAS_spr2 ||
           c->routine == VERSO_BLAS_hpr2;
}

static void symmetric_update(const blas_call *c, product *p, bool two, bool hermitian) {
    char triangle = first_flag(c), flag = hermitian ? 'c' : 't';
    int64_t n = integer(c, 1);
    verso__blas_shape shape = hermitian ? VERSO_BLAS_HERMITIAN : VERSO_BLAS_SYMMETRIC;
    unsigned at = two ? 7 : 5;
    p->alpha = 2;
    p->factor[0] = verso__blas_vector(c, 3, n);
    p->factors = two ? 2 : 1;
    if (two)
        p->factor[1] = verso__blas_vector(c, 5, n);
    p->out = is_packed_update(c) ? packed(c, at, n, shape, triangle)
                                 : shaped(verso__blas_full(c, at, n, n), shape, triangle);
    one_term(p, 0, 'n', two ? 1 : 0, flag);
    if (two) {
        p->terms = 2;
        p->term[1] = (verso__blas_term){1, 0, 'n', flag, hermitian};
    }
}

/* ---- Matrix times matrix ---- */

static void general_matrix(const blas_call *c, product *p) {
    char a = first_flag(c), b = verso__blas_flag(c, 1);
    int64_t m = integer(c, 2), n = integer(c, 3), k = integer(c, 4);
    p->alpha = 5;
    p->beta = 10;
    p->factor[0] = a == 'n' ? verso__blas_full(c, 6, m, k) : verso__blas_full(c, 6, k, m);
    p->factor[1] = b == 'n' ? verso__blas_full(c, 8, k, n) : verso__blas_full(c, 8, n, k);
    p->out = verso__blas_full(c, 11, m, n);
    one_term(p, 0, a, 1, b);
}

static void symmetric_matrix(const blas_call *c, product *p) {
    bool left = first_flag(c) == 'l';
    int64_t m = integer(c, 2), n = integer(c, 3), order = left ? m : n;
    p->alpha = 4;
    p->beta = 9;
    p->factor[0] =
        shaped(verso__blas_full(c, 5, order, order),
               c->routine == VERSO_BLAS_hemm ? VERSO_BLAS_HERMITIAN : VERSO_BLAS_SYMMETRIC, verso__blas_flag(c, 1));
    p->factor[1] = verso__blas_full(c, 7, m, n);
    p->out = verso__blas_full(c, 10, m, n);
    one_term(p, left ? 0 : 1, 'n', left ? 1 : 0, 'n');
}

static void triangular_matrix(const blas_call *c, product *p) {
    bool left = first_flag(c) == 'l';
    int64_t m = integer(c, 4), n = integer(c, 5), order = left ? m : n;
    char flag = verso__blas_flag(c, 2);
    p->alpha = 6;
    p->factor[0] = shaped(verso__blas_full(c, 7, order, order), VERSO_BLAS_TRIANGULAR, verso__blas_flag(c, 1));
    p->factor[0].unit = verso__blas_flag(c, 3) == 'u';
    p->factor[1] = p->out = verso__blas_full(c, 9, m, n);
    p->in_place = true;
    if (left)
        one_term(p, 0, flag, 1, 'n');
    else
        one_term(p, 1, 'n', 0, flag);
}

/* out = alpha a op(a) + beta out, or alpha (a op(b) + b op(a)) + beta out; transposed if the flag says so. */
static void rank_update(const blas_call *c, product *p, bool two, bool hermitian) {
    bool plain = verso__blas_flag(c, 1) == 'n';
    char other = hermitian ? 'c' : 't', left = plain ? 'n' : other, right = plain ? other : 'n';
    int64_t n = integer(c, 2), k = integer(c, 3);
    unsigned at = two ? 9 : 7;
    p->alpha = 4;
    p->beta = (int)at;
    p->factors = two ? 2 : 1;
    for (unsigned i = 0; i < (two ? 2u : 1u); i++)
        p->factor[i] = plain ? verso__blas_full(c, 5 + 2 * i, n, k) : verso__blas_full(c, 5 + 2 * i, k, n);
    p->out = shaped(verso__blas_full(c, at + 1, n, n), hermitian ? VERSO_BLAS_HERMITIAN : VERSO_BLAS_SYMMETRIC,
                    first_flag(c));
    one_term(p, 0, left, two ? 1 : 0, right);
    if (two) {
        p->terms = 2;
        p->term[1] = (verso__blas_term){1, 0, left, right, hermitian};
    }
}

void verso__blas_describe(const blas_call *c, product *p) {
    *p = (product){.factors = 2, .alpha = -1, .beta = -1};
    switch ((int)c->routine) {
    case VERSO_BLAS_gemv:
    case VERSO_BLAS_gbmv: general_vector(c, p); break;
    case VERSO_BLAS_symv:
    case VERSO_BLAS_hemv:
    case VERSO_BLAS_sbmv:
    case VERSO_BLAS_hbmv:
    case VERSO_BLAS_spmv:
    case VERSO_BLAS_hpmv: symmetric_vector(c, p); break;
    case VERSO_BLAS_trmv:
    case VERSO_BLAS_tbmv:
    case VERSO_BLAS_tpmv: triangular_vector(c, p); break;
    case VERSO_BLAS_ger:
    case VERSO_BLAS_geru:
    case VERSO_BLAS_gerc: update(c, p); break;
    case VERSO_BLAS_syr:
    case VERSO_BLAS_spr: symmetric_update(c, p, false, false); break;
    case VERSO_BLAS_her:
    case VERSO_BLAS_hpr: symmetric_update(c, p, false, true); break;
    case VERSO_BLAS_syr2:
    case VERSO_BLAS_spr2: symmetric_update(c, p, true, false); break;
    case VERSO_BLAS_her2:
    case VERSO_BLAS_hpr2: symmetric_update(c, p, true, true); break;
    case VERSO_BLAS_gemm: general_matrix(c, p); break;
    case VERSO_BLAS_symm:
    case VERSO_BLAS_hemm: symmetric_matrix(c, p); break;
    case VERSO_BLAS_trmm: triangular_matrix(c, p); break;
    case VERSO_BLAS_syrk: rank_update(c, p, false, false); break;
    case VERSO_BLAS_herk: rank_update(c, p, false, true); break;
    case VERSO_BLAS_syr2k: rank_update(c, p, true, false); break;
    default: rank_update(c, p, true, true);
    }
}
