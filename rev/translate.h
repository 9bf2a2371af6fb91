/* `verso rev`: translates a C file with functions marked `rev` to an ordinary C file. */
#ifndef REV_TRANSLATE_H
#define REV_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <verso/status.h>

#include "base/text.h"

typedef struct rev_options {
    const char *name;           /* name of the file, for messages and #line */
    const char *const *folders; /* directories to search for headers; NULL: only the directory of the file */
    /* The name of a pass: the functions are printed as they are after it, instead of the translation. NULL: no dump. */
    const char *dump;
    bool no_lines;                    /* print no #line directives */
    bool cuda;                        /* the file is CUDA C++ */
    bool registers;                   /* make functions that supply their adjoints to `verso cc` */
    const struct rev_checking *check; /* make a program that tests its own functions (check_program.h); NULL: do not */
} rev_options;

/* Names of passes for `dump`; ends with NULL. */
extern const char *const rev_pass_names[];

/* Translates `size` bytes of `text` and appends the result to `output`, errors to `messages`; both are initialised
 * texts that the caller frees. Returns VERSO_STATUS_INVALID if there were errors (then `output` is not usable), or
 * VERSO_STATUS_NO_MEMORY. */
verso_status rev_translate(const char *text, size_t size, const rev_options *options, verso__text *output,
                           verso__text *messages);

#endif
