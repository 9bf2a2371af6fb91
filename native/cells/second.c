/* Tangents of what is in memory and of adjoints, for code that computes second derivatives (cc/second). They are in
 * mirrors (VERSO_MIRROR), beside which there is nothing: no guards, no marks, and no doubles at odd multiples of 4.
 * What would need those is refused. */
#include "native/cells/cells.h"

#include <string.h>

enum { UNIT = 4 };

/* Cells in a mirror: `count` of them, `size` bytes each, of numbers that are `size` bytes apart. */
typedef struct cells {
    char *first;
    size_t count, size;
} cells;

static char *mirror_of_double(uintptr_t at) {
    return verso__native_mirror(verso__native_address(at + (uint64_t)VERSO_SHADOW));
}

static char *mirror_of_float(uintptr_t at) {
    return verso__native_mirror(verso__native_address(at + (uint64_t)VERSO_SHADOW_FLOAT));
}

/* The cells of doubles whose first half lies in the memory. */
static cells doubles_in(const void *data, uint64_t size) {
    uintptr_t first = ((uintptr_t)data + 7) & ~(uintptr_t)7, end = (uintptr_t)data + size;
    return (cells){mirror_of_double(first), first + UNIT <= end ? (end - first - UNIT) / 8 + 1 : 0, sizeof(double)};
}

static cells floats_in(const void *data, uint64_t size) {
    uintptr_t first = ((uintptr_t)data + UNIT - 1) & ~(uintptr_t)(UNIT - 1), end = (uintptr_t)data + size;
    bool any = verso__native_uses(VERSO_NATIVE_FLOAT) && first + UNIT <= end;
    return (cells){mirror_of_float(first), any ? (end - first) / UNIT : 0, sizeof(float)};
}

static bool is_zero(const char *cell, size_t size) {
    static const char nothing[sizeof(double)];
    return memcmp(cell, nothing, size) == 0;
}

static bool are_zero(cells some) {
    for (size_t i = 0; i < some.count; i++)
        if (!is_zero(some.first + i * some.size, some.size))
            return false;
    return true;
}

static bool are_all_zero(const void *data, uint64_t size) {
    return are_zero(doubles_in(data, size)) && are_zero(floats_in(data, size));
}

void verso__native_second_clear(void *data, uint64_t size) {
    char *begin = verso__native_mirror(data);
    if (size > 0)
        verso__native_shadow_clear(begin, begin + size);
}

void verso__native_second_sweep_clear(void *data, uint64_t size) {
    const cells all[] = {doubles_in(data, size), floats_in(data, size)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].count > 0)
            verso__native_shadow_clear(all[i].first, all[i].first + all[i].count * all[i].size);
}

/* ---- Copies ---- */

static _Noreturn void refuse_odd(void) {
    verso__native_refuse(
        "a double is copied to or from an address that is no multiple of 8, which second derivatives do "
        "not follow; align it");
}

static void move_one(char *from, char *to, size_t size) {
    if (size == sizeof(double)) {
        double added, sum;
        memcpy(&added, from, size);
        memcpy(&sum, to, size);
        sum += added;
        memcpy(to, &sum, size);
    } else {
        float added, sum;
        memcpy(&added, from, size);
        memcpy(&sum, to, size);
        sum += added;
        memcpy(to, &sum, size);
    }
    memset(from, 0, size);
}

/* Each cell must be moved before something is added to it, so the order is opposite to that of the copy. */
static void move(cells some, ptrdiff_t distance) {
    for (size_t i = 0; i < some.count; i++) {
        char *from = some.first + (distance > 0 ? some.count - 1 - i : i) * some.size;
        if (!is_zero(from, some.size))
            move_one(from, from + distance, some.size);
    }
}

void verso__native_second_sweep_copy(void *destination, void *source, uint64_t size) {
    ptrdiff_t distance = (char *)source - (char *)destination;
    cells doubles = doubles_in(destination, size);
    if (distance == 0 || size == 0)
        return;
    if (distance % UNIT == 0)
        move(floats_in(destination, size), distance);
    if (distance % 8 == 0)
        move(doubles, distance);
    if (!are_all_zero(destination, distance % 8 == 0 ? 0 : size))
        refuse_odd();
}

/* ---- Single numbers ---- */

void verso__native_second_opaque(void *data, uint64_t size, const char *message) {
    if (!are_all_zero(data, size))
        verso__native_refuse(message);
}

static char *cell_at(void *data, uint64_t kind) {
    uintptr_t at = (uintptr_t)data;
    if (kind == VERSO_NATIVE_FLOAT)
        return at % UNIT == 0 ? mirror_of_float(at) : NULL;
    return kind == VERSO_NATIVE_DOUBLE && at % 8 == 0 ? mirror_of_double(at) : NULL;
}

void verso__native_second_read(void *data, uint64_t kind, double tangent, const char *message) {
    char *cell = cell_at(data, kind);
    if (cell == NULL)
        verso__native_refuse_lost(tangent, message);
    else if (kind == VERSO_NATIVE_FLOAT)
        *(float *)(void *)cell += (float)tangent;
    else
        *(double *)(void *)cell += tangent;
}

double verso__native_second_write(void *data, uint64_t kind) {
    char *cell = cell_at(data, kind);
    double tangent = 0;
    if (cell == NULL)
        return 0;
    tangent = kind == VERSO_NATIVE_FLOAT ? (double)*(float *)(void *)cell : *(double *)(void *)cell;
    memset(cell, 0, kind == VERSO_NATIVE_FLOAT ? sizeof(float) : sizeof(double));
    return tangent;
}

void verso__native_second_odd(void *data, uint64_t before) {
    (void)data, (void)before;
    refuse_odd();
}

void verso__native_second_changed(uint64_t noted, const char *message) {
    if (noted != 0)
        verso__native_refuse(message);
}
