/* The top level of programs: includes, definitions, expressions; programs and sessions. See core.h.
 *
 * A definition is expanded once, when it is read; the names that it mentions may be defined later. For an
 * expression, the definitions that it needs are collected, directly and through other definitions. Together they
 * become core expressions: the definitions, in the order of the text, form one letrec around the expression. */
#include "vlad/core.h"

#include "base/alloc.h"
#include "base/status.h"
#include "vlad/character.h"
#include "vlad/expand.h"
#include "vlad/memory.h"
#include "vlad/resolve.h"

#include <stdlib.h>
#include <string.h>

/* State of the inclusion of a file. */
typedef enum included { NOT_YET, OPEN, DONE } included;

typedef struct open_file {
    uint32_t file;
    const vlad_datum *rest; /* forms that are still to be read */
} open_file;

struct vlad_session {
    vlad_sources *sources;
    vlad_symbols symbols;
    vlad_expander expander;
    vlad_resolver resolver;
    vlad_stack definitions; /* of vlad_definition * */
    vlad_stack files;       /* of `included`, by file number */
    vlad_stack opens;       /* of open_file; the file that is being read is on top */
    vlad_stack entered;     /* of uint32_t: files of the current piece */
    vlad_stack wanted;      /* of vlad_definition *: definitions that the current expression needs */
    vlad_stack results;     /* of result */
    uint64_t expressions;   /* number of expressions so far */
    bool redefines;         /* a definition may replace one of an earlier piece */
    size_t given;           /* number of definitions of the prelude, which any program may replace */
    size_t earlier;         /* number of definitions of earlier pieces */
    verso_error *error;
};

typedef struct result {
    const vlad_expression *expression;
    uint32_t locals;
} result;

vlad_session *vlad_session_new(vlad_sources *sources) {
    vlad_session *s = verso__alloc(1, sizeof *s);
    if (s == NULL || vlad_symbols_init(&s->symbols, sources, NULL) != VERSO_STATUS_OK) {
        verso__dealloc(s);
        return NULL;
    }
    s->sources = sources;
    vlad_expander_init(&s->expander, &s->symbols);
    vlad_resolver_init(&s->resolver, sources);
    s->definitions.item = s->wanted.item = sizeof(vlad_definition *);
    s->files.item = sizeof(included);
    s->opens.item = sizeof(open_file);
    s->entered.item = sizeof(uint32_t);
    s->results.item = sizeof(result);
    return s;
}

void vlad_session_free(vlad_session *session) {
    if (session == NULL)
        return;
    vlad_symbols_free(&session->symbols);
    vlad_expander_free(&session->expander);
    vlad_resolver_free(&session->resolver);
    vlad_stack_free(&session->definitions);
    vlad_stack_free(&session->files);
    vlad_stack_free(&session->opens);
    vlad_stack_free(&session->entered);
    vlad_stack_free(&session->wanted);
    vlad_stack_free(&session->results);
    verso__dealloc(session);
}

/* ---- Files ---- */

static included *state_of(vlad_session *s, uint32_t file) {
    while (s->files.count <= file)
        if (vlad_push(&s->files) == NULL)
            return NULL;
    return vlad_at(&s->files, file);
}

static verso_status enter_file(vlad_session *s, uint32_t file) {
    included *state = state_of(s, file);
    uint32_t *entered = state != NULL ? vlad_push(&s->entered) : NULL;
    open_file *opened = entered != NULL ? vlad_push(&s->opens) : NULL;
    if (entered != NULL)
        *entered = file;
    if (opened == NULL)
        return vlad_no_memory(s->error);
    *state = OPEN;
    opened->file = file;
    const vlad_datum *forms;
    verso_status status = vlad_read(&s->symbols, file, &forms, s->error);
    opened->rest = forms;
    return status;
}

/* Returns the name, with `.vlad` appended if it has no extension; NULL if there is no memory. */
static const char *with_extension(vlad_session *s, const char *name) {
    static const char extension[] = ".vlad";
    const char *slash = strrchr(name, '/');
    if (strchr(slash != NULL ? slash : name, '.') != NULL)
        return name;
    size_t length = strlen(name);
    char *longer = vlad_sources_alloc(s->sources, length + sizeof extension);
    if (longer != NULL) {
        memcpy(longer, name, length);
        memcpy(longer + length, extension, sizeof extension);
    }
    return longer;
}

