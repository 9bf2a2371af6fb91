/* The rule of everything that is a product: see products.h. With C' the adjoint of the result, the adjoint of the left
 * side is conj(alpha) C' right^H, and that of the right side conj(alpha) left^H C'. */
#include "native/blas/products.h"

typedef verso__blas_call blas_call;
typedef verso__blas_operand operand;
typedef verso__blas_product product;
typedef verso__blas_matrix matrix;
typedef verso__blas_number number;
typedef verso__blas_term term;

static number beta_of(const blas_call *c, const product *p) {
    return p->beta >= 0 ? c->argument[p->beta].number : p->in_place ? 0 : 1;
}

static number alpha_of(const blas_call *c, const product *p, const term *t) {
    number alpha = p->alpha >= 0 ? c->argument[p->alpha].number : 1;
    return t->conjugate ? conj(alpha) : alpha;
}

/* A factor of 0 means that what was there is not read: it has no derivative. */
static bool wants_beta(const blas_call *c, const product *p) {
    return p->beta >= 0 && beta_of(c, p) != 0 && verso__blas_wants(c, (unsigned)p->beta);
}

static bool wants_alpha(const blas_call *c, const product *p) {
    return p->alpha >= 0 && verso__blas_wants(c, (unsigned)p->alpha);
}

static bool is_whole(const operand *o) {
    return o->storage == VERSO_BLAS_FULL && o->shape == VERSO_BLAS_GENERAL;
}

static void record(blas_call *c) {
    product p;
    verso__blas_describe(c, &p);
    for (int i = 0; i < p.factors; i++)
        verso__blas_keep(c, p.factor[i]);
    if (wants_beta(c, &p))
        verso__blas_keep(c, p.out);
}

/* ---- The sweep ---- */

/* Adds by * left right, the adjoint of op(factor), to the cells of the factor. If `values` is not NULL, it is
 * op(factor), and the sum of conj(values) left right is returned. */
static number pass_on(operand cells, char flag, number by, matrix left, matrix right, const matrix *values) {
    bool conjugates = flag == 'c' && verso__blas_is_complex(cells.at.type);
    if (values == NULL && is_whole(&cells)) {
        matrix target = flag == 'n' ? cells.at : verso__blas_transposed(cells.at);
        if (conjugates)
            verso__blas_multiply(conj(by), verso__blas_op(left, 'r'), verso__blas_op(right, 'r'), 1, target);
        else
            verso__blas_multiply(by, left, right, 1, target);
        return 0;
    }
    matrix sum = verso__blas_new(cells.at.type, left.rows, right.cols);
    verso__blas_multiply(1, left, right, 0, sum);
    number answer = values != NULL ? verso__blas_dot(*values, sum) : 0;
    verso__blas_spread(cells, conjugates ? conj(by) : by, verso__blas_op(sum, flag));
    return answer;
}

static void sweep_term(const blas_call *c, const product *p, const term *t, const matrix *dense, matrix out) {
    number alpha = alpha_of(c, p, t);
    matrix left = verso__blas_op(dense[t->left], t->left_flag), right = verso__blas_op(dense[t->right], t->right_flag);
    bool wanted = wants_alpha(c, p);
    number sum = pass_on(verso__blas_cells(p->factor[t->left]), t->left_flag, conj(alpha), out,
                         verso__blas_adjoint(right), wanted ? &left : NULL);
    pass_on(verso__blas_cells(p->factor[t->right]), t->right_flag, conj(alpha), verso__blas_adjoint(left), out, NULL);
    if (wanted)
        verso__blas_add_number(c, (unsigned)p->alpha, t->conjugate ? conj(sum) : sum);
}

static void sweep(blas_call *c) {
    product p;
    matrix dense[2];
    verso__blas_describe(c, &p);
    for (int i = 0; i < p.factors; i++)
        dense[i] = verso__blas_dense(verso__blas_take(c, p.factor[i]), false);
    operand cells = verso__blas_cells(p.out);
    matrix out = is_whole(&cells) && !p.in_place ? cells.at : verso__blas_stored(cells);
    if (p.in_place)
        verso__blas_scale_stored(cells, 0);
    for (int i = 0; i < p.terms; i++)
        sweep_term(c, &p, &p.term[i], dense, out);
    if (wants_beta(c, &p)) {
        matrix before = verso__blas_stored(verso__blas_take(c, p.out));
        verso__blas_add_number(c, (unsigned)p.beta, verso__blas_dot(before, out));
    }
    if (!p.in_place)
        verso__blas_scale_stored(cells, conj(beta_of(c, &p)));
}

/* ---- Tangents ---- */

static void tangent_term(const blas_call *c, const product *p, const term *t, matrix sum) {
    number alpha = alpha_of(c, p, t);
    matrix left = verso__blas_op(verso__blas_dense(p->factor[t->left], false), t->left_flag);
    matrix right = verso__blas_op(verso__blas_dense(p->factor[t->right], false), t->right_flag);
    matrix cells = verso__blas_dense(verso__blas_cells(p->factor[t->left]), true);
    verso__blas_multiply(alpha, verso__blas_op(cells, t->left_flag), right, 1, sum);
    cells = verso__blas_dense(verso__blas_cells(p->factor[t->right]), true);
    verso__blas_multiply(alpha, left, verso__blas_op(cells, t->right_flag), 1, sum);
    number change = p->alpha >= 0 ? verso__blas_number_tangent(c, (unsigned)p->alpha) : 0;
    if (change != 0)
        verso__blas_multiply(t->conjugate ? conj(change) : change, left, right, 1, sum);
}

static void tangent(blas_call *c) {
    product p;
    verso__blas_describe(c, &p);
    operand cells = verso__blas_cells(p.out);
    matrix sum = verso__blas_new(c->type, p.out.at.rows, p.out.at.cols);
    for (int i = 0; i < p.terms; i++)
        tangent_term(c, &p, &p.term[i], sum);
    number change = wants_beta(c, &p) ? verso__blas_number_tangent(c, (unsigned)p.beta) : 0;
    if (change != 0)
        verso__blas_add(sum, change, verso__blas_stored(p.out));
    verso__blas_store(cells, beta_of(c, &p), sum);
}

const verso__blas_rule verso__blas_product_rule = {.record = record, .sweep = sweep, .tangent = tangent};
