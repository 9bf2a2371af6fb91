/* What `verso rev --register` puts behind a function needs: in a program that `verso cc` compiles the function is its
 * own derivative. Recording it keeps what it leads to as it is afterwards, and nothing of its steps; the sweep runs its
 * adjoint backwards from there, in place: on what was kept, and on the adjoints of the program's memory. */
#ifndef VERSO_REV_REGISTERED_H
#define VERSO_REV_REGISTERED_H

#include <verso/native.h>

static inline size_t rev_registered_bytes(long long count, size_t size) {
    return count > 0 ? (size_t)count * size : 0;
}

static inline size_t rev_registered_padding(size_t bytes) {
    return (8 - bytes % 8) % 8;
}

/* Each piece begins at a multiple of 8. */
static inline void rev_registered_keep(verso_call *call, const void *data, size_t bytes) {
    static const char zeros[8];
    verso_keep(call, data, bytes);
    verso_keep(call, zeros, rev_registered_padding(bytes));
}

static inline void *rev_registered_next(char **kept, size_t bytes) {
    void *piece = *kept;
    *kept += bytes + rev_registered_padding(bytes);
    return piece;
}

/* Nothing has no adjoint to ask for. */
static inline void *rev_registered_adjoint(const void *data, size_t bytes) {
    return bytes ? (void *)verso_adjoint(data) : NULL;
}

#endif
