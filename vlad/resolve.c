/* The resolution: see resolve.h, and core.h for its result.
 *
 * A frame holds the locals of one closure's lambda, or of a top-level expression. Locals are numbered in the order
 * in which they are bound, and numbers are reused when a scope ends. So `depth` is both the number of current
 * locals and the number of the next one. A unit is what captures variables: a lambda by itself, or the lambdas of
 * a letrec together.
 *
 * A variable outside of a frame is captured unit by unit, from the outermost to the innermost. Each variable knows
 * the innermost unfinished unit that has captured it. So capturing costs one step for each unit that lacks it, and
 * a further lookup costs nothing. When a unit is complete, its captures are removed from the variables. */
#include "vlad/resolve.h"

typedef struct vlad_capture {
    const struct vlad_unit *unit;
    vlad_binder *binder;
    uint32_t index;              /* in the unit */
    vlad_reference from;         /* location of the variable when the unit is made */
    struct vlad_capture *outer;  /* capture of the same variable in an outer unit */
    struct vlad_capture *before; /* previous capture of the same unit */
} vlad_capture;

typedef struct vlad_unit {
    struct vlad_frame *around; /* frame in which the unit is made */
    bool is_group;
    vlad_capture *last;
    uint32_t count;
} vlad_unit;

typedef struct vlad_frame {
    vlad_unit *unit; /* NULL: the frame of a top-level expression */
    uint32_t locals; /* maximum number of locals */
} vlad_frame;

typedef struct task task;
typedef verso_status work(vlad_resolver *r, task t);
struct task {
    work *run;
    const vlad_tree *tree;
    vlad_frame *frame;
    uint32_t depth;
    union {
        const vlad_expression **to;  /* where to store the result */
        vlad_expression *expression; /* expression whose parts are complete */
        vlad_lambda *lambda;         /* lambda whose body is complete */
        vlad_letrec *letrec;         /* letrec whose lambdas are complete */
    } is;
    size_t count;    /* number of elements of a list */
    vlad_unit *unit; /* unit that is complete */
};

/* A pattern that is still to be made. */
typedef struct pending {
    const vlad_shape *shape;
    const vlad_pattern **to;
} pending;

enum { CAPTURE_ENTRIES = sizeof(vlad_capture) / sizeof(uint32_t) };

void vlad_resolver_init(vlad_resolver *resolver, vlad_sources *sources) {
    *resolver = (vlad_resolver){
        .sources = sources,
        .tasks = {.item = sizeof(task)},
        .path = {.item = sizeof(vlad_frame *)},
        .patterns = {.item = sizeof(pending)},
    };
}

void vlad_resolver_free(vlad_resolver *resolver) {
    vlad_stack_free(&resolver->tasks);
    vlad_stack_free(&resolver->path);
    vlad_stack_free(&resolver->patterns);
}

static verso_status next(vlad_resolver *r, task t) {
    task *pushed = vlad_push(&r->tasks);
    if (pushed == NULL)
        return vlad_no_memory(r->error);
    *pushed = t;
    return VERSO_STATUS_OK;
}

/* Allocates in the arena. Sets *status if there is no memory; callers check it before they use the result. */
static void *make(vlad_resolver *r, size_t count, size_t size, verso_status *status) {
    void *made = *status == VERSO_STATUS_OK ? vlad_sources_alloc(r->sources, count * size) : NULL;
    if (*status == VERSO_STATUS_OK && made == NULL)
        *status = vlad_no_memory(r->error);
    return made;
}

/* ---- Variables ---- */

/* Returns whether a frame has a variable, and sets *reference to its location. */
static bool has(const vlad_frame *frame, const vlad_binder *binder, vlad_reference *reference) {
    const vlad_capture *capture = binder->captures;
    if (binder->frame == frame)
        *reference = (vlad_reference){VLAD_LOCAL, binder->local};
    else if (binder->unit != NULL && binder->unit == frame->unit)
        *reference = (vlad_reference){VLAD_SIBLING, binder->index};
    else if (capture != NULL && capture->unit == frame->unit)
        *reference = (vlad_reference){frame->unit->is_group ? VLAD_GROUP : VLAD_CAPTURED, capture->index};
    else
        return false;
    return true;
}

