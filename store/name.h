/* What capsules are called: in messages, and as files ("state-00000000000000000042"). */
#ifndef VERSO_STORE_NAME_H
#define VERSO_STORE_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <verso/capsule.h>

/* What a file is called while it is being written. */
#define VERSO_WRITING_PREFIX ".writing-"

enum { VERSO_FILE_NAME_MAX = 64 }; /* with prefix and NUL */

bool verso_capsule_known(verso_capsule_kind kind);
/* "state", "adjoint"; "capsule" for what is no kind. */
const char *verso_capsule_word(verso_capsule_kind kind);

/* `text` has room for VERSO_FILE_NAME_MAX bytes. */
void verso_file_name_write(const char *prefix, verso_capsule_kind kind, uint64_t step, char *text);
/* False for whatever is not exactly what verso_file_name_write makes without a prefix. The slot is 0. */
bool verso_file_name_read(const char *text, verso_capsule_name *name);

#endif
