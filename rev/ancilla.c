/* Checks the lifetimes of ancillas: an ancilla that is filled must be emptied; it must not be used after it was
 * dropped; and a constant must still have its value at the end of its block, where the inverse begins. Conditions
 * that depend on values are checked at run time. */
#include "rev/passes.h"
#include "rev/print.h"

#include <string.h>

typedef struct life {
    rev_unit *unit;
    rev_program *program;
    bool in_compute; /* in the first block of a compute */
} life;

static void check_block(life *l, const rev_block *block);

static bool uses(life *l, const rev_statement *s, const rev_variable *variable, rev_place *where) {
    rev_effects effects = rev_effects_of_statement(l->unit, s);
    for (size_t i = 0; i < effects.count; i++)
        if (rev_e_root(effects.items[i].place) == variable) {
            *where = effects.items[i].where;
            return true;
        }
    return false;
}

/* ---- After the end ---- */

static void check_drop(life *l, const rev_block *block, size_t at) {
    const rev_statement *drop = block->items[at];
    bool here = false;
    for (size_t i = 0; i < at; i++)
        here |= block->items[i]->kind == REV_S_ANC && block->items[i]->variable == drop->variable;
    if (!here) {
        rev_report(l->unit, drop->place, "drop it in the block where it is declared",
                   "'%s' is declared in another block, which would drop it again", drop->variable->name);
        return;
    }
    for (size_t i = at + 1; i < block->count; i++) {
        rev_place where = block->items[i]->place;
        if (block->items[i]->kind == REV_S_DROP && block->items[i]->variable == drop->variable)
            rev_report(l->unit, where, "drop it once", "'%s' is dropped twice", drop->variable->name);
        else if (uses(l, block->items[i], drop->variable, &where)) {
            rev_report(l->unit, where, "drop it later", "'%s' is used after it was dropped", drop->variable->name);
            return;
        }
    }
}

/* ---- Filled and not emptied ---- */

typedef struct tally {
    const rev_variable *variable;
    unsigned up, down, others;
    rev_place first;
} tally;

static void count_block(life *l, const rev_block *block, tally *t);

static void count_update(const rev_statement *s, tally *t) {
    bool minus = s->value->kind == REV_E_UNARY && s->value->name[0] == '-';
    unsigned *counter = s->op[0] == '+' && !minus ? &t->up : s->op[0] == '-' && !minus ? &t->down : &t->others;
    if (t->up + t->down + t->others == 0)
        t->first = s->place;
    ++*counter;
}

static void count_statement(life *l, const rev_statement *s, tally *t) {
    if (s->kind == REV_S_UPDATE) {
        if (rev_e_root(s->target) == t->variable)
            count_update(s, t);
        return;
    }
    if (s->kind == REV_S_COMPUTE) { /* a compute undoes itself */
        count_block(l, s->other, t);
        return;
    }
    if (!s->body && !s->other && !s->branch_count) {
        rev_effects effects = rev_effects_of_statement(l->unit, s);
        for (size_t i = 0; i < effects.count; i++)
            t->others += effects.items[i].writes && rev_e_root(effects.items[i].place) == t->variable;
        t->others += s->kind == REV_S_IRREV;
        return;
    }
    size_t turn = 0;
    for (rev_block *inner; (inner = rev_s_inner(s, &turn));)
        count_block(l, inner, t);
}

static void count_block(life *l, const rev_block *block, tally *t) {
    for (size_t i = 0; i < block->count; i++)
        count_statement(l, block->items[i], t);
}

/* Reports an ancilla that only one instruction changes, although it must end with its initial value. Several
 * instructions may cancel; that is checked at run time. */
static void check_balance(life *l, const rev_block *block, size_t at) {
    const rev_statement *anc = block->items[at], *drop = NULL;
    for (size_t i = at + 1; i < block->count; i++)
        if (block->items[i]->kind == REV_S_DROP && block->items[i]->variable == anc->variable)
            drop = block->items[i];
    bool same =
        drop && ((!drop->value && !anc->value) || (drop->value && anc->value && rev_e_same(drop->value, anc->value)));
    if (!same)
        return;
    tally t = {.variable = anc->variable};
    count_block(l, block, &t);
    if (t.others == 0 && t.up + t.down == 1)
        rev_report(l->unit, t.first,
                   rev_format(l->unit,
                              l->in_compute ? "declare %s before the compute, so that it lives to the end of its use"
                                            : "compute { ... } use { ... }, or undo it by hand, or drop %s == VALUE;",
                              anc->variable->name),
                   "'%s' is filled here and never emptied: it must be %s again at the end of its block",
                   anc->variable->name, anc->value ? rev_text_of_expr(l->unit, l->program, anc->value) : "0");
}

/* ---- Constants ---- */

static void check_constant(life *l, const rev_block *block, size_t at) {
    const rev_statement *constant = block->items[at];
    rev_effects reads = rev_effects_of_expr(l->unit, constant->value);
    for (size_t i = at + 1; i < block->count; i++) {
        rev_effects effects = rev_effects_of_statement(l->unit, block->items[i]);
        const rev_access *disturbs = rev_disturbs(&effects, &reads, true);
        if (!disturbs)
            continue;
        rev_report(l->unit, disturbs->where, "put the constant and what uses it into a block of their own",
                   "'%s' is changed here, and the value of the constant '%s' depends on it",
                   rev_e_root(disturbs->place)->name, constant->variable->name);
        return;
    }
}

/* ---- The whole function ---- */

static void check_type(life *l, const rev_statement *s) {
    const rev_type *type = s->variable->type, *of = type;
    while (of->kind == REV_ARRAY)
        of = of->of;
    bool converted = s->value && s->value->kind == REV_E_CALL && s->value->count == 1;
    if (of->kind == REV_ULOG && (!s->value || (converted && rev_e_is_number(s->value->parts[0], "0"))))
        rev_report(l->unit, s->place, "anc ulog v = rev_ulog(1);", "a ulog cannot be 0");
    else if (of->kind == REV_POINTER)
        rev_report(l->unit, s->place, "use what it points to, or hand it to a rev function of its own",
                   "a pointer inside a rev function would be a second name for what it points to");
}

static void check_statement(life *l, const rev_block *block, size_t at) {
    const rev_statement *s = block->items[at];
    if (s->kind == REV_S_ANC) {
        check_type(l, s);
        if (s->variable->role == REV_ANCILLA)
            check_balance(l, block, at);
        else if (s->value)
            check_constant(l, block, at);
    }
    if (s->kind == REV_S_DROP)
        check_drop(l, block, at);
    size_t turn = 0;
    bool outside = l->in_compute;
    for (rev_block *inner; (inner = rev_s_inner(s, &turn));) {
        l->in_compute = s->kind == REV_S_COMPUTE && inner == s->body;
        check_block(l, inner);
    }
    l->in_compute = outside;
}

static void check_block(life *l, const rev_block *block) {
    for (size_t i = 0; i < block->count; i++)
        check_statement(l, block, i);
}

void rev_check_ancillas(rev_program *program, rev_function *function) {
    life l = {.unit = program->unit, .program = program};
    check_block(&l, function->body);
}
