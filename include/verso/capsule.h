/* Capsules: what programs fill, what stores keep, and how one is named. */
#ifndef VERSO_CAPSULE_H
#define VERSO_CAPSULE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VERSO_CAPSULE_LIST(X) \
    X(STATE, "state", "the working state x_step") \
    X(ADJOINT, "adjoint", "the adjoint of x_step, with everything that has been accumulated on the way to it")

typedef enum verso_capsule_kind {
#define VERSO_CAPSULE_ENUM(name, word, meaning) VERSO_CAPSULE_##name,
    VERSO_CAPSULE_LIST(VERSO_CAPSULE_ENUM)
#undef VERSO_CAPSULE_ENUM
        VERSO_CAPSULE_KINDS
} verso_capsule_kind;

/* A computation is deterministic, so kind and step say what is in a capsule; the slot says where a store that has slots
 * keeps it. A step is in at most one slot of a store. */
typedef struct verso_capsule_name {
    verso_capsule_kind kind;
    uint64_t step;
    uint64_t slot;
} verso_capsule_name;

#ifdef __cplusplus
}
#endif
#endif
