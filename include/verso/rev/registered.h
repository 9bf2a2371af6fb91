/* Run time of `verso rev --register`, which makes a rev function its own derivative in a program of `verso cc`; only
 * generated code uses it. While recording, the function runs and what its pointers lead to is kept once, as it is
 * afterwards; none of its steps is recorded. The reverse sweep runs f_adj backwards from there, in place: on the kept
 * values, and on the adjoints of the program's own memory.
 *
 * Thread safety and errors: as for custom adjoints in <verso/native.h>: one differentiation at a time in a process. */
#ifndef VERSO_REV_REGISTERED_H
#define VERSO_REV_REGISTERED_H

#include <verso/native.h>

/* The bytes of `count` elements; 0 if count is negative. */
static inline size_t rev_registered_bytes(long long count, size_t size) {
    return count > 0 ? (size_t)count * size : 0;
}

/* The bytes to add so that the next piece begins at a multiple of 8. */
static inline size_t rev_registered_padding(size_t bytes) {
    return (8 - bytes % 8) % 8;
}

/* Keeps `bytes` bytes of `data` for the sweep, padded to a multiple of 8. */
static inline void rev_registered_keep(verso_call *call, const void *data, size_t bytes) {
    static const char zeros[8];
    verso_keep(call, data, bytes);
    verso_keep(call, zeros, rev_registered_padding(bytes));
}

/* Returns the piece at *kept, of `bytes` bytes, and advances *kept to the next one. */
static inline void *rev_registered_next(char **kept, size_t bytes) {
    void *piece = *kept;
    *kept += bytes + rev_registered_padding(bytes);
    return piece;
}

#ifdef __cplusplus
extern "C" {
#endif
/* Private to Verso, and only for code that this version of `verso rev --register` has generated: another version may
 * have another function here. Returns the adjoints of the doubles at `data`, contiguous like them; f_adj works on them
 * in place. verso_adjoint_take and verso_adjoint_add, which do not depend on how Verso lays out adjoints, would need a
 * copy of each array. */
VERSO_API double *verso__native_adjoint_cells(const void *data);
#ifdef __cplusplus
}
#endif

/* The adjoints of the doubles at `data`; NULL if there are no bytes. */
static inline void *rev_registered_adjoint(const void *data, size_t bytes) {
    return bytes ? (void *)verso__native_adjoint_cells(data) : NULL;
}

#endif
