/* VLAD programs as C, for clang 19: a file that is compiled and linked with libverso.a is the program. It carries the
 * texts that the program was read from, and reads them again when it starts: so its messages have their places, and the
 * interpreter is at hand wherever compiled code hands over to it (code.h). It takes the options of run.h. */
#ifndef VLAD_COMPILE_H
#define VLAD_COMPILE_H

#include "vlad/core.h"
#include "vlad/writer.h"

verso_status vlad_compile(const vlad_sources *sources, const vlad_program *program, vlad_writer *out,
                          verso_error *error);

#endif
