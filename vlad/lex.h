/* Splits a text into tokens with their places. */
#ifndef VLAD_LEX_H
#define VLAD_LEX_H

#include "vlad/source.h"

typedef enum vlad_token_kind {
    VLAD_TOKEN_END,
    VLAD_TOKEN_OPEN,  /* ( or [ */
    VLAD_TOKEN_CLOSE, /* ) or ] */
    VLAD_TOKEN_QUOTE, /* ' */
    VLAD_TOKEN_SKIP,  /* #; */
    VLAD_TOKEN_DOT,
    VLAD_TOKEN_BOOLEAN,
    VLAD_TOKEN_NUMBER,
    VLAD_TOKEN_NAME,
    VLAD_TOKEN_STRING
} vlad_token_kind;

typedef struct vlad_token {
    vlad_token_kind kind;
    vlad_place place; /* END: the place after the last token */
    const char *text;
    size_t size;
    bool truth;
    bool bracket; /* OPEN, CLOSE: [ or ] instead of ( or ) */
    double number;
    const char *string; /* in the arena */
} vlad_token;

typedef struct vlad_lexer {
    vlad_sources *sources;
    const char *at, *end;
    vlad_place place;
    vlad_place after; /* place after the last token */
} vlad_lexer;

/* Begins at the start of a text. */
void vlad_lexer_begin(vlad_lexer *lexer, vlad_sources *sources, uint32_t file);
/* Sets *token to the next token. VERSO_STATUS_STATE: the text ends within a comment. Numbers are read in the
 * thread's locale, which must be "C". */
verso_status vlad_lex(vlad_lexer *lexer, vlad_token *token, verso_error *error);

#endif
