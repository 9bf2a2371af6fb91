/* Options and reports that begin with a member `size` (verso/export.h): copies between the caller's struct, which may
 * be older or newer than this library, and the library's own. */
#ifndef VERSO_BASE_SIZED_H
#define VERSO_BASE_SIZED_H

#include <stddef.h>
#include <verso/status.h>

/* Fails with VERSO_STATUS_INVALID unless the size of `given` can be that of such a struct. `macro` names what
 * initialises it, for the message. */
verso_status verso__sized_check(const void *given, const char *macro, verso_error *error);
/* Copies `given` to `own`, which has `size` bytes: members that `given` lacks become 0, and own's `size` becomes
 * `size`. Fails like verso__sized_check, and if `given` has members that this library does not know and that are not
 * 0. */
verso_status verso__sized_read(const void *given, void *own, size_t size, const char *macro, verso_error *error);
/* Copies `own`, which has `size` bytes, to `given`, as far as that has room; its `size` stays. */
void verso__sized_write(void *given, const void *own, size_t size);

#endif
