/* See checksum.h. */
#include "base/checksum.h"

#include <xxhash.h>

uint64_t verso_checksum(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

static verso_identity identity(XXH128_hash_t hash) {
    return (verso_identity){{hash.low64, hash.high64}};
}

verso_identity verso_checksum_wide(const void *bytes, size_t size) {
    return identity(XXH3_128bits(bytes, size));
}

verso_identity verso_checksum_chain(verso_identity before, const void *bytes, size_t size) {
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, before.words[0]);
    hash.high64 ^= before.words[1] * UINT64_C(0x9E3779B97F4A7C15);
    return identity(hash);
}
