/* libFuzzer target: arbitrary bytes as entries of the cache. Bytes are sound only if driver_cache_seal makes the same
 * header of them (libFuzzer finds such bytes, since it sees the comparisons), and any change of a sound entry makes it
 * unsound. */
#include "cc/driver/cache.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

/* Seals the input as an object file, and damages the entry at a place that the input chooses. */
static void seal_and_damage(const uint8_t *data, size_t size) {
    const verso_identity key = {{size, data[0]}}, other = {{size + 1, data[0]}};
    uint8_t *entry = malloc(DRIVER_CACHE_HEADER + size);
    if (entry == NULL)
        return;
    memcpy(entry + DRIVER_CACHE_HEADER, data, size);
    driver_cache_seal(key, data, size, entry);
    require(driver_cache_is_sound(key, entry, DRIVER_CACHE_HEADER + size));
    require(!driver_cache_is_sound(other, entry, DRIVER_CACHE_HEADER + size));
    require(!driver_cache_is_sound(key, entry, DRIVER_CACHE_HEADER + size - 1));
    size_t at = (data[0] * (size_t)256 + data[size - 1]) % (DRIVER_CACHE_HEADER + size);
    entry[at] ^= (uint8_t)(1 + data[size / 2] % 255);
    require(!driver_cache_is_sound(key, entry, DRIVER_CACHE_HEADER + size));
    free(entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const verso_identity key = {{1, 2}}, other = {{2, 1}};
    if (driver_cache_is_sound(key, data, size))
        require(size > DRIVER_CACHE_HEADER && !driver_cache_is_sound(other, data, size) &&
                !driver_cache_is_sound(key, data, size - 1));
    if (size > 0)
        seal_and_damage(data, size);
    return 0;
}
