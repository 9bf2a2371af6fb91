/* Parses C declarations: specifiers, declarators, structures. Type names from headers may be unknown; they are
 * accepted where only a type is possible. */
#include "rev/parse.h"

#include <stdio.h>

void rev_expect(rev_parser *p, const char *text, const char *where) {
    if (!rev_accept(p, text))
        rev_refuse(p->unit, rev_here(p), NULL, "'%s' expected %s, not '%.40s'", text, where,
                   rev_peek(p, 0)->kind == REV_END ? "the end of the file" : rev_peek(p, 0)->text);
}

const char *rev_expect_name(rev_parser *p, const char *what) {
    const rev_token *token = rev_take(p);
    if (token->kind != REV_NAME)
        rev_refuse(p->unit, token->place, NULL, "%s expected, not '%.40s'", what, token->text);
    return token->text;
}

void rev_deeper(rev_parser *p) {
    if (++p->depth > REV_DEPTH_MAX)
        rev_refuse(p->unit, rev_here(p), "divide it", "this is nested too deeply");
}

size_t rev_matching(rev_parser *p, size_t open) {
    size_t depth = 0;
    for (size_t i = open; i + 1 < p->tokens.count; i++) {
        const rev_token *token = &p->tokens.items[i];
        if (token->kind != REV_MARK || token->length != 1)
            continue;
        depth += strchr("([{", token->text[0]) != NULL;
        if (strchr(")]}", token->text[0]) && --depth == 0)
            return i + 1;
    }
    rev_refuse(p->unit, p->tokens.items[open].place, NULL, "'%s' is never closed", p->tokens.items[open].text);
}

/* ---- Words of types ---- */

static bool is_among(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static const char *const qualifiers[] = {"const",   "volatile", "restrict",     "__restrict__",  "__restrict",
                                         "__const", "_Atomic",  "__volatile__", "__extension__", NULL};
static const char *const storage[] = {
    "static",     "extern",   "inline",        "register", "_Noreturn", "__inline",        "__inline__",   "__global__",
    "__device__", "__host__", "_Thread_local", "auto",     "noreturn",  "__forceinline__", "__constant__", NULL};
static const char *const basics[] = {"void",     "char",       "short",     "int",   "long", "float",
                                     "double",   "signed",     "unsigned",  "_Bool", "bool", "complex",
                                     "_Complex", "__signed__", "_Complex_", NULL};
static const char *const integers[] = {"size_t",   "ssize_t",  "ptrdiff_t", "int8_t",   "int16_t",
                                       "int32_t",  "int64_t",  "uint8_t",   "uint16_t", "uint32_t",
                                       "uint64_t", "intptr_t", "uintptr_t", "intmax_t", "uintmax_t",
                                       "bool",     "uint",     "ulong",     NULL};
static const char *const ours[] = {"fixed", "ulog", "rev_stack", NULL};
static const char *const tagged[] = {"struct", "union", "enum", NULL};
static const char *const marks[] = {"passive", "rev", "anc", "typedef", NULL};

static bool names_type(const rev_parser *p, const char *text) {
    return is_among(text, basics) || is_among(text, integers) || is_among(text, ours) || is_among(text, tagged) ||
           rev_find_named(&p->program->types, text);
}

bool rev_starts_type(const rev_parser *p, size_t ahead) {
    const rev_token *token = rev_peek(p, ahead);
    if (token->kind != REV_NAME || rev_lookup(p, token->text))
        return false;
    return names_type(p, token->text) || is_among(token->text, qualifiers) || is_among(token->text, storage) ||
           is_among(token->text, marks);
}

/* ---- Structures ---- */

static rev_record *record_of_tag(rev_parser *p, const char *word, const char *tag) {
    const char *name = rev_format(p->unit, "%s %s", word, tag);
    rev_named *known = rev_find_named(&p->program->tags, name);
    if (known)
        return known->record;
    rev_record *record = rev_alloc(p->unit, 1, sizeof *record);
    record->name = name;
    record->is_union = strcmp(word, "union") == 0;
    rev_add_named(p->unit, &p->program->tags, (rev_named){.name = name, .record = record});
    return record;
}

static void read_fields(rev_parser *p, rev_record *record) {
    record->count = 0; /* a structure may be defined twice under #if; the last definition counts */
    record->fields = NULL;
    while (!rev_accept(p, "}")) {
        if (rev_peek(p, 0)->kind == REV_DIRECTIVE) {
            rev_take(p);
            continue;
        }
        rev_specifiers specifiers = rev_read_specifiers(p);
        do {
            rev_declarator field = rev_read_declarator(p, specifiers.type);
            if (rev_accept(p, ":"))
                rev_read_expr(p);
            if (!field.name)
                continue;
            record->fields = rev_grow(p->unit, record->fields, record->count, sizeof *record->fields);
            record->fields[record->count++] = (rev_field){field.name, field.type};
        } while (rev_accept(p, ","));
        rev_expect(p, ";", "after a member");
    }
}

static const rev_type *read_tagged(rev_parser *p, const char *word) {
    rev_type *type = rev_alloc(p->unit, 1, sizeof *type);
    const char *tag = rev_peek(p, 0)->kind == REV_NAME ? rev_take(p)->text : NULL;
    type->name = tag ? rev_format(p->unit, "%s %s", word, tag) : word;
    type->kind = REV_INTEGER;
    if (strcmp(word, "enum") == 0) {
        if (rev_next_is(p, "{"))
            p->at = rev_matching(p, p->at);
        return type;
    }
    rev_record *record = tag ? record_of_tag(p, word, tag) : rev_alloc(p->unit, 1, sizeof *record);
    if (rev_accept(p, "{")) {
        rev_deeper(p);
        read_fields(p, record);
        p->depth--;
    }
    type->kind = REV_RECORD;
    type->record = record;
    return type;
}

/* ---- Specifiers ---- */

typedef struct words {
    unsigned longs;
    bool is_double, is_float, is_complex, is_void, is_unsigned, any;
    char text[96];
} words;

static void note_word(words *seen, const char *word) {
    seen->longs += strcmp(word, "long") == 0;
    seen->is_double |= strcmp(word, "double") == 0;
    seen->is_float |= strcmp(word, "float") == 0;
    seen->is_complex |= strcmp(word, "complex") == 0 || strcmp(word, "_Complex") == 0;
    seen->is_void |= strcmp(word, "void") == 0;
    seen->is_unsigned |= strcmp(word, "unsigned") == 0 || strcmp(word, "bool") == 0 || strcmp(word, "_Bool") == 0;
    size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof seen->text - used, "%s%s", seen->any ? " " : "", word);
    seen->any = true;
}

