/* What generated code asks about calls of flang's run-time library: which memory they have written (descriptors have
 * the layout of native/lib/fortran/layout.h), and where in which files numbers are (native/lib/fortran/statements.c).
 * The library buffers files and keeps their positions, so it is asked for them, by INQUIRE. */
#include "native/run/inside.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct descriptor {
    void *base;
    uint64_t bytes;
    int32_t version;
    uint8_t rank, code, attribute, extra;
    struct {
        int64_t lower, count, stride;
    } dim[];
} descriptor;

void *verso__native_fortran_data(const void *array) {
    return array == NULL ? NULL : ((const descriptor *)array)->base;
}

uint64_t verso__native_fortran_bytes(const void *array) {
    const descriptor *read = array;
    if (array == NULL || read->base == NULL)
        return 0;
    uint64_t bytes = read->bytes;
    for (int i = 0; i < read->rank; i++)
        bytes *= (uint64_t)read->dim[i].count;
    return bytes;
}

/* Generated code calls these like functions of the outside world that have written the memory. */
void verso__fortran_was_read(const void *array);
void verso__fortran_was_written(char *data, uint64_t bytes);

void verso__fortran_was_read(const void *array) {
    (void)array;
}

void verso__fortran_was_written(char *data, uint64_t bytes) {
    (void)data;
    (void)bytes;
}

/* ---- Numbers in files ---- */

/* flang's library; weak, because other programs are not linked with it. */
extern void *_FortranAioBeginInquireUnit(int unit, const char *file, int line) __attribute__((weak));
extern bool _FortranAioInquireInteger64(void *inquiry, uint64_t keyword, int64_t *result, int kind)
    __attribute__((weak));
extern bool _FortranAioInquireCharacter(void *inquiry, uint64_t keyword, char *result, size_t length)
    __attribute__((weak));
extern bool _FortranAioInquireLogical(void *inquiry, uint64_t keyword, bool *result) __attribute__((weak));
extern int _FortranAioEndIoStatement(void *statement) __attribute__((weak));

enum { NAME_MOST = 4096, HEADER = 4 }; /* a sequential record begins with its length */

/* flang's number of a keyword, in capital letters. */
static uint64_t keyword(const char *name) {
    uint64_t number = 1;
    for (; *name != '\0'; name++)
        number = 26 * number + (uint64_t)(*name - 'A');
    return number;
}

typedef struct connection {
    char name[NAME_MOST]; /* "": the file has none */
    char access;          /* the second letter of SEQUENTIAL, DIRECT or STREAM; ' ': not connected */
    int64_t next;         /* offset in the file */
    int64_t record;       /* length of a record */
} connection;

/* Fortran fills texts up with blanks. */
static void end_text(char *text, size_t length) {
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
}

static void inquire(int unit, connection *found) {
    void *inquiry = _FortranAioBeginInquireUnit(unit, NULL, 0);
    bool named = false, opened = false;
    char access[16];
    memset(access, ' ', sizeof access);
    memset(found->name, ' ', sizeof found->name);
    found->next = 1;
    _FortranAioInquireLogical(inquiry, keyword("OPENED"), &opened);
    _FortranAioInquireLogical(inquiry, keyword("NAMED"), &named);
    if (opened) {
        _FortranAioInquireCharacter(inquiry, keyword("ACCESS"), access, sizeof access);
        _FortranAioInquireInteger64(inquiry, keyword("POS"), &found->next, 8);
        _FortranAioInquireInteger64(inquiry, keyword("RECL"), &found->record, 8);
    }
    if (opened && named)
        _FortranAioInquireCharacter(inquiry, keyword("NAME"), found->name, sizeof found->name - 1);
    _FortranAioEndIoStatement(inquiry);
    end_text(found->name, named ? sizeof found->name - 1 : 0);
    found->access = opened ? access[1] : ' ';
    found->next--;
}

