/* See length.h. A length is known if the user declares it, or if only fixed elements of the parameter are used. An
 * index in a loop may be under a condition, so loops are not analysed. */
#include "rev/length.h"

#include "rev/print.h"

#include <stdlib.h>
#include <string.h>

const rev_type *rev_element(const rev_type *type) {
    if (type->kind == REV_POINTER)
        type = type->of;
    while (type->kind == REV_ARRAY)
        type = type->of;
    return type;
}

bool rev_by_value(const rev_variable *parameter) {
    return parameter->type->kind != REV_POINTER && parameter->type->kind != REV_ARRAY;
}

static const rev_variable *parameter_named(const rev_function *function, const char *name) {
    for (size_t i = 0; i < function->parameter_count; i++)
        if (strcmp(function->parameters[i]->name, name) == 0)
            return function->parameters[i];
    return NULL;
}

/* True for numbers, macros and integers passed by value. */
static bool is_computable(const rev_function *function, const rev_expr *e) {
    const rev_variable *named = e->kind == REV_E_NAME ? parameter_named(function, e->name) : NULL;
    return e->kind != REV_E_INDEX && e->kind != REV_E_ARROW && e->kind != REV_E_MEMBER && e->kind != REV_E_CALL &&
           (e->kind != REV_E_UNARY || e->name[0] != '*') &&
           (!named || (rev_by_value(named) && named->type->kind == REV_INTEGER));
}

static bool is_all_computable(const rev_function *function, const rev_expr *e) {
    bool all = is_computable(function, e);
    for (size_t i = 0; all && i < e->count; i++)
        all = is_all_computable(function, e->parts[i]);
    return all;
}

/* Refuses a length that contains anything else. */
static void check_computable(rev_program *program, const rev_function *function, const rev_expr *e) {
    if (!is_computable(function, e))
        rev_refuse(program->unit, e->place, "pass the number of elements as an integer, by value",
                   "a length may contain only numbers and integers that are passed by value");
    for (size_t i = 0; i < e->count; i++)
        check_computable(program, function, e->parts[i]);
}

static const char *times(rev_program *program, const rev_function *function, const char *text, const rev_expr *length) {
    check_computable(program, function, length);
    const char *factor = rev_text_of_expr(program->unit, NULL, length);
    return text[0] ? rev_format(program->unit, "%s * (%s)", text, factor) : rev_format(program->unit, "(%s)", factor);
}

/* Multiplies `text` by the lengths of nested arrays, from `type` inwards. Returns NULL if an array has no length. */
static const char *product(rev_program *program, const rev_function *function, const char *text, const rev_type *type) {
    for (; type->kind == REV_ARRAY; type = type->of) {
        if (!type->length)
            return NULL;
        text = times(program, function, text, type->length);
    }
    return text[0] ? text : "1";
}

static const rev_length *declared(const rev_program *program, const rev_function *function, const char *parameter) {
    const char *name = function->instance ? function->instance->function : function->name;
    for (size_t i = program->length_count; i-- > 0;)
        if (strcmp(program->lengths[i].function, name) == 0 && strcmp(program->lengths[i].parameter, parameter) == 0)
            return &program->lengths[i];
    return NULL;
}

/* ---- Fixed elements ---- */

typedef struct search {
    const rev_variable *parameter;
    long most; /* number of elements known to be used; -1: unknown */
} search;

static void search_expr(search *s, const rev_expr *e);

static void note_index(search *s, long index) {
    if (s->most >= 0 && index + 1 > s->most)
        s->most = index + 1;
}

static bool is_it(const search *s, const rev_expr *e) {
    return e->kind == REV_E_NAME && e->variable == s->parameter;
}

static void search_expr(search *s, const rev_expr *e) {
    if (!e || s->most < 0)
        return;
    if ((e->kind == REV_E_UNARY && e->name[0] == '*' && is_it(s, e->parts[0])) ||
        (e->kind == REV_E_ARROW && is_it(s, e->parts[0]))) {
        note_index(s, 0);
        return;
    }
    if (e->kind == REV_E_INDEX && is_it(s, e->parts[0])) {
        char *end = NULL;
        long index = e->parts[1]->kind == REV_E_NUMBER ? strtol(e->parts[1]->name, &end, 0) : -1;
        if (index >= 0 && end && *end == '\0')
            note_index(s, index);
        else
            s->most = -1;
        return;
    }
    if (is_it(s, e)) /* the pointer is used in another way */
        s->most = -1;
    for (size_t i = 0; i < e->count; i++)
        search_expr(s, e->parts[i]);
}

static void search_block(search *s, const rev_block *block) {
    for (size_t i = 0; block && i < block->count; i++) {
        const rev_statement *st = block->items[i];
        if (st->kind == REV_S_IRREV || st->kind == REV_S_DIRECTIVE || st->kind == REV_S_PUSH || st->kind == REV_S_POP)
            s->most = -1; /* text that is not parsed */
        search_expr(s, st->target);
        search_expr(s, st->value);
        search_expr(s, st->extra);
        for (size_t k = 0; k < st->argument_count; k++)
            search_expr(s, st->arguments[k].value);
        search_block(s, st->body);
        search_block(s, st->other);
        for (size_t k = 0; k < st->branch_count; k++)
            search_block(s, st->branches[k].body);
    }
}

/* ---- The interface ---- */

const char *rev_length_of(rev_program *program, const rev_function *function, const rev_variable *parameter) {
    const rev_type *type = parameter->type;
    const rev_length *given = declared(program, function, parameter->name);
    if (given)
        return product(program, function, times(program, function, "", given->length),
                       type->kind == REV_POINTER     ? type->of
                       : type->of->kind == REV_ARRAY ? type->of
                                                     : rev_element(type));
    const char *written = type->kind == REV_ARRAY ? product(program, function, "", type) : NULL;
    if (written)
        return written;
    search s = {.parameter = parameter};
    search_block(&s, function->body);
    if (s.most <= 0)
        return NULL;
    return product(program, function, rev_format(program->unit, "%ld", s.most), type->of);
}

bool rev_length_known(rev_program *program, const rev_function *function, const rev_variable *parameter) {
    const rev_length *given = declared(program, function, parameter->name);
    if (given && !is_all_computable(function, given->length))
        return false;
    for (const rev_type *type = parameter->type; type; type = type->of)
        if (type->kind == REV_ARRAY && type->length && !is_all_computable(function, type->length))
            return false;
    return rev_length_of(program, function, parameter) != NULL;
}

void rev_check_lengths(rev_program *program) {
    for (size_t i = 0; i < program->length_count; i++) {
        const rev_length *length = &program->lengths[i];
        const rev_function *function = rev_find_function(program, length->function);
        const rev_variable *parameter = function ? parameter_named(function, length->parameter) : NULL;
        if (!function)
            rev_report(program->unit, length->place, "rev_length(function, parameter, length);",
                       "'%s' is not a rev function", length->function);
        else if (!parameter || rev_by_value(parameter))
            rev_report(program->unit, length->place, "rev_length(function, parameter, length);",
                       "'%s' has no pointer parameter named '%s'", length->function, length->parameter);
    }
}
