/* Trees: a program when its forms are known and its local variables are found, but not yet where they lie. Names that
 * no local variable has are left open: whether `sqrt` is the primitive or a definition is for each expression of the
 * program to say, by what was defined before it. So a definition is one tree, of which each expression that needs it
 * makes core expressions of its own (resolve.h). */
#ifndef VLAD_TREE_H
#define VLAD_TREE_H

#include "vlad/read.h"

struct vlad_frame;
struct vlad_unit;
struct vlad_capture;

/* A local variable, or one that a letrec binds. */
typedef struct vlad_binder {
    const char *name;
    vlad_place place;
    uint64_t pattern; /* tells patterns apart: a variable is there once in each */
    /* For resolve.c. */
    struct vlad_frame *frame;      /* whose local it is */
    uint32_t local;                /* its number there */
    const struct vlad_unit *unit;  /* of a letrec: that, where it is the sibling of this number: */
    uint32_t index;                /* */
    struct vlad_capture *captures; /* the innermost of those that are being made */
} vlad_binder;

/* A pattern. */
typedef struct vlad_shape {
    vlad_pattern_kind kind;
    vlad_place place;
    union {
        vlad_binder *binder;
        vlad_value constant;
        struct {
            const struct vlad_shape *first, *second;
        } pair;
    } is;
} vlad_shape;

typedef enum vlad_tree_kind {
    VLAD_TREE_CONSTANT,
    VLAD_TREE_LOCAL,
    VLAD_TREE_GLOBAL, /* a definition or a primitive */
    VLAD_TREE_LAMBDA,
    VLAD_TREE_CALL, /* parts: function, argument: `count` of them, packed by VLAD_TREE_CONS */
    VLAD_TREE_LET,  /* parts: argument, body */
    VLAD_TREE_IF,
    VLAD_TREE_CONS,
    VLAD_TREE_LETREC /* parts: body */
} vlad_tree_kind;

typedef struct vlad_tree_lambda {
    vlad_place place;
    const char *name; /* NULL: none */
    const vlad_shape *parameter;
    struct vlad_tree *body;
} vlad_tree_lambda;

typedef struct vlad_tree_letrec {
    vlad_binder **names;
    vlad_tree_lambda *lambdas;
    uint32_t count;
} vlad_tree_letrec;

typedef struct vlad_tree {
    vlad_tree_kind kind;
    vlad_place place;
    size_t count; /* CALL: of arguments */
    union {
        vlad_value constant;
        vlad_binder *local;
        const vlad_symbol *global;
        vlad_tree_lambda *lambda;
        vlad_tree_letrec *letrec;
        const vlad_shape *shape; /* LET */
    } is;
    struct vlad_tree *parts[3];
} vlad_tree;

/* A name that is left open, where it is first. */
typedef struct vlad_mention {
    vlad_symbol *symbol;
    vlad_place place;
} vlad_mention;

/* A form of the top level: an expression, or the lambda of a definition. */
typedef struct vlad_piece {
    const vlad_datum *datum;
    vlad_tree *tree; /* a definition's is a VLAD_TREE_LAMBDA */
    const vlad_mention *mentions;
    size_t mention_count;
} vlad_piece;

typedef struct vlad_definition {
    vlad_symbol *symbol;
    vlad_place place; /* of its name */
    vlad_piece piece;
    size_t number;                  /* in the order of definition */
    uint64_t wanted_by;             /* the last expression that needs it */
    vlad_binder *binder;            /* what it is in that expression's letrec */
    struct vlad_definition *before; /* whose place it has taken; NULL: nobody's */
} vlad_definition;

#endif
