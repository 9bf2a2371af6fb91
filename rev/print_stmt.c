/* Prints statements of the irreversible language as C. */
#include "rev/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 3 }; /* up to this many lines are skipped with empty lines instead of a #line */

static void begin_line(rev_printer *p, rev_place place) {
    if (p->lines && place.source && (place.source != p->source || place.line != p->line)) {
        bool near = place.source == p->source && place.line > p->line && place.line - p->line <= GAP;
        for (; near && p->line < place.line; p->line++)
            verso__text_string(p->out, "\n");
        if (!near)
            verso__text_print(p->out, "#line %u %s\n", place.line, rev_text_quoted(p->unit, place.source->name));
        p->source = place.source;
        p->line = place.line;
    }
}

void rev_print_line(rev_printer *p, rev_place place, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = rev_alloc(p->unit, (size_t)(length < 0 ? 0 : length) + 1, 1);
    vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, arguments);
    va_end(arguments);
    begin_line(p, place);
    for (unsigned i = 0; i < p->indent && text[0] != '#'; i++)
        verso__text_string(p->out, "    ");
    verso__text_string(p->out, text);
    verso__text_string(p->out, "\n");
    for (const char *c = text; *c; c++)
        p->line += *c == '\n';
    p->line++;
}

static const char *text(rev_printer *p, const rev_expr *e) {
    return rev_text_of_expr(p->unit, p->program, e);
}

static void print_nested(rev_printer *p, const rev_block *block) {
    p->indent++;
    rev_print_block(p, block);
    p->indent--;
}

/* ---- Declarations and assignments ---- */

/* An array whose size is known only at run time is on the C stack if it is small, else on the heap until the end
 * of its block. */
static void print_sized(rev_printer *p, const rev_statement *s) {
    const rev_type *type = s->variable->type;
    const char *name = s->variable->name,
               *bytes = rev_format(p->unit, "sizeof(%s)", rev_text_of_type(p->unit, type, ""));
    const char *length = rev_text_of_expr(p->unit, p->program, type->length);
    rev_expr choice = {.kind = REV_E_TEXT, .name = rev_format(p->unit, "rev_ancilla_here(%s, %s)", bytes, length)};
    const rev_type *here = rev_type_array(p->unit, type->of, &choice);
    rev_print_line(p, s->place, "%s;", rev_text_of_type(p->unit, here, rev_format(p->unit, "%s_here", name)));
    rev_print_line(p, s->place, "REV_FREED void *%s_heap = rev_ancilla_heap(%s, \"%s[%s]\", __FILE__, __LINE__);", name,
                   bytes, name, length);
    rev_print_line(p, s->place, "%s = %s_heap ? %s_heap : (void *)%s_here;",
                   rev_text_of_type(p->unit, rev_type_pointer(p->unit, type->of), name), name, name, name);
    rev_print_line(p, s->place, "memset(%s, 0, %s);", name, bytes);
}

static void print_declare(rev_printer *p, const rev_statement *s) {
    const rev_type *type = s->variable->type;
    const char *name = s->variable->name;
    const char *declared = rev_text_of_type(p->unit, type, name);
    if (rev_is_sized_late(p->unit, type)) {
        print_sized(p, s);
        return;
    }
    if (type->kind == REV_ARRAY) {
        rev_print_line(p, s->place, "%s;", declared);
        rev_print_line(p, s->place, "memset(%s, 0, sizeof %s);", name, name);
        return;
    }
    const char *value = s->value ? rev_text_as(p->unit, p->program, s->value, type)
                        : rev_is_floating(type) || type->kind == REV_INTEGER || type->kind == REV_POINTER ? "0"
                        : p->unit->cuda                                                                   ? "{}"
                                                                                                          : "{0}";
    rev_print_line(p, s->place, "%s%s = %s;", s->flag && !type->constant ? "const " : "", declared, value);
}

/* Prints an addition to a bar that other threads add to at the same time. */
static void print_shared(rev_printer *p, const rev_statement *s) {
    const char *add = rev_e_root(s->target)->of_block ? "rev_add_of_block" : "rev_add_shared";
    rev_print_line(p, s->place, "%s(&%s, %s%s%s);", add, text(p, s->target), s->op[0] == '-' ? "-(" : "",
                   text(p, s->value), s->op[0] == '-' ? ")" : "");
}

