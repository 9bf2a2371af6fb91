/* Operations on cells that generated code calls: see native/state.h.
 *
 * A unit is 4 bytes at a multiple of 4. The cells of the units of some memory form two arrays for each kind:
 * cells of units at multiples of 8 are in the even plane, the others in the odd plane. The cells of floats form one
 * array (floats.c). A copy moves all of them. If source and destination differ by 4 modulo 8, the arrays are exchanged;
 * if they differ by a distance that is not a multiple of 4, cells cannot be moved.
 *
 * Reverse mode: when a write is reversed, a cell that is not zero belongs to a number that was read later. If
 * the write covers only a part of that number, or its bytes come from where no cells can be moved, the number's
 * derivative is lost, and the differentiation is refused. Tangent mode: it is not known yet whether the number
 * will be read. So its cell becomes a NaN, which is harmless if the number is not read, and never a wrong
 * derivative.
 *
 * Cells of the odd plane belong to doubles at odd multiples of 4, which are not aligned. */
#include "native/cells/inside.h"

#include <math.h>
#include <string.h>

typedef double cell __attribute__((aligned(4), may_alias));

enum { BLOCK = VERSO_NATIVE_BLOCK / sizeof(double), UNIT = 4 };

static uint64_t bits_of(const cell *one) {
    uint64_t bits;
    memcpy(&bits, one, sizeof bits);
    return bits;
}

static bool is_zero(const cell *one) {
    return bits_of(one) == 0;
}

/* Returns true if the cell holds no derivative. (A guard, see odd.c, is not one.) */
static bool is_nothing(const cell *one) {
    return is_zero(one) || bits_of(one) == VERSO_NATIVE_GUARD;
}

static cell *cell_of(const void *data, unsigned kind) {
    return (cell *)verso__native_cell_of(data, (verso__native_kind)kind);
}

/* ---- The cells of some memory ---- */

typedef struct span {
    char *first; /* the first unit */
    size_t count;
} span;

/* Returns the units that lie entirely in the memory and whose address is `residue` modulo 8. */
static span units_of(void *data, uint64_t size, unsigned residue) {
    uintptr_t begin = ((uintptr_t)data + UNIT - 1) & ~(uintptr_t)(UNIT - 1);
    uintptr_t end = ((uintptr_t)data + size) & ~(uintptr_t)(UNIT - 1);
    uintptr_t first = begin + (begin % 8 == residue ? 0 : UNIT);
    return (span){(char *)first, first < end ? (end - first + UNIT) / 8 : 0};
}

static bool are_units_zero(span units, unsigned kind) {
    const cell *cells = cell_of(units.first, kind);
    for (size_t i = 0; i < units.count; i++)
        if (!is_nothing(&cells[i]))
            return false;
    return true;
}

/* Returns true if the program has cells of this kind in two planes. */
static bool has_planes(unsigned kind) {
    return kind != VERSO_NATIVE_FLOAT && verso__native_uses(kind);
}

static bool are_all_zero(void *data, uint64_t size) {
    if (!verso__native_floats_zero(data, size))
        return false;
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        if (has_planes(kind) &&
            (!are_units_zero(units_of(data, size, 0), kind) || !are_units_zero(units_of(data, size, 4), kind)))
            return false;
    return true;
}

enum { PARTIALS = 2 * (VERSO_NATIVE_KINDS - 1) };

/* Lists the cells of the units, at most two, that the memory contains only in part. Returns their number. */
static size_t partial_units(void *data, uint64_t size, cell *units[PARTIALS]) {
    uintptr_t begin = (uintptr_t)data, end = begin + size;
    uintptr_t first = begin - begin % UNIT, last = end - end % UNIT;
    size_t count = 0;
    for (unsigned kind = 0; size > 0 && kind < VERSO_NATIVE_KINDS; kind++) {
        if (!has_planes(kind))
            continue;
        if (first != begin)
            units[count++] = cell_of((char *)first, kind);
        if (last != end && (last != first || first == begin))
            units[count++] = cell_of((char *)last, kind);
    }
    return count;
}

