/* What `verso grad` and `verso check` share: a function of a C program, its parameters, and a program that
 * differentiates it.
 *
 * The way from the command line to numbers, each stage a file or two:
 *   derive_options.c    FILES:FUNCTION and the options that both commands have
 *   derive_signature.c  clang tells what the function's parameters are; derive_type.c reads its types, derive_missing.c
 *                       says what is wrong when there is no such function
 *   derive_values.c     numbers and texts as the user wrote them, as bytes of a parameter's type
 *   derive_bind.c       which values belong to which parameter; derive_length.c how long arrays are
 *   derive_schedule.c   how: the budget and the schedule, as the variables that the run time reads
 *   derive_build.c      the program: harness/main.c, a call of the function, and the user's files
 *   derive_run.c        its input, running it, its result
 * Stages return CLI_OK, or another exit status after a message. */
#ifndef CLI_DERIVE_H
#define CLI_DERIVE_H

#include "cli/command.h"
#include "cli/json_read.h"
#include "cli/options.h"
#include "cli/process.h"
#include "cli/region.h"
#include "cli/scratch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Types ---- */

typedef enum derive_class {
    DERIVE_VOID,
    DERIVE_FLOATING,
    DERIVE_INTEGER,
    DERIVE_ENUM,
    DERIVE_POINTER, /* also a reference, and an array, which is one as a parameter */
    DERIVE_OTHER,
} derive_class;

/* A type of numbers. */
typedef struct derive_scalar {
    const char *name;     /* as clang prints it */
    const char *spelling; /* as C has it */
    derive_class class;
    size_t size;
    bool is_signed;
} derive_scalar;

enum { DERIVE_DIMENSIONS_MAX = 8 };

/* How many elements an array has: a number, an expression of other parameters, or whatever the caller brings. */
typedef struct derive_dimension {
    bool known;
    int64_t size;
    cli_json_value expression; /* when there is one */
} derive_dimension;

typedef struct derive_type {
    derive_class class;
    const derive_scalar *scalar; /* the number it is, or that it points to; NULL: neither */
    bool constant;               /* what it points to is const */
    bool reference;
    derive_dimension dimensions[DERIVE_DIMENSIONS_MAX]; /* DERIVE_POINTER; the first is open for a plain pointer */
    size_t dimension_count;
    const char *printed; /* as the program has it */
} derive_type;

/* The type that a node of clang's tree describes. */
derive_type derive_type_read(cli_region *region, cli_json_value node);

/* ---- Values ---- */

/* Numbers as text: each begins at `at[i]` and ends where a blank, a comma or the text ends. */
typedef struct derive_numbers {
    const char **at;
    size_t count;
    struct derive_source *sources;
} derive_numbers;

typedef struct derive_parameter {
    const char *name;
    derive_type type;
    derive_numbers at; /* --at NAME=... */
    const char *set;   /* --set NAME=...; NULL: not set */
    bool null;         /* a pointer to nowhere */
    bool of;           /* the array of --of */
    bool wrt;          /* differentiated with respect to */
    bool taker;        /* takes numbers of --at that have no name */
    bool bound;        /* bytes and count are there */
    void *bytes;
    size_t count; /* numbers (bytes, for a text) */
} derive_parameter;

typedef enum derive_kind {
    DERIVE_SOURCE,
    DERIVE_HEADER, /* declares, is not compiled */
    DERIVE_PART,   /* object or archive */
} derive_kind;

typedef struct derive_file {
    const char *path; /* absolute */
    const char *name; /* as the user wrote it */
    derive_kind kind;
    bool cpp;
} derive_file;

typedef struct derive_signature {
    const char *name;         /* as the user wrote it */
    const char *linkage_name; /* as the linker knows it */
    const derive_file *file;  /* that declares it */
    bool included;            /* the call must be compiled together with that file */
    derive_type result;
    derive_parameter *parameters;
    size_t parameter_count;
} derive_signature;

typedef struct derive {
    const cli_command *command;
    cli_region region;
    cli_arguments arguments;
    cli_scratch scratch;
    derive_file *files;
    size_t file_count;
    derive_signature signature;
    double *weights;      /* of the array of --of; NULL without --of */
    const char *compiler; /* the path of this command */
    int interrupted;
} derive;

/* ---- Options: the first of the table of either command; its last is DERIVE_HELP_OPTION ---- */

