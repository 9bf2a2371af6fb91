/* Versions of a loop: see emit_number.h.
 *
 * A function that calls itself at its end is a loop. Besides the general code, in which any variable may be any value,
 * it gets up to three versions, in which numbers are in C variables instead of objects:
 *
 *   plain     all numbers are plain
 *   dual      those that may have derivatives (flow.h) are duals with one tag and plain parts
 *   reverse   they are reverse numbers of the topmost level, with plain primals; the level's counters are in C
 *             variables, too (LOAD_LEVEL and STORE_LEVEL of the prelude)
 *
 * The general code tests at its beginning whether a version fits. A version that cannot continue makes objects of its
 * numbers and goes back to the beginning; it keeps as many words of memory free as that takes. */
#include "vlad/emit_number.h"

#include <inttypes.h>
#include <stdio.h>

enum { OUTERS = 8, VERSION_SIZE = 150 };

typedef enum mode { PLAIN, DUAL, REVERSE, MODES } mode;
typedef enum source { WORD, NUMBER, ACTIVE } source; /* NUMBER: plain */

/* A captured variable that is a number. */
typedef struct outer {
    vlad_reference reference;
    source kind;
    vlad_form form;
} outer;

struct vlad_version {
    mode mode;
    uint32_t number;         /* of the version, among those of its function */
    uint32_t locals[VALUES]; /* the first parameters: their locals, kinds and forms */
    source sources[VALUES];
    vlad_form forms[VALUES];
    uint32_t count;
    outer outers[OUTERS];
    uint32_t outer_count;
    unsigned again; /* number of calls that stay in the version */
    bool changed;   /* a plain parameter turned out to be active */
};

bool vlad_version_counts(const vlad_emitter *g) {
    return g->version != NULL && g->version->mode == REVERSE;
}

const vlad_form *vlad_version_number(const vlad_emitter *g, const vlad_reference *reference) {
    vlad_version *v = g->version;
    for (uint32_t i = 0; v != NULL && i < v->outer_count; i++)
        if (v->outers[i].reference.where == reference->where && v->outers[i].reference.index == reference->index &&
            v->outers[i].kind != WORD)
            return &v->outers[i].form;
    return NULL;
}

/* ---- The variables of a loop ---- */

static source guess(uint8_t flow, bool active) {
    return active && (flow & VLAD_FLOW_ACTIVE) != 0 ? ACTIVE : NUMBER;
}

static void note_outer(const vlad_emitter *g, vlad_version *v, const vlad_reference *reference, bool active) {
    for (uint32_t i = 0; i < v->outer_count; i++)
        if (v->outers[i].reference.where == reference->where && v->outers[i].reference.index == reference->index)
            return;
    if (v->outer_count < OUTERS)
        v->outers[v->outer_count++] =
            (outer){*reference,
                    guess(vlad_flow_of(&g->flow, &g->survey, g->region.lambda, reference), active),
                    {.kind = FORM_TEMPORARY}};
}

/* Notes that a variable is an operand of arithmetic. */
static void note(const vlad_emitter *g, vlad_version *v, const vlad_expression *e, bool active) {
    const vlad_reference *reference = &e->is.variable;
    if (e->kind != VLAD_VARIABLE || g->survey.known[e->number] != NULL || reference->where == VLAD_SIBLING)
        return;
    if (reference->where != VLAD_LOCAL) {
        note_outer(g, v, reference, active);
        return;
    }
    for (uint32_t i = 0; i < v->count; i++)
        if (v->locals[i] == reference->index)
            v->sources[i] = guess(vlad_flow_of(&g->flow, &g->survey, g->region.lambda, reference), active);
}