/* Turns VERSO_STATUS_STATE into VERSO_STATUS_INVALID: an included text that ends too early is an error, even if
 * more of the including text may follow. */
static verso_status final(verso_status status, verso_error *error) {
    if (status != VERSO_STATUS_STATE)
        return status;
    if (error != NULL)
        error->status = VERSO_STATUS_INVALID;
    return VERSO_STATUS_INVALID;
}

static verso_status include(vlad_session *s, const vlad_datum *form) {
    const vlad_datum *rest = form->is.pair.rest;
    if (rest->kind != VLAD_DATUM_PAIR || rest->is.pair.first->kind != VLAD_DATUM_STRING ||
        rest->is.pair.rest->kind != VLAD_DATUM_EMPTY)
        return vlad_fail_at(s->sources, form->place, VERSO_STATUS_INVALID, s->error,
                            "`include` needs the name of a file in quotes");
    const vlad_datum *string = rest->is.pair.first;
    const char *name = with_extension(s, string->is.string);
    if (name == NULL)
        return vlad_no_memory(s->error);
    uint32_t file;
    bool again;
    verso_error inner = {0};
    verso_status status = vlad_sources_open(s->sources, name, form->place.file, &file, &again, &inner);
    if (status != VERSO_STATUS_OK)
        return vlad_fail_at(s->sources, string->place, status, s->error, "%s", inner.message);
    const included *state = state_of(s, file);
    if (state == NULL)
        return vlad_no_memory(s->error);
    if (*state == OPEN)
        return vlad_fail_at(s->sources, string->place, VERSO_STATUS_INVALID, s->error, "`%s` includes itself",
                            vlad_shown(name, strlen(name)).text);
    return *state == DONE ? VERSO_STATUS_OK : final(enter_file(s, file), s->error);
}

/* ---- Unbound names ---- */

static void offer_names(vlad_session *s, verso__suggestion *suggestion) {
    for (size_t i = 0; i < s->definitions.count; i++)
        verso__suggest_word(suggestion, (*(vlad_definition **)vlad_at(&s->definitions, i))->symbol->name);
    for (int i = 0; i < VLAD_OPERATORS; i++)
        verso__suggest_word(suggestion, vlad_operator_name((vlad_operator)i));
    for (int i = VLAD_WORD_NONE + 1; i < VLAD_WORDS; i++)
        verso__suggest_word(suggestion, vlad_keyword_name((vlad_keyword)i));
    verso__suggest_word(suggestion, "vector");
}

static verso_status unbound(vlad_session *s, const vlad_piece *piece, const vlad_mention *mention) {
    const vlad_symbol *symbol = mention->symbol;
    vlad_words name = vlad_shown(symbol->name, symbol->length);
    verso__suggestion suggestion;
    verso__suggest_begin(&suggestion, symbol->name, symbol->length);
    vlad_expand_suggest(&s->expander, piece, mention->place, &suggestion);
    offer_names(s, &suggestion);
    /* Names of one or two letters are too similar for a suggestion. */
    if (suggestion.best == NULL || symbol->length < 3 || 3 * suggestion.distance > symbol->length + 2)
        return vlad_fail_at(s->sources, mention->place, VERSO_STATUS_INVALID, s->error, "unbound variable `%s`",
                            name.text);
    return vlad_fail_at(s->sources, mention->place, VERSO_STATUS_INVALID, s->error,
                        "unbound variable `%s`; did you mean `%s`?", name.text, suggestion.best);
}

static bool has_meaning(const vlad_symbol *symbol) {
    return symbol->definition != NULL || symbol->operation != VLAD_OPERATORS || symbol->is_vector;
}

/* ---- Definitions ---- */

static verso_status define(vlad_session *s, const vlad_datum *form) {
    vlad_definition *d = vlad_sources_alloc(s->sources, sizeof *d);
    if (d == NULL)
        return vlad_no_memory(s->error);
    const vlad_datum *name;
    verso_status status = vlad_expand_define(&s->expander, form, &name, &d->piece, s->error);
    if (status != VERSO_STATUS_OK)
        return status;
    d->symbol = name->is.symbol;
    d->place = name->place;
    vlad_definition *first = d->symbol->definition;
    bool replaces = first == NULL || first->number <= s->given || (s->redefines && first->number <= s->earlier);
    if (!replaces) /* numbers begin with 1 */
        return vlad_fail_at(s->sources, d->place, VERSO_STATUS_INVALID, s->error,
                            "`%s` is defined twice; first at %s:%u:%u",
                            vlad_shown(d->symbol->name, d->symbol->length).text,
                            vlad_sources_name(s->sources, first->place.file), first->place.line, first->place.column);
    vlad_definition **entry = vlad_push(&s->definitions);
    if (entry == NULL)
        return vlad_no_memory(s->error);
    d->before = first;
    *entry = d->symbol->definition = d;
    d->number = s->definitions.count;
    return VERSO_STATUS_OK;
}

