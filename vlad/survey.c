/* See survey.h. A lambda is written in one place, so the bindings of its free variables are known once its closure
 * is made: each frame is traversed after the place where its lambda is made. Within a frame, expressions are
 * visited in the order of evaluation. The number of a local that is reused is bound again before its next use. */
#include "vlad/survey.h"

#include "base/alloc.h"

typedef struct visit {
    const vlad_expression *e;
    const vlad_pattern *bound; /* pattern that is bound before `e` is evaluated; NULL: none */
} visit;

typedef struct surveyor {
    vlad_survey *survey;
    vlad_stack frames; /* of const vlad_lambda * */
    vlad_stack visits;
    vlad_stack patterns;        /* of const vlad_pattern *: patterns still to be visited */
    const vlad_lambda **locals; /* for each local: the lambda that it is bound to; NULL: unknown */
    uint32_t locals_most;
} surveyor;

const vlad_lambda *vlad_survey_bound(const vlad_survey *survey, const vlad_lambda *lambda,
                                     const vlad_reference *reference) {
    size_t first;
    switch (reference->where) {
    case VLAD_CAPTURED: first = survey->captured[lambda->number]; break;
    case VLAD_GROUP: first = survey->grouped[lambda->letrec->number]; break;
    case VLAD_SIBLING: return lambda->letrec->lambdas[reference->index];
    default: return NULL;
    }
    return *(const vlad_lambda *const *)vlad_at(&survey->bound, first + reference->index);
}

static const vlad_lambda *look_up(const surveyor *s, const vlad_lambda *within, const vlad_reference *reference) {
    if (reference->where == VLAD_LOCAL)
        return s->locals[reference->index];
    return vlad_survey_bound(s->survey, within, reference);
}

/* Records what the variables of a closure or a group are bound to. */
static bool note_bound(surveyor *s, const vlad_lambda *within, const vlad_reference *from, uint32_t count,
                       size_t *first) {
    *first = s->survey->bound.count;
    for (uint32_t i = 0; i < count; i++) {
        const vlad_lambda **entry = vlad_push(&s->survey->bound);
        if (entry == NULL)
            return false;
        *entry = look_up(s, within, &from[i]);
    }
    return true;
}

static bool push_frame(surveyor *s, const vlad_lambda *lambda) {
    const vlad_lambda **frame = vlad_push(&s->frames);
    if (frame != NULL)
        *frame = lambda;
    return frame != NULL;
}

static bool forget(surveyor *s, const vlad_pattern *pattern) {
    for (s->patterns.count = 0;; pattern = *(const vlad_pattern *const *)vlad_pop(&s->patterns)) {
        for (; pattern->kind == VLAD_TAKE; pattern = pattern->first) {
            const vlad_pattern **later = vlad_push(&s->patterns);
            if (later == NULL)
                return false;
            *later = pattern->second;
        }
        if (pattern->kind == VLAD_BIND)
            s->locals[pattern->local] = NULL;
        if (s->patterns.count == 0)
            return true;
    }
}

static bool push_visit(surveyor *s, const vlad_expression *e, const vlad_pattern *bound) {
    visit *next = vlad_push(&s->visits);
    if (next != NULL)
        *next = (visit){e, bound};
    return next != NULL;
}

static bool enter_letrec(surveyor *s, const vlad_expression *e, const vlad_lambda *within) {
    const vlad_letrec *letrec = e->is.letrec;
    if (!note_bound(s, within, letrec->group, letrec->group_count, &s->survey->grouped[letrec->number]))
        return false;
    for (uint32_t i = 0; i < letrec->count; i++) {
        s->locals[e->first_local + i] = letrec->lambdas[i];
        if (!push_frame(s, letrec->lambdas[i]))
            return false;
    }
    return true;
}

static unsigned count_parts(const vlad_expression *e) {
    unsigned count = 0;
    while (count < 3 && e->parts[count] != NULL)
        count++;
    return count;
}

