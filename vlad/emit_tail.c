/* Emits code for expressions whose value goes to the continuation: see emit.h. A region ends with a call of
 * another one. */
#include "vlad/emit_number.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_flat(const vlad_emitter *g, const vlad_expression *e) {
    return g->costs[e->number].flat;
}

void vlad_emit_size(vlad_emitter *g) {
    vlad_emit_flush(g);
    if (g->path.steps > g->most.steps)
        g->most.steps = g->path.steps;
    if (g->path.words > g->most.words)
        g->most.words = g->path.words;
}

/* Ends a path that leaves the function. */
static void end_path(vlad_emitter *g) {
    vlad_emit_size(g);
    if (vlad_version_counts(g))
        vlad_write(&g->body, "STORE_LEVEL;\n");
}

void vlad_emit_want(vlad_emitter *g, vlad_work work) {
    bool *wanted = work.kind == WORK_AFTER ? &g->after_wanted[3 * (size_t)work.e->number + work.part]
                                           : &g->at_wanted[work.e->number];
    if (*wanted)
        return;
    *wanted = true;
    vlad_work *next = vlad_push(&g->work);
    if (next == NULL) {
        g->failed = true;
        return;
    }
    *next = work;
    if (work.kind == WORK_AFTER)
        vlad_write(&g->heads, "REGION after_%" PRIu32 "_%u(ARGUMENTS);\n", work.e->number, work.part);
    else
        vlad_write(&g->heads, "REGION at_%" PRIu32 "(ARGUMENTS);\n", work.e->number);
    if (work.kind == WORK_BODY)
        vlad_write(&g->heads, "REGION body_%" PRIu32 "(ARGUMENTS);\nREGION apply_%" PRIu32 "(ARGUMENTS);\n",
                   work.lambda->number, work.lambda->number);
}

/* ---- Frames ---- */

/* Emits code that pushes a frame which continues after a part of `e`; `forms` holds the values of the parts before
 * it. */
static void push_frame(vlad_emitter *g, const vlad_expression *e, unsigned part, vlad_form *forms, unsigned count) {
    char text[FORM_TEXT];
    uint32_t kept = part < 2 ? e->kept_count[part] : 0;
    for (unsigned i = 0; i < count; i++)
        forms[i] = vlad_emit_whole(g, forms[i]);
    vlad_form *keeps = vlad_emit_locals(g, kept);
    if (keeps == NULL)
        return;
    for (uint32_t i = 0; i < kept; i++)
        keeps[i] = vlad_emit_whole(g, g->locals[e->kept[part][i]]);
    vlad_form frame = vlad_emit_object(g, VLAD_FRAME, 3 + kept + count);
    vlad_write(&g->body, "p%" PRIu32 "[1] = WHAT(%" PRIu32 ", %u);\np%" PRIu32 "[2] = k;\np%" PRIu32 "[3] = self;\n",
               frame.id, e->number, part, frame.id, frame.id);
    for (uint32_t i = 0; i < kept; i++)
        vlad_write(&g->body, "p%" PRIu32 "[%" PRIu32 "] = %s;\n", frame.id, 4 + i, vlad_emit_form(&keeps[i], text));
    vlad_emit_locals_free(keeps);
    for (unsigned i = 0; i < count; i++)
        vlad_write(&g->body, "p%" PRIu32 "[%" PRIu32 "] = %s;\n", frame.id, 4 + kept + i,
                   vlad_emit_form(&forms[i], text));
    vlad_write(&g->body, "k = t%" PRIu32 ";\n", frame.id);
    g->statements += kept + count;
    vlad_emit_want(g, (vlad_work){.kind = WORK_AFTER, .e = e, .lambda = g->region.lambda, .part = part});
}

/* ---- Ends of paths ---- */

static void give(vlad_emitter *g, vlad_form form) {
    char text[FORM_TEXT];
    form = vlad_emit_whole(g, form);
    end_path(g);
    vlad_write(&g->body, "GIVE(%s);\n", vlad_emit_form(&form, text));
}

static void put_locals(vlad_emitter *g, const vlad_expression *e) {
    char text[FORM_TEXT];
    for (uint32_t i = 0; i < e->needed_count; i++) {
        vlad_form whole = vlad_emit_whole(g, g->locals[e->needed[i]]);
        vlad_write(&g->body, "LOCAL(%" PRIu32 ") = %s;\n", e->needed[i], vlad_emit_form(&whole, text));
    }
    end_path(g);
}

static void interpret(vlad_emitter *g, const vlad_expression *e) {
    put_locals(g, e);
    vlad_write(&g->body, "return leave_at(m, E[%" PRIu32 "], left, free, k, self);\n", e->number);
}

/* Makes the rest another region. */
static void cut(vlad_emitter *g, const vlad_expression *e) {
    put_locals(g, e);
    vlad_write(&g->body, "GO at_%" PRIu32 "(m, left, free, k, self, 0, 0, 0, 0, 0);\n", e->number);
    vlad_emit_want(g, (vlad_work){.kind = WORK_AT, .e = e, .lambda = g->region.lambda});
}