/* ---- Expressions ---- */

/* Adds the definitions that a piece mentions to those that are needed. */
static verso_status want(vlad_session *s, const vlad_piece *piece) {
    for (size_t i = 0; i < piece->mention_count; i++) {
        const vlad_mention *mention = &piece->mentions[i];
        if (!has_meaning(mention->symbol))
            return unbound(s, piece, mention);
        vlad_definition *d = mention->symbol->definition;
        if (d == NULL || d->wanted_by == s->expressions)
            continue;
        vlad_definition **entry = vlad_push(&s->wanted);
        if (entry == NULL)
            return vlad_no_memory(s->error);
        *entry = d;
        d->wanted_by = s->expressions;
    }
    return VERSO_STATUS_OK;
}

static int by_number(const void *left, const void *right) {
    const vlad_definition *a = *(vlad_definition *const *)left, *b = *(vlad_definition *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Puts one letrec of all needed definitions around an expression. */
static verso_status wrap(vlad_session *s, vlad_tree **tree) {
    size_t count = s->wanted.count;
    if (count == 0)
        return VERSO_STATUS_OK;
    qsort(s->wanted.items, count, s->wanted.item, by_number);
    vlad_tree *whole = vlad_sources_alloc(s->sources, sizeof *whole);
    vlad_tree_letrec *letrec = vlad_sources_alloc(s->sources, sizeof *letrec);
    vlad_binder *binders = vlad_sources_alloc(s->sources, count * sizeof *binders);
    vlad_binder **names = vlad_sources_alloc(s->sources, count * sizeof *names);
    vlad_tree_lambda *lambdas = vlad_sources_alloc(s->sources, count * sizeof *lambdas);
    if (whole == NULL || letrec == NULL || binders == NULL || names == NULL || lambdas == NULL)
        return vlad_no_memory(s->error);
    for (size_t i = 0; i < count; i++) {
        vlad_definition *d = *(vlad_definition **)vlad_at(&s->wanted, i);
        binders[i] = (vlad_binder){.name = d->symbol->name, .place = d->place};
        names[i] = d->binder = &binders[i];
        lambdas[i] = *d->piece.tree->is.lambda;
    }
    *letrec = (vlad_tree_letrec){names, lambdas, (uint32_t)count};
    *whole = (vlad_tree){.kind = VLAD_TREE_LETREC, .place = (*tree)->place, .is.letrec = letrec, .parts = {*tree}};
    *tree = whole;
    return VERSO_STATUS_OK;
}

static verso_status evaluate(vlad_session *s, const vlad_datum *form) {
    vlad_piece piece;
    verso_status status = vlad_expand(&s->expander, form, &piece, s->error);
    s->expressions++;
    s->wanted.count = 0;
    if (status == VERSO_STATUS_OK)
        status = want(s, &piece);
    for (size_t i = 0; i < s->wanted.count && status == VERSO_STATUS_OK; i++)
        status = want(s, &(*(vlad_definition **)vlad_at(&s->wanted, i))->piece);
    if (status == VERSO_STATUS_OK)
        status = wrap(s, &piece.tree);
    result *r = status == VERSO_STATUS_OK ? vlad_push(&s->results) : NULL;
    if (r == NULL)
        return status == VERSO_STATUS_OK ? vlad_no_memory(s->error) : status;
    return vlad_resolve(&s->resolver, piece.tree, &r->expression, &r->locals, s->error);
}

/* ---- Programs ---- */

static verso_status read_forms(vlad_session *s, uint32_t file) {
    verso_status status = enter_file(s, file);
    while (status == VERSO_STATUS_OK && s->opens.count > 0) {
        open_file *top = vlad_at(&s->opens, s->opens.count - 1);
        if (top->rest->kind == VLAD_DATUM_EMPTY) {
            *state_of(s, top->file) = DONE;
            s->opens.count--;
            continue;
        }
        const vlad_datum *form = top->rest->is.pair.first;
        top->rest = top->rest->is.pair.rest;
        vlad_keyword keyword = vlad_datum_keyword(form);
        status = keyword == VLAD_WORD_INCLUDE  ? include(s, form)
                 : keyword == VLAD_WORD_DEFINE ? define(s, form)
                                               : evaluate(s, form);
    }
    return status;
}

static verso_status collect(vlad_session *s, vlad_program *program) {
    size_t count = s->results.count;
    const vlad_expression **expressions = vlad_sources_alloc(s->sources, count * sizeof(*expressions));
    uint32_t *locals = vlad_sources_alloc(s->sources, count * sizeof *locals);
    if (expressions == NULL || locals == NULL)
        return vlad_no_memory(s->error);
    for (size_t i = 0; i < count; i++) {
        const result *r = vlad_at(&s->results, i);
        expressions[i] = r->expression;
        locals[i] = r->locals;
    }
    *program = (vlad_program){.expressions = expressions,
                              .locals = locals,
                              .count = (uint32_t)count,
                              .locals_most = s->resolver.locals_most,
                              .lambdas = s->resolver.lambdas,
                              .letrecs = s->resolver.letrecs,
                              .numbers = s->resolver.numbers};
    return VERSO_STATUS_OK;
}

/* Removes everything that the last piece has added. */
static void forget(vlad_session *s, size_t definitions, uint32_t texts) {
    while (s->definitions.count > definitions) {
        const vlad_definition *last = *(vlad_definition **)vlad_pop(&s->definitions);
        last->symbol->definition = last->before;
    }
    while (s->entered.count > 0)
        *(included *)vlad_at(&s->files, *(uint32_t *)vlad_pop(&s->entered)) = NOT_YET;
    vlad_sources_forget(s->sources, texts);
}

verso_status vlad_session_read(vlad_session *session, uint32_t file, vlad_program *program, verso_error *error) {
    size_t definitions = session->definitions.count;
    uint32_t texts = vlad_sources_count(session->sources);
    *program = (vlad_program){0};
    session->error = error;
    session->earlier = definitions;
    session->opens.count = session->entered.count = session->results.count = 0;
    session->resolver.lambdas = session->resolver.letrecs = session->resolver.numbers = 0;
    session->resolver.entries = 0;
    verso_status status = read_forms(session, file);
    if (status == VERSO_STATUS_OK)
        status = collect(session, program);
    if (status != VERSO_STATUS_OK)
        forget(session, definitions, texts);
    return status;
}

verso_status vlad_session_prelude(vlad_session *session, verso_error *error) {
    vlad_program none;
    uint32_t file;
    if (!vlad_sources_has_prelude(session->sources))
        return VERSO_STATUS_OK;
    verso_status status =
        vlad_sources_add(session->sources, "prelude", vlad_prelude_text, strlen(vlad_prelude_text), &file, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_session_read(session, file, &none, error);
    session->given = session->definitions.count;
    return status;
}

void vlad_session_redefine(vlad_session *session) {
    session->redefines = true;
}

size_t vlad_session_definitions(const vlad_session *session) {
    return session->definitions.count;
}

const char *vlad_session_definition(const vlad_session *session, size_t index) {
    return (*(vlad_definition **)vlad_at(&session->definitions, index))->symbol->name;
}

/* Checks that all names in definitions are defined. A definition that no expression needs may mention later
 * definitions, but not undefined names. */
static verso_status check_all(vlad_session *s) {
    for (size_t i = 0; i < s->definitions.count; i++) {
        const vlad_piece *piece = &(*(vlad_definition **)vlad_at(&s->definitions, i))->piece;
        for (size_t j = 0; j < piece->mention_count; j++)
            if (!has_meaning(piece->mentions[j].symbol))
                return unbound(s, piece, &piece->mentions[j]);
    }
    return VERSO_STATUS_OK;
}

verso_status vlad_read_program(vlad_sources *sources, uint32_t file, vlad_program *program, verso_error *error) {
    *program = (vlad_program){0};
    vlad_session *session = vlad_session_new(sources);
    if (session == NULL)
        return vlad_no_memory(error);
    verso_status status = vlad_session_prelude(session, error);
    if (status == VERSO_STATUS_OK)
        status = final(vlad_session_read(session, file, program, error), error);
    if (status == VERSO_STATUS_OK)
        status = check_all(session);
    if (status != VERSO_STATUS_OK)
        *program = (vlad_program){0};
    vlad_session_free(session);
    return status;
}
