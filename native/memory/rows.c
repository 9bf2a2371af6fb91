/* The pointers to the rows of a matrix, whose extent generated code asks for: see cc/plan/tables.h. */
#include "native/memory/memory.h"

/* In a longer table the search would take too long. */
enum { ROWS_MOST = 1 << 18 };

static bool has_rows(int64_t bytes, int64_t stride) {
    return bytes > 0 && bytes / stride <= ROWS_MOST;
}

int64_t verso__native_least_row(int64_t table, int64_t bytes, int64_t stride) {
    if (!has_rows(bytes, stride))
        return INT64_MIN;
    int64_t least = INT64_MAX;
    for (int64_t at = table; at < table + bytes; at += stride) {
        int64_t row = *(const int64_t *)(uintptr_t)at;
        least = row < least ? row : least;
    }
    return least;
}

int64_t verso__native_greatest_row(int64_t table, int64_t bytes, int64_t stride) {
    if (!has_rows(bytes, stride))
        return INT64_MAX;
    int64_t greatest = INT64_MIN;
    for (int64_t at = table; at < table + bytes; at += stride) {
        int64_t row = *(const int64_t *)(uintptr_t)at;
        greatest = row > greatest ? row : greatest;
    }
    return greatest;
}

int64_t verso__native_rows_apart(int64_t table, int64_t bytes, int64_t stride, int64_t lo, int64_t hi, int64_t from,
                                 int64_t to) {
    if (!has_rows(bytes, stride))
        return 0;
    for (int64_t at = table; at < table + bytes; at += stride) {
        int64_t row = *(const int64_t *)(uintptr_t)at;
        if (row + lo < to && row + hi > from)
            return 0;
    }
    return 1;
}
