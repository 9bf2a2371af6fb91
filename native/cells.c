/* What generated code asks for cells: see state.h.
 *
 * The cells of the 4-byte units of some memory lie side by side in two arrays of each kind: those at multiples of 8 in
 * the even plane, the others in the odd one. A copy moves them all. When source and destination differ by 4 modulo 8
 * the arrays are exchanged; when they differ by no multiple of 4, cells cannot travel.
 *
 * Reverse mode: at the time of a write, a cell that is not zero belongs to a number that was read later. If such a
 * write covers a part of the number only, or comes from bytes whose cells cannot travel, the number's derivative is
 * lost, and the differentiation is refused. Tangent mode: whether the number will ever be read is not known yet. So its
 * cell becomes a NaN: harmless if nobody reads it, and never a wrong number.
 *
 * Cells of the odd plane are at odd multiples of 4: they are doubles that are not aligned. */
#include "native/native.h"

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

/* Guards (odd.c) are no derivatives. */
static bool is_nothing(const cell *one) {
    return is_zero(one) || bits_of(one) == VERSO_NATIVE_GUARD;
}

static cell *cell_of(const void *data, unsigned kind) {
    return (cell *)verso_native_cell_of(data, (verso_native_kind)kind);
}

/* ---- The cells of some memory ---- */

typedef struct span {
    char *first; /* the first unit */
    size_t count;
} span;

/* The units that lie wholly in the memory and whose address is `residue` modulo 8. */
static span units_of(void *data, uint64_t size, unsigned residue) {
    uintptr_t begin = ((uintptr_t)data + UNIT - 1) & ~(uintptr_t)(UNIT - 1);
    uintptr_t end = ((uintptr_t)data + size) & ~(uintptr_t)(UNIT - 1);
    uintptr_t first = begin + (begin % 8 == residue ? 0 : UNIT);
    return (span){(char *)first, first < end ? (end - first + UNIT) / 8 : 0};
}

static bool units_zero(span units, unsigned kind) {
    const cell *cells = cell_of(units.first, kind);
    for (size_t i = 0; i < units.count; i++)
        if (!is_nothing(&cells[i]))
            return false;
    return true;
}

static bool all_zero(void *data, uint64_t size) {
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        if (verso_native_uses(kind) &&
            (!units_zero(units_of(data, size, 0), kind) || !units_zero(units_of(data, size, 4), kind)))
            return false;
    return true;
}

enum { PARTIALS = 2 * VERSO_NATIVE_KINDS };

/* The cells of units of which the memory has only a part: of none, one or two. */
static size_t partial_units(void *data, uint64_t size, cell *units[PARTIALS]) {
    uintptr_t begin = (uintptr_t)data, end = begin + size;
    uintptr_t first = begin - begin % UNIT, last = end - end % UNIT;
    size_t count = 0;
    for (unsigned kind = 0; size > 0 && kind < VERSO_NATIVE_KINDS; kind++) {
        if (!verso_native_uses(kind))
            continue;
        if (first != begin)
            units[count++] = cell_of((char *)first, kind);
        if (last != end && (last != first || first == begin))
            units[count++] = cell_of((char *)last, kind);
    }
    return count;
}

static bool partials_zero(void *data, uint64_t size) {
    cell *units[PARTIALS];
    for (size_t i = partial_units(data, size, units); i-- > 0;)
        if (!is_nothing(units[i]))
            return false;
    return true;
}

static bool whole_units(const void *data, uint64_t size) {
    return (((uintptr_t)data | size) & (UNIT - 1)) == 0;
}

static void clear_units(void *data, uint64_t size) {
    for (unsigned plane = 0; plane < VERSO_NATIVE_SHIFTS; plane++) {
        span units = units_of(data, size, plane % 2 * UNIT);
        char *cells = (char *)cell_of(units.first, plane / 2);
        if (verso_native_uses(plane / 2) && units.count > 0)
            verso_native_shadow_clear(cells, cells + units.count * sizeof(double));
    }
}

static bool overlap(const char *a, const char *b, uint64_t size) {
    return a < b + size && b < a + size;
}

/* ---- Reverse mode ---- */

static void move_one(cell *from, cell *to) {
    double adjoint = *from;
    *from = 0;
    *to += adjoint;
}

/* Cells that are zero are not moved, so that planes that are not used are not touched, and marks and guards, which an
 * addition would change, stay what they are. */
