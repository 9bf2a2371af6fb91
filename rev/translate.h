/* `verso rev`: a C file with functions marked `rev` becomes an ordinary C file. */
#ifndef REV_TRANSLATE_H
#define REV_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <verso/status.h>

#include "base/text.h"

typedef struct rev_options {
    const char *name;           /* of the file, for messages and #line */
    const char *const *folders; /* where headers are looked for; NULL: only beside the file */
    const char *dump;           /* the pass behind which functions are printed instead; NULL: none */
    bool no_lines;              /* no #line */
    bool cuda;
    bool registers;                   /* functions supply their adjoints to `verso cc` */
    const struct rev_checking *check; /* the program tests its own functions; NULL: not. See check_program.h */
} rev_options;

/* Names of passes for `dump`, NULL behind the last. */
extern const char *const rev_pass_names[];

/* VERSO_INVALID: there were errors, which are in `messages`; `output` is then without worth. Both are kept texts. */
verso_status rev_translate(const char *text, size_t size, const rev_options *options, verso_text *output,
                           verso_text *messages);

#endif
