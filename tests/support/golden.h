/* Golden data: rows of tests/data/golden/NAME.csv by column name, and the schedules of its JSON files. Whatever is
 * missing or malformed fails the running test with file, line and column. tests/data/golden/README.md defines every
 * column. */
#ifndef VERSO_TESTS_GOLDEN_H
#define VERSO_TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/schedule.h>

#define GOLDEN_INF (~(verso_wide)0) /* what golden_wide gives for "inf", and golden_check takes for it */

/* ---- CSV -----------------------------------------------------------------------------------------------------------
 */

typedef struct golden golden;

golden *golden_open(const char *name); /* "revolve": VERSO_TEST_DATA "/golden/revolve.csv", before its first row */
bool golden_next(golden *rows);        /* goes to the next row; false after the last */
void golden_close(golden *rows);
size_t golden_line(const golden *rows); /* of the current row in the file, the header is line 1 */

bool golden_has(const golden *rows, const char *column);
const char *golden_text(const golden *rows, const char *column); /* valid until golden_next */
bool golden_is_empty(const golden *rows, const char *column);
bool golden_is_inf(const golden *rows, const char *column);
uint64_t golden_u64(const golden *rows, const char *column);
verso_wide golden_wide(const golden *rows, const char *column); /* "inf" is GOLDEN_INF */
/* Numbers separated by blanks; returns how many, at most `capacity` (more fail the test). */
size_t golden_list(const golden *rows, const char *column, uint64_t *values, size_t capacity);

/* Fails the test, naming the row, unless the cell is exactly this. An empty cell equals nothing. */
void golden_check(const golden *rows, const char *column, verso_wide actual);
void golden_check_list(const golden *rows, const char *column, const uint64_t *values, size_t count);

/* ---- JSON ----------------------------------------------------------------------------------------------------------
 */

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
    uint64_t write_cost, read_cost, forward_cost, backward_cost; /* 0, 0, 1, 0 where the file says nothing */
    uint64_t period;                                             /* m_X where given, else 0 */
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
