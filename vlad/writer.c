/* See writer.h. */
#include "vlad/writer.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 4096 };

static bool make_room(vlad_writer *writer, size_t more) {
    if (writer->failed || more >= SIZE_MAX / 4)
        return false;
    size_t room = writer->room == 0 ? FIRST_ROOM : writer->room;
    while (room - writer->size <= more)
        room *= 2;
    if (room == writer->room)
        return true;
    char *text = verso__realloc(writer->text, room, 1);
    writer->failed = text == NULL;
    if (text != NULL) {
        writer->text = text;
        writer->room = room;
    }
    return text != NULL;
}

void vlad_write_bytes(vlad_writer *writer, const char *bytes, size_t size) {
    if (!make_room(writer, size))
        return;
    memcpy(writer->text + writer->size, bytes, size);
    writer->size += size;
    writer->text[writer->size] = '\0';
}

void vlad_write(vlad_writer *writer, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int size = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (size < 0 || !make_room(writer, (size_t)size)) {
        writer->failed = true;
        return;
    }
    va_start(list, format);
    (void)vsnprintf(writer->text + writer->size, (size_t)size + 1, format, list);
    va_end(list);
    writer->size += (size_t)size;
}

void vlad_writer_free(vlad_writer *writer) {
    verso__dealloc(writer->text);
    *writer = (vlad_writer){0};
}
