/* Capsules: a capsule is a state or an adjoint as bytes, from which a run continues with the same bits. Programs
 * (program.h) fill and load capsules, stores (store.h) keep them. This header defines the kinds and names of capsules:
 * plain data, no functions. Thread safety: as for any plain data, several threads may read it, or one thread may change
 * it. */
#ifndef VERSO_CAPSULE_H
#define VERSO_CAPSULE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, word, meaning) for each kind. */
#define VERSO_CAPSULE_LIST(X) \
    X(STATE, "state", "the working state x_step") \
    X(ADJOINT, "adjoint", "the adjoint of x_step, with everything that has been accumulated on the way to it")

typedef enum verso_capsule_kind {
#define VERSO_CAPSULE_ENUM(name, word, meaning) VERSO_CAPSULE_##name,
    VERSO_CAPSULE_LIST(VERSO_CAPSULE_ENUM)
#undef VERSO_CAPSULE_ENUM
        VERSO_CAPSULE_KINDS
} verso_capsule_kind;

/* The name of a capsule. Kind and step identify its contents, because computations are deterministic. The slot is the
 * place where a store with slots keeps it; a store holds a capsule of one kind and step in at most one slot. */
typedef struct verso_capsule_name {
    verso_capsule_kind kind;
    uint64_t step;
    uint64_t slot;
} verso_capsule_name;

#ifdef __cplusplus
}
#endif
#endif
