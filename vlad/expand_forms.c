/* The forms that begin with keywords. See expand_inside.h. The task pushed last runs first, so a form pushes its
 * last part first. */
#include "vlad/expand_inside.h"

static verso_status expression(vlad_expander *x, const vlad_datum *datum, vlad_tree **to) {
    return vlad_next(x, (vlad_task){.run = vlad_do_expression, .datum = datum, .to.tree = to});
}

static verso_status put_constant(vlad_expander *x, vlad_place place, vlad_value value, vlad_tree **to) {
    *to = vlad_new_constant(x, place, value);
    return *to != NULL ? VERSO_STATUS_OK : VERSO_STATUS_NO_MEMORY;
}

static verso_status put_tree(vlad_expander *x, vlad_tree_kind kind, vlad_place place, vlad_tree **to) {
    *to = vlad_new_tree(x, kind, place);
    return *to != NULL ? VERSO_STATUS_OK : VERSO_STATUS_NO_MEMORY;
}

/* ---- if, cond, and, or ---- */

static verso_status do_if(vlad_expander *x, vlad_task task) {
    const vlad_datum *datum = task.datum;
    if (vlad_length(datum) != 4)
        return vlad_refuse(x, datum->place, "`if` needs a test and two branches");
    verso_status status = put_tree(x, VLAD_TREE_IF, datum->place, task.to.tree);
    vlad_tree *node = *task.to.tree;
    for (size_t i = 3; i > 0 && status == VERSO_STATUS_OK; i--)
        status = expression(x, vlad_nth(datum, i), &node->parts[i - 1]);
    return status;
}

static verso_status do_clauses(vlad_expander *x, vlad_task task) {
    const vlad_datum *clauses = task.datum;
    if (clauses->kind == VLAD_DATUM_EMPTY)
        return vlad_refuse(x, clauses->place, "`cond` needs a clause (else ...) at its end");
    const vlad_datum *clause = clauses->is.pair.first, *rest = clauses->is.pair.rest;
    if (vlad_length(clause) != 2)
        return vlad_refuse(x, clause->place, "a clause of `cond` is a test and an expression");
    const vlad_datum *test = vlad_nth(clause, 0), *value = vlad_nth(clause, 1);
    if (test->kind == VLAD_DATUM_SYMBOL && test->is.symbol->keyword == VLAD_WORD_ELSE) {
        if (rest->kind != VLAD_DATUM_EMPTY)
            return vlad_refuse(x, clause->place, "the clause of `else` must be the last one");
        return expression(x, value, task.to.tree);
    }
    verso_status status = put_tree(x, VLAD_TREE_IF, clause->place, task.to.tree);
    vlad_tree *node = *task.to.tree;
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = do_clauses, .datum = rest, .to.tree = &node->parts[2]});
    if (status == VERSO_STATUS_OK)
        status = expression(x, value, &node->parts[1]);
    return status == VERSO_STATUS_OK ? expression(x, test, &node->parts[0]) : status;
}

static verso_status do_cond(vlad_expander *x, vlad_task task) {
    task.run = do_clauses;
    task.datum = task.datum->is.pair.rest;
    return vlad_next(x, task);
}

static verso_status do_conjunction(vlad_expander *x, vlad_task task) {
    const vlad_datum *list = task.datum;
    if (list->kind == VLAD_DATUM_EMPTY)
        return put_constant(x, list->place, VLAD_TRUE, task.to.tree);
    const vlad_datum *first = list->is.pair.first, *rest = list->is.pair.rest;
    if (rest->kind == VLAD_DATUM_EMPTY)
        return expression(x, first, task.to.tree);
    verso_status status = put_tree(x, VLAD_TREE_IF, list->place, task.to.tree);
    vlad_tree *node = *task.to.tree;
    if (status == VERSO_STATUS_OK)
        status = put_constant(x, list->place, VLAD_FALSE, &node->parts[2]);
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = do_conjunction, .datum = rest, .to.tree = &node->parts[1]});
    return status == VERSO_STATUS_OK ? expression(x, first, &node->parts[0]) : status;
}

static verso_status do_and(vlad_expander *x, vlad_task task) {
    task.datum = task.datum->is.pair.rest;
    return do_conjunction(x, task);
}