static rev_kind kind_of_words(const words *seen) {
    if (seen->is_complex)
        return seen->is_float ? REV_COMPLEX_FLOAT : REV_COMPLEX;
    if (seen->is_double)
        return seen->longs ? REV_LONG_DOUBLE : REV_DOUBLE;
    return seen->is_float ? REV_FLOAT : seen->is_void ? REV_VOID : REV_INTEGER;
}

/* True for a macro such as #define real double; sets *type. */
static bool is_macro_of_type(rev_parser *p, const char *name, rev_type *type) {
    const rev_macro *macro = rev_find_macro(p->program, name);
    if (!macro || macro->strange || macro->has_formals)
        return false;
    words seen = {0};
    const char *at = macro->body;
    while (*(at += strspn(at, " \t"))) {
        size_t length = strcspn(at, " \t");
        const char *word = rev_copy(p->unit, at, length);
        if (!is_among(word, basics))
            return false;
        note_word(&seen, word);
        at += length;
    }
    type->kind = kind_of_words(&seen);
    type->is_unsigned = seen.is_unsigned;
    return seen.any;
}

static const rev_type *type_of_name(rev_parser *p, const char *name) {
    rev_named *known = rev_find_named(&p->program->types, name);
    rev_type *type = rev_alloc(p->unit, 1, sizeof *type);
    if (known) {
        *type = *known->type;
        if (type->kind != REV_POINTER && type->kind != REV_ARRAY && type->kind != REV_FUNCTION)
            type->name = name;
        return type;
    }
    type->name = name;
    if (is_macro_of_type(p, name, type))
        return type;
    type->kind = is_among(name, integers)         ? REV_INTEGER
                 : strcmp(name, "fixed") == 0     ? REV_FIXED
                 : strcmp(name, "ulog") == 0      ? REV_ULOG
                 : strcmp(name, "rev_stack") == 0 ? REV_STACK
                                                  : REV_OTHER;
    type->is_unsigned = type->kind == REV_INTEGER && (name[0] == 'u' || name[0] == 's' || name[0] == 'b');
    return type;
}

