/* The passes, in the order in which a function meets them. Each makes a new tree; the analyses only set marks. */
#ifndef REV_PASSES_H
#define REV_PASSES_H

#include "rev/program.h"

/* desugar.c: calls find their functions, `undo` is gone, ancillas are dropped where their block ends, log numbers are
 * converted where they meet others. */
void rev_desugar(rev_program *program, rev_function *function);

/* effects.c: which places a block reads and writes, and whether two places can be the same. */
typedef struct rev_access {
    const rev_expr *place;
    bool writes;
    rev_place where;
} rev_access;

typedef struct rev_effects {
    rev_access *items;
    size_t count;
    bool opaque; /* host code, calls, stacks: the order of what is done matters */
} rev_effects;

typedef enum rev_overlap { REV_APART, REV_PERHAPS, REV_SAME } rev_overlap;

/* Finds which parameters functions write, until nothing changes. */
void rev_settle(rev_program *program);
rev_effects rev_effects_of_block(rev_unit *unit, const rev_block *block);
rev_effects rev_effects_of_statement(rev_unit *unit, const rev_statement *statement);
rev_effects rev_effects_of_expr(rev_unit *unit, const rev_expr *e); /* what it reads */
/* What a call looks at through an argument: the argument, or only what it points to. */
const rev_expr *rev_reached(rev_unit *unit, const rev_argument *argument);
rev_overlap rev_overlaps(const rev_expr *a, const rev_expr *b);
/* The first access of `b` that writes what `a` reads or writes; NULL: there is none. `sure`: REV_SAME only. */
const rev_access *rev_disturbs(const rev_effects *b, const rev_effects *a, bool sure);

/* rules.c, ancilla.c: what cannot be undone is reported. */
void rev_check_rules(rev_program *program, rev_function *function);
void rev_check_ancillas(rev_program *program, rev_function *function);
/* mark.c: what need not be undone, and loops whose order does not matter. */
void rev_mark(rev_program *program, rev_function *function);

/* inverse.c */
rev_block *rev_invert(rev_unit *unit, const rev_block *block);

/* lower.c, adjoint.c: a reversible tree to an irreversible one. With bars it is taken as the inverse of a function, and
 * becomes its adjoint. */
rev_block *rev_lower(rev_program *program, const rev_function *function, const rev_block *body, bool bars);

typedef struct rev_lowering {
    rev_unit *unit;
    rev_program *program;
    const rev_function *function;
    bool bars;
    bool checks;
    rev_block *out;
    rev_place place; /* of the user's statement */
} rev_lowering;

/* What `target op value` was undone by, for the bars: `op` is the instruction that runs now. The value is computed
 * once, by the expression that is returned. */
void rev_lower_update(rev_lowering *l, rev_expr *target, const char *op, rev_expr *value);
/* Adds seed * d value / d leaf to the bar of every leaf. */
void rev_push_bars(rev_lowering *l, const rev_expr *value, rev_expr *seed, bool negative);
rev_variable *rev_name_value(rev_lowering *l, rev_expr *value, const rev_type *type);
void rev_emit_assign(rev_lowering *l, rev_expr *target, const char *op, rev_expr *value);

/* gather.c: sums of bars in registers. */
rev_block *rev_gather(rev_unit *unit, const rev_block *block);

/* tangent.c: of an irreversible tree. */
rev_block *rev_tangent(rev_program *program, const rev_block *block);

/* shadow.c: the bar or dot of a place or address. NULL: it has none. */
typedef rev_variable *(*rev_shadow_of)(rev_unit *unit, rev_variable *variable);
rev_expr *rev_shadow(rev_unit *unit, const rev_expr *place, rev_shadow_of of);
bool rev_is_active_place(const rev_expr *e); /* with a bar, and of a number */
bool rev_has_shadow(const rev_expr *e);      /* with a bar, also of a structure, an array or a pointer */
bool rev_has_active(const rev_expr *e);      /* something with a derivative is read in it */
/* The partial derivative of a call by its i-th argument; `result` stands for the value. NULL: it is zero. Refuses
 * functions without a rule. */
rev_expr *rev_partial(rev_program *program, const rev_expr *call, size_t i, rev_expr *result);

#endif
