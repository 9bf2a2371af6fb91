/* Prints types and expressions as C. The types fixed and ulog have no operators in C; operations on them are
 * printed as calls of the run time. */
#include "rev/print.h"

#include <string.h>

/* ---- Types ---- */

static const char *parameter_list(rev_unit *unit, const rev_type *function) {
    const char *text = "";
    for (size_t i = 0; i < function->parameter_count; i++)
        text =
            rev_format(unit, "%s%s%s", text, i ? ", " : "", rev_text_of_type(unit, function->parameters[i]->type, ""));
    return text[0] ? text : "void";
}

const char *rev_text_of_type(rev_unit *unit, const rev_type *type, const char *declarator) {
    switch (type->kind) {
    case REV_POINTER: {
        const char *restricts = type->restricted ? "__restrict__ " : "";
        const char *inner = rev_format(unit, "*%s%s%s", type->constant ? "const " : "", restricts, declarator);
        if (type->of->kind == REV_ARRAY || type->of->kind == REV_FUNCTION)
            inner = rev_format(unit, "(%s)", inner);
        return rev_text_of_type(unit, type->of, inner);
    }
    case REV_ARRAY: {
        const char *length = type->length ? rev_text_of_expr(unit, NULL, type->length) : "";
        return rev_text_of_type(unit, type->of, rev_format(unit, "%s[%s]", declarator, length));
    }
    case REV_FUNCTION:
        return rev_text_of_type(unit, type->of, rev_format(unit, "%s(%s)", declarator, parameter_list(unit, type)));
    default:
        return rev_format(unit, "%s%s%s%s%s", type->constant ? "const " : "", type->is_volatile ? "volatile " : "",
                          type->name, declarator[0] && declarator[0] != '[' ? " " : "", declarator);
    }
}

const char *rev_text_quoted(rev_unit *unit, const char *text) {
    char *quoted = rev_alloc(unit, 2 * strlen(text) + 3, 1);
    size_t size = 0;
    quoted[size++] = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            quoted[size++] = '\\';
        quoted[size++] = *text == '\n' ? ' ' : *text;
    }
    quoted[size] = '"';
    return quoted;
}

/* ---- Expressions ---- */

enum { BINDS_CHOICE = 1, BINDS_UNARY = 20, BINDS_POSTFIX = 21 };

typedef struct writer {
    rev_unit *unit;
    rev_program *program;
} writer;

static const char *text_at(writer *w, const rev_expr *e, int binds);

static int binding(const char *op) {
    static const char *const levels[] = {"||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"};
    for (int i = 0; i < 10; i++)
        for (const char *word = levels[i]; word; word = strchr(word, ' ')) {
            word += *word == ' ';
            size_t length = strcspn(word, " ");
            if (strlen(op) == length && strncmp(op, word, length) == 0)
                return 2 + i;
        }
    return BINDS_UNARY;
}

static const char *as_kind(writer *w, const rev_expr *e, rev_kind kind) {
    rev_kind has = e->type->kind;
    if (has == kind || (has != REV_FIXED && has != REV_ULOG && kind != REV_FIXED && kind != REV_ULOG))
        return text_at(w, e, 0);
    const char *text = text_at(w, e, 0);
    if (has == REV_FIXED)
        text = rev_format(w->unit, "rev_fixed_value(%s)", text);
    if (has == REV_ULOG)
        text = rev_format(w->unit, "rev_ulog_value(%s)", text);
    if (kind == REV_FIXED)
        text = rev_format(w->unit, "rev_fixed(%s)", text);
    if (kind == REV_ULOG)
        text = rev_format(w->unit, "rev_ulog(%s)", text);
    return text;
}

static bool is_exact(const rev_expr *e) {
    return rev_is_exact(e->type);
}

/* Prints a part of an expression of ordinary numbers. */
static const char *plain_at(writer *w, const rev_expr *e, int binds) {
    return is_exact(e) ? as_kind(w, e, REV_DOUBLE) : text_at(w, e, binds);
}

