/* The rules of reversible code: reports everything that could not be undone, with advice what to write instead. */
#include "rev/length.h"
#include "rev/passes.h"
#include "rev/print.h"

#include <string.h>

typedef struct rules {
    rev_program *program;
    rev_unit *unit;
    const rev_function *function;
} rules;

static void check_block(rules *r, rev_block *block);

static const char *text(rules *r, const rev_expr *e) {
    return rev_text_of_expr(r->unit, r->program, e);
}

static const char *name_of(const rev_expr *place) {
    const rev_variable *root = rev_e_root(place);
    return root ? root->name : "this";
}

/* ---- What may be changed ---- */

static bool is_constant_place(const rev_expr *e) {
    return e->type->constant;
}

/* True for a part of the variable itself, not of something that it points to. */
static bool is_part(const rev_expr *e) {
    if (e->kind == REV_E_NAME)
        return true;
    bool inside = e->kind == REV_E_MEMBER || (e->kind == REV_E_INDEX && e->parts[0]->type->kind == REV_ARRAY);
    return inside && is_part(e->parts[0]);
}

static void check_target(rules *r, const rev_expr *target) {
    const rev_variable *root = rev_e_root(target);
    if (!rev_e_is_place(target) || !root) {
        rev_report(r->unit, target->place, "a variable, *p, a[i], s.f or p->f",
                   "this is not a place that can be changed");
        return;
    }
    bool direct = is_part(target);
    if (root->role == REV_COUNTER)
        rev_report(r->unit, target->place, "count in an ancilla of its own",
                   "the counter '%s' is changed inside its loop", root->name);
    else if (root->role == REV_CONSTANT && direct)
        rev_report(r->unit, target->place, rev_format(r->unit, "anc ... %s = ...;", root->name), "'%s' is const",
                   root->name);
    else if (root->role == REV_GLOBAL)
        rev_report(r->unit, target->place, "pass it as a parameter",
                   "'%s' is a global variable, which a rev function cannot change", root->name);
    else if (root->role == REV_PARAMETER && direct && root->type->kind != REV_ARRAY)
        rev_report(r->unit, target->place, rev_format(r->unit, "pass a pointer, and write *%s", root->name),
                   "'%s' is passed by value: its caller would not see the change", root->name);
    else if (is_constant_place(target))
        rev_report(r->unit, target->place, "take const away from the parameter", "'%s' is const", text(r, target));
}

/* ---- Instructions ---- */

static void check_read(rules *r, const rev_expr *target, const rev_expr *value, rev_place place) {
    rev_effects reads = rev_effects_of_expr(r->unit, value);
    for (size_t i = 0; i < reads.count; i++)
        if (rev_overlaps(target, reads.items[i].place) == REV_SAME) {
            rev_report(r->unit, place, "compute { anc += ...; } use { ... += anc; }: read from a copy in an ancilla",
                       "'%s' is read and written by one instruction", text(r, target));
            return;
        }
}

/* Reports an instruction that changes the index of `place`: backwards it would access another element. */
static void check_index(rules *r, const rev_expr *written, const rev_expr *place) {
    rev_effects indices = rev_effects_of_indices(r->unit, place);
    for (size_t i = 0; i < indices.count; i++)
        if (rev_overlaps(written, indices.items[i].place) == REV_SAME) {
            rev_report(r->unit, place->place, "anc ... k = index; before it: take the index from a copy in an ancilla",
                       "'%s' is changed by the instruction whose index it is", text(r, written));
            return;
        }
}

static void check_update_types(rules *r, const rev_statement *s) {
    rev_kind kind = s->target->type->kind;
    bool scales = strchr("*/", s->op[0]) != NULL, flips = s->op[0] == '^';
    bool floating = rev_is_floating(s->value->type) || rev_is_exact(s->value->type);
    const char *type = s->target->type->name ? s->target->type->name : "pointer";
    if (kind == REV_OTHER)
        return;
    if (!rev_is_scalar(s->target->type))
        rev_report(r->unit, s->place, "change its elements or members", "'%s' is not a number", text(r, s->target));
    else if (scales && kind != REV_ULOG && kind != REV_INTEGER)
        rev_report(r->unit, s->place, "use a ulog, whose products are exact, or add the product to another variable",
                   "'%s' on a %s loses digits and cannot be undone", s->op, type);
    else if (!scales && kind == REV_ULOG)
        rev_report(r->unit, s->place, "use *= or /=, or add rev_ulog_value(...) to a double",
                   "'%s' on a ulog: log numbers have no sums", s->op);
    else if (flips && kind != REV_INTEGER)
        rev_report(r->unit, s->place, "use += or -=", "'^=' is for integers");
    else if (kind == REV_INTEGER && floating)
        rev_report(r->unit, s->value->place, "convert it: (int)(...)",
                   "a %s added to an integer is rounded and cannot be undone", s->value->type->name);
}

