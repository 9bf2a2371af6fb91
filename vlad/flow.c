/* See flow.h. Repeats passes over all expressions until nothing changes, or for PASSES times: a chain of calls that
 * is longer than that is guessed incompletely. */
#include "vlad/flow.h"

#include "base/alloc.h"

enum { PASSES = 40 };

typedef struct flowing {
    vlad_flow *flow;
    const vlad_survey *survey;
    /* what is passed to, and returned by, functions that are called in unknown places */
    uint8_t passed, returned;
    bool changed;
} flowing;

static void add(flowing *f, uint8_t *to, uint8_t value) {
    f->changed |= (*to | value) != *to;
    *to |= value;
}

static size_t frame_of(const vlad_flow *flow, const vlad_survey *survey, const vlad_lambda *within) {
    return flow->locals_at[within != NULL ? within->number : survey->index.lambda_count];
}

uint8_t vlad_flow_of(const vlad_flow *flow, const vlad_survey *survey, const vlad_lambda *within,
                     const vlad_reference *reference) {
    switch (reference->where) {
    case VLAD_LOCAL: return flow->locals[frame_of(flow, survey, within) + reference->index];
    case VLAD_CAPTURED: return flow->captured[flow->captured_at[within->number] + reference->index];
    case VLAD_GROUP: return flow->grouped[flow->grouped_at[within->letrec->number] + reference->index];
    default: return VLAD_FLOW_OTHER;
    }
}

/* Binds a pattern. The parts of an argument list are known one by one. Recurses as deeply as `e` nests in its first
 * parts, which are rarely lists. */
static void bind(flowing *f, size_t frame, const vlad_pattern *pattern, const vlad_expression *e, uint8_t value,
                 unsigned depth) {
    enum { DEEPEST = 50 };
    for (; pattern->kind == VLAD_TAKE; pattern = pattern->second) {
        bool known = e != NULL && e->kind == VLAD_BINARY && e->is.operation == VLAD_CONS;
        const vlad_expression *first = known ? e->parts[0] : NULL;
        if (depth < DEEPEST)
            bind(f, frame, pattern->first, first, first != NULL ? f->flow->values[first->number] : value, depth + 1);
        e = known ? e->parts[1] : NULL;
        value = e != NULL ? f->flow->values[e->number] : value;
    }
    if (pattern->kind == VLAD_BIND)
        add(f, &f->flow->locals[frame + pattern->local], value);
}

static void bind_parameter(flowing *f, const vlad_lambda *lambda, const vlad_expression *e, uint8_t value) {
    bind(f, f->flow->locals_at[lambda->number], lambda->parameter, e, value, 0);
}

/* Returns the lambda that an expression is known to be, or NULL. */
static const vlad_lambda *lambda_of(const flowing *f, const vlad_expression *e) {
    return e->kind == VLAD_LAMBDA ? e->is.lambda : e->kind == VLAD_VARIABLE ? f->survey->known[e->number] : NULL;
}

static uint8_t capture(flowing *f, const vlad_lambda *lambda, const vlad_lambda *within) {
    for (uint32_t i = 0; i < lambda->captured_count; i++)
        add(f, &f->flow->captured[f->flow->captured_at[lambda->number] + i],
            vlad_flow_of(f->flow, f->survey, within, &lambda->captured[i]));
    return VLAD_FLOW_OTHER;
}

static uint8_t enter_letrec(flowing *f, const vlad_expression *e, const vlad_lambda *within) {
    const vlad_letrec *letrec = e->is.letrec;
    for (uint32_t i = 0; i < letrec->group_count; i++)
        add(f, &f->flow->grouped[f->flow->grouped_at[letrec->number] + i],
            vlad_flow_of(f->flow, f->survey, within, &letrec->group[i]));
    for (uint32_t i = 0; i < letrec->count; i++)
        add(f, &f->flow->locals[frame_of(f->flow, f->survey, within) + e->first_local + i], VLAD_FLOW_OTHER);
    return f->flow->values[e->parts[0]->number];
}

