/* What the files of the expansion share: tasks, scopes, and the forms of each.
 *
 * A task is one form, or one part of a form that can be long (the elements of a list, the clauses of a `cond`). It
 * makes the node, puts it where its parent wants it, and leaves its parts as tasks of their own, so that nothing here
 * calls itself. What binds variables does so when its task runs, and leaves a task below the body's that unbinds them.
 *
 * Functions return a status; NULL where one returns a pointer is no memory, and said in `error` already. */
#ifndef VLAD_EXPAND_INSIDE_H
#define VLAD_EXPAND_INSIDE_H

#include "vlad/expand.h"

typedef struct vlad_task vlad_task;
typedef verso_status vlad_do(vlad_expander *x, vlad_task task);
struct vlad_task {
    vlad_do *run;
    const vlad_datum *datum;
    union {
        vlad_tree **tree;         /* where the result goes */
        const vlad_shape **shape; /* likewise, of a pattern */
        vlad_tree *node;          /* what is to be completed */
        size_t mark;              /* what a scope goes back to */
    } to;
    const vlad_datum *body; /* of what has one that comes later */
    uint64_t number;        /* of a pattern; of a lambda in its letrec; which elements are meant */
};

/* Does it next, before all that was left so far. */
verso_status vlad_next(vlad_expander *x, vlad_task task);

/* ---- Data (expand.c) ---- */

__attribute__((format(printf, 3, 4))) verso_status vlad_refuse(vlad_expander *x, vlad_place place, const char *format,
                                                               ...);
/* Elements of a list; SIZE_MAX: it is none. */
size_t vlad_length(const vlad_datum *datum);
/* The n-th element, from 0, of a list that has it. */
const vlad_datum *vlad_nth(const vlad_datum *list, size_t n);
/* What follows the n-th. */
const vlad_datum *vlad_behind(const vlad_datum *list, size_t n);
vlad_datum *vlad_new_pair(vlad_expander *x, vlad_place place, const vlad_datum *first, const vlad_datum *rest);

/* ---- Scopes (expand.c) ---- */

/* A variable that no name has yet. */
vlad_binder *vlad_new_binder(vlad_expander *x, const char *name, vlad_place place);
/* Binds a name in pattern `pattern`. */
verso_status vlad_bind(vlad_expander *x, const vlad_datum *name, uint64_t pattern, vlad_binder **binder);
/* Leaves the task of going back to the scope of now. */
verso_status vlad_leave_later(vlad_expander *x);

/* ---- Trees (expand.c) ---- */

vlad_tree *vlad_new_tree(vlad_expander *x, vlad_tree_kind kind, vlad_place place);
vlad_tree *vlad_new_constant(vlad_expander *x, vlad_place place, vlad_value value);
vlad_tree *vlad_new_local(vlad_expander *x, vlad_place place, vlad_binder *binder);

vlad_do vlad_do_expression;
/* The expressions in a list of them, packed by conses. `number` says how. */
vlad_do vlad_do_pack;
enum {
    VLAD_PACK_CONS_STAR, /* the last is the tail */
    VLAD_PACK_LIST,      /* the tail is () */
    VLAD_PACK_BINDINGS   /* as CONS_STAR; the second elements of ((pattern expression) …) */
};

/* ---- Patterns and constants (expand_pattern.c) ---- */

/* Tasks for a pattern, and for a list of them that is packed: see vlad_do_pack; BINDINGS: the first elements. `body` is
 * not used; the pattern's number is `number` / 4, the way of packing `number` % 4. */
vlad_do vlad_do_pattern, vlad_do_patterns;
static inline uint64_t vlad_pattern_number(uint64_t pattern, int packing) {
    return 4 * pattern + (uint64_t)packing;
}
/* A datum as it is; only what a value can be. */
verso_status vlad_quote(vlad_expander *x, const vlad_datum *datum, vlad_value *value);
/* A number, a boolean, () or a quoted datum; else *is is false. */
verso_status vlad_constant(vlad_expander *x, const vlad_datum *datum, bool *is, vlad_value *value);

/* ---- Definitions, letrec, bodies (expand_define.c) ---- */

vlad_tree_letrec *vlad_new_letrec(vlad_expander *x, size_t count);
/* Letrec of `count` bindings (NAME LAMBDA), or of definitions, then the body. */
verso_status vlad_expand_letrec(vlad_expander *x, vlad_tree **to, vlad_place place, const vlad_datum *bindings,
                                size_t count, const vlad_datum *body);
/* (define …) as a name and a lambda expression. */
verso_status vlad_take_define(vlad_expander *x, const vlad_datum *datum, const vlad_datum **name,
                              const vlad_datum **lambda);

vlad_do vlad_do_body;

/* ---- Forms (expand_forms.c) ---- */

/* A lambda expression, whose parts are there: its parameters and its body become the lambda's. */
verso_status vlad_enter_lambda(vlad_expander *x, const vlad_datum *parameters, const vlad_datum *body,
                               vlad_tree_lambda *lambda);
verso_status vlad_check_lambda(vlad_expander *x, const vlad_datum *datum);
/* By keyword; NULL: it begins no expression. */
vlad_do *vlad_form(vlad_keyword keyword);

#endif
