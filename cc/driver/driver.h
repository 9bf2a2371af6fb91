/* Room `driver`: the compiler driver, which implements `verso cc`, `verso c++` and `verso fc`.
 *
 *   arguments.c    reads a clang command line: inputs and mode; own_options.c: Verso's own options
 *   compile.c      runs clang with flags that put bitcode into object files; embed.c: renames its section
 *   fortran.c      runs flang, whose bitcode compile.c gives to clang; fortran_options.c: which options are for whom
 *   directives.c   finds the comments "!verso$" in Fortran sources; annotate.c: makes annotations of them
 *   link.c         links; if the program differentiates, has it transformed and links again; link_line.c: other links
 *   trace.c        reads which objects the linker has linked; unit.c: reads such an object
 *   transform.c    runs the transformer on their bitcode
 *   cache.c        keeps object files that the transformer made
 *   relink.c       makes the command of the second link
 *   mpi.c          adds the adjoints of MPI's functions to programs that use MPI
 *   adjoints.c     adds members of archives that contain custom adjoints
 *   rename.c       renames members of archives that have the same name
 *   named.c        finds the functions that a source file names in macros; demangle.c: C++ names as users write them
 *   elf.c archive.c bitcode.c response.c            read file formats
 *   process.c session.c places.c words.c mapping.c  helpers: processes, scratch files, paths, lists, mapped files
 *
 * The driver does not use LLVM: it finds out from an object's table of symbols whether it differentiates, and the
 * transformer is a separate program. Wherever possible, errors and exit status are those of clang and of the linker.
 *
 * Requires: clang and a linker of the versions that compiler.h checks, and flang for Fortran. Leaves: the files that
 * clang or flang would make, and no scratch files. Owns: the session (session.h) and its scratch folder. */
#ifndef CC_DRIVER_DRIVER_H
#define CC_DRIVER_DRIVER_H

#include "cc/driver/session.h"

/* Executes a command line of clang, clang++ or flang. argv[0] is ignored. Returns the exit status; may instead replace
 * the process by the compiler. */
int driver_run(driver_language language, int argc, char **argv);

#endif
