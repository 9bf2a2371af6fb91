/* Input and output of numbers to files. Numbers that a statement writes to a file and another one reads from there keep
 * their derivatives (native/run/files.c): unformatted, by their offsets in the file. As text they have no derivatives,
 * and are refused when they are read.
 *
 * While a statement goes on, it is in a table, with the offset of its next item. */
#include "native/lib/fortran/fortran.h"

int64_t verso__fortran_unit(int unit, int unformatted, int64_t place[2]);
void verso__fortran_wrote(int64_t number, char *data, uint64_t bytes, int64_t offset, int inactive);
void verso__fortran_read(int64_t number, char *data, uint64_t bytes, int64_t offset);
void verso__fortran_wrote_text(int64_t number, int64_t offset, int inactive);
void verso__fortran_read_text(int64_t number, void *statement, int unit, const char *file, int line);
void verso__fortran_defined(void *statement, const char *file, int line);

enum { STATEMENTS = 16 }; /* statements within statements, by functions in their lists */
enum { NO_UNIT = -1 };

typedef struct statement {
    void *cookie; /* NULL: free */
    int unit;
    bool unformatted, inactive, told; /* told: the run time knows that it writes or reads text */
    int64_t number, offset, record;
    const char *file;
    int line;
} statement;

static statement going[STATEMENTS];
static int going_count; /* no statement is in the table from here on */
/* Set before a statement of a procedure that is declared inactive (cc/front/fortran.c). */
bool verso__fortran_next_inactive;

static statement *find(const void *cookie) {
    for (int i = going_count - 1; i >= 0; i--)
        if (going[i].cookie == cookie)
            return &going[i];
    return NULL;
}

/* Standard input and output are no files of numbers. */
static bool is_terminal(int unit) {
    return unit == 0 || unit == 5 || unit == 6;
}

/* The statement of a procedure for defined input or output belongs to that which has called it. */
static bool is_child(int unit) {
    for (int i = 0; i < going_count; i++)
        if (going[i].cookie != NULL && going[i].unit == unit)
            return true;
    return false;
}

/* Asks where the unit is, which must be done before the statement begins. Returns the number of its file. */
static int64_t place_of(int unit, bool unformatted, int64_t place[2]) {
    place[0] = place[1] = 0;
    return is_terminal(unit) || is_child(unit) ? NO_UNIT : verso__fortran_unit(unit, unformatted, place);
}

static void *enter(void *cookie, int unit, bool unformatted, int64_t number, const int64_t place[2], const char *file,
                   int line) {
    bool inactive = verso__fortran_next_inactive;
    verso__fortran_next_inactive = false;
    if (number == NO_UNIT)
        return cookie;
    int i = 0;
    while (i < STATEMENTS && going[i].cookie != NULL)
        i++;
    if (i == STATEMENTS)
        verso__fortran_fail("too many statements of input and output within each other", file, line);
    statement *new = &going[i];
    new->cookie = cookie;
    new->unit = unit;
    new->unformatted = unformatted;
    new->inactive = inactive;
    new->told = false;
    new->number = number;
    new->offset = place[0];
    new->record = place[1];
    new->file = file;
    new->line = line;
    if (i >= going_count)
        going_count = i + 1;
    return cookie;
}

void verso__fortran_statement_ends(const void *cookie) {
    statement *ends = find(cookie);
    if (ends != NULL)
        ends->cookie = NULL;
    while (going_count > 0 && going[going_count - 1].cookie == NULL)
        going_count--;
}

/* ---- Statements ---- */

void *verso__real_ioBeginUnformattedOutput(int unit, const char *file, int line);
void *verso__real_ioBeginUnformattedInput(int unit, const char *file, int line);
void *verso__real_ioBeginExternalListOutput(int unit, const char *file, int line);
void *verso__real_ioBeginExternalListInput(int unit, const char *file, int line);
void *verso__real_ioBeginExternalFormattedOutput(const char *format, size_t length, const array *formats, int unit,
                                                 const char *file, int line);
void *verso__real_ioBeginExternalFormattedInput(const char *format, size_t length, const array *formats, int unit,
                                                const char *file, int line);
bool verso__real_ioSetRec(void *cookie, int64_t record);
bool verso__real_ioSetPos(void *cookie, int64_t position);

void *_FortranAioBeginUnformattedOutput(int unit, const char *file, int line) {
    int64_t place[2], number = place_of(unit, true, place);
    return enter(verso__real_ioBeginUnformattedOutput(unit, file, line), unit, true, number, place, file, line);
}