static void skip_attribute(rev_parser *p) {
    rev_take(p);
    if (rev_next_is(p, "("))
        p->at = rev_matching(p, p->at);
}

static bool is_attribute(const char *text) {
    return strcmp(text, "__attribute__") == 0 || strcmp(text, "_Alignas") == 0 || strcmp(text, "__declspec") == 0 ||
           strcmp(text, "__launch_bounds__") == 0;
}

typedef struct reading {
    rev_specifiers *result;
    words seen;
    rev_type *type; /* NULL: only basic words so far */
    bool constant, is_volatile;
} reading;

/* In an instance, `double` is replaced by another type. */
static void note_basic(rev_parser *p, reading *r, const char *word) {
    if (p->unit->instance && strcmp(word, "double") == 0 && !r->seen.is_complex && !r->seen.longs) {
        const rev_type *other = NULL;
        if (strcmp(p->unit->instance, "float") == 0) {
            note_word(&r->seen, "float");
            return;
        }
        if (strcmp(p->unit->instance, "double") != 0)
            other = strstr(p->unit->instance, "complex") || strstr(p->unit->instance, "_Complex")
                        ? rev_type_basic(p->unit, REV_COMPLEX)
                    : strcmp(p->unit->instance, "long double") == 0 ? rev_type_basic(p->unit, REV_LONG_DOUBLE)
                                                                    : type_of_name(p, p->unit->instance);
        if (other) {
            r->type = rev_alloc(p->unit, 1, sizeof *r->type);
            *r->type = *other;
            return;
        }
    }
    note_word(&r->seen, word);
}

static bool read_specifier(rev_parser *p, reading *r) {
    const rev_token *token = rev_peek(p, 0);
    if (token->kind != REV_NAME)
        return false;
    const char *text = token->text;
    bool typed = r->type || r->seen.any;
    if (is_attribute(text)) {
        skip_attribute(p);
        return true;
    }
    if (is_among(text, qualifiers)) {
        r->constant |= strcmp(text, "const") == 0 || strcmp(text, "__const") == 0;
        r->is_volatile |= strcmp(text, "volatile") == 0;
    } else if (is_among(text, storage)) {
        const char *before = r->result->prefix;
        if (strcmp(text, "extern") != 0)
            r->result->prefix = before[0] ? rev_format(p->unit, "%s %s", before, text) : text;
    } else if (is_among(text, marks)) {
        r->result->is_typedef |= text[0] == 't';
        r->result->is_passive |= text[0] == 'p';
        r->result->is_anc |= text[0] == 'a';
        r->result->is_reversible |= text[0] == 'r';
    } else if (is_among(text, basics) && !r->type) {
        note_basic(p, r, text);
    } else if (!typed && is_among(text, tagged)) {
        rev_take(p);
        r->type = rev_alloc(p->unit, 1, sizeof *r->type);
        *r->type = *read_tagged(p, text);
        return true;
    } else if (!typed) {
        r->type = rev_alloc(p->unit, 1, sizeof *r->type);
        *r->type = *type_of_name(p, text);
    } else {
        return false;
    }
    rev_take(p);
    return true;
}

rev_specifiers rev_read_specifiers(rev_parser *p) {
    rev_specifiers result = {.prefix = ""};
    reading r = {.result = &result};
    rev_place place = rev_here(p);
    while (read_specifier(p, &r))
        ;
    if (!r.type) {
        if (!r.seen.any)
            rev_refuse(p->unit, place, NULL, "a type expected, not '%.40s'", rev_peek(p, 0)->text);
        r.type = rev_alloc(p->unit, 1, sizeof *r.type);
        r.type->kind = kind_of_words(&r.seen);
        r.type->is_unsigned = r.seen.is_unsigned;
        r.type->name = rev_copy(p->unit, r.seen.text, strlen(r.seen.text));
    }
    r.type->constant |= r.constant;
    r.type->is_volatile |= r.is_volatile;
    result.type = r.type;
    return result;
}

/* ---- Declarators ---- */

static const rev_type *read_pointers(rev_parser *p, const rev_type *type) {
    while (rev_accept(p, "*")) {
        rev_type *pointer = rev_alloc(p->unit, 1, sizeof *pointer);
        pointer->kind = REV_POINTER;
        pointer->of = type;
        while (rev_peek(p, 0)->kind == REV_NAME && is_among(rev_peek(p, 0)->text, qualifiers)) {
            const char *word = rev_take(p)->text;
            pointer->constant |= strcmp(word, "const") == 0;
            pointer->restricted |= strstr(word, "restrict") != NULL;
        }
        type = pointer;
    }
    return type;
}