static bool is_arithmetic(vlad_operator operation) {
    switch (operation) {
    case VLAD_IS_NULL:
    case VLAD_IS_BOOLEAN:
    case VLAD_IS_REAL:
    case VLAD_IS_PAIR:
    case VLAD_IS_PROCEDURE:
    case VLAD_IS_VECTOR:
    case VLAD_READ_REAL:
    case VLAD_VECTOR_LENGTH:
    case VLAD_LIST_TO_VECTOR:
    case VLAD_CONS:
    case VLAD_VECTOR_REF:
    case VLAD_VECTOR_MAP:
    case VLAD_VECTOR_SET:
    case VLAD_J_FORWARD:
    case VLAD_J_REVERSE:
    case VLAD_J_CHECKPOINT: return false;
    default: return true;
    }
}

/* Finds the variables that are numbers in an expression. */
static void find_numbers(const vlad_emitter *g, vlad_version *v, const vlad_expression *e, bool active,
                         unsigned depth) {
    if (depth > FLAT_DEPTH + BRANCH_DEPTH)
        return;
    bool operator= e->kind == VLAD_UNARY || e->kind == VLAD_BINARY || e->kind == VLAD_TERNARY;
    for (unsigned i = 0; i < 3 && e->parts[i] != NULL; i++) {
        if (operator&& is_arithmetic(e->is.operation))
            note(g, v, e->parts[i], active);
        find_numbers(g, v, e->parts[i], active, depth + 1);
    }
    if (operator&&(e->is.operation == VLAD_VECTOR_REF || e->is.operation == VLAD_VECTOR_SET))
        note(g, v, e->parts[1], active);
}

static void find_parameters(vlad_version *v, const vlad_pattern *pattern) {
    for (; pattern->kind == VLAD_TAKE; pattern = pattern->second)
        find_parameters(v, pattern->first);
    if (pattern->kind == VLAD_BIND && v->count < VALUES) {
        v->sources[v->count] = WORD;
        v->locals[v->count++] = pattern->local;
    }
}

/* Determines the variables of a version. Returns false if no variable has the kind that it is for. */
static bool find_variables(const vlad_emitter *g, vlad_version *v, vlad_work work) {
    bool active = v->mode != PLAIN, any = false;
    find_parameters(v, work.lambda->parameter);
    find_numbers(g, v, work.e, active, 0);
    /* a parameter that is only a number need not be an operand itself */
    for (uint32_t i = 0; i < v->count; i++) {
        uint8_t flow = vlad_flow_of(&g->flow, &g->survey, work.lambda, &(vlad_reference){VLAD_LOCAL, v->locals[i]});
        if (v->sources[i] == WORD && flow != 0 && (flow & VLAD_FLOW_OTHER) == 0)
            v->sources[i] = guess(flow, active);
        any |= v->sources[i] == (active ? ACTIVE : NUMBER);
    }
    return any;
}

/* ---- Entering a version ---- */

static void write_outer(vlad_writer *out, const vlad_reference *reference) {
    vlad_write(out,
               reference->where == VLAD_CAPTURED ? "FIELD(self, %" PRIu32 ")" : "FIELD(FIELD(self, 1), %" PRIu32 ")",
               1 + reference->index);
}

/* Writes the C expression of variable i: the parameters, then the captured ones. Returns its kind. */
static source write_variable(vlad_writer *out, const vlad_version *v, uint32_t i) {
    if (i < v->count) {
        vlad_write(out, "a%" PRIu32, i);
        return v->sources[i];
    }
    write_outer(out, &v->outers[i - v->count].reference);
    return v->outers[i - v->count].kind;
}

static source kind_of(const vlad_version *v, uint32_t i) {
    return i < v->count ? v->sources[i] : v->outers[i - v->count].kind;
}