static bool are_partials_zero(void *data, uint64_t size) {
    cell *units[PARTIALS];
    if (!verso__native_floats_partial_zero(data, size))
        return false;
    for (size_t i = partial_units(data, size, units); i-- > 0;)
        if (!is_nothing(units[i]) && !verso__native_is_doubt(bits_of(units[i]))) /* doubts are treated byte by byte */
            return false;
    return true;
}

static bool has_whole_units(const void *data, uint64_t size) {
    return (((uintptr_t)data | size) & (UNIT - 1)) == 0;
}

static void clear_units(void *data, uint64_t size) {
    verso__native_floats_clear(data, size);
    for (unsigned plane = 0; plane < 2 * VERSO_NATIVE_KINDS; plane++) {
        span units = units_of(data, size, plane % 2 * UNIT);
        if (!has_planes(plane / 2) || units.count == 0)
            continue;
        char *cells = (char *)cell_of(units.first, plane / 2);
        verso__native_shadow_clear(cells, cells + units.count * sizeof(double));
    }
}

static bool overlap(const char *a, const char *b, uint64_t size) {
    return a < b + size && b < a + size;
}

/* ---- Few whole doubles ---- */

/* Most copies and variables have a few whole doubles, and nothing unusual is near them: then only the cells of the
 * even plane, and those of floats, are concerned. */
enum { PLAIN_MOST = 512 };

static bool is_plain(const void *data, uint64_t size) {
    const verso__native_parts_state *now = &verso__native_parts_now;
    if ((((uintptr_t)data | size) & 7) != 0 || size > PLAIN_MOST || now->changes > 0 || now->odd.any ||
        verso__native_uses(VERSO_NATIVE_LONG) || verso__native_has_doubts())
        return false;
    uint64_t odd = 0; /* doubles at odd multiples of 4, and those that begin before the memory or end after it */
    const cell *cells = cell_of((const char *)data - UNIT, VERSO_NATIVE_DOUBLE);
    for (size_t i = 0; i <= size / sizeof(cell); i++)
        odd |= bits_of(&cells[i]);
    return odd == 0;
}

static void clear_plain(void *data, uint64_t size) {
    cell *cells = cell_of(data, VERSO_NATIVE_DOUBLE);
    for (size_t i = 0; i < size / sizeof(cell); i++)
        if (!is_zero(&cells[i])) /* unused pages stay untouched */
            cells[i] = 0;
    verso__native_floats_clear(data, size);
}

/* ---- Reverse mode ---- */

static void add_to(cell *to, const cell *from) {
    if (!verso__native_is_doubt(bits_of(from))) {
        *to += *from;
        return;
    }
    uint64_t sum = verso__native_doubt_sum(bits_of(to), bits_of(from));
    memcpy(to, &sum, sizeof sum);
}

static void move_one(cell *from, cell *to) {
    add_to(to, from);
    *from = 0;
}

static void move_plain(char *destination, char *source, uint64_t size) {
    cell *from = cell_of(destination, VERSO_NATIVE_DOUBLE), *to = cell_of(source, VERSO_NATIVE_DOUBLE);
    for (size_t i = 0; i < size / sizeof(cell); i++)
        if (!is_zero(&from[i])) {
            to[i] += from[i];
            from[i] = 0;
        }
    verso__native_floats_sweep(destination, source, size);
}

/* Does not move cells that are zero, so that unused planes stay untouched and marks and guards, which an
 * addition would change, stay as they are. */
static void move_apart(cell *restrict from, cell *restrict to, size_t count) {
    bool marked = verso__native_parts_now.changes > 0, doubts = verso__native_has_doubts();
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        if (verso__native_block_zero(&from[i]))
            continue;
        for (size_t j = 0; j < BLOCK; j++)
            if (doubts && !is_zero(&from[i + j]))
                add_to(&to[i + j], &from[i + j]);
            else if (!marked || !is_zero(&from[i + j]))
                to[i + j] += from[i + j];
        memset(&from[i], 0, VERSO_NATIVE_BLOCK);
    }
    for (; i < count; i++)
        if (!is_zero(&from[i]))
            move_one(&from[i], &to[i]);
}

/* For overlapping memory: each cell must be moved before something is added to it, so the order is opposite to
 * that of the copy. */
