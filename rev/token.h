/* The words of a C file. Comments and blanks are between tokens and are never lost: what the tool leaves alone is
 * copied by its place in the text. A preprocessor line with its continuations is one token. */
#ifndef REV_TOKEN_H
#define REV_TOKEN_H

#include "rev/unit.h"

typedef enum rev_token_kind {
    REV_END,
    REV_NAME,
    REV_NUMBER,
    REV_STRING,
    REV_CHARACTER,
    REV_MARK, /* a punctuator */
    REV_DIRECTIVE,
} rev_token_kind;

typedef struct rev_token {
    rev_token_kind kind;
    uint32_t length;
    const char *text; /* NUL-terminated copy */
    rev_place place;
} rev_token;

typedef struct rev_tokens {
    rev_token *items; /* the last is REV_END */
    size_t count;
} rev_tokens;

rev_tokens rev_read_tokens(rev_unit *unit, const rev_source *source);

static inline uint32_t rev_token_end(const rev_token *token) {
    return token->place.offset + token->length;
}

#endif