static void print_assign(rev_printer *p, const rev_statement *s) {
    const rev_type *type = s->target->type;
    const char *target = text(p, s->target), *value = rev_text_as(p->unit, p->program, s->value, type);
    const rev_variable *root = rev_e_root(s->target);
    if (root && root->shared && s->op[1] == '=' && strchr("+-", s->op[0])) {
        print_shared(p, s);
    } else if (!rev_is_exact(type) || strcmp(s->op, "=") == 0) {
        if (s->value->kind == REV_E_CHOICE && strcmp(s->op, "=") != 0)
            value = rev_format(p->unit, "(%s)", value);
        rev_print_line(p, s->place, "%s %s %s;", target, s->op, value);
    } else {
        static const char *const names[] = {['+'] = "add", ['-'] = "sub", ['*'] = "mul", ['/'] = "div"};
        rev_print_line(p, s->place, "%s = rev_%s_%s(%s, %s);", target, type->kind == REV_FIXED ? "fixed" : "ulog",
                       names[(unsigned char)s->op[0]], target, value);
    }
}

/* ---- Loops ---- */

typedef struct range {
    const char *type, *i, *from, *to, *step;
    bool is_unsigned;
} range;

/* Returns the head of a loop with step 1 that runs against the direction in which it was written. */
static const char *reversed_head(rev_printer *p, const rev_statement *s, const range *r) {
    bool closed = strcmp(s->op, "<=") == 0 || strcmp(s->op, ">=") == 0;
    if (strcmp(s->op, "-->") == 0)
        return rev_format(p->unit, "for (%s = %s; %s < %s; %s++)", r->type, r->to, r->i, r->from, r->i);
    if (s->flag) /* it counted down to b: now count up from there */
        return rev_format(p->unit, "for (%s = %s%s; %s <= %s; %s++)", r->type, r->to, closed ? "" : " + 1", r->i,
                          r->from, r->i);
    if (r->is_unsigned)
        return rev_format(p->unit, "for (%s = %s%s; %s-- > %s;)", r->type, r->to, closed ? " + 1" : "", r->i, r->from);
    return rev_format(p->unit, "for (%s = %s%s; %s >= %s; %s--)", r->type, r->to, closed ? "" : " - 1", r->i, r->from,
                      r->i);
}

static const char *forward_head(rev_printer *p, const rev_statement *s, const range *r) {
    if (strcmp(s->op, "-->") == 0)
        return rev_format(p->unit, "for (%s = %s; %s-- > %s;)", r->type, r->from, r->i, r->to);
    const char *by = r->step ? rev_format(p->unit, "%s %s %s", r->i, s->flag ? "-=" : "+=", r->step)
                             : rev_format(p->unit, "%s%s", r->i, s->flag ? "--" : "++");
    return rev_format(p->unit, "for (%s = %s; %s %s %s; %s)", r->type, r->from, r->i, s->op, r->to, by);
}

/* Prints a reversed loop with any step: counts the iterations, and computes the loop counter from their number. */
static void print_counted(rev_printer *p, const rev_statement *s, const range *r) {
    unsigned number = ++p->unit->names;
    bool closed = strcmp(s->op, "<=") == 0 || strcmp(s->op, ">=") == 0;
    const char *low = s->flag ? r->to : r->from, *high = s->flag ? r->from : r->to;
    rev_print_line(p, s->place, "for (long long rev__n%u = %s %s %s ? (%s - %s%s) / %s + 1 : 0; rev__n%u-- > 0;) {",
                   number, low, closed ? "<=" : "<", high, high, low, closed ? "" : " - 1", r->step, number);
    p->indent++;
    rev_print_line(p, s->place, "const %s = %s %s (%s)rev__n%u * %s;", r->type, r->from, s->flag ? "-" : "+",
                   rev_text_of_type(p->unit, rev_type_plain(p->unit, s->variable->type), ""), number, r->step);
    p->indent--;
}

static const char *operand(rev_printer *p, const rev_expr *e) {
    return rev_e_is_simple(e) ? text(p, e) : rev_format(p->unit, "(%s)", text(p, e));
}

static void print_for(rev_printer *p, const rev_statement *s) {
    const rev_type *type = s->variable->type;
    range r = {.type = rev_text_of_type(p->unit, type, s->variable->name),
               .i = s->variable->name,
               .from = operand(p, s->target),
               .to = operand(p, s->value),
               .step = s->extra ? operand(p, s->extra) : NULL,
               .is_unsigned = type->is_unsigned || type->kind == REV_OTHER};
    if (!s->reversed || s->unordered) {
        r.from = text(p, s->target);
        r.to = s->value->kind == REV_E_CHOICE ? r.to : text(p, s->value);
        rev_print_line(p, s->place, "%s {", forward_head(p, s, &r));
    } else if (r.step) {
        print_counted(p, s, &r);
    } else {
        rev_print_line(p, s->place, "%s {", reversed_head(p, s, &r));
    }
    print_nested(p, s->body);
    rev_print_line(p, s->body->end, "}");
}

/* ---- Calls ---- */

static const char *variant_member(unsigned variant) {
    static const char *const members[] = {"forward", "inverse",         "adjoint", "inverse_adjoint",
                                          "tangent", "inverse_tangent", "second",  "inverse_second"};
    return members[variant];
}

