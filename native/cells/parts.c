/* Numbers that are written in parts: an integer store, a copy or a fill writes some bytes of a float, a double or a
 * long double.
 *
 * The derivative of such a number is known only if all its bytes are copies of the bytes of one number, or none is
 * a copy. The derivative is in one cell, that of the first byte; writes of the other bytes would go unnoticed. So
 * when a part of a number whose cell is not zero is written, which is rare, the cell gets a mark, a signalling NaN,
 * and an entry in a small table says what is known about its bytes: copied from a certain distance, or written with
 * values that have no derivative. When that is known for all bytes, the mark is removed. Until then, code that uses
 * the cell gets a NaN, so that reads and writes of whole numbers need no check.
 *
 *   Reverse mode: a byte is known when its write was reversed. The derivative belongs to the source of the first byte;
 *   until that write is reversed, the entry keeps it. Whether the other bytes came from the same source is seen later:
 *   an entry with copied bytes that remains at the end, or that is displaced by another one, causes a refusal. So does
 *   a NaN in the gradient. Adding to a mark makes it a quiet NaN: a number was used while it was unfinished.
 *   Tangent mode: a byte is known when it was written since, or if the number had no tangent.
 *
 * Known limitation: two halves that are copied from one place at two times, between which another number was
 * written there, are taken for one number, because whole writes are not checked. */
#include "native/cells/inside.h"

#include <string.h>

verso__native_parts_state verso__native_parts_now;

enum { FIRST_BYTE = 1, UNIT = 4 };
static const uint64_t no_tangent = UINT64_C(0x7ff8) << 48; /* a NaN that is not a mark */

typedef verso__native_unfinished entry;
typedef verso__native_part part;

/* ---- Numbers ---- */

static unsigned size_of(unsigned kind) {
    return (const unsigned[VERSO_NATIVE_KINDS]){8, 4, 10, 4}[kind];
}

bool verso__native_packs(void) {
    return &verso__native_program_packs != NULL && verso__native_program_packs != 0;
}

/* Returns true if the program's own code puts numbers of this kind at such addresses. (Copies may bring one to any
 * multiple of 4.) */
static bool is_usual(uintptr_t number, unsigned kind) {
    static const uintptr_t alignments[VERSO_NATIVE_KINDS] = {8, 4, 16, 4};
    return verso__native_packs() || number % alignments[kind] == 0;
}

static unsigned all_bytes(unsigned kind) {
    return (1u << size_of(kind)) - 1;
}

/* Cells are moved as bits: a load into a register of the x87 would make a mark quiet. */
uint64_t verso__native_cell_bits(uintptr_t number, verso__native_kind kind) {
    uint64_t bits = 0;
    if (kind == VERSO_NATIVE_FLOAT)
        return verso__native_float_bits(number);
    memcpy(&bits, verso__native_cell_of(verso__native_address(number), kind), sizeof bits);
    return bits;
}

static void set_bits(const part *part, uint64_t bits) {
    if (part->kind == VERSO_NATIVE_FLOAT)
        verso__native_float_set_bits(part->number, bits);
    else
        memcpy(verso__native_cell_of(verso__native_address(part->number), part->kind), &bits, sizeof bits);
}

/* Returns the mark of an entry in its present state. In the cell of another number, or after the entry has changed, the
 * same bits are just a NaN. */
static uint64_t mark_of(const entry *one) {
    uint64_t bits = (uint64_t)one->number / UNIT << 5 | (one->ordinal & 31);
    return VERSO_NATIVE_MARK | (one->kind == VERSO_NATIVE_FLOAT ? bits & VERSO_NATIVE_FLOAT_MARK_MOST : bits);
}

bool verso__native_is_mark(uint64_t bits) {
    return (bits >> 50 | 2) == 0x1fff;
}

static bool is_zero(uint64_t bits) {
    return bits << 1 == 0;
}

bool verso__native_is_nothing(uint64_t bits) {
    return is_zero(bits) || bits == VERSO_NATIVE_GUARD;
}

