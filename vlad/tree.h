/* Trees: a program after the expansion. Forms are known and local variables are bound, but variables have no
 * locations yet. Names that are not local variables stay open: whether `sqrt` is the primitive or a definition
 * depends on what was defined before each expression of the program. So a definition is kept as one tree, from
 * which each expression that needs it makes its own core expressions (resolve.h). */
#ifndef VLAD_TREE_H
#define VLAD_TREE_H

#include "vlad/read.h"

struct vlad_frame;
struct vlad_unit;
struct vlad_capture;

/* A local variable, or a variable of a letrec. */
typedef struct vlad_binder {
    const char *name;
    vlad_place place;
    uint64_t pattern; /* number of its pattern; a name may occur only once in each pattern */
    /* Used by resolve.c: */
    struct vlad_frame *frame;      /* the frame that it is a local of */
    uint32_t local;                /* its number in that frame */
    const struct vlad_unit *unit;  /* for a variable of a letrec: the unit in which it is a sibling */
    uint32_t index;                /* for a variable of a letrec: its number as a sibling */
    struct vlad_capture *captures; /* the innermost capture that is being made */
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
    VLAD_TREE_CALL, /* parts: function, argument; `count` arguments packed by VLAD_TREE_CONS */
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
    size_t count; /* CALL: number of arguments */
    union {
        vlad_value constant;
        vlad_binder *local;
        const vlad_symbol *global;
        vlad_tree_lambda *lambda;
        vlad_tree_letrec *letrec;
        const vlad_shape *shape; /* for LET */
    } is;
    struct vlad_tree *parts[3];
} vlad_tree;

/* A name that stays open, with the place where it first occurs. */
typedef struct vlad_mention {
    vlad_symbol *symbol;
    vlad_place place;
} vlad_mention;

/* A top-level form: an expression, or the lambda of a definition. */
typedef struct vlad_piece {
    const vlad_datum *datum;
    vlad_tree *tree; /* for a definition: a VLAD_TREE_LAMBDA */
    const vlad_mention *mentions;
    size_t mention_count;
} vlad_piece;

typedef struct vlad_definition {
    vlad_symbol *symbol;
    vlad_place place; /* of its name */
    vlad_piece piece;
    size_t number;                  /* in the order of definition */
    uint64_t wanted_by;             /* number of the last expression that needs it */
    vlad_binder *binder;            /* its binder in that expression's letrec */
    struct vlad_definition *before; /* the earlier definition that it replaces; NULL: none */
} vlad_definition;

#endif
