/* Rules of getrf, getrs and gesv: see factors.h. */
#include "native/blas/factors.h"

#include <stdint.h>

typedef verso__blas_call blas_call;
typedef verso__blas_operand operand;
typedef verso__blas_matrix matrix;
typedef verso__blas_lu lu;

void verso__blas_exchange(matrix m, const int *pivots, int64_t count, bool back) {
    for (int64_t step = 0; step < count; step++) {
        int64_t i = back ? count - 1 - step : step, k = pivots[i] - 1;
        for (int64_t j = 0; k != i && j < m.cols; j++) {
            verso__blas_number value = verso__blas_get(m, i, j);
            verso__blas_set(m, i, j, verso__blas_get(m, k, j));
            verso__blas_set(m, k, j, value);
        }
    }
}

static operand triangle(matrix f, bool lower, bool unit) {
    return (operand){.at = f, .shape = VERSO_BLAS_TRIANGULAR, .lower = lower, .unit = unit};
}

matrix verso__blas_lower_of(matrix f, bool cells) {
    return verso__blas_dense(triangle(f, true, true), cells);
}

matrix verso__blas_upper_of(matrix f) {
    return verso__blas_dense(triangle(f, false, false), false);
}

void verso__blas_lu_solve(lu lu, char flag, matrix b) {
    bool turned = flag == 't' || flag == 'c';
    int64_t n = lu.f.rows;
    matrix f = verso__blas_op(lu.f, flag);
    if (!turned)
        verso__blas_exchange(b, lu.pivots, n, false);
    verso__blas_solve(f, true, !turned, b);
    verso__blas_solve(f, false, turned, b);
    if (turned)
        verso__blas_exchange(b, lu.pivots, n, true);
}

/* x = x u^-1, or x u^-H. */
static void divide_by_upper(matrix x, matrix u, bool conjugated) {
    if (conjugated)
        verso__blas_solve(verso__blas_op(u, 'r'), false, false, verso__blas_transposed(x));
    else
        verso__blas_solve(verso__blas_transposed(u), true, false, verso__blas_transposed(x));
}

/* With L' and U' the adjoints of the factors of a square A: A' = P L^-H (tril(L^H L') + triu(U' U^H)) U^-H. If A is not
 * square, the rest of its rows is that of L times U, and the rest of its columns L times that of U. */
void verso__blas_lu_sweep(lu lu, matrix m) {
    int64_t n = m.rows < m.cols ? m.rows : m.cols;
    matrix f = verso__blas_part(lu.f, 0, 0, n, n), square = verso__blas_part(m, 0, 0, n, n);
    matrix l = verso__blas_lower_of(f, false), u = verso__blas_upper_of(f);
    matrix both = verso__blas_new(m.type, n, n), part = verso__blas_new(m.type, n, n);
    if (m.rows > n) {
        matrix rest = verso__blas_part(m, n, 0, m.rows - n, n), below = verso__blas_part(lu.f, n, 0, m.rows - n, n);
        divide_by_upper(rest, u, true);
        verso__blas_multiply(-1, verso__blas_adjoint(below), rest, 0, part);
        verso__blas_keep_triangle(part, false, 1);
        verso__blas_add(square, 1, part);
    }
    if (m.cols > n) {
        matrix rest = verso__blas_part(m, 0, n, n, m.cols - n), beside = verso__blas_part(lu.f, 0, n, n, m.cols - n);
        verso__blas_solve(verso__blas_adjoint(l), false, true, rest);
        verso__blas_multiply(-1, rest, verso__blas_adjoint(beside), 0, part);
        verso__blas_keep_triangle(part, true, 0);
        verso__blas_add(square, 1, part);
    }
    verso__blas_multiply(1, verso__blas_adjoint(l), verso__blas_lower_of(square, true), 0, both);
    verso__blas_keep_triangle(both, true, 0);
    verso__blas_multiply(1, verso__blas_upper_of(square), verso__blas_adjoint(u), 0, part);
    verso__blas_keep_triangle(part, false, 1);
    verso__blas_add(both, 1, part);
    verso__blas_solve(verso__blas_adjoint(l), false, true, both);
    divide_by_upper(both, u, true);
    verso__blas_copy(square, both);
    verso__blas_exchange(m, lu.pivots, n, true);
}

