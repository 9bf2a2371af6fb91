/* The compiler from VLAD to C: what its files share. See compile.h for the result.
 *
 * A region (code.h) becomes a C function. Expressions within it are flat or not. A flat expression contains no
 * call, so it is evaluated in place, in C variables and without a frame. An expression that is not flat is
 * evaluated last: the code pushes frames for what follows it, as the interpreter would, and the region ends with a
 * call or with passing a value to the continuation. Another region continues after the frame.
 *
 * The functions here recurse as deeply as flat expressions nest (FLAT_DEPTH), as branches nest (BRANCH_DEPTH), and
 * as patterns nest (PATTERN_SIZE). Anything deeper is treated as not flat, becomes another region, or is left to
 * the interpreter. */
#ifndef VLAD_EMIT_H
#define VLAD_EMIT_H

#include "vlad/flow.h"
#include "vlad/writer.h"

enum {
    FLAT_DEPTH = 40,   /* depth of a flat expression, including lambdas inlined in it */
    FLAT_SIZE = 300,   /* number of expressions in a flat expression, including inlined ones */
    PLACED_SIZE = 60,  /* number of expressions in a lambda that may be inlined */
    BRANCH_DEPTH = 24, /* depth of branches in a function */
    REGION_SIZE = 200, /* approximate number of statements in a function */
    PATTERN_SIZE = 64, /* number of pairs in a pattern */
    VALUES = 5         /* number of values passed in registers */
};

/* What evaluating an expression in place costs at most. */
typedef struct vlad_cost {
    bool flat;
    bool selfish; /* it reads the closure that contains it */
    uint32_t depth, size;
} vlad_cost;

/* What the compiler knows about a value. */
typedef enum vlad_form_kind {
    FORM_TEMPORARY, /* in a C variable */
    FORM_CONSTANT,
    FORM_CLOSED, /* the closure of a closed lambda, by number */
    FORM_SELF,
    FORM_TRUTH, /* in a C variable of type bool */
    FORM_PAIR,  /* a pair that is not allocated */
    /* numbers that are not words: plain ones, and in the versions of a loop (emit_version.c) those with derivatives */
    FORM_REAL,  /* in a C variable d of type double */
    FORM_DUAL,  /* primal and tangent in C variables d and e of type double */
    FORM_ACTIVE /* of the topmost level: the primal in d, the number in o */
} vlad_form_kind;

typedef struct vlad_form {
    vlad_form_kind kind;
    bool plain;             /* known to be a plain number */
    uint32_t id;            /* number of the variable or lambda; for a constant object: number of its expression */
    vlad_value constant;    /* CONSTANT */
    uint32_t first, second; /* PAIR: indices of its parts in `pairs` */
} vlad_form;

typedef struct vlad_work {
    enum { WORK_BODY, WORK_AT, WORK_AFTER } kind;
    const vlad_expression *e; /* BODY: the body of the lambda */
    const vlad_lambda *lambda;
    unsigned part;
} vlad_work;

typedef struct vlad_sizes {
    uint32_t steps, words;
} vlad_sizes;

typedef struct vlad_version vlad_version;

typedef struct vlad_emitter {
    const vlad_sources *sources;
    const vlad_program *program;
    vlad_survey survey;
    vlad_flow flow;
    vlad_cost *costs; /* by expression */
    bool *placed;     /* by lambda: it is inlined in its calls */
    bool *left_out;   /* by lambda: it is interpreted, because the program has too many */
    vlad_stack work;  /* regions still to be written: vlad_work */
    vlad_sizes *at_sizes, *after_sizes;
    bool *at_wanted, *after_wanted;
    vlad_writer heads, bodies;
    bool takes_tangents, takes_cotangents; /* the program uses j*; *j or checkpoint-*j */
    bool failed;                           /* out of memory */
    /* State of the function that is being written. */
    vlad_writer body;
    vlad_work region;
    vlad_version *version; /* NULL: of any numbers */
    vlad_form *locals;
    vlad_stack pairs; /* of vlad_form */
    uint32_t temporaries, statements, branches;
    uint32_t pending; /* steps that are not yet subtracted from `left` */
    /* maximum sizes up to the current point, and on any path */
    vlad_sizes path, most;
} vlad_emitter;