/* Returns the function type of a variant, for a callee that is a parameter. */
static const char *cast_of_callee(rev_printer *p, const rev_type *function, unsigned variant) {
    const char *list = "";
    for (size_t i = 0; i < function->parameter_count; i++) {
        const rev_variable *v = function->parameters[i];
        const rev_type *shadow = rev_type_of_shadow(p->unit, v->type);
        bool by_value = v->type->kind != REV_POINTER && v->type->kind != REV_ARRAY;
        const rev_type *bar = by_value ? rev_type_pointer(p->unit, shadow) : shadow;
        list = rev_format(p->unit, "%s%s%s", list, i ? ", " : "", rev_text_of_type(p->unit, v->type, ""));
        if (v->active && (variant & REV_TANGENT))
            list = rev_format(p->unit, "%s, %s", list, rev_text_of_type(p->unit, shadow, ""));
        if (v->active && (variant & REV_ADJOINT))
            list = rev_format(p->unit, "%s, %s", list, rev_text_of_type(p->unit, bar, ""));
        if (v->active && (variant & REV_TANGENT) && (variant & REV_ADJOINT))
            list = rev_format(p->unit, "%s, %s", list, rev_text_of_type(p->unit, bar, ""));
    }
    return rev_format(p->unit, "(void (*)(%s))", list[0] ? list : "void");
}

/* With `launch`, bars of numbers passed by value are on the host, while the kernel adds to copies on the device. */
static const char *argument_text(rev_printer *p, const rev_argument *a, bool launch) {
    const rev_type *type = a->parameter->type;
    bool by_value = type->kind != REV_POINTER && type->kind != REV_ARRAY;
    bool callee = type->kind == REV_POINTER && type->of->kind == REV_FUNCTION && type->of->reversible;
    const rev_variable *root = a->value->kind == REV_E_NAME ? a->value->variable : NULL;
    if (callee && !root)
        return rev_format(p->unit, "rev_callee_of(%s)", text(p, a->value));
    const char *parts = rev_text_as(p->unit, p->program, a->value, type);
    const rev_expr *others[] = {a->dot, a->bar, a->bar_dot};
    for (size_t i = 0; i < 3; i++)
        if (others[i])
            parts = rev_format(p->unit, launch && by_value && i > 0 ? "%s, rev_bar_of_launch(%s)" : "%s, %s", parts,
                               text(p, others[i]));
    return parts;
}

static void print_call(rev_printer *p, const rev_statement *s) {
    const char *list = "";
    for (size_t i = 0; i < s->argument_count; i++)
        list =
            rev_format(p->unit, "%s%s%s", list, i ? ", " : "", argument_text(p, &s->arguments[i], s->launch != NULL));
    const char *callee = s->target
                             ? rev_format(p->unit, "(%s%s.%s)", cast_of_callee(p, s->target->type->of, s->variant),
                                          s->target->name, variant_member(s->variant))
                             : rev_variant_name(p->unit, s->function, s->variant);
    if (s->launch)
        rev_print_line(p, s->place, "%s<<<%s>>>(%s);", callee, s->launch, list);
    else
        rev_print_line(p, s->place, "%s(%s);", callee, list);
}

/* ---- All statements ---- */

static void print_if(rev_printer *p, const rev_statement *s) {
    rev_print_line(p, s->place, "if (%s) {", text(p, s->value));
    print_nested(p, s->body);
    if (s->other && s->other->count > 0) {
        rev_print_line(p, s->body->end, "} else {");
        print_nested(p, s->other);
        rev_print_line(p, s->other->end, "}");
    } else {
        rev_print_line(p, s->body->end, "}");
    }
}

static void print_braced(rev_printer *p, const rev_statement *s, const char *head) {
    rev_print_line(p, s->place, "%s{", head);
    print_nested(p, s->body);
    rev_print_line(p, s->body->end, "}");
}

static void print_check(rev_printer *p, const rev_statement *s) {
    const char *message = rev_text_quoted(p->unit, s->op);
    const char *expected = "";
    if (strcmp(s->text, "rev_check_apart") == 0) {
        const char *a = text(p, s->target), *b = text(p, s->value);
        rev_print_line(p, s->place, "rev_check_apart(&%s, sizeof %s, &%s, sizeof %s, %s);", a, a, b, b, message);
        return;
    }
    if (s->value)
        expected = rev_format(p->unit, ", %s",
                              strcmp(s->text, "rev_check_fixed") == 0 || strcmp(s->text, "rev_check_ulog") == 0
                                  ? rev_text_as(p->unit, p->program, s->value, s->target->type)
                                  : text(p, s->value));
    rev_print_line(p, s->place, "%s(%s%s, %s);", s->text, text(p, s->target), expected, message);
}

static void print_stack(rev_printer *p, const rev_statement *s) {
    rev_print_line(p, s->place, "%s(%s, %s);", s->text, text(p, s->target), text(p, s->value));
}

