/* Functions of the C library's streams that allocate or grow memory. They use the program's heap
 * (native/state.h), because the C library could not grow a block of that heap. Also functions whose checked
 * versions (_chk) have another order of arguments. */
#define _GNU_SOURCE
#include "native/state.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

static int print_allocated(char **text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *made = length < 0 ? NULL : verso__native_malloc((size_t)length + 1);
    if (made != NULL)
        length = vsnprintf(made, (size_t)length + 1, format, again);
    va_end(again);
    *text = made;
    return made == NULL ? -1 : length;
}

int verso__lib_vasprintf(char **text, const char *format, va_list arguments) {
    return print_allocated(text, format, arguments);
}

int verso__lib___vasprintf_chk(char **text, int flag, const char *format, va_list arguments) {
    (void)flag;
    return print_allocated(text, format, arguments);
}

int verso__lib_asprintf(char **text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = print_allocated(text, format, arguments);
    va_end(arguments);
    return length;
}

int verso__lib___asprintf_chk(char **text, int flag, const char *format, ...) {
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int length = print_allocated(text, format, arguments);
    va_end(arguments);
    return length;
}

/* ---- Lines ---- */

static int make_room(char **line, size_t *room, size_t needed) {
    if (*line != NULL && *room >= needed)
        return 0;
    size_t wanted = *line == NULL || *room < 60 ? 120 : 2 * *room;
    char *grown = verso__native_realloc(*line, wanted < needed ? needed : wanted);
    if (grown == NULL) {
        errno = ENOMEM;
        return -1;
    }
    *line = grown;
    *room = wanted < needed ? needed : wanted;
    return 0;
}

static ssize_t read_line(char **line, size_t *room, int last, FILE *stream) {
    size_t length = 0;
    if (line == NULL || room == NULL) {
        errno = EINVAL;
        return -1;
    }
    for (int next = 0; next != last || length == 0;) {
        next = getc(stream);
        if (next == EOF)
            break;
        if (length >= SSIZE_MAX - 1 || make_room(line, room, length + 2) != 0)
            return -1;
        (*line)[length++] = (char)next;
        if (next == last)
            break;
    }
    if (length == 0)
        return -1;
    (*line)[length] = '\0';
    return (ssize_t)length;
}

ssize_t verso__lib_getdelim(char **line, size_t *room, int last, FILE *stream) {
    return read_line(line, room, last, stream);
}

ssize_t verso__lib___getdelim(char **line, size_t *room, int last, FILE *stream) {
    return read_line(line, room, last, stream);
}

ssize_t verso__lib_getline(char **line, size_t *room, FILE *stream) {
    return read_line(line, room, '\n', stream);
}

size_t verso__lib___fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream) {
    (void)room;
    return fread(data, size, count, stream);
}