void verso__native_parts_begin(void) {
    if (verso__native_parts_now.changes > 0)
        memset(verso__native_parts_now.unfinished, 0, sizeof verso__native_parts_now.unfinished);
    verso__native_parts_now.changes = 0;
    verso__native_parts_now.odd.any = false;
    verso__native_parts_now.odd.hidden_count = 0;
    verso__native_parts_now.suspect = NULL;
}

/* ---- The table ---- */

static entry *place_of(const part *part) {
    uintptr_t place = part->number / UNIT * VERSO_NATIVE_KINDS + part->kind;
    return &verso__native_parts_now.unfinished[place % VERSO_NATIVE_UNFINISHED];
}

/* Returns the number's entry in the table. NULL: it has none, or it was written as a whole since. */
static entry *find(const part *part) {
    if (!verso__native_is_mark(part->before))
        return NULL;
    entry *found = place_of(part);
    bool same = found->number == part->number && found->kind == part->kind;
    return same && part->before == mark_of(found) ? found : NULL;
}

/* ---- Writing ---- */

/* Returns those of the first `bytes` bytes of a number that are in the written memory: bit i for byte i. */
static unsigned bytes_of(uintptr_t number, unsigned bytes, uintptr_t data, uint64_t size) {
    uintptr_t first = data > number ? data - number : 0, end = data + size > number ? data + size - number : 0;
    end = end < bytes ? end : bytes;
    return first < end ? (1u << end) - (1u << first) : 0;
}

static part part_of(uintptr_t number, unsigned kind, uintptr_t data, uint64_t size) {
    uint64_t before = verso__native_cell_bits(number, (verso__native_kind)kind);
    bool doubt = verso__native_is_doubt(before);
    unsigned bytes = bytes_of(number, doubt ? UNIT : size_of(kind), data, size);
    return (part){number, (verso__native_kind)kind, before, doubt ? bytes & verso__native_doubt_bytes(before) : bytes,
                  false};
}

/* Returns true if all bytes of the number are written, or all that the doubt in its cell applies to. */
static bool is_whole(const part *part) {
    return part->bytes ==
           (verso__native_is_doubt(part->before) ? verso__native_doubt_bytes(part->before) : all_bytes(part->kind));
}

/* Written memory, and the numbers of which it contains a part. */
typedef struct search {
    uintptr_t begin;
    uint64_t size;
    bool zero; /* also search numbers without a derivative */
    verso__native_parts found;
} search;

static void add_part(search *search, uintptr_t number, unsigned kind) {
    part one = part_of(number, kind, search->begin, search->size);
    if (one.bytes != 0 && !is_whole(&one) && (search->zero || !verso__native_is_nothing(one.before)))
        search->found.part[search->found.count++] = one;
}

static uintptr_t unit_from(uintptr_t address) {
    return (address + UNIT - 1) & ~(uintptr_t)(UNIT - 1);
}

static uintptr_t first_number(unsigned kind, uintptr_t begin) {
    return unit_from(begin - (size_of(kind) - 1));
}

/* Adds the numbers that begin before the memory, and those that end after it. */
static void add_kind(search *search, unsigned kind) {
    uintptr_t reach = size_of(kind) - 1, begin = search->begin, end = begin + search->size;
    for (uintptr_t number = first_number(kind, begin); number < begin; number += UNIT)
        add_part(search, number, kind);
    for (uintptr_t number = unit_from(begin + reach < end ? end - reach : begin); number < end; number += UNIT)
        add_part(search, number, kind);
}

static void add_parts(search *search) {
    search->found.count = 0;
    for (unsigned kind = 0; search->size > 0 && kind < VERSO_NATIVE_KINDS; kind++)
        if (verso__native_uses(kind))
            add_kind(search, kind);
}

