/* What tells one thing from another: programs, runs, contents. */
#ifndef VERSO_IDENTITY_H
#define VERSO_IDENTITY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 128 bits, as good as unique. */
typedef struct verso_identity {
    uint64_t words[2];
} verso_identity;

#ifdef __cplusplus
}
#endif
#endif
