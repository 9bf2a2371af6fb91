/* The tangent of an irreversible tree: computes, next to each value, its derivative along one direction. The
 * tangent of a forward function is the Jacobian-vector product, that of an adjoint the Hessian-vector product. A
 * derivative is computed before the assignment that changes its value, from the old values. */
#include "rev/derivatives.h"
#include "rev/passes.h"

#include <string.h>

typedef struct tangent {
    rev_unit *unit;
    rev_program *program;
    rev_lowering l; /* for rev_name_value */
} tangent;

static rev_expr *dot(tangent *t, const rev_expr *e);
static rev_block *block_of(tangent *t, const rev_block *block);

/* ---- Sums and products, in which NULL stands for zero ---- */

static rev_expr *product(tangent *t, rev_expr *a, rev_expr *b) {
    return a && b ? rev_e_binary(t->unit, "*", a, b) : NULL;
}

static rev_expr *quotient(tangent *t, rev_expr *a, rev_expr *b) {
    return a ? rev_e_binary(t->unit, "/", a, b) : NULL;
}

static rev_expr *sum(tangent *t, rev_expr *a, rev_expr *b) {
    return a && b ? rev_e_binary(t->unit, "+", a, b) : a ? a : b;
}

static rev_expr *difference(tangent *t, rev_expr *a, rev_expr *b) {
    return a && b ? rev_e_binary(t->unit, "-", a, b) : b ? rev_e_unary(t->unit, "-", b) : a;
}

/* ---- Derivatives of expressions ---- */

static rev_expr *dot_of_binary(tangent *t, const rev_expr *e, rev_expr *value) {
    rev_expr *a = e->parts[0], *b = e->parts[1], *da = dot(t, a), *db = dot(t, b);
    bool logs = e->type->kind == REV_ULOG;
    switch (e->name[0]) {
    case '+': return sum(t, da, db);
    case '-': return difference(t, da, db);
    case '*':
        if (logs)
            return sum(t, da, db);
        if (rev_e_same(a, b))
            return product(t, rev_e_binary(t->unit, "*", rev_e_number(t->unit, "2"), a), da);
        return sum(t, product(t, da, b), product(t, a, db));
    case '/': return logs ? difference(t, da, db) : quotient(t, difference(t, da, product(t, value, db)), b);
    default: return NULL;
    }
}

static rev_expr *call1(tangent *t, const char *name, rev_kind kind, rev_expr *a) {
    return rev_e_call1(t->unit, name, rev_type_basic(t->unit, kind), a);
}

static rev_expr *dot_not_analytic(tangent *t, const rev_expr *e, rev_expr *value) {
    rev_expr *z = e->parts[0], *dz = dot(t, z);
    if (!dz)
        return NULL;
    rev_expr *turned = rev_e_binary(t->unit, "*", call1(t, "conj", REV_COMPLEX, z), dz);
    if (strncmp(e->name, "cabs", 4) == 0)
        return quotient(t, call1(t, "creal", REV_DOUBLE, turned), value);
    if (strncmp(e->name, "carg", 4) == 0)
        return quotient(t, call1(t, "cimag", REV_DOUBLE, turned),
                        call1(t, "creal", REV_DOUBLE, rev_e_binary(t->unit, "*", call1(t, "conj", REV_COMPLEX, z), z)));
    if (strncmp(e->name, "cproj", 5) == 0)
        return dz;
    return rev_e_call1(t->unit, e->name, e->type, dz);
}

/* a conj(b), as in the adjoint */
static rev_expr *times_conj(tangent *t, rev_expr *a, rev_expr *b) {
    rev_expr *both[] = {a, b};
    return a && b ? rev_e_call(t->unit, "rev_times_conj", rev_type_basic(t->unit, REV_COMPLEX), both, 2) : NULL;
}

static rev_expr *dot_of_call(tangent *t, const rev_expr *e, rev_expr *value) {
    if (rev_is_flat(e->name))
        return NULL;
    if (rev_is_not_analytic(e->name))
        return dot_not_analytic(t, e, value);
    rev_expr *all = NULL;
    if (strcmp(e->name, "rev_times_conj") == 0)
        return sum(t, times_conj(t, dot(t, e->parts[0]), e->parts[1]), times_conj(t, e->parts[0], dot(t, e->parts[1])));
    for (size_t i = 0; i < e->count; i++) {
        rev_expr *d = dot(t, e->parts[i]);
        rev_expr *partial = d ? rev_partial(t->program, e, i, value) : NULL;
        if (partial)
            all = sum(t, all, product(t, partial, d));
    }
    return all;
}

static rev_expr *or_zero(tangent *t, rev_expr *e) {
    return e ? e : rev_e_number(t->unit, "0");
}

