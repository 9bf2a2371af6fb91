/* Emits code for flat expressions: see emit.h. */
#include "vlad/emit_number.h"

#include "vlad/code.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Forms ---- */

static vlad_form constant(vlad_value value) {
    return (vlad_form){.kind = FORM_CONSTANT, .constant = value, .plain = vlad_is_plain(value)};
}

vlad_form vlad_emit_temporary(vlad_emitter *g) {
    return (vlad_form){.kind = FORM_TEMPORARY, .id = g->temporaries++};
}

const char *vlad_emit_form(const vlad_form *form, char *text) {
    switch (form->kind) {
    case FORM_CONSTANT:
        if (vlad_is_object(form->constant))
            (void)snprintf(text, FORM_TEXT, "CONSTANT_OF(E[%" PRIu32 "])", form->id);
        else
            (void)snprintf(text, FORM_TEXT, "UINT64_C(0x%" PRIx64 ")", form->constant);
        break;
    case FORM_CLOSED: (void)snprintf(text, FORM_TEXT, "CLOSED(%" PRIu32 ")", form->id); break;
    case FORM_SELF: (void)snprintf(text, FORM_TEXT, "self"); break;
    case FORM_REAL: (void)snprintf(text, FORM_TEXT, "bits_of(d%" PRIu32 ")", form->id); break;
    default: (void)snprintf(text, FORM_TEXT, "t%" PRIu32, form->id);
    }
    return text;
}

void vlad_emit_step(vlad_emitter *g, uint32_t steps) {
    g->pending += steps;
    g->path.steps += steps;
}

void vlad_emit_flush(vlad_emitter *g) {
    if (g->pending > 0)
        vlad_write(&g->body, "left -= %" PRIu32 ";\n", g->pending);
    g->pending = 0;
}

vlad_form vlad_emit_object(vlad_emitter *g, vlad_object_kind kind, uint32_t fields) {
    vlad_form object = vlad_emit_temporary(g);
    g->path.words += fields + 1;
    g->statements++;
    vlad_write(&g->body,
               "vlad_value *const p%" PRIu32 " = free, t%" PRIu32 " = OBJECT(free);\nfree += %" PRIu32 ";\np%" PRIu32
               "[0] = UINT64_C(0x%" PRIx64 ");\n",
               object.id, object.id, fields + 1, object.id, vlad_header(kind, fields));
    return object;
}

static void fill(vlad_emitter *g, vlad_form object, uint32_t field, vlad_form value) {
    char text[FORM_TEXT];
    vlad_write(&g->body, "p%" PRIu32 "[%" PRIu32 "] = %s;\n", object.id, field + 1, vlad_emit_form(&value, text));
}

static vlad_form at_pair(const vlad_emitter *g, uint32_t index) {
    return *(const vlad_form *)vlad_at(&g->pairs, index);
}

/* Emits code that makes the object of a number with a derivative. */
static vlad_form box(vlad_emitter *g, vlad_form form) {
    bool dual = form.kind == FORM_DUAL;
    vlad_form object = vlad_emit_object(g, dual ? VLAD_DUAL : VLAD_REVERSE, 3);
    vlad_write(&g->body, "p%" PRIu32 "[1] = tag;\n", object.id);
    vlad_write(&g->body,
               dual ? "p%" PRIu32 "[2] = bits_of(d%" PRIu32 ");\n" : "p%" PRIu32 "[3] = bits_of(d%" PRIu32 ");\n",
               object.id, form.id);
    vlad_write(&g->body, dual ? "p%" PRIu32 "[3] = bits_of(e%" PRIu32 ");\n" : "p%" PRIu32 "[2] = o%" PRIu32 ";\n",
               object.id, form.id);
    return object;
}

