/* Input and output. The statements are calls of flang's run-time library, each of which is made once where a run is
 * repeated (cc/front/known_fortran.c). Here are those whose effect on memory does not show in their arguments:
 *
 *   - input to an array that is not contiguous goes to a copy first;
 *   - a namelist is a list of variables;
 *   - an internal unit is written while its statement goes on, so it is remembered until the statement ends.
 *
 * verso__real_X is the function X of flang's library. */
#include "native/lib/fortran/fortran.h"

bool verso__real_ioInputDescriptor(void *statement, const array *a);
bool verso__real_ioInputDerivedType(void *statement, const array *a, const void *table);
bool verso__real_ioInputNamelist(void *statement, const namelist *group);
int verso__real_ioEndIoStatement(void *statement);
void verso__real_RandomNumber(const array *a, const char *file, int line);

/* ---- Input ---- */

void verso__fortran_copy_aside(array *copy, const array *a) {
    copy_descriptor(copy, a);
    copy->attribute = ALLOCATABLE;
    if (!verso__fortran_allocate(copy))
        verso__fortran_fail("input: there is no memory for a copy of the array", NULL, 0);
    verso__fortran_copy_all(copy, a);
}

bool _FortranAioInputDescriptor(void *statement, const array *a) {
    room room;
    array *copy = (array *)room.bytes;
    bool aside = !is_contiguous(a);
    if (has_numbers(a))
        verso__fortran_text_in(statement);
    if (aside)
        verso__fortran_copy_aside(copy, a);
    bool fine = verso__real_ioInputDescriptor(statement, aside ? copy : a);
    if (fine)
        verso__fortran_moved(statement, aside ? copy : a, NULL, false);
    if (!aside)
        return fine;
    verso__fortran_copy_all(a, copy);
    verso__fortran_free(copy);
    return fine;
}

bool _FortranAioInputDerivedType(void *statement, const array *a, const void *table) {
    room room;
    array *copy = (array *)room.bytes;
    bool aside = !is_contiguous(a);
    verso__fortran_text_in(statement);
    if (aside)
        verso__fortran_copy_aside(copy, a);
    bool fine = verso__real_ioInputDerivedType(statement, aside ? copy : a, table);
    if (fine)
        verso__fortran_moved(statement, aside ? copy : a, table, false);
    if (!aside)
        return fine;
    verso__fortran_copy_all(a, copy);
    verso__fortran_free(copy);
    return fine;
}

void _FortranARandomNumber(const array *a, const char *file, int line) {
    room room;
    array *copy = (array *)room.bytes;
    if (is_contiguous(a)) {
        verso__real_RandomNumber(a, file, line);
        return;
    }
    verso__fortran_copy_aside(copy, a);
    verso__real_RandomNumber(copy, file, line);
    verso__fortran_copy_all(a, copy);
    verso__fortran_free(copy);
}

/* ---- Namelists ---- */

bool _FortranAioInputNamelist(void *statement, const namelist *group) {
    if (verso__fortran_group_has_numbers(group))
        verso__fortran_text_in(statement);
    bool fine = verso__real_ioInputNamelist(statement, group);
    for (size_t i = 0; i < group->count; i++)
        verso__fortran_was_read(group->items[i].a);
    return fine;
}

/* ---- Internal units ---- */

enum { STATEMENTS = 16 }; /* statements within statements, by functions in their lists */

static struct {
    void *statement;
    char *text;
    uint64_t bytes;
} internal[STATEMENTS];

static void *remember(void *statement, char *text, uint64_t bytes) {
    for (int i = 0; i < STATEMENTS; i++)
        if (internal[i].statement == NULL) {
            internal[i].statement = statement;
            internal[i].text = text;
            internal[i].bytes = bytes;
            return statement;
        }
    verso__fortran_fail("too many statements with internal units within each other", NULL, 0);
}

void *verso__real_ioBeginInternalListOutput(char *text, size_t bytes, void **area, size_t area_bytes, const char *file,
                                            int line);
