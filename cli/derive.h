/* The common part of `verso grad` and `verso check`: both find a function of a program and its parameters, bind the
 * values of the command line to them, build a program that differentiates the function, and run it.
 *
 * The stages, in order:
 *   derive_options.c    reads FILES:FUNCTION and the common options
 *   derive_schedule.c   checks budget and schedule, and sets the environment variables that the program reads
 *   derive_kept.c       finds the program of a durable run, if an earlier process built it
 *   derive_signature.c  asks clang for the function's parameters; derive_type.c reads their types, derive_missing.c
 *                       explains why a function was not found
 *   derive_fortran*.c   the same for Fortran (derive_fortran.h)
 *   derive_bind.c       decides which values belong to which parameter; derive_values.c converts numbers from text,
 *                       derive_length.c computes lengths of arrays
 *   derive_build.c      builds the program from harness/main.c, a call of the function, and the user's files
 *   derive_run.c        writes the program's input, runs it, and reads its result
 * Each stage returns CLI_OK, or another exit status after printing a message. */
#ifndef CLI_DERIVE_H
#define CLI_DERIVE_H

#include "cli/derive_table.h"
#include "cli/derive_types.h"
#include "cli/process.h"

/* ---- The program's result: lines "NAME VALUE...", then the gradient in binary (harness/main.c) ---- */

typedef struct derive_result {
    const char *text;
    size_t size; /* in bytes */
} derive_result;

/* Returns the text after `name` on the line that begins with it, up to the end of the whole result; NULL if there is no
 * such line. */
const char *derive_result_line(const derive_result *result, const char *name);
/* Sets *number to the number on that line. Returns false, and sets it to 0, if there is no such line. */
bool derive_result_number(const derive_result *result, const char *name, double *number);
/* Returns the whole number on that line; 0 if there is no such line. */
uint64_t derive_result_count(const derive_result *result, const char *name);
/* Returns a copy of the rest of that line; NULL if there is no such line. */
const char *derive_result_text(derive *task, const derive_result *result, const char *name);
/* Returns all derivatives, in the order of the parameters; NULL if their number is not `count`. */
const double *derive_result_gradient(derive *task, const derive_result *result, size_t count);

/* ---- Stages ---- */

/* Reads the command line, checks the schedule, and makes the scratch folder. If the user asked for help, prints it and
 * sets *help. The caller calls derive_close, also after a failure. */
int derive_options(derive *task, const cli_command *command, int argc, char **argv, bool *help);
/* Checks the options for budget and schedule, and sets VERSO_MEMORY, VERSO_SCHEDULE, ... for the program. Sets
 * task->directory. */
int derive_schedule(derive *task);
/* Finds the function and its parameters: sets task->signature. */
int derive_find_signature(derive *task);
/* Gives all parameters the values of --at and --set: sets bytes and count of each. Sets task->weights. */
int derive_bind(derive *task);
/* Builds the program "program" in the scratch folder, unless it is kept from an earlier process. */
int derive_build(derive *task);
/* For a durable run: locks the directory, makes the scratch folder in it, and sets task->kept.built if the directory
 * has a program that can be used again. */
int derive_kept_open(derive *task);
/* After a build: keeps the program in the directory for the next process. A failure to do so is ignored. */
void derive_kept_store(derive *task);
/* Releases the lock. */
void derive_kept_close(derive *task);
/* Runs the built program with `mode` ("gradient" or "check") and further arguments (NULL: none), and reads its result
 * into *result. */
int derive_run(derive *task, const char *mode, const char *const *arguments, derive_result *result);
/* Frees everything and returns `status`. If a signal asked the command to end: returns CLI_SUSPENDED if the run is
 * durable, else ends the process by that signal. */
int derive_close(derive *task, int status);

/* ---- Between stages, and for `verso library` (library.c) ---- */

/* Reads a list of files, separated by commas, from `list` up to `end`: sets task->files. */
int derive_read_files(derive *task, const char *list, const char *end);
/* Sets task->signature, except its file, from an answer of derive_query_type. Returns NULL, or why it cannot. */
const char *derive_read_signature(derive *task, const char *answer);
/* Compiles one file by `verso COMMAND`, with the user's options unless it is Verso's `own`; appends its object file. */
int derive_compile_file(derive *task, const char *path, const char *name, const char *command, bool own,
                        derive_strings *objects);
/* Write a declaration of the function by another name, and its call: verso_at[0] = name(verso_at[1], ...). */
void derive_write_declaration(FILE *out, const derive_signature *signature, const char *name);
void derive_write_statement(FILE *out, const derive_signature *signature, const char *name, bool cpp);
/* Appends the files after the colon of a dependency rule in make's syntax, as clang's -MD writes it. */
void derive_rule_files(derive *task, const char *rule, derive_strings *files);

