/* See tree.h. Expressions are simplified when they are made, as far as derivatives need it: 0, 1 and signs. */
#include "rev/tree.h"

#include <ctype.h>
#include <string.h>

/* ---- Types of expressions ---- */

static bool is_comparison(const char *op) {
    static const char *const ops[] = {"<", ">", "<=", ">=", "==", "!=", "&&", "||"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(op, ops[i]) == 0)
            return true;
    return false;
}

static bool is_literal(const rev_expr *e) {
    return e->kind == REV_E_NUMBER || (e->kind == REV_E_UNARY && e->parts[0]->kind == REV_E_NUMBER);
}

static int rank(rev_kind kind) {
    static const int ranks[] = {
        [REV_FIXED] = 2,         [REV_FLOAT] = 3,   [REV_DOUBLE] = 4, [REV_LONG_DOUBLE] = 5, [REV_ULOG] = 4,
        [REV_COMPLEX_FLOAT] = 3, [REV_COMPLEX] = 4, [REV_OTHER] = 0,  [REV_INTEGER] = 1};
    return (size_t)kind < sizeof ranks / sizeof *ranks ? ranks[kind] : 0;
}

static const rev_type *common_type(rev_unit *unit, const rev_expr *a, const rev_expr *b) {
    rev_kind x = a->type->kind, y = b->type->kind;
    if (x == REV_POINTER || x == REV_ARRAY)
        return y == REV_POINTER || y == REV_ARRAY ? rev_type_basic(unit, REV_INTEGER) : a->type;
    if (y == REV_POINTER || y == REV_ARRAY)
        return b->type;
    if (x == REV_ULOG && y == REV_ULOG)
        return a->type;
    if ((x == REV_FIXED && is_literal(b)) || (y == REV_FIXED && is_literal(a)))
        return rev_type_basic(unit, REV_FIXED);
    if ((x == REV_ULOG || y == REV_ULOG) && !rev_is_complex(a->type) && !rev_is_complex(b->type))
        return rev_type_basic(unit, REV_DOUBLE);
    int most = rank(x) > rank(y) ? rank(x) : rank(y);
    if (rev_is_complex(a->type) || rev_is_complex(b->type))
        return rev_type_basic(unit, most == 3 ? REV_COMPLEX_FLOAT : REV_COMPLEX);
    return rank(x) >= rank(y) ? a->type : b->type;
}

/* ---- Making expressions ---- */

static rev_expr *new_expr(rev_unit *unit, rev_expr_kind kind, const char *name, const rev_type *type, size_t count) {
    rev_expr *e = rev_alloc(unit, 1, sizeof *e);
    e->kind = kind;
    e->name = name;
    e->type = type;
    e->count = count;
    e->parts = rev_alloc(unit, count, sizeof(rev_expr *));
    return e;
}

static rev_kind kind_of_number(const char *text) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (text[0] == '\'' || !(strpbrk(text, ".") || strpbrk(text, hex ? "pP" : "eE")))
        return REV_INTEGER;
    char last = text[strlen(text) - 1];
    return last == 'f' || last == 'F' ? REV_FLOAT : last == 'l' || last == 'L' ? REV_LONG_DOUBLE : REV_DOUBLE;
}

rev_expr *rev_e_number(rev_unit *unit, const char *text) {
    return new_expr(unit, REV_E_NUMBER, text, rev_type_basic(unit, kind_of_number(text)), 0);
}

rev_expr *rev_e_name(rev_unit *unit, rev_variable *variable) {
    rev_expr *e = new_expr(unit, REV_E_NAME, variable->name, variable->type, 0);
    e->variable = variable;
    return e;
}

bool rev_e_is_number(const rev_expr *e, const char *text) {
    return e->kind == REV_E_NUMBER && strcmp(e->name, text) == 0;
}

bool rev_e_is_simple(const rev_expr *e) {
    return e->kind == REV_E_NUMBER || (e->kind == REV_E_NAME && !(e->variable && e->variable->indirect));
}

static const rev_type *target_of(rev_unit *unit, const rev_type *type) {
    return type->kind == REV_POINTER || type->kind == REV_ARRAY ? type->of : rev_type_basic(unit, REV_OTHER);
}