/* Makes the node of `or` for its first expression: (let ((t FIRST)) (if t t REST)); REST is still missing. */
static vlad_tree *new_alternative(vlad_expander *x, vlad_place place, vlad_tree **let) {
    *let = vlad_new_tree(x, VLAD_TREE_LET, place);
    vlad_shape *shape = vlad_sources_alloc(x->symbols->sources, sizeof *shape);
    vlad_binder *binder = vlad_new_binder(x, "or", place);
    vlad_tree *choice = vlad_new_tree(x, VLAD_TREE_IF, place);
    if (*let == NULL || shape == NULL || binder == NULL || choice == NULL)
        return NULL;
    *shape = (vlad_shape){.kind = VLAD_BIND, .place = place, .is.binder = binder};
    (*let)->is.shape = shape;
    (*let)->count = 1;
    (*let)->parts[1] = choice;
    choice->parts[0] = vlad_new_local(x, place, binder);
    choice->parts[1] = vlad_new_local(x, place, binder);
    return choice->parts[0] != NULL && choice->parts[1] != NULL ? choice : NULL;
}

static verso_status do_disjunction(vlad_expander *x, vlad_task task) {
    const vlad_datum *list = task.datum;
    if (list->kind == VLAD_DATUM_EMPTY)
        return put_constant(x, list->place, VLAD_FALSE, task.to.tree);
    const vlad_datum *first = list->is.pair.first, *rest = list->is.pair.rest;
    if (rest->kind == VLAD_DATUM_EMPTY)
        return expression(x, first, task.to.tree);
    vlad_tree *let, *choice = new_alternative(x, list->place, &let);
    if (choice == NULL)
        return vlad_no_memory(x->error);
    *task.to.tree = let;
    verso_status status = vlad_next(x, (vlad_task){.run = do_disjunction, .datum = rest, .to.tree = &choice->parts[2]});
    return status == VERSO_STATUS_OK ? expression(x, first, &let->parts[0]) : status;
}

static verso_status do_or(vlad_expander *x, vlad_task task) {
    task.datum = task.datum->is.pair.rest;
    return do_disjunction(x, task);
}

/* ---- cons, cons*, list ---- */

static verso_status pack_rest(vlad_expander *x, vlad_task task, uint64_t packing) {
    task.run = vlad_do_pack;
    task.datum = task.datum->is.pair.rest;
    task.number = packing;
    return vlad_next(x, task);
}

static verso_status do_cons(vlad_expander *x, vlad_task task) {
    if (vlad_length(task.datum) != 3)
        return vlad_refuse(x, task.datum->place, "`cons` needs two parts");
    return pack_rest(x, task, VLAD_PACK_CONS_STAR);
}

static verso_status do_cons_star(vlad_expander *x, vlad_task task) {
    return pack_rest(x, task, VLAD_PACK_CONS_STAR);
}

static verso_status do_list(vlad_expander *x, vlad_task task) {
    return pack_rest(x, task, VLAD_PACK_LIST);
}

/* ---- lambda ---- */

verso_status vlad_check_lambda(vlad_expander *x, const vlad_datum *datum) {
    size_t length = vlad_length(datum);
    if (length == SIZE_MAX || length < 3)
        return vlad_refuse(x, datum->place, "`lambda` needs a list of parameters and a body");
    const vlad_datum *parameters = vlad_nth(datum, 1);
    if (vlad_length(parameters) == SIZE_MAX)
        return vlad_refuse(x, parameters->place, "expected a list of parameters");
    return VERSO_STATUS_OK;
}

verso_status vlad_enter_lambda(vlad_expander *x, const vlad_datum *parameters, const vlad_datum *body,
                               vlad_tree_lambda *lambda) {
    verso_status status = vlad_leave_later(x);
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_body, .datum = body, .to.tree = &lambda->body});
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_patterns,
                                          .datum = parameters,
                                          .to.shape = &lambda->parameter,
                                          .number = vlad_pattern_number(++x->patterns, VLAD_PACK_CONS_STAR)});
    return status;
}

static verso_status do_lambda(vlad_expander *x, vlad_task task) {
    const vlad_datum *datum = task.datum;
    verso_status status = vlad_check_lambda(x, datum);
    if (status == VERSO_STATUS_OK)
        status = put_tree(x, VLAD_TREE_LAMBDA, datum->place, task.to.tree);
    if (status != VERSO_STATUS_OK)
        return status;
    vlad_tree_lambda *lambda = vlad_sources_alloc(x->symbols->sources, sizeof *lambda);
    if (lambda == NULL)
        return vlad_no_memory(x->error);
    lambda->place = datum->place;
    (*task.to.tree)->is.lambda = lambda;
    return vlad_enter_lambda(x, vlad_nth(datum, 1), vlad_after(datum, 1), lambda);
}

