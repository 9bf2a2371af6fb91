/* See checksum.h. */
#include "base/checksum.h"

#include <xxhash.h>

uint64_t verso_checksum(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}
