/* The bars of one instruction. In the reverse direction, y += e(x) becomes y -= e(x) and x_bar += y_bar * de/dx.
 * The partial derivatives are computed from values that the expression needs anyway, as constants of the block;
 * nothing is stored, and nothing is computed backwards. */
#include "rev/derivatives.h"
#include "rev/passes.h"

#include <string.h>

/* An expression with the values of its parts, which get names if they are used again. */
typedef struct node {
    const rev_expr *e;
    rev_expr *value;
    struct node **parts; /* NULL: a variable or constant, or there is no derivative */
    bool active;
} node;

static node *evaluate(rev_lowering *l, const rev_expr *e);
static void push(rev_lowering *l, const node *n, rev_expr *seed, bool negative);

/* ---- Names for values ---- */

rev_variable *rev_name_value(rev_lowering *l, rev_expr *value, const rev_type *type) {
    const char *name = rev_format(l->unit, "rev__t%u", ++l->unit->names);
    rev_variable *variable = rev_variable_new(l->unit, name, rev_type_plain(l->unit, type), REV_TEMPORARY, l->place);
    rev_statement *statement = rev_s_new(l->unit, REV_S_DECLARE, l->place);
    statement->variable = variable;
    statement->value = value;
    statement->flag = true;
    rev_block_add(l->unit, l->out, statement);
    return variable;
}

/* True if the expression can be evaluated again at no cost. */
static bool is_cheap(const rev_expr *e) {
    if (e->kind == REV_E_UNARY && e->name[0] == '-')
        return is_cheap(e->parts[0]);
    return rev_e_is_simple(e) || rev_e_is_place(e);
}

static const rev_type *type_to_name(rev_unit *unit, const rev_expr *e) {
    return e->type->kind == REV_OTHER || e->type->kind == REV_INTEGER ? rev_type_basic(unit, REV_DOUBLE) : e->type;
}

static rev_expr *named(rev_lowering *l, rev_expr *e) {
    if (is_cheap(e))
        return e;
    return rev_e_name(l->unit, rev_name_value(l, e, type_to_name(l->unit, e)));
}

void rev_emit_assign(rev_lowering *l, rev_expr *target, const char *op, rev_expr *value) {
    rev_statement *statement = rev_s_new(l->unit, REV_S_ASSIGN, l->place);
    statement->target = target;
    statement->op = op;
    statement->value = value;
    rev_block_add(l->unit, l->out, statement);
}

/* ---- Values ---- */

static node *new_node(rev_lowering *l, const rev_expr *e) {
    node *n = rev_alloc(l->unit, 1, sizeof *n);
    n->e = e;
    n->value = (rev_expr *)(uintptr_t)e;
    n->active = rev_has_active(e);
    return n;
}

static void evaluate_parts(rev_lowering *l, node *n) {
    n->parts = rev_alloc(l->unit, n->e->count, sizeof *n->parts);
    for (size_t i = 0; i < n->e->count; i++)
        n->parts[i] = evaluate(l, n->e->parts[i]);
}

static rev_expr *with_parts(rev_lowering *l, const node *n) {
    rev_expr **parts = rev_alloc(l->unit, n->e->count, sizeof *parts);
    for (size_t i = 0; i < n->e->count; i++)
        parts[i] = n->parts[i]->value;
    return rev_e_like(l->unit, n->e, parts);
}

static void evaluate_binary(rev_lowering *l, node *n) {
    node *a = n->parts[0], *b = n->parts[1];
    bool product = n->e->name[0] == '*', quotient = n->e->name[0] == '/';
    bool logs = n->e->type->kind == REV_ULOG;
    if (product && !logs && b->active)
        a->value = named(l, a->value);
    if ((product && !logs && a->active) || (quotient && !logs))
        b->value = named(l, b->value);
    n->value = with_parts(l, n);
    if (quotient && !logs && b->active)
        n->value = named(l, n->value);
}

static node *evaluate(rev_lowering *l, const rev_expr *e) {
    node *n = new_node(l, e);
    if (!n->active || rev_e_is_place(e) || e->kind == REV_E_CHOICE)
        return n;
    evaluate_parts(l, n);
    if (e->kind == REV_E_BINARY) {
        evaluate_binary(l, n);
    } else if (e->kind == REV_E_CALL) {
        for (size_t i = 0; i < e->count; i++)
            if (n->parts[i]->active)
                n->parts[i]->value = named(l, n->parts[i]->value);
        n->value = named(l, with_parts(l, n));
    } else {
        n->value = with_parts(l, n);
    }
    return n;
}

/* ---- Bars ---- */