static uint8_t call(flowing *f, const vlad_expression *e) {
    const vlad_lambda *known = lambda_of(f, e->parts[0]);
    uint8_t argument = f->flow->values[e->parts[1]->number];
    if (known == NULL) {
        add(f, &f->passed, argument);
        return f->returned;
    }
    bind_parameter(f, known, e->parts[1], argument);
    return f->flow->values[known->body->number];
}

/* A derivative: its function is called with active numbers. */
static uint8_t differentiate(flowing *f, const vlad_expression *e) {
    const vlad_lambda *known = lambda_of(f, e->parts[0]);
    uint8_t argument = f->flow->values[e->parts[1]->number] | VLAD_FLOW_ACTIVE;
    if (known != NULL)
        bind_parameter(f, known, NULL, argument);
    else
        add(f, &f->passed, argument);
    return f->flow->values[e->parts[1]->number] | f->flow->values[e->parts[2]->number] | VLAD_FLOW_OTHER;
}

static uint8_t operate(flowing *f, const vlad_expression *e) {
    uint8_t *values = f->flow->values, all = 0;
    for (unsigned i = 0; i < vlad_operator_arity(e->is.operation); i++)
        all |= values[e->parts[i]->number];
    switch (e->is.operation) {
    case VLAD_FLOOR:
    case VLAD_READ_REAL:
    case VLAD_VECTOR_LENGTH: return VLAD_FLOW_PLAIN;
    case VLAD_IS_ZERO:
    case VLAD_IS_POSITIVE:
    case VLAD_IS_NEGATIVE:
    case VLAD_IS_NULL:
    case VLAD_IS_BOOLEAN:
    case VLAD_IS_REAL:
    case VLAD_IS_PAIR:
    case VLAD_IS_PROCEDURE:
    case VLAD_IS_VECTOR:
    case VLAD_EQUAL:
    case VLAD_LESS:
    case VLAD_GREATER:
    case VLAD_AT_MOST:
    case VLAD_AT_LEAST: return VLAD_FLOW_OTHER;
    case VLAD_LIST_TO_VECTOR:
    case VLAD_CONS:
    case VLAD_VECTOR_SET: return all | VLAD_FLOW_OTHER;
    case VLAD_VECTOR_REF: return values[e->parts[0]->number];
    case VLAD_VECTOR_MAP: add(f, &f->passed, values[e->parts[1]->number]); return f->returned | VLAD_FLOW_OTHER;
    case VLAD_J_FORWARD:
    case VLAD_J_REVERSE:
    case VLAD_J_CHECKPOINT: return differentiate(f, e);
    default: return (all & VLAD_FLOW_ACTIVE) != 0 ? VLAD_FLOW_ACTIVE | VLAD_FLOW_PLAIN : VLAD_FLOW_PLAIN;
    }
}

static uint8_t value_of(flowing *f, const vlad_expression *e, const vlad_lambda *within) {
    const uint8_t *values = f->flow->values;
    switch (e->kind) {
    case VLAD_CONSTANT: return vlad_is_plain(e->is.constant) ? VLAD_FLOW_PLAIN : VLAD_FLOW_OTHER | VLAD_FLOW_PLAIN;
    case VLAD_VARIABLE: return vlad_flow_of(f->flow, f->survey, within, &e->is.variable);
    case VLAD_LAMBDA: return capture(f, e->is.lambda, within);
    case VLAD_LETREC: return enter_letrec(f, e, within);
    case VLAD_APPLICATION: return call(f, e);
    case VLAD_IF: return values[e->parts[1]->number] | values[e->parts[2]->number];
    case VLAD_LET:
        bind(f, frame_of(f->flow, f->survey, within), e->is.pattern, e->parts[0], values[e->parts[0]->number], 0);
        return values[e->parts[1]->number];
    default: return operate(f, e);
    }
}

