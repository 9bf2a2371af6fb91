/* Patterns and constants. See expand_inside.h. */
#include "vlad/expand_inside.h"

#include "vlad/memory.h"

/* ---- Constants ---- */

typedef struct pending {
    const vlad_datum *datum;
    vlad_value *to;
} pending;

static verso_status quote_one(vlad_expander *x, vlad_stack *stack, pending p) {
    switch (p.datum->kind) {
    case VLAD_DATUM_EMPTY: *p.to = VLAD_NULL; return VERSO_STATUS_OK;
    case VLAD_DATUM_BOOLEAN: *p.to = vlad_boolean(p.datum->is.truth); return VERSO_STATUS_OK;
    case VLAD_DATUM_NUMBER: *p.to = vlad_number(p.datum->is.number); return VERSO_STATUS_OK;
    case VLAD_DATUM_SYMBOL:
        return vlad_refuse(x, p.datum->place, "a quoted name is not a value: only (), booleans, numbers and pairs are");
    case VLAD_DATUM_STRING:
        return vlad_refuse(x, p.datum->place,
                           "a quoted string is not a value: only (), booleans, numbers and pairs are");
    case VLAD_DATUM_PAIR: break;
    }
    vlad_object *pair = vlad_sources_alloc(x->symbols->sources, sizeof *pair + 2 * sizeof *pair->field);
    if (pair == NULL)
        return vlad_no_memory(x->error);
    pair->header = vlad_header(VLAD_PAIR, 2) | VLAD_STATIC;
    *p.to = vlad_value_of(pair);
    const vlad_datum *parts[2] = {p.datum->is.pair.first, p.datum->is.pair.rest};
    for (int i = 1; i >= 0; i--) {
        pending *next = vlad_push(stack);
        if (next == NULL)
            return vlad_no_memory(x->error);
        *next = (pending){parts[i], &pair->field[i]};
    }
    return VERSO_STATUS_OK;
}

verso_status vlad_quote(vlad_expander *x, const vlad_datum *datum, vlad_value *value) {
    vlad_stack stack = {.item = sizeof(pending)};
    pending p = {datum, value};
    verso_status status = quote_one(x, &stack, p);
    while (status == VERSO_STATUS_OK && stack.count > 0) {
        p = *(const pending *)vlad_pop(&stack);
        status = quote_one(x, &stack, p);
    }
    vlad_stack_free(&stack);
    return status;
}

verso_status vlad_constant(vlad_expander *x, const vlad_datum *datum, bool *is, vlad_value *value) {
    *is = datum->kind == VLAD_DATUM_EMPTY || datum->kind == VLAD_DATUM_BOOLEAN || datum->kind == VLAD_DATUM_NUMBER;
    if (*is)
        return vlad_quote(x, datum, value);
    if (vlad_datum_keyword(datum) != VLAD_WORD_QUOTE)
        return VERSO_STATUS_OK;
    *is = true;
    if (vlad_length(datum) != 2)
        return vlad_refuse(x, datum->place, "`quote` needs one datum");
    return vlad_quote(x, vlad_nth(datum, 1), value);
}

/* ---- Patterns ---- */

static vlad_shape *new_shape(vlad_expander *x, vlad_pattern_kind kind, vlad_place place) {
    vlad_shape *shape = vlad_sources_alloc(x->symbols->sources, sizeof *shape);
    if (shape == NULL) {
        vlad_no_memory(x->error);
        return NULL;
    }
    shape->kind = kind;
    shape->place = place;
    return shape;
}

static verso_status match(vlad_expander *x, vlad_task task, vlad_value value) {
    vlad_shape *shape = new_shape(x, VLAD_MATCH, task.datum->place);
    if (shape == NULL)
        return VERSO_STATUS_NO_MEMORY;
    shape->is.constant = value;
    *task.to.shape = shape;
    return VERSO_STATUS_OK;
}

static verso_status bind(vlad_expander *x, vlad_task task) {
    vlad_shape *shape = new_shape(x, VLAD_BIND, task.datum->place);
    *task.to.shape = shape;
    return shape != NULL ? vlad_bind(x, task.datum, task.number / 4, &shape->is.binder) : VERSO_STATUS_NO_MEMORY;
}

verso_status vlad_do_pattern(vlad_expander *x, vlad_task task) {
    const vlad_datum *datum = task.datum;
    if (datum->kind == VLAD_DATUM_SYMBOL)
        return bind(x, task);
    bool is_constant;
    vlad_value value;
    verso_status status = vlad_constant(x, datum, &is_constant, &value);
    if (status != VERSO_STATUS_OK || is_constant)
        return status != VERSO_STATUS_OK ? status : match(x, task, value);
    vlad_keyword keyword = vlad_datum_keyword(datum);
    size_t length = vlad_length(datum);
    if (length == SIZE_MAX ||
        (keyword != VLAD_WORD_CONS && keyword != VLAD_WORD_CONS_STAR && keyword != VLAD_WORD_LIST))
        return vlad_refuse(x, datum->place,
                           "expected a pattern: a name, a constant, (cons p p), (cons* p ...) or (list p ...)");
    if (keyword == VLAD_WORD_CONS && length != 3)
        return vlad_refuse(x, datum->place, "`cons` needs two parts");
    int packing = keyword == VLAD_WORD_LIST ? VLAD_PACK_LIST : VLAD_PACK_CONS_STAR;
    return vlad_next(x, (vlad_task){.run = vlad_do_patterns,
                                    .datum = datum->is.pair.rest,
                                    .to = task.to,
                                    .number = vlad_pattern_number(task.number / 4, packing)});
}

verso_status vlad_do_patterns(vlad_expander *x, vlad_task task) {
    const vlad_datum *list = task.datum;
    if (list->kind == VLAD_DATUM_EMPTY)
        return match(x, task, VLAD_NULL);
    const vlad_datum *first = list->is.pair.first, *rest = list->is.pair.rest;
    uint64_t packing = task.number % 4;
    if (packing == VLAD_PACK_BINDINGS)
        first = first->is.pair.first;
    vlad_task one = {.run = vlad_do_pattern, .datum = first, .to = task.to, .number = task.number};
    if (rest->kind == VLAD_DATUM_EMPTY && packing != VLAD_PACK_LIST)
        return vlad_next(x, one);
    vlad_shape *take = new_shape(x, VLAD_TAKE, list->place);
    if (take == NULL)
        return VERSO_STATUS_NO_MEMORY;
    *task.to.shape = take;
    task.datum = rest;
    task.to.shape = &take->is.pair.second;
    one.to.shape = &take->is.pair.first;
    verso_status status = vlad_next(x, task);
    return status == VERSO_STATUS_OK ? vlad_next(x, one) : status;
}
