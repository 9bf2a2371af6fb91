/* Definitions, letrec, and bodies, which may begin with definitions. See expand_inside.h. */
#include "vlad/expand_inside.h"

#include <string.h>

/* ---- Definitions ---- */

/* Returns (lambda PARAMETERS . BODY); NULL if there is no memory. */
static const vlad_datum *lambda_of(vlad_expander *x, const vlad_datum *word, vlad_place place,
                                   const vlad_datum *parameters, const vlad_datum *body) {
    const vlad_datum *rest = vlad_new_pair(x, parameters->place, parameters, body);
    return rest != NULL ? vlad_new_pair(x, place, word, rest) : NULL;
}

/* Turns (define ((f a) b) …) into (define f (lambda (a) (lambda (b) …))), starting with the outermost list. */
static verso_status take_headed(vlad_expander *x, const vlad_datum *datum, const vlad_datum **name,
                                const vlad_datum **lambda) {
    vlad_datum *word = vlad_sources_alloc(x->symbols->sources, sizeof *word);
    vlad_datum *end = vlad_sources_alloc(x->symbols->sources, sizeof *end);
    vlad_symbol *symbol = vlad_intern(x->symbols, "lambda", strlen("lambda"));
    if (word == NULL || end == NULL || symbol == NULL)
        return vlad_no_memory(x->error);
    *word = (vlad_datum){.kind = VLAD_DATUM_SYMBOL, .place = datum->place, .is.symbol = symbol};
    *end = (vlad_datum){.kind = VLAD_DATUM_EMPTY, .place = datum->place};
    const vlad_datum *head = vlad_nth(datum, 1), *body = vlad_after(datum, 1);
    for (;;) {
        *lambda = lambda_of(x, word, head->place, head->is.pair.rest, body);
        if (*lambda == NULL)
            return VERSO_STATUS_NO_MEMORY;
        head = head->is.pair.first;
        if (head->kind != VLAD_DATUM_PAIR)
            break;
        body = vlad_new_pair(x, (*lambda)->place, *lambda, end);
        if (body == NULL)
            return VERSO_STATUS_NO_MEMORY;
    }
    *name = head;
    return VERSO_STATUS_OK;
}

static verso_status check_name(vlad_expander *x, const vlad_datum *name) {
    if (name->kind != VLAD_DATUM_SYMBOL)
        return vlad_refuse(x, name->place, "expected a name to define");
    if (name->is.symbol->keyword != VLAD_WORD_NONE)
        return vlad_refuse(x, name->place, "`%s` is a keyword and cannot be defined", name->is.symbol->name);
    return VERSO_STATUS_OK;
}

verso_status vlad_take_define(vlad_expander *x, const vlad_datum *datum, const vlad_datum **name,
                              const vlad_datum **lambda) {
    size_t length = vlad_length(datum);
    if (length == SIZE_MAX || length < 3)
        return vlad_refuse(x, datum->place,
                           "`define` needs a name and a lambda expression, or (name p ...) and a body");
    const vlad_datum *head = vlad_nth(datum, 1);
    if (head->kind == VLAD_DATUM_PAIR) {
        verso_status status = take_headed(x, datum, name, lambda);
        return status == VERSO_STATUS_OK ? check_name(x, *name) : status;
    }
    *name = head;
    *lambda = vlad_nth(datum, 2);
    verso_status status = check_name(x, head);
    if (status == VERSO_STATUS_OK && length > 3)
        status = vlad_refuse(x, vlad_nth(datum, 3)->place, "expected `)`: `define` gives a name one value");
    if (status == VERSO_STATUS_OK && vlad_datum_keyword(*lambda) != VLAD_WORD_LAMBDA)
        status = vlad_refuse(x, (*lambda)->place, "only a lambda expression can be defined");
    return status;
}

/* ---- letrec ---- */

vlad_tree_letrec *vlad_new_letrec(vlad_expander *x, size_t count) {
    vlad_tree_letrec *letrec = vlad_sources_alloc(x->symbols->sources, sizeof *letrec);
    if (letrec != NULL) {
        letrec->names = vlad_sources_alloc(x->symbols->sources, count * sizeof *letrec->names);
        letrec->lambdas = vlad_sources_alloc(x->symbols->sources, count * sizeof *letrec->lambdas);
        letrec->count = (uint32_t)count;
    }
    if (letrec == NULL || letrec->names == NULL || letrec->lambdas == NULL) {
        vlad_no_memory(x->error);
        return NULL;
    }
    return letrec;
}