/* ---- let, let* ---- */

/* Checks ((pattern expression) …). */
static verso_status check_bindings(vlad_expander *x, const vlad_datum *datum, const char *keyword, size_t at) {
    size_t length = vlad_length(datum);
    if (length < at + 2 || vlad_length(vlad_nth(datum, at)) == SIZE_MAX)
        return vlad_refuse(x, datum->place, "`%s` needs a list of bindings ((name value) ...) and a body", keyword);
    for (const vlad_datum *b = vlad_nth(datum, at); b->kind == VLAD_DATUM_PAIR; b = b->is.pair.rest)
        if (vlad_length(b->is.pair.first) != 2)
            return vlad_refuse(x, b->is.pair.first->place, "expected a binding (name value)");
    return VERSO_STATUS_OK;
}

static verso_status do_let_inner(vlad_expander *x, vlad_task task) {
    verso_status status = vlad_leave_later(x);
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_body, .datum = task.body, .to.tree = &task.to.node->parts[1]});
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_patterns,
                                          .datum = task.datum,
                                          .to.shape = &task.to.node->is.shape,
                                          .number = vlad_pattern_number(++x->patterns, VLAD_PACK_BINDINGS)});
    return status;
}

/* (let NAME bindings body): binds the name around the lambda, after the values are expanded. */
static verso_status do_named_inner(vlad_expander *x, vlad_task task) {
    vlad_tree_letrec *letrec = task.to.node->is.letrec;
    const vlad_datum *name = vlad_nth(task.datum, 1);
    vlad_tree *call = task.to.node->parts[0];
    verso_status status = vlad_leave_later(x);
    if (status == VERSO_STATUS_OK)
        status = vlad_bind(x, name, ++x->patterns, &letrec->names[0]);
    if (status != VERSO_STATUS_OK)
        return status;
    call->parts[0] = vlad_new_local(x, name->place, letrec->names[0]);
    vlad_tree_lambda *lambda = &letrec->lambdas[0];
    lambda->name = letrec->names[0]->name;
    lambda->place = task.datum->place;
    status = call->parts[0] != NULL
                 ? vlad_next(x, (vlad_task){.run = vlad_do_body, .datum = task.body, .to.tree = &lambda->body})
                 : VERSO_STATUS_NO_MEMORY;
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_patterns,
                                          .datum = vlad_nth(task.datum, 2),
                                          .to.shape = &lambda->parameter,
                                          .number = vlad_pattern_number(++x->patterns, VLAD_PACK_BINDINGS)});
    return status;
}

static verso_status named_let(vlad_expander *x, vlad_task task) {
    const vlad_datum *datum = task.datum;
    verso_status status = check_bindings(x, datum, "let", 2);
    if (status == VERSO_STATUS_OK)
        status = put_tree(x, VLAD_TREE_LETREC, datum->place, task.to.tree);
    if (status != VERSO_STATUS_OK)
        return status;
    vlad_tree *node = *task.to.tree, *call;
    node->is.letrec = vlad_new_letrec(x, 1);
    if (node->is.letrec == NULL || put_tree(x, VLAD_TREE_CALL, datum->place, &node->parts[0]) != VERSO_STATUS_OK)
        return VERSO_STATUS_NO_MEMORY;
    call = node->parts[0];
    const vlad_datum *bindings = vlad_nth(datum, 2);
    call->count = vlad_length(bindings);
    status =
        vlad_next(x, (vlad_task){.run = do_named_inner, .datum = datum, .to.node = node, .body = vlad_after(datum, 2)});
    if (status == VERSO_STATUS_OK)
        status = vlad_next(
            x, (vlad_task){
                   .run = vlad_do_pack, .datum = bindings, .to.tree = &call->parts[1], .number = VLAD_PACK_BINDINGS});
    return status;
}