static void move_apart(cell *restrict from, cell *restrict to, size_t count) {
    bool marked = verso_native_runtime.parts.changes > 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        if (verso_native_block_zero(&from[i]))
            continue;
        for (size_t j = 0; j < BLOCK; j++)
            if (!marked || !is_zero(&from[i + j]))
                to[i + j] += from[i + j];
        memset(&from[i], 0, VERSO_NATIVE_BLOCK);
    }
    for (; i < count; i++)
        if (!is_zero(&from[i]))
            move_one(&from[i], &to[i]);
}

/* Overlapping: a cell is moved before something is added to it, so the order is opposite to that of the copy. */
static void move_overlapping(span units, ptrdiff_t shift, ptrdiff_t step, unsigned kind) {
    char *unit = shift > 0 ? units.first + (ptrdiff_t)(units.count - 1) * step : units.first;
    for (size_t i = 0; i < units.count; i++, unit += shift > 0 ? -step : step)
        if (!is_zero(cell_of(unit, kind)))
            move_one(cell_of(unit, kind), cell_of(unit + shift, kind));
}

/* How the cells of units that were copied are treated: those of memory that does not overlap, of one plane each, and
 * those of memory that does, `step` bytes apart. The source is `shift` bytes further on. */
typedef struct copying {
    void (*apart)(cell *destination, cell *source, size_t count);
    void (*overlapping)(span units, ptrdiff_t shift, ptrdiff_t step, unsigned kind);
} copying;

