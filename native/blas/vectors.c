/* Rules of routines on vectors: level 1. */
#include "native/blas/inside.h"

#include <math.h>

typedef verso__blas_call blas_call;
typedef verso__blas_operand operand;
typedef verso__blas_matrix matrix;
typedef verso__blas_number number;

/* The arguments of the routine: its vectors, and which argument its first number is (-1: none). */
typedef struct vectors {
    operand x, y;
    bool two;
    int factor;
} vectors;

static vectors read_vectors(const blas_call *c) {
    int64_t n = c->argument[0].integer;
    switch ((int)c->routine) {
    case VERSO_BLAS_axpy: return (vectors){verso__blas_vector(c, 2, n), verso__blas_vector(c, 4, n), true, 1};
    case VERSO_BLAS_scal:
    case VERSO_BLAS_rscal: return (vectors){.x = verso__blas_vector(c, 2, n), .factor = 1};
    case VERSO_BLAS_nrm2:
    case VERSO_BLAS_asum: return (vectors){.x = verso__blas_vector(c, 1, n), .factor = -1};
    case VERSO_BLAS_rot: return (vectors){verso__blas_vector(c, 1, n), verso__blas_vector(c, 3, n), true, 5};
    default: return (vectors){verso__blas_vector(c, 1, n), verso__blas_vector(c, 3, n), true, -1};
    }
}

static bool is_product(const blas_call *c) {
    return c->routine == VERSO_BLAS_dot || c->routine == VERSO_BLAS_dotu || c->routine == VERSO_BLAS_dotc;
}

static void record(blas_call *c) {
    vectors v = read_vectors(c);
    bool factor = v.factor >= 0 && verso__blas_wants(c, (unsigned)v.factor);
    bool all = is_product(c) || c->routine == VERSO_BLAS_nrm2 || c->routine == VERSO_BLAS_asum;
    if (all || factor || c->routine == VERSO_BLAS_rot)
        verso__blas_keep(c, v.x);
    if (is_product(c) || c->routine == VERSO_BLAS_rot)
        verso__blas_keep(c, v.y);
}

/* ---- Results: returned, or at the address that is the last argument of CBLAS's complex products ---- */

static matrix result_cell(const blas_call *c) {
    operand at = {.at = {c->argument[c->count - 1].pointer, 1, 1, 1, 1, c->type, false}};
    return verso__blas_cells(at).at;
}

static bool answers_by_address(const blas_call *c) {
    return c->interface == VERSO_BLAS_C && (c->routine == VERSO_BLAS_dotu || c->routine == VERSO_BLAS_dotc);
}

static number result_adjoint(const blas_call *c) {
    if (answers_by_address(c)) {
        matrix cell = result_cell(c);
        number adjoint = verso__blas_get(cell, 0, 0);
        verso__blas_set(cell, 0, 0, 0);
        return adjoint;
    }
    bool two = verso__blas_is_complex(c->type) && is_product(c);
    return verso__blas_complex(c->call->result[0], two ? c->call->result[1] : 0);
}

static void set_result_tangent(const blas_call *c, number tangent) {
    if (answers_by_address(c)) {
        verso__blas_set(result_cell(c), 0, 0, tangent);
        return;
    }
    c->call->result[0] = creal(tangent);
    if (verso__blas_is_complex(c->type) && is_product(c))
        c->call->result[1] = cimag(tangent);
}

/* ---- Sums of absolute values ---- */