enum {
    DERIVE_AT,
    DERIVE_SET,
    DERIVE_OF,
    DERIVE_WEIGHTS,
    DERIVE_MEMORY,
    DERIVE_SCHEDULE,
    DERIVE_SLOTS,
    DERIVE_LEAF,
    DERIVE_SPACE,
    DERIVE_TIME,
    DERIVE_LOG,
    DERIVE_SPLIT,
    DERIVE_OFFLOAD,
    DERIVE_RUN,
    DERIVE_REPORT,
    DERIVE_JSON,
    DERIVE_KEEP,
    DERIVE_OPTIONS
};
#define DERIVE_OPTION_TABLE \
    [DERIVE_AT] = {.name = "at", \
                   .argument = "VALUES", \
                   .meaning = "The point: numbers for the floating-point parameters in order, separated by commas, " \
                              "or @FILE. NAME=VALUES gives one parameter its numbers.", \
                   .heading = "The point", \
                   .repeats = true}, \
    [DERIVE_SET] = {.name = "set", \
                    .argument = "NAME=VALUE", \
                    .meaning = "The value of a parameter with respect to which nothing is differentiated: integers, " \
                               "strings, arrays of integers (@FILE), constants, NULL.", \
                    .repeats = true}, \
    [DERIVE_OF] = {.name = "of", \
                   .argument = "NAME", \
                   .meaning = "Differentiate what the function leaves in this array, instead of what it returns.", \
                   .heading = "What is differentiated"}, \
    [DERIVE_WEIGHTS] = {.name = "weights", \
                        .argument = "VALUES", \
                        .meaning = "With --of: a weight for each of its numbers (numbers or @FILE; 1 for all " \
                                   "unless given). The weighted sum is differentiated."}, \
    [DERIVE_MEMORY] = {.name = "memory", \
                       .argument = "BYTES", \
                       .meaning = \
                           "The budget: bytes for recording, capsules and shadow memory, besides the " \
                           "program's own: 64M, or 64Mi in powers of 1024. What does not fit is computed again. " \
                           "Unless given, everything is recorded.", \
                       .heading = "Memory"}, \
    [DERIVE_SCHEDULE] = {.name = "schedule", \
                         .argument = "KIND", \
                         .meaning = "Which states are kept, and what is computed again: auto (so unless given: " \
                                    "everything recorded at one go if that fits, else online), or a kind of " \
                                    "'verso plan', which may have words of its options behind it: " \
                                    "disk,slots=10,write=4,read=2."}, \
    [DERIVE_SLOTS] = {.name = "slots", \
                      .argument = "C", \
                      .meaning = "Capsules in memory at once; as many as the budget holds unless given."}, \
    [DERIVE_LEAF] = {.name = "leaf", \
                     .argument = "BYTES", \
                     .meaning = "The length of a step: so many bytes of recording. Chosen from the budget unless " \
                                "given."}, \
    [DERIVE_SPACE] = {.name = "space", \
                      .argument = "D", \
                      .meaning = "Of treeverse and binary: fix the number of snapshots."}, \
    [DERIVE_TIME] = {.name = "time", .argument = "T", .meaning = "Of these, too: fix the repetitions."}, \
    [DERIVE_LOG] = {.name = "log", \
                    .meaning = "Let both grow with the logarithm of the steps; so it is unless fixed."}, \
    [DERIVE_SPLIT] = {.name = "split", \
                      .argument = "bisection|binomial", \
                      .meaning = "Where a stretch is divided: in its middle, or as the binomials say (so unless " \
                                 "given)."}, \
    [DERIVE_OFFLOAD] = {.name = "offload", \
                        .argument = "DIRECTORY", \
                        .meaning = \
                            "Instead of a budget: record all at one go, and keep in a file there what does not " \
                            "fit. Words may follow the name: DIRECTORY,limit=BYTES (of the recording in " \
                            "memory; 256Mi unless given), DIRECTORY,synchronous (no thread for it)."}, \
    [DERIVE_RUN] = {.name = "run", \
                    .argument = "DIRECTORY", \
                    .meaning = "Make the run durable there: killed at any instant, it goes on when it is run again."}, \
    [DERIVE_REPORT] = {.name = "report", \
                       .argument = "FILE", \
                       .meaning = "Write what happened, predicted beside actual: as JSON or as a page, as the name " \
                                  "ends in .json or .html."}, \
    [DERIVE_JSON] = {.name = "json", .meaning = "Print JSON.", .heading = "Output"}, \
    [DERIVE_KEEP] = {.name = "keep", \
                     .argument = "DIRECTORY", \
                     .meaning = "Keep the generated program there: its sources, input and result."}