vlad_form vlad_emit_whole(vlad_emitter *g, vlad_form form) {
    if (form.kind == FORM_DUAL || form.kind == FORM_ACTIVE)
        return box(g, form);
    if (form.kind == FORM_TRUTH) {
        vlad_form whole = vlad_emit_temporary(g);
        vlad_write(&g->body, "const vlad_value t%" PRIu32 " = t%" PRIu32 " ? VLAD_TRUE : VLAD_FALSE;\n", whole.id,
                   form.id);
        return whole;
    }
    if (form.kind != FORM_PAIR)
        return form;
    vlad_form first = vlad_emit_whole(g, at_pair(g, form.first)), second = vlad_emit_whole(g, at_pair(g, form.second));
    vlad_form pair = vlad_emit_object(g, VLAD_PAIR, 2);
    fill(g, pair, 0, first);
    fill(g, pair, 1, second);
    return pair;
}

vlad_form vlad_emit_pair(vlad_emitter *g, vlad_form first, vlad_form second) {
    vlad_form *parts[2] = {vlad_push(&g->pairs), NULL};
    if (parts[0] != NULL)
        *parts[0] = first;
    parts[1] = parts[0] != NULL ? vlad_push(&g->pairs) : NULL;
    if (parts[1] == NULL) {
        g->failed = true;
        return constant(VLAD_NULL);
    }
    *parts[1] = second;
    uint32_t count = (uint32_t)g->pairs.count;
    return (vlad_form){.kind = FORM_PAIR, .first = count - 2, .second = count - 1};
}

vlad_form vlad_emit_simple(vlad_emitter *g, vlad_form form) {
    return form.kind == FORM_TRUTH || form.kind == FORM_PAIR ? vlad_emit_whole(g, form) : form;
}

vlad_form *vlad_emit_locals(vlad_emitter *g, uint32_t count) {
    vlad_form *forms = verso__alloc((size_t)count + 1, sizeof *forms);
    g->failed |= forms == NULL;
    return forms;
}

void vlad_emit_locals_free(vlad_form *locals) {
    verso__dealloc(locals);
}

/* ---- Variables and closures ---- */

static vlad_form sibling(vlad_emitter *g, const vlad_lambda *lambda) {
    vlad_form closure = vlad_emit_object(g, VLAD_CLOSURE, 2);
    vlad_write(&g->body, "p%" PRIu32 "[1] = (uint64_t)(uintptr_t)L[%" PRIu32 "];\np%" PRIu32 "[2] = FIELD(self, 1);\n",
               closure.id, lambda->number, closure.id);
    return closure;
}

vlad_form vlad_emit_reference(vlad_emitter *g, const vlad_reference *reference, const vlad_lambda *known) {
    if (known != NULL && vlad_is_closed(known))
        return (vlad_form){.kind = FORM_CLOSED, .id = known->number};
    switch (reference->where) {
    case VLAD_LOCAL: return g->locals[reference->index];
    case VLAD_SIBLING:
        if (known == g->region.lambda)
            return (vlad_form){.kind = FORM_SELF};
        return sibling(g, known);
    default: break;
    }
    const vlad_form *number = vlad_version_number(g, reference);
    if (number != NULL)
        return *number;
    vlad_form form = vlad_emit_temporary(g);
    g->statements++;
    vlad_write(&g->body,
               reference->where == VLAD_CAPTURED ? "const vlad_value t%" PRIu32 " = FIELD(self, %" PRIu32 ");\n"
                                                 : "const vlad_value t%" PRIu32 " = FIELD(FIELD(self, 1), %" PRIu32
                                                   ");\n",
               form.id, 1 + reference->index);
    return form;
}

