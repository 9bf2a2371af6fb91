/* The reader: see read.h.
 *
 * Open constructs (lists, quotes, comments of one datum) are on a stack. A complete datum is added to the
 * construct on top, which may complete that one, too. The bottom of the stack is the list of all forms. */
#include "vlad/read.h"

#include "vlad/character.h"
#include "vlad/lex.h"
#include "vlad/memory.h"

#include <locale.h>
#include <string.h>

typedef enum open_kind { OPEN_TEXT, OPEN_LIST, OPEN_QUOTE, OPEN_SKIP } open_kind;
typedef enum dot_state { NO_DOT, AFTER_DOT, AFTER_TAIL } dot_state;

typedef struct open {
    open_kind kind;
    vlad_place place;
    bool bracket; /* a list that began with [ */
    dot_state dot;
    /* first and last pair of the list; NULL: it is empty */
    vlad_datum *first, *last;
} open;

typedef struct reader {
    vlad_lexer lexer;
    vlad_symbols *symbols;
    vlad_stack opens;
    verso_error *error;
} reader;

static open *top(reader *r) {
    return vlad_at(&r->opens, r->opens.count - 1);
}

static verso_status enter(reader *r, open_kind kind, vlad_place place) {
    open *o = vlad_push(&r->opens);
    if (o == NULL)
        return vlad_no_memory(r->error);
    o->kind = kind;
    o->place = place;
    return VERSO_STATUS_OK;
}

static vlad_datum *new_datum(reader *r, vlad_datum_kind kind, vlad_place place) {
    vlad_datum *datum = vlad_sources_alloc(r->symbols->sources, sizeof *datum);
    if (datum != NULL) {
        datum->kind = kind;
        datum->place = place;
    }
    return datum;
}

static vlad_datum *new_pair(reader *r, vlad_place place, const vlad_datum *first, const vlad_datum *rest) {
    vlad_datum *pair = new_datum(r, VLAD_DATUM_PAIR, place);
    if (pair != NULL) {
        pair->is.pair.first = first;
        pair->is.pair.rest = rest;
    }
    return pair;
}

/* Returns (quote DATUM); NULL if there is no memory. */
static vlad_datum *quoted(reader *r, vlad_place place, const vlad_datum *datum) {
    vlad_datum *word = new_datum(r, VLAD_DATUM_SYMBOL, place), *end = new_datum(r, VLAD_DATUM_EMPTY, datum->place);
    vlad_datum *rest = end != NULL ? new_pair(r, datum->place, datum, end) : NULL;
    if (word == NULL || rest == NULL)
        return NULL;
    word->is.symbol = vlad_intern(r->symbols, "quote", strlen("quote"));
    return word->is.symbol != NULL ? new_pair(r, place, word, rest) : NULL;
}

static char closing(const open *o) {
    return o->bracket ? ']' : ')';
}

static char opening(const open *o) {
    return o->bracket ? '[' : '(';
}

static verso_status append(reader *r, open *o, vlad_datum *datum) {
    if (o->dot == AFTER_TAIL)
        return vlad_fail_at(r->symbols->sources, datum->place, VERSO_STATUS_INVALID, r->error,
                            "expected `%c`: one datum follows a `.`", closing(o));
    if (o->dot == AFTER_DOT) {
        o->last->is.pair.rest = datum;
        o->dot = AFTER_TAIL;
        return VERSO_STATUS_OK;
    }
    vlad_datum *pair = new_pair(r, o->first == NULL ? o->place : datum->place, datum, NULL);
    if (pair == NULL)
        return vlad_no_memory(r->error);
    if (o->first == NULL)
        o->first = pair;
    else
        o->last->is.pair.rest = pair;
    o->last = pair;
    return VERSO_STATUS_OK;
}

/* Adds a complete datum. */
static verso_status add(reader *r, vlad_datum *datum) {
    while (datum != NULL) {
        open *o = top(r);
        if (o->kind == OPEN_TEXT || o->kind == OPEN_LIST)
            return append(r, o, datum);
        r->opens.count--;
        if (o->kind == OPEN_SKIP)
            return VERSO_STATUS_OK;
        datum = quoted(r, o->place, datum);
    }
    return vlad_no_memory(r->error);
}

/* Fails because a datum is missing where a list or the text ends. */
static verso_status nothing_follows(reader *r, const open *o, vlad_place place, verso_status status) {
    const char *what = o->kind == OPEN_QUOTE ? "'" : o->kind == OPEN_SKIP ? "#;" : ".";
    return vlad_fail_at(r->symbols->sources, place, status, r->error, "expected a datum after `%s`", what);
}

static verso_status end_list(reader *r, open *o, vlad_place place, vlad_datum **list) {
    if (o->dot == AFTER_DOT)
        return nothing_follows(r, o, place, VERSO_STATUS_INVALID);
    vlad_datum *end = o->dot == AFTER_TAIL ? NULL : new_datum(r, VLAD_DATUM_EMPTY, o->first ? place : o->place);
    if (o->dot != AFTER_TAIL && end == NULL)
        return vlad_no_memory(r->error);
    *list = o->first != NULL ? o->first : end;
    if (o->first != NULL && end != NULL)
        o->last->is.pair.rest = end;
    return VERSO_STATUS_OK;
}

