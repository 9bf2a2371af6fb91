/* What a foreign function that is declared inactive changes: nobody knows what it writes, so the memory behind its
 * pointers is looked at before the call and after it. Numbers that have changed are constants from there on.
 *
 * That much memory behind each of the first pointers is looked at: far enough for a result, a small vector or a struct,
 * and cheap beside the call. If the function has written up to the end of it, there may be more: then the next few
 * numbers get NaNs in place of derivatives, which are harmless where the memory was fresh. Numbers behind pointers in
 * structs, or further on, are not seen.
 *
 * Only memory is looked at that a capsule has: what lies elsewhere may not even be readable. */
#include "native/native.h"

#include <math.h>
#include <string.h>

enum { UNIT = 4, BEYOND = 64 };
static const uint64_t goes_on = UINT64_C(1) << 63;
_Static_assert(VERSO_NATIVE_LOOK % 8 == 0 && VERSO_NATIVE_LOOK / UNIT < 63, "a bit a unit, and one that it goes on");

/* A pointer to an odd multiple of 4 is none to a double. */
static char *first_unit(void *data) {
    return (char *)data - (uintptr_t)data % UNIT;
}

static size_t left_in(const char *at, const char *begin, const char *end) {
    return at >= begin && at < end ? (size_t)(end - at) : 0;
}

static size_t left_in_regions(const char *at, const verso_array *regions, size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count && left == 0; i++) {
        const char *data = regions[i].data;
        left = left_in(at, data, data + regions[i].count * verso_native_scalar_size(regions[i].type));
    }
    return left;
}

/* How many bytes from there on are memory of the program. Of its image only the page at hand is sure to be there. */
static size_t readable(const char *at) {
    const verso_native_job *job = verso_native_runtime.job;
    verso_native_range heap = verso_native_arena_used(), program = verso_native_program();
    size_t left = left_in(at, heap.begin, heap.end);
    if (left == 0)
        left = left_in(at, verso_native_address(VERSO_NATIVE_STACK_AT), verso_native_stack_top());
    if (left == 0 && left_in(at, program.begin, program.end) > 0)
        left = VERSO_NATIVE_PAGE - (uintptr_t)at % VERSO_NATIVE_PAGE;
    if (left == 0)
        left = left_in_regions(at, job->wrt, job->wrt_count);
    return left > 0 ? left : left_in_regions(at, job->of, job->of_count);
}

void verso_native_look(void *data, verso_native_glance *glance) {
    char *at = first_unit(data);
    size_t bytes = readable(at) & ~(size_t)(UNIT - 1);
    glance->bytes = bytes < VERSO_NATIVE_LOOK ? bytes : VERSO_NATIVE_LOOK;
    memcpy(glance->copy, at, glance->bytes);
}

uint64_t verso_native_changed(void *data, const verso_native_glance *glance) {
    const char *at = first_unit(data);
    uint64_t changed = 0;
    if (memcmp(at, glance->copy, glance->bytes) == 0)
        return 0;
    for (size_t i = 0; i < glance->bytes; i += UNIT)
        if (memcmp(at + i, glance->copy + i, UNIT) != 0)
            changed |= UINT64_C(1) << i / UNIT;
    bool to_the_end = changed >> (VERSO_NATIVE_LOOK / UNIT - 2) != 0;
    return to_the_end && readable(at) >= VERSO_NATIVE_LOOK + BEYOND ? changed | goes_on : changed;
}

/* ---- Cells ---- */

static void clear_number(char *number, unsigned kind) {
    static const double zero = 0;
    memcpy(verso_native_cell_of(number, (verso_native_kind)kind), &zero, sizeof zero);
}

/* Nobody can tell whether it was overwritten. True: it had a derivative. */
static bool spoil(char *unit, unsigned kind) {
    uint64_t bits;
    double spoilt = NAN, *cell = verso_native_cell_of(unit, (verso_native_kind)kind);
    memcpy(&bits, cell, sizeof bits);
    if (bits << 1 != 0)
        memcpy(cell, &spoilt, sizeof spoilt);
    return bits << 1 != 0;
}

/* A number of which a part has changed is another one: of those that may begin before the unit, too. */
static void clear_around(char *unit) {
    static const unsigned units[VERSO_NATIVE_KINDS] = {2, 1, 3};
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        for (unsigned i = 0; verso_native_uses(kind) && i < units[kind]; i++)
            clear_number(unit - i * UNIT, kind);
}

static bool clear_changed(void *data, uint64_t changed) {
    char *at = first_unit(data), *end = at + VERSO_NATIVE_LOOK;
    bool lost = false;
    for (uint64_t units = changed & ~goes_on; units != 0; units >>= 1, at += UNIT)
        if ((units & 1) != 0)
            clear_around(at);
    for (unsigned kind = 0; (changed & goes_on) != 0 && kind < VERSO_NATIVE_KINDS; kind++)
        for (size_t i = 0; verso_native_uses(kind) && i < BEYOND; i += UNIT)
            lost = spoil(end + i, kind) || lost;
    return lost;
}

void verso_native_sweep_changed(void *data, uint64_t changed, const char *message) {
    if (!clear_changed(data, changed))
        return;
    verso_native_runtime.parts.suspect = message;
    verso_native_runtime.parts.changes++;
}

void verso_native_tangent_changed(void *data, uint64_t changed) {
    clear_changed(data, changed);
}
