/* Reads golden data: rows of tests/data/golden/NAME.csv by column name, and the schedules of its JSON files. Missing
 * or malformed data fails the running test with file, line and column. tests/data/golden/README.md defines every
 * column. */
#ifndef VERSO_TESTS_GOLDEN_H
#define VERSO_TESTS_GOLDEN_H

#include "base/wide.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/schedule.h>

#define GOLDEN_INF (~(verso__wide)0) /* the number that represents "inf" in golden_wide and golden_check */

/* ---- CSV ---- */

typedef struct golden golden;

/* Opens VERSO_TEST_DATA "/golden/revolve.csv" for "revolve". golden_next goes to the first row. */
golden *golden_open(const char *name);
bool golden_next(golden *rows); /* goes to the next row; returns false after the last */
void golden_close(golden *rows);
size_t golden_line(const golden *rows); /* line number of the current row; the header is line 1 */

bool golden_has(const golden *rows, const char *column); /* the file has such a column */
/* The cell of the current row in a column, as text and as a number. The text is valid until golden_next. */
const char *golden_text(const golden *rows, const char *column);
bool golden_is_empty(const golden *rows, const char *column);
bool golden_is_inf(const golden *rows, const char *column);
uint64_t golden_u64(const golden *rows, const char *column);
verso__wide golden_wide(const golden *rows, const char *column); /* "inf" is GOLDEN_INF */
/* Reads numbers separated by blanks. Returns how many; fails the test if there are more than `capacity`. */
size_t golden_list(const golden *rows, const char *column, uint64_t *values, size_t capacity);

/* Fail the test, naming the row, unless the cell has exactly this value. An empty cell equals no value. */
void golden_check(const golden *rows, const char *column, verso__wide actual);
void golden_check_list(const golden *rows, const char *column, const uint64_t *values, size_t count);

/* ---- JSON ---- */

typedef enum golden_op_kind {
    GOLDEN_WRITE_MEMORY, /* W, Wm: store x_a */
    GOLDEN_READ_MEMORY,  /* R, Rm: restore x_a */
    GOLDEN_DROP_MEMORY,  /* D, Dm: discard x_a */
    GOLDEN_WRITE_DISK,   /* Wd */
    GOLDEN_READ_DISK,    /* Rd */
    GOLDEN_DROP_DISK,    /* Dd */
    GOLDEN_FORWARD,      /* F: from x_a to x_b */
    GOLDEN_REVERSE,      /* B: step a */
} golden_op_kind;

typedef struct golden_op {
    golden_op_kind kind;
    uint64_t a, b;
} golden_op;

typedef struct golden_schedule {
    char kind[32];                                               /* "revolve", "disk-revolve", "disk-a-revolve", … */
    uint64_t steps;                                              /* n; in disk_schedules_small it is l + 1 */
    uint64_t slots;                                              /* c or c_m */
    uint64_t write_cost, read_cost, forward_cost, backward_cost; /* 0, 0, 1, 0 if the file does not give them */
    uint64_t period;                                             /* m_X; 0: not given */
    bool has_makespan;
    uint64_t makespan;
    size_t op_count;
    golden_op *ops;
} golden_schedule;

typedef struct golden_schedules {
    size_t count;
    golden_schedule *schedules;
} golden_schedules;

golden_schedules *golden_schedules_open(const char *name); /* "schedules_small", "disk_schedules_small" */
void golden_schedules_close(golden_schedules *all);

#endif