/* Writes the test whether the version fits, which goes to it. */
static void write_choice(vlad_writer *out, const vlad_version *v) {
    uint32_t all = v->count + v->outer_count, first = 0;
    while (first < all && kind_of(v, first) != ACTIVE)
        first++;
    if (first < all) {
        vlad_write(out, v->mode == DUAL ? "if (vlad_is_kind(" : "if (IS_TOP(");
        (void)write_variable(out, v, first);
        vlad_write(out,
                   v->mode == DUAL ? ", VLAD_DUAL)) {\nconst uint64_t tag = TAG(" : ")) {\nconst uint64_t tag = TAG(");
        (void)write_variable(out, v, first);
        vlad_write(out, ");\n");
    }
    vlad_write(out, "if (1");
    for (uint32_t i = 0; i < all; i++) {
        if (kind_of(v, i) == WORD)
            continue;
        vlad_write(out, kind_of(v, i) == NUMBER ? " && vlad_is_plain("
                        : v->mode == DUAL       ? " && is_dual("
                                                : " && is_reverse(");
        vlad_write(out, write_variable(out, v, i) == NUMBER ? ")" : ", tag)");
    }
    vlad_write(out, ")\ngoto version_%" PRIu32 ";\n%s", v->number, first < all ? "}\n" : "");
}

/* Emits the declaration of a variable of the version, from the word that it is in. */
static vlad_form unpack(vlad_emitter *g, const vlad_version *v, uint32_t i) {
    vlad_form form = vlad_emit_temporary(g);
    source kind = kind_of(v, i);
    bool dual = v->mode == DUAL;
    form.kind = kind == NUMBER ? FORM_REAL : dual ? FORM_DUAL : FORM_ACTIVE;
    form.plain = kind == NUMBER;
    vlad_write(&g->body, kind == NUMBER ? "double d%" PRIu32 " = vlad_plain(" : "double d%" PRIu32 " = PRIMAL(",
               form.id);
    (void)write_variable(&g->body, v, i);
    vlad_write(&g->body, kind == NUMBER ? ");\n" : dual ? ", 1);\n" : ", 2);\n");
    if (kind == ACTIVE) {
        vlad_write(&g->body, dual ? "double e%" PRIu32 " = PRIMAL(" : "uint64_t o%" PRIu32 " = FIELD(", form.id);
        (void)write_variable(&g->body, v, i);
        vlad_write(&g->body, dual ? ", 2);\n" : ", 1);\n");
    }
    return form;
}

/* Emits the beginning of a version: up to the test whether it can go on. */
static void begin_version(vlad_emitter *g, vlad_version *v) {
    vlad_write(&g->body, "version_%" PRIu32 ":;\n{\n", v->number);
    for (uint32_t i = 0; i < v->count + v->outer_count; i++)
        if (kind_of(v, i) == ACTIVE) {
            vlad_write(&g->body, "const uint64_t tag = TAG(");
            (void)write_variable(&g->body, v, i);
            vlad_write(&g->body, ");\n");
            break;
        }
    for (uint32_t i = 0; i < v->count; i++)
        v->forms[i] = v->sources[i] == WORD ? (vlad_form){0} : unpack(g, v, i);
    for (uint32_t i = 0; i < v->outer_count; i++)
        v->outers[i].form = unpack(g, v, v->count + i);
    if (v->mode == REVERSE)
        vlad_write(&g->body, "DECLARE_LEVEL;\nLOAD_LEVEL;\n");
    vlad_write(&g->body, "again_%" PRIu32 ":\nif (CANNOT_GO) {\n", v->number);
    for (uint32_t i = 0; i < v->count; i++) {
        char text[FORM_TEXT];
        if (v->sources[i] == WORD)
            continue;
        vlad_form whole = vlad_emit_whole(g, v->forms[i]);
        vlad_write(&g->body, "a%" PRIu32 " = %s;\n", i, vlad_emit_form(&whole, text));
    }
    vlad_write(&g->body, "%sgoto top;\n}\n{\n", v->mode == REVERSE ? "STORE_LEVEL;\n" : "");
}

