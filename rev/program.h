/* What a file says, as far as `verso rev` reads it: types, reversible functions, declarations for the tool. */
#ifndef REV_PROGRAM_H
#define REV_PROGRAM_H

#include "rev/token.h"
#include "rev/tree.h"

/* A name of C: of a type, a structure's tag, a function that is not reversible. */
typedef struct rev_named {
    const char *name;
    const rev_type *type;
    rev_record *record; /* of a tag */
} rev_named;

typedef struct rev_names {
    rev_named *items;
    size_t count;
} rev_names;

/* derivative(f(x, y), by x, by y): in the formals; `r` is the value itself. */
typedef struct rev_rule {
    const char *name;
    rev_variable **formals;
    rev_expr **partials;
    size_t count;
    rev_variable *result;
} rev_rule;

/* rev_length(f, x, 3 * n): how many elements x leads to. */
typedef struct rev_length {
    const char *function, *parameter;
    const rev_expr *length;
    rev_place place;
} rev_length;

/* #define, as far as it could be read. */
typedef struct rev_macro {
    const char *name;
    const char *body;
    const char **formals;
    size_t formal_count;
    bool has_formals;
    bool strange; /* with ..., or defined in several ways */
} rev_macro;

/* A stretch of the text that the output has something else for. */
typedef struct rev_cut {
    uint32_t from, to;
    rev_function *function;       /* defined there; NULL: nothing takes its place but what follows */
    rev_function *declared;       /* only declared */
    const rev_instance *instance; /* all instances of a declaration */
    size_t instance_count;
} rev_cut;

typedef struct rev_program {
    rev_unit *unit;
    const rev_source *source;
    rev_tokens tokens;
    const char *const *folders; /* where headers are looked for; NULL ends the list */
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
    bool declared_elsewhere; /* headers have rev functions */
} rev_program;

rev_named *rev_find_named(const rev_names *names, const char *name); /* NULL: none */
rev_function *rev_find_function(const rev_program *program, const char *name);
rev_macro *rev_find_macro(const rev_program *program, const char *name);
void rev_add_named(rev_unit *unit, rev_names *names, rev_named named);
void rev_add_function(rev_program *program, rev_function *function);

#endif
