/* The expansion: what its files share.
 *
 * A task is one form, or one part of a form that may be long (the elements of a list, the clauses of a `cond`). It
 * makes a node, stores it where its parent wants it, and pushes its parts as further tasks; so no function here
 * recurses. A form that binds variables binds them when its task runs, and pushes a task below its body's that
 * unbinds them.
 *
 * Functions return a status. A function that returns a pointer returns NULL if there is no memory, and has then
 * set `error`. */
#ifndef VLAD_EXPAND_INSIDE_H
#define VLAD_EXPAND_INSIDE_H

#include "vlad/expand.h"

typedef struct vlad_task vlad_task;
typedef verso_status vlad_do(vlad_expander *x, vlad_task task);
struct vlad_task {
    vlad_do *run;
    const vlad_datum *datum;
    union {
        vlad_tree **tree;         /* where to store the result */
        const vlad_shape **shape; /* the same for a pattern */
        vlad_tree *node;          /* node to be completed */
        size_t mark;              /* mark to restore the scope to */
    } to;
    const vlad_datum *body; /* body of a form that is expanded later */
    uint64_t number;        /* number of a pattern; index of a lambda in its letrec; or which elements are meant */
};

/* Pushes a task, which runs before all tasks pushed so far. */
verso_status vlad_next(vlad_expander *x, vlad_task task);

/* ---- Data (expand.c) ---- */

/* Fails with a message that shows the place. */
__attribute__((format(printf, 3, 4))) verso_status vlad_refuse(vlad_expander *x, vlad_place place, const char *format,
                                                               ...);
/* Returns the number of elements of a list; SIZE_MAX if the datum is not a list. */
size_t vlad_length(const vlad_datum *datum);
/* Returns the n-th element, from 0, which must exist. */
const vlad_datum *vlad_nth(const vlad_datum *list, size_t n);
/* Returns the rest of the list after the n-th element. */
const vlad_datum *vlad_after(const vlad_datum *list, size_t n);
vlad_datum *vlad_new_pair(vlad_expander *x, vlad_place place, const vlad_datum *first, const vlad_datum *rest);

/* ---- Scopes (expand.c) ---- */

/* Makes a variable that is not bound to any name yet. */
vlad_binder *vlad_new_binder(vlad_expander *x, const char *name, vlad_place place);
/* Binds a name in the pattern with this number. */
verso_status vlad_bind(vlad_expander *x, const vlad_datum *name, uint64_t pattern, vlad_binder **binder);
/* Pushes a task that restores the current scope. */
verso_status vlad_leave_later(vlad_expander *x);

/* ---- Trees (expand.c) ---- */

/* Make nodes in the arena. */
vlad_tree *vlad_new_tree(vlad_expander *x, vlad_tree_kind kind, vlad_place place);
vlad_tree *vlad_new_constant(vlad_expander *x, vlad_place place, vlad_value value);
vlad_tree *vlad_new_local(vlad_expander *x, vlad_place place, vlad_binder *binder);

vlad_do vlad_do_expression;
/* Packs the expressions of a list with conses. `number` is one of: */
vlad_do vlad_do_pack;
enum {
    VLAD_PACK_CONS_STAR, /* the last expression is the tail */
    VLAD_PACK_LIST,      /* the tail is () */
    VLAD_PACK_BINDINGS   /* like CONS_STAR, for the second elements of ((pattern expression) …) */
};

/* ---- Patterns and constants (expand_pattern.c) ---- */

/* Tasks for a pattern, and for a list of patterns to be packed (see vlad_do_pack; BINDINGS takes the first
 * elements). `body` is not used. `number` is made by vlad_pattern_number. */
vlad_do vlad_do_pattern, vlad_do_patterns;
/* Returns the `number` of a task for a pattern: the pattern's number and the way of packing. */
static inline uint64_t vlad_pattern_number(uint64_t pattern, int packing) {
    return 4 * pattern + (uint64_t)packing;
}
/* Converts a quoted datum to a value. Refuses data that no value can represent. */
verso_status vlad_quote(vlad_expander *x, const vlad_datum *datum, vlad_value *value);
/* Sets *is to true and *value if the datum is a number, a boolean, () or a quoted datum; else sets *is to false. */
verso_status vlad_constant(vlad_expander *x, const vlad_datum *datum, bool *is, vlad_value *value);

/* ---- Definitions, letrec, bodies (expand_define.c) ---- */

/* Makes an empty letrec with room for `count` lambdas. */
vlad_tree_letrec *vlad_new_letrec(vlad_expander *x, size_t count);
/* Expands a letrec of `count` bindings (NAME LAMBDA), or of definitions, and its body. */
verso_status vlad_expand_letrec(vlad_expander *x, vlad_tree **to, vlad_place place, const vlad_datum *bindings,
                                size_t count, const vlad_datum *body);
/* Splits (define …) into a name and a lambda expression. */
verso_status vlad_take_define(vlad_expander *x, const vlad_datum *datum, const vlad_datum **name,
                              const vlad_datum **lambda);

vlad_do vlad_do_body;

/* ---- Forms (expand_forms.c) ---- */

/* Expands the parameters and the body of a lambda expression into `lambda`. */
verso_status vlad_enter_lambda(vlad_expander *x, const vlad_datum *parameters, const vlad_datum *body,
                               vlad_tree_lambda *lambda);
/* Refuses a datum that is not a well-formed lambda expression. */
verso_status vlad_check_lambda(vlad_expander *x, const vlad_datum *datum);
/* Returns the task of the form that begins with this keyword; NULL if none does. */
vlad_do *vlad_form(vlad_keyword keyword);

#endif
