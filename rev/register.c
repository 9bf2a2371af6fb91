/* See register.h and include/verso/rev/registered.h. For a function f this file prints f_record, f_sweep,
 * f_tangent and the VERSO_CUSTOM_ADJOINT that registers them. `verso cc` has derivatives only for doubles, so all
 * numbers must be doubles. */
#include "rev/register.h"

#include "rev/length.h"

#include <string.h>

/* ---- Which functions can be registered ---- */

static bool calls(const rev_block *block, const rev_function *function) {
    for (size_t i = 0; block && i < block->count; i++) {
        const rev_statement *s = block->items[i];
        if (s->function == function || calls(s->body, function) || calls(s->other, function))
            return true;
        for (size_t k = 0; k < s->branch_count; k++)
            if (calls(s->branches[k].body, function))
                return true;
    }
    return false;
}

static bool is_inner(const rev_program *program, const rev_function *function) {
    for (size_t i = 0; i < program->function_count; i++)
        if (program->functions[i] != function && calls(program->functions[i]->body, function))
            return true;
    return false;
}

/* True for doubles, complex numbers, and structures that contain only these. */
static bool has_cells(const rev_type *type) {
    if (type->kind == REV_DOUBLE || type->kind == REV_COMPLEX)
        return true;
    if (type->kind != REV_RECORD || !type->record || type->record->is_union || type->record->count == 0)
        return false;
    for (size_t i = 0; i < type->record->count; i++) {
        const rev_type *field = type->record->fields[i].type;
        if (field->kind == REV_POINTER || !has_cells(rev_element(field)))
            return false;
    }
    return true;
}

static bool has_pointer(const rev_type *type) {
    if (type->kind == REV_POINTER || type->kind == REV_OTHER || (type->kind == REV_RECORD && !type->record))
        return true;
    for (size_t i = 0; type->kind == REV_RECORD && i < type->record->count; i++) {
        const rev_type *field = type->record->fields[i].type;
        if (field->kind == REV_POINTER || has_pointer(rev_element(field)))
            return true;
    }
    return false;
}

/* Returns why a parameter prevents the registration, and sets *fix; NULL if it does not. */
static const char *obstacle(rev_program *program, const rev_function *function, const rev_variable *v,
                            const char **fix) {
    rev_unit *unit = program->unit;
    const rev_type *element = rev_element(v->type);
    *fix = "let verso cc differentiate it: put it into a file that is translated without --register";
    if (v->type->kind == REV_POINTER && (element->kind == REV_FUNCTION || element->kind == REV_STACK))
        return "a function or a stack cannot be kept for the sweep";
    if (has_pointer(element))
        return "the memory that pointers inside it point to is not known";
    if (rev_by_value(v) && v->active && v->type->kind != REV_DOUBLE) {
        *fix = "pass a pointer to it";
        return "by value only a double has a derivative in a program of verso cc";
    }
    if (v->active && !has_cells(element)) {
        *fix = "use double, or mark it passive";
        return "it has no derivatives in a program of verso cc";
    }
    if (!rev_by_value(v) && !rev_length_of(program, function, v)) {
        *fix = rev_format(unit, "write its length: %s[n] with n in front of it, or rev_length(%s, %s, n);",
                          rev_text_of_type(unit, element, v->name),
                          function->instance ? function->instance->function : function->name, v->name);
        return "it is not known how many elements it has";
    }
    return NULL;
}

bool rev_registers(rev_program *program, const rev_function *function) {
    bool device_only = function->on_device && !strstr(function->prefix, "__host__");
    if (device_only || !function->body || function->place.source != program->source)
        return false;
    for (size_t i = 0; i < function->parameter_count; i++) {
        const rev_variable *v = function->parameters[i];
        const char *fix, *why = obstacle(program, function, v, &fix);
        if (why && !is_inner(program, function))
            rev_report(program->unit, v->place, fix, "'%s' cannot be registered because of '%s': %s", function->name,
                       v->name, why);
        if (why)
            return false;
    }
    return function->parameter_count > 0;
}

/* ---- Printing ---- */

typedef struct writing {
    rev_printer *printer;
    rev_unit *unit;
    const rev_function *function;
} writing;

static void line(writing *w, const char *text) {
    rev_print_line(w->printer, (rev_place){0}, "%s", text);
}

