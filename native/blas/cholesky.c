/* Rules of potrf, potrs and posv: A = L L^H, or A = U^H U with U = L^H. With phi(m) the lower triangle of m, its
 * diagonal halved, the tangent of L is L phi(L^-1 dA L^-H), and the adjoint of A is L^-H phi(L^H L') L^-1. */
#include "native/blas/factors.h"

typedef verso__blas_call blas_call;
typedef verso__blas_operand operand;
typedef verso__blas_matrix matrix;

typedef struct cholesky_call {
    operand a; /* its stored triangle */
    operand b;
    bool lower;
} cholesky_call;

static cholesky_call read_cholesky(const blas_call *c) {
    int64_t n = c->argument[1].integer;
    bool factors = c->routine == VERSO_BLAS_potrf;
    cholesky_call s = {.lower = verso__blas_flag(c, 0) == 'l'};
    s.a = verso__blas_full(c, factors ? 2 : 3, n, n);
    s.a.shape = c->routine == VERSO_BLAS_potrs ? VERSO_BLAS_TRIANGULAR : VERSO_BLAS_HERMITIAN;
    s.a.lower = s.lower;
    if (!factors)
        s.b = verso__blas_full(c, 5, n, c->argument[2].integer);
    return s;
}

/* Returns L, or its derivative, from the stored triangle. */
static matrix lower_of(const cholesky_call *s, operand a) {
    matrix stored = verso__blas_stored(a);
    return s->lower ? stored : verso__blas_adjoint(stored);
}

void verso__blas_cholesky_solve(matrix lower, matrix b) {
    verso__blas_solve(lower, true, false, b);
    verso__blas_solve(verso__blas_adjoint(lower), false, false, b);
}

/* ---- Factors ---- */

static void sweep_factor(const cholesky_call *s, matrix l) {
    operand cells = verso__blas_cells(s->a);
    matrix sum = verso__blas_new(l.type, l.rows, l.rows);
    verso__blas_multiply(1, verso__blas_adjoint(l), lower_of(s, cells), 0, sum);
    verso__blas_keep_triangle(sum, true, 0.5);
    verso__blas_solve(verso__blas_adjoint(l), false, false, sum);
    verso__blas_solve(verso__blas_transposed(l), false, false, verso__blas_transposed(sum));
    verso__blas_scale_stored(cells, 0);
    verso__blas_spread(cells, 1, sum);
}

static void tangent_factor(const cholesky_call *s, matrix l) {
    operand cells = verso__blas_cells(s->a);
    matrix inner = verso__blas_dense(cells, true), tangent = verso__blas_new(l.type, l.rows, l.rows);
    verso__blas_solve(l, true, false, inner);
    verso__blas_solve(verso__blas_op(l, 'r'), true, false, verso__blas_transposed(inner));
    verso__blas_keep_triangle(inner, true, 0.5);
    verso__blas_multiply(1, l, inner, 0, tangent);
    verso__blas_store(cells, 0, s->lower ? tangent : verso__blas_adjoint(tangent));
}

static void potrf_recorded(blas_call *c) {
    verso__blas_keep(c, read_cholesky(c).a);
}

static void potrf_sweep(blas_call *c) {
    cholesky_call s = read_cholesky(c);
    sweep_factor(&s, lower_of(&s, verso__blas_take(c, s.a)));
}

static void potrf_tangent_end(blas_call *c) {
    cholesky_call s = read_cholesky(c);
    tangent_factor(&s, lower_of(&s, s.a));
}

const verso__blas_rule verso__blas_potrf_rule = {
    .recorded = potrf_recorded, .sweep = potrf_sweep, .tangent_end = potrf_tangent_end};

/* ---- Systems ---- */

