/* The inverse of a reversible tree: the statements in the opposite order, each undone. */
#include "rev/passes.h"

#include <string.h>

static rev_statement *invert(rev_unit *unit, const rev_statement *s);

static const char *opposite(const char *op) {
    static const char *const pairs[][2] = {{"+=", "-="}, {"-=", "+="}, {"*=", "/="}, {"/=", "*="}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(op, pairs[i][0]) == 0)
            return pairs[i][1];
    /* = undoes itself */
    return op;
}

/* A #pragma stays in front of the statement that it applies to. */
rev_block *rev_invert(rev_unit *unit, const rev_block *block) {
    rev_block *inverse = rev_block_new(unit, block->end);
    for (size_t end = block->count; end > 0;) {
        size_t begin = end - 1;
        while (begin > 0 && block->items[begin - 1]->kind == REV_S_DIRECTIVE)
            begin--;
        for (size_t i = begin; i + 1 < end; i++)
            rev_block_add(unit, inverse, block->items[i]);
        rev_block_add(unit, inverse, invert(unit, block->items[end - 1]));
        end = begin;
    }
    return inverse;
}

static void invert_condition(rev_statement *s) {
    rev_expr *before = s->value;
    if (!s->extra)
        return;
    s->value = s->extra;
    s->extra = before;
}

static void invert_from(rev_unit *unit, rev_statement *s) {
    rev_expr *entry = s->target;
    s->target = rev_e_unary(unit, "!", s->value);
    s->value = rev_e_unary(unit, "!", entry);
}

static void invert_branches(rev_unit *unit, rev_statement *s) {
    rev_branch *branches = rev_alloc(unit, s->branch_count, sizeof *branches);
    for (size_t i = 0; i < s->branch_count; i++)
        branches[i] = (rev_branch){s->branches[i].line, rev_invert(unit, s->branches[i].body)};
    s->branches = branches;
}

static rev_statement *invert(rev_unit *unit, const rev_statement *original) {
    rev_statement *s = rev_s_copy(unit, original);
    bool keeps_body = s->kind == REV_S_COMPUTE;
    if (s->body && !keeps_body)
        s->body = rev_invert(unit, s->body);
    if (s->other)
        s->other = rev_invert(unit, s->other);
    switch (s->kind) {
    case REV_S_UPDATE: s->op = opposite(s->op); break;
    case REV_S_ROT: s->flag = !s->flag; break;
    case REV_S_CALL: s->variant ^= REV_INVERSE; break;
    case REV_S_IF: invert_condition(s); break;
    case REV_S_FROM: invert_from(unit, s); break;
    case REV_S_FOR: s->reversed = !s->reversed; break;
    case REV_S_ANC: s->kind = REV_S_DROP; break;
    case REV_S_DROP: s->kind = REV_S_ANC; break;
    case REV_S_PUSH: s->kind = REV_S_POP; break;
    case REV_S_POP: s->kind = REV_S_PUSH; break;
    case REV_S_CHOSEN: invert_branches(unit, s); break;
    default: break;
    }
    return s;
}