void verso__blas_lu_tangent(lu lu, matrix m) {
    int64_t n = m.rows < m.cols ? m.rows : m.cols;
    matrix f = verso__blas_part(lu.f, 0, 0, n, n), square = verso__blas_part(m, 0, 0, n, n);
    matrix l = verso__blas_lower_of(f, false), u = verso__blas_upper_of(f);
    matrix lower = verso__blas_new(m.type, n, n), upper = verso__blas_new(m.type, n, n);
    verso__blas_exchange(m, lu.pivots, n, false);
    verso__blas_solve(l, true, true, square);
    divide_by_upper(square, u, false);
    matrix under = verso__blas_new_copy(square), over = verso__blas_new_copy(square);
    verso__blas_keep_triangle(under, true, 0);
    verso__blas_keep_triangle(over, false, 1);
    verso__blas_multiply(1, l, under, 0, lower);
    verso__blas_multiply(1, over, u, 0, upper);
    if (m.rows > n) {
        matrix rest = verso__blas_part(m, n, 0, m.rows - n, n);
        verso__blas_multiply(-1, verso__blas_part(lu.f, n, 0, m.rows - n, n), upper, 1, rest);
        divide_by_upper(rest, u, false);
    }
    if (m.cols > n) {
        matrix rest = verso__blas_part(m, 0, n, n, m.cols - n);
        verso__blas_multiply(-1, lower, verso__blas_part(lu.f, 0, n, n, m.cols - n), 1, rest);
        verso__blas_solve(l, true, true, rest);
    }
    verso__blas_copy(square, lower);
    verso__blas_add(square, 1, upper);
}

/* ---- Arguments ---- */

typedef struct lu_call {
    operand a, b;
    const int *pivots;
    int64_t count;
    char flag;
} lu_call;

static lu_call read_lu(const blas_call *c) {
    if (c->routine == VERSO_BLAS_getrf) {
        int64_t m = c->argument[0].integer, n = c->argument[1].integer;
        return (lu_call){.a = verso__blas_full(c, 2, m, n), .pivots = c->argument[4].pointer, .count = m < n ? m : n};
    }
    bool solves = c->routine == VERSO_BLAS_getrs;
    unsigned first = solves ? 1 : 0;
    int64_t n = c->argument[first].integer, sides = c->argument[first + 1].integer;
    return (lu_call){.a = verso__blas_full(c, first + 2, n, n),
                     .b = verso__blas_full(c, first + 5, n, sides),
                     .pivots = c->argument[first + 4].pointer,
                     .count = n,
                     .flag = solves ? verso__blas_flag(c, 0) : 'n'};
}

static void keep_factors(blas_call *c, const lu_call *s) {
    verso__blas_keep(c, s->a);
    verso__blas_keep_bytes(c, s->pivots, (size_t)s->count * sizeof *s->pivots);
}

static lu take_factors(blas_call *c, const lu_call *s) {
    lu made = {.f = verso__blas_take(c, s->a).at};
    made.pivots = verso__blas_take_bytes(c, (size_t)s->count * sizeof *made.pivots);
    return made;
}

/* ---- getrf ---- */

static void getrf_recorded(blas_call *c) {
    lu_call s = read_lu(c);
    keep_factors(c, &s);
}

static void getrf_sweep(blas_call *c) {
    lu_call s = read_lu(c);
    lu lu = take_factors(c, &s);
    verso__blas_lu_sweep(lu, verso__blas_cells(s.a).at);
}

static void getrf_tangent_end(blas_call *c) {
    lu_call s = read_lu(c);
    verso__blas_lu_tangent((lu){s.a.at, s.pivots}, verso__blas_cells(s.a).at);
}

const verso__blas_rule verso__blas_getrf_rule = {
    .recorded = getrf_recorded, .sweep = getrf_sweep, .tangent_end = getrf_tangent_end};

/* ---- getrs ---- */

static char adjoint_flag(char flag) {
    return flag == 'n' ? 'c' : flag == 't' ? 'r' : 'n';
}

/* Adds the adjoints of the factors to `cells`: that of A is -y z^H; see solves.c. */
static void sweep_factors(lu lu, char flag, matrix w, matrix x, matrix cells) {
    matrix y = flag == 'n' ? w : verso__blas_op(x, flag == 't' ? 'r' : 'n');
    matrix z = flag == 'n' ? x : verso__blas_op(w, flag == 't' ? 'r' : 'n');
    int64_t n = cells.rows;
    matrix l = verso__blas_lower_of(lu.f, false), u = verso__blas_upper_of(lu.f);
    matrix sum = verso__blas_new(cells.type, n, n), thin = verso__blas_new(cells.type, n, z.cols);
    y = verso__blas_new_copy(y);
    verso__blas_exchange(y, lu.pivots, n, false);
    verso__blas_multiply(1, u, z, 0, thin);
    verso__blas_multiply(-1, y, verso__blas_adjoint(thin), 0, sum);
    verso__blas_keep_triangle(sum, true, 0);
    verso__blas_add(cells, 1, sum);
    verso__blas_multiply(1, verso__blas_adjoint(l), y, 0, thin);
    verso__blas_multiply(-1, thin, verso__blas_adjoint(z), 0, sum);
    verso__blas_keep_triangle(sum, false, 1);
    verso__blas_add(cells, 1, sum);
}

