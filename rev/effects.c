/* Determines what statements read and write, and whether two places can be the same. Different variables count as
 * different places: a function must not reach through one parameter what it writes through another. */
#include "rev/passes.h"

#include <stdlib.h>
#include <string.h>

static void of_block(rev_unit *unit, rev_effects *effects, const rev_block *block);

static void add(rev_unit *unit, rev_effects *effects, const rev_expr *place, bool writes, rev_place where) {
    effects->items = rev_grow(unit, effects->items, effects->count, sizeof *effects->items);
    effects->items[effects->count++] = (rev_access){place, writes, where};
}

/* A pointer without an index counts as everything that it points to. */
static void reads(rev_unit *unit, rev_effects *effects, const rev_expr *e, rev_place where) {
    if (!e)
        return;
    if (rev_e_root(e)) {
        add(unit, effects, e, false, where);
        for (const rev_expr *at = e; at->count > 0; at = at->parts[0]) /* indices */
            for (size_t i = 1; i < at->count; i++)
                reads(unit, effects, at->parts[i], where);
        return;
    }
    for (size_t i = 0; i < e->count; i++)
        reads(unit, effects, e->parts[i], where);
}

static void writes(rev_unit *unit, rev_effects *effects, const rev_expr *e, rev_place where) {
    reads(unit, effects, e, where);
    if (rev_e_root(e))
        add(unit, effects, e, true, where);
}

const rev_expr *rev_reached(rev_unit *unit, const rev_argument *argument) {
    rev_expr *value = argument->value;
    bool pointer = value->type->kind == REV_POINTER || value->type->kind == REV_ARRAY;
    return argument->parameter->single && pointer && rev_e_root(value) ? rev_e_unary(unit, "*", value) : value;
}

static void of_call(rev_unit *unit, rev_effects *effects, const rev_statement *s) {
    for (size_t i = 0; i < s->argument_count; i++) {
        const rev_expr *reached = rev_reached(unit, &s->arguments[i]);
        reads(unit, effects, reached, s->place);
        if (s->arguments[i].parameter->written)
            writes(unit, effects, reached, s->place);
    }
    effects->opaque = true;
}

static void of_statement(rev_unit *unit, rev_effects *effects, const rev_statement *s) {
    switch (s->kind) {
    case REV_S_SWAP:
    case REV_S_ROT:
        writes(unit, effects, s->target, s->place);
        writes(unit, effects, s->value, s->place);
        reads(unit, effects, s->extra, s->place);
        effects->opaque = true;
        break;
    case REV_S_UPDATE:
        writes(unit, effects, s->target, s->place);
        reads(unit, effects, s->value, s->place);
        break;
    case REV_S_NEG: writes(unit, effects, s->target, s->place); break;
    case REV_S_PUSH:
    case REV_S_POP:
        writes(unit, effects, s->target, s->place);
        writes(unit, effects, s->value, s->place);
        effects->opaque = true;
        break;
    case REV_S_CALL: of_call(unit, effects, s); break;
    case REV_S_IRREV: effects->opaque = true; break;
    case REV_S_FROM: effects->opaque = true; /* fall through */
    default:
        reads(unit, effects, s->target, s->place);
        reads(unit, effects, s->value, s->place);
        reads(unit, effects, s->extra, s->place);
        break;
    }
    size_t turn = 0;
    for (rev_block *inner; (inner = rev_s_inner(s, &turn));)
        of_block(unit, effects, inner);
}

static void of_block(rev_unit *unit, rev_effects *effects, const rev_block *block) {
    for (size_t i = 0; i < block->count; i++)
        of_statement(unit, effects, block->items[i]);
}

rev_effects rev_effects_of_block(rev_unit *unit, const rev_block *block) {
    rev_effects effects = {0};
    of_block(unit, &effects, block);
    return effects;
}

rev_effects rev_effects_of_statement(rev_unit *unit, const rev_statement *statement) {
    rev_effects effects = {0};
    of_statement(unit, &effects, statement);
    return effects;
}

rev_effects rev_effects_of_expr(rev_unit *unit, const rev_expr *e) {
    rev_effects effects = {0};
    reads(unit, &effects, e, e->place);
    return effects;
}

rev_effects rev_effects_of_indices(rev_unit *unit, const rev_expr *place) {
    rev_effects effects = {0};
    for (const rev_expr *at = place; at->count > 0; at = at->parts[0])
        for (size_t i = 1; i < at->count; i++)
            reads(unit, &effects, at->parts[i], place->place);
    return effects;
}

/* ---- Overlap ---- */

enum { STEPS = 32 };

typedef struct step {
    const rev_expr *index; /* index of an element; NULL: a member */
    const char *member;    /* NULL together with index NULL: the first element */
} step;

/* All members of a union are one place, so they get the same name. */
static step member_step(const rev_expr *e) {
    return (step){NULL, rev_is_union_member(e) ? "" : e->name};
}

/* Sets `steps` to the path from the variable to the place. Returns false if it is too long. Sets *offset if it
 * contains pointer arithmetic. */
