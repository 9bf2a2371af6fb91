/* Data: what a text is before it is a program. Lists are chains of pairs that end in an empty list. */
#ifndef VLAD_READ_H
#define VLAD_READ_H

#include "vlad/symbol.h"

typedef enum vlad_datum_kind {
    VLAD_DATUM_EMPTY,
    VLAD_DATUM_BOOLEAN,
    VLAD_DATUM_NUMBER,
    VLAD_DATUM_SYMBOL,
    VLAD_DATUM_STRING,
    VLAD_DATUM_PAIR
} vlad_datum_kind;

typedef struct vlad_datum {
    vlad_datum_kind kind;
    vlad_place place; /* a list's is its parenthesis; further pairs of it have their element's, its end that of `)` */
    union {
        bool truth;
        double number;
        vlad_symbol *symbol;
        const char *string;
        struct {
            const struct vlad_datum *first, *rest;
        } pair;
    } is;
} vlad_datum;

/* All data of a text, as one list. A text that ends too early is VERSO_STATE, anything else that is wrong
 * VERSO_INVALID.
 */
verso_status vlad_read(vlad_symbols *symbols, uint32_t file, const vlad_datum **forms, verso_error *error);

/* The name of a list's keyword; VLAD_WORD_NONE: it is no list, or begins with something else. */
static inline vlad_keyword vlad_datum_keyword(const vlad_datum *datum) {
    if (datum->kind != VLAD_DATUM_PAIR || datum->is.pair.first->kind != VLAD_DATUM_SYMBOL)
        return VLAD_WORD_NONE;
    return datum->is.pair.first->is.symbol->keyword;
}

#endif
