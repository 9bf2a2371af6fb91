/* From data to trees: patterns, `let`, `cond`, internal definitions and the like become what tree.h has. */
#ifndef VLAD_EXPAND_H
#define VLAD_EXPAND_H

#include "base/suggest.h"
#include "vlad/memory.h"
#include "vlad/tree.h"

typedef struct vlad_expander {
    vlad_symbols *symbols;
    vlad_stack tasks;    /* what is still to do, the next on top */
    vlad_stack scope;    /* which variables names had before they were bound */
    vlad_stack mentions; /* of the piece */
    uint64_t pieces, patterns;
    verso_error *error;
    verso_suggestion *suggestion; /* given the variables that are bound at: */
    vlad_place at;
} vlad_expander;

void vlad_expander_init(vlad_expander *expander, vlad_symbols *symbols);
void vlad_expander_free(vlad_expander *expander);

/* An expression. */
verso_status vlad_expand(vlad_expander *expander, const vlad_datum *datum, vlad_piece *piece, verso_error *error);
/* (define …): its name, and its value, which is a lambda expression. */
verso_status vlad_expand_define(vlad_expander *expander, const vlad_datum *datum, const vlad_datum **name,
                                vlad_piece *piece, verso_error *error);
/* Offers what is bound where a piece that has been expanded mentions a name. */
void vlad_expand_suggest(vlad_expander *expander, const vlad_piece *piece, vlad_place place,
                         verso_suggestion *suggestion);

#endif
