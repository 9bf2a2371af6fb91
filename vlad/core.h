/* The core language: a program after the expansion of patterns, `let`, `cond` and the like. All three
 * implementations evaluate it, and all count steps in it: evaluating one expression is one step, of whatever kind,
 * plus the steps of its parts.
 *
 * Variables are resolved: an expression contains the location of a variable, not its name. An evaluation has an
 * environment of three parts:
 *
 * - locals: the variables that patterns and letrecs have bound since the innermost lambda was entered, in order. A
 *   `let` is the application of a lambda at the place where it is written, and binds further locals of the same frame;
 * - captured: the free variables of the innermost lambda that is a closure, in order, copied when the closure was made;
 * - group: for a lambda of a letrec, the free variables of the whole letrec, in order, which all its lambdas share.
 *   The siblings are not in the group: their closures are made from the group where they are used, so that no value is
 *   cyclic.
 *
 * All pointers in the core lead into the arena of the sources. */
#ifndef VLAD_CORE_H
#define VLAD_CORE_H

#include "vlad/operators.h"
#include "vlad/source.h"
#include "vlad/value.h"

#include <stdbool.h>

typedef enum vlad_kind {
    VLAD_CONSTANT,
    VLAD_VARIABLE,
    VLAD_LAMBDA,      /* makes a closure */
    VLAD_APPLICATION, /* parts: function, argument */
    /* application of a lambda where it is written; parts: argument, body. It takes two steps before the argument:
     * its own, and that of the lambda, of which no closure is made */
    VLAD_LET,
    VLAD_IF, /* parts: test, then, else */
    VLAD_UNARY,
    VLAD_BINARY,
    VLAD_TERNARY,
    VLAD_LETREC, /* parts: body */
} vlad_kind;

/* How a value is taken apart when it is bound to a parameter. */
typedef enum vlad_pattern_kind { VLAD_BIND, VLAD_MATCH, VLAD_TAKE } vlad_pattern_kind;
typedef struct vlad_pattern {
    vlad_pattern_kind kind;
    vlad_place place;
    uint32_t local;                            /* BIND: number of the local */
    vlad_value constant;                       /* MATCH: the value must equal it (pairs are compared recursively) */
    const struct vlad_pattern *first, *second; /* TAKE: patterns for the two parts of a pair */
} vlad_pattern;

typedef enum vlad_where { VLAD_LOCAL, VLAD_CAPTURED, VLAD_GROUP, VLAD_SIBLING } vlad_where;
typedef struct vlad_reference {
    vlad_where where;
    uint32_t index; /* for SIBLING: index of the lambda in its letrec */
} vlad_reference;

struct vlad_letrec;

/* A lambda that becomes a closure. The lambda of a VLAD_LET is not one of them. */
typedef struct vlad_lambda {
    const vlad_pattern *parameter;
    const struct vlad_expression *body;
    const char *name; /* name of its definition, for messages; NULL: none */
    vlad_place place;
    uint32_t number;                  /* among all lambdas of the program, from 0 */
    uint32_t locals;                  /* maximum number of locals in its frame */
    const struct vlad_letrec *letrec; /* NULL: it captures its free variables itself */
    uint32_t index;                   /* index in its letrec */
    /* locations of the captured variables when the closure is made; none for a lambda of a letrec */
    const vlad_reference *captured;
    uint32_t captured_count;
} vlad_lambda;

typedef struct vlad_letrec {
    const vlad_lambda *const *lambdas;
    uint32_t count;
    const vlad_reference *group; /* locations of the group's variables when the group is made */
    uint32_t group_count;
    uint32_t number; /* among all letrecs of the program, from 0 */
} vlad_letrec;

typedef struct vlad_expression {
    vlad_kind kind;
    vlad_place place;
    /* among all expressions of the program, from 0, in the order of evaluation where that is fixed */
    uint32_t number;
    union {
        vlad_value constant; /* a number, a boolean, (), or a quoted structure in the arena (value.h) */
        vlad_reference variable;
        const vlad_lambda *lambda;
        const vlad_letrec *letrec; /* its lambdas are bound to the locals from first_local on */
        vlad_operator operation;
        const vlad_pattern *pattern; /* for LET */
    } is;
    uint32_t first_local; /* for LETREC */
    const char *name;     /* for VARIABLE: its name in the text */
    const struct vlad_expression *parts[3];
    /* Locals that are needed after part i is evaluated and before the next part: the locals that a continuation
     * keeps. In ascending order. */
    const uint32_t *kept[2];
    uint32_t kept_count[2];
    /* Locals that evaluating this expression may read: the locals that a capsule before it keeps. In ascending
     * order. */
    const uint32_t *needed;
    uint32_t needed_count;
} vlad_expression;

/* The top-level expressions, which are evaluated one after the other. They have no free variables: the definitions
 * that an expression needs form a letrec around it. */
typedef struct vlad_program {
    const vlad_expression *const *expressions;
    const uint32_t *locals; /* for each expression: maximum number of locals in its frame */
    uint32_t count;
    uint32_t locals_most;               /* maximum over all frames */
    uint32_t lambdas, letrecs, numbers; /* total numbers of lambdas, letrecs and expressions */
} vlad_program;

/* Definitions that a program can use, and may replace; a text in VLAD (prelude.c). */
extern const char vlad_prelude_text[];

/* Reads a program from a text and the files that it includes, with the prelude if the sources have one. The result
 * lives in the arena of the sources. */
verso_status vlad_read_program(vlad_sources *sources, uint32_t file, vlad_program *program, verso_error *error);

/* For a REPL: a session reads one more piece of text at a time; its expressions see all definitions so far.
 * vlad_session_read returns VERSO_STATUS_STATE if the piece is incomplete (an open parenthesis). After any failure
 * the session is unchanged. */
typedef struct vlad_session vlad_session;
vlad_session *vlad_session_new(vlad_sources *sources);
void vlad_session_free(vlad_session *session);
verso_status vlad_session_read(vlad_session *session, uint32_t file, vlad_program *program, verso_error *error);
/* Reads the prelude, if the sources have one; call it first. */
verso_status vlad_session_prelude(vlad_session *session, verso_error *error);
/* Allows later pieces to replace definitions of earlier ones. */
void vlad_session_redefine(vlad_session *session);
/* Return the number of definitions so far, and the name of one of them. */
size_t vlad_session_definitions(const vlad_session *session);
const char *vlad_session_definition(const vlad_session *session, size_t index);

#endif
