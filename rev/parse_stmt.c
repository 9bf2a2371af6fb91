/* Parses the statements of a rev function. Statements that cannot be undone are refused, with advice what to write
 * instead. */
#include "rev/parse.h"

static void read_statement(rev_parser *p, rev_block *block);

/* ---- Blocks ---- */

static bool ends_branch(const rev_token *token) {
    return token->kind == REV_DIRECTIVE &&
           (strstr(token->text, "endif") || strstr(token->text, "else") || strstr(token->text, "elif"));
}

rev_block *rev_read_block(rev_parser *p, const char *what) {
    const rev_scope *outer = p->scope;
    rev_block *block = rev_block_new(p->unit, rev_here(p));
    if (!rev_next_is(p, "{"))
        rev_refuse(p->unit, rev_here(p), "put it in braces", "'{' expected after %s", what);
    rev_place open = rev_take(p)->place;
    rev_deeper(p);
    while (!rev_next_is(p, "}")) {
        if (rev_peek(p, 0)->kind == REV_END)
            rev_refuse(p->unit, open, NULL, "'{' is never closed");
        if (ends_branch(rev_peek(p, 0)))
            rev_refuse(p->unit, rev_here(p), "let #if and #endif enclose whole statements",
                       "this line does not belong to an #if in the same block");
        read_statement(p, block);
    }
    p->depth--;
    block->end = rev_take(p)->place;
    p->scope = outer;
    return block;
}

/* A single statement needs no braces. */
rev_block *rev_read_block_or_statement(rev_parser *p) {
    if (rev_next_is(p, "{"))
        return rev_read_block(p, "this");
    const rev_scope *outer = p->scope;
    rev_block *block = rev_block_new(p->unit, rev_here(p));
    rev_deeper(p);
    read_statement(p, block);
    p->depth--;
    p->scope = outer;
    return block;
}

rev_block *rev_read_body(rev_parser *p) {
    return rev_read_block(p, "the parameters");
}

static void read_nested(rev_parser *p, rev_block *block, rev_statement_kind kind, const char *what) {
    rev_statement *statement = rev_s_new(p->unit, kind, rev_take(p)->place);
    statement->body = rev_read_block(p, what);
    rev_block_add(p->unit, block, statement);
}

/* ---- Preprocessor lines ---- */

static void read_chosen(rev_parser *p, rev_block *block) {
    rev_statement *statement = rev_s_new(p->unit, REV_S_CHOSEN, rev_here(p));
    while (!statement->text) {
        const rev_token *line = rev_take(p);
        rev_block *body = rev_block_new(p->unit, line->place);
        const rev_scope *outer = p->scope;
        while (!ends_branch(rev_peek(p, 0))) {
            if (rev_next_is(p, "}") || rev_peek(p, 0)->kind == REV_END)
                rev_refuse(p->unit, line->place, "let #if and #endif enclose whole statements",
                           "the #if does not end in the block where it begins");
            read_statement(p, body);
        }
        p->scope = outer;
        statement->branches =
            rev_grow(p->unit, statement->branches, statement->branch_count, sizeof *statement->branches);
        statement->branches[statement->branch_count++] = (rev_branch){line->text, body};
        if (strstr(rev_peek(p, 0)->text, "endif"))
            statement->text = rev_take(p)->text;
    }
    rev_block_add(p->unit, block, statement);
}

static void read_directive(rev_parser *p, rev_block *block) {
    const rev_token *line = rev_peek(p, 0);
    const char *word = line->text + 1 + strspn(line->text + 1, " \t");
    if (strncmp(word, "if", 2) == 0) {
        rev_deeper(p);
        read_chosen(p, block);
        p->depth--;
        return;
    }
    if (strncmp(word, "pragma", 6) != 0 && strncmp(word, "line", 4) != 0)
        rev_refuse(p->unit, line->place, "put the line in front of the function",
                   "only #if and #pragma are allowed inside a rev function");
    rev_statement *statement = rev_s_new(p->unit, REV_S_DIRECTIVE, line->place);
    statement->text = rev_take(p)->text;
    if (strncmp(word, "pragma", 6) == 0)
        rev_block_add(p->unit, block, statement);
}

/* ---- Declarations ---- */

