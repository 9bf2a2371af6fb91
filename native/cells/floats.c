/* Cells of floats: see floats.h. */
#include "native/cells/floats.h"

#include "native/cells/inside.h"

#include <math.h>
#include <string.h>

typedef float cell __attribute__((may_alias));

enum { UNIT = sizeof(float), BLOCK = VERSO_NATIVE_BLOCK / sizeof(float) };

/* The cells of the floats that lie entirely in some memory. */
typedef struct cells {
    cell *first;
    size_t count;
} cells;

static cells cells_of(void *data, uint64_t size) {
    uintptr_t begin = ((uintptr_t)data + UNIT - 1) & ~(uintptr_t)(UNIT - 1);
    uintptr_t end = ((uintptr_t)data + size) & ~(uintptr_t)(UNIT - 1);
    cell *first = (cell *)verso__native_float_cell(verso__native_address(begin));
    return (cells){first, begin < end && verso__native_uses(VERSO_NATIVE_FLOAT) ? (end - begin) / UNIT : 0};
}

/* Lists the cells of the floats, at most two, that the memory contains only in part. Returns their number. */
static size_t partial_cells(void *data, uint64_t size, cell *found[2]) {
    uintptr_t begin = (uintptr_t)data, end = begin + size;
    uintptr_t first = begin - begin % UNIT, last = end - end % UNIT;
    size_t count = 0;
    if (size == 0 || !verso__native_uses(VERSO_NATIVE_FLOAT))
        return 0;
    if (first != begin)
        found[count++] = (cell *)verso__native_float_cell(verso__native_address(first));
    if (last != end && (last != first || first == begin))
        found[count++] = (cell *)verso__native_float_cell(verso__native_address(last));
    return count;
}

bool verso__native_floats_zero(void *data, uint64_t size) {
    cells all = cells_of(data, size);
    for (size_t i = 0; i < all.count; i++)
        if (all.first[i] != 0)
            return false;
    return true;
}

bool verso__native_floats_partial_zero(void *data, uint64_t size) {
    cell *found[2];
    for (size_t i = partial_cells(data, size, found); i-- > 0;)
        if (*found[i] != 0)
            return false;
    return true;
}

void verso__native_floats_clear(void *data, uint64_t size) {
    cells all = cells_of(data, size);
    if (all.count > 0)
        verso__native_shadow_clear((char *)all.first, (char *)(all.first + all.count));
}

/* ---- Reverse mode ---- */

static void move_one(cell *from, cell *to) {
    if (*from != 0) { /* unused pages stay untouched, and marks stay as they are */
        *to += *from;
        *from = 0;
    }
}

static void move_apart(cell *restrict from, cell *restrict to, size_t count) {
    bool marked = verso__native_parts_now.changes > 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        if (verso__native_block_zero(&from[i]))
            continue;
        for (size_t j = 0; j < BLOCK; j++)
            if (!marked || from[i + j] != 0)
                to[i + j] += from[i + j];
        memset(&from[i], 0, VERSO_NATIVE_BLOCK);
    }
    for (; i < count; i++)
        move_one(&from[i], &to[i]);
}

/* If the memory overlaps, each cell must be moved before something is added to it. */
void verso__native_floats_sweep(char *destination, char *source, uint64_t size) {
    cells all = cells_of(destination, size);
    cell *to = all.first + (source - destination) / UNIT;
    if (destination + size <= source || source + size <= destination)
        move_apart(all.first, to, all.count);
    else if (source > destination)
        for (size_t i = all.count; i-- > 0;)
            move_one(&all.first[i], &to[i]);
    else
        for (size_t i = 0; i < all.count; i++)
            move_one(&all.first[i], &to[i]);
}

/* ---- Tangent mode ---- */

void verso__native_floats_copy(char *destination, char *source, uint64_t size) {
    cells all = cells_of(destination, size);
    const cell *from = all.first + (source - destination) / UNIT;
    if (all.count > 0 && memcmp(all.first, from, all.count * UNIT) != 0)
        memmove(all.first, from, all.count * UNIT);
}

void verso__native_floats_spoil(void *data, uint64_t size) {
    cells all = cells_of(data, size);
    for (size_t i = 0; i < all.count; i++)
        all.first[i] = NAN;
}

void verso__native_floats_spoil_partial(void *data, uint64_t size, bool any) {
    cell *found[2];
    for (size_t i = partial_cells(data, size, found); i-- > 0;)
        if (any || *found[i] != 0)
            *found[i] = NAN;
}

/* ---- Bits ---- */

/* A mark: a signalling NaN with 21 further bits. Arithmetic makes it quiet. */
#define MARK UINT32_C(0x7fa00000)
#define QUIET UINT32_C(0x00400000)
enum { QUIET_SHIFT = 51 - 22 };

uint64_t verso__native_float_bits(uintptr_t number) {
    float value;
    uint32_t single;
    uint64_t bits;
    memcpy(&single, verso__native_float_cell(verso__native_address(number)), sizeof single);
    if ((single & MARK) == MARK)
        return VERSO_NATIVE_MARK | (single & VERSO_NATIVE_FLOAT_MARK_MOST) | (uint64_t)(single & QUIET) << QUIET_SHIFT;
    memcpy(&value, &single, sizeof value);
    double wide = value;
    memcpy(&bits, &wide, sizeof bits);
    return bits;
}

void verso__native_float_set_bits(uintptr_t number, uint64_t bits) {
    double wide;
    uint32_t single = MARK | (uint32_t)(bits & VERSO_NATIVE_FLOAT_MARK_MOST);
    memcpy(&wide, &bits, sizeof wide);
    float value = (float)wide;
    if (!verso__native_is_mark(bits))
        memcpy(&single, &value, sizeof single);
    memcpy(verso__native_float_cell(verso__native_address(number)), &single, sizeof single);
}
