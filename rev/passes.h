/* The passes of `verso rev`, in the order in which they run on a function. The analyses set marks in the tree;
 * every other pass makes a new tree. All of them report errors with rev_report or rev_refuse (unit.h), and all
 * memory is the unit's. */
#ifndef REV_PASSES_H
#define REV_PASSES_H

#include "rev/program.h"

/* desugar.c: after it each call refers to its function, `undo` blocks are inverted, each ancilla is dropped at the
 * end of its block, and log numbers are converted where they meet other numbers. */
void rev_desugar(rev_program *program, rev_function *function);

/* effects.c: which places (variables, elements, members) a statement reads and writes, and whether two places can
 * be the same. */
typedef struct rev_access {
    const rev_expr *place;
    bool writes;
    rev_place where;
} rev_access;

typedef struct rev_effects {
    rev_access *items;
    size_t count;
    bool opaque; /* contains host code, calls or stacks, so statements may not be reordered */
} rev_effects;

/* How two places relate: different, possibly the same (only the run can tell), or the same. */
typedef enum rev_overlap { REV_APART, REV_PERHAPS, REV_SAME } rev_overlap;

/* Finds out which parameters each function writes. Repeats until nothing changes, since functions call one
 * another. */
void rev_settle(rev_program *program);
rev_effects rev_effects_of_block(rev_unit *unit, const rev_block *block);
rev_effects rev_effects_of_statement(rev_unit *unit, const rev_statement *statement);
rev_effects rev_effects_of_expr(rev_unit *unit, const rev_expr *e);        /* what the expression reads */
rev_effects rev_effects_of_indices(rev_unit *unit, const rev_expr *place); /* what the indices in the place read */
/* Returns what a call can access through an argument: the argument, or if only the first element is used, that
 * element. */
const rev_expr *rev_reached(rev_unit *unit, const rev_argument *argument);
rev_overlap rev_overlaps(const rev_expr *a, const rev_expr *b);
/* Returns the first access of `b` that writes a place which `a` reads or writes; NULL if there is none. With
 * `sure`, only accesses to the same place count (REV_SAME), not those to possibly the same place. */
const rev_access *rev_disturbs(const rev_effects *b, const rev_effects *a, bool sure);

/* rules.c, ancilla.c: report everything that cannot be undone. */
void rev_check_rules(rev_program *program, rev_function *function);
void rev_check_ancillas(rev_program *program, rev_function *function);
/* mark.c: marks statements that need not be undone, and loops whose iterations may run in any order. */
void rev_mark(rev_program *program, rev_function *function);

/* True if `loop` is a `for` whose iterations add only to bars of elements at the loop counter, so that no two
 * iterations add to the same bar. */
bool rev_has_own_bars(rev_unit *unit, const rev_statement *loop);

/* inverse.c: Returns the inverse of a block. */
rev_block *rev_invert(rev_unit *unit, const rev_block *block);

/* lower.c, adjoint.c: Translates a reversible block to an irreversible one. If `bars` is true, `body` must be the
 * body of an inverse function; the result is then the adjoint. */
rev_block *rev_lower(rev_program *program, const rev_function *function, const rev_block *body, bool bars);

typedef struct rev_lowering {
    rev_unit *unit;
    rev_program *program;
    const rev_function *function;
    bool bars;   /* make an adjoint */
    bool checks; /* emit run-time checks; false inside `nocheck` */
    rev_block *out;
    rev_place place; /* of the user's statement that is being lowered */
} rev_lowering;

/* Emits `target op value` and, with bars, the update of the bars through the instruction that it undoes. The code
 * computes the value once. */
void rev_lower_update(rev_lowering *l, rev_expr *target, const char *op, rev_expr *value);
/* Emits code that adds seed * d value / d v to the bar of each variable v in `value`; subtracts if `negative`. */
void rev_push_bars(rev_lowering *l, const rev_expr *value, rev_expr *seed, bool negative);
/* Emits a new variable with this value, and returns it. */
rev_variable *rev_name_value(rev_lowering *l, rev_expr *value, const rev_type *type);
/* Emits `target op value`, where op is "=", "+=", ... */
void rev_emit_assign(rev_lowering *l, rev_expr *target, const char *op, rev_expr *value);

/* gather.c: Returns a copy of the block in which loops sum up bars in local variables, which compilers keep in
 * registers. */
rev_block *rev_gather(rev_unit *unit, const rev_block *block);

/* tangent.c: Returns the tangent of an irreversible block. */
rev_block *rev_tangent(rev_program *program, const rev_block *block);

/* shadow.c: Returns the bar or the dot of a place or address, depending on `of`; NULL if it has none. */
typedef rev_variable *(*rev_shadow_of)(rev_unit *unit, rev_variable *variable);
rev_expr *rev_shadow(rev_unit *unit, const rev_expr *place, rev_shadow_of of);
bool rev_is_active_place(const rev_expr *e); /* a number with a bar */
bool rev_has_shadow(const rev_expr *e);      /* something with a bar; also a structure, an array or a pointer */
bool rev_has_active(const rev_expr *e);      /* it reads something that has a derivative */
/* Returns the partial derivative of a call with respect to its i-th argument; NULL if it is zero. `result` is an
 * expression for the value of the call. Refuses functions without a rule. */
rev_expr *rev_partial(rev_program *program, const rev_expr *call, size_t i, rev_expr *result);

#endif
