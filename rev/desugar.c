/* Turns short forms into the few forms that later passes handle: see passes.h. */
#include "rev/parse.h"
#include "rev/passes.h"

#include <string.h>

typedef struct desugaring {
    rev_program *program;
    rev_unit *unit;
    const rev_function *function;
} desugaring;

static rev_block *desugar_block(desugaring *d, const rev_block *block);

/* ---- Log numbers among other numbers ---- */

static rev_expr *converted(rev_unit *unit, rev_expr *e, rev_kind kind) {
    if (kind == REV_ULOG && e->type->kind != REV_ULOG)
        return rev_e_call1(unit, "rev_ulog", rev_type_basic(unit, REV_ULOG), e);
    if (kind != REV_ULOG && e->type->kind == REV_ULOG)
        return rev_e_call1(unit, "rev_ulog_value", rev_type_basic(unit, REV_DOUBLE), e);
    return e;
}

/* u + x becomes rev_ulog_value(u) + x. Only *, / and comparisons of two log numbers remain. */
static rev_expr *desugar_expr(desugaring *d, rev_expr *e) {
    if (e->count == 0)
        return e;
    rev_expr **parts = rev_alloc(d->unit, e->count, sizeof *parts);
    for (size_t i = 0; i < e->count; i++)
        parts[i] = desugar_expr(d, e->parts[i]);
    if (e->kind == REV_E_BINARY) {
        bool both = parts[0]->type->kind == REV_ULOG && parts[1]->type->kind == REV_ULOG;
        if (!both || !strchr("*/<>=!", e->name[0])) {
            parts[0] = converted(d->unit, parts[0], REV_DOUBLE);
            parts[1] = converted(d->unit, parts[1], REV_DOUBLE);
        }
    }
    if (e->kind == REV_E_UNARY && strchr("-!", e->name[0]))
        parts[0] = converted(d->unit, parts[0], REV_DOUBLE);
    if (e->kind == REV_E_CALL && strncmp(e->name, "rev_ulog", 8) != 0)
        for (size_t i = 0; i < e->count; i++)
            parts[i] = converted(d->unit, parts[i], REV_DOUBLE);
    rev_expr *made = rev_e_like(d->unit, e, parts);
    if (e->kind == REV_E_UNARY && strchr("-!", e->name[0]) && parts[0] != e->parts[0]) {
        made = rev_e_unary(d->unit, e->name, parts[0]);
        made->place = e->place;
    }
    return made;
}

static rev_expr *desugar_or_null(desugaring *d, rev_expr *e) {
    return e ? desugar_expr(d, e) : NULL;
}

static rev_expr *desugar_value(desugaring *d, rev_expr *e, const rev_type *type) {
    if (!e)
        return NULL;
    e = desugar_expr(d, e);
    return rev_is_scalar(type) && (rev_is_scalar(e->type) || e->type->kind == REV_OTHER)
               ? converted(d->unit, e, type->kind)
               : e;
}

/* ---- Calls ---- */

static _Noreturn void refuse_call(desugaring *d, const rev_statement *s) {
    rev_named *host = rev_find_named(&d->program->hosts, s->text);
    rev_refuse(d->unit, s->place,
               host ? "mark it rev, or declare its inverse: dual(f, g); or selfdual(f);, or put the call into irrev { }"
                    : "declare it before as rev void f(...);, or put the call into irrev { }",
               "'%s' has no inverse that is known here", s->text);
}