bool verso__native_parts_nothing_near(const void *data, uint64_t size) {
    uintptr_t begin = (uintptr_t)data, end = begin + size;
    uint64_t any = 0;
    for (unsigned kind = 0; size > 0 && kind < VERSO_NATIVE_KINDS; kind++)
        for (uintptr_t number = verso__native_uses(kind) ? first_number(kind, begin) : end; number < end;
             number += UNIT)
            any |= verso__native_cell_bits(number, (verso__native_kind)kind);
    return any == 0;
}

verso__native_parts verso__native_parts_of(void *data, uint64_t size) {
    search all;
    all.begin = (uintptr_t)data, all.size = size, all.zero = true;
    add_parts(&all);
    return all.found;
}

verso__native_parts verso__native_parts_find_nonzero(void *data, uint64_t size) {
    search some;
    some.begin = (uintptr_t)data, some.size = size, some.zero = false;
    add_parts(&some);
    return some.found;
}

/* ---- Reverse mode ---- */

void verso__native_parts_sweep(const verso__native_parts *parts) {
    for (size_t i = 0; i < parts->count; i++) {
        const entry *one = find(&parts->part[i]);
        if (one != NULL && (parts->part[i].bytes & FIRST_BYTE) != 0)
            set_bits(&parts->part[i], one->kept);
    }
}

static entry *begin_entry(const part *part, const verso__native_culprit *culprit) {
    entry *made = place_of(part);
    if (verso__native_is_mark(part->before)) /* it was used or copied while it was unfinished */
        verso__native_parts_refuse(culprit);
    if (made->number != 0 && made->copied != 0)
        verso__native_parts_refuse(&made->culprit);
    *made = (entry){.number = part->number, .kind = part->kind, .kept = part->before, .culprit = *culprit};
    return made;
}

/* Bytes that were overwritten with a constant drop their doubt. No-op if the write of a small integer has already
 * removed its part of the doubt. Refuses the differentiation if the bytes were copied or computed. */
static void sweep_doubt(const part *part, const verso__native_culprit *culprit) {
    if (verso__native_cell_bits(part->number, part->kind) != part->before)
        return;
    if (part->kind != VERSO_NATIVE_DOUBTED || culprit->copied || culprit->message != NULL)
        verso__native_refuse(verso__native_doubt_message(part->before));
    set_bits(part, verso__native_doubt_without(part->before, part->bytes));
}

static void sweep_part(const part *part, const verso__native_culprit *culprit) {
    if (is_zero(part->before))
        return;
    if (verso__native_is_doubt(part->before)) {
        sweep_doubt(part, culprit);
        return;
    }
    entry *one = find(part);
    if (one == NULL)
        one = begin_entry(part, culprit);
    if ((part->bytes & FIRST_BYTE) != 0)
        one->kept = 0;
    unsigned fresh = part->bytes & ~one->known, all = all_bytes(part->kind); /* later writes hide earlier ones */
    if (part->kind == VERSO_NATIVE_DOUBLE)
        verso__native_odd_remove_guards(part->number, fresh, culprit->copied);
    if (part->kind == VERSO_NATIVE_DOUBLE && culprit->copied && (fresh & FIRST_BYTE) != 0)
        verso__native_odd_set_guards(part->number + culprit->distance, culprit);
    if (culprit->copied && fresh != 0) {
        if (one->copied != 0 && one->distance != culprit->distance)
            verso__native_parts_refuse(&one->culprit);
        one->copied |= fresh;
        one->distance = culprit->distance;
    }
    one->known |= fresh;
    one->ordinal = ++verso__native_parts_now.changes;
    bool whole = one->known == all;
    if (whole && one->copied != 0 && one->copied != all)
        verso__native_parts_refuse(&one->culprit);
    set_bits(part, whole ? 0 : mark_of(one));
    if (whole)
        one->number = 0;
}

void verso__native_parts_end_sweep(const verso__native_parts *parts, const verso__native_culprit *culprit) {
    for (size_t i = 0; i < parts->count; i++)
        sweep_part(&parts->part[i], culprit);
}

