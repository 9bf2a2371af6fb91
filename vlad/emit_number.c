/* Emits code for operators: see emit_number.h. Operands of known kinds are computed in place, without objects, by the
 * macros V_..., P0_..., P1_... of the prelude: values and partial derivatives. */
#include "vlad/emit_number.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Names ---- */

/* Returns the name of a real function in the prelude; NULL: it is none. */
static const char *name_of(vlad_operator operation) {
    switch (operation) {
    case VLAD_SQRT: return "SQRT";
    case VLAD_EXP: return "EXP";
    case VLAD_LOG: return "LOG";
    case VLAD_SIN: return "SIN";
    case VLAD_COS: return "COS";
    case VLAD_PLUS: return "PLUS";
    case VLAD_MINUS: return "MINUS";
    case VLAD_TIMES: return "TIMES";
    case VLAD_DIVIDE: return "DIVIDE";
    case VLAD_ATAN: return "ATAN";
    case VLAD_EXPT: return "EXPT";
    case VLAD_MODULO: return "MODULO";
    case VLAD_FLOOR: return "FLOOR";
    default: return NULL;
    }
}

static const char *sign_of(vlad_operator operation) {
    switch (operation) {
    case VLAD_EQUAL:
    case VLAD_IS_ZERO: return "==";
    case VLAD_LESS:
    case VLAD_IS_NEGATIVE: return "<";
    case VLAD_GREATER:
    case VLAD_IS_POSITIVE: return ">";
    case VLAD_AT_MOST: return "<=";
    case VLAD_AT_LEAST: return ">=";
    default: return NULL;
    }
}

/* True if the prelude has a function fast_... for operands with derivatives. */
static bool has_fast(vlad_operator operation) {
    return operation == VLAD_PLUS || operation == VLAD_MINUS || operation == VLAD_TIMES || operation == VLAD_DIVIDE ||
           operation == VLAD_SQRT;
}

const char *vlad_emit_double(const vlad_form *form, char *text) {
    char word[FORM_TEXT];
    if (form->kind == FORM_REAL || form->kind == FORM_DUAL || form->kind == FORM_ACTIVE)
        (void)snprintf(text, FORM_TEXT, "d%" PRIu32, form->id);
    else
        (void)snprintf(text, FORM_TEXT, "vlad_plain(%.48s)", vlad_emit_form(form, word));
    return text;
}

static bool is_active(const vlad_form *form) {
    return form->kind == FORM_DUAL || form->kind == FORM_ACTIVE;
}

/* ---- Operands of known kinds ---- */

/* Writes the value of an operation as a C expression. */
static void write_value(vlad_emitter *g, const vlad_expression *e, char (*doubles)[FORM_TEXT], unsigned count) {
    const char *sign = sign_of(e->is.operation);
    if (sign != NULL)
        vlad_write(&g->body, "%s %s %s", doubles[0], sign, count == 1 ? "0" : doubles[1]);
    else
        vlad_write(&g->body, "V_%s(%s%s%s)", name_of(e->is.operation), doubles[0], count == 1 ? "" : ", ", doubles[1]);
}

/* Writes the partial derivative with respect to operand `by`. */
static void write_partial(vlad_emitter *g, const vlad_expression *e, char (*doubles)[FORM_TEXT], unsigned count,
                          unsigned by, uint32_t result) {
    vlad_write(&g->body, "P%u_%s(%s%s%s, d%" PRIu32 ")", by, name_of(e->is.operation), doubles[0],
               count == 1 ? "" : ", ", doubles[1], result);
}

/* Emits the tangent of a dual result. */
static void write_tangent(vlad_emitter *g, const vlad_expression *e, const vlad_form *forms, char (*doubles)[FORM_TEXT],
                          unsigned count, uint32_t result) {
    bool first = true;
    vlad_write(&g->body, "const double e%" PRIu32 " = ", result);
    for (unsigned i = 0; i < count; i++)
        if (is_active(&forms[i])) {
            vlad_write(&g->body, first ? "" : " + ");
            write_partial(g, e, doubles, count, i, result);
            vlad_write(&g->body, " * e%" PRIu32, forms[i].id);
            first = false;
        }
    vlad_write(&g->body, ";\n");
}

/* Emits the entry on the tape of a result of the topmost level. */
static void write_entry(vlad_emitter *g, const vlad_expression *e, const vlad_form *forms, char (*doubles)[FORM_TEXT],
                        unsigned count, uint32_t result) {
    vlad_write(&g->body, "const uint64_t o%" PRIu32 " = born++;\nif (recording) {\nMAKE_ROOM;\nRECORD(", result);
    for (unsigned i = 0; i < 2; i++) {
        vlad_write(&g->body, i == 0 ? "" : ", ");
        if (i >= count || !is_active(&forms[i])) {
            vlad_write(&g->body, "NO_OPERAND, 0");
            continue;
        }
        vlad_write(&g->body, "o%" PRIu32 ", ", forms[i].id);
        write_partial(g, e, doubles, count, i, result);
    }
    vlad_write(&g->body, ");\n}\n");
}