static const rev_type *type_of_unary(rev_unit *unit, const char *op, const rev_expr *a) {
    switch (op[0]) {
    case '*': return target_of(unit, a->type);
    case '&': return rev_type_pointer(unit, a->type);
    case '!': return rev_type_basic(unit, REV_INTEGER);
    default: return a->type;
    }
}

rev_expr *rev_e_unary(rev_unit *unit, const char *op, rev_expr *a) {
    if (op[0] == '-' && a->kind == REV_E_UNARY && strcmp(a->name, "-") == 0)
        return a->parts[0];
    if (op[0] == '*' && a->kind == REV_E_UNARY && strcmp(a->name, "&") == 0)
        return a->parts[0];
    if (op[0] == '&' && a->kind == REV_E_UNARY && strcmp(a->name, "*") == 0)
        return a->parts[0];
    rev_expr *e = new_expr(unit, REV_E_UNARY, op, type_of_unary(unit, op, a), 1);
    e->place = a->place;
    e->parts[0] = a;
    return e;
}

/* Simplifies x * 1, x * -1 and x / 1, which the chain rule yields for sums. */
static rev_expr *simplified(rev_unit *unit, const char *op, rev_expr *a, rev_expr *b) {
    if (op[0] == '*' && rev_e_is_number(a, "1"))
        return b;
    if ((op[0] == '*' || op[0] == '/') && rev_e_is_number(b, "1"))
        return a;
    (void)unit;
    return NULL;
}

rev_expr *rev_e_binary(rev_unit *unit, const char *op, rev_expr *a, rev_expr *b) {
    rev_expr *simple = op[1] ? NULL : simplified(unit, op, a, b);
    if (simple)
        return simple;
    bool integer = is_comparison(op);
    const rev_type *type = integer ? rev_type_basic(unit, REV_INTEGER) : common_type(unit, a, b);
    rev_expr *e = new_expr(unit, REV_E_BINARY, op, rev_type_plain(unit, type), 2);
    e->place = a->place;
    e->parts[0] = a;
    e->parts[1] = b;
    return e;
}

rev_expr *rev_e_choice(rev_unit *unit, rev_expr *condition, rev_expr *a, rev_expr *b) {
    rev_expr *e = new_expr(unit, REV_E_CHOICE, "?", common_type(unit, a, b), 3);
    e->place = condition->place;
    e->parts[0] = condition;
    e->parts[1] = a;
    e->parts[2] = b;
    return e;
}

rev_expr *rev_e_call(rev_unit *unit, const char *name, const rev_type *type, rev_expr **arguments, size_t count) {
    rev_expr *e = new_expr(unit, REV_E_CALL, name, type, count);
    for (size_t i = 0; i < count; i++)
        e->parts[i] = arguments[i];
    return e;
}

rev_expr *rev_e_call1(rev_unit *unit, const char *name, const rev_type *type, rev_expr *a) {
    return rev_e_call(unit, name, type, &a, 1);
}

rev_expr *rev_e_cast(rev_unit *unit, const rev_type *type, rev_expr *a) {
    rev_expr *e = new_expr(unit, REV_E_CAST, NULL, type, 1);
    e->place = a->place;
    e->parts[0] = a;
    return e;
}

rev_expr *rev_e_like(rev_unit *unit, const rev_expr *e, rev_expr **parts) {
    rev_expr *like = rev_alloc(unit, 1, sizeof *like);
    *like = *e;
    like->parts = parts;
    if (e->kind == REV_E_BINARY) {
        rev_expr *again = rev_e_binary(unit, e->name, parts[0], parts[1]);
        again->place = e->place;
        return again;
    }
    return like;
}

bool rev_e_same(const rev_expr *a, const rev_expr *b) {
    if (a->kind != b->kind || a->count != b->count || a->variable != b->variable)
        return false;
    if (a->name != b->name && (!a->name || !b->name || strcmp(a->name, b->name) != 0))
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!rev_e_same(a->parts[i], b->parts[i]))
            return false;
    return a->kind != REV_E_CAST || a->type->kind == b->type->kind;
}

bool rev_is_union_member(const rev_expr *e) {
    const rev_type *type = e->parts[0]->type;
    if (e->kind == REV_E_ARROW && (type->kind == REV_POINTER || type->kind == REV_ARRAY))
        type = type->of;
    return type->kind == REV_RECORD && type->record && type->record->is_union;
}