vlad_form vlad_emit_lambda(vlad_emitter *g, const vlad_lambda *lambda) {
    if (vlad_is_closed(lambda))
        return (vlad_form){.kind = FORM_CLOSED, .id = lambda->number};
    vlad_form *captured = vlad_emit_locals(g, lambda->captured_count);
    if (captured == NULL)
        return constant(VLAD_NULL);
    for (uint32_t i = 0; i < lambda->captured_count; i++) {
        const vlad_reference inside = {VLAD_CAPTURED, i};
        captured[i] = vlad_emit_whole(
            g, vlad_emit_reference(g, &lambda->captured[i], vlad_survey_bound(&g->survey, lambda, &inside)));
    }
    vlad_form closure = vlad_emit_object(g, VLAD_CLOSURE, 1 + lambda->captured_count);
    vlad_write(&g->body, "p%" PRIu32 "[1] = (uint64_t)(uintptr_t)L[%" PRIu32 "];\n", closure.id, lambda->number);
    for (uint32_t i = 0; i < lambda->captured_count; i++)
        fill(g, closure, 1 + i, captured[i]);
    vlad_emit_locals_free(captured);
    return closure;
}

/* ---- Patterns ---- */

/* Writes the C expression of a part of a pattern: `way` leads to it from `root`, with 'f' for first and 's' for
 * second parts. */
static void write_place(vlad_emitter *g, const char *root, const char *way, size_t length) {
    for (size_t i = length; i-- > 0;)
        vlad_write(&g->body, way[i] == 'f' ? "FIRST_OF(" : "SECOND_OF(");
    vlad_write(&g->body, "%s", root);
    for (size_t i = 0; i < length; i++)
        vlad_write(&g->body, ")");
}

typedef struct binder {
    vlad_emitter *g;
    const char *root;
    vlad_writer way;
} binder;

static void refuse(binder *b, const char *value) {
    vlad_write(&b->g->body, "return vlad_code_bind_value(m, ");
    write_place(b->g, b->root, b->way.text, b->way.size);
    vlad_write(&b->g->body, ", %s);\n", value);
}

/* Emits code that takes a pair apart. */
static void take(binder *b, vlad_form value, vlad_form parts[2]) {
    vlad_emitter *g = b->g;
    char text[FORM_TEXT];
    if (value.kind == FORM_PAIR) {
        parts[0] = at_pair(g, value.first);
        parts[1] = at_pair(g, value.second);
        return;
    }
    value = vlad_emit_whole(g, value);
    vlad_emit_form(&value, text);
    vlad_write(&g->body, "if (!LIKELY(IS_PAIR(%s)))\n", text);
    refuse(b, text);
    for (int i = 0; i < 2; i++) {
        parts[i] = vlad_emit_temporary(g);
        g->statements++;
        vlad_write(&g->body, "const vlad_value t%" PRIu32 " = FIELD(%s, %d);\n", parts[i].id, text, i);
    }
}

static void match(binder *b, vlad_form value) {
    vlad_emitter *g = b->g;
    char text[FORM_TEXT];
    value = vlad_emit_whole(g, value);
    vlad_emit_form(&value, text);
    vlad_write(&g->body, "if (!LIKELY(vlad_code_bind_value(m, ");
    write_place(g, b->root, b->way.text, b->way.size);
    vlad_write(&g->body, ", %s)))\nreturn 0;\n", text);
}

/* Binds in the same order as the interpreter, so that the same mismatch is reported. */
static void bind(binder *b, const vlad_pattern *pattern, vlad_form value) {
    size_t length = b->way.size;
    for (; pattern->kind == VLAD_TAKE && !b->way.failed; pattern = pattern->second) {
        vlad_form parts[2];
        take(b, value, parts);
        size_t here = b->way.size;
        vlad_write_bytes(&b->way, "f", 1);
        bind(b, pattern->first, parts[0]);
        b->way.size = here;
        vlad_write_bytes(&b->way, "s", 1);
        value = parts[1];
    }
    if (pattern->kind == VLAD_BIND)
        b->g->locals[pattern->local] = vlad_emit_simple(b->g, value);
    else if (pattern->kind == VLAD_MATCH)
        match(b, value);
    b->g->failed |= b->way.failed;
    b->way.size = length;
}