/* Adds the adjoint of L: that of A is -w x^H, so that of L is -(w x^H + x w^H) L. */
static void sweep_use(const cholesky_call *s, matrix l, matrix w, matrix x) {
    operand cells = verso__blas_cells(s->a);
    cells.shape = VERSO_BLAS_TRIANGULAR;
    matrix sum = verso__blas_new(l.type, l.rows, l.rows), thin = verso__blas_new(l.type, l.rows, x.cols);
    verso__blas_multiply(1, verso__blas_adjoint(l), x, 0, thin);
    verso__blas_multiply(-1, w, verso__blas_adjoint(thin), 0, sum);
    verso__blas_multiply(1, verso__blas_adjoint(l), w, 0, thin);
    verso__blas_multiply(-1, x, verso__blas_adjoint(thin), 1, sum);
    verso__blas_spread(cells, 1, s->lower ? sum : verso__blas_adjoint(sum));
}

static void potrs_record(blas_call *c) {
    verso__blas_keep(c, read_cholesky(c).a);
}

static void potrs_recorded(blas_call *c) {
    verso__blas_keep(c, read_cholesky(c).b);
}

static void potrs_sweep(blas_call *c) {
    cholesky_call s = read_cholesky(c);
    matrix l = lower_of(&s, verso__blas_take(c, s.a)), x = verso__blas_take(c, s.b).at;
    matrix w = verso__blas_cells(s.b).at;
    verso__blas_cholesky_solve(l, w);
    sweep_use(&s, l, w, x);
}

static void potrs_tangent_end(blas_call *c) {
    cholesky_call s = read_cholesky(c);
    matrix l = lower_of(&s, s.a), change = lower_of(&s, verso__blas_cells(s.a)), x = s.b.at;
    matrix tangent = verso__blas_cells(s.b).at, thin = verso__blas_new(c->type, x.rows, x.cols);
    verso__blas_multiply(1, verso__blas_adjoint(l), x, 0, thin);
    verso__blas_multiply(-1, change, thin, 1, tangent);
    verso__blas_multiply(1, verso__blas_adjoint(change), x, 0, thin);
    verso__blas_multiply(-1, l, thin, 1, tangent);
    verso__blas_cholesky_solve(l, tangent);
}

const verso__blas_rule verso__blas_potrs_rule = {
    .record = potrs_record, .recorded = potrs_recorded, .sweep = potrs_sweep, .tangent_end = potrs_tangent_end};

static void posv_recorded(blas_call *c) {
    cholesky_call s = read_cholesky(c);
    verso__blas_keep(c, s.a);
    verso__blas_keep(c, s.b);
}

/* Programs rarely use the factor that posv leaves; otherwise this is potrs and potrf. */
static void posv_sweep(blas_call *c) {
    cholesky_call s = read_cholesky(c);
    matrix l = lower_of(&s, verso__blas_take(c, s.a)), x = verso__blas_take(c, s.b).at;
    matrix w = verso__blas_cells(s.b).at;
    operand cells = verso__blas_cells(s.a);
    bool unused = verso__blas_is_zero(verso__blas_stored(cells));
    verso__blas_cholesky_solve(l, w);
    if (unused) {
        matrix sum = verso__blas_new(c->type, l.rows, l.rows);
        verso__blas_multiply(-1, w, verso__blas_adjoint(x), 0, sum);
        verso__blas_spread(cells, 1, sum);
        return;
    }
    sweep_use(&s, l, w, x);
    sweep_factor(&s, l);
}

static void posv_tangent_end(blas_call *c) {
    cholesky_call s = read_cholesky(c);
    matrix l = lower_of(&s, s.a), tangent = verso__blas_cells(s.b).at;
    verso__blas_multiply(-1, verso__blas_dense(verso__blas_cells(s.a), true), s.b.at, 1, tangent);
    verso__blas_cholesky_solve(l, tangent);
    tangent_factor(&s, l);
}

const verso__blas_rule verso__blas_posv_rule = {
    .recorded = posv_recorded, .sweep = posv_sweep, .tangent_end = posv_tangent_end};
