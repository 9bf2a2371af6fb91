/* Numbers that are written in parts: 4 bytes of a double, or some of its bytes, by an integer store, a copy or a fill.
 *
 * Such a number has a derivative that can be told only when all its bytes are copies, or none is. Its derivative is in
 * one cell, that of its first byte; what happens to the other bytes would go unnoticed. So where a part of a double
 * whose cell is not zero is written, which is rare, the cell gets a mark, a signalling NaN, and an entry in a small
 * table says which bytes are known meanwhile. When all eight are, the mark goes away. Until then whoever uses the cell
 * gets a NaN: nothing is checked where whole numbers are read and written. Copied bytes are believed to be of one
 * number.
 *
 *   Reverse mode: the bytes known are those whose writing was reversed. The derivative goes to where the first byte
 *   came from; until that is met it is kept in the entry. A NaN in the gradient is turned into a refusal that names
 *   the place. Whatever is added to a mark makes it a quiet NaN: a number was used while it was unfinished.
 *   Tangent mode: the bytes known are those that were written since. A number that had no tangent, and gets a first
 *   byte that has one, is believed to have got the others before; it has an entry without a mark, so that bytes that
 *   follow are known to belong to it.
 *
 * The table forgets: an entry makes room for another one whose number has the same place in it. A mark without its
 * entry is a NaN like others. None of this is done in a program that computes with floats, too, where 4 bytes beside
 * others can be a number of their own: verso_native_doubles_only says so. */
#include "native/native.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const uint64_t verso_native_doubles_only __attribute__((weak));

enum { ALL_BYTES = 0xff, FIRST_BYTE = 1, SECOND_HALF = 0xf0 };

typedef verso_native_unfinished entry;

/* Cells are moved as bits: a load into a register of the x87 would make a mark quiet. */
static uint64_t bits_at(uintptr_t number) {
    uint64_t bits;
    memcpy(&bits, verso_native_cell(verso_native_address(number)), sizeof bits);
    return bits;
}

static void set_bits(uintptr_t number, uint64_t bits) {
    memcpy(verso_native_cell(verso_native_address(number)), &bits, sizeof bits);
}

/* A mark belongs to one entry as it is: copied to the cell of another number, or coming back later, it is a NaN. */
static uint64_t mark_of(const entry *one) {
    return UINT64_C(0x1ffd) << 50 | (uint64_t)one->number / 8 << 6 | (one->ordinal & 63);
}

/* Of whatever entry, quiet or not. */
static bool is_mark(uint64_t bits) {
    return (bits >> 50 | 2) == 0x1fff;
}

static bool is_zero(uint64_t bits) {
    return bits << 1 == 0;
}

static bool has_floats(const verso_array *regions, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (regions[i].type == VERSO_FLOAT)
            return true;
    return false;
}

void verso_native_parts_begin(void) {
    const verso_native_job *job = verso_native_runtime.job;
    if (verso_native_runtime.parts.changes > 0)
        memset(verso_native_runtime.parts.unfinished, 0, sizeof verso_native_runtime.parts.unfinished);
    verso_native_runtime.parts.changes = 0;
    verso_native_runtime.parts.suspect = NULL;
    verso_native_runtime.parts.on = &verso_native_doubles_only != NULL && verso_native_doubles_only != 0 &&
                                    !has_floats(job->wrt, job->wrt_count) && !has_floats(job->of, job->of_count);
}

/* ---- The table ---- */

static entry *place_of(uintptr_t number) {
    return &verso_native_runtime.parts.unfinished[number / 8 % VERSO_NATIVE_UNFINISHED];
}

static entry *find(uintptr_t number) {
    entry *found = place_of(number);
    return found->number == number ? found : NULL;
}

static entry *make(uintptr_t number) {
    entry *made = place_of(number);
    *made = (entry){.number = number};
    return made;
}

/* Some bytes of the number are known from now on. True: all are, and it has a derivative; the entry is gone. */
static bool now_known(entry *one, unsigned bytes, bool copied) {
    one->ordinal = ++verso_native_runtime.parts.changes;
    one->known |= bytes;
    one->copied = (one->copied & ~bytes) | (copied ? bytes : 0);
    if (one->known != ALL_BYTES || (one->copied != 0 && one->copied != ALL_BYTES))
        return false;
    one->number = 0;
    return true;
}

/* ---- Writing ---- */

/* Which bytes of the number are among those written. */
static unsigned bytes_of(uintptr_t number, uintptr_t data, uint64_t size) {
    unsigned bytes = 0;
    for (unsigned i = 0; i < 8; i++)
        if (number + i - data < size)
            bytes |= 1u << i;
    return bytes;
}

verso_native_parts verso_native_parts_of(void *data, uint64_t size) {
    verso_native_parts parts = {0};
    uintptr_t begin = (uintptr_t)data, last = (begin + size - 1) & ~(uintptr_t)7;
    if (!verso_native_runtime.parts.on || size == 0 || ((begin | size) & 7) == 0)
        return parts;
    for (uintptr_t number = begin & ~(uintptr_t)7;; number = last) {
        unsigned bytes = bytes_of(number, begin, size);
        if (bytes != ALL_BYTES)
            parts.part[parts.count++] = (verso_native_part){number, bits_at(number), bytes};
        if (number == last)
            return parts;
    }
}

bool verso_native_parts_zero(const verso_native_parts *parts) {
    for (size_t i = 0; i < parts->count; i++)
        if (!is_zero(parts->part[i].before))
            return false;
    return true;
}

/* ---- Reverse mode ---- */