void verso__native_sweep_part(void *data, uint64_t size) {
    verso__native_culprit culprit = {.what = "storing", .data = data, .size = size, .copied = true};
    verso__native_odd_leave(data, &culprit);
    verso__native_odd_hide(data, size);
    verso__native_parts_now.now = verso__native_parts_find_nonzero(data, size);
    verso__native_parts_now.data = data;
    verso__native_parts_sweep(&verso__native_parts_now.now);
}

/* Adds the doubt to the written words of the number except the first, which gets the derivative itself. */
static void doubt_words(const part *part, uintptr_t data, uint64_t size, double doubt) {
    verso__native_kind kind = verso__native_uses(VERSO_NATIVE_DOUBTED) ? VERSO_NATIVE_DOUBTED : VERSO_NATIVE_DOUBLE;
    uintptr_t end = part->number + size_of(part->kind);
    for (uintptr_t word = part->number + UNIT; word < end; word += UNIT)
        if (word - data < size)
            memcpy(verso__native_cell_of(verso__native_address(word), kind), &doubt, sizeof doubt);
}

void verso__native_sweep_part_computed(void *data, uint64_t size, double doubt) {
    verso__native_sweep_part(data, size);
    for (size_t i = 0; i < verso__native_parts_now.now.count; i++)
        doubt_words(&verso__native_parts_now.now.part[i], (uintptr_t)data, size, doubt);
}

void verso__native_sweep_part_end(const char *message, const void *origin) {
    uintptr_t from = (uintptr_t)origin;
    verso__native_culprit culprit = {
        .message = message, .copied = origin != NULL, .distance = from - (uintptr_t)verso__native_parts_now.data};
    verso__native_odd_show(culprit.copied);
    verso__native_parts_end_sweep(&verso__native_parts_now.now, &culprit);
}

/* ---- Tangent mode ---- */

/* Returns true for a double at an address where the program's own code puts doubles. */
static bool is_usual_double(const part *part) {
    return part->kind == VERSO_NATIVE_DOUBLE && is_usual(part->number, part->kind);
}

/* Returns true if the first bytes of a double are copied from the last bytes of another one that has a tangent and is
 * not copied as a whole. */
static bool is_rest(const part *part, const verso__native_culprit *how) {
    uintptr_t origin = part->number + how->distance;
    return is_usual_double(part) && part->number == (uintptr_t)how->data &&
           verso__native_covers(verso__native_address(origin - UNIT), UNIT) &&
           !verso__native_is_nothing(verso__native_cell_bits(origin - UNIT, part->kind));
}

/* The source of the copy may hold another number by now, so `moved` is a guess. */
void verso__native_parts_from(verso__native_parts *parts, const verso__native_culprit *how) {
    for (size_t i = 0; how->copied && i < parts->count; i++) {
        part *part = &parts->part[i];
        uintptr_t origin = part->number + how->distance;
        part->moved = origin % UNIT == 0 && verso__native_covers(verso__native_address(origin), UNIT) &&
                      (!verso__native_is_nothing(verso__native_cell_bits(origin, part->kind)) || is_rest(part, how));
    }
}

/* Returns true if another number begins inside this one: a unit after the first has got a tangent. */
static bool begins_inside(const part *part, const verso__native_culprit *how) {
    uintptr_t data = (uintptr_t)how->data, end = part->number + size_of(part->kind);
    if (!is_usual(part->number, part->kind))
        return false;
    for (uintptr_t unit = part->number + UNIT; unit < end; unit += UNIT)
        if (unit - data < how->size && !verso__native_is_nothing(verso__native_cell_bits(unit, part->kind)))
            return true;
    return false;
}

/* Returns true if the write put words into the number that were computed from bits with a tangent, by arithmetic that
 * Verso does not follow. */
static bool is_computed(const part *part, const verso__native_culprit *how) {
    uintptr_t data = (uintptr_t)how->data, end = part->number + size_of(part->kind);
    for (uintptr_t word = part->number; !how->copied && word < end; word += UNIT)
        if (word - data < how->size && !verso__native_is_nothing(verso__native_cell_bits(word, part->kind)))
            return true;
    return false;
}