/* Sets the locals: the variables of the version, and words. */
static void set_locals(vlad_emitter *g, const vlad_version *v, const vlad_pattern *pattern, uint32_t *count) {
    for (; pattern->kind == VLAD_TAKE; pattern = pattern->second)
        set_locals(g, v, pattern->first, count);
    if (pattern->kind != VLAD_BIND)
        return;
    uint32_t i = (*count)++;
    if (i < VALUES && v->sources[i] != WORD) {
        g->locals[pattern->local] = v->forms[i];
        return;
    }
    vlad_form form = vlad_emit_temporary(g);
    vlad_write(&g->body,
               i < VALUES ? "const vlad_value t%" PRIu32 " = a%" PRIu32 ";\n"
                          : "const vlad_value t%" PRIu32 " = LOCAL(%" PRIu32 ");\n",
               form.id, i < VALUES ? i : pattern->local);
    g->locals[pattern->local] = form;
}

/* Emits a version into g->body. Returns false if it is of no use. */
static bool emit_version(vlad_emitter *g, vlad_version *v, vlad_work work) {
    uint32_t count = 0;
    g->body.size = 0;
    g->pairs.count = 0;
    g->statements = g->branches = g->pending = 0;
    g->path = (vlad_sizes){0};
    v->again = 0;
    v->changed = false;
    g->version = v;
    begin_version(g, v);
    set_locals(g, v, work.lambda->parameter, &count);
    vlad_emit_tail(g, work.e);
    vlad_write(&g->body, "}\n}\n");
    g->version = NULL;
    return v->again > 0 && g->statements < VERSION_SIZE;
}

/* ---- The next iteration ---- */

typedef struct handing {
    vlad_emitter *g;
    vlad_form *locals;
    vlad_form forms[VALUES];
    uint32_t count, beyond; /* parameters; those that are not in registers */
} handing;

static void hand(handing *h, const vlad_pattern *pattern) {
    for (; pattern->kind == VLAD_TAKE; pattern = pattern->second)
        hand(h, pattern->first);
    if (pattern->kind != VLAD_BIND)
        return;
    if (h->count < VALUES)
        h->forms[h->count++] = h->locals[pattern->local];
    else
        h->beyond++;
}

static bool is_word(const vlad_form *form) {
    return form->kind == FORM_TEMPORARY && !form->plain;
}

/* True if the next iteration may be of the same version; it may depend on tests of words. */
static bool may_stay(vlad_version *v, const handing *h) {
    bool stays = h->beyond == 0;
    for (uint32_t i = 0; i < v->count; i++) {
        const vlad_form *form = &h->forms[i];
        bool active = form->kind == FORM_DUAL || form->kind == FORM_ACTIVE;
        if (v->sources[i] == NUMBER && active) {
            v->sources[i] = ACTIVE;
            v->changed = true;
        }
        stays &= v->sources[i] == WORD || is_word(form) || (v->sources[i] == ACTIVE ? active : form->plain);
    }
    return stays;
}

/* Emits the condition that the words have the kinds of the version's variables. */
static void write_tests(vlad_emitter *g, const vlad_version *v, const handing *h) {
    char text[FORM_TEXT];
    vlad_write(&g->body, "if (1");
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->sources[i] == WORD || !is_word(&h->forms[i]))
            continue;
        vlad_emit_form(&h->forms[i], text);
        if (v->sources[i] == NUMBER)
            vlad_write(&g->body, " && vlad_is_plain(%s)", text);
        else
            vlad_write(&g->body, " && is_%s(%s, tag)", v->mode == DUAL ? "dual" : "reverse", text);
    }
    vlad_write(&g->body, ") {\n");
}