/* A unit that is not connected yet will be connected to this file. Makes the file, so that it has an identity. */
static void name_unconnected(int unit, connection *found) {
    snprintf(found->name, sizeof found->name, "fort.%d", unit);
    int file = open(found->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0)
        close(file);
}

/* Where the next record of a unit begins. Generated code calls it before a statement begins, like a function of the
 * outside world. `place` gets the offset of the statement's first item in the file, and the length of a record with
 * direct access. Returns the number of the file; -1: numbers need not be followed. */
int64_t verso__fortran_unit(int unit, int unformatted, int64_t place[2]);
/* Numbers were written to a file, or read from it. */
void verso__fortran_wrote(int64_t number, char *data, uint64_t bytes, int64_t offset, int inactive);
void verso__fortran_read(int64_t number, char *data, uint64_t bytes, int64_t offset);
void verso__fortran_wrote_text(int64_t number, int64_t offset, int inactive);
/* A formatted READ of this line is about to read numbers. */
void verso__fortran_read_text(int64_t number, void *statement, int unit, const char *file, int line);
/* A statement of this line uses defined input or output. */
void verso__fortran_defined(void *statement, const char *file, int line);

int64_t verso__fortran_unit(int unit, int unformatted, int64_t place[2]) {
    connection found = {.record = 0};
    struct stat about;
    place[0] = place[1] = 0;
    if (verso__native_now.mode == VERSO_NATIVE_PRIMAL || _FortranAioBeginInquireUnit == NULL ||
        _FortranAioInquireInteger64 == NULL)
        return -1;
    inquire(unit, &found);
    if (found.access == ' ')
        name_unconnected(unit, &found);
    bool sequential = found.access == 'E' || found.access == ' ';
    place[0] = found.next + (unformatted != 0 && sequential ? HEADER : 0);
    place[1] = found.access == 'I' ? found.record : 0;
    if (found.name[0] == '\0' || stat(found.name, &about) != 0) /* a scratch file */
        return (int64_t)verso__native_file_number(UINT64_MAX, (uint64_t)(int64_t)unit);
    return S_ISREG(about.st_mode) ? (int64_t)verso__native_file_number(about.st_dev, about.st_ino) : -1;
}

void verso__fortran_wrote(int64_t number, char *data, uint64_t bytes, int64_t offset, int inactive) {
    verso__native_file_put((uint64_t)number, data, bytes, (uint64_t)offset, inactive != 0);
}

void verso__fortran_read(int64_t number, char *data, uint64_t bytes, int64_t offset) {
    verso__native_file_get((uint64_t)number, data, bytes, (uint64_t)offset);
}

void verso__fortran_wrote_text(int64_t number, int64_t offset, int inactive) {
    verso__native_file_put_text((uint64_t)number, (uint64_t)offset, inactive != 0);
}

/* The unit is usable after the refusal: the statement is ended. */
void verso__fortran_read_text(int64_t number, void *statement, int unit, const char *file, int line) {
    if (!verso__native_file_has_text((uint64_t)number))
        return;
    _FortranAioEndIoStatement(statement);
    verso__native_give_up(VERSO_STATUS_INVALID,
                          "%s:%d: READ of numbers from unit %d as text, which this run has written: text has no "
                          "derivatives; write and read the file unformatted, or, if no derivative passes through it, "
                          "put the READ in a procedure that a directive declares inactive (!verso$ inactive NAME)",
                          file != NULL ? file : "?", line, unit);
}

void verso__fortran_defined(void *statement, const char *file, int line) {
    _FortranAioEndIoStatement(statement);
    verso__native_give_up(VERSO_STATUS_INVALID,
                          "%s:%d: an unformatted statement with defined input or output (a procedure for the derived "
                          "type): Verso cannot follow numbers through it; list the components, or put the statement "
                          "in a procedure that a directive declares inactive (!verso$ inactive NAME)",
                          file != NULL ? file : "?", line);
}
