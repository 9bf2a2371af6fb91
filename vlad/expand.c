/* The expansion: tasks, data, scopes, nodes, and the functions of expand.h. See also expand_inside.h. */
#include "vlad/expand.h"

#include "vlad/character.h"
#include "vlad/expand_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A symbol with the binder that it had before it was bound. */
typedef struct shadowed {
    vlad_symbol *symbol;
    vlad_binder *before;
} shadowed;

void vlad_expander_init(vlad_expander *expander, vlad_symbols *symbols) {
    *expander = (vlad_expander){
        .symbols = symbols,
        .tasks = {.item = sizeof(vlad_task)},
        .scope = {.item = sizeof(shadowed)},
        .mentions = {.item = sizeof(vlad_mention)},
    };
}

void vlad_expander_free(vlad_expander *expander) {
    vlad_stack_free(&expander->tasks);
    vlad_stack_free(&expander->scope);
    vlad_stack_free(&expander->mentions);
}

verso_status vlad_next(vlad_expander *x, vlad_task task) {
    vlad_task *pushed = vlad_push(&x->tasks);
    if (pushed == NULL)
        return vlad_no_memory(x->error);
    *pushed = task;
    return VERSO_STATUS_OK;
}

/* ---- Data ---- */

verso_status vlad_refuse(vlad_expander *x, vlad_place place, const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(what, sizeof what, format, arguments) < 0)
        what[0] = '\0';
    va_end(arguments);
    return vlad_fail_at(x->symbols->sources, place, VERSO_STATUS_INVALID, x->error, "%s", what);
}

size_t vlad_length(const vlad_datum *datum) {
    size_t length = 0;
    for (; datum->kind == VLAD_DATUM_PAIR; datum = datum->is.pair.rest)
        length++;
    return datum->kind == VLAD_DATUM_EMPTY ? length : SIZE_MAX;
}

const vlad_datum *vlad_after(const vlad_datum *list, size_t n) {
    for (size_t i = 0; i <= n; i++)
        list = list->is.pair.rest;
    return list;
}

const vlad_datum *vlad_nth(const vlad_datum *list, size_t n) {
    return (n > 0 ? vlad_after(list, n - 1) : list)->is.pair.first;
}

vlad_datum *vlad_new_pair(vlad_expander *x, vlad_place place, const vlad_datum *first, const vlad_datum *rest) {
    vlad_datum *pair = vlad_sources_alloc(x->symbols->sources, sizeof *pair);
    if (pair == NULL) {
        vlad_no_memory(x->error);
        return NULL;
    }
    pair->kind = VLAD_DATUM_PAIR;
    pair->place = place;
    pair->is.pair.first = first;
    pair->is.pair.rest = rest;
    return pair;
}

/* ---- Scopes ---- */

vlad_binder *vlad_new_binder(vlad_expander *x, const char *name, vlad_place place) {
    vlad_binder *binder = vlad_sources_alloc(x->symbols->sources, sizeof *binder);
    if (binder == NULL) {
        vlad_no_memory(x->error);
        return NULL;
    }
    binder->name = name;
    binder->place = place;
    return binder;
}

verso_status vlad_bind(vlad_expander *x, const vlad_datum *name, uint64_t pattern, vlad_binder **binder) {
    if (name->kind != VLAD_DATUM_SYMBOL)
        return vlad_refuse(x, name->place, "expected a name to bind");
    vlad_symbol *symbol = name->is.symbol;
    if (symbol->keyword != VLAD_WORD_NONE)
        return vlad_refuse(x, name->place, "`%s` is a keyword and cannot be bound", symbol->name);
    if (symbol->binder != NULL && symbol->binder->pattern == pattern)
        return vlad_refuse(x, name->place, "`%s` is bound twice here; the first one is at %u:%u",
                           vlad_shown(symbol->name, symbol->length).text, symbol->binder->place.line,
                           symbol->binder->place.column);
    *binder = vlad_new_binder(x, symbol->name, name->place);
    shadowed *before = *binder != NULL ? vlad_push(&x->scope) : NULL;
    if (before == NULL)
        return vlad_no_memory(x->error);
    (*binder)->pattern = pattern;
    *before = (shadowed){symbol, symbol->binder};
    symbol->binder = *binder;
    return VERSO_STATUS_OK;
}

static void leave(vlad_expander *x, size_t mark) {
    while (x->scope.count > mark) {
        const shadowed *s = vlad_pop(&x->scope);
        s->symbol->binder = s->before;
    }
}

static verso_status do_leave(vlad_expander *x, vlad_task task) {
    leave(x, task.to.mark);
    return VERSO_STATUS_OK;
}

verso_status vlad_leave_later(vlad_expander *x) {
    return vlad_next(x, (vlad_task){.run = do_leave, .to.mark = x->scope.count});
}

/* ---- Trees ---- */