static verso_status close(reader *r, vlad_place place, bool bracket) {
    open *o = top(r);
    if (o->kind == OPEN_TEXT)
        return vlad_fail_at(r->symbols->sources, place, VERSO_STATUS_INVALID, r->error,
                            "unexpected `%c`: there is no `%c` that it could close", bracket ? ']' : ')',
                            bracket ? '[' : '(');
    if (o->kind != OPEN_LIST)
        return nothing_follows(r, o, place, VERSO_STATUS_INVALID);
    if (o->bracket != bracket)
        return vlad_fail_at(r->symbols->sources, place, VERSO_STATUS_INVALID, r->error,
                            "expected `%c` to close the `%c` at %u:%u", closing(o), opening(o), o->place.line,
                            o->place.column);
    vlad_datum *list;
    verso_status status = end_list(r, o, place, &list);
    if (status != VERSO_STATUS_OK)
        return status;
    r->opens.count--;
    return add(r, list);
}

static verso_status dot(reader *r, vlad_place place) {
    open *o = top(r);
    if (o->kind != OPEN_LIST || o->first == NULL)
        return vlad_fail_at(r->symbols->sources, place, VERSO_STATUS_INVALID, r->error,
                            "expected a datum before `.`, which precedes the last datum of a list");
    if (o->dot != NO_DOT)
        return vlad_fail_at(r->symbols->sources, place, VERSO_STATUS_INVALID, r->error, "a second `.` in one list");
    o->dot = AFTER_DOT;
    return VERSO_STATUS_OK;
}

static verso_status atom(reader *r, const vlad_token *token) {
    static const vlad_datum_kind kinds[] = {[VLAD_TOKEN_BOOLEAN] = VLAD_DATUM_BOOLEAN,
                                            [VLAD_TOKEN_NUMBER] = VLAD_DATUM_NUMBER,
                                            [VLAD_TOKEN_NAME] = VLAD_DATUM_SYMBOL,
                                            [VLAD_TOKEN_STRING] = VLAD_DATUM_STRING};
    vlad_datum *datum = new_datum(r, kinds[token->kind], token->place);
    if (datum == NULL)
        return vlad_no_memory(r->error);
    if (token->kind == VLAD_TOKEN_BOOLEAN)
        datum->is.truth = token->truth;
    else if (token->kind == VLAD_TOKEN_NUMBER)
        datum->is.number = token->number;
    else if (token->kind == VLAD_TOKEN_STRING)
        datum->is.string = token->string;
    else if ((datum->is.symbol = vlad_intern(r->symbols, token->text, token->size)) == NULL)
        return vlad_no_memory(r->error);
    return add(r, datum);
}

/* Completes the list of all forms at the end of the text; fails if a construct is still open. */
static verso_status finish(reader *r, vlad_place end, const vlad_datum **forms) {
    open *o = top(r);
    if (o->kind == OPEN_TEXT) {
        vlad_datum *list = NULL;
        verso_status status = end_list(r, o, end, &list);
        *forms = list;
        return status;
    }
    if (o->kind != OPEN_LIST || o->dot == AFTER_DOT)
        return nothing_follows(r, o, end, VERSO_STATUS_STATE);
    return vlad_fail_at(r->symbols->sources, end, VERSO_STATUS_STATE, r->error,
                        "expected `%c` to close the `%c` at %u:%u", closing(o), opening(o), o->place.line,
                        o->place.column);
}

static verso_status read_all(reader *r, const vlad_datum **forms) {
    verso_status status = enter(r, OPEN_TEXT, (vlad_place){r->lexer.place.file, 1, 1});
    while (status == VERSO_STATUS_OK) {
        vlad_token token;
        status = vlad_lex(&r->lexer, &token, r->error);
        if (status != VERSO_STATUS_OK)
            break;
        switch (token.kind) {
        case VLAD_TOKEN_END: return finish(r, token.place, forms);
        case VLAD_TOKEN_OPEN:
            status = enter(r, OPEN_LIST, token.place);
            if (status == VERSO_STATUS_OK)
                top(r)->bracket = token.bracket;
            break;
        case VLAD_TOKEN_CLOSE: status = close(r, token.place, token.bracket); break;
        case VLAD_TOKEN_QUOTE: status = enter(r, OPEN_QUOTE, token.place); break;
        case VLAD_TOKEN_SKIP: status = enter(r, OPEN_SKIP, token.place); break;
        case VLAD_TOKEN_DOT: status = dot(r, token.place); break;
        default: status = atom(r, &token); break;
        }
    }
    return status;
}

verso_status vlad_read(vlad_symbols *symbols, uint32_t file, const vlad_datum **forms, verso_error *error) {
    *forms = NULL;
    /* so that the decimal point does not depend on the locale */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return vlad_no_memory(error);
    locale_t before = uselocale(plain);
    reader r = {.symbols = symbols, .opens = {.item = sizeof(open)}, .error = error};
    vlad_lexer_begin(&r.lexer, symbols->sources, file);
    verso_status status = read_all(&r, forms);
    vlad_stack_free(&r.opens);
    uselocale(before);
    freelocale(plain);
    return status;
}
