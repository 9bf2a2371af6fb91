/* The parts of a file that `verso rev` understands: types, reversible functions, and declarations for the tool. */
#ifndef REV_PROGRAM_H
#define REV_PROGRAM_H

#include "rev/token.h"
#include "rev/tree.h"

/* A C name: of a type, of a structure's tag, or of a function that is not reversible. */
typedef struct rev_named {
    const char *name;
    const rev_type *type;
    rev_record *record; /* only for a tag */
} rev_named;

typedef struct rev_names {
    rev_named *items;
    size_t count;
} rev_names;

/* A declaration derivative(f(x, y), df/dx, df/dy). The partial derivatives use the names of the formal parameters,
 * and `r` for the value of f. */
typedef struct rev_rule {
    const char *name;
    rev_variable **formals;
    rev_expr **partials;
    size_t count;
    rev_variable *result;
} rev_rule;

/* A declaration rev_length(f, x, 3 * n): the number of elements that x points to. */
typedef struct rev_length {
    const char *function, *parameter;
    const rev_expr *length;
    rev_place place;
} rev_length;

/* A #define that the parser could read. */
typedef struct rev_macro {
    const char *name;
    const char *body;
    const char **formals;
    size_t formal_count;
    bool has_formals;
    bool strange; /* variadic, or defined more than once in different ways */
} rev_macro;

/* A range of the source text (byte offsets) that the output replaces. */
typedef struct rev_cut {
    uint32_t from, to;
    rev_function *function; /* the function defined there; NULL: the range is removed, apart from the fields below */
    rev_function *declared; /* a function that is only declared there */
    const rev_instance *instance; /* the instances that a rev_instantiate declaration asks for */
    size_t instance_count;
} rev_cut;

typedef struct rev_program {
    rev_unit *unit;
    const rev_source *source;
    rev_tokens tokens;
    const char *const *folders; /* directories to search for headers; ends with NULL */
    rev_names types, tags, hosts;
    rev_function **functions;
    size_t function_count;
    rev_variable **globals;
    size_t global_count;
    rev_macro *macros;
    size_t macro_count;
    rev_rule **rules;
    size_t rule_count;
    rev_length *lengths;
    size_t length_count;
    rev_cut *cuts;
    size_t cut_count;
    unsigned include_depth;
    bool declared_elsewhere; /* some header declares rev functions */
} rev_program;

/* These return NULL if there is no such name. */
rev_named *rev_find_named(const rev_names *names, const char *name);
rev_function *rev_find_function(const rev_program *program, const char *name);
rev_macro *rev_find_macro(const rev_program *program, const char *name);
void rev_add_named(rev_unit *unit, rev_names *names, rev_named named);
void rev_add_function(rev_program *program, rev_function *function);

#endif
