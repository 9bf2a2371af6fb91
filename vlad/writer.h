/* Text that grows. */
#ifndef VLAD_WRITER_H
#define VLAD_WRITER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vlad_writer {
    char *text; /* with a 0 behind it; NULL: nothing was written */
    size_t size, room;
    bool failed; /* no memory: nothing is written from then on */
} vlad_writer;

void vlad_write(vlad_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vlad_write_bytes(vlad_writer *writer, const char *bytes, size_t size);
void vlad_writer_free(vlad_writer *writer);

#endif