/* Emits the new value of variable i, as q or (q, r). */
static void write_next(vlad_emitter *g, const vlad_version *v, const handing *h, uint32_t i) {
    char text[FORM_TEXT];
    const vlad_form *form = &h->forms[i];
    bool word = is_word(form), dual = v->mode == DUAL;
    if (v->sources[i] == WORD) {
        vlad_write(&g->body, "const vlad_value q%" PRIu32 " = %s;\n", i, vlad_emit_form(form, text));
        return;
    }
    if (v->sources[i] == ACTIVE && word)
        vlad_write(&g->body, "const double q%" PRIu32 " = PRIMAL(%s, %d);\n", i, vlad_emit_form(form, text),
                   dual ? 1 : 2);
    else
        vlad_write(&g->body, "const double q%" PRIu32 " = %s;\n", i, vlad_emit_double(form, text));
    if (v->sources[i] != ACTIVE)
        return;
    vlad_write(&g->body, dual ? "const double r%" PRIu32 " = " : "const uint64_t r%" PRIu32 " = ", i);
    if (word)
        vlad_write(&g->body, dual ? "PRIMAL(%s, 2);\n" : "FIELD(%s, 1);\n", vlad_emit_form(form, text));
    else
        vlad_write(&g->body, dual ? "e%" PRIu32 ";\n" : "o%" PRIu32 ";\n", form->id);
}

bool vlad_emit_again(vlad_emitter *g, const vlad_lambda *lambda, vlad_form *locals, vlad_form closure) {
    vlad_version *v = g->version;
    handing h = {.g = g, .locals = locals};
    if (v == NULL || lambda != g->region.lambda || (closure.kind != FORM_SELF && closure.kind != FORM_CLOSED))
        return false;
    hand(&h, lambda->parameter);
    if (!may_stay(v, &h))
        return false;
    for (uint32_t i = 0; i < v->count; i++)
        if (v->sources[i] == WORD)
            h.forms[i] = vlad_emit_whole(g, h.forms[i]);
    v->again++;
    vlad_emit_size(g);
    write_tests(g, v, &h);
    for (uint32_t i = 0; i < v->count; i++)
        write_next(g, v, &h, i);
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->sources[i] == WORD)
            vlad_write(&g->body, "a%" PRIu32 " = q%" PRIu32 ";\n", i, i);
        else
            vlad_write(&g->body, "d%" PRIu32 " = q%" PRIu32 ";\n", v->forms[i].id, i);
        if (v->sources[i] == ACTIVE)
            vlad_write(&g->body, v->mode == DUAL ? "e%" PRIu32 " = r%" PRIu32 ";\n" : "o%" PRIu32 " = r%" PRIu32 ";\n",
                       v->forms[i].id, i);
    }
    vlad_write(&g->body, "goto again_%" PRIu32 ";\n}\n", v->number);
    return false; /* for words that fail the tests */
}

/* ---- All versions ---- */

/* True if the program takes derivatives for which the version is. */
static bool is_wanted(const vlad_emitter *g, mode mode) {
    return mode == PLAIN || (mode == DUAL ? g->takes_tangents : g->takes_cotangents);
}

void vlad_emit_versions(vlad_emitter *g, vlad_work work, vlad_writer *choice, vlad_writer *versions) {
    vlad_sizes most = g->most;
    for (uint32_t i = 0; i < MODES && !g->failed; i++) {
        vlad_version v = {.mode = (mode)i, .number = i};
        if (!is_wanted(g, v.mode) || !find_variables(g, &v, work))
            continue;
        bool useful = emit_version(g, &v, work);
        for (int tries = 0; v.changed && v.mode != PLAIN && tries < VALUES; tries++) {
            g->most = most;
            useful = emit_version(g, &v, work);
        }
        if (!useful) {
            g->most = most;
            if (v.mode == PLAIN && v.again == 0)
                break; /* it is no loop */
            continue;
        }
        most = g->most;
        write_choice(choice, &v);
        vlad_write_bytes(versions, g->body.text, g->body.size);
        g->failed |= g->body.failed || choice->failed || versions->failed;
    }
    g->body.size = 0;
    g->pairs.count = 0;
    g->statements = g->branches = g->pending = 0;
    g->path = (vlad_sizes){0};
    g->most = most;
}