static const char *exact_operation(writer *w, const rev_expr *e) {
    static const char *const names[] = {['+'] = "add", ['-'] = "sub", ['*'] = "mul", ['/'] = "div"};
    const char *family = e->type->kind == REV_FIXED ? "fixed" : "ulog";
    return rev_format(w->unit, "rev_%s_%s(%s, %s)", family, names[(unsigned char)e->name[0]],
                      as_kind(w, e->parts[0], e->type->kind), as_kind(w, e->parts[1], e->type->kind));
}

/* Prints a comparison of two exact numbers of the same kind. */
static const char *exact_comparison(writer *w, const rev_expr *e) {
    const rev_expr *a = e->parts[0], *b = e->parts[1];
    const char *family = a->type->kind == REV_FIXED ? "fixed" : "ulog", *op = e->name;
    bool equality = op[0] == '=' || op[0] == '!', swaps = (op[0] == '>') != (op[1] == '=' && !equality);
    bool negated = op[0] == '!' || (!equality && op[1] == '=');
    const char *x = text_at(w, swaps ? b : a, 0), *y = text_at(w, swaps ? a : b, 0);
    return rev_format(w->unit, "%srev_%s_%s(%s, %s)", negated ? "!" : "", family, equality ? "equal" : "less", x, y);
}

/* True where compilers would warn about missing parentheses: between logical and bitwise operators, in comparisons
 * and in shifts. */
static bool needs_parentheses(int binds, const rev_expr *part) {
    enum { OR = 2, AND = 3, BITS = 6, EQUAL = 7, LESS = 8, SHIFT = 9 };
    if (part->kind != REV_E_BINARY || is_exact(part))
        return false;
    int has = binding(part->name);
    if (binds == OR || binds == AND)
        return has <= BITS && has != binds;
    if (binds == EQUAL || binds == LESS)
        return has <= LESS;
    return binds == SHIFT || (binds <= BITS && has != binds);
}

static const char *binary_text(writer *w, const rev_expr *e, int *binds) {
    const rev_expr *a = e->parts[0], *b = e->parts[1];
    *binds = BINDS_POSTFIX;
    if (is_exact(e) && strchr("+-*/", e->name[0]))
        return exact_operation(w, e);
    if (is_exact(a) && a->type->kind == b->type->kind && strchr("<>=!", e->name[0])) {
        *binds = BINDS_UNARY;
        return exact_comparison(w, e);
    }
    *binds = binding(e->name);
    int left = needs_parentheses(*binds, a) ? BINDS_POSTFIX : *binds;
    int right = needs_parentheses(*binds, b) ? BINDS_POSTFIX : *binds + 1;
    return rev_format(w->unit, "%s %s %s", plain_at(w, a, left), e->name, plain_at(w, b, right));
}

static const char *unary_text(writer *w, const rev_expr *e) {
    const rev_expr *a = e->parts[0];
    if (is_exact(e) && e->name[0] == '-')
        return rev_format(w->unit, "rev_fixed_neg(%s)", as_kind(w, a, REV_FIXED));
    bool address = e->name[0] == '*' || e->name[0] == '&';
    const char *inner = address ? text_at(w, a, BINDS_UNARY) : plain_at(w, a, BINDS_UNARY);
    bool glued = inner[0] == e->name[0]; /* - -x, & &x */
    return rev_format(w->unit, glued ? "%s(%s)" : "%s%s", e->name, inner);
}

static const rev_type *formal_type(const writer *w, const rev_expr *call, size_t i) {
    rev_named *host = w->program ? rev_find_named(&w->program->hosts, call->name) : NULL;
    bool known = host && host->type->kind == REV_FUNCTION && i < host->type->parameter_count;
    return known ? host->type->parameters[i]->type : NULL;
}