static void getrs_record(blas_call *c) {
    lu_call s = read_lu(c);
    keep_factors(c, &s);
}

static void getrs_recorded(blas_call *c) {
    verso__blas_keep(c, read_lu(c).b);
}

static void getrs_sweep(blas_call *c) {
    lu_call s = read_lu(c);
    lu lu = take_factors(c, &s);
    matrix x = verso__blas_take(c, s.b).at, w = verso__blas_cells(s.b).at;
    verso__blas_lu_solve(lu, adjoint_flag(s.flag), w);
    sweep_factors(lu, s.flag, w, x, verso__blas_cells(s.a).at);
}

/* Returns the tangent of op(A) times x, for tangents of the factors. */
static matrix changed_product(lu lu, matrix cells, char flag, matrix x) {
    int64_t n = x.rows;
    matrix l = verso__blas_lower_of(lu.f, false), u = verso__blas_upper_of(lu.f);
    matrix dl = verso__blas_lower_of(cells, true), du = verso__blas_upper_of(cells);
    matrix thin = verso__blas_new(x.type, n, x.cols), sum = verso__blas_new(x.type, n, x.cols);
    if (flag == 'n') {
        verso__blas_multiply(1, u, x, 0, thin);
        verso__blas_multiply(1, dl, thin, 0, sum);
        verso__blas_multiply(1, du, x, 0, thin);
        verso__blas_multiply(1, l, thin, 1, sum);
        verso__blas_exchange(sum, lu.pivots, n, true);
        return sum;
    }
    matrix turned = verso__blas_new_copy(x);
    verso__blas_exchange(turned, lu.pivots, n, false);
    verso__blas_multiply(1, verso__blas_op(dl, flag), turned, 0, thin);
    verso__blas_multiply(1, verso__blas_op(u, flag), thin, 0, sum);
    verso__blas_multiply(1, verso__blas_op(l, flag), turned, 0, thin);
    verso__blas_multiply(1, verso__blas_op(du, flag), thin, 1, sum);
    return sum;
}

static void getrs_tangent_end(blas_call *c) {
    lu_call s = read_lu(c);
    lu lu = {s.a.at, s.pivots};
    matrix tangent = verso__blas_cells(s.b).at;
    verso__blas_add(tangent, -1, changed_product(lu, verso__blas_cells(s.a).at, s.flag, s.b.at));
    verso__blas_lu_solve(lu, s.flag, tangent);
}

const verso__blas_rule verso__blas_getrs_rule = {
    .record = getrs_record, .recorded = getrs_recorded, .sweep = getrs_sweep, .tangent_end = getrs_tangent_end};

/* ---- gesv ---- */

static void gesv_recorded(blas_call *c) {
    lu_call s = read_lu(c);
    keep_factors(c, &s);
    verso__blas_keep(c, s.b);
}

/* Programs rarely use the factors that gesv leaves; otherwise this is getrs and getrf. */
static void gesv_sweep(blas_call *c) {
    lu_call s = read_lu(c);
    lu lu = take_factors(c, &s);
    matrix x = verso__blas_take(c, s.b).at, w = verso__blas_cells(s.b).at, cells = verso__blas_cells(s.a).at;
    bool unused = verso__blas_is_zero(cells);
    verso__blas_lu_solve(lu, 'c', w);
    if (unused) {
        verso__blas_multiply(-1, w, verso__blas_adjoint(x), 0, cells);
        return;
    }
    sweep_factors(lu, 'n', w, x, cells);
    verso__blas_lu_sweep(lu, cells);
}

static void gesv_tangent_end(blas_call *c) {
    lu_call s = read_lu(c);
    lu lu = {s.a.at, s.pivots};
    matrix cells = verso__blas_cells(s.a).at, tangent = verso__blas_cells(s.b).at;
    verso__blas_multiply(-1, cells, s.b.at, 1, tangent);
    verso__blas_lu_solve(lu, 'n', tangent);
    verso__blas_lu_tangent(lu, cells);
}

const verso__blas_rule verso__blas_gesv_rule = {
    .recorded = gesv_recorded, .sweep = gesv_sweep, .tangent_end = gesv_tangent_end};
