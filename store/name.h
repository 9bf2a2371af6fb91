/* Names of capsules in messages and of their files ("state-00000000000000000042"). */
#ifndef VERSO_STORE_NAME_H
#define VERSO_STORE_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <verso/capsule.h>

/* The prefix of a file's name while it is being written. */
#define VERSO_WRITING_PREFIX ".writing-"

enum { VERSO_FILE_NAME_MAX = 64 }; /* bytes, including prefix and NUL */

/* Returns whether `kind` is a value of the enum. */
bool verso__capsule_known(verso_capsule_kind kind);
/* Returns "state" or "adjoint"; "capsule" if `kind` is unknown. */
const char *verso__capsule_word(verso_capsule_kind kind);

/* Writes the file name of a capsule to `text`, which has room for VERSO_FILE_NAME_MAX bytes. */
void verso__file_name_write(const char *prefix, verso_capsule_kind kind, uint64_t step, char *text);
/* Reads a file name. Returns false unless it is exactly as verso__file_name_write writes it with an empty prefix.
 * Sets the slot to 0. */
bool verso__file_name_read(const char *text, verso_capsule_name *name);

#endif