static void move_overlapping(span units, ptrdiff_t shift, ptrdiff_t step, unsigned kind) {
    char *unit = shift > 0 ? units.first + (ptrdiff_t)(units.count - 1) * step : units.first;
    for (size_t i = 0; i < units.count; i++, unit += shift > 0 ? -step : step)
        if (!is_zero(cell_of(unit, kind)))
            move_one(cell_of(unit, kind), cell_of(unit + shift, kind));
}

/* The two ways to treat the cells of copied units: `apart` for memory that does not overlap, one plane at a
 * time; `overlapping` for units that are `step` bytes apart, with the source `shift` bytes further. */
typedef struct copying {
    void (*apart)(cell *destination, cell *source, size_t count);
    void (*overlapping)(span units, ptrdiff_t shift, ptrdiff_t step, unsigned kind);
} copying;

static void treat_kind(char *destination, char *source, uint64_t size, const copying *how, unsigned kind) {
    ptrdiff_t shift = source - destination;
    bool apart = !overlap(destination, source, size);
    if (!apart && shift % 8 != 0) {
        /* The planes are exchanged, so units are treated one by one. */
        span even = units_of(destination, size, 0), odd = units_of(destination, size, 4);
        span all = {even.first < odd.first ? even.first : odd.first, even.count + odd.count};
        if (all.count > 0)
            how->overlapping(all, shift, UNIT, kind);
        return;
    }
    for (unsigned residue = 0; residue < 8; residue += UNIT) {
        span units = units_of(destination, size, residue);
        if (units.count == 0)
            continue;
        if (apart)
            how->apart(cell_of(units.first, kind), cell_of(units.first + shift, kind), units.count);
        else
            how->overlapping(units, shift, 8, kind);
    }
}

static void treat_units(char *destination, char *source, uint64_t size, const copying *how) {
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        if (has_planes(kind))
            treat_kind(destination, source, size, how, kind);
}

static const copying sweeping = {move_apart, move_overlapping};

static void sweep_copied(char *destination, char *source, uint64_t size, const verso__native_culprit *culprit) {
    if (!has_whole_units(destination, size) && !are_partials_zero(destination, size))
        verso__native_parts_refuse(culprit);
    if ((destination - source) % UNIT == 0) {
        verso__native_floats_sweep(destination, source, size);
        treat_units(destination, source, size, &sweeping);
    } else if (!are_all_zero(destination, size))
        verso__native_parts_refuse(culprit);
}

static verso__native_culprit copy_of(void *destination, void *source, uint64_t size) {
    return (verso__native_culprit){.what = "copying",
                                   .data = destination,
                                   .size = size,
                                   .copied = true,
                                   .distance = (uintptr_t)source - (uintptr_t)destination};
}

/* To be called before and after the cells of written memory are taken: they treat numbers at its ends that were
 * written in part. */
static verso__native_parts begin_write(const verso__native_culprit *culprit) {
    verso__native_odd_leave(culprit->data, culprit);
    verso__native_odd_hide(culprit->data, culprit->size);
    char *begin = verso__native_address((uintptr_t)culprit->data);
    verso__native_parts parts = verso__native_parts_find_nonzero(begin, culprit->size);
    verso__native_parts_sweep(&parts);
    return parts;
}

static void end_write(const verso__native_parts *parts, const verso__native_culprit *culprit) {
    verso__native_odd_show(culprit->copied);
    verso__native_parts_end_sweep(parts, culprit);
}

void verso__native_sweep_copy(void *destination, void *source, uint64_t size) {
    if (destination == source || size == 0)
        return;
    if (((uintptr_t)source & 7) == 0 && !overlap(destination, source, size) && is_plain(destination, size)) {
        move_plain(destination, source, size);
        return;
    }
    verso__native_culprit culprit = copy_of(destination, source, size);
    bool words = has_whole_units(destination, size) && has_whole_units(source, size);
    if (!words && verso__native_has_doubts())
        verso__native_doubts_move(destination, source, size);
    verso__native_odd_check(source, size);
    verso__native_parts parts = begin_write(&culprit);
    sweep_copied(destination, source, size, &culprit);
    end_write(&parts, &culprit);
    verso__native_odd_arrive(source, &culprit);
}

