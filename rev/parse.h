/* Reading C: what the parts of the parser share. Nesting is bounded, so that no text can overflow the stack. */
#ifndef REV_PARSE_H
#define REV_PARSE_H

#include "rev/program.h"

#include <string.h>

enum { REV_DEPTH_MAX = 200 };

typedef struct rev_scope {
    rev_variable *variable;
    const struct rev_scope *outer;
} rev_scope;

typedef struct rev_parser {
    rev_unit *unit;
    rev_program *program;
    rev_tokens tokens;
    size_t at;
    const rev_scope *scope;
    rev_function *function; /* being read; NULL: none */
    unsigned depth;
    unsigned inside; /* expressions that are being read; 0: the target of an instruction */
} rev_parser;

typedef struct rev_declarator {
    const char *name; /* NULL: abstract */
    rev_place place;
    const rev_type *type;
} rev_declarator;

typedef struct rev_specifiers {
    const rev_type *type;
    bool is_typedef, is_passive, is_reversible, is_anc;
    const char *prefix; /* storage and function specifiers, as written */
} rev_specifiers;

static inline const rev_token *rev_peek(const rev_parser *p, size_t ahead) {
    size_t last = p->tokens.count - 1;
    return &p->tokens.items[p->at + ahead < last ? p->at + ahead : last];
}

static inline rev_place rev_here(const rev_parser *p) {
    return rev_peek(p, 0)->place;
}

static inline bool rev_token_is(const rev_token *token, const char *text) {
    return (token->kind == REV_NAME || token->kind == REV_MARK) && strcmp(token->text, text) == 0;
}

static inline bool rev_next_is(const rev_parser *p, const char *text) {
    return rev_token_is(rev_peek(p, 0), text);
}

static inline const rev_token *rev_take(rev_parser *p) {
    const rev_token *token = rev_peek(p, 0);
    if (token->kind != REV_END)
        p->at++;
    return token;
}

static inline bool rev_accept(rev_parser *p, const char *text) {
    bool is = rev_next_is(p, text);
    if (is)
        p->at++;
    return is;
}

void rev_expect(rev_parser *p, const char *text, const char *where);
const char *rev_expect_name(rev_parser *p, const char *what);
void rev_deeper(rev_parser *p); /* one level more; p->depth-- on the way back */
/* Behind the mark that closes the one at p->at. */
size_t rev_matching(rev_parser *p, size_t open);

/* parse_type.c */
bool rev_starts_type(const rev_parser *p, size_t ahead);
rev_specifiers rev_read_specifiers(rev_parser *p);
rev_declarator rev_read_declarator(rev_parser *p, const rev_type *base);
const rev_type *rev_read_type_name(rev_parser *p);
/* Behind the opening parenthesis, past the closing one. */
rev_variable **rev_read_parameters(rev_parser *p, size_t *count);

/* parse_expr.c */
rev_expr *rev_read_expr(rev_parser *p);
rev_expr *rev_read_unary(rev_parser *p);
rev_variable *rev_lookup(const rev_parser *p, const char *name);
void rev_declare(rev_parser *p, rev_variable *variable);

/* macro.c */
void rev_learn_macro(rev_program *program, const rev_token *line);
/* What a macro stands for, when it has a derivative; NULL: it is left as it is. */
rev_expr *rev_read_macro(rev_parser *p, const rev_token *name);

/* parse_stmt.c */
rev_block *rev_read_body(rev_parser *p);
rev_block *rev_read_block(rev_parser *p, const char *what); /* `what` it stands behind */
rev_block *rev_read_block_or_statement(rev_parser *p);

/* parse_control.c: from the keyword on */
void rev_read_if(rev_parser *p, rev_block *block);
void rev_read_from(rev_parser *p, rev_block *block);
void rev_read_for(rev_parser *p, rev_block *block);
void rev_read_compute(rev_parser *p, rev_block *block);

/* parse_instruction.c */
rev_statement *rev_read_built_in(rev_parser *p, rev_statement_kind kind, int operands); /* swap(a, b); */
rev_statement *rev_read_instruction(rev_parser *p);                                     /* up to the semicolon */

/* parse_file.c */
rev_program *rev_read_program(rev_unit *unit, const rev_source *source, const char *const *folders);
/* The function again, with `type` for double; its name has the type behind it. */
rev_function *rev_read_instance(rev_program *program, const rev_function *original, const rev_instance *instance);
const char *rev_instance_name(rev_unit *unit, const char *name, const char *type);

#endif
