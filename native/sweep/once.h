/* Calls with an adjoint that are made once. native/state.h declares what generated code calls. */
#ifndef NATIVE_SWEEP_ONCE_H
#define NATIVE_SWEEP_ONCE_H

#include <stddef.h>
#include <stdint.h>

/* Logs bytes that the `record` of such a call passes to verso_keep. No-op elsewhere. Private stack only. */
void verso__native_once_kept(const void *bytes, size_t size);
/* As verso_wrote, for `count` pieces of `size` bytes that are `stride` bytes apart. Private stack only. */
void verso__native_wrote_rows(void *data, size_t size, size_t stride, size_t count);

/* Logs bytes that are not read where a run is repeated, in a durable run: verso__native_once_notes finds them. */
void verso__native_once_note(const void *bytes, size_t size);
/* Calls `visit` with each note of the log of a durable run, in order; `at` is the offset of its entry. An entry without
 * notes has an empty one. */
typedef void verso__native_once_visit(void *context, uint64_t at, const void *note, size_t size);
void verso__native_once_notes(verso__native_once_visit *visit, void *context);

#endif