static double sign(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/* Returns a new vector of signs, of both parts of complex numbers. */
static matrix signs_of(matrix x) {
    matrix made = verso__blas_new_copy(x);
    for (int64_t i = 0; i < x.rows; i++) {
        number value = verso__blas_get(x, i, 0);
        verso__blas_set(made, i, 0, verso__blas_complex(sign(creal(value)), sign(cimag(value))));
    }
    return made;
}

/* Returns a new vector g with d result = re(conj(g) dx). */
static matrix slope_of(const blas_call *c, matrix x) {
    if (c->routine == VERSO_BLAS_asum)
        return signs_of(x);
    matrix made = verso__blas_new_copy(x);
    double largest = 0, sum = 0;
    for (int64_t i = 0; i < x.rows; i++)
        largest = fmax(largest, cabs(verso__blas_get(x, i, 0)));
    if (largest == 0)
        return made;
    for (int64_t i = 0; i < x.rows; i++)
        sum += pow(cabs(verso__blas_get(x, i, 0)) / largest, 2);
    for (int64_t i = 0; i < x.rows; i++)
        verso__blas_set(made, i, 0, verso__blas_get(x, i, 0) / largest / sqrt(sum));
    return made;
}

/* ---- The sweep ---- */

static void sweep_product(blas_call *c, const vectors *v, operand x, operand y) {
    number result = result_adjoint(c);
    matrix xs = verso__blas_take(c, v->x).at, ys = verso__blas_take(c, v->y).at;
    bool conjugates = c->routine == VERSO_BLAS_dotc;
    verso__blas_add(x.at, conjugates ? conj(result) : result, conjugates ? ys : verso__blas_op(ys, 'r'));
    verso__blas_add(y.at, result, conjugates ? xs : verso__blas_op(xs, 'r'));
}

static void rotate(matrix x, matrix y, double c, double s) {
    matrix old = verso__blas_new_copy(x);
    verso__blas_scale(x, c);
    verso__blas_add(x, s, y);
    verso__blas_scale(y, c);
    verso__blas_add(y, -s, old);
}

static void sweep_rotation(blas_call *c, const vectors *v, operand x, operand y) {
    matrix xs = verso__blas_take(c, v->x).at, ys = verso__blas_take(c, v->y).at;
    verso__blas_add_number(c, 5, creal(verso__blas_dot(xs, x.at) + verso__blas_dot(ys, y.at)));
    verso__blas_add_number(c, 6, creal(verso__blas_dot(ys, x.at) - verso__blas_dot(xs, y.at)));
    rotate(x.at, y.at, creal(c->argument[5].number), -creal(c->argument[6].number));
}

static void swap(matrix x, matrix y) {
    matrix old = verso__blas_new_copy(x);
    verso__blas_copy(x, y);
    verso__blas_copy(y, old);
}

static void sweep_factor(blas_call *c, const vectors *v, matrix adjoint) {
    if (!verso__blas_wants(c, (unsigned)v->factor))
        return;
    number sum = verso__blas_dot(verso__blas_take(c, v->x).at, adjoint);
    verso__blas_add_number(c, (unsigned)v->factor, c->routine == VERSO_BLAS_rscal ? creal(sum) : sum);
}

static void sweep(blas_call *c) {
    vectors v = read_vectors(c);
    operand x = verso__blas_cells(v.x), y = v.two ? verso__blas_cells(v.y) : v.x;
    number factor = v.factor >= 0 ? conj(c->argument[v.factor].number) : 0;
    switch ((int)c->routine) {
    case VERSO_BLAS_axpy:
        sweep_factor(c, &v, y.at);
        verso__blas_add(x.at, factor, y.at);
        break;
    case VERSO_BLAS_scal:
    case VERSO_BLAS_rscal:
        sweep_factor(c, &v, x.at);
        verso__blas_scale(x.at, factor);
        break;
    case VERSO_BLAS_copy:
        verso__blas_add(x.at, 1, y.at);
        verso__blas_scale(y.at, 0);
        break;
    case VERSO_BLAS_swap: swap(x.at, y.at); break;
    case VERSO_BLAS_rot: sweep_rotation(c, &v, x, y); break;
    case VERSO_BLAS_nrm2:
    case VERSO_BLAS_asum: verso__blas_add(x.at, result_adjoint(c), slope_of(c, verso__blas_take(c, v.x).at)); break;
    default: sweep_product(c, &v, x, y);
    }
}

/* ---- Tangents ---- */

static void tangent_product(blas_call *c, const vectors *v, operand x, operand y) {
    matrix left = v->x.at, tangent = x.at;
    if (c->routine != VERSO_BLAS_dotc) { /* the sum is that of conj(conj(x)) y */
        left = verso__blas_op(left, 'r');
        tangent = verso__blas_op(tangent, 'r');
    }
    set_result_tangent(c, verso__blas_dot(tangent, v->y.at) + verso__blas_dot(left, y.at));
}

static void tangent_rotation(blas_call *c, const vectors *v, operand x, operand y) {
    double cosine = creal(verso__blas_number_tangent(c, 5)), sine = creal(verso__blas_number_tangent(c, 6));
    rotate(x.at, y.at, creal(c->argument[5].number), creal(c->argument[6].number));
    verso__blas_add(x.at, cosine, v->x.at);
    verso__blas_add(x.at, sine, v->y.at);
    verso__blas_add(y.at, cosine, v->y.at);
    verso__blas_add(y.at, -sine, v->x.at);
}

static void tangent(blas_call *c) {
    vectors v = read_vectors(c);
    operand x = verso__blas_cells(v.x), y = v.two ? verso__blas_cells(v.y) : v.x;
    number factor = v.factor >= 0 ? c->argument[v.factor].number : 0;
    number change = v.factor >= 0 ? verso__blas_number_tangent(c, (unsigned)v.factor) : 0;
    switch ((int)c->routine) {
    case VERSO_BLAS_axpy:
        verso__blas_add(y.at, factor, x.at);
        verso__blas_add(y.at, change, v.x.at);
        break;
    case VERSO_BLAS_scal:
    case VERSO_BLAS_rscal:
        verso__blas_scale(x.at, factor);
        verso__blas_add(x.at, change, v.x.at);
        break;
    case VERSO_BLAS_copy: verso__blas_copy(y.at, x.at); break;
    case VERSO_BLAS_swap: swap(x.at, y.at); break;
    case VERSO_BLAS_rot: tangent_rotation(c, &v, x, y); break;
    case VERSO_BLAS_nrm2:
    case VERSO_BLAS_asum: set_result_tangent(c, creal(verso__blas_dot(slope_of(c, v.x.at), x.at))); break;
    default: tangent_product(c, &v, x, y);
    }
}

const verso__blas_rule verso__blas_vector_rule = {.record = record, .sweep = sweep, .tangent = tangent};
