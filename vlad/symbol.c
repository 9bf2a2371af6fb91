/* See symbol.h. */
#include "vlad/symbol.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "vlad/memory.h"

#include <string.h>

enum { FIRST_TABLE = 256 }; /* a power of two */

const char *vlad_keyword_name(vlad_keyword keyword) {
    static const char *const names[VLAD_WORDS] = {
        [VLAD_WORD_NONE] = "",           [VLAD_WORD_QUOTE] = "quote", [VLAD_WORD_LAMBDA] = "lambda",
        [VLAD_WORD_LETREC] = "letrec",   [VLAD_WORD_LET] = "let",     [VLAD_WORD_LET_STAR] = "let*",
        [VLAD_WORD_IF] = "if",           [VLAD_WORD_CONS] = "cons",   [VLAD_WORD_CONS_STAR] = "cons*",
        [VLAD_WORD_LIST] = "list",       [VLAD_WORD_COND] = "cond",   [VLAD_WORD_ELSE] = "else",
        [VLAD_WORD_AND] = "and",         [VLAD_WORD_OR] = "or",       [VLAD_WORD_DEFINE] = "define",
        [VLAD_WORD_INCLUDE] = "include",
    };
    return names[keyword];
}

static size_t place_of(vlad_symbol *const *table, size_t capacity, const char *name, size_t length) {
    size_t at = (size_t)verso__checksum(name, length) & (capacity - 1);
    while (table[at] != NULL && (table[at]->length != length || memcmp(table[at]->name, name, length) != 0))
        at = (at + 1) & (capacity - 1);
    return at;
}

/* Keeps at least half of the table free. */
static bool make_room(vlad_symbols *symbols) {
    if (2 * (symbols->count + 1) <= symbols->capacity)
        return true;
    size_t capacity = symbols->capacity > 0 ? 2 * symbols->capacity : FIRST_TABLE;
    vlad_symbol **table = verso__alloc(capacity, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < symbols->capacity; i++) {
        vlad_symbol *symbol = symbols->table[i];
        if (symbol != NULL)
            table[place_of(table, capacity, symbol->name, symbol->length)] = symbol;
    }
    verso__dealloc(symbols->table);
    symbols->table = table;
    symbols->capacity = capacity;
    return true;
}

vlad_symbol *vlad_intern(vlad_symbols *symbols, const char *name, size_t length) {
    if (!make_room(symbols))
        return NULL;
    size_t at = place_of(symbols->table, symbols->capacity, name, length);
    if (symbols->table[at] != NULL)
        return symbols->table[at];
    vlad_symbol *symbol = vlad_sources_alloc(symbols->sources, sizeof *symbol);
    char *copy = vlad_sources_alloc(symbols->sources, length + 1);
    if (symbol == NULL || copy == NULL)
        return NULL;
    memcpy(copy, name, length);
    symbol->name = copy;
    symbol->length = length;
    symbol->operation = VLAD_OPERATORS;
    symbols->table[at] = symbol;
    symbols->count++;
    return symbol;
}

static bool enter_all(vlad_symbols *symbols) {
    for (int keyword = VLAD_WORD_NONE + 1; keyword < VLAD_WORDS; keyword++) {
        const char *name = vlad_keyword_name((vlad_keyword)keyword);
        vlad_symbol *symbol = vlad_intern(symbols, name, strlen(name));
        if (symbol == NULL)
            return false;
        symbol->keyword = (vlad_keyword)keyword;
    }
    for (int operation = 0; operation < VLAD_OPERATORS; operation++) {
        const char *name = vlad_operator_name((vlad_operator)operation);
        vlad_symbol *symbol = vlad_intern(symbols, name, strlen(name));
        if (symbol == NULL)
            return false;
        if (symbol->keyword == VLAD_WORD_NONE) /* `cons` is a keyword */
            symbol->operation = (vlad_operator)operation;
    }
    vlad_symbol *vector = vlad_intern(symbols, "vector", strlen("vector"));
    if (vector != NULL)
        vector->is_vector = true;
    return vector != NULL;
}

verso_status vlad_symbols_init(vlad_symbols *symbols, vlad_sources *sources, verso_error *error) {
    *symbols = (vlad_symbols){.sources = sources};
    if (enter_all(symbols))
        return VERSO_STATUS_OK;
    vlad_symbols_free(symbols);
    return vlad_no_memory(error);
}

void vlad_symbols_free(vlad_symbols *symbols) {
    verso__dealloc(symbols->table);
    *symbols = (vlad_symbols){0};
}
