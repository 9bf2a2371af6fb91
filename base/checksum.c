/* See checksum.h. */
#include "base/checksum.h"

#include "base/alloc.h"

#include <xxhash.h>

uint64_t verso__checksum(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

static verso_identity identity(XXH128_hash_t hash) {
    return (verso_identity){{hash.low64, hash.high64}};
}

verso_identity verso__checksum_wide(const void *bytes, size_t size) {
    return identity(XXH3_128bits(bytes, size));
}

verso_identity verso__checksum_chain(verso_identity before, const void *bytes, size_t size) {
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, before.words[0]);
    hash.high64 ^= before.words[1] * UINT64_C(0x9E3779B97F4A7C15);
    return identity(hash);
}

/* xxHash allocates its state itself, with the alignment that it needs. This wrapper is allocated with
 * verso__alloc, so that fault tests cover it. */
struct verso__checksum_parts {
    XXH3_state_t *state;
};

verso__checksum_parts *verso__checksum_parts_new(void) {
    verso__checksum_parts *parts = verso__alloc(1, sizeof *parts);
    if (parts == NULL)
        return NULL;
    parts->state = XXH3_createState();
    if (parts->state == NULL) {
        verso__dealloc(parts);
        return NULL;
    }
    verso__checksum_parts_begin(parts);
    return parts;
}

void verso__checksum_parts_free(verso__checksum_parts *parts) {
    if (parts != NULL)
        XXH3_freeState(parts->state);
    verso__dealloc(parts);
}

void verso__checksum_parts_begin(verso__checksum_parts *parts) {
    XXH3_128bits_reset(parts->state); /* fails for NULL only */
}

void verso__checksum_parts_add(verso__checksum_parts *parts, const void *bytes, size_t size) {
    XXH3_128bits_update(parts->state, bytes, size); /* fails for NULL only */
}

verso_identity verso__checksum_parts_end(const verso__checksum_parts *parts) {
    return identity(XXH3_128bits_digest(parts->state));
}