static const char *joined(writing *w, const char *list, const char *text) {
    return list[0] ? rev_format(w->unit, "%s, %s", list, text) : text;
}

static void open_function(writing *w, const char *suffix) {
    const char *list = "verso_call *rev__call";
    for (size_t i = 0; i < w->function->parameter_count; i++) {
        const rev_variable *v = w->function->parameters[i];
        list = joined(w, list, rev_text_of_type(w->unit, v->type, v->name));
    }
    line(w, rev_format(w->unit, "static void rev__%s_%s(%s) {", w->function->name, suffix, list));
    w->printer->indent++;
    line(w, "(void)rev__call;");
}

static void close_function(writing *w) {
    w->printer->indent--;
    line(w, "}");
}

static const char *bytes_of(writing *w, const rev_variable *v) {
    return rev_format(w->unit, "rev_registered_bytes(%s, sizeof(%s))",
                      rev_length_of(w->printer->program, w->function, v),
                      rev_text_of_type(w->unit, rev_type_plain(w->unit, rev_element(v->type)), ""));
}

/* Returns the index among those arguments of f that are floating-point numbers. */
static size_t place_of(const rev_function *function, const rev_variable *v) {
    size_t place = 0;
    for (size_t i = 0; function->parameters[i] != v; i++)
        place += rev_by_value(function->parameters[i]) && rev_is_real(function->parameters[i]->type);
    return place;
}

static void print_call(writing *w, unsigned variant, bool kept) {
    const char *list = "";
    for (size_t i = 0; i < w->function->parameter_count; i++) {
        const rev_variable *v = w->function->parameters[i];
        list = joined(w, list, rev_format(w->unit, "%s%s", kept && !rev_by_value(v) ? "rev__" : "", v->name));
        if (!v->active || variant == REV_FORWARD)
            continue;
        const char *shadow =
            rev_format(w->unit, "rev_registered_adjoint(%s, %s)", v->name, rev_by_value(v) ? "" : bytes_of(w, v));
        if (rev_by_value(v))
            shadow = rev_format(w->unit, "%srev__call->argument[%zu]", variant & REV_ADJOINT ? "&" : "",
                                place_of(w->function, v));
        list = joined(w, list, shadow);
    }
    line(w, rev_format(w->unit, "%s(%s);", rev_variant_name(w->unit, w->function, variant), list));
}

static void print_record(writing *w) {
    open_function(w, "record");
    print_call(w, REV_FORWARD, false);
    for (size_t i = 0; i < w->function->parameter_count; i++) {
        const rev_variable *v = w->function->parameters[i];
        if (!rev_by_value(v))
            line(w, rev_format(w->unit, "rev_registered_keep(rev__call, %s, %s);", v->name, bytes_of(w, v)));
    }
    close_function(w);
}

static void print_sweep(writing *w) {
    open_function(w, "sweep");
    line(w, "char *rev__kept = (char *)rev__call->kept;");
    for (size_t i = 0; i < w->function->parameter_count; i++) {
        const rev_variable *v = w->function->parameters[i];
        if (!rev_by_value(v))
            line(w,
                 rev_format(w->unit, "void *rev__%s = rev_registered_next(&rev__kept, %s);", v->name, bytes_of(w, v)));
    }
    print_call(w, REV_ADJOINT, true);
    close_function(w);
}

static void print_tangent(writing *w) {
    open_function(w, "tangent");
    print_call(w, REV_TANGENT, false);
    close_function(w);
}

void rev_print_before_registered(rev_printer *printer, const rev_function *function) {
    rev_print_line(printer, function->place, "#include <verso/rev/registered.h>");
    rev_print_line(printer, function->place, "__attribute__((noinline)) %s;",
                   rev_text_of_signature(printer->program, function, REV_FORWARD));
}

void rev_print_registered(rev_printer *printer, const rev_function *function) {
    writing w = {printer, printer->unit, function};
    print_record(&w);
    print_sweep(&w);
    print_tangent(&w);
    line(&w, rev_format(w.unit, "VERSO_CUSTOM_ADJOINT(%s, rev__%s_record, rev__%s_sweep, rev__%s_tangent);",
                        function->name, function->name, function->name, function->name));
}
