/* `verso library`: builds a shared library of functions that the process that loads it can differentiate, and describes
 * them. The stages, which library.c calls in order, work on the data of `verso grad` (cli/derive.h):
 *   library_names.c   finds the functions that the object files define
 *   library_write.c   writes the generated sources, which call the functions, and the description */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include "cli/derive.h"

/* A function of the library. */
typedef struct library_function {
    derive_signature signature;
    const char *why; /* why it cannot be called; NULL: it can */
} library_function;

typedef struct library {
    derive task;
    library_function *functions;
    size_t function_count;
    derive_strings objects; /* all object files */
    derive_strings sources; /* files that the library was made from, as found in dependency rules */
    bool cpp;               /* a file is C++ */
} library;

/* Appends the names of functions that the object file defines for other files, as the program writes them, to `names`.
 * Returns CLI_OK, or CLI_FAILED after a message. */
int library_names(derive *task, const char *object, derive_strings *names);

/* Writes a generated source that defines, for each function k whose index is in `which`, verso__call_k, verso__vjp_k
 * and so on (cli/harness/library.h). `file`: the source that it includes; NULL: it declares the functions. */
int library_write_calls(library *all, const char *path, const size_t *which, size_t count, const derive_file *file);
/* Writes the description as JSON. */
int library_write_description(const library *all, const char *path, const char *output);

#endif
