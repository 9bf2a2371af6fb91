/* Marks what later passes may leave out: loops whose iterations may run in any order need not run downwards; what
 * a `compute` fills need not be undone if nothing else uses it. */
#include "rev/passes.h"

static void mark_block(rev_unit *unit, rev_block *block);

/* ---- Loops ---- */

static bool is_declared_in(const rev_block *block, const rev_variable *variable) {
    for (size_t i = 0; i < block->count; i++) {
        const rev_statement *s = block->items[i];
        if ((s->kind == REV_S_ANC || s->kind == REV_S_FOR) && s->variable == variable)
            return true;
        if ((s->body && is_declared_in(s->body, variable)) || (s->other && is_declared_in(s->other, variable)))
            return true;
    }
    return false;
}

/* True if the loop reads a place that it writes, other than as the target of a sum: += reads what it writes, but
 * that is no dependence between iterations. */
static bool reads_written(const rev_block *body, const rev_effects *effects) {
    for (size_t i = 0; i < effects->count; i++) {
        const rev_variable *written = rev_e_root(effects->items[i].place);
        if (!effects->items[i].writes || is_declared_in(body, written))
            continue;
        for (size_t k = 0; k < effects->count; k++) {
            const rev_access *a = &effects->items[k];
            bool own = a->where.offset == effects->items[i].where.offset && a->place == effects->items[i].place;
            if (!a->writes && !own && rev_e_root(a->place) == written) {
                bool target = false; /* the target of another sum into the same variable */
                for (size_t j = 0; j < effects->count && !target; j++)
                    target = effects->items[j].writes && effects->items[j].place == a->place;
                if (!target)
                    return true;
            }
        }
    }
    return false;
}

static bool only_sums(const rev_block *block) {
    for (size_t i = 0; i < block->count; i++) {
        const rev_statement *s = block->items[i];
        switch (s->kind) {
        case REV_S_UPDATE:
            if (s->op[0] != '+' && s->op[0] != '-')
                return false;
            break;
        case REV_S_ANC:
        case REV_S_DROP:
        case REV_S_FOR:
        case REV_S_IF:
        case REV_S_BLOCK:
        case REV_S_NOCHECK:
        case REV_S_COMPUTE: break;
        default: return false;
        }
        if ((s->body && !only_sums(s->body)) || (s->other && !only_sums(s->other)))
            return false;
    }
    return true;
}

static bool is_unordered(rev_unit *unit, const rev_statement *loop) {
    if (!only_sums(loop->body))
        return false;
    rev_effects effects = rev_effects_of_block(unit, loop->body);
    return !effects.opaque && !reads_written(loop->body, &effects);
}

static bool has_host_code(const rev_block *block) {
    for (size_t i = 0; i < block->count; i++) {
        const rev_statement *s = block->items[i];
        if (s->kind == REV_S_IRREV || s->kind == REV_S_PUSH || s->kind == REV_S_POP || s->kind == REV_S_CHOSEN)
            return true;
        if ((s->body && has_host_code(s->body)) || (s->other && has_host_code(s->other)))
            return true;
    }
    return false;
}

/* Returns the level of indexing, from the outermost, at which the index is exactly the loop counter; -1 if there
 * is none. */
static int place_of_counter(const rev_expr *place, const rev_variable *counter) {
    int depth = 0, found = -1;
    for (const rev_expr *at = place; at->count > 0; at = at->parts[0]) {
        bool here = at->kind == REV_E_INDEX && at->parts[1]->kind == REV_E_NAME && at->parts[1]->variable == counter;
        if (at->kind == REV_E_UNARY && at->name[0] == '&')
            return -1; /* the address also reaches the elements after it */
        if (here)
            found = depth;
        depth++;
    }
    return found < 0 ? -1 : depth - found;
}

bool rev_has_own_bars(rev_unit *unit, const rev_statement *loop) {
    if (loop->kind != REV_S_FOR || has_host_code(loop->body))
        return false;
    rev_effects effects = rev_effects_of_block(unit, loop->body);
    for (size_t i = 0; i < effects.count; i++) {
        const rev_variable *root = rev_e_root(effects.items[i].place);
        if (!root->active || is_declared_in(loop->body, root))
            continue;
        int place = place_of_counter(effects.items[i].place, loop->variable);
        if (place < 0)
            return false;
        for (size_t k = 0; k < i; k++)
            if (rev_e_root(effects.items[k].place) == root &&
                place_of_counter(effects.items[k].place, loop->variable) != place)
                return false;
    }
    return true;
}

/* ---- compute ---- */

static bool touches(rev_unit *unit, const rev_statement *s, const rev_variable *variable) {
    rev_effects effects = rev_effects_of_statement(unit, s);
    for (size_t i = 0; i < effects.count; i++)
        if (rev_e_root(effects.items[i].place) == variable)
            return true;
    return false;
}

/* True for an ancilla of this block that only this statement uses. Host code might use anything. */
static bool is_own(rev_unit *unit, const rev_block *block, const rev_statement *compute, const rev_variable *variable) {
    bool declared = false;
    for (size_t i = 0; i < block->count; i++) {
        const rev_statement *s = block->items[i];
        if (s->kind == REV_S_CHOSEN)
            return false;
        if (s->kind == REV_S_ANC && s->variable == variable)
            declared = true;
        else if (s != compute && !(s->kind == REV_S_DROP && s->variable == variable) && touches(unit, s, variable))
            return false;
    }
    return declared;
}

static bool fills_own(rev_unit *unit, const rev_block *block, const rev_statement *compute) {
    rev_effects effects = rev_effects_of_block(unit, compute->body);
    if (has_host_code(compute->body))
        return false;
    for (size_t i = 0; i < effects.count; i++) {
        const rev_variable *root = rev_e_root(effects.items[i].place);
        if (effects.items[i].writes && !is_declared_in(compute->body, root) && !is_own(unit, block, compute, root))
            return false;
    }
    return true;
}

/* ---- The whole function ---- */

static void mark_block(rev_unit *unit, rev_block *block) {
    for (size_t i = 0; i < block->count; i++) {
        rev_statement *s = block->items[i];
        if (s->kind == REV_S_FOR)
            s->unordered = is_unordered(unit, s);
        if (s->kind == REV_S_COMPUTE)
            s->flag = fills_own(unit, block, s);
        size_t turn = 0;
        for (rev_block *inner; (inner = rev_s_inner(s, &turn));)
            mark_block(unit, inner);
    }
}

void rev_mark(rev_program *program, rev_function *function) {
    mark_block(program->unit, function->body);
}