static void check_update(rules *r, const rev_statement *s) {
    check_target(r, s->target);
    check_update_types(r, s);
    check_read(r, s->target, s->value, s->place);
    check_index(r, s->target, s->target);
}

/* A value that moves takes its bar along, so both places or none must have one. */
static void check_derivatives(rules *r, const rev_statement *s) {
    bool target = rev_has_shadow(s->target), value = rev_has_shadow(s->value);
    if (target != value && rev_is_differentiable(s->target->type) && rev_is_differentiable(s->value->type))
        rev_report(r->unit, s->place, "mark both passive, or none", "'%s' has a derivative, and '%s' has none",
                   text(r, target ? s->target : s->value), text(r, target ? s->value : s->target));
}

static void check_swap(rules *r, const rev_statement *s) {
    check_target(r, s->target);
    check_target(r, s->value);
    if (rev_overlaps(s->target, s->value) == REV_SAME)
        rev_report(r->unit, s->place, NULL, "'%s' is exchanged with itself", text(r, s->target));
    if (s->target->type->kind != s->value->type->kind)
        rev_report(r->unit, s->place, NULL, "'%s' and '%s' have different types", text(r, s->target),
                   text(r, s->value));
    check_derivatives(r, s);
    check_index(r, s->target, s->target);
    check_index(r, s->target, s->value);
    check_index(r, s->value, s->target);
    check_index(r, s->value, s->value);
}

static void check_rot(rules *r, const rev_statement *s) {
    check_swap(r, s);
    if (!rev_is_real(s->target->type) && s->target->type->kind != REV_OTHER)
        rev_report(r->unit, s->place, "use float or double", "rot turns real numbers only");
    check_read(r, s->target, s->extra, s->place);
    check_read(r, s->value, s->extra, s->place);
}

static void check_neg(rules *r, const rev_statement *s) {
    check_target(r, s->target);
    check_index(r, s->target, s->target);
    if (s->target->type->kind == REV_ULOG)
        rev_report(r->unit, s->place, NULL, "a ulog is positive: it has no negative");
    else if (!rev_is_scalar(s->target->type) && s->target->type->kind != REV_OTHER)
        rev_report(r->unit, s->place, "change its elements or members", "'%s' is not a number", text(r, s->target));
}

static void check_stack(rules *r, const rev_statement *s) {
    const rev_type *type = s->target->type;
    if (!(type->kind == REV_POINTER && (type->of->kind == REV_STACK || type->of->kind == REV_OTHER)))
        rev_report(r->unit, s->target->place, "push(stack, x) with a parameter rev_stack *stack",
                   "'%s' is not a rev_stack *", text(r, s->target));
    else
        check_derivatives(r, s);
    check_target(r, s->value);
    if (r->function->on_device)
        rev_report(r->unit, s->place, "use an array that is passed to the kernel", "a kernel has no stacks");
}

/* ---- Calls ---- */

/* Reports a pointer to another type: an instance may call a function that has no instance of that type. */
static void check_pointee(rules *r, const char *callee, const rev_variable *parameter, const rev_expr *value,
                          const char *fix) {
    const rev_type *takes = parameter->type, *gets = value->type;
    bool pointers = (takes->kind == REV_POINTER || takes->kind == REV_ARRAY) &&
                    (gets->kind == REV_POINTER || gets->kind == REV_ARRAY);
    if (pointers && rev_is_scalar(takes->of) && rev_is_scalar(gets->of) && takes->of->kind != gets->of->kind)
        rev_report(r->unit, value->place,
                   fix ? fix
                       : rev_format(r->unit, "rev_instantiate(%s, %s); or pass what it takes", callee, gets->of->name),
                   "'%s' takes a pointer to %s, not to %s", callee, takes->of->name, gets->of->name);
}

/* Checks a call of a function of this file that is not reversible. */
static void check_host_call(rules *r, const rev_expr *call) {
    const rev_named *host = rev_find_named(&r->program->hosts, call->name);
    if (!host || host->type->kind != REV_FUNCTION)
        return;
    for (size_t i = 0; i < call->count && i < host->type->parameter_count; i++)
        check_pointee(r, call->name, host->type->parameters[i], call->parts[i],
                      "write a function for that type, or leave it out of rev_instantiate");
}

