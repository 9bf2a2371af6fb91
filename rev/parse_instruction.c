/* Parses instructions that change one or two places, and calls. */
#include "rev/parse.h"

rev_statement *rev_read_built_in(rev_parser *p, rev_statement_kind kind, int operands) {
    const rev_token *word = rev_take(p);
    rev_statement *statement = rev_s_new(p->unit, kind, word->place);
    rev_expect(p, "(", "after the instruction's name");
    rev_expr **parts[] = {&statement->target, &statement->value, &statement->extra};
    for (int i = 0; i < operands; i++) {
        if (i > 0)
            rev_expect(p, ",", "between operands");
        *parts[i] = rev_read_expr(p);
    }
    rev_expect(p, ")", "after the operands");
    rev_expect(p, ";", "after an instruction");
    return statement;
}

static rev_statement *make_call(rev_parser *p, const rev_expr *call) {
    rev_statement *statement = rev_s_new(p->unit, REV_S_CALL, call->place);
    statement->text = call->name;
    if (call->variable)
        statement->target = rev_e_name(p->unit, call->variable);
    statement->argument_count = call->count;
    statement->arguments = rev_alloc(p->unit, call->count, sizeof *statement->arguments);
    for (size_t i = 0; i < call->count; i++)
        statement->arguments[i].value = call->parts[i];
    return statement;
}

/* kernel<<<grid, block>>>(arguments) */
static rev_statement *read_launch(rev_parser *p, const rev_expr *kernel) {
    size_t first = p->at;
    while (!rev_next_is(p, ">>>")) {
        if (rev_peek(p, 0)->kind == REV_END || rev_next_is(p, ";"))
            rev_refuse(p->unit, kernel->place, NULL, "'<<<' is never closed");
        rev_take(p);
    }
    if (p->at == first)
        rev_refuse(p->unit, kernel->place, "k<<<blocks, threads>>>(...)", "a launch needs its blocks and threads");
    uint32_t from = p->tokens.items[first].place.offset, to = rev_token_end(&p->tokens.items[p->at - 1]);
    const char *launch = rev_copy(p->unit, kernel->place.source->text + from, to - from);
    rev_take(p);
    rev_expect(p, "(", "after '>>>'");
    rev_expr call = {.kind = REV_E_CALL, .name = kernel->name, .place = kernel->place};
    while (!rev_accept(p, ")")) {
        call.parts = rev_grow(p->unit, call.parts, call.count, sizeof *call.parts);
        call.parts[call.count++] = rev_read_expr(p);
        if (!rev_next_is(p, ")"))
            rev_expect(p, ",", "between arguments");
    }
    rev_statement *statement = make_call(p, &call);
    statement->launch = launch;
    return statement;
}

static _Noreturn void refuse_operator(rev_parser *p, const rev_token *op) {
    const char *fix = strcmp(op->text, "=") == 0 ? "write anc T v = e; for a new variable, += for an old one, or swap"
                                                 : "use +=, -= or ^=; compute into an ancilla what has no inverse";
    if (op->kind == REV_END || strcmp(op->text, ";") == 0)
        rev_refuse(p->unit, op->place, NULL, "an instruction expected: the value is not used");
    rev_refuse(p->unit, op->place, fix, "'%.40s' cannot be undone", op->text);
}

static rev_statement *read_update(rev_parser *p, rev_expr *target) {
    static const char *const ops[] = {"+=", "-=", "^=", "*=", "/="};
    const rev_token *op = rev_take(p);
    rev_statement *statement = rev_s_new(p->unit, REV_S_UPDATE, target->place);
    statement->target = target;
    if (rev_token_is(op, "++") || rev_token_is(op, "--")) {
        statement->op = op->text[0] == '+' ? "+=" : "-=";
        statement->value = rev_e_number(p->unit, "1");
        return statement;
    }
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (rev_token_is(op, ops[i]))
            statement->op = ops[i];
    if (!statement->op)
        refuse_operator(p, op);
    statement->value = rev_read_expr(p);
    if (rev_next_is(p, "=") || rev_next_is(p, "+=") || rev_next_is(p, "-="))
        rev_refuse(p->unit, rev_here(p), "write two instructions", "an instruction changes one place");
    return statement;
}

rev_statement *rev_read_instruction(rev_parser *p) {
    if (rev_next_is(p, "++") || rev_next_is(p, "--")) {
        const char *op = rev_take(p)->text;
        rev_expr *target = rev_read_unary(p);
        rev_statement *statement = rev_s_new(p->unit, REV_S_UPDATE, target->place);
        statement->target = target;
        statement->op = op[0] == '+' ? "+=" : "-=";
        statement->value = rev_e_number(p->unit, "1");
        return statement;
    }
    rev_expr *e = rev_read_unary(p);
    if (e->kind == REV_E_NAME && rev_accept(p, "<<<"))
        return read_launch(p, e);
    if (e->kind == REV_E_CALL && rev_next_is(p, ";"))
        return make_call(p, e);
    return read_update(p, e);
}