static rev_expr *dot_of(tangent *t, const rev_expr *e, rev_expr *value) {
    switch (e->kind) {
    case REV_E_UNARY: {
        rev_expr *d = e->name[0] == '-' ? dot(t, e->parts[0]) : NULL;
        return d ? rev_e_unary(t->unit, "-", d) : NULL;
    }
    case REV_E_BINARY: return dot_of_binary(t, e, value);
    case REV_E_CALL: return dot_of_call(t, e, value);
    case REV_E_CAST: {
        rev_expr *d = dot(t, e->parts[0]);
        return d ? rev_e_cast(t->unit, rev_type_of_shadow(t->unit, e->type), d) : NULL;
    }
    case REV_E_CHOICE: {
        rev_expr *a = dot(t, e->parts[1]), *b = dot(t, e->parts[2]);
        return a || b ? rev_e_choice(t->unit, e->parts[0], or_zero(t, a), or_zero(t, b)) : NULL;
    }
    default: return NULL;
    }
}

static rev_expr *dot(tangent *t, const rev_expr *e) {
    if (!rev_has_active(e))
        return NULL;
    if (rev_e_is_place(e))
        return rev_shadow(t->unit, e, rev_dot);
    return dot_of(t, e, (rev_expr *)(uintptr_t)e);
}

/* ---- Names for values that their derivatives use ---- */

static void declare_dot(tangent *t, rev_variable *variable, rev_expr *value, bool constant) {
    rev_statement *statement = rev_s_new(t->unit, REV_S_DECLARE, t->l.place);
    statement->variable = rev_dot(t->unit, variable);
    statement->value = value;
    statement->flag = constant;
    rev_block_add(t->unit, t->l.out, statement);
}

/* Declares a variable with this value, and its dot unless the derivative is zero. */
static rev_expr *name_with_dot(tangent *t, rev_expr *value) {
    const rev_type *type = value->type->kind == REV_OTHER ? rev_type_basic(t->unit, REV_DOUBLE) : value->type;
    rev_variable *variable = rev_name_value(&t->l, value, type);
    rev_expr *name = rev_e_name(t->unit, variable);
    rev_expr *d = dot_of(t, value, name);
    variable->active = d != NULL;
    if (d)
        declare_dot(t, variable, d, true);
    return name;
}

static void tangent_of(tangent *t, const rev_statement *s);

static bool has_call(const rev_expr *e) {
    bool found = e->kind == REV_E_CALL || (e->kind == REV_E_BINARY && e->name[0] == '/');
    for (size_t i = 0; i < e->count && !found; i++)
        found = has_call(e->parts[i]);
    return found;
}

static rev_block *assigning(tangent *t, rev_variable *variable, rev_expr *value) {
    rev_block *block = rev_block_new(t->unit, t->l.place);
    rev_statement *assign = rev_s_new(t->unit, REV_S_ASSIGN, t->l.place);
    assign->target = rev_e_name(t->unit, variable);
    assign->op = "=";
    assign->value = value;
    rev_block_add(t->unit, block, assign);
    return block;
}

/* c ? a : b that contains calls becomes an `if`, so that only one of them is evaluated, and only once. */
static rev_expr *chosen(tangent *t, const rev_expr *e) {
    const char *name = rev_format(t->unit, "rev__t%u", ++t->unit->names);
    const rev_type *type = rev_type_plain(t->unit, e->type);
    rev_variable *variable = rev_variable_new(t->unit, name, type, REV_TEMPORARY, t->l.place);
    rev_statement *declare = rev_s_new(t->unit, REV_S_DECLARE, t->l.place);
    rev_statement *choice = rev_s_new(t->unit, REV_S_IF, t->l.place);
    declare->variable = variable;
    choice->value = e->parts[0];
    choice->body = assigning(t, variable, e->parts[1]);
    choice->other = assigning(t, variable, e->parts[2]);
    tangent_of(t, declare);
    tangent_of(t, choice);
    return rev_e_name(t->unit, variable);
}

/* Gives names to calls and quotients inside an expression, but not in the branches of ?:, of which only one is
 * evaluated. `top`: the caller gives the whole value a name. */
static rev_expr *hoisted(tangent *t, rev_expr *e, bool top) {
    if (rev_has_active(e) && e->kind == REV_E_CHOICE && has_call(e))
        return chosen(t, e);
    if (!rev_has_active(e) || rev_e_is_place(e) || e->kind == REV_E_CHOICE)
        return e;
    rev_expr **parts = rev_alloc(t->unit, e->count, sizeof *parts);
    for (size_t i = 0; i < e->count; i++)
        parts[i] = hoisted(t, e->parts[i], false);
    rev_expr *made = rev_e_like(t->unit, e, parts);
    bool divides =
        e->kind == REV_E_BINARY && e->name[0] == '/' && e->type->kind != REV_ULOG && rev_has_active(parts[1]);
    bool calls = e->kind == REV_E_CALL && strcmp(e->name, "rev_times_conj") != 0;
    return !top && (calls || divides) ? name_with_dot(t, made) : made;
}

/* ---- Statements ---- */

static void add(tangent *t, rev_statement *s) {
    rev_block_add(t->unit, t->l.out, s);
}

