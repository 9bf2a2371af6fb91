/* The trees that the passes work on.
 *
 * One kind of statement serves two languages: the reversible one that the user writes (down to REV_S_LAST_REVERSIBLE),
 * and the small irreversible one that it is lowered to, which the tangent pass differentiates once more and which is
 * printed as C. Trees are never changed by a pass that comes after the analyses: passes make new ones. */
#ifndef REV_TREE_H
#define REV_TREE_H

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
    REV_FUNCTION, /* what a pointer to a function points to */
    REV_OTHER,    /* not known here: from a header, a macro */
} rev_kind;

typedef struct rev_field {
    const char *name;
    const rev_type *type;
} rev_field;

typedef struct rev_record {
    const char *name; /* as it is written in a declaration: "struct point" */
    rev_field *fields;
    size_t count;
    bool is_union;
} rev_record;

struct rev_type {
    rev_kind kind;
    const char *name; /* of what is no pointer, array or function: as written, without qualifiers */
    bool constant, restricted, is_volatile, is_unsigned;
    const rev_type *of;        /* pointer, array: what to or of; function: what it returns */
    const rev_expr *length;    /* array; NULL: none was given */
    const rev_record *record;  /* NULL: not known */
    rev_variable **parameters; /* function */
    size_t parameter_count;
    bool reversible; /* function: a rev one */
};

/* ---- Variables ---- */

typedef enum rev_role {
    REV_PARAMETER,
    REV_ANCILLA,
    REV_CONSTANT, /* `const` inside a rev function */
    REV_COUNTER,  /* of a `for` */
    REV_GLOBAL,
    REV_TEMPORARY, /* made by the tool */
} rev_role;

struct rev_variable {
    const char *name;
    const rev_type *type;
    rev_place place;
    rev_role role;
    bool passive;            /* the user's word */
    bool active;             /* it has a derivative */
    bool written;            /* a parameter: the function changes what it points to */
    bool indirect;           /* its name is that of a pointer to it */
    bool single;             /* a parameter: of what it points to, only the first is looked at */
    bool shared;             /* a bar that several threads of a kernel add to */
    bool of_block;           /* a shared bar that all threads of a block add to, once and together */
    rev_variable *bar, *dot; /* NULL: not made yet, or there is none */
    const rev_variable *of;  /* whose bar or dot it is */
};

/* ---- Expressions ---- */

typedef enum rev_expr_kind {
    REV_E_NUMBER,
    REV_E_NAME,
    REV_E_TEXT,   /* as written: strings, sizeof */
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
    const char *name; /* operator, number, name of a variable, member or function */
    const rev_type *type;
    rev_place place;
    rev_variable *variable; /* of a name; NULL: a macro, or from a header */
    rev_expr **parts;
    size_t count;
};

/* ---- Statements ---- */

typedef enum rev_statement_kind {
    REV_S_UPDATE,  /* target op value, op one of += -= ^= *= /= */
    REV_S_SWAP,    /* target, value */
    REV_S_ROT,     /* target, value, extra: the angle; flag: backwards */
    REV_S_NEG,     /* target */
    REV_S_CALL,    /* function or pointer (target), arguments, variant */
    REV_S_UNDO,    /* body */
    REV_S_IF,      /* value, extra: afterwards or NULL; body, other or NULL; flag: afterwards is known to be the same */
    REV_S_FROM,    /* target: on entry; value: while; body */
    REV_S_FOR,     /* variable from target, while op value, by extra (NULL: 1); flag: downwards; reversed; body */
    REV_S_ANC,     /* variable, value or NULL: zeros */
    REV_S_DROP,    /* variable, value or NULL: zeros; flag: known to hold */
    REV_S_COMPUTE, /* body, use: other; flag: what it fills is not needed afterwards */
    REV_S_PUSH,    /* target: the stack; value */
    REV_S_POP,
    REV_S_NOCHECK,   /* body */
    REV_S_IRREV,     /* text */
    REV_S_BLOCK,     /* body */
    REV_S_DIRECTIVE, /* text */
    REV_S_CHOSEN,    /* #if: branches, text of the end */
    REV_S_LAST_REVERSIBLE = REV_S_CHOSEN,
    REV_S_DECLARE,  /* variable, value or NULL: zeros; flag: const */
    REV_S_ASSIGN,   /* target op value */
    REV_S_WHILE,    /* value, body */
    REV_S_CHECK,    /* text: the macro; target: found; value: expected or NULL; op: what is told */
    REV_S_CHECKING, /* body: only when checks are made */
} rev_statement_kind;

typedef struct rev_block {
    rev_statement **items;
    size_t count;
    rev_place end;
} rev_block;

typedef struct rev_branch {
    const char *line;
    rev_block *body;
} rev_branch;

