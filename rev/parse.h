/* The parser of `verso rev`: what its files (parse_*.c, macro.c) share. The functions begin at p->at and leave it
 * at the first token that they have not used. A syntax error is refused (rev_refuse), so no function returns then.
 * Nesting is bounded by REV_DEPTH_MAX, so that no input can overflow the C stack. */
#ifndef REV_PARSE_H
#define REV_PARSE_H

#include "rev/program.h"

#include <string.h>

enum { REV_DEPTH_MAX = 200, REV_OPERATORS_MAX = 1000 };

/* One variable of a scope; the scopes form a list from the innermost variable outwards. */
typedef struct rev_scope {
    rev_variable *variable;
    const struct rev_scope *outer;
} rev_scope;

typedef struct rev_parser {
    rev_unit *unit;
    rev_program *program;
    rev_tokens tokens;
    size_t at; /* index of the current token */
    const rev_scope *scope;
    rev_function *function; /* the function that is being parsed; NULL: none */
    unsigned depth;         /* current level of nesting */
    unsigned operators;     /* number of operators so far in the current expression */
    unsigned
        inside; /* number of expressions that are being parsed, one inside the other; 0: the target of an instruction */
} rev_parser;

typedef struct rev_declarator {
    const char *name; /* NULL: an abstract declarator */
    rev_place place;
    const rev_type *type;
} rev_declarator;

typedef struct rev_specifiers {
    const rev_type *type;
    bool is_typedef, is_passive, is_reversible, is_anc;
    const char *prefix; /* storage and function specifiers, as written */
} rev_specifiers;

/* Returns the token `ahead` tokens after the current one, at most the last token (REV_END). */
static inline const rev_token *rev_peek(const rev_parser *p, size_t ahead) {
    size_t last = p->tokens.count - 1;
    return &p->tokens.items[p->at + ahead < last ? p->at + ahead : last];
}

/* Returns the place of the current token. */
static inline rev_place rev_here(const rev_parser *p) {
    return rev_peek(p, 0)->place;
}

/* True if the token is a name or punctuator with this text. */
static inline bool rev_token_is(const rev_token *token, const char *text) {
    return (token->kind == REV_NAME || token->kind == REV_MARK) && strcmp(token->text, text) == 0;
}

static inline bool rev_next_is(const rev_parser *p, const char *text) {
    return rev_token_is(rev_peek(p, 0), text);
}

/* Returns the current token and advances to the next. */
static inline const rev_token *rev_take(rev_parser *p) {
    const rev_token *token = rev_peek(p, 0);
    if (token->kind != REV_END)
        p->at++;
    return token;
}

/* Advances and returns true if the current token is `text`; else returns false. */
static inline bool rev_accept(rev_parser *p, const char *text) {
    bool is = rev_next_is(p, text);
    if (is)
        p->at++;
    return is;
}

/* Takes a token, which must be `text`; `where` completes the message if it is not. */
void rev_expect(rev_parser *p, const char *text, const char *where);
/* Takes a name and returns it; `what` says in the message what kind of name is missing. */
const char *rev_expect_name(rev_parser *p, const char *what);
void rev_deeper(
    rev_parser *
        /* Enters one more level of nesting; refuses too many. The caller decrements p->depth when it leaves the
         * level. */
        p);
/* Returns the index of the token after the one that closes the parenthesis, bracket or brace at index `open`. */
size_t rev_matching(rev_parser *p, size_t open);

/* parse_type.c */
/* True if the token `ahead` tokens after the current one begins a type. */
bool rev_starts_type(const rev_parser *p, size_t ahead);
rev_specifiers rev_read_specifiers(rev_parser *p);
rev_declarator rev_read_declarator(rev_parser *p, const rev_type *base);
const rev_type *rev_read_type_name(rev_parser *p);
/* Parses a parameter list. Begins after the opening parenthesis, ends after the closing one. */
rev_variable **rev_read_parameters(rev_parser *p, size_t *count);

/* parse_expr.c */
rev_expr *rev_read_expr(rev_parser *p);
rev_expr *rev_read_unary(rev_parser *p);
/* Returns the variable of this name in the innermost scope that has one; NULL if there is none. */
rev_variable *rev_lookup(const rev_parser *p, const char *name);
/* Adds a variable to the innermost scope. */
void rev_declare(rev_parser *p, rev_variable *variable);

/* macro.c */
/* Records a #define line, so that rev_read_macro can expand it. */
void rev_learn_macro(rev_program *program, const rev_token *line);
/* Returns the expression that a macro expands to, if the macro's value has a derivative; NULL if the macro call is
 * kept as it is. */
rev_expr *rev_read_macro(rev_parser *p, const rev_token *name);

/* parse_stmt.c */
rev_block *rev_read_body(rev_parser *p);
/* Parses a block in braces; `what` names the construct before it, for messages. */
rev_block *rev_read_block(rev_parser *p, const char *what);
rev_block *rev_read_block_or_statement(rev_parser *p);

/* parse_control.c: each begins at its keyword and appends to `block`. */
void rev_read_if(rev_parser *p, rev_block *block);
void rev_read_from(rev_parser *p, rev_block *block);
void rev_read_for(rev_parser *p, rev_block *block);
void rev_read_compute(rev_parser *p, rev_block *block);

/* parse_instruction.c */
rev_statement *rev_read_built_in(rev_parser *p, rev_statement_kind kind,
                                 int operands);     /* parses swap(a, b); and the like */
rev_statement *rev_read_instruction(rev_parser *p); /* parses up to and including the semicolon */

/* parse_file.c */
rev_program *rev_read_program(rev_unit *unit, const rev_source *source, const char *const *folders);
/* Parses the function again, with the instance's type in place of `double`. The new function's name is that of
 * rev_instance_name: the original name, an underscore and the type. */
rev_function *rev_read_instance(rev_program *program, const rev_function *original, const rev_instance *instance);
const char *rev_instance_name(rev_unit *unit, const char *name, const char *type);

#endif
