/* Object files of -O0, whose bitcode was embedded by clang (-fembed-bitcode): the section gets a name of its own. */
#ifndef CC_DRIVER_EMBED_H
#define CC_DRIVER_EMBED_H

#include <stdbool.h>

/* No longer than clang's own name for it. */
#define DRIVER_EMBEDDED_SECTION ".verso"

/* Renames the section in the object file at `path`, and marks it as not to be linked into programs. A file that has no
 * such section, or is none, is left as it is. False when it cannot be written (errno says why). */
bool driver_embed_rename(const char *path);

#endif