void verso__native_sweep_clear(void *data, uint64_t size) {
    if (size > 0 && is_plain(data, size)) {
        clear_plain(data, size);
        return;
    }
    verso__native_culprit culprit = {.what = "filling", .data = data, .size = size};
    if (!has_whole_units(data, size) && verso__native_has_doubts())
        verso__native_doubt_take(data, size);
    verso__native_parts parts = begin_write(&culprit);
    if (!has_whole_units(data, size) && !are_partials_zero(data, size))
        verso__native_parts_refuse(&culprit);
    clear_units(data, size);
    end_write(&parts, &culprit);
}

double verso__native_sweep_opaque(void *data, uint64_t size, const char *message) {
    double doubt = verso__native_has_doubts() ? verso__native_doubt_take(data, size) : 0;
    if (verso__native_parts_nothing_near(data, size))
        return doubt;
    verso__native_parts parts = verso__native_parts_find_nonzero(data, size);
    if (!are_partials_zero(data, size) || !are_all_zero(data, size) || parts.count > 0)
        verso__native_refuse(message);
    return doubt;
}

static void add_one(void *data, verso__native_kind kind, double adjoint) {
    if (kind == VERSO_NATIVE_FLOAT)
        *verso__native_float_cell(data) += (float)adjoint;
    else
        *cell_of(data, kind) += adjoint;
}

void verso__native_sweep_read(void *data, uint64_t kind, double adjoint, const char *message) {
    if ((uintptr_t)data % UNIT == 0)
        add_one(data, (verso__native_kind)kind, adjoint);
    else if (kind != VERSO_NATIVE_DOUBTED || !verso__native_doubt_add(data, UNIT, adjoint))
        verso__native_refuse_lost(adjoint, message);
}

double verso__native_sweep_write(void *data, uint64_t kind) {
    if ((uintptr_t)data % UNIT != 0)
        return kind == VERSO_NATIVE_DOUBTED && verso__native_has_doubts() ? verso__native_doubt_take(data, UNIT) : 0;
    double adjoint = verso__native_cell_read(data, (verso__native_kind)kind);
    verso__native_cell_write(data, (verso__native_kind)kind, 0);
    return adjoint;
}

void verso__native_refuse_lost(double derivative, const char *message) {
    verso__native_doubt_check(derivative);
    if (derivative != 0) /* also true for a NaN */
        verso__native_refuse(message);
}

/* ---- Tangent mode ---- */

/* Marks the tangent of a number that was written in part as lost. */
static void spoil(cell *one) {
    if (!is_zero(one))
        *one = NAN;
}

/* Marks the tangents of units at the ends of a copy that wrote only parts of them as lost. `any`: units at the
 * ends of the source have tangents. */
static void spoil_partials(void *destination, uint64_t size, bool any) {
    cell *units[PARTIALS];
    verso__native_floats_spoil_partial(destination, size, any);
    for (size_t i = partial_units(destination, size, units); i-- > 0;)
        if (any)
            *units[i] = NAN;
        else
            spoil(units[i]);
}

/* Copies memory whose cells cannot be moved: the destination's tangents are unknown, unless the source has
 * none. */
static void tangent_misaligned(void *destination, void *source, uint64_t size) {
    bool any = !are_all_zero(source, size) || !are_partials_zero(source, size);
    spoil_partials(destination, size, any);
    clear_units(destination, size);
    if (any)
        verso__native_floats_spoil(destination, size);
    for (unsigned plane = 0; any && plane < 2 * VERSO_NATIVE_KINDS; plane++) {
        span units = units_of(destination, size, plane % 2 * UNIT);
        cell *cells = has_planes(plane / 2) ? cell_of(units.first, plane / 2) : NULL;
        for (size_t i = 0; cells != NULL && i < units.count; i++)
            cells[i] = NAN;
    }
}

/* Does not write cells that are equal, so that unused planes stay untouched. */
static void copy_apart(cell *restrict to, cell *restrict from, size_t count) {
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t bytes = (count - i < BLOCK ? count - i : BLOCK) * sizeof(double);
        if (memcmp(&to[i], &from[i], bytes) != 0)
            memcpy(&to[i], &from[i], bytes);
    }
}

