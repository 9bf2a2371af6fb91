/* Lowers calls of reversible functions, with the bars of their arguments. */
#include "rev/lower_parts.h"

#include <string.h>

static bool is_by_value(const rev_variable *parameter) {
    return parameter->type->kind != REV_POINTER && parameter->type->kind != REV_ARRAY;
}

static rev_expr *address(rev_unit *unit, rev_expr *place) {
    return rev_e_unary(unit, "&", place);
}

/* Declares a bar for an argument that is not a place. It is zero before the call; afterwards it is passed on to
 * the parts of the argument. */
static rev_variable *own_bar(rev_lowering *l, const rev_variable *parameter) {
    const rev_type *type = rev_type_of_shadow(l->unit, parameter->type);
    rev_variable *bar = rev_name_value(l, NULL, type);
    l->out->items[l->out->count - 1]->flag = false;
    bar->active = true;
    return bar;
}

static bool is_null(const rev_expr *e) {
    return rev_e_is_number(e, "0") || (e->kind == REV_E_NAME && strcmp(e->name, "NULL") == 0);
}

static rev_expr *pointer_bar(rev_lowering *l, const rev_argument *a) {
    rev_expr *bar = rev_shadow(l->unit, a->value, rev_bar);
    if (bar)
        return bar;
    if (is_null(a->value))
        return a->value;
    rev_refuse(l->unit, a->value->place, "mark the parameter passive, or let the argument be active",
               "an argument without a derivative is passed for '%s', which has one", a->parameter->name);
}

/* Refuses to pass a bar that several threads add to for a `restrict` parameter, whose bar must belong to one
 * thread. Memory that is written belongs to one thread anyway. */
static void check_shared(rev_lowering *l, const rev_argument *a) {
    const rev_variable *bar = rev_e_root(a->bar);
    if (bar && bar->shared && !a->parameter->written && a->parameter->type->restricted)
        rev_refuse(l->unit, a->value->place, "pass a copy in an ancilla, or take restrict away",
                   "several threads add to the bar of what is passed for '%s', which is restrict", a->parameter->name);
}

/* Sets the bar of one argument; *late receives the variable if the bar is a new variable. */
static void add_bar(rev_lowering *l, rev_argument *a, rev_variable **late) {
    if (!a->parameter->active)
        return;
    if (!is_by_value(a->parameter)) {
        a->bar = pointer_bar(l, a);
        check_shared(l, a);
        return;
    }
    bool place = rev_e_is_place(a->value) && rev_e_root(a->value) && rev_e_root(a->value)->active;
    bool same = place && rev_type_of_shadow(l->unit, a->value->type)->kind ==
                             rev_type_of_shadow(l->unit, a->parameter->type)->kind;
    rev_expr *bar = same ? rev_shadow(l->unit, a->value, rev_bar) : NULL;
    if (bar && !rev_e_root(bar)->shared) {
        a->bar = address(l->unit, bar);
        return;
    }
    *late = own_bar(l, a->parameter);
    a->bar = address(l->unit, rev_e_name(l->unit, *late));
}

/* Emits checks that a number which the call changes is not another argument, or a part of one. */
static void check_arguments(rev_lowering *l, const rev_statement *s) {
    for (size_t i = 0; i < s->argument_count; i++) {
        const rev_argument *a = &s->arguments[i];
        const rev_expr *reached = rev_reached(l->unit, a);
        if (!a->parameter->written || !rev_e_is_place(reached) || !rev_is_scalar(reached->type))
            continue;
        for (size_t k = 0; k < s->argument_count; k++)
            rev_check_index(l, reached, s->arguments[k].value);
        for (size_t k = 0; k < s->argument_count; k++)
            if (k > i || (k < i && !s->arguments[k].parameter->written))
                rev_check_apart(l, reached, s->arguments[k].value);
    }
}

void rev_lower_call(rev_lowering *l, const rev_statement *s) {
    if (l->checks && !l->function->on_device && !s->launch)
        check_arguments(l, s);
    rev_statement *made = rev_s_copy(l->unit, s);
    made->arguments = rev_alloc(l->unit, s->argument_count, sizeof *made->arguments);
    rev_variable **late = rev_alloc(l->unit, s->argument_count, sizeof *late);
    bool derives = false;
    for (size_t i = 0; i < s->argument_count; i++) {
        made->arguments[i] = s->arguments[i];
        derives |= s->arguments[i].parameter->active;
    }
    if (l->bars && derives) {
        made->variant = (s->variant ^ REV_INVERSE) | REV_ADJOINT;
        for (size_t i = 0; i < s->argument_count; i++)
            add_bar(l, &made->arguments[i], &late[i]);
    }
    rev_block_add(l->unit, l->out, made);
    for (size_t i = 0; i < s->argument_count; i++)
        if (late[i])
            rev_push_bars(l, s->arguments[i].value, rev_e_name(l->unit, late[i]), false);
}
