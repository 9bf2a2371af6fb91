/* Parses branches, loops and compute, together with what their inverses need: conditions that hold afterwards, and
 * counters that can be counted back. */
#include "rev/parse.h"

/* ---- Branches ---- */

static rev_expr *read_condition(rev_parser *p, const char *after) {
    rev_expect(p, "(", after);
    rev_expr *e = rev_read_expr(p);
    rev_expect(p, ")", "after a condition");
    return e;
}

/* fi (c1, c2, ...): one condition for each `if` of the chain, in order. */
static void read_fi(rev_parser *p, rev_statement *first) {
    rev_place place = rev_take(p)->place;
    rev_expect(p, "(", "after 'fi'");
    rev_statement *statement = first;
    for (;;) {
        statement->extra = rev_read_expr(p);
        rev_block *other = statement->other;
        bool chained = other && other->count == 1 && other->items[0]->kind == REV_S_IF && other->items[0]->flag;
        bool more = rev_accept(p, ",");
        if (more != chained)
            rev_refuse(p->unit, more ? rev_here(p) : place,
                       "fi (c1, c2, ...): for each if of the chain, in order, the condition that holds afterwards if "
                       "it was taken",
                       "'fi' has %s conditions than the chain has ifs", more ? "more" : "fewer");
        if (!more)
            break;
        statement = other->items[0];
    }
    rev_expect(p, ")", "after 'fi'");
    rev_accept(p, ";");
}

/* While parsing, the flag of a nested `if` means that it follows `else` without braces. */
static rev_statement *read_branch(rev_parser *p) {
    rev_deeper(p);
    rev_statement *statement = rev_s_new(p->unit, REV_S_IF, rev_take(p)->place);
    statement->value = read_condition(p, "after 'if'");
    statement->body = rev_read_block_or_statement(p);
    if (rev_accept(p, "else")) {
        if (rev_next_is(p, "if")) {
            statement->other = rev_block_new(p->unit, rev_here(p));
            rev_statement *nested = read_branch(p);
            nested->flag = true;
            rev_block_add(p->unit, statement->other, nested);
        } else {
            statement->other = rev_read_block_or_statement(p);
        }
    }
    p->depth--;
    return statement;
}

void rev_read_if(rev_parser *p, rev_block *block) {
    rev_statement *statement = read_branch(p);
    if (rev_next_is(p, "fi"))
        read_fi(p, statement);
    for (rev_statement *s = statement; s;) { /* later passes give the flag another meaning */
        rev_block *other = s->other;
        s = other && other->count == 1 && other->items[0]->kind == REV_S_IF && other->items[0]->flag ? other->items[0]
                                                                                                     : NULL;
        if (s)
            s->flag = false;
    }
    rev_block_add(p->unit, block, statement);
}

/* ---- Loops ---- */

void rev_read_from(rev_parser *p, rev_block *block) {
    rev_statement *statement = rev_s_new(p->unit, REV_S_FROM, rev_take(p)->place);
    statement->target = read_condition(p, "after 'from'");
    rev_expect(p, "while", "after 'from (...)'");
    statement->value = read_condition(p, "after 'while'");
    statement->body = rev_read_block_or_statement(p);
    rev_block_add(p->unit, block, statement);
}

static const char for_form[] = "for (int i = a; i < b; i++), or i += s, or downwards with > and i-- or i -= s";

static void read_step(rev_parser *p, rev_statement *statement, const char *name) {
    bool before = rev_next_is(p, "++") || rev_next_is(p, "--");
    const rev_token *sign = before ? rev_take(p) : NULL;
    rev_place place = rev_here(p);
    if (strcmp(rev_expect_name(p, "the counter"), name) != 0)
        rev_refuse(p->unit, place, for_form, "the last part of 'for' must change its counter '%s'", name);
    const rev_token *op = before ? sign : rev_take(p);
    if (rev_token_is(op, "+=") || rev_token_is(op, "-="))
        statement->extra = rev_read_expr(p);
    else if (!rev_token_is(op, "++") && !rev_token_is(op, "--"))
        rev_refuse(p->unit, op->place, for_form, "the counter '%s' can only be counted up or down", name);
    statement->flag = op->text[0] == '-';
}