static void copy_overlapping(span units, ptrdiff_t shift, ptrdiff_t step, unsigned kind) {
    char *unit = shift > 0 ? units.first : units.first + (ptrdiff_t)(units.count - 1) * step;
    for (size_t i = 0; i < units.count; i++, unit += shift > 0 ? step : -step)
        if (!is_zero(cell_of(unit, kind)) || !is_zero(cell_of(unit + shift, kind)))
            *cell_of(unit, kind) = *cell_of(unit + shift, kind);
}

static const copying carrying = {copy_apart, copy_overlapping};

void verso__native_tangent_across(char *destination, uint64_t size, bool before) {
    uint64_t begin = -(uintptr_t)destination % 8;
    for (uint64_t at = begin; at + 8 <= size; at += 8) {
        bool beside = at < UNIT ? before : !is_nothing(cell_of(destination + at - UNIT, VERSO_NATIVE_DOUBLE));
        cell *across = cell_of(destination + at, VERSO_NATIVE_DOUBLE);
        if (is_zero(across) && (beside || !is_nothing(cell_of(destination + at + UNIT, VERSO_NATIVE_DOUBLE))))
            *across = NAN;
    }
}

void verso__native_tangent_copy(void *destination, void *source, uint64_t size) {
    if (destination == source || size == 0)
        return;
    if (((uintptr_t)destination - (uintptr_t)source) % UNIT != 0) {
        tangent_misaligned(destination, source, size);
        return;
    }
    verso__native_culprit how = copy_of(destination, source, size);
    verso__native_parts parts = verso__native_parts_of(destination, size);
    verso__native_parts_from(&parts, &how);
    bool any = !has_whole_units(source, size) && !are_partials_zero(source, size);
    bool across = ((uintptr_t)destination - (uintptr_t)source) % 8 != 0;
    char *unit = verso__native_address(((uintptr_t)source - UNIT) / UNIT * UNIT); /* the unit before the source */
    bool before = across && verso__native_covers(unit, UNIT) && !is_nothing(cell_of(unit, VERSO_NATIVE_DOUBLE));
    bool odd = across || verso__native_may_have_odd(source, size);
    verso__native_odd_spoil(source, size);
    verso__native_odd_hide_last(destination, size);
    verso__native_floats_copy(destination, source, size);
    treat_units(destination, source, size, &carrying); /* first, because the ends may be part of the source */
    if (across)
        verso__native_tangent_across(destination, size, before);
    if (!has_whole_units(destination, size))
        spoil_partials(destination, size, any);
    verso__native_odd_show(false);
    verso__native_odd_surround(destination, size, odd); /* first, because the doubles beside are no longer numbers */
    verso__native_parts_tangent(&parts, &how);
}

void verso__native_tangent_clear(void *data, uint64_t size) {
    verso__native_parts parts = verso__native_parts_of(data, size);
    verso__native_odd_hide_last(data, size);
    if (!has_whole_units(data, size))
        spoil_partials(data, size, false);
    clear_units(data, size);
    verso__native_odd_show(false);
    verso__native_culprit how = {.data = data, .size = size};
    verso__native_parts_tangent(&parts, &how);
}

double verso__native_tangent_read(void *data, uint64_t kind) {
    uintptr_t inside = (uintptr_t)data % UNIT;
    if (inside == 0)
        return verso__native_cell_read(data, (verso__native_kind)kind);
    return are_partials_zero(data, UNIT) ? 0 : NAN;
}

void verso__native_tangent_write(void *data, uint64_t kind, double tangent, const char *message) {
    if ((uintptr_t)data % UNIT == 0) {
        if (kind == VERSO_NATIVE_FLOAT && verso__native_blame_message(tangent) != NULL) /* a float has no room for it */
            verso__native_parts_suspect(verso__native_blame_message(tangent));
        verso__native_cell_write(data, (verso__native_kind)kind, tangent);
        return;
    }
    verso__native_refuse_lost(tangent, message);
    spoil_partials(data, UNIT, false);
}
