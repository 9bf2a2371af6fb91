/* Keeps the compiled program of a durable VLAD run in the run's directory, so that a process that continues the run
 * does not compile it again. The compiler continues if this process dies meanwhile. */
#ifndef CLI_VLAD_KEPT_H
#define CLI_VLAD_KEPT_H

#include "cli/vlad_compile.h"
#include "vlad/writer.h"

/* A function that compiles the C text to the program `output`. Returns an exit status. */
typedef int (*cli_vlad_builder)(vlad_compilation *task, const vlad_writer *text, const char *output);

/* Finds the program in the run's directory, or builds it there. Sets *file to a descriptor of the program, open for
 * reading; to -1 if other users can write to the directory, so that the caller must compile elsewhere. Returns CLI_OK,
 * or another exit status after a message: CLI_SUSPENDED if a signal arrived meanwhile. */
int cli_vlad_kept(vlad_compilation *task, const vlad_writer *text, cli_vlad_builder build, int *file);

#endif
