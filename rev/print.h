/* Trees as C, or as CUDA's C++: expressions and declarations as texts in the unit's arena, functions into a text with
 * #line, so that every line of the output has the place of the user's line that it comes from. */
#ifndef REV_PRINT_H
#define REV_PRINT_H

#include "rev/program.h"

typedef struct rev_printer {
    rev_unit *unit;
    rev_program *program;
    verso_text *out;
    const rev_source *source; /* where the next line of the output is said to come from */
    uint32_t line;
    unsigned indent;
    bool lines; /* print #line */
} rev_printer;

const char *rev_text_of_type(rev_unit *unit, const rev_type *type, const char *declarator);
const char *rev_text_of_expr(rev_unit *unit, rev_program *program,
                             const rev_expr *e); /* program: of declared functions; may be NULL */
/* With the conversion that a value of that type needs. */
const char *rev_text_as(rev_unit *unit, rev_program *program, const rev_expr *e, const rev_type *type);
const char *rev_text_quoted(rev_unit *unit, const char *text); /* as a string of C */

/* Prints what begins a line; keeps count of lines. */
void rev_print_line(rev_printer *printer, rev_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rev_print_block(rev_printer *printer, const rev_block *block); /* without braces */
const char *rev_text_of_signature(rev_program *program, const rev_function *function, unsigned variant);

#endif
