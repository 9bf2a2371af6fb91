/* libFuzzer target: reads arbitrary bytes as the file with the position of a durable VLAD program. It is refused or
 * read correctly; the checksum is corrected, so that the checks after it are reached. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/words.h"
#include "vlad/record.h"

static void require(bool holds) {
    if (!holds)
        abort();
}

static void try_file(const char *file, size_t size) {
    vlad_record record;
    verso_error error = {0};
    verso_status status = vlad_record_parse(file, size, &record, &error);
    require(status == VERSO_STATUS_OK ||
            (status == VERSO_STATUS_CORRUPT && error.status == status && record.bytes == NULL));
    if (status == VERSO_STATUS_OK)
        require(record.word_count <= VLAD_RECORD_WORDS && (record.size == 0) == (record.bytes == NULL) &&
                size == (7 + record.word_count) * VERSO_WORD + record.size);
    vlad_record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_file((const char *)data, size);
    if (size < VERSO_WORD)
        return 0;
    char *copy = malloc(size);
    require(copy != NULL);
    memcpy(copy, data, size);
    unsigned char *sum = (unsigned char *)copy + size - VERSO_WORD;
    verso__put_word(&sum, verso__checksum(copy, size - VERSO_WORD));
    try_file(copy, size);
    free(copy);
    return 0;
}