void *_FortranAioBeginUnformattedInput(int unit, const char *file, int line) {
    int64_t place[2], number = place_of(unit, true, place);
    return enter(verso__real_ioBeginUnformattedInput(unit, file, line), unit, true, number, place, file, line);
}

void *_FortranAioBeginExternalListOutput(int unit, const char *file, int line) {
    int64_t place[2], number = place_of(unit, false, place);
    return enter(verso__real_ioBeginExternalListOutput(unit, file, line), unit, false, number, place, file, line);
}

void *_FortranAioBeginExternalListInput(int unit, const char *file, int line) {
    int64_t place[2], number = place_of(unit, false, place);
    return enter(verso__real_ioBeginExternalListInput(unit, file, line), unit, false, number, place, file, line);
}

void *_FortranAioBeginExternalFormattedOutput(const char *format, size_t length, const array *formats, int unit,
                                              const char *file, int line) {
    int64_t place[2], number = place_of(unit, false, place);
    return enter(verso__real_ioBeginExternalFormattedOutput(format, length, formats, unit, file, line), unit, false,
                 number, place, file, line);
}

void *_FortranAioBeginExternalFormattedInput(const char *format, size_t length, const array *formats, int unit,
                                             const char *file, int line) {
    int64_t place[2], number = place_of(unit, false, place);
    return enter(verso__real_ioBeginExternalFormattedInput(format, length, formats, unit, file, line), unit, false,
                 number, place, file, line);
}

bool _FortranAioSetRec(void *cookie, int64_t record) {
    statement *goes = find(cookie);
    if (goes != NULL)
        goes->offset = (record - 1) * goes->record;
    return verso__real_ioSetRec(cookie, record);
}

bool _FortranAioSetPos(void *cookie, int64_t position) {
    statement *goes = find(cookie);
    if (goes != NULL)
        goes->offset = position - 1;
    return verso__real_ioSetPos(cookie, position);
}

/* ---- Items ---- */

bool verso__real_ioOutputDescriptor(void *cookie, const array *a);
bool verso__real_ioOutputDerivedType(void *cookie, const array *a, const void *table);
bool verso__real_ioOutputNamelist(void *cookie, const namelist *group);
bool verso__real_ioOutputReal32(void *cookie, float value);
bool verso__real_ioOutputReal64(void *cookie, double value);
bool verso__real_ioOutputComplex32(void *cookie, float real, float imaginary);
bool verso__real_ioOutputComplex64(void *cookie, double real, double imaginary);
bool verso__real_ioInputReal32(void *cookie, float *value);
bool verso__real_ioInputReal64(void *cookie, double *value);
bool verso__real_ioInputComplex32(void *cookie, float value[2]);
bool verso__real_ioInputComplex64(void *cookie, double value[2]);

/* Numbers go out as text. */
static void text_out(const void *cookie) {
    statement *goes = find(cookie);
    if (goes == NULL || goes->unformatted || goes->told)
        return;
    goes->told = true;
    verso__fortran_wrote_text(goes->number, goes->offset, goes->inactive);
}

void verso__fortran_text_in(const void *cookie) {
    statement *goes = find(cookie);
    if (goes == NULL || goes->unformatted || goes->told || goes->inactive)
        return;
    goes->told = true;
    verso__fortran_read_text(goes->number, goes->cookie, goes->unit, goes->file, goes->line);
}

/* Contiguous bytes went to the file, or came from there. */
static void moved(statement *goes, char *data, uint64_t bytes, bool out, bool numbers) {
    if (out)
        verso__fortran_wrote(goes->number, data, bytes, goes->offset, goes->inactive || !numbers);
    else if (numbers && !goes->inactive)
        verso__fortran_read(goes->number, data, bytes, goes->offset);
    goes->offset += (int64_t)bytes;
}

/* flang's list of procedures for defined input and output that are not bound to their type. */
typedef struct defined {
    const type *type;
    void (*procedure)(void);
    int which; /* 0 to 3: READ(FORMATTED), READ(UNFORMATTED), WRITE(FORMATTED), WRITE(UNFORMATTED) */
    bool polymorphic;
} defined;
typedef struct defined_table {
    size_t count;
    const defined *list;
} defined_table;

static bool is_defined(const type *type, const defined_table *table) {
    enum { READ_UNFORMATTED = 4, WRITE_UNFORMATTED = 6 }; /* in the type's own table */
    for (size_t i = 0; table != NULL && i < table->count; i++)
        if (table->list[i].type == type && table->list[i].which % 2 == 1)
            return true;
    return verso__fortran_special(type, READ_UNFORMATTED) != NULL ||
           verso__fortran_special(type, WRITE_UNFORMATTED) != NULL;
}