vlad_tree *vlad_new_tree(vlad_expander *x, vlad_tree_kind kind, vlad_place place) {
    vlad_tree *tree = vlad_sources_alloc(x->symbols->sources, sizeof *tree);
    if (tree == NULL) {
        vlad_no_memory(x->error);
        return NULL;
    }
    tree->kind = kind;
    tree->place = place;
    return tree;
}

vlad_tree *vlad_new_constant(vlad_expander *x, vlad_place place, vlad_value value) {
    vlad_tree *tree = vlad_new_tree(x, VLAD_TREE_CONSTANT, place);
    if (tree != NULL)
        tree->is.constant = value;
    return tree;
}

vlad_tree *vlad_new_local(vlad_expander *x, vlad_place place, vlad_binder *binder) {
    vlad_tree *tree = vlad_new_tree(x, VLAD_TREE_LOCAL, place);
    if (tree != NULL)
        tree->is.local = binder;
    return tree;
}

/* ---- Expressions ---- */

static verso_status mention(vlad_expander *x, vlad_symbol *symbol, vlad_place place) {
    if (symbol->mentioned == x->pieces)
        return VERSO_STATUS_OK;
    vlad_mention *m = vlad_push(&x->mentions);
    if (m == NULL)
        return vlad_no_memory(x->error);
    *m = (vlad_mention){symbol, place};
    symbol->mentioned = x->pieces;
    return VERSO_STATUS_OK;
}

static bool is_same_place(vlad_place a, vlad_place b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

static void offer_scope(vlad_expander *x) {
    for (size_t i = x->scope.count; i-- > 0;)
        verso__suggest_word(x->suggestion, ((const shadowed *)vlad_at(&x->scope, i))->symbol->name);
}

static verso_status variable(vlad_expander *x, const vlad_datum *datum, vlad_tree **to) {
    vlad_symbol *symbol = datum->is.symbol;
    if (symbol->keyword != VLAD_WORD_NONE)
        return vlad_refuse(x, datum->place, "`%s` is a keyword, not a value", symbol->name);
    if (x->suggestion != NULL && is_same_place(x->at, datum->place))
        offer_scope(x);
    if (symbol->binder != NULL) {
        *to = vlad_new_local(x, datum->place, symbol->binder);
        return *to != NULL ? VERSO_STATUS_OK : VERSO_STATUS_NO_MEMORY;
    }
    *to = vlad_new_tree(x, VLAD_TREE_GLOBAL, datum->place);
    if (*to == NULL)
        return VERSO_STATUS_NO_MEMORY;
    (*to)->is.global = symbol;
    return mention(x, symbol, datum->place);
}

/* ((lambda (p …) body) e …): binds the parameters around the body, after the arguments are expanded. */
static verso_status do_lambda_in_place(vlad_expander *x, vlad_task task) {
    vlad_tree *let = task.to.node;
    const vlad_datum *lambda = task.datum;
    verso_status status = vlad_leave_later(x);
    if (status == VERSO_STATUS_OK)
        status =
            vlad_next(x, (vlad_task){.run = vlad_do_body, .datum = vlad_after(lambda, 1), .to.tree = &let->parts[1]});
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_patterns,
                                          .datum = vlad_nth(lambda, 1),
                                          .to.shape = &let->is.shape,
                                          .number = vlad_pattern_number(++x->patterns, VLAD_PACK_CONS_STAR)});
    return status;
}

static verso_status call(vlad_expander *x, const vlad_datum *datum, size_t length, vlad_tree **to) {
    const vlad_datum *function = datum->is.pair.first;
    bool in_place = vlad_datum_keyword(function) == VLAD_WORD_LAMBDA;
    verso_status status = in_place ? vlad_check_lambda(x, function) : VERSO_STATUS_OK;
    vlad_tree *node = NULL;
    if (status == VERSO_STATUS_OK) {
        node = *to = vlad_new_tree(x, in_place ? VLAD_TREE_LET : VLAD_TREE_CALL, datum->place);
        status = node != NULL ? VERSO_STATUS_OK : VERSO_STATUS_NO_MEMORY;
    }
    if (status != VERSO_STATUS_OK)
        return status;
    node->count = length - 1;
    if (in_place)
        status = vlad_next(x, (vlad_task){.run = do_lambda_in_place, .datum = function, .to.node = node});
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_pack,
                                          .datum = datum->is.pair.rest,
                                          .to.tree = &node->parts[in_place ? 0 : 1],
                                          .number = VLAD_PACK_CONS_STAR});
    if (status == VERSO_STATUS_OK && !in_place)
        status = vlad_next(x, (vlad_task){.run = vlad_do_expression, .datum = function, .to.tree = &node->parts[0]});
    return status;
}

