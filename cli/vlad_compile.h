/* `verso vlad --compile`: writes a VLAD program as C, compiles it with clang, and runs it. */
#ifndef CLI_VLAD_COMPILE_H
#define CLI_VLAD_COMPILE_H

#include "cli/command.h"
#include "cli/region.h"
#include "vlad/core.h"

#include <signal.h>

typedef struct vlad_compilation {
    const cli_command *command;
    cli_region *region;
    const char *name;        /* name of the program, as argv[0] and in its messages */
    const char *emit_c;      /* file for the C text, which is not compiled; NULL: compile */
    const char *run;         /* directory of a durable run, where the program is kept; NULL: not durable */
    const char *output;      /* file for the compiled program, which is not run; NULL: run it and remove it */
    const char *options[12]; /* options of the program if it is run; NULL ends the list */
    sigset_t mask;           /* the signal mask of clang; cli_vlad_compile sets it */
} vlad_compilation;

/* Compiles, and runs the program if no file was asked for. Returns an exit status. Does not return if the program is
 * run: the process becomes the program (exec). */
int cli_vlad_compile(vlad_compilation *compilation, const vlad_sources *sources, const vlad_program *program);

#endif
