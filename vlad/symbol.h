/* Names: each is one object however often it is written, so that looking one up is looking at it. It knows what it
 * means by itself (a keyword, a primitive), what the program defines it to be, and which local variable it is at the
 * moment: scopes are entered and left as the expansion goes, and put the one before back. */
#ifndef VLAD_SYMBOL_H
#define VLAD_SYMBOL_H

#include "vlad/core.h"

typedef enum vlad_keyword {
    VLAD_WORD_NONE,
    VLAD_WORD_QUOTE,
    VLAD_WORD_LAMBDA,
    VLAD_WORD_LETREC,
    VLAD_WORD_LET,
    VLAD_WORD_LET_STAR,
    VLAD_WORD_IF,
    VLAD_WORD_CONS,
    VLAD_WORD_CONS_STAR,
    VLAD_WORD_LIST,
    VLAD_WORD_COND,
    VLAD_WORD_ELSE,
    VLAD_WORD_AND,
    VLAD_WORD_OR,
    VLAD_WORD_DEFINE,
    VLAD_WORD_INCLUDE,
    VLAD_WORDS
} vlad_keyword;

const char *vlad_keyword_name(vlad_keyword keyword);

struct vlad_binder;
struct vlad_definition;

typedef struct vlad_symbol {
    const char *name; /* ends with NUL */
    size_t length;
    vlad_keyword keyword;
    vlad_operator operation;            /* VLAD_OPERATORS: it is no primitive */
    bool is_vector;                     /* `vector`, which is a primitive of any number of arguments */
    struct vlad_binder *binder;         /* NULL: no local variable */
    struct vlad_definition *definition; /* NULL: not defined so far */
    uint64_t mentioned;                 /* the last piece of the program that refers to it, from 1 */
} vlad_symbol;

typedef struct vlad_symbols {
    vlad_sources *sources;
    vlad_symbol **table; /* by hash, with room; NULL: free */
    size_t count, capacity;
} vlad_symbols;

/* With keywords and primitives in it. */
verso_status vlad_symbols_init(vlad_symbols *symbols, vlad_sources *sources, verso_error *error);
void vlad_symbols_free(vlad_symbols *symbols);
/* NULL: no memory. */
vlad_symbol *vlad_intern(vlad_symbols *symbols, const char *name, size_t length);

#endif
