/* Expands macros inside rev functions. The parser runs before the preprocessor. A macro whose value has a
 * derivative, such as #define A(i, j) a[(i) * n + (j)], would be taken for a constant, and a complex macro for a
 * real number. Those are expanded here. All other macros are left to the compiler. */
#include "rev/derivatives.h"
#include "rev/parse.h"

#include <ctype.h>

enum { NESTED_MOST = 16 };

/* ---- Definitions ---- */

static const char *skip_blanks(const char *text) {
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static size_t name_length(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

static void read_formals(rev_unit *unit, rev_macro *macro, const char **at) {
    macro->has_formals = true;
    const char *text = *at + 1;
    for (;;) {
        text = skip_blanks(text);
        size_t length = name_length(text);
        if (length == 0)
            break;
        macro->formals = rev_grow(unit, macro->formals, macro->formal_count, sizeof *macro->formals);
        macro->formals[macro->formal_count++] = rev_copy(unit, text, length);
        text = skip_blanks(text + length);
        if (*text != ',')
            break;
        text++;
    }
    const char *close = strchr(text, ')');
    macro->strange = !close || close != skip_blanks(text); /* variadic */
    *at = close ? close + 1 : text + strlen(text);
}

static bool is_same_text(const rev_macro *a, const rev_macro *b) {
    return strcmp(a->body, b->body) == 0 && a->formal_count == b->formal_count;
}

void rev_learn_macro(rev_program *program, const rev_token *line) {
    rev_unit *unit = program->unit;
    const char *at = skip_blanks(line->text + 1);
    if (strncmp(at, "define", 6) != 0)
        return;
    at = skip_blanks(at + 6);
    size_t length = name_length(at);
    rev_macro macro = {.name = rev_copy(unit, at, length)};
    at += length;
    if (*at == '(')
        read_formals(unit, &macro, &at);
    char *body = rev_alloc(unit, strlen(at) + 1, 1); /* joins continued lines */
    for (size_t i = 0; at[i]; i++)
        body[i] = at[i] == '\\' && (at[i + 1] == '\n' || at[i + 1] == '\r') ? ' ' : at[i] == '\n' ? ' ' : at[i];
    macro.body = skip_blanks(body);
    rev_macro *known = rev_find_macro(program, macro.name);
    if (known) {
        known->strange |= !is_same_text(known, &macro); /* only the preprocessor knows which definition applies */
        return;
    }
    program->macros = rev_grow(unit, program->macros, program->macro_count, sizeof *program->macros);
    program->macros[program->macro_count++] = macro;
}

rev_macro *rev_find_macro(const rev_program *program, const char *name) {
    for (size_t i = 0; i < program->macro_count; i++)
        if (strcmp(program->macros[i].name, name) == 0)
            return &program->macros[i];
    return NULL;
}

/* ---- Uses ---- */

static rev_tokens tokens_of(rev_parser *p, const char *text, const char *name) {
    rev_source *source = rev_alloc(p->unit, 1, sizeof *source);
    *source = (rev_source){rev_format(p->unit, "macro %s", name), text, strlen(text)};
    return rev_read_tokens(p->unit, source);
}

static bool is_relevant(rev_parser *p, const rev_token *name) {
    const rev_variable *variable = rev_lookup(p, name->text);
    if (!variable)
        return rev_is_imaginary_unit(name->text) ||
               rev_is_complex(rev_type_basic(p->unit, rev_result_kind(name->text)));
    const rev_type *type = variable->type;
    while (type->kind == REV_POINTER || type->kind == REV_ARRAY)
        type = type->of;
    return variable->active || rev_is_complex(type);
}

/* True if the macro contains something complex or with a derivative, directly or through another macro. */
static bool has_derivative(rev_parser *p, const rev_macro *macro, unsigned depth) {
    rev_tokens tokens = tokens_of(p, macro->body, macro->name);
    for (size_t i = 0; i < tokens.count && depth < NESTED_MOST; i++) {
        if (tokens.items[i].kind != REV_NAME)
            continue;
        const rev_macro *nested = rev_find_macro(p->program, tokens.items[i].text);
        if (is_relevant(p, &tokens.items[i]) || (nested && nested != macro && has_derivative(p, nested, depth + 1)))
            return true;
    }
    return false;
}

static bool any_is_relevant(rev_parser *p, size_t first, size_t after) {
    for (size_t i = first; i < after; i++) {
        const rev_token *token = &p->tokens.items[i];
        const rev_macro *macro = token->kind == REV_NAME ? rev_find_macro(p->program, token->text) : NULL;
        if ((token->kind == REV_NAME && is_relevant(p, token)) || (macro && has_derivative(p, macro, 0)))
            return true;
    }
    return false;
}

typedef struct actuals {
    const char **texts;
    size_t count;
} actuals;

static const char *text_from(rev_parser *p, size_t first, size_t after) {
    if (first >= after)
        return "";
    uint32_t from = p->tokens.items[first].place.offset, to = rev_token_end(&p->tokens.items[after - 1]);
    return rev_copy(p->unit, p->tokens.items[first].place.source->text + from, to - from);
}

/* Reads the arguments of a macro up to the closing parenthesis. `end` is the index of the token after it. */
static actuals read_actuals(rev_parser *p, size_t end) {
    actuals found = {0};
    size_t first = p->at, depth = 0;
    for (size_t i = p->at; i < end; i++) {
        const rev_token *token = &p->tokens.items[i];
        bool mark = token->kind == REV_MARK && token->length == 1;
        bool ends = i + 1 == end || (depth == 0 && mark && token->text[0] == ',');
        if (ends) {
            found.texts = rev_grow(p->unit, found.texts, found.count, sizeof *found.texts);
            found.texts[found.count++] = text_from(p, first, i);
            first = i + 1;
        } else if (mark) {
            depth += strchr("([{", token->text[0]) != NULL;
            depth -= strchr(")]}", token->text[0]) != NULL;
        }
    }
    p->at = end;
    return found;
}

static const char *replaced(rev_parser *p, const rev_macro *macro, const actuals *found) {
    rev_tokens tokens = tokens_of(p, macro->body, macro->name);
    const char *text = "";
    for (size_t i = 0; i + 1 < tokens.count; i++) {
        const char *word = tokens.items[i].text;
        for (size_t k = 0; k < macro->formal_count && tokens.items[i].kind == REV_NAME; k++)
            if (strcmp(word, macro->formals[k]) == 0)
                word = found->texts[k];
        text = rev_format(p->unit, "%s %s", text, word);
    }
    return text;
}

static void set_place(rev_expr *e, rev_place place) {
    e->place = place;
    for (size_t i = 0; i < e->count; i++)
        set_place(e->parts[i], place);
}

static rev_expr *read_replaced(rev_parser *p, const char *text, const rev_token *name) {
    rev_parser inner = *p;
    inner.tokens = tokens_of(p, text, name->text);
    inner.at = 0;
    /* so that a macro that contains itself reaches the limit of nesting */
    inner.depth = p->depth + REV_DEPTH_MAX / NESTED_MOST;
    rev_expr *e = rev_read_expr(&inner);
    if (rev_peek(&inner, 0)->kind != REV_END)
        rev_refuse(p->unit, name->place, "write it out", "the macro '%s' is not an expression", name->text);
    set_place(e, name->place);
    return e;
}

rev_expr *rev_read_macro(rev_parser *p, const rev_token *name) {
    const rev_macro *macro = rev_lookup(p, name->text) ? NULL : rev_find_macro(p->program, name->text);
    if (!macro || (macro->has_formals && !rev_next_is(p, "(")))
        return NULL;
    size_t after = macro->has_formals ? rev_matching(p, p->at) : p->at;
    if (!has_derivative(p, macro, 0) && !any_is_relevant(p, p->at, after))
        return NULL;
    if (macro->strange)
        rev_refuse(p->unit, name->place, "write it out",
                   "the macro '%s' stands for something with a derivative, and is not the same everywhere", name->text);
    actuals found = {0};
    if (macro->has_formals) {
        rev_take(p);
        found = read_actuals(p, after);
    }
    if (macro->has_formals && found.count != macro->formal_count)
        rev_refuse(p->unit, name->place, NULL, "the macro '%s' takes %zu arguments, not %zu", name->text,
                   macro->formal_count, found.count);
    return read_replaced(p, replaced(p, macro, &found), name);
}