/* An element of a derived type is written component by component, without gaps. */
static void moved_components(statement *goes, const type *type, const defined_table *table, char *at, bool out) {
    int64_t count;
    const component *components = verso__fortran_components(type, &count);
    if (is_defined(type, table) && !goes->inactive)
        verso__fortran_defined(goes->cookie, goes->file, goes->line);
    for (int64_t i = 0; i < count; i++) {
        room room;
        array *made = (array *)room.bytes;
        verso__fortran_component(&components[i], at, made);
        const struct type *inner = type_of(made);
        if (inner == NULL) {
            moved(goes, made->base, (uint64_t)elements(made) * made->bytes, out, has_numbers(made));
            continue;
        }
        for (int64_t j = 0; j < elements(made); j++)
            moved_components(goes, inner, table, made->base + (size_t)j * made->bytes, out);
    }
}

/* All elements of a contiguous array. */
void verso__fortran_moved(const void *cookie, const array *a, const void *defined, bool out) {
    const defined_table *table = defined;
    statement *goes = find(cookie);
    if (goes == NULL || !goes->unformatted)
        return;
    const type *type = a->code == TYPE_STRUCT ? type_of(a) : NULL;
    if (type == NULL) {
        moved(goes, a->base, (uint64_t)elements(a) * a->bytes, out, has_numbers(a));
        return;
    }
    for (int64_t j = 0; j < elements(a); j++)
        moved_components(goes, type, table, a->base + (size_t)j * a->bytes, out);
}

/* Returns whether the statement is unformatted, and its numbers are followed. */
static bool is_followed(const void *cookie) {
    const statement *goes = find(cookie);
    return goes != NULL && goes->unformatted;
}

/* Makes a contiguous copy of an array whose numbers are followed to a file. Returns the array itself if it need
 * not be copied. */
static const array *gathered(const void *cookie, const array *a, room *room) {
    if (is_contiguous(a) || !is_followed(cookie))
        return a;
    verso__fortran_copy_aside((array *)room->bytes, a);
    return (array *)room->bytes;
}

bool _FortranAioOutputDescriptor(void *cookie, const array *a) {
    room room;
    if (has_numbers(a))
        text_out(cookie);
    const array *out = gathered(cookie, a, &room);
    bool fine = verso__real_ioOutputDescriptor(cookie, out);
    if (fine)
        verso__fortran_moved(cookie, out, NULL, true);
    if (out != a)
        verso__fortran_free((array *)room.bytes);
    return fine;
}

bool _FortranAioOutputDerivedType(void *cookie, const array *a, const void *table) {
    room room;
    text_out(cookie);
    const array *out = gathered(cookie, a, &room);
    bool fine = verso__real_ioOutputDerivedType(cookie, out, table);
    if (fine)
        verso__fortran_moved(cookie, out, table, true);
    if (out != a)
        verso__fortran_free((array *)room.bytes);
    return fine;
}

bool verso__fortran_group_has_numbers(const namelist *group) {
    bool has = false;
    for (size_t i = 0; i < group->count; i++)
        has = has || has_numbers(group->items[i].a);
    return has;
}

bool _FortranAioOutputNamelist(void *cookie, const namelist *group) {
    if (verso__fortran_group_has_numbers(group))
        text_out(cookie);
    return verso__real_ioOutputNamelist(cookie, group);
}

bool _FortranAioOutputReal32(void *cookie, float value) {
    text_out(cookie);
    return verso__real_ioOutputReal32(cookie, value);
}

bool _FortranAioOutputReal64(void *cookie, double value) {
    text_out(cookie);
    return verso__real_ioOutputReal64(cookie, value);
}

bool _FortranAioOutputComplex32(void *cookie, float real, float imaginary) {
    text_out(cookie);
    return verso__real_ioOutputComplex32(cookie, real, imaginary);
}

bool _FortranAioOutputComplex64(void *cookie, double real, double imaginary) {
    text_out(cookie);
    return verso__real_ioOutputComplex64(cookie, real, imaginary);
}

bool _FortranAioInputReal32(void *cookie, float *value) {
    verso__fortran_text_in(cookie);
    return verso__real_ioInputReal32(cookie, value);
}

bool _FortranAioInputReal64(void *cookie, double *value) {
    verso__fortran_text_in(cookie);
    return verso__real_ioInputReal64(cookie, value);
}

bool _FortranAioInputComplex32(void *cookie, float value[2]) {
    verso__fortran_text_in(cookie);
    return verso__real_ioInputComplex32(cookie, value);
}

bool _FortranAioInputComplex64(void *cookie, double value[2]) {
    verso__fortran_text_in(cookie);
    return verso__real_ioInputComplex64(cookie, value);
}
