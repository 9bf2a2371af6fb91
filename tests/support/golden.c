/* Golden data in CSV: a header line, then one line per row; cells contain neither commas nor quotes. */
#include "golden.h"
#include "base/wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLUMNS_MAX = 32, PATH_BYTES = 512 };

struct golden {
    char path[PATH_BYTES];
    FILE *file;
    size_t line;
    size_t column_count;
    char *header; /* the header line, cut at the commas */
    char *names[COLUMNS_MAX];
    char *row; /* the current line, cut likewise */
    size_t row_bytes;
    char *cells[COLUMNS_MAX];
};

static size_t cut(char *line, char *cells[COLUMNS_MAX]) {
    line[strcspn(line, "\r\n")] = '\0';
    size_t count = 0;
    for (char *at = line; at != NULL && count < COLUMNS_MAX; count++) {
        cells[count] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
    return count;
}

golden *golden_open(const char *name) {
    golden *rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    snprintf(rows->path, sizeof rows->path, "%s/golden/%s.csv", VERSO_TEST_DATA, name);
    rows->file = fopen(rows->path, "r");
    if (rows->file == NULL)
        fail_msg("%s: cannot be opened", rows->path);
    size_t bytes = 0;
    if (getline(&rows->header, &bytes, rows->file) < 0)
        fail_msg("%s: has no header", rows->path);
    rows->column_count = cut(rows->header, rows->names);
    rows->line = 1;
    return rows;
}

bool golden_next(golden *rows) {
    if (getline(&rows->row, &rows->row_bytes, rows->file) < 0)
        return false;
    rows->line++;
    size_t count = cut(rows->row, rows->cells);
    if (count != rows->column_count)
        fail_msg("%s:%zu: %zu cells, the header has %zu", rows->path, rows->line, count, rows->column_count);
    return true;
}

void golden_close(golden *rows) {
    if (rows->line < 2)
        fail_msg("%s: no row was read", rows->path);
    fclose(rows->file);
    free(rows->header);
    free(rows->row);
    free(rows);
}

size_t golden_line(const golden *rows) {
    return rows->line;
}

bool golden_has(const golden *rows, const char *column) {
    for (size_t i = 0; i < rows->column_count; i++)
        if (strcmp(rows->names[i], column) == 0)
            return true;
    return false;
}

const char *golden_text(const golden *rows, const char *column) {
    for (size_t i = 0; i < rows->column_count; i++)
        if (strcmp(rows->names[i], column) == 0)
            return rows->cells[i];
    fail_msg("%s:%zu: no column \"%s\"", rows->path, rows->line, column);
    return "";
}

bool golden_is_empty(const golden *rows, const char *column) {
    return golden_text(rows, column)[0] == '\0';
}

bool golden_is_inf(const golden *rows, const char *column) {
    return strcmp(golden_text(rows, column), "inf") == 0;
}

/* Reads digits at *text and moves *text past them. Returns false if there are none or too many. */
static bool digits(const char **text, verso__wide *value) {
    const char *start = *text;
    *value = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++)
        *value = *value * 10 + (unsigned)(**text - '0');
    return *text > start && *text - start <= 37;
}

verso__wide golden_wide(const golden *rows, const char *column) {
    const char *text = golden_text(rows, column);
    verso__wide value = 0;
    if (strcmp(text, "inf") == 0)
        return GOLDEN_INF;
    if (!digits(&text, &value) || *text != '\0')
        fail_msg("%s:%zu: %s is no number: \"%s\"", rows->path, rows->line, column, golden_text(rows, column));
    return value;
}

uint64_t golden_u64(const golden *rows, const char *column) {
    verso__wide value = golden_wide(rows, column);
    if (value > UINT64_MAX)
        fail_msg("%s:%zu: %s does not fit: \"%s\"", rows->path, rows->line, column, golden_text(rows, column));
    return (uint64_t)value;
}

size_t golden_list(const golden *rows, const char *column, uint64_t *values, size_t capacity) {
    const char *text = golden_text(rows, column);
    size_t count = 0;
    while (*text != '\0') {
        verso__wide value = 0;
        if (!digits(&text, &value) || (*text != ' ' && *text != '\0') || value > UINT64_MAX || count == capacity)
            fail_msg("%s:%zu: %s is no list of at most %zu numbers: \"%s\"", rows->path, rows->line, column, capacity,
                     golden_text(rows, column));
        values[count++] = (uint64_t)value;
        text += strspn(text, " ");
    }
    return count;
}

/* Writes decimal digits at the end of `text`. The tests do not use the library's function, which they check. */
static const char *shown(verso__wide value, char text[VERSO_WIDE_TEXT]) {
    if (value == GOLDEN_INF)
        return "inf";
    char *at = text + VERSO_WIDE_TEXT - 1;
    *at = '\0';
    do
        *--at = (char)('0' + (int)(value % 10));
    while ((value /= 10) != 0);
    return at;
}

void golden_check(const golden *rows, const char *column, verso__wide actual) {
    char text[VERSO_WIDE_TEXT];
    if (golden_is_empty(rows, column) || golden_wide(rows, column) != actual)
        fail_msg("%s:%zu: %s is \"%s\", got %s", rows->path, rows->line, column, golden_text(rows, column),
                 shown(actual, text));
}

void golden_check_list(const golden *rows, const char *column, const uint64_t *values, size_t count) {
    uint64_t *wanted = malloc((count + 1) * sizeof *wanted);
    assert_non_null(wanted);
    size_t wanted_count = golden_list(rows, column, wanted, count + 1);
    if (wanted_count != count)
        fail_msg("%s:%zu: %s is \"%s\", got %zu numbers", rows->path, rows->line, column, golden_text(rows, column),
                 count);
    for (size_t i = 0; i < count; i++)
        if (values[i] != wanted[i])
            fail_msg("%s:%zu: %s is \"%s\", got %llu as number %zu", rows->path, rows->line, column,
                     golden_text(rows, column), (unsigned long long)values[i], i);
    free(wanted);
}