static bool walk_one(surveyor *s, visit at, const vlad_lambda *within) {
    const vlad_expression *e = at.e;
    vlad_survey *survey = s->survey;
    if (at.bound != NULL && !forget(s, at.bound))
        return false;
    survey->order[survey->visited++] = e->number;
    if (e->kind == VLAD_VARIABLE)
        survey->known[e->number] = look_up(s, within, &e->is.variable);
    if (e->kind == VLAD_LAMBDA && (!note_bound(s, within, e->is.lambda->captured, e->is.lambda->captured_count,
                                               &survey->captured[e->is.lambda->number]) ||
                                   !push_frame(s, e->is.lambda)))
        return false;
    if (e->kind == VLAD_LETREC && !enter_letrec(s, e, within))
        return false;
    for (unsigned i = count_parts(e); i-- > 0;)
        if (!push_visit(s, e->parts[i], e->kind == VLAD_LET && i == 1 ? e->is.pattern : NULL))
            return false;
    return true;
}

static bool walk(surveyor *s, const vlad_expression *body, const vlad_lambda *within) {
    uint32_t locals = within != NULL ? within->locals : s->locals_most;
    for (uint32_t i = 0; i < locals; i++)
        s->locals[i] = NULL;
    if (!push_visit(s, body, NULL))
        return false;
    while (s->visits.count > 0)
        if (!walk_one(s, *(const visit *)vlad_pop(&s->visits), within))
            return false;
    return true;
}

static bool walk_all(surveyor *s, const vlad_program *program) {
    for (uint32_t i = 0; i < program->count; i++) {
        if (!walk(s, program->expressions[i], NULL))
            return false;
        while (s->frames.count > 0) {
            const vlad_lambda *lambda = *(const vlad_lambda *const *)vlad_pop(&s->frames);
            if (!walk(s, lambda->body, lambda))
                return false;
        }
    }
    return true;
}

verso_status vlad_survey_make(const vlad_program *program, vlad_survey *survey, verso_error *error) {
    size_t numbers = program->numbers, lambdas = program->lambdas, letrecs = program->letrecs;
    *survey = (vlad_survey){.bound = {.item = sizeof(vlad_lambda *)}};
    verso_status status = vlad_index_open(&survey->index, program, error);
    if (status != VERSO_STATUS_OK)
        return status;
    surveyor s = {.survey = survey,
                  .frames = {.item = sizeof(vlad_lambda *)},
                  .visits = {.item = sizeof(visit)},
                  .patterns = {.item = sizeof(vlad_pattern *)},
                  .locals_most = program->locals_most};
    s.locals = verso__alloc((size_t)program->locals_most + 1, sizeof *s.locals);
    survey->order = verso__alloc(numbers + 1, sizeof *survey->order);
    survey->known = verso__alloc(numbers + 1, sizeof *survey->known);
    survey->captured = verso__alloc(lambdas + 1, sizeof *survey->captured);
    survey->grouped = verso__alloc(letrecs + 1, sizeof *survey->grouped);
    bool done = s.locals != NULL && survey->order != NULL && survey->known != NULL && survey->captured != NULL &&
                survey->grouped != NULL && walk_all(&s, program);
    vlad_stack_free(&s.frames);
    vlad_stack_free(&s.visits);
    vlad_stack_free(&s.patterns);
    verso__dealloc(s.locals);
    if (!done)
        vlad_survey_free(survey);
    return done ? VERSO_STATUS_OK : vlad_no_memory(error);
}

void vlad_survey_free(vlad_survey *survey) {
    vlad_index_close(&survey->index);
    verso__dealloc(survey->order);
    verso__dealloc(survey->known);
    verso__dealloc(survey->captured);
    verso__dealloc(survey->grouped);
    vlad_stack_free(&survey->bound);
    *survey = (vlad_survey){0};
}