/* costs.c: Computes `costs` and `placed`. */
void vlad_costs_make(vlad_emitter *g);
/* True if it is compiled, not left to the interpreter. */
bool vlad_is_compiled(const vlad_expression *e);
bool vlad_is_compiled_lambda(const vlad_emitter *g, const vlad_lambda *lambda);
/* Returns the lambda that an application calls, if it is known and compiled; else NULL. */
const vlad_lambda *vlad_callee(const vlad_emitter *g, const vlad_expression *e);
/* True for operators that apply no function. */
bool vlad_gives_at_once(vlad_operator operation);

/* emit_value.c: Emits code that evaluates a flat expression. */
vlad_form vlad_emit_value(vlad_emitter *g, const vlad_expression *e);
/* Returns an array of `count` forms for locals; NULL if there is no memory. */
vlad_form *vlad_emit_locals(vlad_emitter *g, uint32_t count);
void vlad_emit_locals_free(vlad_form *locals);
/* Emits code that makes the value a word in a C variable, or leaves it a constant: a form that vlad_emit_form can
 * print. */
vlad_form vlad_emit_whole(vlad_emitter *g, vlad_form form);
/* Writes the C expression of a form to `text`, which has room for FORM_TEXT bytes, and returns `text`. */
enum { FORM_TEXT = 64 };
const char *vlad_emit_form(const vlad_form *form, char *text);
/* Emits code for a flat expression and returns a C condition that is true unless its value is #f. `text` has
 * FORM_TEXT bytes. */
const char *vlad_emit_test(vlad_emitter *g, const vlad_expression *e, char *text);
/* Emits code that reads a variable. `known` is the lambda that it is bound to, or NULL. */
vlad_form vlad_emit_reference(vlad_emitter *g, const vlad_reference *reference, const vlad_lambda *known);
/* Emits code that makes a closure, or a group. */
vlad_form vlad_emit_lambda(vlad_emitter *g, const vlad_lambda *lambda);
/* Emits code that binds a pattern. `root` is the C expression of the pattern itself. */
void vlad_emit_bind(vlad_emitter *g, const vlad_pattern *pattern, const char *root, vlad_form value);
/* Emits code that subtracts the pending steps. */
void vlad_emit_flush(vlad_emitter *g);
/* Declares a new C variable. */
vlad_form vlad_emit_temporary(vlad_emitter *g);
void vlad_emit_step(vlad_emitter *g, uint32_t steps);
/* Emits code that allocates an object; the caller then fills in its fields as `p[0]`, ... */
vlad_form vlad_emit_object(vlad_emitter *g, vlad_object_kind kind, uint32_t fields);

/* emit_tail.c: Emits code for an expression whose value goes to the continuation. */
void vlad_emit_tail(vlad_emitter *g, const vlad_expression *e);
/* These emit what follows when the parts evaluated so far have the given values. Each returns the expression to
 * evaluate next, or NULL if the code is complete. */
const vlad_expression *vlad_emit_branches(vlad_emitter *g, const vlad_expression *e, const char *condition);
const vlad_expression *vlad_emit_let(vlad_emitter *g, const vlad_expression *e, vlad_form value);
const vlad_expression *vlad_emit_applied(vlad_emitter *g, const vlad_expression *e, vlad_form function);
const vlad_expression *vlad_emit_operator(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, unsigned done);
void vlad_emit_apply(vlad_emitter *g, const vlad_expression *e, vlad_form function, vlad_form argument);
/* Ends a path: subtracts the pending steps, and updates the maximum sizes. */
void vlad_emit_size(vlad_emitter *g);
/* Emits a call of a lambda's body with the given locals. */
void vlad_emit_call(vlad_emitter *g, const vlad_lambda *lambda, vlad_form *locals, vlad_form closure);
/* Adds a region to the work list, unless it was added before. */
void vlad_emit_want(vlad_emitter *g, vlad_work work);

#endif
