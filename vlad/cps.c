/* See cps.h.
 *
 * All expressions are put into a queue, each before its parts. Then they are converted from the last to the first,
 * so that the terms of the parts exist when the term of the whole is made. This needs no recursion and no stack.
 * The term of an expression passes its value to k, wherever the expression occurs; a term that needs the value of
 * a part evaluates the part with another k. */
#include "vlad/cps.h"

#include "vlad/memory.h"

#include <string.h>

typedef struct converter {
    vlad_sources *sources;
    vlad_stack queue;                /* const vlad_expression * */
    vlad_stack steps, continuations; /* const vlad_cps_term *, const vlad_cps_continuation * */
    vlad_cps *cps;
    bool failed; /* out of memory; the result is not usable */
} converter;

/* ---- All expressions ---- */

static void expect(converter *c, const vlad_expression *e) {
    const vlad_expression **entry = c->failed || e == NULL ? NULL : vlad_push(&c->queue);
    if (entry != NULL)
        *entry = e;
    else
        c->failed |= e != NULL;
}

static void find_all(converter *c, const vlad_program *program) {
    for (uint32_t i = 0; i < program->count; i++)
        expect(c, program->expressions[i]);
    for (size_t i = 0; i < c->queue.count && !c->failed; i++) {
        const vlad_expression *e = *(const vlad_expression **)vlad_at(&c->queue, i);
        for (int j = 0; j < 3; j++)
            expect(c, e->parts[j]);
        if (e->kind == VLAD_LAMBDA)
            expect(c, e->is.lambda->body);
        for (uint32_t j = 0; e->kind == VLAD_LETREC && j < e->is.letrec->count; j++)
            expect(c, e->is.letrec->lambdas[j]->body);
    }
}

/* ---- Free variables ---- */

static bool is_atom(const vlad_expression *e) {
    return e->kind == VLAD_CONSTANT || e->kind == VLAD_VARIABLE || e->kind == VLAD_LAMBDA;
}

static bool has_outside(const vlad_reference *references, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (references[i].where != VLAD_LOCAL)
            return true;
    return false;
}

/* True if f is free in the term of an expression. */
static bool uses_function(const converter *c, const vlad_expression *e) {
    switch (e->kind) {
    case VLAD_CONSTANT: return false;
    case VLAD_VARIABLE: return has_outside(&e->is.variable, 1);
    case VLAD_LAMBDA: return has_outside(e->is.lambda->captured, e->is.lambda->captured_count);
    default: return c->cps->expressions[e->number]->is.captured.function;
    }
}

/* True if f is free in the term of any part from `part` on. */
static bool parts_use_function(const converter *c, const vlad_expression *e, unsigned part) {
    bool uses = false;
    for (; part < 3 && e->parts[part] != NULL; part++)
        uses |= uses_function(c, e->parts[part]);
    return uses;
}

/* Returns the free variables before an expression. */
static vlad_cps_captured captured_in_front(const converter *c, const vlad_expression *e) {
    vlad_cps_captured captured = {.locals = {e->needed}, .count = {e->needed_count}};
    captured.function = is_atom(e) ? uses_function(c, e) : parts_use_function(c, e, 0);
    if (e->kind == VLAD_LETREC)
        captured.function |= has_outside(e->is.letrec->group, e->is.letrec->group_count);
    return captured;
}

/* Returns the free variables after a part of an expression. */
static vlad_cps_captured captured_after(const converter *c, const vlad_expression *e, unsigned part) {
    vlad_cps_captured captured = {.values = part, .function = parts_use_function(c, e, part + 1)};
    if (part < 2) {
        captured.locals[0] = e->kept[part];
        captured.count[0] = e->kept_count[part];
    }
    return captured;
}

/* ---- Terms ---- */

/* Returns a copy of the term in the arena; NULL if there is no memory. */
static const vlad_cps_term *make(converter *c, vlad_cps_term term) {
    vlad_cps_term *made = vlad_sources_alloc(c->sources, sizeof *made);
    c->failed |= made == NULL;
    if (made != NULL)
        *made = term;
    return made;
}

/* Appends a step or continuation to the list of its kind. */
static void enter(converter *c, vlad_stack *all, const void *made) {
    const void **entry = made != NULL ? vlad_push(all) : NULL;
    if (entry != NULL)
        *entry = made;
    c->failed |= entry == NULL;
}

static const vlad_cps_term *make_step(converter *c, const vlad_expression *e, vlad_cps_captured captured,
                                      const vlad_cps_term *next) {
    vlad_cps_term term = {.kind = VLAD_CPS_STEP, .e = e, .next = next, .is.captured = captured};
    term.value = (uint32_t)c->steps.count;
    const vlad_cps_term *step = make(c, term);
    enter(c, &c->steps, step);
    return step;
}

static const vlad_cps_continuation *make_continuation(converter *c, vlad_cps_captured captured, uint32_t value,
                                                      const vlad_cps_term *body) {
    vlad_cps_continuation *made = vlad_sources_alloc(c->sources, sizeof *made);
    if (made != NULL)
        *made = (vlad_cps_continuation){captured, (uint32_t)c->continuations.count, value, body};
    enter(c, &c->continuations, made);
    return made;
}