static verso_status capture(vlad_resolver *r, vlad_unit *unit, vlad_binder *binder, vlad_place place,
                            vlad_reference from) {
    verso_status status = vlad_resolve_count(r, place, CAPTURE_ENTRIES);
    vlad_capture *c = make(r, 1, sizeof *c, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    *c = (vlad_capture){unit, binder, unit->count++, from, binder->captures, unit->last};
    unit->last = binder->captures = c;
    return VERSO_STATUS_OK;
}

static verso_status refer(vlad_resolver *r, vlad_frame *frame, vlad_binder *binder, vlad_place place,
                          vlad_reference *reference) {
    for (r->path.count = 0; !has(frame, binder, reference); frame = frame->unit->around) {
        vlad_frame **passed = vlad_push(&r->path);
        if (passed == NULL)
            return vlad_no_memory(r->error);
        *passed = frame;
    }
    while (r->path.count > 0) {
        frame = *(vlad_frame **)vlad_pop(&r->path);
        verso_status status = capture(r, frame->unit, binder, place, *reference);
        if (status != VERSO_STATUS_OK)
            return status;
        (void)has(frame, binder, reference);
    }
    return VERSO_STATUS_OK;
}

/* Sets *references to what a complete unit captures, in order. */
static verso_status complete(vlad_resolver *r, const vlad_unit *unit, const vlad_reference **references,
                             uint32_t *count) {
    verso_status status = VERSO_STATUS_OK;
    vlad_reference *all = make(r, unit->count, sizeof *all, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    for (const vlad_capture *c = unit->last; c != NULL; c = c->before) {
        all[c->index] = c->from;
        c->binder->captures = c->outer;
    }
    *references = unit->count > 0 ? all : NULL;
    *count = unit->count;
    return VERSO_STATUS_OK;
}

static void claim(vlad_resolver *r, vlad_frame *frame, uint32_t depth) {
    if (frame->locals < depth)
        frame->locals = depth;
    if (r->locals_most < depth)
        r->locals_most = depth;
}

static void place_binder(vlad_binder *binder, vlad_frame *frame, uint32_t *depth) {
    binder->frame = frame;
    binder->local = (*depth)++;
    binder->unit = NULL;
    binder->captures = NULL;
}

/* ---- Patterns ---- */

/* Makes a pattern; its variables become the next locals of the frame. */
static verso_status pattern(vlad_resolver *r, const vlad_shape *shape, vlad_frame *frame, uint32_t *depth,
                            const vlad_pattern **to) {
    pending p = {shape, to};
    for (r->patterns.count = 0;; p = *(const pending *)vlad_pop(&r->patterns)) {
        verso_status status = VERSO_STATUS_OK;
        vlad_pattern *made = make(r, 1, sizeof *made, &status);
        if (status != VERSO_STATUS_OK)
            return status;
        *p.to = made;
        made->kind = p.shape->kind;
        made->place = p.shape->place;
        if (made->kind == VLAD_BIND) {
            place_binder(p.shape->is.binder, frame, depth);
            made->local = p.shape->is.binder->local;
        } else if (made->kind == VLAD_MATCH) {
            made->constant = p.shape->is.constant;
        } else {
            pending *second = vlad_push(&r->patterns);
            pending *first = second != NULL ? vlad_push(&r->patterns) : NULL;
            if (first == NULL)
                return vlad_no_memory(r->error);
            first[-1] = (pending){p.shape->is.pair.second, &made->second}; /* the push may have moved `second` */
            *first = (pending){p.shape->is.pair.first, &made->first};
        }
        if (r->patterns.count == 0)
            break;
    }
    claim(r, frame, *depth);
    return VERSO_STATUS_OK;
}

/* ---- Expressions ---- */

static work emit, emit_list;

static verso_status part(vlad_resolver *r, task t, const vlad_tree *tree, const vlad_expression **to) {
    return next(r, (task){.run = emit, .tree = tree, .frame = t.frame, .depth = t.depth, .is.to = to});
}

static verso_status finish(vlad_resolver *r, task t) {
    return vlad_resolve_needs(r, t.is.expression, t.depth);
}

/* Makes a new expression and stores it where the task wants it. Its sets of locals are computed after the tasks
 * that the caller pushes. */
static vlad_expression *begin(vlad_resolver *r, task t, vlad_kind kind, verso_status *status) {
    vlad_expression *e = make(r, 1, sizeof *e, status);
    if (*status != VERSO_STATUS_OK)
        return NULL;
    e->kind = kind;
    e->place = t.tree->place;
    e->number = r->numbers++;
    *t.is.to = e;
    t.run = finish;
    t.is.expression = e;
    *status = next(r, t);
    return e;
}

static verso_status emit_constant(vlad_resolver *r, task t, vlad_value value) {
    verso_status status = VERSO_STATUS_OK;
    vlad_expression *e = begin(r, t, VLAD_CONSTANT, &status);
    if (status == VERSO_STATUS_OK)
        e->is.constant = value;
    return status;
}

static verso_status emit_variable(vlad_resolver *r, task t, vlad_binder *binder) {
    verso_status status = VERSO_STATUS_OK;
    vlad_expression *e = begin(r, t, VLAD_VARIABLE, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    e->name = binder->name;
    return refer(r, t.frame, binder, t.tree->place, &e->is.variable);
}

/* Emits an expression and its parts, in order. */
static verso_status emit_parts(vlad_resolver *r, task t, vlad_kind kind, vlad_operator operation, unsigned count,
                               const vlad_tree *const *parts) {
    verso_status status = VERSO_STATUS_OK;
    vlad_expression *e = begin(r, t, kind, &status);
    if (status == VERSO_STATUS_OK)
        e->is.operation = operation;
    for (unsigned i = count; i > 0 && status == VERSO_STATUS_OK; i--)
        status = part(r, t, parts[i - 1], &e->parts[i - 1]);
    return status;
}

static verso_status emit_let(vlad_resolver *r, task t) {
    verso_status status = VERSO_STATUS_OK;
    vlad_expression *e = begin(r, t, VLAD_LET, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    task body = t;
    status = pattern(r, t.tree->is.shape, t.frame, &body.depth, &e->is.pattern);
    if (status == VERSO_STATUS_OK)
        status = part(r, body, t.tree->parts[1], &e->parts[1]);
    return status == VERSO_STATUS_OK ? part(r, t, t.tree->parts[0], &e->parts[0]) : status;
}

/* ---- Lambdas ---- */

/* Completes a lambda whose body is done. */
static verso_status finish_lambda(vlad_resolver *r, task t) {
    t.is.lambda->locals = t.frame->locals;
    if (t.frame->unit->is_group)
        return VERSO_STATUS_OK;
    return complete(r, t.frame->unit, &t.is.lambda->captured, &t.is.lambda->captured_count);
}

static verso_status begin_lambda(vlad_resolver *r, const vlad_tree_lambda *tree, vlad_unit *unit, vlad_lambda *lambda) {
    verso_status status = VERSO_STATUS_OK;
    vlad_frame *frame = make(r, 1, sizeof *frame, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    frame->unit = unit;
    lambda->name = tree->name;
    lambda->place = tree->place;
    task t = {.run = finish_lambda, .frame = frame, .is.lambda = lambda};
    status = next(r, t);
    if (status == VERSO_STATUS_OK)
        status = pattern(r, tree->parameter, frame, &t.depth, &lambda->parameter);
    return status == VERSO_STATUS_OK ? part(r, t, tree->body, &lambda->body) : status;
}

static verso_status emit_lambda(vlad_resolver *r, task t) {
    verso_status status = VERSO_STATUS_OK;
    vlad_expression *e = begin(r, t, VLAD_LAMBDA, &status);
    vlad_lambda *lambda = make(r, 1, sizeof *lambda, &status);
    vlad_unit *unit = make(r, 1, sizeof *unit, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    unit->around = t.frame;
    lambda->number = r->lambdas++;
    e->is.lambda = lambda;
    return begin_lambda(r, t.tree->is.lambda, unit, lambda);
}

static verso_status finish_group(vlad_resolver *r, task t) {
    return complete(r, t.unit, &t.is.letrec->group, &t.is.letrec->group_count);
}

/* The tasks of the lambdas run first; after them the group is complete. */
static verso_status emit_lambdas(vlad_resolver *r, task t, vlad_unit *unit, vlad_letrec *letrec) {
    const vlad_tree_letrec *tree = t.tree->is.letrec;
    verso_status status = VERSO_STATUS_OK;
    const vlad_lambda **lambdas = make(r, tree->count, sizeof *lambdas, &status);
    vlad_lambda *made = make(r, tree->count, sizeof *made, &status);
    if (status == VERSO_STATUS_OK)
        status = next(r, (task){.run = finish_group, .unit = unit, .is.letrec = letrec});
    if (status != VERSO_STATUS_OK)
        return status;
    letrec->lambdas = lambdas;
    letrec->count = tree->count;
    for (uint32_t i = tree->count; i-- > 0 && status == VERSO_STATUS_OK;) {
        lambdas[i] = &made[i];
        made[i].letrec = letrec;
        made[i].index = i;
        made[i].number = r->lambdas + i;
        status = begin_lambda(r, &tree->lambdas[i], unit, &made[i]);
    }
    r->lambdas += tree->count;
    return status;
}

static verso_status emit_letrec(vlad_resolver *r, task t) {
    const vlad_tree_letrec *tree = t.tree->is.letrec;
    verso_status status = VERSO_STATUS_OK;
    vlad_expression *e = begin(r, t, VLAD_LETREC, &status);
    vlad_letrec *letrec = make(r, 1, sizeof *letrec, &status);
    vlad_unit *unit = make(r, 1, sizeof *unit, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    unit->around = t.frame;
    unit->is_group = true;
    letrec->number = r->letrecs++;
    e->is.letrec = letrec;
    e->first_local = t.depth;
    task body = t;
    for (uint32_t i = 0; i < tree->count; i++) {
        place_binder(tree->names[i], t.frame, &body.depth);
        tree->names[i]->unit = unit;
        tree->names[i]->index = i;
    }
    claim(r, t.frame, body.depth);
    status = part(r, body, t.tree->parts[0], &e->parts[0]);
    return status == VERSO_STATUS_OK ? emit_lambdas(r, t, unit, letrec) : status;
}

/* ---- Primitives ---- */

/* Makes a tree for a primitive used as a value: (lambda (x) (sqrt x)), (lambda ((cons x y)) (+ x y)), ... */
static verso_status eta(vlad_resolver *r, task t, const vlad_symbol *symbol) {
    static const char *const names[] = {"x", "y", "z"};
    unsigned arity = vlad_operator_arity(symbol->operation);
    verso_status status = VERSO_STATUS_OK;
    vlad_tree *trees = make(r, 2 * (size_t)arity + 3, sizeof *trees, &status);
    vlad_shape *shapes = make(r, 2 * (size_t)arity, sizeof *shapes, &status);
    vlad_binder *binders = make(r, arity, sizeof *binders, &status);
    vlad_tree_lambda *lambda = make(r, 1, sizeof *lambda, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    vlad_tree *packed = NULL, *whole = &trees[2 * arity], *call = whole + 1, *function = whole + 2;
    vlad_shape *parameter = NULL;
    for (unsigned i = arity; i-- > 0;) {
        vlad_tree *local = &trees[2 * i], *cons = local + 1;
        vlad_shape *bind = &shapes[2 * i], *take = bind + 1;
        binders[i] = (vlad_binder){.name = names[i], .place = t.tree->place};
        *local = (vlad_tree){.kind = VLAD_TREE_LOCAL, .place = t.tree->place, .is.local = &binders[i]};
        *cons = (vlad_tree){.kind = VLAD_TREE_CONS, .place = t.tree->place, .parts = {local, packed}};
        *bind = (vlad_shape){.kind = VLAD_BIND, .place = t.tree->place, .is.binder = &binders[i]};
        *take = (vlad_shape){.kind = VLAD_TAKE, .place = t.tree->place, .is.pair = {bind, parameter}};
        packed = packed == NULL ? local : cons;
        parameter = parameter == NULL ? bind : take;
    }
    *call = (vlad_tree){.kind = VLAD_TREE_CALL, .place = t.tree->place, .count = arity};
    *function = *t.tree;
    call->parts[0] = function;
    call->parts[1] = packed;
    *lambda = (vlad_tree_lambda){t.tree->place, symbol->name, parameter, call};
    *whole = (vlad_tree){.kind = VLAD_TREE_LAMBDA, .place = t.tree->place, .is.lambda = lambda};
    t.tree = whole;
    return emit_lambda(r, t);
}

static verso_status emit_global(vlad_resolver *r, task t) {
    const vlad_symbol *symbol = t.tree->is.global;
    if (symbol->definition != NULL)
        return emit_variable(r, t, symbol->definition->binder);
    if (symbol->is_vector)
        return vlad_fail_at(r->sources, t.tree->place, VERSO_STATUS_INVALID, r->error,
                            "`vector` takes any number of arguments and is not a value; `list->vector` is");
    return eta(r, t, symbol);
}

/* Returns the primitive that a call applies directly, with the right number of arguments; else NULL. */
static const vlad_symbol *direct(const vlad_tree *call) {
    const vlad_tree *function = call->parts[0];
    if (function->kind != VLAD_TREE_GLOBAL || function->is.global->definition != NULL)
        return NULL;
    const vlad_symbol *symbol = function->is.global;
    if (symbol->is_vector || (symbol->operation == VLAD_READ_REAL && call->count == 0))
        return symbol;
    return call->count == vlad_operator_arity(symbol->operation) ? symbol : NULL;
}

/* Emits the arguments of `vector`, which are packed without a final (), as a list that ends with (). */
static verso_status emit_list(vlad_resolver *r, task t) {
    if (t.count == 0)
        return emit_constant(r, t, VLAD_NULL);
    const vlad_tree *packed = t.tree, *first = t.count > 1 ? packed->parts[0] : packed;
    verso_status status = VERSO_STATUS_OK;
    vlad_expression *e = begin(r, t, VLAD_BINARY, &status);
    if (status != VERSO_STATUS_OK)
        return status;
    e->is.operation = VLAD_CONS;
    task rest = t;
    rest.tree = t.count > 1 ? packed->parts[1] : packed;
    rest.count--;
    rest.is.to = &e->parts[1];
    status = next(r, rest);
    return status == VERSO_STATUS_OK ? part(r, t, first, &e->parts[0]) : status;
}

static verso_status emit_direct(vlad_resolver *r, task t, const vlad_symbol *symbol) {
    const vlad_tree *argument = t.tree->parts[1];
    if (symbol->is_vector) {
        verso_status status = VERSO_STATUS_OK;
        vlad_expression *e = begin(r, t, VLAD_UNARY, &status);
        if (status != VERSO_STATUS_OK)
            return status;
        e->is.operation = VLAD_LIST_TO_VECTOR;
        t.run = emit_list;
        t.count = t.tree->count;
        t.tree = argument;
        t.is.to = &e->parts[0];
        return next(r, t);
    }
    const vlad_tree *parts[3] = {argument};
    unsigned arity = vlad_operator_arity(symbol->operation);
    for (unsigned i = 1; i < arity; i++) {
        parts[i] = parts[i - 1]->parts[1];
        parts[i - 1] = parts[i - 1]->parts[0];
    }
    static const vlad_kind kinds[] = {VLAD_UNARY, VLAD_UNARY, VLAD_BINARY, VLAD_TERNARY};
    return emit_parts(r, t, kinds[arity], symbol->operation, arity, parts);
}

/* True for a sum, product, difference or quotient of three or more numbers. */
static bool is_chain(const vlad_tree *call) {
    const vlad_tree *function = call->parts[0];
    if (function->kind != VLAD_TREE_GLOBAL || function->is.global->definition != NULL || call->count < 3)
        return false;
    vlad_operator operation = function->is.global->operation;
    return operation == VLAD_PLUS || operation == VLAD_MINUS || operation == VLAD_TIMES || operation == VLAD_DIVIDE;
}

/* Emits (+ a b c) as (+ (+ a b) c). */
static verso_status emit_chain(vlad_resolver *r, task t) {
    const vlad_tree *rest = t.tree->parts[1];
    vlad_tree *sum = rest->parts[0];
    verso_status status = VERSO_STATUS_OK;
    for (size_t left = t.tree->count - 1; left > 0; left--) {
        rest = rest->parts[1];
        vlad_tree *packed = make(r, 1, sizeof *packed, &status), *call = make(r, 1, sizeof *call, &status);
        if (status != VERSO_STATUS_OK)
            return status;
        vlad_tree *last = left > 1 ? rest->parts[0] : (vlad_tree *)rest;
        *packed = (vlad_tree){.kind = VLAD_TREE_CONS, .place = t.tree->place, .parts = {sum, last}};
        *call = (vlad_tree){
            .kind = VLAD_TREE_CALL, .place = t.tree->place, .count = 2, .parts = {t.tree->parts[0], packed}};
        sum = call;
    }
    t.tree = sum;
    return next(r, t);
}

static verso_status emit(vlad_resolver *r, task t) {
    const vlad_tree *tree = t.tree;
    const vlad_tree *const parts[3] = {tree->parts[0], tree->parts[1], tree->parts[2]};
    switch (tree->kind) {
    case VLAD_TREE_CONSTANT: return emit_constant(r, t, tree->is.constant);
    case VLAD_TREE_LOCAL: return emit_variable(r, t, tree->is.local);
    case VLAD_TREE_GLOBAL: return emit_global(r, t);
    case VLAD_TREE_LAMBDA: return emit_lambda(r, t);
    case VLAD_TREE_LET: return emit_let(r, t);
    case VLAD_TREE_IF: return emit_parts(r, t, VLAD_IF, 0, 3, parts);
    case VLAD_TREE_CONS: return emit_parts(r, t, VLAD_BINARY, VLAD_CONS, 2, parts);
    case VLAD_TREE_LETREC: return emit_letrec(r, t);
    case VLAD_TREE_CALL: break;
    }
    if (is_chain(tree))
        return emit_chain(r, t);
    const vlad_symbol *symbol = direct(tree);
    return symbol != NULL ? emit_direct(r, t, symbol) : emit_parts(r, t, VLAD_APPLICATION, 0, 2, parts);
}

verso_status vlad_resolve(vlad_resolver *resolver, const vlad_tree *tree, const vlad_expression **expression,
                          uint32_t *locals, verso_error *error) {
    vlad_frame root = {0};
    resolver->error = error;
    resolver->tasks.count = 0;
    *expression = NULL;
    verso_status status = next(resolver, (task){.run = emit, .tree = tree, .frame = &root, .is.to = expression});
    while (status == VERSO_STATUS_OK && resolver->tasks.count > 0) {
        task t = *(const task *)vlad_pop(&resolver->tasks);
        status = t.run(resolver, t);
    }
    *locals = root.locals;
    return status;
}