/* Passes the locals that a pattern binds, in order: the first ones in registers, the others as locals of the
 * machine. */
typedef struct hand_over {
    vlad_emitter *g;
    vlad_form *locals; /* of the called lambda */
    uint32_t count;
    char values[VALUES][FORM_TEXT];
} hand_over;

static void hand(hand_over *h, const vlad_pattern *pattern) {
    char text[FORM_TEXT];
    for (; pattern->kind == VLAD_TAKE; pattern = pattern->second)
        hand(h, pattern->first);
    if (pattern->kind != VLAD_BIND)
        return;
    vlad_form whole = vlad_emit_whole(h->g, h->locals[pattern->local]);
    if (h->count < VALUES)
        vlad_emit_form(&whole, h->values[h->count]);
    else
        vlad_write(&h->g->body, "LOCAL(%" PRIu32 ") = %s;\n", pattern->local, vlad_emit_form(&whole, text));
    h->count++;
}

void vlad_emit_call(vlad_emitter *g, const vlad_lambda *lambda, vlad_form *locals, vlad_form closure) {
    char text[FORM_TEXT];
    if (vlad_emit_again(g, lambda, locals, closure))
        return;
    hand_over h = {.g = g, .locals = locals, .values = {"0", "0", "0", "0", "0"}};
    hand(&h, lambda->parameter);
    end_path(g);
    if (g->region.kind == WORK_BODY && lambda == g->region.lambda) {
        vlad_write(&g->body, "{\n");
        for (uint32_t i = 0; i < VALUES && i < h.count; i++)
            vlad_write(&g->body, "const vlad_value n%" PRIu32 " = %s;\n", i, h.values[i]);
        for (uint32_t i = 0; i < VALUES && i < h.count; i++)
            vlad_write(&g->body, "a%" PRIu32 " = n%" PRIu32 ";\n", i, i);
        vlad_write(&g->body, "self = %s;\ngoto top;\n}\n", vlad_emit_form(&closure, text));
        return;
    }
    vlad_write(&g->body, "GO body_%" PRIu32 "(m, left, free, k, %s, %s, %s, %s, %s, %s);\n", lambda->number,
               vlad_emit_form(&closure, text), h.values[0], h.values[1], h.values[2], h.values[3], h.values[4]);
}

static void call(vlad_emitter *g, const vlad_lambda *lambda, vlad_form closure, vlad_form argument) {
    char root[FORM_TEXT];
    vlad_form *outer = g->locals, *inner = vlad_emit_locals(g, lambda->locals);
    if (inner == NULL)
        return;
    g->locals = inner;
    (void)snprintf(root, sizeof root, "PARAMETER_OF(L[%" PRIu32 "])", lambda->number);
    vlad_emit_bind(g, lambda->parameter, root, argument);
    g->locals = outer;
    vlad_emit_call(g, lambda, inner, closure);
    vlad_emit_locals_free(inner);
}

/* ---- Continuing ---- */

void vlad_emit_apply(vlad_emitter *g, const vlad_expression *e, vlad_form function, vlad_form argument) {
    char texts[2][FORM_TEXT];
    const vlad_lambda *known = vlad_callee(g, e);
    if (known != NULL) {
        call(g, known, function, argument);
        return;
    }
    argument = vlad_emit_whole(g, argument);
    end_path(g);
    vlad_write(&g->body, "APPLY(%" PRIu32 ", %s, %s);\n", e->number, vlad_emit_form(&function, texts[0]),
               vlad_emit_form(&argument, texts[1]));
}

const vlad_expression *vlad_emit_applied(vlad_emitter *g, const vlad_expression *e, vlad_form function) {
    function = vlad_emit_whole(g, function);
    if (!is_flat(g, e->parts[1])) {
        push_frame(g, e, 1, &function, 1);
        return e->parts[1];
    }
    vlad_emit_apply(g, e, function, vlad_emit_value(g, e->parts[1]));
    return NULL;
}

const vlad_expression *vlad_emit_operator(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, unsigned done) {
    unsigned count = vlad_operator_arity(e->is.operation);
    char texts[3][FORM_TEXT] = {"VLAD_NULL", "VLAD_NULL", "VLAD_NULL"};
    for (; done < count; done++) {
        if (!is_flat(g, e->parts[done])) {
            push_frame(g, e, done, forms, done);
            return e->parts[done];
        }
        forms[done] = vlad_emit_value(g, e->parts[done]);
    }
    vlad_form result;
    if (vlad_emit_operate(g, e, forms, &result)) {
        give(g, result);
        return NULL;
    }
    for (unsigned i = 0; i < count; i++) {
        forms[i] = vlad_emit_whole(g, forms[i]);
        vlad_emit_form(&forms[i], texts[i]);
    }
    end_path(g);
    vlad_write(&g->body, "return begin(m, E[%" PRIu32 "], left, free, k, self, %s, %s, %s);\n", e->number, texts[0],
               texts[1], texts[2]);
    return NULL;
}

