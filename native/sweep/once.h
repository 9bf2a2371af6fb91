/* Calls with an adjoint that are made once. native/state.h declares what generated code calls. */
#ifndef NATIVE_SWEEP_ONCE_H
#define NATIVE_SWEEP_ONCE_H

#include <stddef.h>

/* Logs bytes that the `record` of such a call passes to verso_keep. No-op elsewhere. Private stack only. */
void verso__native_once_kept(const void *bytes, size_t size);
/* As verso_wrote, for `count` pieces of `size` bytes that are `stride` bytes apart. Private stack only. */
void verso__native_wrote_rows(void *data, size_t size, size_t stride, size_t count);

#endif