typedef struct rev_argument {
    rev_expr *value;
    rev_expr *bar, *dot, *bar_dot; /* NULL: none */
    const rev_variable *parameter;
} rev_argument;

/* Which of a function's derived ones. */
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
    bool unordered; /* a `for` whose turns can be taken in any order */
    rev_function *function;
    rev_argument *arguments;
    size_t argument_count;
    const char *launch; /* what stands between <<< and >>>; NULL: an ordinary call */
    unsigned variant;
    rev_branch *branches;
    size_t branch_count;
};

/* rev_instantiate(f, type) */
typedef struct rev_instance {
    const char *function;
    const char *type;
    rev_place place;
} rev_instance;

struct rev_function {
    const char *name;
    rev_place place;
    const char *prefix; /* "static inline", "__global__"; "" */
    rev_variable **parameters;
    size_t parameter_count;
    rev_block *body;     /* NULL: declared only */
    rev_block *inverted; /* the inverse's, when passes have come so far */
    size_t first_token, body_token, last_token;
    const char *inverse; /* of one written by hand; NULL: NAME_inv */
    bool by_hand;
    bool on_device; /* __global__ or __device__ */
    bool is_kernel;
    bool announced;               /* the derived functions have been declared in the output */
    bool failed;                  /* it had errors */
    const rev_instance *instance; /* that it is; NULL: as it was written */
};

/* ---- Making them ---- */

const rev_type *rev_type_basic(rev_unit *unit, rev_kind kind);
const rev_type *rev_type_pointer(rev_unit *unit, const rev_type *to);
const rev_type *rev_type_array(rev_unit *unit, const rev_type *of, const rev_expr *length);
const rev_type *rev_type_plain(rev_unit *unit, const rev_type *type); /* without const at the top */
bool rev_is_real(const rev_type *type);                               /* float, double, long double */
bool rev_is_complex(const rev_type *type);
bool rev_is_floating(const rev_type *type);       /* real or complex */
bool rev_is_exact(const rev_type *type);          /* fixed, ulog */
bool rev_is_differentiable(const rev_type *type); /* has, or points to, has within, something with a derivative */
bool rev_is_scalar(const rev_type *type);         /* a number of any kind */
/* Of the bar or tangent of a value: double for fixed and ulog, nothing const. */
const rev_type *rev_type_of_shadow(rev_unit *unit, const rev_type *type);

rev_expr *rev_e_number(rev_unit *unit, const char *text);
rev_expr *rev_e_name(rev_unit *unit, rev_variable *variable);
rev_expr *rev_e_unary(rev_unit *unit, const char *op, rev_expr *a);
rev_expr *rev_e_binary(rev_unit *unit, const char *op, rev_expr *a, rev_expr *b);
rev_expr *rev_e_choice(rev_unit *unit, rev_expr *condition, rev_expr *a, rev_expr *b);
rev_expr *rev_e_call(rev_unit *unit, const char *name, const rev_type *type, rev_expr **arguments, size_t count);
rev_expr *rev_e_call1(rev_unit *unit, const char *name, const rev_type *type, rev_expr *a);
rev_expr *rev_e_cast(rev_unit *unit, const rev_type *type, rev_expr *a);
/* The same expression but for its parts. */
rev_expr *rev_e_like(rev_unit *unit, const rev_expr *e, rev_expr **parts);
bool rev_e_is_number(const rev_expr *e, const char *text);
bool rev_e_same(const rev_expr *a, const rev_expr *b);
bool rev_e_is_place(const rev_expr *e);      /* a variable, or what is found by [], *, . and -> from one */
rev_variable *rev_e_root(const rev_expr *e); /* of a place or an address; NULL: none */
bool rev_is_union_member(const rev_expr *e); /* of `.` and `->` */
bool rev_e_is_simple(const rev_expr *e);     /* a name or a number */

rev_statement *rev_s_new(rev_unit *unit, rev_statement_kind kind, rev_place place);
rev_statement *rev_s_copy(rev_unit *unit, const rev_statement *statement);
/* The blocks inside a statement, from *at = 0 on; NULL behind the last. */
rev_block *rev_s_inner(const rev_statement *s, size_t *at);
rev_block *rev_block_new(rev_unit *unit, rev_place end);
void rev_block_add(rev_unit *unit, rev_block *block, rev_statement *statement);

rev_variable *rev_variable_new(rev_unit *unit, const char *name, const rev_type *type, rev_role role, rev_place place);
/* Made when first asked for. NULL when it has none. */
rev_variable *rev_bar(rev_unit *unit, rev_variable *variable);
rev_variable *rev_dot(rev_unit *unit, rev_variable *variable);

/* "norm_inv_adj" */
const char *rev_variant_name(rev_unit *unit, const rev_function *function, unsigned variant);

#endif
