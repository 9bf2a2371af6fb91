/* `verso vlad --compile`: a program through clang to machine code. */
#ifndef CLI_VLAD_COMPILE_H
#define CLI_VLAD_COMPILE_H

#include "cli/command.h"
#include "cli/region.h"
#include "vlad/core.h"

typedef struct vlad_compilation {
    const cli_command *command;
    cli_region *region;
    const char *name;       /* of the program, for itself */
    const char *emit_c;     /* only this file is written; NULL: the program is compiled */
    const char *output;     /* where the program stays; NULL: it is run, and goes */
    const char *options[8]; /* for the run; NULL ends them */
} vlad_compilation;

/* An exit status. Does not return when the program is run: the process becomes the program. */
int cli_vlad_compile(vlad_compilation *compilation, const vlad_sources *sources, const vlad_program *program);

#endif
