/* Bars and dots: the same path as to a value, but starting from its bar or dot variable. */
#include "rev/derivatives.h"
#include "rev/passes.h"

#include <string.h>

/* True if the path passes a member. The bar of a structure is a structure of the same type, so types do not change
 * after a member. */
static bool passes_member(const rev_expr *e) {
    if (e->kind == REV_E_MEMBER || e->kind == REV_E_ARROW)
        return true;
    return e->count > 0 && (e->kind == REV_E_INDEX || e->kind == REV_E_UNARY) && passes_member(e->parts[0]);
}

rev_expr *rev_shadow(rev_unit *unit, const rev_expr *e, rev_shadow_of of) {
    rev_variable *root = rev_e_root(e);
    rev_variable *shadow = root ? of(unit, root) : NULL;
    if (!shadow)
        return NULL;
    if (e->kind == REV_E_NAME)
        return rev_e_name(unit, shadow);
    rev_expr *made = rev_alloc(unit, 1, sizeof *made);
    *made = *e;
    made->parts = rev_alloc(unit, e->count, sizeof *made->parts);
    for (size_t i = 0; i < e->count; i++)
        made->parts[i] = e->parts[i];
    size_t into = e->kind == REV_E_BINARY && rev_e_root(e->parts[0]) != root ? 1 : 0;
    made->parts[into] = rev_shadow(unit, e->parts[into], of);
    made->type = passes_member(e) ? rev_type_plain(unit, e->type) : rev_type_of_shadow(unit, e->type);
    return made;
}

bool rev_is_active_place(const rev_expr *e) {
    rev_variable *root = rev_e_is_place(e) ? rev_e_root(e) : NULL;
    return root && root->active && (rev_is_floating(e->type) || rev_is_exact(e->type));
}

bool rev_has_shadow(const rev_expr *e) {
    rev_variable *root = rev_e_root(e);
    return root && root->active && rev_is_differentiable(e->type);
}

bool rev_has_active(const rev_expr *e) {
    if (e->kind == REV_E_TEXT || e->kind == REV_E_NUMBER || e->type->kind == REV_INTEGER)
        return false;
    if (rev_e_is_place(e))
        return rev_is_active_place(e);
    if (e->kind == REV_E_CALL && rev_is_flat(e->name))
        return false;
    if (e->kind == REV_E_CALL)
        for (size_t i = 0; i < e->count; i++) { /* also what pointers point to */
            rev_variable *root = rev_e_root(e->parts[i]);
            if (root && root->active)
                return true;
        }
    for (size_t i = e->kind == REV_E_CHOICE ? 1 : 0; i < e->count; i++)
        if (rev_has_active(e->parts[i]))
            return true;
    return false;
}

/* ---- Partial derivatives of calls ---- */

static rev_expr *substituted(rev_unit *unit, const rev_rule *rule, const rev_expr *e, const rev_expr *call,
                             rev_expr *result) {
    if (e->kind == REV_E_NAME && e->variable) {
        if (e->variable == rule->result)
            return result;
        for (size_t i = 0; i < rule->count; i++)
            if (e->variable == rule->formals[i])
                return call->parts[i];
    }
    if (e->count == 0)
        return (rev_expr *)(uintptr_t)e;
    rev_expr **parts = rev_alloc(unit, e->count, sizeof *parts);
    for (size_t i = 0; i < e->count; i++)
        parts[i] = substituted(unit, rule, e->parts[i], call, result);
    return rev_e_like(unit, e, parts);
}

rev_expr *rev_partial(rev_program *program, const rev_expr *call, size_t i, rev_expr *result) {
    const rev_rule *rule = rev_find_rule(program, call->name, call->count);
    if (!rule)
        rev_refuse(
            program->unit, call->place,
            rev_format(program->unit,
                       "derivative(%s(x), ...): one derivative for each argument; or make it a rev function that "
                       "adds its result",
                       call->name),
            "the derivative of '%s' is not known", call->name);
    if (rev_e_is_number(rule->partials[i], "0"))
        return NULL;
    return substituted(program->unit, rule, rule->partials[i], call, result);
}
