/* Statements and functions: a part of tree.h. */
#ifndef REV_TREE_STATEMENTS_H
#define REV_TREE_STATEMENTS_H

#include "rev/tree_types.h"

typedef enum rev_statement_kind {
    REV_S_UPDATE, /* target op value, op one of += -= ^= *= /= */
    REV_S_SWAP,   /* target, value */
    REV_S_ROT,    /* target, value; extra: the angle; flag: by the negative angle */
    REV_S_NEG,    /* target */
    REV_S_CALL,   /* arguments, variant; function, or target: a pointer to it */
    REV_S_UNDO,   /* body */
    /* value: the condition; extra: the condition afterwards, or NULL; body; other: the else part, or NULL; flag:
     * extra is known to equal value */
    REV_S_IF,
    REV_S_FROM, /* target: the condition on entry; value: the condition to continue; body */
    /* variable; target: its start; op, value: the condition to continue; extra: the step (NULL: 1); flag:
     * downwards; reversed; body */
    REV_S_FOR,
    REV_S_ANC,     /* variable; value: its initial value (NULL: zeros) */
    REV_S_DROP,    /* variable; value: its final value (NULL: zeros); flag: known to hold, no check needed */
    REV_S_COMPUTE, /* body; other: the `use` block; flag: what the body fills is not needed afterwards */
    REV_S_PUSH,    /* target: the stack; value */
    REV_S_POP,
    REV_S_NOCHECK,   /* body */
    REV_S_IRREV,     /* text */
    REV_S_BLOCK,     /* body */
    REV_S_DIRECTIVE, /* text */
    REV_S_CHOSEN,    /* #if ... #endif: branches; text: the last line */
    REV_S_LAST_REVERSIBLE = REV_S_CHOSEN,
    REV_S_DECLARE, /* variable; value (NULL: zeros); flag: const */
    REV_S_ASSIGN,  /* target op value */
    REV_S_WHILE,   /* value, body */
    /* text: the macro; target: value found; value: value expected, or NULL; op: the condition, for the message */
    REV_S_CHECK,
    REV_S_CHECKING, /* body: runs only if checks are compiled in */
} rev_statement_kind;

typedef struct rev_block {
    rev_statement **items;
    size_t count;
    rev_place end; /* of the closing brace */
} rev_block;

typedef struct rev_branch {
    const char *line; /* the #if, #elif or #else */
    rev_block *body;
} rev_branch;

typedef struct rev_argument {
    rev_expr *value;
    rev_expr *bar, *dot, *bar_dot; /* NULL: none */
    const rev_variable *parameter;
} rev_argument;

/* Bits that name the functions derived from one: REV_INVERSE | REV_ADJOINT is f_inv_adj. */
enum { REV_FORWARD = 0, REV_INVERSE = 1, REV_ADJOINT = 2, REV_TANGENT = 4, REV_VARIANTS = 8 };

struct rev_statement {
    rev_statement_kind kind;
    rev_place place;
    rev_variable *variable;
    rev_expr *target, *value, *extra;
    const char *op;
    const char *text;
    rev_block *body, *other;
    bool flag, reversed;
    bool unordered; /* a `for` whose iterations may run in any order */
    rev_function *function;
    rev_argument *arguments;
    size_t argument_count;
    const char *launch; /* text between <<< and >>>; NULL: an ordinary call */
    unsigned variant;
    rev_branch *branches;
    size_t branch_count;
};

/* A declaration rev_instantiate(f, type). */
typedef struct rev_instance {
    const char *function;
    const char *type;
    rev_place place;
} rev_instance;

struct rev_function {
    const char *name;
    rev_place place;
    const char *prefix; /* specifiers such as "static inline" or "__global__"; "" if there are none */
    rev_variable **parameters;
    size_t parameter_count;
    rev_block *body;                            /* NULL: declared only */
    rev_block *inverted;                        /* body of the inverse; NULL until the inverse pass */
    size_t first_token, body_token, last_token; /* indices of its first token, of the { and of the } */
    const char *inverse;                        /* name of the inverse if it is written by hand; NULL: NAME_inv */
    bool by_hand;                               /* the user writes the inverse (`dual`, `selfdual`) */
    bool on_device;                             /* __global__ or __device__ */
    bool is_kernel;
    bool apart;     /* some call passes two parts of one array: check at the start that they do not overlap */
    bool announced; /* the derived functions are declared in the output */
    bool failed;    /* it had errors */
    const rev_instance *instance; /* the instance that this function is; NULL: the function as written */
};

#endif
