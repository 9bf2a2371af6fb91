/* Parses C expressions without side effects, and determines their types. */
#include "rev/parse.h"

#include "rev/derivatives.h"

rev_variable *rev_lookup(const rev_parser *p, const char *name) {
    for (const rev_scope *scope = p->scope; scope; scope = scope->outer)
        if (strcmp(scope->variable->name, name) == 0)
            return scope->variable;
    for (size_t i = p->program->global_count; i-- > 0;)
        if (strcmp(p->program->globals[i]->name, name) == 0)
            return p->program->globals[i];
    return NULL;
}

void rev_declare(rev_parser *p, rev_variable *variable) {
    rev_scope *scope = rev_alloc(p->unit, 1, sizeof *scope);
    scope->variable = variable;
    scope->outer = p->scope;
    p->scope = scope;
}

/* ---- Primary expressions ---- */

static rev_expr *made(rev_parser *p, rev_expr_kind kind, const char *name, rev_kind type, rev_place place) {
    rev_expr *e = rev_alloc(p->unit, 1, sizeof *e);
    e->kind = kind;
    e->name = name;
    e->type = rev_type_basic(p->unit, type);
    e->place = place;
    return e;
}

/* Returns the text from the token `first` up to, not including, the token `after`. */
static const char *text_between(rev_parser *p, size_t first, size_t after) {
    uint32_t from = p->tokens.items[first].place.offset, to = rev_token_end(&p->tokens.items[after - 1]);
    return rev_copy(p->unit, p->tokens.items[first].place.source->text + from, to - from);
}

static rev_expr *read_sizeof(rev_parser *p, const rev_token *token) {
    size_t first = p->at - 1;
    if (rev_next_is(p, "("))
        p->at = rev_matching(p, p->at);
    else
        rev_read_unary(p);
    return made(p, REV_E_TEXT, text_between(p, first, p->at), REV_INTEGER, token->place);
}

static const rev_type *type_of_call(rev_parser *p, const char *name, rev_expr **arguments, size_t count) {
    rev_named *host = rev_find_named(&p->program->hosts, name);
    if (host && host->type->kind == REV_FUNCTION)
        return host->type->of;
    rev_kind kind = rev_result_kind(name);
    (void)arguments;
    (void)count;
    return rev_type_basic(p->unit, kind);
}

static rev_expr *read_call(rev_parser *p, rev_expr *callee) {
    if (callee->kind != REV_E_NAME)
        rev_refuse(p->unit, callee->place, "call a function by its name", "only a name can be called here");
    rev_expr **arguments = NULL;
    size_t count = 0;
    while (!rev_accept(p, ")")) {
        arguments = rev_grow(p->unit, arguments, count, sizeof *arguments);
        arguments[count++] = rev_read_expr(p);
        if (!rev_next_is(p, ")"))
            rev_expect(p, ",", "between arguments");
    }
    rev_expr *call =
        rev_e_call(p->unit, callee->name, type_of_call(p, callee->name, arguments, count), arguments, count);
    call->place = callee->place;
    call->variable = callee->variable;
    return call;
}

static rev_expr *read_name(rev_parser *p, const rev_token *token) {
    rev_variable *variable = rev_lookup(p, token->text);
    if (variable) {
        rev_expr *e = rev_e_name(p->unit, variable);
        e->place = token->place;
        return e;
    }
    return made(p, REV_E_NAME, token->text, rev_is_imaginary_unit(token->text) ? REV_COMPLEX : REV_OTHER, token->place);
}

static rev_expr *read_primary(rev_parser *p) {
    const rev_token *token = rev_take(p);
    if (token->kind == REV_NUMBER || token->kind == REV_CHARACTER) {
        rev_expr *e = rev_e_number(p->unit, token->text);
        e->place = token->place;
        return e;
    }
    if (token->kind == REV_STRING) {
        size_t first = p->at - 1;
        while (rev_peek(p, 0)->kind == REV_STRING)
            rev_take(p);
        return made(p, REV_E_TEXT, text_between(p, first, p->at), REV_OTHER, token->place);
    }
    if (token->kind == REV_NAME && (strcmp(token->text, "sizeof") == 0 || strcmp(token->text, "_Alignof") == 0))
        return read_sizeof(p, token);
    if (token->kind == REV_NAME) {
        rev_expr *e = p->function ? rev_read_macro(p, token) : NULL;
        return e ? e : read_name(p, token);
    }
    if (!rev_token_is(token, "("))
        rev_refuse(p->unit, token->place, NULL, "an expression expected, not '%.40s'", token->text);
    rev_expr *e = rev_read_expr(p);
    if (rev_next_is(p, ","))
        rev_refuse(p->unit, rev_here(p), "write two instructions",
                   "the comma operator is not allowed in a rev function");
    rev_expect(p, ")", "after an expression");
    return e;
}

/* ---- Postfix and unary ---- */

static const rev_type *type_of_member(rev_parser *p, const rev_type *type, const char *name) {
    if (type->kind == REV_RECORD && type->record)
        for (size_t i = 0; i < type->record->count; i++)
            if (strcmp(type->record->fields[i].name, name) == 0)
                return type->record->fields[i].type;
    return rev_type_basic(p->unit, REV_OTHER);
}