#define DERIVE_HELP_OPTION {.name = "help", .letter = 'h', .meaning = "Show this help and end."}

/* ---- What the program left: lines of a name and its values, then the gradient ---- */

typedef struct derive_result {
    const char *text;
    size_t size;
} derive_result;

/* The values on the line of that name; NULL: there is none. */
const char *derive_result_line(const derive_result *result, const char *name);
bool derive_result_number(const derive_result *result, const char *name, double *number);
uint64_t derive_result_count(const derive_result *result, const char *name);
/* The rest of the line; NULL: there is none. */
const char *derive_result_text(derive *task, const derive_result *result, const char *name);
/* All derivatives, parameter by parameter; NULL when there are not exactly so many. */
const double *derive_result_gradient(derive *task, const derive_result *result, size_t count);

/* ---- Stages ---- */

/* Reads the command line. `help` is set when only help was asked for (and shown). */
int derive_options(derive *task, const cli_command *command, int argc, char **argv, bool *help);
/* Budget and schedule: refuses what makes no sense, and sets VERSO_MEMORY and its like for the program. */
int derive_schedule(derive *task);
int derive_find_signature(derive *task);
int derive_bind(derive *task);
int derive_build(derive *task);
/* Runs the built program with `mode`, "gradient" or "check", and further words (NULL: none); *result is what it left.
 */
int derive_run(derive *task, const char *mode, const char *const *words, derive_result *result);
/* Frees all; returns `status`, unless a signal asked the command to end: then it ends so. */
int derive_close(derive *task, int status);

/* ---- Between stages ---- */

/* Calls the compiler that this command is: `verso cc` or `verso c++` with these words. */
int derive_compile(derive *task, bool cpp, const char *const *words, const char *output, const char *errors,
                   cli_ending *ending);
/* A growing list of words for it; NULL stays behind the last. */
typedef struct derive_words {
    const char **at;
    size_t count;
} derive_words;
void derive_add_word(derive *task, derive_words *words, const char *word);
void derive_add_passed(derive *task, derive_words *words);
/* One line on a terminal, gone when the work is done (NULL). */
void derive_progress(const char *doing, const char *name);
/* Copies a file to standard error. */
void derive_show(derive *task, const char *path);

/* Has clang look at a file without translating it, with options of its inner part; `agreed` when it found no error. Its
 * errors are left in the scratch file DERIVE_ASK_ERRORS. */
int derive_ask(derive *task, const char *path, bool cpp, const char *const options[], const char *answer, bool *agreed);
#define DERIVE_ASK_ERRORS "type-errors.txt"
/* The path of a file with what clang knows of the function; NULL when the file does not declare it. */
int derive_ask_for_type(derive *task, const derive_file *file, const char *function, const char **answer);
/* No file declares the function. CLI_OK when that was only for want of its namespace, which it now has in
 * task->signature.name (if `may_rename`). */
int derive_explain_missing(derive *task, bool may_rename);

/* Appends numbers: a list, or @FILE. `what` names them in messages ("--at x"). */
int derive_read_numbers(derive *task, const char *what, const char *text, derive_numbers *numbers);
/* The i-th as the bytes of a scalar type. */
int derive_convert(derive *task, const char *what, const derive_numbers *numbers, size_t i, const derive_scalar *scalar,
                   void *bytes);
/* All of them, allocated. */
int derive_convert_all(derive *task, const char *what, const derive_numbers *numbers, size_t first, size_t count,
                       const derive_scalar *scalar, void **bytes);
extern const derive_scalar derive_double, derive_enum;

/* Numbers in one element of the outermost dimension: 1 for a plain pointer, 4 for double a[][4]. False when the sizes
 * are not known (yet). */
bool derive_row(const derive_signature *signature, const derive_parameter *parameter, int64_t *numbers);
/* What the declaration says about the whole array. */
bool derive_declared_length(const derive_signature *signature, const derive_parameter *parameter, int64_t *numbers);
/* The value of a bound integer parameter. */
int64_t derive_integer(const derive_parameter *parameter);

/* ---- Words ---- */

/* "a", "a and b", "a, b and c": the names of the parameters for which `which` holds. */
const char *derive_names(derive *task, bool (*which)(const derive_parameter *));
bool derive_is_array(const derive_parameter *parameter);    /* of floating-point numbers */
bool derive_is_floating(const derive_parameter *parameter); /* a number or an array of them */
/* "f(x[2], n = 2) in file.c", and an empty line. */
void derive_print_call(FILE *out, const derive_signature *signature);

#endif
