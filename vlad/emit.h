/* Programs as C: what the parts of the compiler know of each other. See compile.h for what it makes.
 *
 * A region (code.h) is a C function. Within one, expressions are flat or not: a flat one has no call in it, so it is
 * evaluated in place, in C variables, without a frame. What is not flat is evaluated last: frames for what comes
 * behind it are pushed as the interpreter would push them, and the region ends with a call, or by handing a value to
 * the continuation. Behind a frame another region goes on.
 *
 * Functions call themselves here as deep as flat expressions are (FLAT_DEPTH), as branches are (BRANCH_DEPTH), and as
 * patterns are (PATTERN_SIZE): what is deeper is not flat, or is a region of its own, or is left to the interpreter. */
#ifndef VLAD_EMIT_H
#define VLAD_EMIT_H

#include "vlad/survey.h"
#include "vlad/writer.h"

enum {
    FLAT_DEPTH = 40,   /* of a flat expression, lambdas that are written in place of their calls included */
    FLAT_SIZE = 300,   /* expressions in one, likewise */
    PLACED_SIZE = 60,  /* of a lambda that is written in place of its calls */
    BRANCH_DEPTH = 24, /* of branches in a function */
    REGION_SIZE = 200, /* statements in a function, about */
    PATTERN_SIZE = 64, /* pairs in a pattern */
    VALUES = 5         /* that are handed on in registers */
};

/* What evaluating an expression in place takes, at most. */
typedef struct vlad_cost {
    bool flat;
    bool selfish; /* it looks at the closure that it is in */
    uint32_t depth, size;
} vlad_cost;

/* What is known of a value when code is written. */
typedef enum vlad_form_kind {
    FORM_TEMPORARY, /* a C variable */
    FORM_CONSTANT,
    FORM_CLOSED, /* the closure of a closed lambda, by number */
    FORM_SELF,
    FORM_TRUTH, /* a C variable of type bool */
    FORM_PAIR   /* that has not been made */
} vlad_form_kind;

typedef struct vlad_form {
    vlad_form_kind kind;
    bool plain;             /* a plain number */
    uint32_t id;            /* variable, lambda; of a constant that is an object: its expression */
    vlad_value constant;    /* CONSTANT */
    uint32_t first, second; /* PAIR: among `pairs` */
} vlad_form;

typedef struct vlad_work {
    enum { WORK_BODY, WORK_AT, WORK_BEHIND } kind;
    const vlad_expression *e; /* BODY: of the lambda */
    const vlad_lambda *lambda;
    unsigned part;
} vlad_work;

typedef struct vlad_sizes {
    uint32_t steps, words;
} vlad_sizes;

typedef struct vlad_emitter {
    const vlad_sources *sources;
    const vlad_program *program;
    vlad_survey survey;
    vlad_cost *costs; /* by expression */
    bool *placed;     /* by lambda: it is written in place of its calls */
    bool *left_out;   /* by lambda: the program has too many */
    vlad_stack work;  /* vlad_work */
    vlad_sizes *at_sizes, *behind_sizes;
    bool *at_wanted, *behind_wanted;
    vlad_writer heads, bodies;
    bool failed; /* no memory */
    /* The function that is being written. */
    vlad_writer body;
    vlad_work region;
    vlad_form *locals;
    vlad_stack pairs; /* vlad_form */
    uint32_t temporaries, statements, branches;
    uint32_t pending;      /* steps that are not yet taken off `left` */
    vlad_sizes path, most; /* up to here; on any path */
} vlad_emitter;

/* costs.c */
void vlad_costs_make(vlad_emitter *g);
/* Not left to the interpreter. */
bool vlad_is_compiled(const vlad_expression *e);
bool vlad_is_compiled_lambda(const vlad_emitter *g, const vlad_lambda *lambda);
/* The lambda that an application calls, when it is known and compiled. */
const vlad_lambda *vlad_callee(const vlad_emitter *g, const vlad_expression *e);
/* It applies no function. */
bool vlad_gives_at_once(vlad_operator operation);

/* emit_value.c: a flat expression, evaluated. */
vlad_form vlad_emit_value(vlad_emitter *g, const vlad_expression *e);
/* An operator that gives its value at once, applied; false: it is another one, and nothing was written. */
bool vlad_emit_operate(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, vlad_form *result);
/* Forms of so many locals; NULL: no memory. */
vlad_form *vlad_emit_locals(vlad_emitter *g, uint32_t count);
void vlad_emit_locals_free(vlad_form *locals);
/* As a word in a C variable or a constant: what vlad_emit_form can name. */
vlad_form vlad_emit_whole(vlad_emitter *g, vlad_form form);
/* The C expression; `text` has room for it. */
enum { FORM_TEXT = 64 };
const char *vlad_emit_form(const vlad_form *form, char *text);
/* A C condition: a flat expression's value is not #f. `text` has room for it. */
const char *vlad_emit_test(vlad_emitter *g, const vlad_expression *e, char *text);
/* A reference, looked up. `e`: the VARIABLE; NULL: of a closure or a group that is being made. */
vlad_form vlad_emit_reference(vlad_emitter *g, const vlad_reference *reference, const vlad_lambda *known);
/* A closure or a group. */
vlad_form vlad_emit_lambda(vlad_emitter *g, const vlad_lambda *lambda);
/* Binds a pattern; `root` is the C expression of it. */
void vlad_emit_bind(vlad_emitter *g, const vlad_pattern *pattern, const char *root, vlad_form value);
/* Steps that are pending are taken off. */
void vlad_emit_flush(vlad_emitter *g);
/* A new C variable. */
vlad_form vlad_emit_temporary(vlad_emitter *g);
void vlad_emit_step(vlad_emitter *g, uint32_t steps);
/* An object of so many words is to be filled in: `p[0]` and so on. */
vlad_form vlad_emit_object(vlad_emitter *g, vlad_object_kind kind, uint32_t fields);

/* emit_tail.c: an expression whose value goes to the continuation. */
void vlad_emit_tail(vlad_emitter *g, const vlad_expression *e);
/* What goes on behind the parts so far, whose values are given; returns what is evaluated next, or NULL. */
const vlad_expression *vlad_emit_branches(vlad_emitter *g, const vlad_expression *e, const char *condition);
const vlad_expression *vlad_emit_let(vlad_emitter *g, const vlad_expression *e, vlad_form value);
const vlad_expression *vlad_emit_applied(vlad_emitter *g, const vlad_expression *e, vlad_form function);
const vlad_expression *vlad_emit_operator(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, unsigned done);
void vlad_emit_apply(vlad_emitter *g, const vlad_expression *e, vlad_form function, vlad_form argument);
/* The body of a lambda, whose locals are given. */
void vlad_emit_call(vlad_emitter *g, const vlad_lambda *lambda, vlad_form *locals, vlad_form closure);
/* A region that is to be written, unless it has been. */
void vlad_emit_want(vlad_emitter *g, vlad_work work);

#endif