static void read_bound(rev_parser *p, rev_statement *statement, const char *name) {
    rev_place place = rev_here(p);
    if (strcmp(rev_expect_name(p, "the counter"), name) != 0)
        rev_refuse(p->unit, place, for_form, "the condition of 'for' must compare its counter '%s'", name);
    bool falls = rev_accept(p, "--"); /* i-- > 0 */
    const rev_token *op = rev_take(p);
    static const char *const ops[] = {"<", "<=", ">", ">=", "!="};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (rev_token_is(op, ops[i]))
            statement->op = ops[i];
    if (!statement->op || (falls && strcmp(statement->op, ">") != 0))
        rev_refuse(p->unit, op->place, for_form, "the condition of 'for' must compare its counter '%s'", name);
    statement->value = rev_read_expr(p);
    rev_expect(p, ";", "in 'for'");
    if (!falls)
        return;
    statement->op = "-->";
    statement->flag = true;
    if (!rev_next_is(p, ")"))
        rev_refuse(p->unit, rev_here(p), for_form, "the counter '%s' is counted twice", name);
}

static void check_direction(rev_parser *p, const rev_statement *statement) {
    const char *op = statement->op;
    if ((statement->flag && op[0] == '<') || (!statement->flag && op[0] == '>'))
        rev_refuse(p->unit, statement->place, for_form, "the counter '%s' goes away from its bound",
                   statement->variable->name);
    if (op[0] == '!' && statement->extra)
        rev_refuse(p->unit, statement->place, for_form, "with '!=' the counter '%s' must go by 1",
                   statement->variable->name);
}

void rev_read_for(rev_parser *p, rev_block *block) {
    rev_statement *statement = rev_s_new(p->unit, REV_S_FOR, rev_take(p)->place);
    const rev_scope *outer = p->scope;
    rev_expect(p, "(", "after 'for'");
    if (!rev_starts_type(p, 0) && rev_peek(p, 1)->kind != REV_NAME)
        rev_refuse(p->unit, rev_here(p), for_form, "'for' must declare its counter");
    rev_specifiers specifiers = rev_read_specifiers(p);
    rev_declarator d = rev_read_declarator(p, specifiers.type);
    if (!d.name || (d.type->kind != REV_INTEGER && d.type->kind != REV_OTHER))
        rev_refuse(p->unit, d.place, for_form, "the counter of 'for' must be an integer");
    rev_expect(p, "=", "after the counter");
    statement->variable = rev_variable_new(p->unit, d.name, d.type, REV_COUNTER, d.place);
    statement->target = rev_read_expr(p);
    rev_expect(p, ";", "in 'for'");
    rev_declare(p, statement->variable);
    read_bound(p, statement, d.name);
    if (strcmp(statement->op, "-->") != 0)
        read_step(p, statement, d.name);
    check_direction(p, statement);
    rev_expect(p, ")", "after 'for (...'");
    statement->body = rev_read_block_or_statement(p);
    p->scope = outer;
    rev_block_add(p->unit, block, statement);
}

/* ---- compute ---- */

void rev_read_compute(rev_parser *p, rev_block *block) {
    rev_statement *statement = rev_s_new(p->unit, REV_S_COMPUTE, rev_take(p)->place);
    statement->body = rev_read_block(p, "'compute'");
    if (!rev_next_is(p, "use"))
        rev_refuse(p->unit, rev_here(p), "compute { ... } use { ... }", "'use' expected after the block of 'compute'");
    rev_take(p);
    statement->other = rev_read_block(p, "'use'");
    rev_block_add(p->unit, block, statement);
}
