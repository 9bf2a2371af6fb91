/* A file that saves a point of a durable evaluation: some numbers, and a value as bytes. It is written atomically,
 * and checked field by field when it is read; the caller checks what the numbers mean. */
#ifndef VLAD_RECORD_H
#define VLAD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/identity.h>
#include <verso/status.h>

enum { VLAD_RECORD_WORDS = 320 };

typedef struct vlad_record {
    verso_identity identity; /* of the computation */
    uint64_t words[VLAD_RECORD_WORDS];
    size_t word_count;
    char *bytes; /* a value (bytes.h); NULL: none */
    size_t size;
} vlad_record;

/* Parses the contents of a file; the bytes may be arbitrary (there is a fuzz test). The caller frees the record
 * with vlad_record_free. Returns VERSO_STATUS_CORRUPT if they are not a record. */
verso_status vlad_record_parse(const char *file, size_t size, vlad_record *record, verso_error *error);
/* Reads a file. Sets *there to whether it exists. VERSO_STATUS_CORRUPT: it is damaged; the message names it. */
verso_status vlad_record_read(const char *path, vlad_record *record, bool *there, verso_error *error);
/* Replaces the file. If the process dies, the file holds either the old or the new record. */
verso_status vlad_record_write(const char *path, const vlad_record *record, verso_error *error);
void vlad_record_free(vlad_record *record);

#endif
