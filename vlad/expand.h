/* The expansion: turns data (read.h) into trees (tree.h). Patterns, `let`, `cond`, internal definitions and the
 * like disappear. */
#ifndef VLAD_EXPAND_H
#define VLAD_EXPAND_H

#include "base/suggest.h"
#include "vlad/memory.h"
#include "vlad/tree.h"

typedef struct vlad_expander {
    vlad_symbols *symbols;
    vlad_stack tasks;    /* work still to be done, the next task on top */
    vlad_stack scope;    /* the binders that names had before the current scopes */
    vlad_stack mentions; /* names mentioned in the current piece */
    uint64_t pieces, patterns;
    verso_error *error;
    /* receives the variables that are bound at the place `at`; NULL: not wanted */
    verso__suggestion *suggestion;
    vlad_place at;
} vlad_expander;

/* Initialise and free an expander; the symbols must outlive it. */
void vlad_expander_init(vlad_expander *expander, vlad_symbols *symbols);
void vlad_expander_free(vlad_expander *expander);

/* Expands an expression. */
verso_status vlad_expand(vlad_expander *expander, const vlad_datum *datum, vlad_piece *piece, verso_error *error);
/* Expands (define …). Sets *name to the name, *piece to the value, which is a lambda expression. */
verso_status vlad_expand_define(vlad_expander *expander, const vlad_datum *datum, const vlad_datum **name,
                                vlad_piece *piece, verso_error *error);
/* Adds to `suggestion` the variables that are bound where an expanded piece mentions a name. */
void vlad_expand_suggest(vlad_expander *expander, const vlad_piece *piece, vlad_place place,
                         verso__suggestion *suggestion);

#endif
