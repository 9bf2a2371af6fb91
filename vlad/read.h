/* The reader: turns a text into data (S-expressions). Lists are chains of pairs that end with an empty list. */
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
    /* of a list: its parenthesis; of its further pairs: their element; of its end: the closing parenthesis */
    vlad_place place;
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

/* Reads all data of a text as one list. Returns VERSO_STATUS_STATE if the text ends too early,
 * VERSO_STATUS_INVALID for any other error. */
verso_status vlad_read(vlad_symbols *symbols, uint32_t file, const vlad_datum **forms, verso_error *error);

/* Returns the keyword that a list begins with; VLAD_WORD_NONE if the datum is not a list or begins with something
 * else. */
static inline vlad_keyword vlad_datum_keyword(const vlad_datum *datum) {
    if (datum->kind != VLAD_DATUM_PAIR || datum->is.pair.first->kind != VLAD_DATUM_SYMBOL)
        return VLAD_WORD_NONE;
    return datum->is.pair.first->is.symbol->keyword;
}

#endif
