/* Symbols: each name is one object, however often it is written, so that names are compared by address. A symbol
 * holds its predefined meaning (a keyword or a primitive), its definition in the program, and the local variable
 * that it currently denotes. The expansion sets the latter when it enters a scope and restores it when it leaves
 * the scope. */
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

/* Returns the name in programs: "let*", ... */
const char *vlad_keyword_name(vlad_keyword keyword);

struct vlad_binder;
struct vlad_definition;

typedef struct vlad_symbol {
    const char *name; /* ends with NUL */
    size_t length;
    vlad_keyword keyword;
    vlad_operator operation;            /* VLAD_OPERATORS: not a primitive */
    bool is_vector;                     /* `vector`, a primitive with any number of arguments */
    struct vlad_binder *binder;         /* NULL: not a local variable */
    struct vlad_definition *definition; /* NULL: not defined yet */
    uint64_t mentioned;                 /* number of the last piece of the program that mentions it, from 1 */
} vlad_symbol;

typedef struct vlad_symbols {
    vlad_sources *sources;
    vlad_symbol **table; /* a hash table; NULL: free */
    size_t count, capacity;
} vlad_symbols;

/* Makes a table that contains the keywords and primitives. */
verso_status vlad_symbols_init(vlad_symbols *symbols, vlad_sources *sources, verso_error *error);
void vlad_symbols_free(vlad_symbols *symbols);
/* Returns the symbol of this name, which is made if it is new; NULL if there is no memory. */
vlad_symbol *vlad_intern(vlad_symbols *symbols, const char *name, size_t length);

#endif