/* Returns the term that passes the value of an expression to k. */
static const vlad_cps_term *term_of(converter *c, const vlad_expression *e) {
    const vlad_cps_term **term = &c->cps->expressions[e->number];
    if (*term == NULL && is_atom(e)) /* made on demand, since most atoms are parts of expressions and need no term */
        *term = make_step(c, e, captured_in_front(c, e), make(c, (vlad_cps_term){.kind = VLAD_CPS_RETURN, .e = e}));
    return *term;
}

/* Returns the term that sets x of the part's number and continues with `next`. */
static const vlad_cps_term *with_part(converter *c, const vlad_expression *e, unsigned part,
                                      const vlad_cps_term *next) {
    const vlad_expression *p = e->parts[part];
    vlad_cps_captured captured = captured_after(c, e, part);
    if (is_atom(p)) {
        captured.locals[1] = p->needed;
        captured.count[1] = p->needed_count;
        captured.function |= uses_function(c, p);
        next = make(c, (vlad_cps_term){.kind = VLAD_CPS_SET, .value = part, .e = p, .next = next});
        return make_step(c, p, captured, next);
    }
    const vlad_cps_continuation *k = make_continuation(c, captured, part, next);
    return make(c, (vlad_cps_term){.kind = VLAD_CPS_PUSH, .e = e, .next = term_of(c, p), .is.continuation = k});
}

/* Returns the term that follows the parts which are evaluated first, and sets *parts to their number. */
static const vlad_cps_term *term_after_parts(converter *c, const vlad_expression *e, unsigned *parts) {
    vlad_cps_term term = {.kind = VLAD_CPS_OPERATE, .e = e};
    switch (e->kind) {
    case VLAD_APPLICATION:
        term.kind = VLAD_CPS_CALL;
        *parts = 2;
        break;
    case VLAD_IF:
        term.kind = VLAD_CPS_BRANCH;
        term.next = term_of(c, e->parts[1]);
        term.is.otherwise = term_of(c, e->parts[2]);
        *parts = 1;
        break;
    case VLAD_LET:
        term.kind = VLAD_CPS_MATCH;
        term.next = term_of(c, e->parts[1]);
        *parts = 1;
        break;
    case VLAD_LETREC:
        term.kind = VLAD_CPS_LETREC;
        term.next = term_of(c, e->parts[0]);
        *parts = 0;
        break;
    default: *parts = term.value = vlad_operator_arity(e->is.operation);
    }
    return make(c, term);
}

/* ---- Conversion ---- */

/* Converts an expression whose parts are converted. */
static void convert(converter *c, const vlad_expression *e) {
    unsigned parts;
    const vlad_cps_term *term = term_after_parts(c, e, &parts);
    while (parts > 0)
        term = with_part(c, e, --parts, term);
    vlad_cps_captured captured = captured_in_front(c, e);
    if (e->kind == VLAD_LET) /* the lambda of the LET, which is not made, counts as a step, too */
        term = make_step(c, e, captured, term);
    c->cps->expressions[e->number] = make_step(c, e, captured, term);
}

static void convert_lambda(converter *c, const vlad_lambda *lambda) {
    c->cps->lambdas[lambda->number] = term_of(c, lambda->body);
}

static void convert_all(converter *c, const vlad_program *program) {
    for (size_t i = c->queue.count; i-- > 0 && !c->failed;) {
        const vlad_expression *e = *(const vlad_expression **)vlad_at(&c->queue, i);
        if (e->kind == VLAD_LAMBDA)
            convert_lambda(c, e->is.lambda);
        for (uint32_t j = 0; e->kind == VLAD_LETREC && j < e->is.letrec->count; j++)
            convert_lambda(c, e->is.letrec->lambdas[j]);
        if (!is_atom(e))
            convert(c, e);
    }
    for (uint32_t i = 0; i < program->count && !c->failed; i++)
        (void)term_of(c, program->expressions[i]);
}

/* Returns a copy of a stack of pointers in the arena. */
static void *kept(converter *c, const vlad_stack *stack, uint32_t *count) {
    void *copy = vlad_sources_alloc(c->sources, stack->count * stack->item);
    c->failed |= copy == NULL;
    if (copy != NULL && stack->count > 0)
        memcpy(copy, stack->items, stack->count * stack->item);
    *count = (uint32_t)stack->count;
    return copy;
}

verso_status vlad_cps_convert(vlad_sources *sources, const vlad_program *program, vlad_cps *cps, verso_error *error) {
    converter c = {.sources = sources,
                   .queue = {.item = sizeof(const void *)},
                   .steps = {.item = sizeof(const void *)},
                   .continuations = {.item = sizeof(const void *)},
                   .cps = cps};
    cps->lambdas = vlad_sources_alloc(sources, program->lambdas * sizeof(*cps->lambdas));
    cps->expressions = vlad_sources_alloc(sources, program->numbers * sizeof(*cps->expressions));
    c.failed = cps->lambdas == NULL || cps->expressions == NULL;
    find_all(&c, program);
    convert_all(&c, program);
    cps->steps = kept(&c, &c.steps, &cps->step_count);
    cps->continuations = kept(&c, &c.continuations, &cps->continuation_count);
    vlad_stack_free(&c.queue);
    vlad_stack_free(&c.steps);
    vlad_stack_free(&c.continuations);
    return c.failed ? vlad_no_memory(error) : VERSO_STATUS_OK;
}