static vlad_form known(vlad_emitter *g, const vlad_expression *e, const vlad_form *forms, unsigned count) {
    char doubles[2][FORM_TEXT] = {"", ""};
    vlad_form_kind kind = FORM_REAL;
    for (unsigned i = 0; i < count; i++) {
        vlad_emit_double(&forms[i], doubles[i]);
        if (is_active(&forms[i]))
            kind = forms[i].kind;
    }
    vlad_form result = vlad_emit_temporary(g);
    bool compares = sign_of(e->is.operation) != NULL;
    g->statements += 2;
    result.kind = compares ? FORM_TRUTH : e->is.operation == VLAD_FLOOR ? FORM_REAL : kind;
    result.plain = result.kind == FORM_REAL;
    vlad_write(&g->body, compares ? "const bool t%" PRIu32 " = " : "const double d%" PRIu32 " = ", result.id);
    write_value(g, e, doubles, count);
    vlad_write(&g->body, ";\n");
    if (result.kind == FORM_DUAL)
        write_tangent(g, e, forms, doubles, count, result.id);
    if (result.kind == FORM_ACTIVE)
        write_entry(g, e, forms, doubles, count, result.id);
    return result;
}

/* ---- Operands of any kind ---- */

/* Writes the condition that operands are plain numbers, for those not known to be. */
static void write_plain_test(vlad_emitter *g, const vlad_form *forms, char (*texts)[FORM_TEXT], unsigned count) {
    bool tested = false;
    for (unsigned i = 0; i < count; i++)
        if (!forms[i].plain) {
            vlad_write(&g->body, tested ? " && vlad_is_plain(%s)" : "if (LIKELY(vlad_is_plain(%s)", texts[i]);
            tested = true;
        }
    vlad_write(&g->body, "))\n");
}

/* Code around a call of the run time: the counters of the topmost level are in the machine meanwhile. */
static void before_call(vlad_emitter *g) {
    if (vlad_version_counts(g))
        vlad_write(&g->body, "STORE_LEVEL;\n");
}
static void after_call(vlad_emitter *g) {
    if (vlad_version_counts(g))
        vlad_write(&g->body, "LOAD_LEVEL;\n");
}

static const char *fast_name(vlad_operator operation) {
    switch (operation) {
    case VLAD_PLUS: return "plus";
    case VLAD_MINUS: return "minus";
    case VLAD_TIMES: return "times";
    case VLAD_DIVIDE: return "divide";
    default: return "sqrt";
    }
}

static vlad_form unknown(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, unsigned count) {
    enum { NUMBER_WORDS = 4 };
    char texts[2][FORM_TEXT] = {"", ""}, doubles[2][FORM_TEXT] = {"", ""};
    for (unsigned i = 0; i < count; i++) {
        forms[i] = vlad_emit_whole(g, forms[i]);
        vlad_emit_form(&forms[i], texts[i]);
        vlad_emit_double(&forms[i], doubles[i]);
    }
    bool compares = sign_of(e->is.operation) != NULL;
    vlad_form result = vlad_emit_temporary(g);
    result.kind = compares ? FORM_TRUTH : FORM_TEMPORARY;
    g->statements += 2;
    vlad_write(&g->body, "%s t%" PRIu32 ";\n", compares ? "bool" : "vlad_value", result.id);
    write_plain_test(g, forms, texts, count);
    vlad_write(&g->body, compares ? "t%" PRIu32 " = " : "t%" PRIu32 " = bits_of(", result.id);
    write_value(g, e, doubles, count);
    vlad_write(&g->body, compares ? ";\nelse {\nvlad_value slow;\n" : ");\nelse {\nvlad_value slow;\n");
    before_call(g);
    if (has_fast(e->is.operation)) {
        g->path.words += NUMBER_WORDS;
        vlad_write(&g->body, "slow = fast_%s(m, free, %s%s%s);\nif (LIKELY(slow != VLAD_NOTHING))\nfree += %d;\nelse\n",
                   fast_name(e->is.operation), texts[0], count == 1 ? "" : ", ", texts[1], NUMBER_WORDS);
    }
    vlad_write(&g->body, "%s(slow, %" PRIu32 ", %s%s%s);\n", count == 1 ? "UNARY" : "BINARY", e->number, texts[0],
               count == 1 ? "" : ", ", texts[1]);
    after_call(g);
    vlad_write(&g->body, "t%" PRIu32 " = slow%s;\n}\n", result.id, compares ? " == VLAD_TRUE" : "");
    return result;
}