/* Returns seed * factor; a complex factor is conjugated, because bars are dL/dRe + i dL/dIm. */
static rev_expr *times(rev_lowering *l, rev_expr *seed, rev_expr *factor) {
    if (rev_is_complex(factor->type) && rev_is_complex(seed->type)) {
        rev_expr *both[] = {seed, factor};
        return rev_e_call(l->unit, "rev_times_conj", rev_type_basic(l->unit, REV_COMPLEX), both, 2);
    }
    if (rev_is_complex(factor->type))
        factor = rev_e_call1(l->unit, "conj", factor->type, factor);
    if (rev_e_is_number(seed, "1"))
        return factor;
    return rev_e_binary(l->unit, "*", seed, factor);
}

static rev_expr *share(rev_lowering *l, rev_expr *seed, const node *a, const node *b) {
    return a->active && b->active ? named(l, seed) : seed;
}

/* Returns whether this instruction has already added to the same bar, and sets *at to that statement. Only
 * declarations and additions to other bars may follow it. */
static bool was_added_before(rev_lowering *l, const rev_expr *bar, size_t *at) {
    for (size_t k = l->out->count; k-- > 0;) {
        const rev_statement *s = l->out->items[k];
        if (s->kind == REV_S_DECLARE)
            continue;
        const rev_variable *root = s->kind == REV_S_ASSIGN && s->op[1] == '=' ? rev_e_root(s->target) : NULL;
        if (!root || !root->of)
            return false;
        *at = k;
        if (rev_e_same(s->target, bar))
            return true;
    }
    return false;
}

/* Merges two additions to one bar, because atomic additions are expensive. */
static bool add_together(rev_lowering *l, const rev_expr *bar, rev_expr *seed, bool negative) {
    size_t at = 0;
    if (!rev_e_root(bar)->shared || !was_added_before(l, bar, &at))
        return false;
    rev_statement *s = l->out->items[at];
    s->value = rev_e_binary(l->unit, (s->op[0] == '-') == negative ? "+" : "-", s->value, seed);
    for (size_t k = at; k + 1 < l->out->count; k++)
        l->out->items[k] = l->out->items[k + 1];
    l->out->items[l->out->count - 1] = s;
    return true;
}

static void push_to_place(rev_lowering *l, const node *n, rev_expr *seed, bool negative) {
    rev_expr *bar = rev_shadow(l->unit, n->e, rev_bar);
    if (rev_is_complex(seed->type) && !rev_is_complex(bar->type))
        seed = rev_e_call1(l->unit, "creal", rev_type_basic(l->unit, REV_DOUBLE), seed);
    if (!add_together(l, bar, seed, negative))
        rev_emit_assign(l, bar, negative ? "-=" : "+=", seed);
}

static void push_product(rev_lowering *l, const node *n, rev_expr *seed, bool negative) {
    node *a = n->parts[0], *b = n->parts[1];
    if (a->active && b->active && rev_e_same(a->e, b->e)) {
        push(l, a, times(l, rev_e_binary(l->unit, "*", rev_e_number(l->unit, "2"), seed), a->value), negative);
        return;
    }
    seed = share(l, seed, a, b);
    if (a->active)
        push(l, a, times(l, seed, b->value), negative);
    if (b->active)
        push(l, b, times(l, seed, a->value), negative);
}

static rev_expr *over(rev_lowering *l, rev_expr *seed, rev_expr *under) {
    if (rev_is_complex(under->type))
        under = rev_e_call1(l->unit, "conj", under->type, under);
    return rev_e_binary(l->unit, "/", seed, under);
}

static void push_quotient(rev_lowering *l, const node *n, rev_expr *seed, bool negative) {
    node *a = n->parts[0], *b = n->parts[1];
    rev_expr *part = share(l, over(l, seed, b->value), a, b);
    if (a->active)
        push(l, a, part, negative);
    if (b->active)
        push(l, b, times(l, part, n->value), !negative);
}

static void push_binary(rev_lowering *l, const node *n, rev_expr *seed, bool negative) {
    node *a = n->parts[0], *b = n->parts[1];
    char op = n->e->name[0];
    bool logs = n->e->type->kind == REV_ULOG; /* products of log numbers are sums of logarithms */
    if (op == '*' && !logs) {
        push_product(l, n, seed, negative);
    } else if (op == '/' && !logs) {
        push_quotient(l, n, seed, negative);
    } else {
        seed = share(l, seed, a, b);
        if (a->active)
            push(l, a, seed, negative);
        if (b->active)
            push(l, b, seed, op == '-' || op == '/' ? !negative : negative);
    }
}

