/* libFuzzer target: arbitrary bytes as archives, unchanged and with the magic of a normal and of a thin archive.
 * Members and their names must be inside of the archive, and reading must end. */
#include "cc/driver/archive.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds) {
    if (!holds)
        abort();
}

static void run(const uint8_t *data, size_t size) {
    if (!driver_is_archive(data, size))
        return;
    driver_archive archive;
    driver_archive_open(data, size, &archive);
    for (size_t last = 0;;) {
        driver_member member;
        verso_error error = {0};
        bool more;
        verso_status status = driver_archive_next(&archive, "some.a", &member, &more, &error);
        if (status != VERSO_STATUS_OK)
            require(!more && status == VERSO_STATUS_CORRUPT && strstr(error.message, "some.a") != NULL);
        if (!more)
            return;
        require(member.header > last && member.header < size && size - member.header >= 60);
        last = member.header;
        const uint8_t *name = (const uint8_t *)member.name;
        require(name >= data && member.name_size <= size && (size_t)(name - data) <= size - member.name_size);
        require((member.bytes == NULL) == archive.thin);
        if (member.bytes != NULL)
            require(member.bytes > data && member.size <= size && (size_t)(member.bytes - data) <= size - member.size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    run(data, size);
    uint8_t *copy = size < 8 ? NULL : malloc(size);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    memcpy(copy, "!<arch>\n", 8);
    run(copy, size);
    memcpy(copy, "!<thin>\n", 8);
    run(copy, size);
    free(copy);
    return 0;
}
