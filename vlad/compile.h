/* `verso vlad --compile`: translates a VLAD program to C for clang 19. Compiled and linked with libverso.a, the C
 * file is the program. It contains the texts that the program was read from and reads them again when it starts:
 * so its messages show places in the source, and the interpreter is available wherever compiled code hands over to
 * it (code.h). The program takes the options of run.h. */
#ifndef VLAD_COMPILE_H
#define VLAD_COMPILE_H

#include "vlad/core.h"
#include "vlad/writer.h"

/* Appends the C text to `out`. */
verso_status vlad_compile(const vlad_sources *sources, const vlad_program *program, vlad_writer *out,
                          verso_error *error);

#endif
