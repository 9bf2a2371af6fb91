/* Types, variables and expressions: a part of tree.h. */
#ifndef REV_TREE_TYPES_H
#define REV_TREE_TYPES_H

#include "rev/unit.h"

typedef struct rev_type rev_type;
typedef struct rev_expr rev_expr;
typedef struct rev_variable rev_variable;
typedef struct rev_statement rev_statement;
typedef struct rev_function rev_function;

/* ---- Types ---- */

typedef enum rev_kind {
    REV_VOID,
    REV_INTEGER,
    REV_FLOAT,
    REV_DOUBLE,
    REV_LONG_DOUBLE,
    REV_COMPLEX_FLOAT,
    REV_COMPLEX,
    REV_FIXED,
    REV_ULOG,
    REV_RECORD,
    REV_STACK,
    REV_POINTER,
    REV_ARRAY,
    REV_FUNCTION, /* the target of a pointer to a function */
    REV_OTHER,    /* unknown: from a header or a macro */
} rev_kind;

typedef struct rev_field {
    const char *name;
    const rev_type *type;
} rev_field;

typedef struct rev_record {
    const char *name; /* as written in a declaration: "struct point" */
    rev_field *fields;
    size_t count;
    bool is_union;
} rev_record;

struct rev_type {
    rev_kind kind;
    const char *name; /* as written, without qualifiers; NULL for pointers, arrays and functions */
    bool constant, restricted, is_volatile, is_unsigned;
    const rev_type *of;        /* type that a pointer points to, an array consists of, or a function returns */
    const rev_expr *length;    /* array: NULL if the declaration gives none */
    const rev_record *record;  /* NULL: unknown */
    rev_variable **parameters; /* function: its parameters */
    size_t parameter_count;
    bool reversible; /* function: declared with `rev` */
};

/* ---- Variables ---- */

typedef enum rev_role {
    REV_PARAMETER,
    REV_ANCILLA,
    REV_CONSTANT, /* `const` inside a rev function */
    REV_COUNTER,  /* the counter of a `for` */
    REV_GLOBAL,
    REV_TEMPORARY, /* made by the tool */
} rev_role;

struct rev_variable {
    const char *name;
    const rev_type *type;
    rev_place place;
    rev_role role;
    bool passive;            /* declared `passive` by the user */
    bool active;             /* has a derivative */
    bool written;            /* parameter: the function changes what it points to */
    bool indirect;           /* in generated code the name is that of a pointer to it */
    bool single;             /* parameter: the function uses only the first element that it points to */
    bool shared;             /* bar: several threads of a kernel add to it */
    bool of_block;           /* shared bar: all threads of a block add to it together, once */
    rev_variable *bar, *dot; /* NULL: not made yet, or it has none */
    const rev_variable *of;  /* the variable whose bar or dot this is */
};

/* ---- Expressions ---- */

typedef enum rev_expr_kind {
    REV_E_NUMBER,
    REV_E_NAME,
    REV_E_TEXT,   /* text as written: strings, sizeof */
    REV_E_UNARY,  /* op, parts[0] */
    REV_E_BINARY, /* op, parts[0], parts[1] */
    REV_E_CHOICE, /* parts[0] ? parts[1] : parts[2] */
    REV_E_CALL,   /* name, parts */
    REV_E_INDEX,  /* parts[0][parts[1]] */
    REV_E_MEMBER, /* parts[0].name */
    REV_E_ARROW,  /* parts[0]->name */
    REV_E_CAST,   /* (type)parts[0] */
} rev_expr_kind;

struct rev_expr {
    rev_expr_kind kind;
    const char *name; /* operator, number, or name of a variable, member or function */
    const rev_type *type;
    rev_place place;
    rev_variable *variable; /* of a name; NULL: a macro, or a variable of a header */
    rev_expr **parts;
    size_t count;
};

#endif