static void tangent_of_declare(tangent *t, const rev_statement *s) {
    rev_statement *made = rev_s_copy(t->unit, s);
    rev_variable *variable = s->variable;
    bool number = rev_is_floating(variable->type) || rev_is_exact(variable->type);
    if (!variable->active) {
        add(t, made);
        return;
    }
    if (s->value && number)
        made->value = hoisted(t, s->value, true);
    add(t, made);
    rev_expr *d = NULL;
    if (s->value && number)
        d = rev_e_is_place(made->value) ? dot(t, made->value) : dot_of(t, made->value, rev_e_name(t->unit, variable));
    else if (s->value)
        d = rev_shadow(t->unit, s->value, rev_dot);
    if (s->flag && number && !d)
        variable->active = false; /* a constant made by the tool that depends on no input */
    else
        declare_dot(t, variable, d, s->flag);
}

static void tangent_of_assign(tangent *t, const rev_statement *s) {
    rev_statement *made = rev_s_copy(t->unit, s);
    bool number = rev_is_active_place(s->target);
    if (number) {
        made->value = hoisted(t, s->value, false);
        rev_expr *d = dot(t, made->value);
        /* log numbers: products are sums of logarithms */
        const char *op = s->op[0] == '*' ? "+=" : s->op[0] == '/' ? "-=" : s->op;
        if (d || op[0] == '=')
            rev_emit_assign(&t->l, rev_shadow(t->unit, s->target, rev_dot), op, or_zero(t, d));
    } else if (s->op[0] == '=' && rev_has_shadow(s->target)) {
        rev_emit_assign(&t->l, rev_shadow(t->unit, s->target, rev_dot), "=", rev_shadow(t->unit, s->value, rev_dot));
    }
    add(t, made);
}

static void tangent_of_call(tangent *t, const rev_statement *s) {
    rev_statement *made = rev_s_copy(t->unit, s);
    made->arguments = rev_alloc(t->unit, s->argument_count, sizeof *made->arguments);
    bool derives = false;
    for (size_t i = 0; i < s->argument_count; i++) {
        rev_argument *a = &made->arguments[i];
        *a = s->arguments[i];
        if (!a->parameter->active)
            continue;
        derives = true;
        bool pointer = a->parameter->type->kind == REV_POINTER || a->parameter->type->kind == REV_ARRAY;
        bool number = !pointer && a->parameter->type->kind != REV_RECORD;
        if (number)
            a->value = hoisted(t, a->value, false);
        a->dot = number ? or_zero(t, dot(t, a->value)) : rev_shadow(t->unit, a->value, rev_dot);
        a->dot = a->dot ? a->dot : a->value; /* NULL stays NULL */
        if (a->bar)
            a->bar_dot = rev_shadow(t->unit, a->bar, rev_dot);
        if (a->bar && !a->bar_dot)
            a->bar_dot = a->bar;
    }
    if (derives)
        made->variant |= REV_TANGENT;
    add(t, made);
}

static void tangent_of_stack(tangent *t, const rev_statement *s) {
    rev_expr *stack = rev_shadow(t->unit, s->target, rev_dot);
    if (stack && rev_has_shadow(s->value)) {
        rev_statement *made = rev_s_copy(t->unit, s);
        made->target = stack;
        made->value = rev_shadow(t->unit, s->value, rev_dot);
        made->text = s->kind == REV_S_PUSH ? s->text : "rev_stack_pop_bar";
        add(t, made);
    }
    add(t, rev_s_copy(t->unit, s));
}

static void tangent_of_nested(tangent *t, const rev_statement *s) {
    rev_statement *made = rev_s_copy(t->unit, s);
    if (s->body)
        made->body = block_of(t, s->body);
    if (s->other)
        made->other = block_of(t, s->other);
    if (s->branch_count) {
        made->branches = rev_alloc(t->unit, s->branch_count, sizeof *made->branches);
        for (size_t i = 0; i < s->branch_count; i++)
            made->branches[i] = (rev_branch){s->branches[i].line, block_of(t, s->branches[i].body)};
    }
    add(t, made);
}

static void tangent_of(tangent *t, const rev_statement *s) {
    t->l.place = s->place;
    switch (s->kind) {
    case REV_S_DECLARE: tangent_of_declare(t, s); break;
    case REV_S_ASSIGN: tangent_of_assign(t, s); break;
    case REV_S_CALL: tangent_of_call(t, s); break;
    case REV_S_PUSH:
    case REV_S_POP: tangent_of_stack(t, s); break;
    case REV_S_CHECK:
        if (strcmp(s->text, "rev_check_overlap") != 0 && strcmp(s->text, "rev_check_slices") != 0)
            add(t, rev_s_copy(t->unit, s));
        break;
    case REV_S_IRREV:
    case REV_S_DIRECTIVE: add(t, rev_s_copy(t->unit, s)); break;
    default: tangent_of_nested(t, s); break;
    }
}

static rev_block *block_of(tangent *t, const rev_block *block) {
    rev_block *outer = t->l.out;
    rev_block *made = t->l.out = rev_block_new(t->unit, block->end);
    for (size_t i = 0; i < block->count; i++)
        tangent_of(t, block->items[i]);
    t->l.out = outer;
    return made;
}

rev_block *rev_tangent(rev_program *program, const rev_block *block) {
    tangent t = {.unit = program->unit, .program = program, .l = {.unit = program->unit, .program = program}};
    return block_of(&t, block);
}