/* Notes which lambdas are values of anything but the function of a call. */
static void note_escapes(flowing *f) {
    const vlad_index *index = &f->survey->index;
    for (uint32_t i = 0; i < f->survey->visited; i++) {
        const vlad_expression *e = index->expressions[f->survey->order[i]];
        for (unsigned part = 0; part < 3 && e->parts[part] != NULL; part++) {
            const vlad_lambda *lambda = lambda_of(f, e->parts[part]);
            if (lambda != NULL && !(e->kind == VLAD_APPLICATION && part == 0) &&
                !(e->kind == VLAD_TERNARY && e->is.operation != VLAD_VECTOR_SET && part == 0))
                f->flow->escaped[lambda->number] = true;
        }
    }
}

static void flow_escaped(flowing *f) {
    const vlad_index *index = &f->survey->index;
    for (uint32_t i = 0; i < index->lambda_count; i++)
        if (index->lambdas[i] != NULL && f->flow->escaped[i]) {
            bind_parameter(f, index->lambdas[i], NULL, f->passed);
            add(f, &f->returned, f->flow->values[index->lambdas[i]->body->number]);
        }
}

static void flow_all(flowing *f) {
    const vlad_index *index = &f->survey->index;
    note_escapes(f);
    f->changed = true;
    for (int pass = 0; f->changed && pass < PASSES; pass++) {
        f->changed = false;
        for (uint32_t i = f->survey->visited; i-- > 0;) {
            const vlad_expression *e = index->expressions[f->survey->order[i]];
            add(f, &f->flow->values[e->number], value_of(f, e, index->within[e->number]));
        }
        flow_escaped(f);
    }
}

bool vlad_flow_make(const vlad_survey *survey, const vlad_program *program, vlad_flow *flow) {
    const vlad_index *index = &survey->index;
    size_t locals = 0, captured = 0, grouped = 0;
    *flow = (vlad_flow){.values = verso__alloc((size_t)index->expression_count + 1, 1),
                        .escaped = verso__alloc((size_t)index->lambda_count + 1, sizeof *flow->escaped),
                        .locals_at = verso__alloc((size_t)index->lambda_count + 1, sizeof(size_t)),
                        .captured_at = verso__alloc((size_t)index->lambda_count + 1, sizeof(size_t)),
                        .grouped_at = verso__alloc((size_t)index->letrec_count + 1, sizeof(size_t))};
    if (flow->values == NULL || flow->escaped == NULL || flow->locals_at == NULL || flow->captured_at == NULL ||
        flow->grouped_at == NULL)
        return false;
    for (uint32_t i = 0; i < index->lambda_count; i++) {
        flow->locals_at[i] = locals;
        flow->captured_at[i] = captured;
        locals += index->lambdas[i] != NULL ? index->lambdas[i]->locals : 0;
        captured += index->lambdas[i] != NULL ? index->lambdas[i]->captured_count : 0;
    }
    flow->locals_at[index->lambda_count] = locals;
    for (uint32_t i = 0; i < index->letrec_count; i++) {
        flow->grouped_at[i] = grouped;
        grouped += index->letrecs[i] != NULL ? index->letrecs[i]->group_count : 0;
    }
    flow->locals = verso__alloc(locals + program->locals_most + 1, 1);
    flow->captured = verso__alloc(captured + 1, 1);
    flow->grouped = verso__alloc(grouped + 1, 1);
    if (flow->locals == NULL || flow->captured == NULL || flow->grouped == NULL)
        return false;
    flowing f = {.flow = flow, .survey = survey};
    flow_all(&f);
    return true;
}

void vlad_flow_free(vlad_flow *flow) {
    verso__dealloc(flow->values);
    verso__dealloc(flow->locals);
    verso__dealloc(flow->captured);
    verso__dealloc(flow->grouped);
    verso__dealloc(flow->escaped);
    verso__dealloc(flow->locals_at);
    verso__dealloc(flow->captured_at);
    verso__dealloc(flow->grouped_at);
    *flow = (vlad_flow){0};
}
