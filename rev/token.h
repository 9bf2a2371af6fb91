/* The tokens of a C file. Comments and blanks lie between tokens; nothing is lost, because the tool copies
 * unchanged code by its offset in the text. A preprocessor line with its continuation lines is one token. */
#ifndef REV_TOKEN_H
#define REV_TOKEN_H

#include "rev/unit.h"

typedef enum rev_token_kind {
    REV_END,
    REV_NAME,
    REV_NUMBER,
    REV_STRING,
    REV_CHARACTER,
    REV_MARK, /* punctuator */
    REV_DIRECTIVE,
} rev_token_kind;

typedef struct rev_token {
    rev_token_kind kind;
    uint32_t length;
    const char *text; /* a copy that ends with NUL */
    rev_place place;
} rev_token;

typedef struct rev_tokens {
    rev_token *items; /* the last is REV_END */
    size_t count;
} rev_tokens;

/* Splits a source into tokens. Refuses text that is not C, such as an unclosed string. */
rev_tokens rev_read_tokens(rev_unit *unit, const rev_source *source);

/* Returns the offset of the first character after the token. */
static inline uint32_t rev_token_end(const rev_token *token) {
    return token->place.offset + token->length;
}

#endif
