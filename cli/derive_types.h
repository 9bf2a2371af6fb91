/* The data of `verso grad` and `verso check` (derive.h): types of C, values, and the task that has all of it. */
#ifndef CLI_DERIVE_TYPES_H
#define CLI_DERIVE_TYPES_H

#include "cli/command.h"
#include "cli/json_read.h"
#include "cli/options.h"
#include "cli/region.h"
#include "cli/scratch.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Types ---- */

typedef enum derive_class {
    DERIVE_VOID,
    DERIVE_FLOATING,
    DERIVE_INTEGER,
    DERIVE_ENUM,
    DERIVE_POINTER, /* a pointer, a reference, or an array */
    DERIVE_OTHER,   /* a struct, a class, ... */
} derive_class;

/* A floating-point or integer type. */
typedef struct derive_scalar {
    const char *name;     /* as clang prints it */
    const char *spelling; /* as a C type: clang's "bool" is "_Bool" */
    derive_class class;   /* DERIVE_FLOATING or DERIVE_INTEGER */
    size_t size;          /* in bytes */
    bool is_signed;
} derive_scalar;

enum { DERIVE_DIMENSIONS_MAX = 8 };

/* One dimension of an array: a constant size, an expression of other parameters, or unspecified. */
typedef struct derive_dimension {
    bool known;                /* the size is a constant */
    int64_t size;              /* that constant */
    cli_json_value expression; /* clang's description of the expression; no value: none */
    cli_json_value lower;      /* Fortran: the same of the lower bound; no value: 1 */
} derive_dimension;

typedef struct derive_type {
    derive_class class;
    const derive_scalar *scalar; /* its number type, or that of its elements; NULL: none */
    bool constant;               /* its elements are const */
    bool reference;              /* a C++ reference */
    /* DERIVE_POINTER: outermost first; that of a plain pointer is one unspecified dimension. */
    derive_dimension dimensions[DERIVE_DIMENSIONS_MAX];
    size_t dimension_count;
    const char *printed; /* the type as the program spells it, for messages */
} derive_type;

/* Returns the type that a node of clang's JSON output describes. Strings are in `region`. */
derive_type derive_type_read(cli_region *region, cli_json_value node);

/* ---- Values ---- */

/* Numbers as text. The i-th begins at at[i] and ends at white space, a comma, '#' or the end of the text. */
typedef struct derive_numbers {
    const char **at;
    size_t count;
    struct derive_source *sources; /* the texts that `at` points into, for messages (derive_values.c) */
} derive_numbers;

typedef struct derive_parameter {
    const char *name; /* "arg1", "arg2", ... if no declaration names it */
    derive_type type;
    derive_numbers at; /* numbers of --at NAME=... */
    const char *set;   /* value of --set NAME=...; NULL: not set */
    bool null;         /* it is passed as a null pointer */
    bool of;           /* it is the array of --of, which receives the results */
    bool wrt;          /* the gradient is with respect to it */
    bool taker;        /* it takes numbers of --at without a name */
    bool bound;        /* it has its value: `bytes` and `count` are set, or `null` is true */
    void *bytes;       /* its value, or its elements, in their type */
    size_t count;      /* number of elements; of a string: bytes, including the NUL */
    /* Fortran */
    const char *spelling;                              /* the type without attributes: "real(8)" */
    const char *shape;                                 /* the dimensions as flang prints them; NULL: no array */
    bool assumed, optional, by_value, logical, result; /* result: intent(out) */
    int64_t extents[DERIVE_DIMENSIONS_MAX];            /* of --at 'NAME(2,3)=...', in Fortran's order */
    size_t extent_count;
} derive_parameter;

typedef enum derive_kind {
    DERIVE_SOURCE, /* compiled */
    DERIVE_HEADER, /* only searched for declarations */
    DERIVE_PART,   /* object, archive or shared library: only linked */
} derive_kind;

typedef struct derive_file {
    const char *path; /* absolute */
    const char *name; /* as the user wrote it */
    derive_kind kind;
    bool cpp;     /* C++, not C */
    bool fortran; /* Fortran */
} derive_file;

typedef struct derive_signature {
    const char *name;               /* as the user wrote it */
    const char *linkage_name;       /* symbol of the linker */
    const derive_file *file;        /* the file that declares it */
    bool included;                  /* the generated call must #include that file (see derive_build.c) */
    const char *module, *procedure; /* Fortran: its name in two parts; module NULL: none */
    const char *bound;              /* Fortran: its name in C; NULL: none */
    derive_type result;
    derive_parameter *parameters;
    size_t parameter_count;
} derive_signature;

/* A growing list of strings; NULL follows the last one. */
typedef struct derive_strings {
    const char **at;
    size_t count;
} derive_strings;

/* The program of a durable run, which is kept in the run's directory (derive_kept.c). */
typedef struct derive_kept {
    int lock;                /* descriptor of the lock file */
    bool locked;             /* `lock` is open and locked */
    bool built;              /* the directory has the program, and nothing that it was made from has changed */
    const derive_file *file; /* if built: the file that declares the function */
    const char *function;    /* if built: name of the function */
    derive_strings rules;    /* paths of the dependency files (clang's -MD) that list included headers */
    derive_strings objects;  /* paths of object files, which are removed after linking */
} derive_kept;

/* A call of `verso grad` or `verso check`. derive_options fills it, derive_close frees it. */
typedef struct derive {
    const cli_command *command; /* grad or check; begins messages */
    cli_region region;          /* owns all strings and arrays below */
    cli_arguments arguments;
    cli_scratch scratch; /* folder of the generated program */
    derive_file *files;  /* the user's files, in the order of the command line */
    size_t file_count;
    derive_signature signature;
    double *weights;       /* one per element of the array of --of; NULL without --of */
    const char *compiler;  /* path of this executable, which is also `verso cc` */
    bool library;          /* builds a shared library (library.c), not a program */
    const char *directory; /* directory of the durable run; NULL: the run is not durable */
    derive_kept kept;
    sigset_t mask;   /* signal mask before the signals that suspend a durable run were blocked */
    int interrupted; /* signal that asked the command to end; 0: none */
} derive;

#endif
