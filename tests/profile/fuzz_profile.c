/* libFuzzer target: files of profiles, from anyone, as they are and with magic, version and checksum put right. What is
 * read can be predicted from and written again as it was. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/words.h"
#include "profile/effects.h"
#include "profile/file.h"

static void require(bool holds) {
    if (!holds)
        abort();
}

static void use(const verso_profile *profile) {
    size_t count = verso_profile_sites(profile);
    bool *on = calloc(count + 1, sizeof *on);
    verso__effect *effects = calloc(count + 1, sizeof *effects);
    require(on != NULL && effects != NULL);
    for (int round = 0; round < 2; round++) {
        verso_profile_cost cost = verso__profile_effects(profile, on, effects);
        require(cost.turn_bytes <= cost.peak_bytes && cost.peak_bytes <= INT64_MAX && isfinite(cost.seconds));
        for (size_t i = 0; i < count; i++)
            on[i] = true;
    }
    free(on);
    free(effects);
}

static void run(const unsigned char *bytes, size_t size) {
    verso_profile *profile;
    verso_error error = {0};
    verso_status status = verso__profile_parse(bytes, size, "FILE", &profile, &error);
    require((status == VERSO_STATUS_OK) == (profile != NULL));
    if (status != VERSO_STATUS_OK) {
        require(status == VERSO_STATUS_CORRUPT && error.message[0] != '\0');
        return;
    }
    use(profile);
    size_t again;
    unsigned char *copy = verso__profile_bytes(profile, &again);
    require(copy != NULL && again == size && memcmp(copy, bytes, size) == 0);
    verso__dealloc(copy);
    verso_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    run(data, size);
    if (size < 3 * VERSO_WORD)
        return 0;
    unsigned char *bytes = malloc(size), *at = bytes;
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    verso__put_word(&at, 0x6672706f73726576);
    verso__put_word(&at, 1);
    at = bytes + size - VERSO_WORD;
    verso__put_word(&at, verso__checksum(bytes, size - VERSO_WORD));
    run(bytes, size);
    free(bytes);
    return 0;
}