static vlad_form calculate(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, unsigned count) {
    bool all = true;
    for (unsigned i = 0; i < count; i++) {
        forms[i] = vlad_emit_simple(g, forms[i]);
        all &= forms[i].plain || is_active(&forms[i]);
    }
    return all ? known(g, e, forms, count) : unknown(g, e, forms, count);
}

/* ---- Other operators ---- */

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
    vlad_form result = vlad_emit_temporary(g);
    result.kind = FORM_TRUTH;
    form = vlad_emit_whole(g, form);
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
static vlad_form called(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, unsigned count) {
    char texts[3][FORM_TEXT] = {"VLAD_NULL", "VLAD_NULL", "VLAD_NULL"};
    for (unsigned i = 0; i < count; i++) {
        forms[i] = vlad_emit_whole(g, forms[i]);
        vlad_emit_form(&forms[i], texts[i]);
    }
    vlad_form result = vlad_emit_temporary(g);
    g->statements++;
    vlad_write(&g->body, "vlad_value t%" PRIu32 ";\n", result.id);
    before_call(g);
    if (e->is.operation == VLAD_REAL)
        vlad_write(&g->body, "UNARY(t%" PRIu32 ", %" PRIu32 ", %s);\n", result.id, e->number, texts[0]);
    else
        vlad_write(&g->body, "OPERATE(t%" PRIu32 ", %" PRIu32 ", %s, %s, %s);\n", result.id, e->number, texts[0],
                   texts[1], texts[2]);
    after_call(g);
    return result;
}

/* Emits an access to a vector: the usual case in place, with a function of the prelude, all others by a call. */
static vlad_form access(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, unsigned count) {
    enum { VERSION_WORDS = 5 };
    char texts[3][FORM_TEXT] = {"VLAD_NULL", "VLAD_NULL", "VLAD_NULL"}, index[FORM_TEXT] = "0";
    const char *name = count == 1 ? "length" : count == 2 ? "ref" : "set";
    bool tested = count > 1 && !forms[1].plain && !is_active(&forms[1]);
    for (unsigned i = 0; i < count; i++)
        if (i != 1 || tested)
            forms[i] = vlad_emit_whole(g, forms[i]);
    for (unsigned i = 0; i < count; i += 2)
        vlad_emit_form(&forms[i], texts[i]);
    if (count > 1)
        vlad_emit_double(&forms[1], index);
    vlad_form result = vlad_emit_temporary(g);
    g->statements += 2;
    vlad_write(&g->body, "vlad_value t%" PRIu32 " = ", result.id);
    if (tested)
        vlad_write(&g->body, "!vlad_is_plain(%s) ? VLAD_NOTHING : ", vlad_emit_form(&forms[1], texts[1]));
    vlad_write(&g->body, "vector_%s(%s%s%s%s%s%s);\n", name, texts[0], count > 1 ? ", " : "", count > 1 ? index : "",
               count == 3 ? ", " : "", count == 3 ? texts[2] : "", count == 3 ? ", free" : "");
    if (count == 3) {
        g->path.words += VERSION_WORDS;
        vlad_write(&g->body, "if (LIKELY(t%" PRIu32 " != VLAD_NOTHING))\nfree += %d;\nelse {\n", result.id,
                   VERSION_WORDS);
    } else
        vlad_write(&g->body, "if (!LIKELY(t%" PRIu32 " != VLAD_NOTHING)) {\n", result.id);
    if (count > 1) {
        forms[1] = vlad_emit_whole(g, forms[1]);
        vlad_emit_form(&forms[1], texts[1]);
    }
    before_call(g);
    vlad_write(&g->body, "OPERATE(t%" PRIu32 ", %" PRIu32 ", %s, %s, %s);\n", result.id, e->number, texts[0], texts[1],
               texts[2]);
    after_call(g);
    vlad_write(&g->body, "}\n");
    return result;
}

static bool is_access(vlad_operator operation) {
    return operation == VLAD_VECTOR_LENGTH || operation == VLAD_VECTOR_REF || operation == VLAD_VECTOR_SET;
}

bool vlad_emit_operate(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, vlad_form *result) {
    unsigned count = vlad_operator_arity(e->is.operation);
    const char *test = kind_test(e->is.operation);
    if (!vlad_gives_at_once(e->is.operation))
        return false;
    if (e->is.operation == VLAD_CONS)
        *result = vlad_emit_pair(g, forms[0], forms[1]);
    else if (test != NULL)
        *result = test_kind(g, test, forms[0]);
    else if (sign_of(e->is.operation) != NULL || name_of(e->is.operation) != NULL)
        *result = calculate(g, e, forms, count);
    else if (is_access(e->is.operation))
        *result = access(g, e, forms, count);
    else if (e->is.operation == VLAD_REAL && (forms[0].plain || is_active(&forms[0])))
        *result = forms[0];
    else
        *result = called(g, e, forms, count);
    return true;
}
