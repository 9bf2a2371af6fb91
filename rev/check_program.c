/* See check_program.h. Prints tables that describe the parameters of each function; the tests, which work on these
 * tables, are in include/verso/rev/checker.h. */
#include "rev/check_program.h"

#include "rev/length.h"
#include "rev/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct checks {
    rev_unit *unit;
    rev_program *program;
    const rev_checking *checking;
    verso__text *out;
    const rev_function *function;
    size_t number; /* index of the function */
} checks;

static void print(checks *c, const char *text) {
    verso__text_string(c->out, text);
}

/* ---- Functions that cannot be tested ---- */

static rev_setting *setting(checks *c, const rev_variable *v, bool length) {
    const char *name = c->function->name;
    rev_setting *found = NULL; /* the last setting counts */
    for (size_t i = 0; i < c->checking->count; i++) {
        rev_setting *s = &c->checking->settings[i];
        if (s->length != length || strcmp(s->parameter, v->name) != 0 ||
            (s->function && strcmp(s->function, name) != 0))
            continue;
        found = s;
        found->used = true;
    }
    return found;
}

static const char *unknown_type(checks *c, const rev_variable *v, const rev_type *type) {
    switch (type->kind) {
    case REV_FUNCTION: return rev_format(c->unit, "'%s' is a function", v->name);
    case REV_STACK: return rev_format(c->unit, "'%s' is a stack", v->name);
    case REV_POINTER: return rev_format(c->unit, "'%s' points to pointers", v->name);
    case REV_RECORD:
        if (!type->record || type->record->is_union || type->record->count == 0)
            break;
        for (size_t i = 0; i < type->record->count; i++) {
            const rev_type *field = type->record->fields[i].type;
            const rev_type *element = field->kind == REV_POINTER ? field : rev_element(field);
            const char *why = unknown_type(c, v, element);
            if (!why && element != field && element->kind == REV_RECORD)
                why = rev_format(c->unit, "'%s' has arrays of structures in it", v->name);
            if (why)
                return why;
        }
        return NULL;
    default:
        if (rev_is_scalar(type))
            return NULL;
    }
    return rev_format(c->unit, "the members of '%s' are not known", v->name);
}

static const char *skipped(checks *c) {
    if (c->function->on_device && !strstr(c->function->prefix, "__host__"))
        return "it runs on a GPU";
    for (size_t i = 0; i < c->function->parameter_count; i++) {
        const rev_variable *v = c->function->parameters[i];
        const rev_type *element = rev_element(v->type);
        const char *why = unknown_type(c, v, element);
        if (why)
            return why;
        const char *length = rev_by_value(v) ? "1" : rev_length_of(c->program, c->function, v);
        bool single = length && strcmp(length, "1") == 0;
        if (element->kind == REV_INTEGER && !single && !v->written && !setting(c, v, false))
            return rev_format(c->unit, "'%s' is an array of integers; give its values: --set %s=0,1,2", v->name,
                              v->name);
    }
    return NULL;
}

/* ---- Leaves ---- */

static const char *kind_name(const rev_type *type) {
    switch (type->kind) {
    case REV_INTEGER: return "REV_NUMBER_INTEGER";
    case REV_FLOAT:
    case REV_COMPLEX_FLOAT: return "REV_NUMBER_FLOAT";
    case REV_LONG_DOUBLE: return "REV_NUMBER_LONG_DOUBLE";
    case REV_FIXED: return "REV_NUMBER_FIXED";
    case REV_ULOG: return "REV_NUMBER_ULOG";
    default: return "REV_NUMBER_DOUBLE";
    }
}

static void print_fields(checks *c, const char *type, const char *path, const rev_record *record) {
    for (size_t i = 0; i < record->count; i++) {
        const rev_field *field = &record->fields[i];
        const rev_type *element = rev_element(field->type);
        const char *name = rev_format(c->unit, "%s%s%s", path, path[0] ? "." : "", field->name);
        for (const rev_type *t = field->type; t->kind == REV_ARRAY; t = t->of)
            name = rev_format(c->unit, "%s[0]", name);
        if (element->kind == REV_RECORD) {
            print_fields(c, type, name, element->record);
            continue;
        }
        const char *whole = rev_format(c->unit, "%s%s%s", path, path[0] ? "." : "", field->name);
        const char *parts = rev_is_complex(element) ? " * 2" : "", *half = parts[0] ? " / 2" : "";
        print(c, rev_format(c->unit,
                            "    {%s, %s, offsetof(%s, %s), sizeof(((%s *)0)->%s) / sizeof(((%s *)0)->%s)%s, "
                            "sizeof(((%s *)0)->%s)%s},\n",
                            kind_name(element), kind_name(element), type, whole, type, whole, type, name, parts, type,
                            name, half));
    }
}