static const vlad_expression *letrec(vlad_emitter *g, const vlad_expression *e) {
    const vlad_letrec *letrec = e->is.letrec;
    char text[FORM_TEXT];
    vlad_form group = {0};
    vlad_emit_step(g, 1);
    if (letrec->group_count > 0) {
        vlad_form *forms = vlad_emit_locals(g, letrec->group_count);
        if (forms == NULL)
            return NULL;
        for (uint32_t i = 0; i < letrec->group_count; i++) {
            const vlad_reference inside = {VLAD_GROUP, i};
            forms[i] =
                vlad_emit_whole(g, vlad_emit_reference(g, &letrec->group[i],
                                                       vlad_survey_bound(&g->survey, letrec->lambdas[0], &inside)));
        }
        group = vlad_emit_object(g, VLAD_GROUP_VALUES, 1 + letrec->group_count);
        vlad_write(&g->body, "p%" PRIu32 "[1] = (uint64_t)(uintptr_t)G[%" PRIu32 "];\n", group.id, letrec->number);
        for (uint32_t i = 0; i < letrec->group_count; i++)
            vlad_write(&g->body, "p%" PRIu32 "[%" PRIu32 "] = %s;\n", group.id, 2 + i, vlad_emit_form(&forms[i], text));
        vlad_emit_locals_free(forms);
    }
    for (uint32_t i = 0; i < letrec->count; i++) {
        vlad_form closure = {.kind = FORM_CLOSED, .id = letrec->lambdas[i]->number};
        if (letrec->group_count > 0) {
            closure = vlad_emit_object(g, VLAD_CLOSURE, 2);
            vlad_write(&g->body,
                       "p%" PRIu32 "[1] = (uint64_t)(uintptr_t)L[%" PRIu32 "];\np%" PRIu32 "[2] = t%" PRIu32 ";\n",
                       closure.id, letrec->lambdas[i]->number, closure.id, group.id);
        }
        g->locals[e->first_local + i] = closure;
    }
    return e->parts[0];
}

const vlad_expression *vlad_emit_let(vlad_emitter *g, const vlad_expression *e, vlad_form value) {
    char root[FORM_TEXT];
    (void)snprintf(root, sizeof root, "PATTERN_OF(E[%" PRIu32 "])", e->number);
    vlad_emit_bind(g, e->is.pattern, root, value);
    return e->parts[1];
}

/* Emits the first branch of `e`; the second one is returned and follows. */
const vlad_expression *vlad_emit_branches(vlad_emitter *g, const vlad_expression *e, const char *condition) {
    vlad_sizes path = g->path;
    uint32_t pending = g->pending;
    vlad_write(&g->body, "if (%s) {\n", condition);
    g->branches++;
    g->statements++;
    vlad_emit_tail(g, e->parts[1]);
    g->branches--;
    vlad_write(&g->body, "}\n");
    g->path = path;
    g->pending = pending;
    return e->parts[2];
}

static const vlad_expression *first_part(vlad_emitter *g, const vlad_expression *e) {
    push_frame(g, e, 0, NULL, 0);
    return e->parts[0];
}

/* Emits code for `e` and returns the expression that follows; NULL if the path has ended. */
static const vlad_expression *advance(vlad_emitter *g, const vlad_expression *e) {
    vlad_form forms[3];
    char test[FORM_TEXT];
    bool first_is_flat = e->kind != VLAD_LETREC && e->parts[0] != NULL && is_flat(g, e->parts[0]);
    switch (e->kind) {
    case VLAD_IF:
        vlad_emit_step(g, 1);
        if (!first_is_flat)
            return first_part(g, e);
        return vlad_emit_branches(g, e, vlad_emit_test(g, e->parts[0], test));
    case VLAD_LET:
        vlad_emit_step(g, 2);
        return first_is_flat ? vlad_emit_let(g, e, vlad_emit_value(g, e->parts[0])) : first_part(g, e);
    case VLAD_LETREC: return letrec(g, e);
    case VLAD_APPLICATION:
        if (is_flat(g, e))
            break;
        vlad_emit_step(g, 1);
        return first_is_flat ? vlad_emit_applied(g, e, vlad_emit_value(g, e->parts[0])) : first_part(g, e);
    case VLAD_UNARY:
    case VLAD_BINARY:
    case VLAD_TERNARY: vlad_emit_step(g, 1); return vlad_emit_operator(g, e, forms, 0);
    default: break;
    }
    give(g, vlad_emit_value(g, e));
    return NULL;
}

void vlad_emit_tail(vlad_emitter *g, const vlad_expression *e) {
    while (e != NULL && !g->failed) {
        if (!vlad_is_compiled(e)) {
            interpret(g, e);
            return;
        }
        if (g->branches > BRANCH_DEPTH || g->statements > REGION_SIZE) {
            cut(g, e);
            return;
        }
        e = advance(g, e);
    }
}