bool rev_e_is_place(const rev_expr *e) {
    switch (e->kind) {
    case REV_E_NAME: return true;
    case REV_E_INDEX:
    case REV_E_MEMBER:
    case REV_E_ARROW: return rev_e_root(e) != NULL;
    case REV_E_UNARY: return strcmp(e->name, "*") == 0 && rev_e_root(e) != NULL;
    default: return false;
    }
}

/* Returns the variable from which a place or an address is reached: x for &x[i].f and *(x + 1). */
rev_variable *rev_e_root(const rev_expr *e) {
    switch (e->kind) {
    case REV_E_NAME: return e->variable;
    case REV_E_INDEX:
    case REV_E_MEMBER:
    case REV_E_ARROW:
    case REV_E_CAST: return rev_e_root(e->parts[0]);
    case REV_E_UNARY: return strchr("*&", e->name[0]) ? rev_e_root(e->parts[0]) : NULL;
    case REV_E_BINARY:
        if (e->type->kind != REV_POINTER && e->type->kind != REV_ARRAY)
            return NULL;
        return rev_e_root(
            e->parts[e->parts[0]->type->kind == REV_POINTER || e->parts[0]->type->kind == REV_ARRAY ? 0 : 1]);
    default: return NULL;
    }
}

/* ---- Statements, variables ---- */

rev_statement *rev_s_new(rev_unit *unit, rev_statement_kind kind, rev_place place) {
    rev_statement *statement = rev_alloc(unit, 1, sizeof *statement);
    statement->kind = kind;
    statement->place = place;
    return statement;
}

rev_statement *rev_s_copy(rev_unit *unit, const rev_statement *statement) {
    rev_statement *copy = rev_alloc(unit, 1, sizeof *copy);
    *copy = *statement;
    return copy;
}

rev_block *rev_s_inner(const rev_statement *s, size_t *at) {
    while (*at < 2 + s->branch_count) {
        size_t i = (*at)++;
        rev_block *block = i == 0 ? s->body : i == 1 ? s->other : s->branches[i - 2].body;
        if (block)
            return block;
    }
    return NULL;
}

rev_block *rev_block_new(rev_unit *unit, rev_place end) {
    rev_block *block = rev_alloc(unit, 1, sizeof *block);
    block->end = end;
    return block;
}

void rev_block_add(rev_unit *unit, rev_block *block, rev_statement *statement) {
    block->items = rev_grow(unit, block->items, block->count, sizeof *block->items);
    block->items[block->count++] = statement;
}

rev_variable *rev_variable_new(rev_unit *unit, const char *name, const rev_type *type, rev_role role, rev_place place) {
    rev_variable *variable = rev_alloc(unit, 1, sizeof *variable);
    variable->name = name;
    variable->type = type;
    variable->role = role;
    variable->place = place;
    variable->active = role != REV_GLOBAL && role != REV_COUNTER && rev_is_differentiable(type);
    return variable;
}

static rev_variable *shadow(rev_unit *unit, rev_variable *variable, const char *suffix) {
    rev_variable *made = rev_alloc(unit, 1, sizeof *made);
    *made = *variable;
    made->name = rev_format(unit, "%s_%s", variable->name, suffix);
    made->type = rev_type_of_shadow(unit, variable->type);
    made->bar = made->dot = NULL;
    made->of = variable;
    return made;
}

rev_variable *rev_bar(rev_unit *unit, rev_variable *variable) {
    if (!variable || !variable->active)
        return NULL;
    if (!variable->bar)
        variable->bar = shadow(unit, variable, "bar");
    return variable->bar;
}

rev_variable *rev_dot(rev_unit *unit, rev_variable *variable) {
    if (!variable || !variable->active)
        return NULL;
    if (!variable->dot)
        variable->dot = shadow(unit, variable, "dot");
    return variable->dot;
}

const char *rev_variant_name(rev_unit *unit, const rev_function *function, unsigned variant) {
    static const char *const suffixes[] = {"", "_adj", "_jvp", "_hvp"};
    bool inverse = variant & REV_INVERSE;
    const char *name = inverse && function->inverse ? function->inverse : function->name;
    return rev_format(unit, "%s%s%s", name, inverse && !function->inverse ? "_inv" : "", suffixes[variant >> 1]);
}