static void print_leaves(checks *c, size_t i) {
    const rev_type *type = rev_type_plain(c->unit, rev_element(c->function->parameters[i]->type));
    const char *name = rev_text_of_type(c->unit, type, "");
    print(c, rev_format(c->unit, "static const rev_checked_leaf rev__leaves_%zu_%zu[] = {\n", c->number, i));
    if (type->kind == REV_RECORD)
        print_fields(c, name, "", type->record);
    else
        print(c, rev_format(c->unit, "    {%s, %s, 0, %d, sizeof(%s) / %d},\n", kind_name(type),
                            rev_is_exact(type) ? "REV_NUMBER_DOUBLE" : kind_name(type), rev_is_complex(type) ? 2 : 1,
                            name, rev_is_complex(type) ? 2 : 1));
    print(c, "};\n");
}

/* ---- Parameters ---- */

static const char *shadow_name(checks *c, const rev_variable *v) {
    const rev_type *shadow = rev_type_of_shadow(c->unit, rev_element(v->type));
    return rev_text_of_type(c->unit, rev_type_plain(c->unit, shadow), "");
}

static void print_parameter(checks *c, size_t i) {
    const rev_variable *v = c->function->parameters[i];
    const rev_type *type = rev_type_plain(c->unit, rev_element(v->type));
    const rev_setting *values = setting(c, v, false);
    const char *length = rev_by_value(v) ? "1" : rev_length_of(c->program, c->function, v);
    const char *numbers = values                                                                ? values->numbers
                          : strcmp(type->name, "bool") == 0 || strcmp(type->name, "_Bool") == 0 ? "1"
                                                                                                : NULL;
    bool is_length = type->kind == REV_INTEGER && length && strcmp(length, "1") == 0 && !v->written;
    print(c, rev_format(
                 c->unit,
                 "    {.name = \"%s\", .size = sizeof(%s), .shadow_size = sizeof(%s), .leaves = rev__leaves_%zu_%zu, "
                 ".leaf_count = sizeof rev__leaves_%zu_%zu / sizeof *rev__leaves_%zu_%zu, .active = %d, "
                 ".is_length = %d",
                 v->name, rev_text_of_type(c->unit, type, ""), shadow_name(c, v), c->number, i, c->number, i, c->number,
                 i, v->active, is_length || type->kind == REV_RECORD));
    if (numbers)
        print(c, rev_format(
                     c->unit,
                     ", .given = (const double[]){%s}, .given_count = sizeof (const double[]){%s} / sizeof(double), "
                     ".given_range = %d",
                     numbers, numbers, values && values->range));
    print(c, "},\n");
}

/* Prints a function that computes the lengths of arrays from the parameters passed by value, under the names of
 * the parameters. */
static void print_lengths(checks *c) {
    const rev_function *f = c->function;
    print(c, rev_format(c->unit, "static void rev__lengths_%zu(rev_checked *rev__p) {\n", c->number));
    for (size_t i = 0; i < f->parameter_count; i++) {
        const rev_variable *v = f->parameters[i];
        if (rev_by_value(v) && v->type->kind == REV_INTEGER)
            print(c, rev_format(c->unit,
                                "    const %s = (%s)(rev__p[%zu].given ? rev__p[%zu].given[0] : REV_CHECK_INTEGER);\n",
                                rev_text_of_type(c->unit, rev_type_plain(c->unit, v->type), v->name),
                                rev_text_of_type(c->unit, rev_type_plain(c->unit, v->type), ""), i, i));
    }
    for (size_t i = 0; i < f->parameter_count; i++) {
        const rev_variable *v = f->parameters[i];
        const rev_setting *given = setting(c, v, true);
        const char *length = given ? given->numbers : rev_by_value(v) ? "1" : rev_length_of(c->program, f, v);
        print(c, rev_format(c->unit, "    rev__p[%zu].count = %s;\n", i, length ? length : "-1"));
    }
    print(c, "}\n");
}

/* ---- Calls ---- */

static const char *argument(checks *c, size_t i, unsigned variant) {
    const rev_variable *v = c->function->parameters[i];
    const char *type = rev_text_of_type(c->unit, rev_type_plain(c->unit, rev_element(v->type)), "");
    const char *text = rev_by_value(v) ? rev_format(c->unit, "*(%s *)(void *)rev__p[%zu].value", type, i)
                                       : rev_format(c->unit, "(void *)rev__p[%zu].value", i);
    if (!v->active)
        return text;
    if (variant & REV_TANGENT)
        text = rev_by_value(v) ? rev_format(c->unit, "%s, *(%s *)(void *)rev__p[%zu].dot", text, shadow_name(c, v), i)
                               : rev_format(c->unit, "%s, (void *)rev__p[%zu].dot", text, i);
    if (variant & REV_ADJOINT)
        text = rev_format(c->unit, "%s, (void *)rev__p[%zu].bar", text, i);
    if ((variant & REV_TANGENT) && (variant & REV_ADJOINT))
        text = rev_format(c->unit, "%s, (void *)rev__p[%zu].bar_dot", text, i);
    return text;
}