/* The functions that are not analytic have their own rules. */
static void push_not_analytic(rev_lowering *l, const node *n, rev_expr *seed, bool negative) {
    const char *name = n->e->name;
    rev_unit *unit = l->unit;
    rev_expr *z = n->parts[0]->value;
    const rev_type *complex_type = rev_is_complex(z->type) ? z->type : rev_type_basic(unit, REV_COMPLEX);
    rev_expr *i = rev_e_number(unit, "1");
    i = rev_alloc(unit, 1, sizeof *i);
    *i = (rev_expr){.kind = REV_E_NAME, .name = "I", .type = complex_type};
    if (strncmp(name, "conj", 4) == 0)
        seed = rev_is_complex(seed->type) ? rev_e_call1(unit, "conj", seed->type, seed) : seed;
    else if (strncmp(name, "cimag", 5) == 0)
        seed = rev_e_binary(unit, "*", seed, i);
    else if (strncmp(name, "cabs", 4) == 0)
        seed = rev_e_binary(unit, "*", seed, rev_e_binary(unit, "/", z, n->value));
    else if (strncmp(name, "carg", 4) == 0)
        seed = rev_e_binary(unit, "/", rev_e_binary(unit, "*", seed, rev_e_binary(unit, "*", i, z)),
                            rev_e_binary(unit, "*", z, rev_e_call1(unit, "conj", complex_type, z)));
    push(l, n->parts[0], seed, negative);
}

static void push_call(rev_lowering *l, const node *n, rev_expr *seed, bool negative) {
    if (rev_is_not_analytic(n->e->name)) {
        push_not_analytic(l, n, seed, negative);
        return;
    }
    rev_expr **arguments = rev_alloc(l->unit, n->e->count, sizeof *arguments);
    size_t active = 0;
    for (size_t i = 0; i < n->e->count; i++) {
        arguments[i] = n->parts[i]->value;
        active += n->parts[i]->active;
    }
    rev_expr *call = rev_e_call(l->unit, n->e->name, n->e->type, arguments, n->e->count);
    call->place = n->e->place;
    if (active == 0)
        rev_partial(l->program, call, 0, n->value); /* it reads through a pointer: refuses it */
    if (active > 1)
        seed = named(l, seed);
    for (size_t i = 0; i < n->e->count; i++) {
        rev_expr *partial = n->parts[i]->active ? rev_partial(l->program, call, i, n->value) : NULL;
        if (partial)
            push(l, n->parts[i], times(l, seed, partial), negative);
    }
}

/* c ? a : b: adds to bars only in the branch that was taken. */
static void push_choice(rev_lowering *l, const node *n, rev_expr *seed, bool negative) {
    seed = named(l, seed);
    rev_statement *choice = rev_s_new(l->unit, REV_S_IF, l->place);
    rev_block *out = l->out;
    choice->value = n->e->parts[0];
    rev_block **arms[] = {&choice->body, &choice->other};
    for (size_t i = 0; i < 2; i++) {
        l->out = *arms[i] = rev_block_new(l->unit, l->place);
        if (rev_has_active(n->e->parts[i + 1]))
            rev_push_bars(l, n->e->parts[i + 1], seed, negative);
    }
    l->out = out;
    rev_block_add(l->unit, out, choice);
}

static void push(rev_lowering *l, const node *n, rev_expr *seed, bool negative) {
    if (rev_is_complex(seed->type) && !rev_is_complex(n->e->type)) /* the real part of something complex */
        seed = rev_e_call1(l->unit, "creal", rev_type_basic(l->unit, REV_DOUBLE), seed);
    if (rev_e_is_place(n->e)) {
        push_to_place(l, n, seed, negative);
        return;
    }
    switch (n->e->kind) {
    case REV_E_UNARY: push(l, n->parts[0], seed, n->e->name[0] == '-' ? !negative : negative); break;
    case REV_E_BINARY: push_binary(l, n, seed, negative); break;
    case REV_E_CALL: push_call(l, n, seed, negative); break;
    case REV_E_CAST: push(l, n->parts[0], seed, negative); break;
    case REV_E_CHOICE: push_choice(l, n, seed, negative); break;
    default: break;
    }
}

void rev_push_bars(rev_lowering *l, const rev_expr *value, rev_expr *seed, bool negative) {
    if (rev_has_active(value))
        push(l, evaluate(l, value), seed, negative);
}

static size_t count_active(const rev_expr *e) {
    if (rev_e_is_place(e))
        return rev_is_active_place(e);
    size_t count = 0;
    for (size_t i = 0; i < e->count; i++)
        count += count_active(e->parts[i]);
    return count;
}

void rev_lower_update(rev_lowering *l, rev_expr *target, const char *op, rev_expr *value) {
    bool derives = l->bars && rev_is_active_place(target) && rev_has_active(value);
    if (!derives) {
        rev_emit_assign(l, target, op, value);
        return;
    }
    node *n = evaluate(l, value);
    rev_emit_assign(l, target, op, n->value);
    rev_expr *seed = rev_shadow(l->unit, target, rev_bar);
    if (count_active(value) > 1)
        seed = rev_e_is_simple(seed) ? seed : rev_e_name(l->unit, rev_name_value(l, seed, seed->type));
    /* `op` undoes the instruction that is differentiated, so the sign is the opposite one */
    bool sums = strchr("+*", op[0]) != NULL;
    push(l, n, seed, sums);
}
