/* Emits code for flat expressions: see emit.h. */
#include "vlad/emit.h"

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

static vlad_form truth(vlad_emitter *g) {
    return (vlad_form){.kind = FORM_TRUTH, .id = g->temporaries++};
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

vlad_form vlad_emit_whole(vlad_emitter *g, vlad_form form) {
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

static vlad_form make_pair(vlad_emitter *g, vlad_form first, vlad_form second) {
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

vlad_form *vlad_emit_locals(vlad_emitter *g, uint32_t count) {
    vlad_form *forms = verso__alloc((size_t)count + 1, sizeof *forms);
    g->failed |= forms == NULL;
    return forms;
}

void vlad_emit_locals_free(vlad_form *locals) {
    verso__dealloc(locals);
}

/* ---- Variables and closures ---- */

static vlad_form declare(vlad_emitter *g, const char *type) {
    vlad_form form = vlad_emit_temporary(g);
    g->statements++;
    vlad_write(&g->body, "%s t%" PRIu32 ";\n", type, form.id);
    return form;
}

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
        captured[i] = vlad_emit_reference(g, &lambda->captured[i], vlad_survey_bound(&g->survey, lambda, &inside));
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
        b->g->locals[pattern->local] = vlad_emit_whole(b->g, value);
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

/* ---- Operators ---- */

static const char *sign_of(vlad_operator operation) {
    switch (operation) {
    case VLAD_PLUS: return "+";
    case VLAD_MINUS: return "-";
    case VLAD_TIMES: return "*";
    case VLAD_DIVIDE: return "/";
    case VLAD_EQUAL: return "==";
    case VLAD_LESS:
    case VLAD_IS_NEGATIVE: return "<";
    case VLAD_GREATER:
    case VLAD_IS_POSITIVE: return ">";
    case VLAD_AT_MOST: return "<=";
    case VLAD_AT_LEAST: return ">=";
    case VLAD_IS_ZERO: return "==";
    default: return NULL;
    }
}

static bool is_comparison(vlad_operator operation) {
    return (operation >= VLAD_EQUAL && operation <= VLAD_AT_LEAST) ||
           (operation >= VLAD_IS_ZERO && operation <= VLAD_IS_NEGATIVE);
}

/* Writes the condition that operands are plain numbers, for those not known to be. Returns false if it is not
 * needed. */
static bool write_plain_test(vlad_emitter *g, const vlad_form *forms, const char (*texts)[FORM_TEXT], unsigned count) {
    bool tested = false;
    for (unsigned i = 0; i < count; i++)
        if (!forms[i].plain) {
            vlad_write(&g->body, tested ? " && vlad_is_plain(%s)" : "if (LIKELY(vlad_is_plain(%s)", texts[i]);
            tested = true;
        }
    if (tested)
        vlad_write(&g->body, "))\n");
    return tested;
}

/* Emits a comparison, or arithmetic that is a single instruction. */
static vlad_form direct(vlad_emitter *g, const vlad_expression *e, const vlad_form *forms, unsigned count) {
    char texts[2][FORM_TEXT] = {"", ""};
    for (unsigned i = 0; i < count; i++)
        vlad_emit_form(&forms[i], texts[i]);
    bool compares = is_comparison(e->is.operation);
    vlad_form result = compares ? truth(g) : vlad_emit_temporary(g);
    g->statements += 2;
    vlad_write(&g->body, "%s t%" PRIu32 ";\n", compares ? "bool" : "vlad_value", result.id);
    bool tested = write_plain_test(g, forms, (const char(*)[FORM_TEXT])texts, count);
    const char *sign = sign_of(e->is.operation);
    vlad_write(&g->body, "t%" PRIu32 " = ", result.id);
    if (e->is.operation == VLAD_SQRT)
        vlad_write(&g->body, "bits_of(__builtin_sqrt(vlad_plain(%s)));\n", texts[0]);
    else if (count == 1)
        vlad_write(&g->body, "vlad_plain(%s) %s 0;\n", texts[0], sign);
    else
        vlad_write(&g->body, "%s(vlad_plain(%s) %s vlad_plain(%s));\n", compares ? "" : "bits_of", texts[0], sign,
                   texts[1]);
    result.plain = !compares && !tested;
    if (!tested)
        return result;
    vlad_write(&g->body, "else {\nvlad_value slow;\n%s(slow, %" PRIu32 ", %s%s%s);\nt%" PRIu32 " = slow%s;\n}\n",
               count == 1 ? "UNARY" : "BINARY", e->number, texts[0], count == 1 ? "" : ", ", texts[1], result.id,
               compares ? " == VLAD_TRUE" : "");
    return result;
}

static const char *kind_test(vlad_operator operation) {
    switch (operation) {
    case VLAD_IS_NULL: return "%s == VLAD_NULL";
    case VLAD_IS_BOOLEAN: return "%s == VLAD_TRUE || %s == VLAD_FALSE";
    case VLAD_IS_REAL: return "vlad_is_real(%s)";
    case VLAD_IS_PAIR: return "IS_PAIR(%s)";
    case VLAD_IS_VECTOR: return "vlad_is_kind(%s, VLAD_VECTOR)";
    case VLAD_IS_PROCEDURE: return "vlad_is_kind(%s, VLAD_CLOSURE)";
    default: return NULL;
    }
}

static vlad_form test_kind(vlad_emitter *g, const char *test, vlad_form form) {
    char text[FORM_TEXT];
    vlad_form result = truth(g);
    vlad_emit_form(&form, text);
    g->statements++;
    vlad_write(&g->body, "const bool t%" PRIu32 " = ", result.id);
    for (const char *at = test; *at != '\0'; at++)
        if (at[0] == '%' && at[1] == 's') {
            vlad_write(&g->body, "%s", text);
            at++;
        } else
            vlad_write_bytes(&g->body, at, 1);
    vlad_write(&g->body, ";\n");
    return result;
}

/* Emits a call of the run time for an operator. */
static vlad_form called(vlad_emitter *g, const vlad_expression *e, const vlad_form *forms, unsigned count) {
    char texts[3][FORM_TEXT] = {"VLAD_NULL", "VLAD_NULL", "VLAD_NULL"};
    bool plain = true, real = true;
    for (unsigned i = 0; i < count; i++) {
        vlad_emit_form(&forms[i], texts[i]);
        plain &= forms[i].plain;
    }
    vlad_form result = declare(g, "vlad_value");
    switch (e->is.operation) {
    case VLAD_VECTOR_REF:
    case VLAD_READ_REAL:
    case VLAD_WRITE_REAL:
    case VLAD_VECTOR_LENGTH:
    case VLAD_LIST_TO_VECTOR:
    case VLAD_VECTOR_SET: real = false; break;
    default: break;
    }
    if (!real)
        vlad_write(&g->body, "OPERATE(t%" PRIu32 ", %" PRIu32 ", %s, %s, %s);\n", result.id, e->number, texts[0],
                   texts[1], texts[2]);
    else if (count == 1)
        vlad_write(&g->body, "UNARY(t%" PRIu32 ", %" PRIu32 ", %s);\n", result.id, e->number, texts[0]);
    else
        vlad_write(&g->body, "BINARY(t%" PRIu32 ", %" PRIu32 ", %s, %s);\n", result.id, e->number, texts[0], texts[1]);
    result.plain = real && plain;
    return result;
}

bool vlad_emit_operate(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, vlad_form *result) {
    unsigned count = vlad_operator_arity(e->is.operation);
    const char *test = kind_test(e->is.operation);
    if (!vlad_gives_at_once(e->is.operation))
        return false;
    if (e->is.operation == VLAD_CONS) {
        *result = make_pair(g, forms[0], forms[1]);
        return true;
    }
    for (unsigned i = 0; i < count; i++)
        forms[i] = vlad_emit_whole(g, forms[i]);
    if (test != NULL)
        *result = test_kind(g, test, forms[0]);
    else if (sign_of(e->is.operation) != NULL || e->is.operation == VLAD_SQRT)
        *result = direct(g, e, forms, count);
    else
        *result = called(g, e, forms, count);
    return true;
}

static vlad_form operate(vlad_emitter *g, const vlad_expression *e) {
    vlad_form forms[3], result = constant(VLAD_NULL);
    vlad_emit_step(g, 1);
    for (unsigned i = 0; i < vlad_operator_arity(e->is.operation); i++)
        forms[i] = vlad_emit_value(g, e->parts[i]);
    (void)vlad_emit_operate(g, e, forms, &result); /* never false: the expression is flat */
    return result;
}

/* ---- Other expressions ---- */

const char *vlad_emit_test(vlad_emitter *g, const vlad_expression *e, char *text) {
    char name[FORM_TEXT];
    vlad_form form = vlad_emit_value(g, e);
    if (form.kind == FORM_TRUTH) {
        (void)snprintf(text, FORM_TEXT, "t%" PRIu32, form.id);
        return text;
    }
    if (form.kind == FORM_PAIR)
        (void)snprintf(text, FORM_TEXT, "1");
    else
        (void)snprintf(text, FORM_TEXT, "%.40s != VLAD_FALSE", vlad_emit_form(&form, name));
    return text;
}

/* Emits one of two branches, which sets `result`. */
static void branch(vlad_emitter *g, const vlad_expression *e, vlad_form result) {
    char text[FORM_TEXT];
    uint32_t pending = g->pending;
    g->pending = 0;
    vlad_form form = vlad_emit_whole(g, vlad_emit_value(g, e));
    vlad_write(&g->body, "t%" PRIu32 " = %s;\n", result.id, vlad_emit_form(&form, text));
    vlad_emit_flush(g);
    g->pending = pending;
}

static vlad_sizes larger(vlad_sizes a, vlad_sizes b) {
    return (vlad_sizes){a.steps > b.steps ? a.steps : b.steps, a.words > b.words ? a.words : b.words};
}

static vlad_form choose(vlad_emitter *g, const vlad_expression *e) {
    char test[FORM_TEXT];
    vlad_emit_step(g, 1);
    vlad_emit_test(g, e->parts[0], test);
    vlad_form result = declare(g, "vlad_value");
    vlad_sizes before = g->path;
    vlad_write(&g->body, "if (%s) {\n", test);
    branch(g, e->parts[1], result);
    vlad_sizes then = g->path;
    g->path = before;
    vlad_write(&g->body, "} else {\n");
    branch(g, e->parts[2], result);
    vlad_write(&g->body, "}\n");
    g->path = larger(g->path, then);
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