static void tangent_part(const part *part, const verso__native_culprit *how) {
    uint64_t now = verso__native_cell_bits(part->number, part->kind);
    unsigned all = all_bytes(part->kind);
    entry *one = find(part);
    if (verso__native_is_guard(part->before) || verso__native_is_guard(now)) {
        if (!verso__native_is_nothing(part->before) && verso__native_is_guard(now)) /* the rest of it is not a number */
            set_bits(part, VERSO_NATIVE_GUARD_TAINTED);
        return;
    }
    if (is_computed(part, how)) {
        set_bits(part, no_tangent);
        return;
    }
    if (one == NULL) {
        if (is_zero(part->before) && is_zero(now) && !begins_inside(part, how) && !part->moved)
            return;
        one = place_of(part);
        *one = (entry){.number = part->number, .kind = part->kind, .known = is_zero(part->before) ? all : 0};
    }
    if (how->copied && one->distance != how->distance) /* bytes from another source are not known any more */
        one->known &= ~one->copied, one->copied = 0;
    one->distance = how->copied ? how->distance : one->distance;
    one->copied = (one->copied & ~part->bytes) | (how->copied ? part->bytes : 0);
    one->known |= part->bytes;
    if ((part->bytes & FIRST_BYTE) != 0)
        one->kept = how->copied ? now : 0;
    one->ordinal = ++verso__native_parts_now.changes;
    bool whole = one->known == all && (one->copied == 0 || one->copied == all);
    set_bits(part, !whole ? mark_of(one) : one->copied != 0 ? one->kept : 0);
    if (whole)
        one->number = 0;
    if (whole && part->kind == VERSO_NATIVE_DOUBLE)
        verso__native_odd_surround(verso__native_address(part->number), 8,
                                   how->distance % 8 != 0 || verso__native_parts_now.odd.any);
}

void verso__native_parts_tangent(const verso__native_parts *parts, const verso__native_culprit *how) {
    for (size_t i = 0; i < parts->count; i++)
        tangent_part(&parts->part[i], how);
}

void verso__native_tangent_part(void *data, uint64_t size) {
    verso__native_odd_hide_last(data, size);
    verso__native_parts_now.now = verso__native_parts_of(data, size);
}

/* The stored integer begins with the last bytes of a number. They become the last bytes of the double that contains the
 * beginning of `data`. */
static void mark_rests(verso__native_parts *parts, const void *data) {
    for (size_t i = 0; i < parts->count; i++)
        if (parts->part[i].number < (uintptr_t)data && is_usual_double(&parts->part[i]))
            parts->part[i].moved = true;
}

void verso__native_tangent_part_end(void *data, uint64_t size, const void *origin, uint64_t how) {
    verso__native_culprit culprit = {
        .data = data, .size = size, .copied = origin != NULL, .distance = (uintptr_t)origin - (uintptr_t)data};
    verso__native_parts *parts = &verso__native_parts_now.now;
    verso__native_odd_show(false);
    if ((how & VERSO_NATIVE_PART_BEGAN) == 0) {
        *parts = verso__native_parts_of(data, size);
        for (size_t i = 0; i < parts->count; i++)
            parts->part[i].before = 0;
    }
    verso__native_parts_from(parts, &culprit);
    if ((how & VERSO_NATIVE_PART_REST) != 0)
        mark_rests(parts, data);
    bool across = culprit.copied && culprit.distance % 8 == UNIT;
    verso__native_odd_surround(data, size, across || verso__native_parts_now.odd.any);
    verso__native_parts_tangent(parts, &culprit);
    uintptr_t before = (uintptr_t)origin - UNIT;
    if (across && size >= 8 && verso__native_covers(verso__native_address(before), 8))
        verso__native_tangent_across(data, size,
                                     !verso__native_is_nothing(verso__native_cell_bits(before, VERSO_NATIVE_DOUBLE)));
}

/* ---- Numbers over others ---- */

typedef bool treatment(const part *part, void *context);