static void find_function(desugaring *d, rev_statement *s) {
    rev_variable **parameters;
    size_t count;
    if (s->target) {
        const rev_type *type = s->target->type;
        bool callable = type->kind == REV_POINTER && type->of->kind == REV_FUNCTION && type->of->reversible;
        if (!callable)
            rev_refuse(d->unit, s->place, "rev void (*f)(...) among the parameters",
                       "'%s' has no inverse that is known here", s->text);
        parameters = type->of->parameters;
        count = type->of->parameter_count;
    } else {
        const char *name = s->text;
        if (d->unit->instance) { /* instances call instances where they exist */
            rev_function *same = rev_find_function(d->program, rev_instance_name(d->unit, name, d->unit->instance));
            if (same)
                name = same->name;
        }
        s->function = rev_find_function(d->program, name);
        if (!s->function)
            refuse_call(d, s);
        parameters = s->function->parameters;
        count = s->function->parameter_count;
    }
    if (count != s->argument_count)
        rev_refuse(d->unit, s->place, NULL, "'%s' takes %zu arguments, not %zu", s->text, count, s->argument_count);
    for (size_t i = 0; i < count; i++)
        s->arguments[i].parameter = parameters[i];
}

static void desugar_call(desugaring *d, rev_statement *s) {
    rev_argument *arguments = rev_alloc(d->unit, s->argument_count, sizeof *arguments);
    for (size_t i = 0; i < s->argument_count; i++)
        arguments[i] = s->arguments[i];
    s->arguments = arguments;
    find_function(d, s);
    for (size_t i = 0; i < s->argument_count; i++)
        arguments[i].value = desugar_value(d, arguments[i].value, arguments[i].parameter->type);
}

/* ---- Statements ---- */

static void desugar_into(desugaring *d, rev_block *out, const rev_statement *original) {
    rev_statement *s = rev_s_copy(d->unit, original);
    switch (s->kind) {
    case REV_S_CALL: desugar_call(d, s); break;
    case REV_S_UPDATE:
        s->target = desugar_expr(d, s->target);
        s->value = desugar_value(d, s->value, s->target->type);
        break;
    case REV_S_ANC:
    case REV_S_DROP:
        s->value = desugar_value(d, s->value, s->variable->type);
        if (s->variable->role == REV_CONSTANT && s->value && !rev_has_active(s->value))
            s->variable->active = false;
        break;
    default:
        s->target = desugar_or_null(d, s->target);
        s->value = desugar_or_null(d, s->value);
        s->extra = desugar_or_null(d, s->extra);
        break;
    }
    if (s->body)
        s->body = desugar_block(d, s->body);
    if (s->other)
        s->other = desugar_block(d, s->other);
    if (s->branch_count) {
        rev_branch *branches = rev_alloc(d->unit, s->branch_count, sizeof *branches);
        for (size_t i = 0; i < s->branch_count; i++)
            branches[i] = (rev_branch){s->branches[i].line, desugar_block(d, s->branches[i].body)};
        s->branches = branches;
    }
    if (s->kind == REV_S_UNDO) {
        s->kind = REV_S_BLOCK;
        s->body = rev_invert(d->unit, s->body);
    }
    rev_block_add(d->unit, out, s);
}

static bool is_dropped(const rev_block *block, const rev_variable *variable) {
    for (size_t i = 0; i < block->count; i++)
        if (block->items[i]->kind == REV_S_DROP && block->items[i]->variable == variable)
            return true;
    return false;
}

/* Drops each ancilla that the block does not drop itself at the end of the block, in the opposite order of
 * declaration. */
static rev_block *desugar_block(desugaring *d, const rev_block *block) {
    rev_block *out = rev_block_new(d->unit, block->end);
    for (size_t i = 0; i < block->count; i++)
        desugar_into(d, out, block->items[i]);
    for (size_t i = block->count; i-- > 0;) {
        const rev_statement *s = block->items[i];
        if (s->kind != REV_S_ANC || is_dropped(block, s->variable))
            continue;
        rev_statement *drop = rev_s_new(d->unit, REV_S_DROP, block->end);
        drop->variable = s->variable;
        drop->value = desugar_value(d, s->value, s->variable->type);
        drop->flag = s->variable->role == REV_CONSTANT;
        rev_block_add(d->unit, out, drop);
    }
    return out;
}

void rev_desugar(rev_program *program, rev_function *function) {
    desugaring d = {program, program->unit, function};
    function->body = desugar_block(&d, function->body);
}