rev_variable **rev_read_parameters(rev_parser *p, size_t *count) {
    rev_variable **parameters = NULL;
    *count = 0;
    if (rev_next_is(p, "void") && rev_token_is(rev_peek(p, 1), ")"))
        rev_take(p);
    while (!rev_accept(p, ")")) {
        if (rev_accept(p, "...")) {
            rev_expect(p, ")", "after '...'");
            return parameters;
        }
        rev_specifiers specifiers = rev_read_specifiers(p);
        rev_declarator d = rev_read_declarator(p, specifiers.type);
        const char *name = d.name ? d.name : rev_format(p->unit, "rev__p%zu", *count);
        rev_variable *parameter =
            rev_variable_new(p->unit, name, d.type, REV_PARAMETER, d.name ? d.place : rev_here(p));
        parameter->passive = specifiers.is_passive;
        if (specifiers.is_reversible && d.type->kind == REV_POINTER && d.type->of->kind == REV_FUNCTION) {
            rev_type *function = rev_alloc(p->unit, 1, sizeof *function);
            *function = *d.type->of;
            function->reversible = true;
            parameter->type = rev_type_pointer(p->unit, function);
        }
        parameter->active = !parameter->passive && rev_is_differentiable(d.type);
        if (d.name)
            rev_declare(p, parameter); /* the lengths of arrays after it may use it */
        parameters = rev_grow(p->unit, parameters, *count, sizeof *parameters);
        parameters[(*count)++] = parameter;
        if (!rev_next_is(p, ")"))
            rev_expect(p, ",", "between parameters");
    }
    return parameters;
}

static const rev_type *read_array(rev_parser *p, const rev_type *of);

static const rev_type *read_suffix(rev_parser *p, const rev_type *type) {
    if (rev_accept(p, "["))
        return read_array(p, type);
    if (!rev_accept(p, "("))
        return type;
    rev_type *function = rev_alloc(p->unit, 1, sizeof *function);
    function->kind = REV_FUNCTION;
    function->of = type;
    function->parameters = rev_read_parameters(p, &function->parameter_count);
    return function;
}

static const rev_type *read_array(rev_parser *p, const rev_type *of) {
    rev_deeper(p);
    while (rev_accept(p, "static") || rev_accept(p, "const") || rev_accept(p, "restrict"))
        ;
    const rev_expr *length = rev_next_is(p, "]") || rev_accept(p, "*") ? NULL : rev_read_expr(p);
    rev_expect(p, "]", "after the length of an array");
    const rev_type *type = rev_type_array(p->unit, read_suffix(p, of), length);
    p->depth--;
    return type;
}

/* True if this parenthesis belongs to the declarator; false if it begins the parameter list of a function without
 * a name. */
static bool nests(const rev_parser *p) {
    const rev_token *next = rev_peek(p, 1);
    if (!rev_next_is(p, "("))
        return false;
    return rev_token_is(next, "*") || rev_token_is(next, "(") || (next->kind == REV_NAME && !rev_starts_type(p, 1));
}

rev_declarator rev_read_declarator(rev_parser *p, const rev_type *base) {
    rev_deeper(p);
    rev_declarator d = {.place = rev_here(p)};
    const rev_type *type = read_pointers(p, base);
    if (nests(p)) {
        size_t inside = p->at + 1;
        p->at = rev_matching(p, p->at);
        type = read_suffix(p, type);
        size_t after = p->at;
        p->at = inside;
        d = rev_read_declarator(p, type);
        rev_expect(p, ")", "in a declaration");
        p->at = after;
    } else {
        if (rev_peek(p, 0)->kind == REV_NAME && !is_attribute(rev_peek(p, 0)->text)) {
            d.place = rev_here(p);
            d.name = rev_take(p)->text;
        }
        d.type = read_suffix(p, type);
    }
    while (rev_peek(p, 0)->kind == REV_NAME && is_attribute(rev_peek(p, 0)->text))
        skip_attribute(p);
    p->depth--;
    return d;
}

const rev_type *rev_read_type_name(rev_parser *p) {
    rev_specifiers specifiers = rev_read_specifiers(p);
    return rev_read_declarator(p, specifiers.type).type;
}
