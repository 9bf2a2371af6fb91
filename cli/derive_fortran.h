/* Fortran in `verso grad` and `verso check`: flang's list of symbols instead of clang's description, and a call that is
 * written in Fortran. The data is that of derive_types.h: a scalar argument that the procedure may change is like a
 * reference of C++, a logical like an integer. */
#ifndef CLI_DERIVE_FORTRAN_H
#define CLI_DERIVE_FORTRAN_H

#include "cli/derive.h"

/* Searches the procedure task->signature.name in a Fortran file. Sets *found, and if it was found the signature. The
 * file's modules can be used afterwards. Returns CLI_OK, or another status after a message. */
int derive_fortran_find(derive *task, const derive_file *file, bool *found);
/* Reads the signature from an answer of flang that was kept. */
int derive_fortran_read(derive *task);
/* Prints that no file has the procedure. Returns the exit status. */
int derive_fortran_missing(derive *task, const derive_file *file);
/* Returns clang's description, as JSON, of the size of a dimension like "1_8:int(n,kind=8)" (`size` bytes); NULL if it
 * has none, or one that is not understood. */
const char *derive_fortran_size(cli_region *region, const char *dimension, size_t size);
/* The same for the lower bound. */
const char *derive_fortran_lower(cli_region *region, const char *dimension, size_t size);
/* Writes the procedure verso__harness_call, which calls the procedure of the signature. */
void derive_fortran_call(FILE *out, const derive_signature *signature);
/* Appends the option for module files, and the folder for them. */
void derive_fortran_modules(derive *task, derive_strings *arguments);

#endif