static void print_chosen(rev_printer *p, const rev_statement *s) {
    for (size_t i = 0; i < s->branch_count; i++) {
        rev_print_line(p, (rev_place){0}, "%s", s->branches[i].line);
        rev_print_block(p, s->branches[i].body);
    }
    rev_print_line(p, (rev_place){0}, "%s", s->text);
    p->source = NULL; /* the current line depends on the branch that is compiled */
}

static void print_statement(rev_printer *p, const rev_statement *s) {
    switch (s->kind) {
    case REV_S_DECLARE: print_declare(p, s); break;
    case REV_S_ASSIGN: print_assign(p, s); break;
    case REV_S_IF: print_if(p, s); break;
    case REV_S_FOR: print_for(p, s); break;
    case REV_S_WHILE: print_braced(p, s, rev_format(p->unit, "while (%s) ", text(p, s->value))); break;
    case REV_S_BLOCK: print_braced(p, s, ""); break;
    case REV_S_CHECKING: print_braced(p, s, "if (REV_CHECKING) "); break;
    case REV_S_CALL: print_call(p, s); break;
    case REV_S_CHECK: print_check(p, s); break;
    case REV_S_PUSH:
    case REV_S_POP: print_stack(p, s); break;
    case REV_S_IRREV:
    case REV_S_DIRECTIVE: rev_print_line(p, s->place, "%s", s->text); break;
    case REV_S_CHOSEN: print_chosen(p, s); break;
    default: break; /* reversible statements have been lowered */
    }
}

void rev_print_block(rev_printer *p, const rev_block *block) {
    for (size_t i = 0; i < block->count; i++)
        print_statement(p, block->items[i]);
}

/* ---- Signatures ---- */

/* gcc miscompiles functions with `restrict` pointers when it inlines them (REV_APART in <verso/rev/generated.h>).
 * So functions declared inline have no `restrict`, and all others are not inlined. */
static bool may_restrict(const rev_unit *unit, const rev_function *function) {
    bool inlined = false;
    for (const char *at = function->prefix; (at = strstr(at, "inline")) != NULL; at++)
        inlined = inlined || at - function->prefix < 2 || memcmp(at - 2, "no", 2) != 0;
    return unit->cuda || !inlined;
}

static const rev_type *restricted_type(rev_unit *unit, const rev_type *type, bool restricted) {
    if (type->kind != REV_POINTER || type->restricted == restricted)
        return type;
    rev_type *other = rev_alloc(unit, 1, sizeof *other);
    *other = *type;
    other->restricted = restricted;
    return other;
}

static const char *parameter_text(rev_unit *unit, const rev_variable *v, const char *suffix, bool is_bar,
                                  bool restricts) {
    bool by_value = v->type->kind != REV_POINTER && v->type->kind != REV_ARRAY;
    if (v->type->kind == REV_POINTER && v->type->of->kind == REV_FUNCTION && v->type->of->reversible)
        return rev_format(unit, "rev_callee %s", v->name);
    const rev_type *type = suffix[0] ? rev_type_of_shadow(unit, v->type) : v->type;
    const char *name = rev_format(unit, "%s%s", v->name, suffix);
    if (by_value && is_bar)
        type = rev_type_pointer(unit, type);
    bool alone =
        type->kind == REV_POINTER && (type->restricted || (v->written && !by_value && type->of->kind != REV_STACK));
    return rev_text_of_type(unit, restricted_type(unit, type, alone && restricts), name);
}

const char *rev_text_of_signature(rev_program *program, const rev_function *function, unsigned variant) {
    rev_unit *unit = program->unit;
    const char *list = "";
    bool restricts = may_restrict(unit, function);
    for (size_t i = 0; i < function->parameter_count; i++) {
        const rev_variable *v = function->parameters[i];
        list = rev_format(unit, "%s%s%s", list, i ? ", " : "", parameter_text(unit, v, "", false, restricts));
        if (!v->active)
            continue;
        if (variant & REV_TANGENT)
            list = rev_format(unit, "%s, %s", list, parameter_text(unit, v, "_dot", false, restricts));
        if (variant & REV_ADJOINT)
            list = rev_format(unit, "%s, %s", list, parameter_text(unit, v, "_bar", true, restricts));
        if ((variant & REV_TANGENT) && (variant & REV_ADJOINT))
            list = rev_format(unit, "%s, %s", list, parameter_text(unit, v, "_bar_dot", true, restricts));
    }
    bool internal = strstr(function->prefix, "static") != NULL;
    return rev_format(unit, "%s%s%svoid %s(%s)", internal && !unit->cuda ? "__attribute__((unused)) " : "",
                      function->prefix, function->prefix[0] ? " " : "", rev_variant_name(unit, function, variant),
                      list[0] ? list : "void");
}