void vlad_emit_bind(vlad_emitter *g, const vlad_pattern *pattern, const char *root, vlad_form value) {
    binder b = {.g = g, .root = root};
    bind(&b, pattern, value);
    vlad_writer_free(&b.way);
}

/* ---- Other expressions ---- */

static vlad_form operate(vlad_emitter *g, const vlad_expression *e) {
    vlad_form forms[3], result = {0};
    vlad_emit_step(g, 1);
    for (unsigned i = 0; i < vlad_operator_arity(e->is.operation); i++)
        forms[i] = vlad_emit_value(g, e->parts[i]);
    (void)vlad_emit_operate(g, e, forms, &result); /* never false: the expression is flat */
    return result;
}

const char *vlad_emit_test(vlad_emitter *g, const vlad_expression *e, char *text) {
    char name[FORM_TEXT];
    vlad_form form = vlad_emit_value(g, e);
    if (form.kind == FORM_TRUTH) {
        (void)snprintf(text, FORM_TEXT, "t%" PRIu32, form.id);
        return text;
    }
    if (form.kind == FORM_PAIR || form.kind == FORM_DUAL || form.kind == FORM_ACTIVE || form.plain)
        (void)snprintf(text, FORM_TEXT, "1");
    else
        (void)snprintf(text, FORM_TEXT, "%.40s != VLAD_FALSE", vlad_emit_form(&form, name));
    return text;
}

/* One of two branches: its code, its value and its sizes. */
typedef struct arm {
    vlad_writer code;
    vlad_form value;
    vlad_sizes path;
} arm;

static void swap(vlad_writer *a, vlad_writer *b) {
    vlad_writer kept = *a;
    *a = *b;
    *b = kept;
}

static arm branch(vlad_emitter *g, const vlad_expression *e, vlad_sizes before) {
    arm taken = {0};
    uint32_t pending = g->pending;
    g->pending = 0;
    g->path = before;
    swap(&g->body, &taken.code);
    taken.value = vlad_emit_value(g, e);
    vlad_emit_flush(g);
    swap(&g->body, &taken.code);
    g->pending = pending;
    taken.path = g->path;
    return taken;
}

/* Completes a branch, which sets `result`. */
static void set_result(vlad_emitter *g, arm *taken, vlad_form result) {
    char text[FORM_TEXT];
    uint32_t to = result.id;
    g->path = taken->path;
    swap(&g->body, &taken->code);
    if (result.kind == FORM_TEMPORARY) {
        taken->value = vlad_emit_whole(g, taken->value);
        vlad_write(&g->body, "t%" PRIu32 " = %s;\n", to, vlad_emit_form(&taken->value, text));
    } else if (result.kind == FORM_TRUTH)
        vlad_write(&g->body, "t%" PRIu32 " = t%" PRIu32 ";\n", to, taken->value.id);
    else
        vlad_write(&g->body, "d%" PRIu32 " = %s;\n", to, vlad_emit_double(&taken->value, text));
    if (result.kind == FORM_DUAL)
        vlad_write(&g->body, "e%" PRIu32 " = e%" PRIu32 ";\n", to, taken->value.id);
    if (result.kind == FORM_ACTIVE)
        vlad_write(&g->body, "o%" PRIu32 " = o%" PRIu32 ";\n", to, taken->value.id);
    swap(&g->body, &taken->code);
    taken->path = g->path;
}

static vlad_sizes larger(vlad_sizes a, vlad_sizes b) {
    return (vlad_sizes){a.steps > b.steps ? a.steps : b.steps, a.words > b.words ? a.words : b.words};
}

