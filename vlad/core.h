/* The core language: what a program is after patterns, `let`, `cond` and the like are gone. All three implementations
 * begin here, and count steps here: evaluating one expression is one step, whatever it is, plus the steps of its parts.
 *
 * Variables are resolved: an expression says where its variables are, not how they are called. An evaluation has an
 * environment of three parts:
 *
 * - locals: what patterns and letrecs have bound since the innermost lambda was entered, in order; a `let` is the
 *   application of a lambda that is written in its place, and binds more locals of the same frame;
 * - captured: the free variables of the innermost lambda that is a closure, in order, copied when it was made;
 * - group: of a lambda in a letrec, the free variables of the whole letrec, in order, which all its lambdas share; and
 *   its siblings, which are made anew from the group where they are used, so that no value is ever cyclic.
 *
 * No field is ever a pointer to something that is not in the arena of the sources. */
#ifndef VLAD_CORE_H
#define VLAD_CORE_H

#include "vlad/source.h"
#include "vlad/value.h"

#include <stdbool.h>

typedef enum vlad_kind {
    VLAD_CONSTANT,
    VLAD_VARIABLE,
    VLAD_LAMBDA,      /* a closure is made */
    VLAD_APPLICATION, /* parts: function, argument */
    VLAD_LET,         /* the application of a lambda written in its place: parts: argument, body. Two steps before the
                       * argument: one for itself, one for the lambda, which is not made */
    VLAD_IF,          /* parts: test, then, else */
    VLAD_UNARY,
    VLAD_BINARY,
    VLAD_TERNARY,
    VLAD_LETREC, /* parts: body */
} vlad_kind;

typedef enum vlad_operator {
    /* unary */
    VLAD_SQRT,
    VLAD_EXP,
    VLAD_LOG,
    VLAD_SIN,
    VLAD_COS,
    VLAD_IS_ZERO,
    VLAD_IS_POSITIVE,
    VLAD_IS_NEGATIVE,
    VLAD_IS_NULL,
    VLAD_IS_BOOLEAN,
    VLAD_IS_REAL,
    VLAD_IS_PAIR,
    VLAD_IS_PROCEDURE,
    VLAD_IS_VECTOR,
    VLAD_REAL,
    VLAD_FLOOR,
    VLAD_READ_REAL,
    VLAD_WRITE_REAL,
    VLAD_VECTOR_LENGTH,
    VLAD_LIST_TO_VECTOR,
    /* binary */
    VLAD_CONS,
    VLAD_PLUS,
    VLAD_MINUS,
    VLAD_TIMES,
    VLAD_DIVIDE,
    VLAD_ATAN,
    VLAD_EQUAL,
    VLAD_LESS,
    VLAD_GREATER,
    VLAD_AT_MOST,
    VLAD_AT_LEAST,
    VLAD_EXPT,
    VLAD_MODULO,
    VLAD_VECTOR_REF,
    VLAD_VECTOR_MAP,
    /* ternary */
    VLAD_VECTOR_SET,
    VLAD_J_FORWARD,
    VLAD_J_REVERSE,
    VLAD_J_CHECKPOINT,
    VLAD_OPERATORS
} vlad_operator;

/* "sqrt", "checkpoint-*j", ... */
const char *vlad_operator_name(vlad_operator operation);
/* 1, 2 or 3. */
unsigned vlad_operator_arity(vlad_operator operation);

/* How a value is taken apart when it is bound. */
typedef enum vlad_pattern_kind { VLAD_BIND, VLAD_MATCH, VLAD_TAKE } vlad_pattern_kind;
typedef struct vlad_pattern {
    vlad_pattern_kind kind;
    vlad_place place;
    uint32_t local;                            /* BIND: its number */
    vlad_value constant;                       /* MATCH: must be equal (pairs part by part) */
    const struct vlad_pattern *first, *second; /* TAKE: of a pair */
} vlad_pattern;

typedef enum vlad_where { VLAD_LOCAL, VLAD_CAPTURED, VLAD_GROUP, VLAD_SIBLING } vlad_where;
typedef struct vlad_reference {
    vlad_where where;
    uint32_t index; /* SIBLING: the number of the lambda in its letrec */
} vlad_reference;

struct vlad_letrec;

/* A lambda that becomes a closure: not those of VLAD_LET. */
typedef struct vlad_lambda {
    const vlad_pattern *parameter;
    const struct vlad_expression *body;
    const char *name; /* of its definition, for messages; NULL: none */
    vlad_place place;
    uint32_t number;                  /* of all of the program's, from 0 */
    uint32_t locals;                  /* of its frame, at most */
    const struct vlad_letrec *letrec; /* NULL: it captures */
    uint32_t index;                   /* in its letrec */
    const vlad_reference *captured;   /* where they are when it is made; none in a letrec */
    uint32_t captured_count;
} vlad_lambda;

typedef struct vlad_letrec {
    const vlad_lambda *const *lambdas;
    uint32_t count;
    const vlad_reference *group; /* where the group's variables are when it is made */
    uint32_t group_count;
    uint32_t number; /* of all of the program's, from 0 */
} vlad_letrec;

typedef struct vlad_expression {
    vlad_kind kind;
    vlad_place place;
    uint32_t number; /* of all of the program's, from 0, in the order of evaluation where that is fixed */
    union {
        vlad_value constant; /* a number, a boolean, (), or a quoted structure in the arena: see value.h */
        vlad_reference variable;
        const vlad_lambda *lambda;
        const vlad_letrec *letrec; /* and its variables: locals from first_local on, one a lambda */
        vlad_operator operation;
        const vlad_pattern *pattern; /* LET */
    } is;
    uint32_t first_local; /* LETREC */
    const char *name;     /* VARIABLE: what it is called in the text */
    const struct vlad_expression *parts[3];
    /* The locals that are needed after part i is evaluated and before the next: what a continuation keeps. In ascending
     * order. */
    const uint32_t *kept[2];
    uint32_t kept_count[2];
    /* The locals that evaluating it may look at: what a capsule in front of it keeps. In ascending order. */
    const uint32_t *needed;
    uint32_t needed_count;
} vlad_expression;

/* What is evaluated one after the other. Each has no free variables: definitions that it needs are a letrec around it.
 */
typedef struct vlad_program {
    const vlad_expression *const *expressions;
    const uint32_t *locals; /* of the frame of each, at most */
    uint32_t count;
    uint32_t locals_most;               /* of any frame */
    uint32_t lambdas, letrecs, numbers; /* how many there are */
} vlad_program;

/* A program's text, and all that it includes. The result lives in the arena. */
verso_status vlad_read_program(vlad_sources *sources, uint32_t file, vlad_program *program, verso_error *error);

/* For a REPL: the same of one more piece of text, whose expressions see all definitions so far. A piece that is not
 * complete (an open parenthesis) is VERSO_STATE, and nothing has changed; after an error nothing has either. */
typedef struct vlad_session vlad_session;
vlad_session *vlad_session_new(vlad_sources *sources);
void vlad_session_free(vlad_session *session);
verso_status vlad_session_read(vlad_session *session, uint32_t file, vlad_program *program, verso_error *error);
/* From now on a definition takes the place of one that an earlier piece has made. */
void vlad_session_redefine(vlad_session *session);
/* How many definitions were made so far, and their names. */
size_t vlad_session_definitions(const vlad_session *session);
const char *vlad_session_definition(const vlad_session *session, size_t index);

#endif