static void treat_kind(char *destination, char *source, uint64_t size, const copying *how, unsigned kind) {
    ptrdiff_t shift = source - destination;
    bool apart = !overlap(destination, source, size);
    if (!apart && shift % 8 != 0) {
        /* Each plane feeds the other: one unit after the other. */
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
        if (verso_native_uses(kind))
            treat_kind(destination, source, size, how, kind);
}

static const copying sweeping = {move_apart, move_overlapping};

static void sweep_copied(char *destination, char *source, uint64_t size, const verso_native_culprit *culprit) {
    if (!whole_units(destination, size) && !partials_zero(destination, size))
        verso_native_parts_lost(culprit);
    if ((destination - source) % UNIT == 0)
        treat_units(destination, source, size, &sweeping);
    else if (!all_zero(destination, size))
        verso_native_parts_lost(culprit);
}

static verso_native_culprit copy_of(void *destination, void *source, uint64_t size) {
    return (verso_native_culprit){.what = "copying",
                                  .data = destination,
                                  .size = size,
                                  .copied = true,
                                  .distance = (uintptr_t)source - (uintptr_t)destination};
}

/* Around taking the cells of what was written: numbers of which only a part was, at its ends. */
static verso_native_parts begin_write(const verso_native_culprit *culprit) {
    verso_native_odd_leave(culprit->data, culprit);
    verso_native_odd_hide(culprit->data, culprit->size);
    char *begin = verso_native_address((uintptr_t)culprit->data);
    verso_native_parts parts = verso_native_parts_there(begin, culprit->size);
    verso_native_parts_sweep(&parts);
    return parts;
}

static void end_write(const verso_native_parts *parts, const verso_native_culprit *culprit) {
    verso_native_odd_show(culprit->copied);
    verso_native_parts_swept(parts, culprit);
}

void verso_native_sweep_copy(void *destination, void *source, uint64_t size) {
    if (destination == source || size == 0)
        return;
    verso_native_culprit culprit = copy_of(destination, source, size);
    verso_native_odd_check(source, size);
    verso_native_parts parts = begin_write(&culprit);
    sweep_copied(destination, source, size, &culprit);
    end_write(&parts, &culprit);
    verso_native_odd_arrive(source, &culprit);
}

void verso_native_sweep_clear(void *data, uint64_t size) {
    verso_native_culprit culprit = {.what = "filling", .data = data, .size = size};
    verso_native_parts parts = begin_write(&culprit);
    if (!whole_units(data, size) && !partials_zero(data, size))
        verso_native_parts_lost(&culprit);
    clear_units(data, size);
    end_write(&parts, &culprit);
}

void verso_native_sweep_opaque(void *data, uint64_t size, const char *message) {
    verso_native_parts parts = verso_native_parts_there(data, size);
    if (!partials_zero(data, size) || !all_zero(data, size) || parts.count > 0)
        verso_native_refuse(message);
}

void verso_native_sweep_read(void *data, uint64_t kind, double adjoint, const char *message) {
    if ((uintptr_t)data % UNIT == 0)
        *cell_of(data, (unsigned)kind) += adjoint;
    else
        verso_native_lost(adjoint, message);
}

double verso_native_sweep_write(void *data, uint64_t kind) {
    if ((uintptr_t)data % UNIT != 0)
        return 0;
    cell *one = cell_of(data, (unsigned)kind);
    double adjoint = *one;
    *one = 0;
    return adjoint;
}

void verso_native_lost(double derivative, const char *message) {
    verso_native_doubt_check(derivative);
    if (derivative != 0) /* a NaN is not zero either */
        verso_native_refuse(message);
}

/* ---- Tangent mode ---- */

/* Something was written over a part of a number. */
static void spoil(cell *one) {
    if (!is_zero(one))
        *one = NAN;
}

/* A copy wrote parts of units at its ends: numbers that are composed of bytes of several. `any`: the source's were
 * some. */
static void spoil_partials(void *destination, uint64_t size, bool any) {
    cell *units[PARTIALS];
    for (size_t i = partial_units(destination, size, units); i-- > 0;)
        if (any)
            *units[i] = NAN;
        else
            spoil(units[i]);
}

/* No cell can travel: what the destination holds is not known, unless there is nothing to know. */
static void tangent_misaligned(void *destination, void *source, uint64_t size) {
    bool any = !all_zero(source, size) || !partials_zero(source, size);
    spoil_partials(destination, size, any);
    clear_units(destination, size);
    for (unsigned plane = 0; any && plane < VERSO_NATIVE_SHIFTS; plane++) {
        span units = units_of(destination, size, plane % 2 * UNIT);
        cell *cells = cell_of(units.first, plane / 2);
        for (size_t i = 0; verso_native_uses(plane / 2) && i < units.count; i++)
            cells[i] = NAN;
    }
}

/* Cells that are equal are not written, so that planes that are not used are not touched. */
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

void verso_native_tangent_across(char *destination, uint64_t size, bool before) {
    uint64_t begin = -(uintptr_t)destination % 8;
    for (uint64_t at = begin; at + 8 <= size; at += 8) {
        bool beside = at < UNIT ? before : !is_nothing(cell_of(destination + at - UNIT, VERSO_NATIVE_DOUBLE));
        cell *across = cell_of(destination + at, VERSO_NATIVE_DOUBLE);
        if (is_zero(across) && (beside || !is_nothing(cell_of(destination + at + UNIT, VERSO_NATIVE_DOUBLE))))
            *across = NAN;
    }
}

void verso_native_tangent_copy(void *destination, void *source, uint64_t size) {
    if (destination == source || size == 0)
        return;
    if (((uintptr_t)destination - (uintptr_t)source) % UNIT != 0) {
        tangent_misaligned(destination, source, size);
        return;
    }
    verso_native_culprit how = copy_of(destination, source, size);
    verso_native_parts parts = verso_native_parts_of(destination, size);
    verso_native_parts_from(&parts, &how);
    bool any = !whole_units(source, size) && !partials_zero(source, size);
    bool across = ((uintptr_t)destination - (uintptr_t)source) % 8 != 0;
    char *unit = verso_native_address(((uintptr_t)source - UNIT) / UNIT * UNIT); /* in front of it */
    bool before = across && verso_native_covers(unit, UNIT) && !is_nothing(cell_of(unit, VERSO_NATIVE_DOUBLE));
    bool odd = across || verso_native_odd_met(source, size);
    verso_native_odd_spoil(source, size);
    verso_native_odd_hide_last(destination, size);
    treat_units(destination, source, size, &carrying); /* first: the ends may be part of the source */
    if (across)
        verso_native_tangent_across(destination, size, before);
    if (!whole_units(destination, size))
        spoil_partials(destination, size, any);
    verso_native_odd_show(false);
    verso_native_odd_surround(destination, size, odd); /* first: the doubles beside are no numbers any more */
    verso_native_parts_tangent(&parts, &how);
}

void verso_native_tangent_clear(void *data, uint64_t size) {
    verso_native_parts parts = verso_native_parts_of(data, size);
    verso_native_odd_hide_last(data, size);
    if (!whole_units(data, size))
        spoil_partials(data, size, false);
    clear_units(data, size);
    verso_native_odd_show(false);
    verso_native_culprit how = {.data = data, .size = size};
    verso_native_parts_tangent(&parts, &how);
}

double verso_native_tangent_read(void *data, uint64_t kind) {
    uintptr_t inside = (uintptr_t)data % UNIT;
    if (inside == 0)
        return *cell_of(data, (unsigned)kind);
    return partials_zero(data, UNIT) ? 0 : NAN;
}

void verso_native_tangent_write(void *data, uint64_t kind, double tangent, const char *message) {
    if ((uintptr_t)data % UNIT == 0) {
        *cell_of(data, (unsigned)kind) = tangent;
        return;
    }
    verso_native_lost(tangent, message);
    spoil_partials(data, UNIT, false);
}
