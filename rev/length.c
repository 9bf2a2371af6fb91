/* See length.h. Only what the user says counts, and what no index can contradict: a parameter of which only fixed
 * places are used. An index in a loop may stand under a condition, so loops say nothing. */
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

/* Numbers, macros and integers by value, in any arithmetic. */
static void check_computable(rev_program *program, const rev_function *function, const rev_expr *e) {
    const rev_variable *named = e->kind == REV_E_NAME ? parameter_named(function, e->name) : NULL;
    bool wrong = e->kind == REV_E_INDEX || e->kind == REV_E_ARROW || e->kind == REV_E_MEMBER || e->kind == REV_E_CALL ||
                 (e->kind == REV_E_UNARY && e->name[0] == '*') ||
                 (named && (!rev_by_value(named) || named->type->kind != REV_INTEGER));
    if (wrong)
        rev_refuse(program->unit, e->place, "pass the number of elements as an integer, by value",
                   "a length is made of numbers and of integers that are passed by value");
    for (size_t i = 0; i < e->count; i++)
        check_computable(program, function, e->parts[i]);
}

static const char *times(rev_program *program, const rev_function *function, const char *text, const rev_expr *length) {
    check_computable(program, function, length);
    const char *factor = rev_text_of_expr(program->unit, NULL, length);
    return text[0] ? rev_format(program->unit, "%s * (%s)", text, factor) : rev_format(program->unit, "(%s)", factor);
}

/* Of arrays in arrays, from `type` inwards; NULL: one has none. */
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

/* ---- Fixed places ---- */

typedef struct search {
    const rev_variable *parameter;
    long most; /* elements that are seen to be used; -1: cannot be told */
} search;

static void look(search *s, const rev_expr *e);

static void seen(search *s, long index) {
    if (s->most >= 0 && index + 1 > s->most)
        s->most = index + 1;
}

static bool is_it(const search *s, const rev_expr *e) {
    return e->kind == REV_E_NAME && e->variable == s->parameter;
}

static void look(search *s, const rev_expr *e) {
    if (!e || s->most < 0)
        return;
    if ((e->kind == REV_E_UNARY && e->name[0] == '*' && is_it(s, e->parts[0])) ||
        (e->kind == REV_E_ARROW && is_it(s, e->parts[0]))) {
        seen(s, 0);
        return;
    }
    if (e->kind == REV_E_INDEX && is_it(s, e->parts[0])) {
        char *end = NULL;
        long index = e->parts[1]->kind == REV_E_NUMBER ? strtol(e->parts[1]->name, &end, 0) : -1;
        if (index >= 0 && end && *end == '\0')
            seen(s, index);
        else
            s->most = -1;
        return;
    }
    if (is_it(s, e)) /* it goes somewhere else */
        s->most = -1;
    for (size_t i = 0; i < e->count; i++)
        look(s, e->parts[i]);
}

static void look_in_block(search *s, const rev_block *block) {
    for (size_t i = 0; block && i < block->count; i++) {
        const rev_statement *st = block->items[i];
        if (st->kind == REV_S_IRREV || st->kind == REV_S_DIRECTIVE || st->kind == REV_S_PUSH || st->kind == REV_S_POP)
            s->most = -1; /* text that is not read here */
        look(s, st->target);
        look(s, st->value);
        look(s, st->extra);
        for (size_t k = 0; k < st->argument_count; k++)
            look(s, st->arguments[k].value);
        look_in_block(s, st->body);
        look_in_block(s, st->other);
        for (size_t k = 0; k < st->branch_count; k++)
            look_in_block(s, st->branches[k].body);
    }
}

/* ---- Together ---- */

const char *rev_length_of(rev_program *program, const rev_function *function, const rev_variable *parameter) {
    const rev_type *type = parameter->type;
    const rev_length *said = declared(program, function, parameter->name);
    if (said)
        return product(program, function, times(program, function, "", said->length),
                       type->kind == REV_POINTER     ? type->of
                       : type->of->kind == REV_ARRAY ? type->of
                                                     : rev_element(type));
    const char *written = type->kind == REV_ARRAY ? product(program, function, "", type) : NULL;
    if (written)
        return written;
    search s = {.parameter = parameter};
    look_in_block(&s, function->body);
    if (s.most <= 0)
        return NULL;
    return product(program, function, rev_format(program->unit, "%ld", s.most), type->of);
}

void rev_check_lengths(rev_program *program) {
    for (size_t i = 0; i < program->length_count; i++) {
        const rev_length *length = &program->lengths[i];
        const rev_function *function = rev_find_function(program, length->function);
        const rev_variable *parameter = function ? parameter_named(function, length->parameter) : NULL;
        if (!function)
            rev_report(program->unit, length->place, "rev_length(function, parameter, length);",
                       "'%s' is no rev function", length->function);
        else if (!parameter || rev_by_value(parameter))
            rev_report(program->unit, length->place, "rev_length(function, parameter, length);",
                       "'%s' has no pointer that is called '%s'", length->function, length->parameter);
    }
}
