/* Prints trees as C, or as CUDA's C++. Expressions and declarations are returned as strings in the unit's arena.
 * Statements are appended to a text with #line directives, so that compilers and debuggers show the user's file
 * and line. */
#ifndef REV_PRINT_H
#define REV_PRINT_H

#include "rev/program.h"

typedef struct rev_printer {
    rev_unit *unit;
    rev_program *program;
    verso__text *out;
    const rev_source *source; /* the file and line that the compiler takes the next line of the output to come from */
    uint32_t line;
    unsigned indent;
    bool lines; /* print #line directives */
} rev_printer;

/* Returns the declaration of `declarator` with this type, or the type alone if it is "". */
const char *rev_text_of_type(rev_unit *unit, const rev_type *type, const char *declarator);
/* Returns an expression as C. `program` (may be NULL) supplies the names of declared functions. */
const char *rev_text_of_expr(rev_unit *unit, rev_program *program, const rev_expr *e);
/* Prints `e` with the conversion that a value of this type needs. */
const char *rev_text_as(rev_unit *unit, rev_program *program, const rev_expr *e, const rev_type *type);
const char *rev_text_quoted(rev_unit *unit, const char *text); /* returns a C string literal */

/* Prints one line, indented, after the #line directive that `place` requires. */
void rev_print_line(rev_printer *printer, rev_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rev_print_block(rev_printer *printer, const rev_block *block); /* without braces */
/* Returns the head of one of the functions derived from `function`. */
const char *rev_text_of_signature(rev_program *program, const rev_function *function, unsigned variant);

#endif
