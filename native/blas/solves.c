/* The rule of triangular systems: op(a) x = alpha b, or x op(a) = alpha b, which is the same of the transposed
 * matrices. With m = op(a), x' the adjoint of x and w = m^-H x', the adjoint of m is -w x^H, and that of b is
 * conj(alpha) w. */
#include "native/blas/inside.h"

typedef verso__blas_call blas_call;
typedef verso__blas_operand operand;
typedef verso__blas_matrix matrix;
typedef verso__blas_number number;

typedef struct system {
    operand a, b;
    char flag;
    bool right;
    int alpha; /* the argument; -1: 1 */
} system;

static operand triangle(const blas_call *c, operand o, unsigned first) {
    o.shape = VERSO_BLAS_TRIANGULAR;
    o.lower = verso__blas_flag(c, first) == 'l';
    o.unit = verso__blas_flag(c, first + 2) == 'u';
    return o;
}

static system read_matrices(const blas_call *c) {
    bool right = verso__blas_flag(c, 0) == 'r';
    int64_t m = c->argument[4].integer, n = c->argument[5].integer, order = right ? n : m;
    return (system){.a = triangle(c, verso__blas_full(c, 7, order, order), 1),
                    .b = verso__blas_full(c, 9, m, n),
                    .flag = verso__blas_flag(c, 2),
                    .right = right,
                    .alpha = 6};
}

static system read_system(const blas_call *c) {
    if (c->routine == VERSO_BLAS_trsm)
        return read_matrices(c);
    int64_t n = c->argument[3].integer;
    system s = {.flag = verso__blas_flag(c, 1), .alpha = -1};
    if (c->routine == VERSO_BLAS_trtrs) {
        s.a = verso__blas_full(c, 5, n, n);
        s.b = verso__blas_full(c, 7, n, c->argument[4].integer);
    } else if (c->routine == VERSO_BLAS_trsv) {
        s.a = verso__blas_full(c, 4, n, n);
        s.b = verso__blas_vector(c, 6, n);
    } else {
        bool band = c->routine == VERSO_BLAS_tbsv, lower = verso__blas_flag(c, 0) == 'l';
        unsigned at = band ? 5 : 4;
        s.a.at = (matrix){c->argument[at].pointer, n, n, 1, n, c->type, false};
        s.a.storage = band ? VERSO_BLAS_BAND : VERSO_BLAS_PACKED;
        s.a.by_rows = c->by_rows;
        if (band) {
            s.a.below = lower ? c->argument[4].integer : 0;
            s.a.above = lower ? 0 : c->argument[4].integer;
            s.a.distance = c->argument[at + 1].integer;
        }
        s.b = verso__blas_vector(c, band ? at + 2 : at + 1, n);
    }
    s.a = triangle(c, s.a, 0);
    return s;
}

/* m, of `a` or of its cells. */
static matrix side_of(const system *s, matrix a) {
    matrix m = verso__blas_op(a, s->flag);
    return s->right ? verso__blas_transposed(m) : m;
}

static bool is_lower(const system *s) {
    return s->a.lower ^ (s->flag != 'n') ^ s->right;
}

static matrix view_of(const system *s, matrix b) {
    return s->right ? verso__blas_transposed(b) : b;
}

static void record(blas_call *c) {
    verso__blas_keep(c, read_system(c).a);
}

static void recorded(blas_call *c) {
    verso__blas_keep(c, read_system(c).b);
}

static void sweep_alpha(const blas_call *c, const system *s, matrix x, matrix adjoint) {
    number alpha = c->argument[s->alpha].number;
    if (verso__blas_wants(c, (unsigned)s->alpha) && alpha != 0)
        verso__blas_add_number(c, (unsigned)s->alpha, verso__blas_dot(x, adjoint) / conj(alpha));
}

/* Returns the adjoint of `a` for that of m. */
static matrix unwound(const system *s, matrix m) {
    return verso__blas_op(s->right ? verso__blas_transposed(m) : m, s->flag);
}

static void sweep(blas_call *c) {
    system s = read_system(c);
    matrix a = verso__blas_dense(verso__blas_take(c, s.a), false);
    matrix x = view_of(&s, verso__blas_take(c, s.b).at);
    matrix cells = verso__blas_cells(s.b).at, w = view_of(&s, cells);
    if (s.alpha >= 0)
        sweep_alpha(c, &s, x, w);
    verso__blas_solve(verso__blas_adjoint(side_of(&s, a)), !is_lower(&s), s.a.unit, w);
    matrix sum = verso__blas_new(c->type, a.rows, a.cols);
    verso__blas_multiply(-1, w, verso__blas_adjoint(x), 0, sum);
    verso__blas_spread(verso__blas_cells(s.a), 1, unwound(&s, sum));
    if (s.alpha >= 0)
        verso__blas_scale(cells, conj(c->argument[s.alpha].number));
}

static void tangent_end(blas_call *c) {
    system s = read_system(c);
    number alpha = s.alpha >= 0 ? c->argument[s.alpha].number : 1;
    number change = s.alpha >= 0 ? verso__blas_number_tangent(c, (unsigned)s.alpha) : 0;
    matrix x = view_of(&s, s.b.at), cells = verso__blas_cells(s.b).at, tangent = view_of(&s, cells);
    matrix m = side_of(&s, verso__blas_dense(verso__blas_cells(s.a), true));
    verso__blas_scale(cells, alpha);
    verso__blas_multiply(-1, m, x, 1, tangent);
    verso__blas_solve(side_of(&s, verso__blas_dense(s.a, false)), is_lower(&s), s.a.unit, tangent);
    if (change != 0 && alpha != 0)
        verso__blas_add(tangent, change / alpha, x);
}

const verso__blas_rule verso__blas_solve_rule = {
    .record = record, .recorded = recorded, .sweep = sweep, .tangent_end = tangent_end};
