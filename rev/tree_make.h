/* Makes and tests trees (tree.h): constructors and predicates. */
#ifndef REV_TREE_MAKE_H
#define REV_TREE_MAKE_H

#include "rev/tree_statements.h"

/* Returns the type of a kind that needs no further parts; for REV_OTHER (unknown type), returns double. */
const rev_type *rev_type_basic(rev_unit *unit, rev_kind kind);
const rev_type *rev_type_pointer(rev_unit *unit, const rev_type *to);
const rev_type *rev_type_array(rev_unit *unit, const rev_type *of, const rev_expr *length);
const rev_type *rev_type_plain(rev_unit *unit, const rev_type *type); /* without const at the top level */
bool rev_is_real(const rev_type *type);                               /* float, double, long double */
bool rev_is_complex(const rev_type *type);
bool rev_is_floating(const rev_type *type); /* real or complex */
bool rev_is_exact(const rev_type *type);    /* fixed, ulog */
/* True for types that have a derivative, and for those that point to or contain such a type. */
bool rev_is_differentiable(const rev_type *type);
bool rev_is_scalar(const rev_type *type); /* a number of any kind */
/* True for an array on the host whose length is not a literal number. Generated code uses a pointer to it. */
bool rev_is_sized_late(const rev_unit *unit, const rev_type *type);
/* Returns the type of the bar or tangent of a value: double for fixed and ulog, never const. */
const rev_type *rev_type_of_shadow(rev_unit *unit, const rev_type *type);

/* Make expressions. Operations with 0, 1 and signs are simplified. */
rev_expr *rev_e_number(rev_unit *unit, const char *text);
rev_expr *rev_e_name(rev_unit *unit, rev_variable *variable);
rev_expr *rev_e_unary(rev_unit *unit, const char *op, rev_expr *a);
rev_expr *rev_e_binary(rev_unit *unit, const char *op, rev_expr *a, rev_expr *b);
rev_expr *rev_e_choice(rev_unit *unit, rev_expr *condition, rev_expr *a, rev_expr *b);
rev_expr *rev_e_call(rev_unit *unit, const char *name, const rev_type *type, rev_expr **arguments, size_t count);
rev_expr *rev_e_call1(rev_unit *unit, const char *name, const rev_type *type, rev_expr *a);
rev_expr *rev_e_cast(rev_unit *unit, const rev_type *type, rev_expr *a);
/* Returns a copy of `e` with other parts. */
rev_expr *rev_e_like(rev_unit *unit, const rev_expr *e, rev_expr **parts);
bool rev_e_is_number(const rev_expr *e, const char *text);
/* True if both expressions have the same structure, names and variables. */
bool rev_e_same(const rev_expr *a, const rev_expr *b);
bool rev_e_is_place(const rev_expr *e);      /* a variable, or what [], *, . and -> reach from one */
rev_variable *rev_e_root(const rev_expr *e); /* the variable of a place or an address; NULL: none */
bool rev_is_union_member(const rev_expr *e); /* `.` or `->` applied to a union */
bool rev_e_is_simple(const rev_expr *e);     /* a name or a number */

/* Make statements and blocks; rev_block_add appends to a block. */
rev_statement *rev_s_new(rev_unit *unit, rev_statement_kind kind, rev_place place);
/* The copy shares expressions and blocks with the original. */
rev_statement *rev_s_copy(rev_unit *unit, const rev_statement *statement);
/* Iterates over the blocks inside a statement: begin with *at = 0; returns NULL after the last. */
rev_block *rev_s_inner(const rev_statement *s, size_t *at);
rev_block *rev_block_new(rev_unit *unit, rev_place end);
void rev_block_add(rev_unit *unit, rev_block *block, rev_statement *statement);

rev_variable *rev_variable_new(rev_unit *unit, const char *name, const rev_type *type, rev_role role, rev_place place);
/* Return the bar or dot of a variable, made at the first call; NULL if it has none. */
rev_variable *rev_bar(rev_unit *unit, rev_variable *variable);
rev_variable *rev_dot(rev_unit *unit, rev_variable *variable);

/* Returns the name of a derived function, such as "norm_inv_adj". */
const char *rev_variant_name(rev_unit *unit, const rev_function *function, unsigned variant);

#endif
