/* Keeps bars in registers: where all iterations of a loop add to the same place (x_bar[j] in a loop over k), the
 * sum is collected in a variable and added to the place after the loop. Compilers cannot do that themselves,
 * because they must assume that other bars of the loop may be the same memory. */
#include "rev/passes.h"

#include <string.h>

typedef struct names {
    const rev_variable **items;
    size_t count;
} names;

/* ---- What a loop changes ---- */

static void note(rev_unit *unit, names *changed, const rev_variable *variable) {
    if (!variable)
        return;
    changed->items = rev_grow(unit, changed->items, changed->count, sizeof *changed->items);
    changed->items[changed->count++] = variable;
}

static void note_all(rev_unit *unit, names *changed, const rev_expr *e) {
    if (!e)
        return;
    note(unit, changed, e->variable);
    for (size_t i = 0; i < e->count; i++)
        note_all(unit, changed, e->parts[i]);
}

static void note_block(rev_unit *unit, names *changed, const rev_block *block) {
    for (size_t i = 0; i < block->count; i++) {
        const rev_statement *s = block->items[i];
        note(unit, changed, s->variable);
        if (s->kind == REV_S_ASSIGN)
            note(unit, changed, rev_e_root(s->target));
        if (s->kind == REV_S_PUSH || s->kind == REV_S_POP)
            note_all(unit, changed, s->value);
        for (size_t k = 0; k < s->argument_count; k++) {
            note_all(unit, changed, s->arguments[k].value);
            note_all(unit, changed, s->arguments[k].bar);
        }
        size_t turn = 0;
        for (rev_block *inner; (inner = rev_s_inner(s, &turn));)
            note_block(unit, changed, inner);
    }
}

static bool is_among(const names *changed, const rev_variable *variable) {
    for (size_t i = 0; i < changed->count; i++)
        if (changed->items[i] == variable)
            return true;
    return false;
}

/* True if all iterations compute the same address; only the value there may change. `root`: `e` is at the position
 * of the variable itself. */
static bool is_invariant(const names *changed, const rev_expr *e, bool root) {
    if (e->kind == REV_E_NAME)
        return root || !e->variable || !is_among(changed, e->variable);
    if (e->kind == REV_E_TEXT || e->kind == REV_E_CALL)
        return false;
    for (size_t i = 0; i < e->count; i++)
        if (!is_invariant(changed, e->parts[i], root && i == 0))
            return false;
    return true;
}

/* ---- Other uses of the bars ---- */

static bool mentions(const rev_expr *e, const rev_variable *variable) {
    if (!e)
        return false;
    if (e->variable == variable)
        return true;
    for (size_t i = 0; i < e->count; i++)
        if (mentions(e->parts[i], variable))
            return true;
    return false;
}

static bool is_sum(const rev_statement *s) {
    return s->kind == REV_S_ASSIGN && (strcmp(s->op, "+=") == 0 || strcmp(s->op, "-=") == 0);
}

static bool is_read(const rev_block *block, const rev_variable *variable) {
    for (size_t i = 0; i < block->count; i++) {
        const rev_statement *s = block->items[i];
        if (s->kind == REV_S_IRREV)
            return true;
        if (mentions(s->value, variable) || mentions(s->extra, variable) ||
            (!is_sum(s) && mentions(s->target, variable)))
            return true;
        for (size_t k = 0; k < s->argument_count; k++)
            if (mentions(s->arguments[k].value, variable) || mentions(s->arguments[k].bar, variable))
                return true;
        if ((s->body && is_read(s->body, variable)) || (s->other && is_read(s->other, variable)))
            return true;
        for (size_t k = 0; k < s->branch_count; k++)
            if (is_read(s->branches[k].body, variable))
                return true;
    }
    return false;
}

/* ---- Gathering ---- */

static bool can_gather(const rev_statement *loop, const rev_statement *s, const names *changed) {
    if (!is_sum(s) || rev_e_is_simple(s->target) || !rev_is_floating(s->target->type))
        return false;
    const rev_variable *root = rev_e_root(s->target);
    return root && root->of && root->role == REV_PARAMETER && is_invariant(changed, s->target, true) &&
           !is_read(loop->body, root);
}

static rev_expr *any_turn(rev_unit *unit, const rev_statement *loop) {
    const char *op = strcmp(loop->op, "-->") == 0 ? ">" : loop->op;
    return rev_e_binary(unit, op, loop->target, loop->value);
}

static rev_statement *add_after(rev_unit *unit, const rev_statement *loop, const rev_statement *sum,
                                rev_variable *gathered) {
    rev_statement *choice = rev_s_new(unit, REV_S_IF, loop->place);
    rev_statement *add = rev_s_copy(unit, sum);
    add->op = "+=";
    add->value = rev_e_name(unit, gathered);
    choice->value = any_turn(unit, loop);
    choice->body = rev_block_new(unit, loop->body->end);
    rev_block_add(unit, choice->body, add);
    return choice;
}

static void gather_loop(rev_unit *unit, rev_block *out, rev_statement *loop) {
    names changed = {0};
    rev_block *after = rev_block_new(unit, loop->place);
    note_block(unit, &changed, loop->body);
    note(unit, &changed, loop->variable);
    for (size_t i = 0; i < loop->body->count; i++) {
        const rev_statement *s = loop->body->items[i];
        if (!can_gather(loop, s, &changed))
            continue;
        rev_variable *sum = rev_variable_new(unit, rev_format(unit, "rev__s%u", ++unit->names), s->target->type,
                                             REV_TEMPORARY, s->place);
        rev_statement *declare = rev_s_new(unit, REV_S_DECLARE, loop->place);
        declare->variable = sum;
        rev_block_add(unit, out, declare);
        rev_block_add(unit, after, add_after(unit, loop, s, sum));
        for (size_t k = i; k < loop->body->count; k++) { /* all statements that add to the same place */
            rev_statement *other = loop->body->items[k];
            if (!is_sum(other) || !rev_e_same(other->target, s->target))
                continue;
            loop->body->items[k] = rev_s_copy(unit, other);
            loop->body->items[k]->target = rev_e_name(unit, sum);
        }
    }
    rev_block_add(unit, out, loop);
    for (size_t i = 0; i < after->count; i++)
        rev_block_add(unit, out, after->items[i]);
}

rev_block *rev_gather(rev_unit *unit, const rev_block *block) {
    rev_block *out = rev_block_new(unit, block->end);
    for (size_t i = 0; i < block->count; i++) {
        rev_statement *s = rev_s_copy(unit, block->items[i]);
        if (s->body)
            s->body = rev_gather(unit, s->body);
        if (s->other)
            s->other = rev_gather(unit, s->other);
        if (s->branch_count) {
            rev_branch *branches = rev_alloc(unit, s->branch_count, sizeof *branches);
            for (size_t k = 0; k < s->branch_count; k++)
                branches[k] = (rev_branch){s->branches[k].line, rev_gather(unit, s->branches[k].body)};
            s->branches = branches;
        }
        if (s->kind == REV_S_FOR)
            gather_loop(unit, out, s);
        else
            rev_block_add(unit, out, s);
    }
    return out;
}