static void print_run(checks *c) {
    static const struct {
        const char *what;
        unsigned variant;
    } runs[] = {{"REV_RUN", REV_FORWARD},
                {"REV_RUN_BACK", REV_INVERSE},
                {"REV_RUN_ADJOINT", REV_ADJOINT},
                {"REV_RUN_TANGENT", REV_TANGENT},
                {"REV_RUN_SECOND", REV_ADJOINT | REV_TANGENT}};
    print(c, rev_format(c->unit,
                        "static void rev__run_%zu(rev_checked *rev__p, int rev__what) {\n    switch (rev__what) {\n",
                        c->number));
    for (size_t k = 0; k < (c->function->by_hand ? 2 : sizeof runs / sizeof *runs); k++) {
        const char *list = "";
        for (size_t i = 0; i < c->function->parameter_count; i++)
            list = rev_format(c->unit, "%s%s%s", list, i ? ", " : "", argument(c, i, runs[k].variant));
        print(c, rev_format(c->unit, "    case %s: %s(%s); break;\n", runs[k].what,
                            rev_variant_name(c->unit, c->function, runs[k].variant), list));
    }
    print(c, "    }\n}\n");
}

/* ---- Precision ---- */

typedef enum precision { PRECISE, EXACT_SUMS, SINGLE } precision;

static precision worse(precision a, precision b) {
    return a > b ? a : b;
}

static precision of_type(const rev_type *type) {
    type = rev_element(type);
    return type->kind == REV_FLOAT || type->kind == REV_COMPLEX_FLOAT ? SINGLE
           : rev_is_exact(type)                                       ? EXACT_SUMS
                                                                      : PRECISE;
}

static precision of_expr(const rev_expr *e) {
    precision found = e ? of_type(e->type) : PRECISE;
    for (size_t i = 0; e && i < e->count; i++)
        found = worse(found, of_expr(e->parts[i]));
    return found;
}

static precision of_block(const rev_block *block);

static precision of_statement(const rev_statement *s) {
    precision found = worse(worse(of_expr(s->target), of_expr(s->value)), of_expr(s->extra));
    found = worse(found, worse(of_block(s->body), of_block(s->other)));
    for (size_t i = 0; i < s->argument_count; i++)
        found = worse(found, worse(of_type(s->arguments[i].parameter->type), of_expr(s->arguments[i].value)));
    for (size_t i = 0; i < s->branch_count; i++)
        found = worse(found, of_block(s->branches[i].body));
    return found;
}

/* Returns the least precise kind of number in the block, or among the parameters of functions that it calls: the
 * results are no more precise than that. */
static precision of_block(const rev_block *block) {
    precision found = PRECISE;
    for (size_t i = 0; block && i < block->count; i++)
        found = worse(found, of_statement(block->items[i]));
    return found;
}

static const char *least(const rev_function *function) {
    static const char *const names[] = {"REV_NUMBER_DOUBLE", "REV_NUMBER_FIXED", "REV_NUMBER_FLOAT"};
    return names[of_block(function->body)];
}

/* ---- The program ---- */

/* Prints the tables of a function. Returns its row in the table of functions. */
static const char *print_function(checks *c) {
    /* marks settings as used, also for a function that is skipped */
    for (size_t i = 0; i < c->function->parameter_count; i++) {
        setting(c, c->function->parameters[i], false);
        setting(c, c->function->parameters[i], true);
    }
    const char *why = skipped(c);
    if (why)
        return rev_format(c->unit, "    {.name = \"%s\", .skipped = %s},\n", c->function->name,
                          rev_text_quoted(c->unit, why));
    for (size_t i = 0; i < c->function->parameter_count; i++)
        print_leaves(c, i);
    print(c, rev_format(c->unit, "static rev_checked rev__parameters_%zu[] = {\n", c->number));
    for (size_t i = 0; i < c->function->parameter_count; i++)
        print_parameter(c, i);
    print(c, c->function->parameter_count ? "};\n" : "    {.name = 0}};\n");
    print_lengths(c);
    print_run(c);
    return rev_format(c->unit,
                      "    {.name = \"%s\", .parameters = rev__parameters_%zu, .count = %zu, .no_derivatives = %d, "
                      ".least = %s, .run = rev__run_%zu, .lengths = rev__lengths_%zu},\n",
                      c->function->name, c->number, c->function->parameter_count, c->function->by_hand,
                      least(c->function), c->number, c->number);
}

void rev_print_checks(rev_program *program, const rev_checking *checking, verso__text *output) {
    checks c = {.unit = program->unit, .program = program, .checking = checking, .out = output};
    const char *table = "static const rev_checked_function rev__functions[] = {\n";
    print(&c, "\n#undef main\n#line 1 \"checks of verso rev\"\n#include <verso/rev/checker.h>\n");
    for (size_t i = 0; i < program->function_count; i++) {
        c.function = program->functions[i];
        if (c.function->place.source != program->source || (!c.function->body && !c.function->by_hand))
            continue;
        table = rev_format(c.unit, "%s%s", table, print_function(&c));
        c.number++;
    }
    print(&c, table);
    print(&c,
          rev_format(
              c.unit,
              "    {.name = 0}};\nint main(void) {\n    return rev_checker_main(rev__functions, %zu, %s, %lluu);\n}\n",
              c.number, rev_text_quoted(c.unit, program->source->name), (unsigned long long)checking->seed));
}