static bool is_slice(const rev_argument *a) {
    return !rev_by_value(a->parameter) && !a->parameter->single && a->parameter->type->of->kind != REV_FUNCTION;
}

/* Two arguments are parts of one array, and the call changes the i-th. The called function checks at its start
 * that they do not overlap; for that their lengths must be known. */
static void check_slices(rules *r, const rev_statement *s, size_t i) {
    const rev_argument *a = &s->arguments[i];
    if (!s->function || !s->function->body || s->function->on_device)
        return;
    for (size_t k = 0; k < s->argument_count; k++) {
        const rev_argument *b = &s->arguments[k];
        bool once = k > i || (k < i && !b->parameter->written);
        if (!once || rev_by_value(b->parameter) || (!is_slice(a) && !is_slice(b)) ||
            rev_overlaps(rev_reached(r->unit, a), rev_reached(r->unit, b)) != REV_PERHAPS)
            continue;
        const rev_variable *unknown = !rev_length_known(r->program, s->function, a->parameter)   ? a->parameter
                                      : !rev_length_known(r->program, s->function, b->parameter) ? b->parameter
                                                                                                 : NULL;
        if (unknown)
            rev_report(r->unit, b->value->place,
                       rev_format(r->unit, "rev_length(%s, %s, ...);: give the number of its elements", s->text,
                                  unknown->name),
                       "'%s' and '%s' may share memory, and the length of '%s' is not known", text(r, a->value),
                       text(r, b->value), unknown->name);
        s->function->apart = true;
    }
}

static void check_argument(rules *r, const rev_statement *s, size_t i) {
    const rev_argument *a = &s->arguments[i];
    const rev_type *type = a->parameter->type;
    if (type->kind == REV_POINTER && type->of->kind == REV_FUNCTION && type->of->reversible) {
        bool passed = a->value->kind == REV_E_NAME && a->value->variable;
        if (!passed && (a->value->kind != REV_E_NAME || !rev_find_function(r->program, a->value->name)))
            rev_report(r->unit, a->value->place, "pass a rev function by its name",
                       "'%s' has no inverse that is known here", text(r, a->value));
        return;
    }
    check_pointee(r, s->text, a->parameter, a->value, NULL);
    if (!a->parameter->written)
        return;
    const rev_variable *root = rev_e_root(a->value);
    if (root && (root->role == REV_COUNTER || root->role == REV_CONSTANT || root->role == REV_GLOBAL))
        rev_report(r->unit, a->value->place, "pass an ancilla or a parameter",
                   "'%s' cannot be changed, but '%s' changes it", root->name, s->text);
    for (size_t k = 0; k < s->argument_count; k++)
        check_index(r, rev_reached(r->unit, a), s->arguments[k].value);
    check_slices(r, s, i);
    for (size_t k = 0; k < s->argument_count; k++)
        if (k != i && (k > i || !s->arguments[k].parameter->written)) {
            rev_effects reads = rev_effects_of_expr(r->unit, rev_reached(r->unit, &s->arguments[k]));
            for (size_t j = 0; j < reads.count; j++)
                if (rev_overlaps(rev_reached(r->unit, a), reads.items[j].place) == REV_SAME) {
                    rev_report(r->unit, s->arguments[k].value->place, "pass a copy in an ancilla",
                               "'%s' is read and written by one call", name_of(a->value));
                    return;
                }
        }
}

static void check_call(rules *r, const rev_statement *s) {
    for (size_t i = 0; i < s->argument_count; i++)
        check_argument(r, s, i);
    if (s->function && s->function->is_kernel != (s->launch != NULL))
        rev_report(r->unit, s->place, s->launch ? "call it without <<< >>>" : "k<<<blocks, threads>>>(...)",
                   s->launch ? "'%s' is not a kernel" : "the kernel '%s' must be launched", s->text);
}

/* ---- Control ---- */