verso_status vlad_do_expression(vlad_expander *x, vlad_task task) {
    const vlad_datum *datum = task.datum;
    if (datum->kind == VLAD_DATUM_SYMBOL)
        return variable(x, datum, task.to.tree);
    if (datum->kind == VLAD_DATUM_STRING)
        return vlad_refuse(x, datum->place, "a string is not a value: it is allowed only in (include \"file\")");
    size_t length = vlad_length(datum);
    if (datum->kind == VLAD_DATUM_PAIR && length == SIZE_MAX)
        return vlad_refuse(x, datum->place, "expected a list without a `.`: this one is not quoted");
    bool is_constant;
    vlad_value value;
    verso_status status = vlad_constant(x, datum, &is_constant, &value);
    if (status != VERSO_STATUS_OK)
        return status;
    if (is_constant) {
        *task.to.tree = vlad_new_constant(x, datum->place, value);
        return *task.to.tree != NULL ? VERSO_STATUS_OK : VERSO_STATUS_NO_MEMORY;
    }
    vlad_keyword keyword = vlad_datum_keyword(datum);
    if (keyword == VLAD_WORD_NONE)
        return call(x, datum, length, task.to.tree);
    vlad_do *form = vlad_form(keyword);
    if (form != NULL)
        return form(x, task);
    return vlad_refuse(x, datum->place,
                       keyword == VLAD_WORD_DEFINE
                           ? "`define` is allowed only at the top level or at the beginning of a body"
                       : keyword == VLAD_WORD_ELSE ? "`else` is allowed only in the last clause of a `cond`"
                                                   : "`include` is allowed only at the top level");
}

verso_status vlad_do_pack(vlad_expander *x, vlad_task task) {
    const vlad_datum *list = task.datum;
    if (list->kind == VLAD_DATUM_EMPTY) {
        *task.to.tree = vlad_new_constant(x, list->place, VLAD_NULL);
        return *task.to.tree != NULL ? VERSO_STATUS_OK : VERSO_STATUS_NO_MEMORY;
    }
    const vlad_datum *first = list->is.pair.first, *rest = list->is.pair.rest;
    if (task.number == VLAD_PACK_BINDINGS)
        first = vlad_nth(first, 1);
    vlad_task one = {.run = vlad_do_expression, .datum = first, .to = task.to};
    if (rest->kind == VLAD_DATUM_EMPTY && task.number != VLAD_PACK_LIST)
        return vlad_next(x, one);
    vlad_tree *cons = *task.to.tree = vlad_new_tree(x, VLAD_TREE_CONS, list->place);
    if (cons == NULL)
        return VERSO_STATUS_NO_MEMORY;
    task.datum = rest;
    task.to.tree = &cons->parts[1];
    one.to.tree = &cons->parts[0];
    verso_status status = vlad_next(x, task);
    return status == VERSO_STATUS_OK ? vlad_next(x, one) : status;
}

/* ---- The interface ---- */

static verso_status run_all(vlad_expander *x) {
    verso_status status = VERSO_STATUS_OK;
    while (status == VERSO_STATUS_OK && x->tasks.count > 0) {
        vlad_task task = *(const vlad_task *)vlad_pop(&x->tasks);
        status = task.run(x, task);
    }
    leave(x, 0);
    x->tasks.count = 0;
    return status;
}

verso_status vlad_expand(vlad_expander *expander, const vlad_datum *datum, vlad_piece *piece, verso_error *error) {
    expander->error = error;
    expander->pieces++;
    expander->mentions.count = 0;
    *piece = (vlad_piece){.datum = datum};
    verso_status status =
        vlad_next(expander, (vlad_task){.run = vlad_do_expression, .datum = datum, .to.tree = &piece->tree});
    if (status == VERSO_STATUS_OK)
        status = run_all(expander);
    if (status != VERSO_STATUS_OK)
        return status;
    size_t count = expander->mentions.count, size = count * sizeof(vlad_mention);
    vlad_mention *mentions = vlad_sources_alloc(expander->symbols->sources, size);
    if (mentions == NULL)
        return vlad_no_memory(error);
    if (count > 0)
        memcpy(mentions, expander->mentions.items, size);
    piece->mentions = mentions;
    piece->mention_count = count;
    return VERSO_STATUS_OK;
}

verso_status vlad_expand_define(vlad_expander *expander, const vlad_datum *datum, const vlad_datum **name,
                                vlad_piece *piece, verso_error *error) {
    expander->error = error;
    const vlad_datum *lambda;
    verso_status status = vlad_take_define(expander, datum, name, &lambda);
    if (status == VERSO_STATUS_OK)
        status = vlad_expand(expander, lambda, piece, error);
    if (status == VERSO_STATUS_OK)
        piece->tree->is.lambda->name = (*name)->is.symbol->name;
    return status;
}

void vlad_expand_suggest(vlad_expander *expander, const vlad_piece *piece, vlad_place place,
                         verso__suggestion *suggestion) {
    vlad_piece again;
    expander->suggestion = suggestion;
    expander->at = place;
    (void)vlad_expand(expander, piece->datum, &again, NULL); /* without memory there is no suggestion */
    expander->suggestion = NULL;
}