static verso_status do_let(vlad_expander *x, vlad_task task) {
    const vlad_datum *datum = task.datum;
    if (vlad_length(datum) > 1 && vlad_nth(datum, 1)->kind == VLAD_DATUM_SYMBOL)
        return named_let(x, task);
    verso_status status = check_bindings(x, datum, "let", 1);
    if (status == VERSO_STATUS_OK)
        status = put_tree(x, VLAD_TREE_LET, datum->place, task.to.tree);
    if (status != VERSO_STATUS_OK)
        return status;
    vlad_tree *node = *task.to.tree;
    const vlad_datum *bindings = vlad_nth(datum, 1);
    node->count = vlad_length(bindings);
    status = vlad_next(
        x, (vlad_task){.run = do_let_inner, .datum = bindings, .to.node = node, .body = vlad_after(datum, 1)});
    if (status == VERSO_STATUS_OK)
        status = vlad_next(
            x, (vlad_task){
                   .run = vlad_do_pack, .datum = bindings, .to.tree = &node->parts[0], .number = VLAD_PACK_BINDINGS});
    return status;
}

static vlad_do do_sequence;

/* Binds the first pattern of a `let*`, after its value is expanded. */
static verso_status do_sequence_inner(vlad_expander *x, vlad_task task) {
    vlad_tree *node = task.to.node;
    verso_status status = vlad_next(
        x, (vlad_task){
               .run = do_sequence, .datum = task.datum->is.pair.rest, .to.tree = &node->parts[1], .body = task.body});
    if (status == VERSO_STATUS_OK)
        status = vlad_next(x, (vlad_task){.run = vlad_do_pattern,
                                          .datum = vlad_nth(task.datum->is.pair.first, 0),
                                          .to.shape = &node->is.shape,
                                          .number = vlad_pattern_number(++x->patterns, 0)});
    return status;
}

/* Expands the bindings left of a `let*`. */
static verso_status do_sequence(vlad_expander *x, vlad_task task) {
    const vlad_datum *bindings = task.datum;
    if (bindings->kind == VLAD_DATUM_EMPTY)
        return vlad_next(x, (vlad_task){.run = vlad_do_body, .datum = task.body, .to = task.to});
    const vlad_datum *binding = bindings->is.pair.first;
    verso_status status = put_tree(x, VLAD_TREE_LET, binding->place, task.to.tree);
    if (status != VERSO_STATUS_OK)
        return status;
    vlad_tree *node = *task.to.tree;
    node->count = 1;
    status = vlad_next(x, (vlad_task){.run = do_sequence_inner, .datum = bindings, .to.node = node, .body = task.body});
    return status == VERSO_STATUS_OK ? expression(x, vlad_nth(binding, 1), &node->parts[0]) : status;
}

static verso_status do_let_star(vlad_expander *x, vlad_task task) {
    verso_status status = check_bindings(x, task.datum, "let*", 1);
    if (status == VERSO_STATUS_OK)
        status = vlad_leave_later(x);
    if (status != VERSO_STATUS_OK)
        return status;
    task.run = do_sequence;
    task.body = vlad_after(task.datum, 1);
    task.datum = vlad_nth(task.datum, 1);
    return vlad_next(x, task);
}

/* ---- letrec ---- */

static verso_status do_letrec(vlad_expander *x, vlad_task task) {
    const vlad_datum *datum = task.datum;
    verso_status status = check_bindings(x, datum, "letrec", 1);
    if (status != VERSO_STATUS_OK)
        return status;
    const vlad_datum *bindings = vlad_nth(datum, 1);
    return vlad_expand_letrec(x, task.to.tree, datum->place, bindings, vlad_length(bindings), vlad_after(datum, 1));
}

vlad_do *vlad_form(vlad_keyword keyword) {
    static vlad_do *const forms[VLAD_WORDS] = {
        [VLAD_WORD_LAMBDA] = do_lambda,
        [VLAD_WORD_LETREC] = do_letrec,
        [VLAD_WORD_LET] = do_let,
        [VLAD_WORD_LET_STAR] = do_let_star,
        [VLAD_WORD_IF] = do_if,
        [VLAD_WORD_CONS] = do_cons,
        [VLAD_WORD_CONS_STAR] = do_cons_star,
        [VLAD_WORD_LIST] = do_list,
        [VLAD_WORD_COND] = do_cond,
        [VLAD_WORD_AND] = do_and,
        [VLAD_WORD_OR] = do_or,
    };
    return forms[keyword];
}