/* True for functions of the run time that take exact numbers. All other functions take ordinary numbers, unless
 * their declaration says otherwise. */
static bool takes_exact(const char *name) {
    return strncmp(name, "rev_fixed_", 10) == 0 || strncmp(name, "rev_ulog_", 9) == 0;
}

static const char *call_text(writer *w, const rev_expr *e) {
    if (strcmp(e->name, "rev_fixed") == 0 && e->count == 1)
        return e->parts[0]->type->kind == REV_FIXED
                   ? text_at(w, e->parts[0], BINDS_POSTFIX)
                   : rev_format(w->unit, "rev_fixed(%s)", as_kind(w, e->parts[0], REV_DOUBLE));
    const char *text = rev_format(w->unit, "%s(", e->name);
    for (size_t i = 0; i < e->count; i++) {
        const rev_type *formal = formal_type(w, e, i);
        rev_kind kind = formal ? formal->kind : takes_exact(e->name) ? e->parts[i]->type->kind : REV_DOUBLE;
        text = rev_format(w->unit, "%s%s%s", text, i ? ", " : "", as_kind(w, e->parts[i], kind));
    }
    return rev_format(w->unit, "%s)", text);
}

static const char *choice_text(writer *w, const rev_expr *e) {
    rev_kind kind = e->type->kind;
    const char *a = is_exact(e) ? as_kind(w, e->parts[1], kind) : plain_at(w, e->parts[1], BINDS_CHOICE);
    const char *b = is_exact(e) ? as_kind(w, e->parts[2], kind) : plain_at(w, e->parts[2], BINDS_CHOICE);
    return rev_format(w->unit, "%s ? %s : %s", text_at(w, e->parts[0], BINDS_CHOICE + 1), a, b);
}

static const char *cast_text(writer *w, const rev_expr *e) {
    if (is_exact(e) || is_exact(e->parts[0]))
        return as_kind(w, e->parts[0], e->type->kind);
    return rev_format(w->unit, "(%s)%s", rev_text_of_type(w->unit, e->type, ""), text_at(w, e->parts[0], BINDS_UNARY));
}

static const char *text_of(writer *w, const rev_expr *e, int *binds) {
    *binds = BINDS_POSTFIX;
    switch (e->kind) {
    case REV_E_NUMBER:
    case REV_E_TEXT: return e->name;
    case REV_E_NAME: return e->variable && e->variable->indirect ? rev_format(w->unit, "(*%s)", e->name) : e->name;
    case REV_E_CALL: return call_text(w, e);
    case REV_E_INDEX:
        return rev_format(w->unit, "%s[%s]", text_at(w, e->parts[0], BINDS_POSTFIX), text_at(w, e->parts[1], 0));
    case REV_E_MEMBER: return rev_format(w->unit, "%s.%s", text_at(w, e->parts[0], BINDS_POSTFIX), e->name);
    case REV_E_ARROW: return rev_format(w->unit, "%s->%s", text_at(w, e->parts[0], BINDS_POSTFIX), e->name);
    case REV_E_BINARY: return binary_text(w, e, binds);
    case REV_E_UNARY: *binds = BINDS_UNARY; return unary_text(w, e);
    case REV_E_CAST: *binds = BINDS_UNARY; return cast_text(w, e);
    case REV_E_CHOICE: *binds = BINDS_CHOICE; return choice_text(w, e);
    }
    return "";
}

static const char *text_at(writer *w, const rev_expr *e, int binds) {
    int has;
    const char *text = text_of(w, e, &has);
    return has < binds ? rev_format(w->unit, "(%s)", text) : text;
}

const char *rev_text_of_expr(rev_unit *unit, rev_program *program, const rev_expr *e) {
    writer w = {unit, program};
    return text_at(&w, e, 0);
}

const char *rev_text_as(rev_unit *unit, rev_program *program, const rev_expr *e, const rev_type *type) {
    writer w = {unit, program};
    return as_kind(&w, e, type->kind);
}