/* Parses an initial value; NULL stands for zeros: {0}. */
static rev_expr *read_initial(rev_parser *p) {
    if (!rev_next_is(p, "{"))
        return rev_read_expr(p);
    rev_place place = rev_here(p);
    size_t after = rev_matching(p, p->at);
    bool zero = true; /* {0}, {}, {{0}, {0}} */
    for (size_t i = 0; p->at + i < after; i++) {
        const char *word = rev_peek(p, i)->text;
        zero &= strcmp(word, "0") == 0 || strcmp(word, "{") == 0 || strcmp(word, "}") == 0 || strcmp(word, ",") == 0;
    }
    if (!zero)
        rev_refuse(p->unit, place, "begin with {0} and add the values: v[0] += 1;",
                   "an ancilla with braces can only begin as {0}");
    p->at = after;
    return NULL;
}

static void read_ancilla(rev_parser *p, rev_block *block) {
    rev_specifiers specifiers = rev_read_specifiers(p);
    bool constant = !specifiers.is_anc;
    do {
        rev_declarator d = rev_read_declarator(p, specifiers.type);
        if (!d.name)
            rev_refuse(p->unit, d.place, NULL, "a name expected, not '%.40s'", rev_peek(p, 0)->text);
        rev_statement *statement = rev_s_new(p->unit, REV_S_ANC, d.place);
        const rev_type *type = constant ? d.type : rev_type_plain(p->unit, d.type);
        if (d.type->kind == REV_OTHER && !specifiers.is_passive)
            rev_refuse(p->unit, d.place, "name the folder of its header with -I, or mark it passive",
                       "the type '%s' of '%s' is not known here", d.type->name, d.name);
        statement->variable = rev_variable_new(p->unit, d.name, type, constant ? REV_CONSTANT : REV_ANCILLA, d.place);
        if (specifiers.is_passive) {
            statement->variable->passive = true;
            statement->variable->active = false;
        }
        if (!rev_accept(p, "="))
            rev_refuse(p->unit, d.place, rev_format(p->unit, "%s ... %s = 0;", constant ? "const" : "anc", d.name),
                       "'%s' has no initial value", d.name);
        statement->value = read_initial(p);
        rev_declare(p, statement->variable);
        rev_block_add(p->unit, block, statement);
    } while (rev_accept(p, ","));
    rev_expect(p, ";", "after a declaration");
}

static void read_drop(rev_parser *p, rev_block *block) {
    rev_statement *statement = rev_s_new(p->unit, REV_S_DROP, rev_take(p)->place);
    const rev_token *name = rev_peek(p, 0);
    rev_expect_name(p, "the ancilla");
    statement->variable = rev_lookup(p, name->text);
    if (!statement->variable || statement->variable->role != REV_ANCILLA)
        rev_refuse(p->unit, name->place, "declare it with anc in the same block",
                   "'%s' is not an ancilla and cannot be dropped", name->text);
    if (!rev_accept(p, "=="))
        rev_refuse(p->unit, rev_here(p), rev_format(p->unit, "drop %s == 0;", name->text),
                   "the value that '%s' has here must be given", name->text);
    statement->value = read_initial(p);
    rev_expect(p, ";", "after drop");
    rev_block_add(p->unit, block, statement);
}

/* ---- Host code ---- */

static void read_irrev(rev_parser *p, rev_block *block) {
    rev_statement *statement = rev_s_new(p->unit, REV_S_IRREV, rev_take(p)->place);
    if (!rev_next_is(p, "{"))
        rev_refuse(p->unit, rev_here(p), "irrev { ... }", "'{' expected after 'irrev'");
    size_t first = p->at, after = rev_matching(p, p->at);
    for (size_t i = first; i < after; i++)
        if (rev_token_is(&p->tokens.items[i], "return") || rev_token_is(&p->tokens.items[i], "goto"))
            rev_refuse(p->unit, p->tokens.items[i].place, "put the code that depends on it into an if",
                       "'%s' must not leave the rev function from irrev", p->tokens.items[i].text);
    uint32_t from = p->tokens.items[first].place.offset, to = rev_token_end(&p->tokens.items[after - 1]);
    statement->text = rev_copy(p->unit, statement->place.source->text + from, to - from);
    statement->place = p->tokens.items[first].place;
    p->at = after;
    rev_block_add(p->unit, block, statement);
}

static void read_undo(rev_parser *p, rev_block *block) {
    rev_place place = rev_take(p)->place;
    rev_statement *statement = rev_s_new(p->unit, REV_S_UNDO, place);
    statement->body = rev_read_block_or_statement(p);
    rev_block_add(p->unit, block, statement);
}

