/* The compiler driver: what `verso cc` and `verso c++` do.
 *
 *   arguments.c  reads as much of a clang command line as is needed to know inputs and mode
 *   compile.c    the flags that put bitcode into object files, beside the same machine code; embed.c: where to
 *   link.c       links; and when the program differentiates, has it transformed and links again
 *   relink.c     the command of that second link
 *   trace.c      what the linker says it has linked; unit.c: what that is to us
 *   elf.c archive.c bitcode.c response.c  file formats, from anyone
 *   process.c session.c places.c words.c mapping.c  the rest
 *
 * Nothing here needs LLVM: whether an object differentiates is in its table of symbols, and the transformer is a
 * program of its own. Errors are clang's and the linker's own, with their own exit status, wherever they can be. */
#ifndef CC_DRIVER_DRIVER_H
#define CC_DRIVER_DRIVER_H

#include <stdbool.h>

/* `argv` is clang's, with any word first; `cpp`: clang++. Returns the exit status; may become clang instead of
 * returning. */
int driver_run(bool cpp, int argc, char **argv);

#endif