/* Declares the value of a choice between two: unboxed if both are. */
static vlad_form either(vlad_emitter *g, const vlad_form *a, const vlad_form *b) {
    vlad_form result = vlad_emit_temporary(g);
    if (a->plain && b->plain) {
        result.kind = FORM_REAL;
        result.plain = true;
    } else if (a->kind == b->kind && (a->kind == FORM_DUAL || a->kind == FORM_ACTIVE || a->kind == FORM_TRUTH))
        result.kind = a->kind;
    const char *type = result.kind == FORM_TEMPORARY ? "vlad_value t"
                       : result.kind == FORM_TRUTH   ? "bool t"
                                                     : "double d";
    vlad_write(&g->body, "%s%" PRIu32 ";\n", type, result.id);
    if (result.kind == FORM_DUAL)
        vlad_write(&g->body, "double e%" PRIu32 ";\n", result.id);
    if (result.kind == FORM_ACTIVE)
        vlad_write(&g->body, "uint64_t o%" PRIu32 ";\n", result.id);
    g->statements++;
    return result;
}

static vlad_form choose(vlad_emitter *g, const vlad_expression *e) {
    char test[FORM_TEXT];
    vlad_emit_step(g, 1);
    vlad_emit_test(g, e->parts[0], test);
    vlad_sizes before = g->path;
    arm arms[2];
    arms[0] = branch(g, e->parts[1], before);
    arms[1] = branch(g, e->parts[2], before);
    vlad_form result = either(g, &arms[0].value, &arms[1].value);
    for (int i = 0; i < 2; i++) {
        set_result(g, &arms[i], result);
        vlad_write(&g->body, i == 0 ? "if (%s) {\n" : "} else {\n", test);
        g->failed |= arms[i].code.failed;
        if (arms[i].code.size > 0)
            vlad_write_bytes(&g->body, arms[i].code.text, arms[i].code.size);
        vlad_writer_free(&arms[i].code);
    }
    vlad_write(&g->body, "}\n");
    g->path = larger(arms[0].path, arms[1].path);
    return result;
}

/* Emits an inlined lambda, which has its own locals. */
static vlad_form place(vlad_emitter *g, const vlad_expression *e) {
    const vlad_lambda *lambda = g->survey.known[e->parts[0]->number];
    char root[FORM_TEXT];
    vlad_emit_step(g, 2);
    vlad_form argument = vlad_emit_value(g, e->parts[1]), *outer = g->locals;
    vlad_form *inner = vlad_emit_locals(g, lambda->locals);
    if (inner == NULL)
        return constant(VLAD_NULL);
    g->locals = inner;
    (void)snprintf(root, sizeof root, "PARAMETER_OF(L[%" PRIu32 "])", lambda->number);
    vlad_emit_bind(g, lambda->parameter, root, argument);
    vlad_form value = vlad_emit_value(g, lambda->body);
    g->locals = outer;
    vlad_emit_locals_free(inner);
    return value;
}

static vlad_form let(vlad_emitter *g, const vlad_expression *e) {
    char root[FORM_TEXT];
    vlad_emit_step(g, 2);
    (void)snprintf(root, sizeof root, "PATTERN_OF(E[%" PRIu32 "])", e->number);
    vlad_emit_bind(g, e->is.pattern, root, vlad_emit_value(g, e->parts[0]));
    return vlad_emit_value(g, e->parts[1]);
}

vlad_form vlad_emit_value(vlad_emitter *g, const vlad_expression *e) {
    switch (e->kind) {
    case VLAD_CONSTANT: {
        vlad_emit_step(g, 1);
        vlad_form form = constant(e->is.constant);
        form.id = e->number;
        return form;
    }
    case VLAD_VARIABLE:
        vlad_emit_step(g, 1);
        return vlad_emit_reference(g, &e->is.variable, g->survey.known[e->number]);
    case VLAD_LAMBDA: vlad_emit_step(g, 1); return vlad_emit_lambda(g, e->is.lambda);
    case VLAD_IF: return choose(g, e);
    case VLAD_LET: return let(g, e);
    case VLAD_APPLICATION: return place(g, e);
    default: return operate(g, e);
    }
}