static rev_expr *read_member(rev_parser *p, rev_expr *e, bool arrow) {
    rev_expr *member = made(p, arrow ? REV_E_ARROW : REV_E_MEMBER, NULL, REV_OTHER, e->place);
    member->name = rev_expect_name(p, "the name of a member");
    const rev_type *type = e->type;
    if (arrow && (type->kind == REV_POINTER || type->kind == REV_ARRAY))
        type = type->of;
    member->type = type_of_member(p, type, member->name);
    member->count = 1;
    member->parts = rev_alloc(p->unit, 1, sizeof e);
    member->parts[0] = e;
    return member;
}

static rev_expr *read_index(rev_parser *p, rev_expr *e) {
    rev_expr *index = made(p, REV_E_INDEX, NULL, REV_OTHER, e->place);
    if (e->type->kind == REV_POINTER || e->type->kind == REV_ARRAY)
        index->type = e->type->of;
    index->count = 2;
    index->parts = rev_alloc(p->unit, 2, sizeof e);
    index->parts[0] = e;
    index->parts[1] = rev_read_expr(p);
    rev_expect(p, "]", "after an index");
    return index;
}

static _Noreturn void refuse_count(rev_parser *p) {
    rev_refuse(p->unit, rev_here(p), "write it as an instruction of its own, k++;",
               "'%s' inside an expression cannot be undone", rev_peek(p, 0)->text);
}

static rev_expr *read_postfix(rev_parser *p) {
    rev_expr *e = read_primary(p);
    unsigned links = 0;
    for (;; links++) {
        if (links > REV_DEPTH_MAX)
            rev_refuse(p->unit, rev_here(p), "divide it", "this is nested too deeply");
        if (rev_accept(p, "("))
            e = read_call(p, e);
        else if (rev_accept(p, "["))
            e = read_index(p, e);
        else if (rev_next_is(p, ".") || rev_next_is(p, "->"))
            e = read_member(p, e, rev_take(p)->length == 2);
        else
            break;
    }
    if ((rev_next_is(p, "++") || rev_next_is(p, "--")) && p->inside)
        refuse_count(p);
    return e;
}

static bool is_cast(const rev_parser *p) {
    return rev_next_is(p, "(") && rev_starts_type(p, 1);
}

static rev_expr *read_cast(rev_parser *p) {
    rev_place place = rev_here(p);
    rev_take(p);
    const rev_type *type = rev_read_type_name(p);
    rev_expect(p, ")", "after a type");
    if (rev_next_is(p, "{"))
        rev_refuse(p->unit, place, "give it a name with anc", "a compound literal is not allowed in a rev function");
    rev_expr *e = rev_e_cast(p->unit, type, rev_read_unary(p));
    e->place = place;
    return e;
}

rev_expr *rev_read_unary(rev_parser *p) {
    static const char *const ops[] = {"-", "+", "!", "~", "*", "&"};
    const rev_token *token = rev_peek(p, 0);
    if (rev_token_is(token, "++") || rev_token_is(token, "--"))
        refuse_count(p);
    rev_deeper(p);
    rev_expr *e = NULL;
    for (size_t i = 0; i < sizeof ops / sizeof *ops && !e; i++)
        if (rev_accept(p, ops[i])) {
            e = rev_read_unary(p);
            e = ops[i][0] == '+' ? e : rev_e_unary(p->unit, ops[i], e);
            e->place = token->place;
        }
    if (!e)
        e = is_cast(p) ? read_cast(p) : read_postfix(p);
    p->depth--;
    return e;
}

/* ---- Binary ---- */

static int precedence(const rev_token *token) {
    static const struct {
        const char *op;
        int binds;
    } table[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9}, {"<<", 8}, {">>", 8}, {"<", 7},  {">", 7},
                 {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&", 5}, {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};
    for (size_t i = 0; token->kind == REV_MARK && i < sizeof table / sizeof *table; i++)
        if (strcmp(token->text, table[i].op) == 0)
            return table[i].binds;
    return 0;
}

/* Parses a chain of operators with a loop. Later passes recurse into such chains, so the number of operators in
 * one expression is limited. */
static rev_expr *read_binary(rev_parser *p, int least) {
    rev_deeper(p);
    rev_expr *left = rev_read_unary(p);
    for (int binds = precedence(rev_peek(p, 0)); binds >= least && binds > 0; binds = precedence(rev_peek(p, 0))) {
        const rev_token *op = rev_take(p);
        if (++p->operators > REV_OPERATORS_MAX)
            rev_refuse(p->unit, op->place, "divide it", "this is nested too deeply");
        rev_place place = left->place;
        left = rev_e_binary(p->unit, op->text, left, read_binary(p, binds + 1));
        left->place = place;
    }
    p->depth--;
    return left;
}

rev_expr *rev_read_expr(rev_parser *p) {
    rev_deeper(p);
    if (!p->inside)
        p->operators = 0;
    p->inside++;
    rev_expr *e = read_binary(p, 1);
    if (rev_accept(p, "?")) {
        rev_expr *yes = rev_read_expr(p);
        rev_expect(p, ":", "between the two values of '?'");
        e = rev_e_choice(p->unit, e, yes, rev_read_expr(p));
    }
    p->inside--;
    p->depth--;
    return e;
}