/* Returns true if the number is one of an array of numbers of this kind that begins at `begin`. */
static bool is_own(uintptr_t number, uintptr_t begin, unsigned kind) {
    static const uintptr_t strides[VERSO_NATIVE_KINDS] = {8, 4, 16, 4};
    return (number - begin) % strides[kind] == 0;
}

/* Calls `is` for each number of this kind that has bytes in the memory and is not one of its own, until `is` returns
 * true. */
static bool any_of_kind(unsigned kind, void *data, uint64_t size, uint64_t own, treatment *is, void *context) {
    uintptr_t begin = (uintptr_t)data;
    if (!verso__native_uses(kind) || (kind == own && !verso__native_packs()))
        return false;
    for (uintptr_t number = first_number(kind, begin); number < begin + size; number += UNIT) {
        if (kind == own && is_own(number, begin, kind))
            continue;
        part one = part_of(number, kind, begin, size);
        if (one.bytes != 0 && is(&one, context))
            return true;
    }
    return false;
}

/* Calls `is` for each number that has bytes in the memory and is not one of its own numbers of kind `own`, until `is`
 * returns true. (Numbers of the same kind can overlap them only in programs that pack.) */
static bool any_other(void *data, uint64_t size, uint64_t own, treatment *is, void *context) {
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        if (any_of_kind(kind, data, size, own, is, context))
            return true;
    return false;
}

static bool has_derivative(const part *part, void *context) {
    (void)context;
    return !verso__native_is_nothing(part->before);
}

uint64_t verso__native_has_overlapped(void *data, uint64_t size, uint64_t kind) {
    return any_other(data, size, kind, has_derivative, NULL);
}

static bool overwrite(const part *part, void *context) {
    if (verso__native_is_nothing(part->before))
        return false;
    if (is_whole(part))
        set_bits(part, 0);
    else
        sweep_part(part, context);
    return false;
}

/* Prefers the message of a doubt, which is nearer to the cause. */
static bool refuse_over(const part *part, void *context) {
    if (!verso__native_is_nothing(part->before))
        verso__native_refuse(verso__native_is_doubt(part->before) ? verso__native_doubt_message(part->before)
                                                                  : context);
    return false;
}

void verso__native_sweep_over(void *data, uint64_t size, uint64_t kind, const char *message) {
    if (message != NULL) {
        any_other(data, size, kind, refuse_over, (void *)message);
        return;
    }
    verso__native_culprit nothing = {.what = "writing a number over", .data = data, .size = size};
    any_other(data, size, kind, overwrite, &nothing);
}

static bool spoil(const part *part, void *context) {
    const double *tangent = context;
    bool known = *tangent == 0 && part->bytes == all_bytes(part->kind);
    if (verso__native_is_guard(part->before))
        return false;
    if (*tangent != 0 || !is_zero(part->before))
        set_bits(part, known ? 0 : no_tangent);
    return false;
}

/* Floats can only be spoiled as a whole here, and are no guards. */
static bool spoils_floats(void *data, uint64_t size, uint64_t own, double tangent) {
    return own != VERSO_NATIVE_FLOAT && tangent != 0 && (uintptr_t)data % UNIT == 0 && size % UNIT == 0;
}

void verso__native_tangent_over(void *data, uint64_t size, uint64_t own, double tangent) {
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        if (kind == VERSO_NATIVE_FLOAT && spoils_floats(data, size, own, tangent))
            verso__native_floats_spoil(data, size);
        else
            any_of_kind(kind, data, size, own, spoil, &tangent);
}

/* ---- For an adjoint that is kept ---- */

size_t verso__native_parts_size(void) {
    return verso__native_parts_now.changes > 0 ? sizeof verso__native_parts_now : 0;
}

void verso__native_parts_write(char *bytes) {
    memcpy(bytes, &verso__native_parts_now, verso__native_parts_size());
}

bool verso__native_parts_fit(size_t size) {
    return size == 0 || size == sizeof verso__native_parts_now;
}

void verso__native_parts_read(const char *bytes, size_t size) {
    memcpy(&verso__native_parts_now, bytes, size);
}