static void check_if(rules *r, rev_statement *s) {
    rev_effects reads = rev_effects_of_expr(r->unit, s->value), body = rev_effects_of_block(r->unit, s->body);
    rev_effects other = s->other ? rev_effects_of_block(r->unit, s->other) : (rev_effects){0};
    const rev_access *disturbs = rev_disturbs(&body, &reads, false);
    if (!disturbs)
        disturbs = rev_disturbs(&other, &reads, false);
    if (disturbs && !s->extra)
        rev_report(
            r->unit, disturbs->where,
            rev_format(r->unit,
                       "if (%s) { ... } fi (...), with the condition that is true afterwards if it was true before",
                       text(r, s->value)),
            "'%s' is changed here, and the condition of 'if' reads it", name_of(disturbs->place));
    s->flag = !disturbs && (!s->extra || rev_e_same(s->extra, s->value));
    if (s->flag)
        s->extra = NULL;
}

static void check_for(rules *r, const rev_statement *s) {
    rev_effects body = rev_effects_of_block(r->unit, s->body);
    const rev_expr *bounds[] = {s->target, s->value, s->extra};
    for (size_t i = 0; i < 3; i++) {
        rev_effects reads = bounds[i] ? rev_effects_of_expr(r->unit, bounds[i]) : (rev_effects){0};
        const rev_access *disturbs = rev_disturbs(&body, &reads, true);
        if (disturbs)
            rev_report(r->unit, disturbs->where, "use from (...) while (...), or keep the bound in an ancilla",
                       "'%s' is changed here, and the loop's %s depends on it", name_of(disturbs->place),
                       i == 2 ? "step" : "bound");
    }
}

static void check_compute(rules *r, const rev_statement *s) {
    rev_effects compute = rev_effects_of_block(r->unit, s->body), use = rev_effects_of_block(r->unit, s->other);
    const rev_access *disturbs = rev_disturbs(&use, &compute, true);
    if (disturbs)
        rev_report(r->unit, disturbs->where, "let 'use' change only what 'compute' does not use",
                   "'%s' is changed in 'use', so that 'compute' could not be undone", name_of(disturbs->place));
}

/* ---- The whole function ---- */

static void check_expr(rules *r, const rev_expr *e) {
    if (!e)
        return;
    if (e->kind == REV_E_CALL)
        check_host_call(r, e);
    const rev_variable *root = rev_e_root(e);
    bool field = e->kind == REV_E_MEMBER || e->kind == REV_E_ARROW;
    if (field && e->type->kind == REV_ULOG && root && root->active)
        rev_report(r->unit, e->place, "pass it as a parameter of its own, or mark the structure passive",
                   "the ulog '%s' in a structure has no place for its derivative", e->name);
    if (field && rev_has_shadow(e) && rev_is_union_member(e))
        rev_report(r->unit, e->place, "use a structure, or mark it passive",
                   "'%s' shares its place with other members of a union: it has no derivative of its own", e->name);
    const rev_type *type = e->type;
    while (type->kind == REV_POINTER || type->kind == REV_ARRAY)
        type = type->of;
    if (field && type->kind == REV_OTHER && root && root->active && root->role != REV_TEMPORARY)
        rev_report(r->unit, e->place, "name the folder of its header with -I, or mark the structure passive",
                   "the type of the member '%s' is not known here", e->name);
    for (size_t i = 0; i < e->count; i++)
        check_expr(r, e->parts[i]);
}

static void check_statement(rules *r, rev_statement *s) {
    /* the value is that of the anc statement, which is already checked */
    bool again = s->kind == REV_S_DROP && s->value && s->value->place.offset < s->place.offset;
    check_expr(r, s->target);
    check_expr(r, again ? NULL : s->value);
    check_expr(r, s->extra);
    for (size_t i = 0; i < s->argument_count; i++)
        check_expr(r, s->arguments[i].value);
    switch (s->kind) {
    case REV_S_UPDATE: check_update(r, s); break;
    case REV_S_SWAP: check_swap(r, s); break;
    case REV_S_ROT: check_rot(r, s); break;
    case REV_S_NEG: check_neg(r, s); break;
    case REV_S_PUSH:
    case REV_S_POP: check_stack(r, s); break;
    case REV_S_CALL: check_call(r, s); break;
    case REV_S_IF: check_if(r, s); break;
    case REV_S_FOR: check_for(r, s); break;
    case REV_S_COMPUTE: check_compute(r, s); break;
    default: break;
    }
    size_t turn = 0;
    for (rev_block *inner; (inner = rev_s_inner(s, &turn));)
        check_block(r, inner);
}

static void check_block(rules *r, rev_block *block) {
    for (size_t i = 0; i < block->count; i++)
        check_statement(r, block->items[i]);
}

void rev_check_rules(rev_program *program, rev_function *function) {
    rules r = {program, program->unit, function};
    check_block(&r, function->body);
}