static void say(char text[VERSO_MESSAGE_MAX], const verso_native_culprit *culprit) {
    if (culprit->message != NULL)
        snprintf(text, VERSO_MESSAGE_MAX, "%s", culprit->message);
    else
        snprintf(text, VERSO_MESSAGE_MAX,
                 "a derivative is lost: %s %llu bytes at %p wrote a part of a number, or moved it by a distance that "
                 "is no multiple of 4; keep numbers that are differentiated aligned, and copy them whole.",
                 culprit->what, (unsigned long long)culprit->size, culprit->data);
}

_Noreturn void verso_native_parts_lost(const verso_native_culprit *culprit) {
    char text[VERSO_MESSAGE_MAX];
    say(text, culprit);
    verso_native_give_up(VERSO_INVALID, "%s", text);
}

void verso_native_parts_sweep(const verso_native_parts *parts) {
    for (size_t i = 0; i < parts->count; i++) {
        const verso_native_part *part = &parts->part[i];
        const entry *one = find(part->number);
        if (one != NULL && part->before == mark_of(one) && (part->bytes & FIRST_BYTE) != 0)
            set_bits(part->number, one->kept);
    }
}

static void sweep_part(const verso_native_part *part, const verso_native_culprit *culprit) {
    entry *one = find(part->number);
    if (is_zero(part->before))
        return;
    if (one == NULL || part->before != mark_of(one)) {
        if (is_mark(part->before)) /* it was used or copied while it was unfinished */
            verso_native_parts_lost(culprit);
        one = make(part->number);
        one->kept = part->before;
        one->culprit = *culprit;
    }
    if ((part->bytes & FIRST_BYTE) != 0)
        one->kept = 0;
    unsigned fresh = part->bytes & ~one->known; /* what was written before was overwritten */
    bool known = now_known(one, fresh, culprit->copied);
    if (!known && one->known == ALL_BYTES)
        verso_native_parts_lost(&one->culprit);
    set_bits(part->number, known ? 0 : mark_of(one));
}

void verso_native_parts_swept(const verso_native_parts *parts, const verso_native_culprit *culprit) {
    for (size_t i = 0; i < parts->count; i++)
        sweep_part(&parts->part[i], culprit);
}

void verso_native_sweep_part(void *data, uint64_t size) {
    verso_native_runtime.parts.now = verso_native_parts_of(data, size);
    verso_native_parts_sweep(&verso_native_runtime.parts.now);
}

void verso_native_sweep_part_end(const char *message, uint64_t copied) {
    verso_native_culprit culprit = {.message = message, .copied = copied != 0};
    verso_native_parts_swept(&verso_native_runtime.parts.now, &culprit);
}

static bool some_nan(const verso_array *region) {
    for (size_t i = 0; i < region->count; i++)
        if (isnan(verso_native_tangent_read((char *)region->data + i * verso_native_scalar_size(region->type))))
            return true;
    return false;
}

verso_status verso_native_parts_check(const verso_array *regions, size_t count, verso_error *error) {
    verso_native_culprit culprit = {.message = verso_native_runtime.parts.suspect};
    bool lost = false, suspect = culprit.message != NULL;
    char text[VERSO_MESSAGE_MAX];
    for (size_t i = 0; i < count; i++)
        lost = lost || some_nan(&regions[i]);
    for (size_t i = 0; lost && !suspect && i < VERSO_NATIVE_UNFINISHED; i++) {
        suspect = verso_native_runtime.parts.unfinished[i].number != 0;
        culprit = verso_native_runtime.parts.unfinished[i].culprit;
    }
    if (!lost || !suspect)
        return VERSO_OK;
    say(text, &culprit);
    return verso_fail(error, VERSO_INVALID, "%s", text);
}

/* ---- Tangent mode ---- */

static bool is_nan(uint64_t bits) {
    return bits << 1 > UINT64_C(0xffe) << 52;
}

/* A byte with a derivative was written where the first byte of no number is: generated code leaves a NaN. */
static bool out_of_place(const verso_native_part *part) {
    uint64_t now = bits_at(part->number);
    return ((part->bytes & FIRST_BYTE) == 0 && now != part->before && is_nan(now)) ||
           ((part->bytes & SECOND_HALF) != 0 && is_nan(bits_at(part->number + 4)));
}

static void tangent_part(const verso_native_part *part, bool copied) {
    uint64_t tangent = bits_at(part->number);
    bool first = (part->bytes & FIRST_BYTE) != 0;
    entry *one = find(part->number);
    if (out_of_place(part)) {
        set_bits(part->number, UINT64_C(0x7ff8) << 48);
        if (one != NULL)
            one->number = 0;
        return;
    }
    if (one != NULL && part->before != (one->marked ? mark_of(one) : one->kept))
        one = NULL; /* the number was written whole since */
    if (one == NULL) {
        if (is_zero(part->before) && (!first || is_zero(tangent) || is_nan(tangent)))
            return;
        one = make(part->number);
        one->marked = !is_zero(part->before);
    }
    if (first)
        one->kept = tangent;
    bool known = now_known(one, part->bytes, copied);
    set_bits(part->number, one->marked && !known ? mark_of(one) : one->kept);
}

void verso_native_parts_tangent(const verso_native_parts *parts, bool copied) {
    for (size_t i = 0; i < parts->count; i++)
        tangent_part(&parts->part[i], copied);
}

void verso_native_tangent_part(void *data, uint64_t size, uint64_t copied, uint64_t first, uint64_t last) {
    verso_native_parts parts = verso_native_parts_of(data, size);
    for (size_t i = 0; i < parts.count; i++)
        parts.part[i].before = parts.part[i].number <= (uintptr_t)data ? first : last;
    verso_native_parts_tangent(&parts, copied != 0);
}
