/* Handles that are addresses in a library (Open MPI's communicators, datatypes, requests ...). The objects that they
 * name do not lie at the same addresses in every process of a durable run, so capsules, and checksums of the program's
 * memory, have numbers in the place of handles: in which order the program has made the objects. */
#ifndef NATIVE_RUN_HANDLES_H
#define NATIVE_RUN_HANDLES_H

#include "native/memory/memory.h"

/* Adds the handle of an object that the program has made just now. Handles that are not addresses must not be added:
 * small numbers are the same in every process. */
void verso__native_handles_add(const void *handle);
/* Begins or ends the replacement. */
void verso__native_handles_use(bool on);
/* Replaces handles by numbers in `copy`, a copy of `size` bytes of the program's memory at `memory`. */
void verso__native_handles_hide(const char *memory, char *copy, size_t size);
/* Replaces numbers by this process's handles in the program's memory. */
void verso__native_handles_show(char *memory, size_t size);
/* As verso__checksum, of memory whose handles are replaced by numbers. */
uint64_t verso__native_handles_checksum(const char *memory, size_t size);

#endif
