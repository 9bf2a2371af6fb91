/* A text that grows. */
#ifndef VLAD_WRITER_H
#define VLAD_WRITER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vlad_writer {
    char *text; /* ends with NUL; NULL: nothing was written */
    size_t size, room;
    bool failed; /* out of memory: all further writes are ignored */
} vlad_writer;

/* Append to the text; vlad_writer_free frees it. */
void vlad_write(vlad_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vlad_write_bytes(vlad_writer *writer, const char *bytes, size_t size);
void vlad_writer_free(vlad_writer *writer);

#endif