/* ---- Statements that cannot be undone ---- */

static void refuse_jumps(rev_parser *p) {
    static const char *const words[][2] = {
        {"return", "put what follows into an if; a result goes to a parameter by +="},
        {"break", "let the condition of from (...) while (...) end the loop"},
        {"continue", "put the rest of the body into an if"},
        {"goto", "use if, for and from (...) while (...)"},
        {"while", "from (p) while (q) { ... }, where p holds on entry and never again"},
        {"do", "from (p) while (q) { ... }, where p holds on entry and never again"},
        {"switch", "if (...) { ... } else if (...) { ... }"},
        {"case", "if (...) { ... } else if (...) { ... }"},
        {"default", "if (...) { ... } else if (...) { ... }"},
    };
    const rev_token *token = rev_peek(p, 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rev_token_is(token, words[i][0]))
            rev_refuse(p->unit, token->place, words[i][1],
                       "'%s' is not allowed in a rev function: it could not be undone", token->text);
    if (rev_token_is(token, "else") || rev_token_is(token, "fi") || rev_token_is(token, "use"))
        rev_refuse(p->unit, token->place, NULL, "'%s' belongs to nothing before it", token->text);
    if (token->kind == REV_NAME && rev_token_is(rev_peek(p, 1), ":"))
        rev_refuse(p->unit, token->place, "use if, for and from (...) while (...)",
                   "a label is not allowed in a rev function: it could not be undone");
}

static bool read_keyword(rev_parser *p, rev_block *block) {
    static const struct {
        const char *word;
        void (*read)(rev_parser *p, rev_block *block);
    } readers[] = {{"if", rev_read_if},   {"from", rev_read_from}, {"for", rev_read_for}, {"compute", rev_read_compute},
                   {"irrev", read_irrev}, {"undo", read_undo},     {"drop", read_drop}};
    static const struct {
        const char *word;
        rev_statement_kind kind;
        int operands;
    } built_in[] = {{"swap", REV_S_SWAP, 2},
                    {"rot", REV_S_ROT, 3},
                    {"neg", REV_S_NEG, 1},
                    {"push", REV_S_PUSH, 2},
                    {"pop", REV_S_POP, 2}};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (rev_next_is(p, readers[i].word)) {
            rev_deeper(p);
            readers[i].read(p, block);
            p->depth--;
            return true;
        }
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (rev_next_is(p, built_in[i].word) && rev_token_is(rev_peek(p, 1), "(")) {
            rev_block_add(p->unit, block, rev_read_built_in(p, built_in[i].kind, built_in[i].operands));
            return true;
        }
    return false;
}

/* True for a declaration `T name`, also if the type is unknown. */
static bool declares(const rev_parser *p) {
    if (rev_starts_type(p, 0))
        return true;
    return rev_peek(p, 0)->kind == REV_NAME && rev_peek(p, 1)->kind == REV_NAME && !rev_lookup(p, rev_peek(p, 0)->text);
}

/* `passive` may come first. */
static bool declares_ancilla(const rev_parser *p) {
    const rev_token *word = rev_peek(p, rev_next_is(p, "passive") ? 1 : 0);
    return rev_token_is(word, "anc") || rev_token_is(word, "const");
}

static void read_statement(rev_parser *p, rev_block *block) {
    if (rev_peek(p, 0)->kind == REV_DIRECTIVE) {
        read_directive(p, block);
        return;
    }
    refuse_jumps(p);
    if (rev_accept(p, ";") || read_keyword(p, block))
        return;
    if (rev_next_is(p, "{")) {
        rev_statement *statement = rev_s_new(p->unit, REV_S_BLOCK, rev_here(p));
        statement->body = rev_read_block(p, "this");
        rev_block_add(p->unit, block, statement);
    } else if (rev_next_is(p, "nocheck")) {
        read_nested(p, block, REV_S_NOCHECK, "'nocheck'");
    } else if (declares_ancilla(p)) {
        read_ancilla(p, block);
    } else if (declares(p)) {
        rev_refuse(p->unit, rev_here(p), "anc T v = 0; or, for a value that does not change, const T v = e;",
                   "a variable inside a rev function must have an initial value");
    } else {
        rev_statement *statement = rev_read_instruction(p);
        rev_expect(p, ";", "after an instruction");
        rev_block_add(p->unit, block, statement);
    }
}