/* Returns the name and the lambda expression of a binding or a definition. */
static verso_status take(vlad_expander *x, const vlad_datum *binding, const vlad_datum **name,
                         const vlad_datum **lambda) {
    if (vlad_datum_keyword(binding) == VLAD_WORD_DEFINE)
        return vlad_take_define(x, binding, name, lambda);
    *name = vlad_nth(binding, 0);
    *lambda = vlad_nth(binding, 1);
    if (vlad_datum_keyword(*lambda) != VLAD_WORD_LAMBDA)
        return vlad_refuse(x, (*lambda)->place, "`letrec` binds lambda expressions only");
    return VERSO_STATUS_OK;
}

/* Expands the lambdas from `number` on; `datum` is the list of the bindings left. */
static verso_status do_lambdas(vlad_expander *x, vlad_task task) {
    vlad_tree_letrec *letrec = task.to.node->is.letrec;
    if (task.number == letrec->count)
        return VERSO_STATUS_OK;
    const vlad_datum *name, *datum;
    verso_status status = take(x, task.datum->is.pair.first, &name, &datum);
    if (status == VERSO_STATUS_OK)
        status = vlad_check_lambda(x, datum);
    if (status != VERSO_STATUS_OK)
        return status;
    vlad_tree_lambda *lambda = &letrec->lambdas[task.number];
    lambda->name = name->is.symbol->name;
    lambda->place = datum->place;
    task.number++;
    task.datum = task.datum->is.pair.rest;
    status = vlad_next(x, task);
    return status == VERSO_STATUS_OK ? vlad_enter_lambda(x, vlad_nth(datum, 1), vlad_after(datum, 1), lambda) : status;
}

verso_status vlad_expand_letrec(vlad_expander *x, vlad_tree **to, vlad_place place, const vlad_datum *bindings,
                                size_t count, const vlad_datum *body) {
    vlad_tree *node = *to = vlad_new_tree(x, VLAD_TREE_LETREC, place);
    vlad_tree_letrec *letrec = node != NULL ? vlad_new_letrec(x, count) : NULL;
    if (letrec == NULL)
        return VERSO_STATUS_NO_MEMORY;
    node->is.letrec = letrec;
    verso_status status = vlad_leave_later(x);
    uint64_t pattern = ++x->patterns;
    const vlad_datum *binding = bindings;
    for (size_t i = 0; i < count && status == VERSO_STATUS_OK; i++, binding = binding->is.pair.rest) {
        const vlad_datum *name, *lambda;
        status = take(x, binding->is.pair.first, &name, &lambda);
        if (status == VERSO_STATUS_OK)
            status = vlad_bind(x, name, pattern, &letrec->names[i]);
    }
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_body, .datum = body, .to.tree = &node->parts[0]});
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = do_lambdas, .datum = bindings, .to.node = node});
    return status;
}

/* ---- Bodies ---- */

/* Expands a body: definitions, then one expression. */
verso_status vlad_do_body(vlad_expander *x, vlad_task task) {
    const vlad_datum *rest = task.datum;
    size_t definitions = 0;
    for (; rest->kind == VLAD_DATUM_PAIR && vlad_datum_keyword(rest->is.pair.first) == VLAD_WORD_DEFINE; definitions++)
        rest = rest->is.pair.rest;
    if (rest->kind != VLAD_DATUM_PAIR)
        return vlad_refuse(x, rest->place, "expected an expression: a body does not end with a definition");
    if (definitions > 0)
        return vlad_expand_letrec(x, task.to.tree, task.datum->is.pair.first->place, task.datum, definitions, rest);
    const vlad_datum *more = rest->is.pair.rest;
    if (more->kind == VLAD_DATUM_PAIR)
        return vlad_refuse(x, more->is.pair.first->place, "expected `)`: a body is definitions and one expression");
    task.run = vlad_do_expression;
    task.datum = rest->is.pair.first;
    return vlad_next(x, task);
}