void *verso__real_ioBeginInternalFormattedOutput(char *text, size_t bytes, const char *format, size_t length,
                                                 const array *formats, void **area, size_t area_bytes, const char *file,
                                                 int line);
void *verso__real_ioBeginInternalArrayListOutput(const array *a, void **area, size_t area_bytes, const char *file,
                                                 int line);
void *verso__real_ioBeginInternalArrayFormattedOutput(const array *a, const char *format, size_t length,
                                                      const array *formats, void **area, size_t area_bytes,
                                                      const char *file, int line);

void *_FortranAioBeginInternalListOutput(char *text, size_t bytes, void **area, size_t area_bytes, const char *file,
                                         int line) {
    return remember(verso__real_ioBeginInternalListOutput(text, bytes, area, area_bytes, file, line), text, bytes);
}

void *_FortranAioBeginInternalFormattedOutput(char *text, size_t bytes, const char *format, size_t length,
                                              const array *formats, void **area, size_t area_bytes, const char *file,
                                              int line) {
    return remember(
        verso__real_ioBeginInternalFormattedOutput(text, bytes, format, length, formats, area, area_bytes, file, line),
        text, bytes);
}

/* The elements of an array unit are contiguous, or refused. */
static uint64_t bytes_of(const array *a) {
    if (!is_contiguous(a))
        verso__fortran_fail("an internal unit that is a section of an array with gaps; write to a contiguous array",
                            NULL, 0);
    return (uint64_t)elements(a) * a->bytes;
}

void *_FortranAioBeginInternalArrayListOutput(const array *a, void **area, size_t area_bytes, const char *file,
                                              int line) {
    return remember(verso__real_ioBeginInternalArrayListOutput(a, area, area_bytes, file, line), a->base, bytes_of(a));
}

void *_FortranAioBeginInternalArrayFormattedOutput(const array *a, const char *format, size_t length,
                                                   const array *formats, void **area, size_t area_bytes,
                                                   const char *file, int line) {
    return remember(
        verso__real_ioBeginInternalArrayFormattedOutput(a, format, length, formats, area, area_bytes, file, line),
        a->base, bytes_of(a));
}

int _FortranAioEndIoStatement(void *statement) {
    int status = verso__real_ioEndIoStatement(statement);
    verso__fortran_statement_ends(statement);
    for (int i = STATEMENTS - 1; i >= 0; i--)
        if (internal[i].statement == statement) {
            verso__fortran_was_written(internal[i].text, internal[i].bytes);
            internal[i].statement = NULL;
            break;
        }
    return status;
}

/* ---- Inquiries whose results are integers in memory ---- */

static void put(void *result, int i, int kind, int64_t value) {
    char *to = (char *)result + i * kind;
    switch (kind) {
    case 1: *(int8_t *)to = (int8_t)value; return;
    case 2: *(int16_t *)to = (int16_t)value; return;
    case 4: *(int32_t *)to = (int32_t)value; return;
    default: *(int64_t *)to = value;
    }
}

void _FortranALbound(void *result, const array *a, int kind, const char *file, int line) {
    (void)file, (void)line;
    for (int i = 0; i < a->rank; i++)
        put(result, i, kind, a->dim[i].lower);
}

void _FortranAUbound(void *result, const array *a, int kind, const char *file, int line) {
    (void)file, (void)line;
    for (int i = 0; i < a->rank; i++)
        put(result, i, kind, a->dim[i].lower + a->dim[i].count - 1);
}

void _FortranAShape(void *result, const array *a, int kind, const char *file, int line) {
    (void)file, (void)line;
    for (int i = 0; i < a->rank; i++)
        put(result, i, kind, a->dim[i].count);
}

/* ---- Characters in place ---- */

size_t _FortranACharacterAppend1(char *text, size_t bytes, size_t offset, const char *more, size_t length) {
    size_t room = bytes - offset, taken = length < room ? length : room;
    memcpy(text + offset, more, taken);
    return offset + taken;
}

void _FortranACharacterPad1(char *text, size_t bytes, size_t offset) {
    if (bytes > offset)
        memset(text + offset, ' ', bytes - offset);
}