/* Runs `verso COMMAND` (cc, c++ or fc) with these arguments (NULL ends the list). Its output and messages go to the
 * files `output` and `errors`. */
int derive_compile(derive *task, const char *command, const char *const *arguments, const char *output,
                   const char *errors, cli_ending *ending);
/* Appends a string, which is not copied. */
void derive_add_string(derive *task, derive_strings *list, const char *string);
/* Appends the arguments after "--" on the command line. */
void derive_add_passed(derive *task, derive_strings *list);
/* Shows "DOING NAME ..." if standard error is a terminal; with NULL, erases it. */
void derive_progress(const char *doing, const char *name);
/* Copies a file to standard error. */
void derive_show(derive *task, const char *path);

/* Runs clang on a file without generating code, with `options` for its front end (each after -Xclang; NULL ends the
 * list). Its output goes to the file `answer`, its error messages to the scratch file DERIVE_QUERY_ERRORS, the list of
 * included files to the file `rule` unless that is NULL. *succeeded: clang found no error. */
int derive_query_clang(derive *task, const char *path, bool cpp, const char *const options[], const char *rule,
                       const char *answer, bool *succeeded);
#define DERIVE_QUERY_ERRORS "type-errors.txt"
/* Asks clang for the declarations of `function` in `file`. Sets *answer to the path of its JSON output; to NULL if the
 * file does not declare the function. */
int derive_query_type(derive *task, const derive_file *file, const char *function, const char **answer);
/* Called if no file declares the function: prints the reason. But if `may_rename` is true and the name lacks only its
 * namespace, sets task->signature.name to the full name and returns CLI_OK. */
int derive_explain_missing(derive *task, bool may_rename);

/* Appends the numbers of `text`, a list or @FILE, to `numbers`. `what` names them in messages ("--at x"). */
int derive_read_numbers(derive *task, const char *what, const char *text, derive_numbers *numbers);
/* Converts the i-th number to a scalar type. `bytes` has room for scalar->size bytes. */
int derive_convert(derive *task, const char *what, const derive_numbers *numbers, size_t i, const derive_scalar *scalar,
                   void *bytes);
/* Converts `count` numbers from `first` on; *bytes is allocated in task->region. */
int derive_convert_all(derive *task, const char *what, const derive_numbers *numbers, size_t first, size_t count,
                       const derive_scalar *scalar, void **bytes);
/* double; and the type in which values of enums are passed to the harness. */
extern const derive_scalar derive_double, derive_enum;
/* Returns the scalar type that clang prints so. */
const derive_scalar *derive_scalar_named(const char *name);

/* Sets *numbers to how many numbers one element of the outermost dimension has: 1 for a plain pointer, 4 for
 * double a[][4]. Returns false if a size is not known (yet). */
bool derive_row_length(const derive_signature *signature, const derive_parameter *parameter, int64_t *numbers);
/* Sets *numbers to the product of the array's sizes but the one that is the integer `name`. Returns false if there is
 * no such size, or if another one is not known (yet). */
bool derive_other_lengths(const derive_signature *signature, const derive_parameter *parameter, const char *name,
                          int64_t *numbers);
/* Sets *lower and *size to the lower bound and the size of a dimension; the size is 0 if it is not known. */
void derive_bounds(const derive_signature *signature, const derive_dimension *dimension, int64_t *lower, int64_t *size);
/* Sets *numbers to how many numbers the array has by its declaration. Returns false if that is not known (yet). */
bool derive_declared_length(const derive_signature *signature, const derive_parameter *parameter, int64_t *numbers);
/* Returns the value of an integer or enum parameter, which must be bound. */
int64_t derive_integer(const derive_parameter *parameter);

/* ---- Texts ---- */

/* Returns the names of the parameters for which `which` returns true, as "a", "a and b" or "a, b and c". */
const char *derive_names(derive *task, bool (*which)(const derive_parameter *));
bool derive_is_array(const derive_parameter *parameter);    /* an array of floating-point numbers */
bool derive_is_floating(const derive_parameter *parameter); /* a floating-point number, or an array of them */
/* Returns the name of an element: "x[3]", "h(2,1)" in Fortran, and that of a number without subscripts. */
const char *derive_element(cli_region *region, const derive_signature *signature, const derive_parameter *parameter,
                           size_t index);
/* Prints "f(x[2], n = 2) in file.c" and an empty line. */
void derive_print_call(FILE *out, const derive_signature *signature);

#endif
