/* Renames the section in which clang embeds bitcode (-fembed-bitcode, used with -O0) in an object file. */
#ifndef CC_DRIVER_EMBED_H
#define CC_DRIVER_EMBED_H

#include <stdbool.h>

/* The new name, which must not be longer than clang's, ".llvmbc". */
#define DRIVER_EMBEDDED_SECTION ".verso"

/* Renames the section in the object file at `path`, and marks it so that linkers leave it out of programs. Does nothing
 * if there is no such section or no such file. Returns false, with errno set, if the file cannot be written. */
bool driver_embed_rename(const char *path);

#endif