static bool way_of(const rev_expr *e, step *steps, size_t *count, bool *offset) {
    size_t used = 0;
    step found[STEPS];
    for (; e->kind != REV_E_NAME; e = e->parts[0]) {
        if (used + 2 > STEPS)
            return false;
        if (e->kind == REV_E_INDEX)
            found[used++] = (step){e->parts[1], NULL};
        else if (e->kind == REV_E_MEMBER)
            found[used++] = member_step(e);
        else if (e->kind == REV_E_ARROW) {
            found[used++] = member_step(e);
            found[used++] = (step){NULL, NULL};
        } else if (e->kind == REV_E_UNARY && e->name[0] == '*')
            found[used++] = (step){NULL, NULL};
        else if (e->kind == REV_E_UNARY && e->name[0] == '&')
            *offset |= e->parts[0]->kind != REV_E_NAME; /* the address also reaches the elements after it */
        else if (e->kind == REV_E_CAST)
            continue;
        else {
            *offset = true;
            return true; /* *(p + i) may be any element */
        }
        if (e->count == 0)
            return false;
    }
    for (size_t i = 0; i < used; i++)
        steps[i] = found[used - 1 - i];
    *count = used;
    return true;
}

static bool is_literal(const rev_expr *e) {
    return e->kind == REV_E_NUMBER;
}

static rev_overlap compare(const step *a, const step *b) {
    if (a->member || b->member)
        return a->member && b->member ? strcmp(a->member, b->member) == 0 ? REV_SAME : REV_APART : REV_PERHAPS;
    bool a_first = !a->index || rev_e_is_number(a->index, "0"), b_first = !b->index || rev_e_is_number(b->index, "0");
    if (a_first && b_first)
        return REV_SAME;
    if (a->index && b->index && rev_e_same(a->index, b->index))
        return REV_SAME;
    bool literal = (a_first || is_literal(a->index)) && (b_first || is_literal(b->index));
    return literal ? REV_APART : REV_PERHAPS;
}

rev_overlap rev_overlaps(const rev_expr *a, const rev_expr *b) {
    rev_variable *root = rev_e_root(a);
    if (!root || root != rev_e_root(b))
        return REV_APART;
    step way_a[STEPS], way_b[STEPS];
    size_t count_a = 0, count_b = 0;
    bool offset = false;
    if (!way_of(a, way_a, &count_a, &offset) || !way_of(b, way_b, &count_b, &offset) || offset)
        return REV_PERHAPS;
    rev_overlap overlap = REV_SAME;
    for (size_t i = 0; i < count_a && i < count_b; i++) {
        rev_overlap here = compare(&way_a[i], &way_b[i]);
        if (here == REV_APART)
            return REV_APART;
        if (here == REV_PERHAPS)
            overlap = REV_PERHAPS;
    }
    return overlap;
}

const rev_access *rev_disturbs(const rev_effects *b, const rev_effects *a, bool sure) {
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < a->count && b->items[i].writes; k++) {
            rev_overlap overlap = rev_overlaps(b->items[i].place, a->items[k].place);
            if (overlap == REV_SAME || (!sure && overlap == REV_PERHAPS))
                return &b->items[i];
        }
    return NULL;
}

/* ---- What functions write ---- */

static bool points_to_const(const rev_type *type) {
    return (type->kind == REV_POINTER || type->kind == REV_ARRAY) && type->of->constant;
}

/* Assumes that a function that is only declared writes everything that is not const. */
static void assume(rev_variable **parameters, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const rev_type *type = parameters[i]->type;
        bool pointer = type->kind == REV_POINTER || type->kind == REV_ARRAY;
        parameters[i]->written = pointer && !points_to_const(type) && type->of->kind != REV_FUNCTION;
    }
}

/* True for p->f, *p, p[0], and what is reached from there. */
static bool is_first(const rev_expr *place) {
    for (const rev_expr *at = place; at->count > 0; at = at->parts[0])
        if (at->parts[0]->kind == REV_E_NAME)
            return at->kind == REV_E_ARROW || (at->kind == REV_E_UNARY && at->name[0] == '*') ||
                   (at->kind == REV_E_INDEX && rev_e_is_number(at->parts[1], "0"));
    return false;
}

static bool settle_function(rev_unit *unit, rev_function *function) {
    bool changed = false;
    rev_effects effects = rev_effects_of_block(unit, function->body);
    for (size_t i = 0; i < effects.count; i++) {
        rev_variable *root = rev_e_root(effects.items[i].place);
        if (root->single && !is_first(effects.items[i].place)) {
            root->single = false;
            changed = true;
        }
        if (effects.items[i].writes && !root->written) {
            root->written = true;
            changed = true;
        }
    }
    return changed;
}

void rev_settle(rev_program *program) {
    for (size_t i = 0; i < program->function_count; i++) {
        rev_function *function = program->functions[i];
        if (!function->body)
            assume(function->parameters, function->parameter_count);
        for (size_t k = 0; k < function->parameter_count; k++) {
            const rev_type *type = function->parameters[k]->type;
            function->parameters[k]->single = function->body && type->kind == REV_POINTER;
            if (type->kind == REV_POINTER && type->of->kind == REV_FUNCTION)
                assume(type->of->parameters, type->of->parameter_count);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < program->function_count; i++)
            if (program->functions[i]->body && !program->functions[i]->failed)
                changed |= settle_function(program->unit, program->functions[i]);
    }
}
