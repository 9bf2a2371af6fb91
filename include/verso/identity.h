/* Identities distinguish programs, runs and contents from one another. Only a program with the same identity can
 * continue a durable run, and capsule files carry the identities of their program and run. Plain data, no
 * functions. Thread safety: as for any plain data, several threads may read it, or one thread may change it. */
#ifndef VERSO_IDENTITY_H
#define VERSO_IDENTITY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 128 bits, usually a checksum. Verso treats two things as the same if both words are equal. */
typedef struct verso_identity {
    uint64_t words[2];
} verso_identity;

#ifdef __cplusplus
}
#endif
#endif
