/* Doubles that copies and words have brought to odd multiples of 4, in programs that do not pack.
 *
 * Such a double has a cell in the odd plane, and goes on with copies and integers. But if an aligned double is stored
 * over a half of it, or if two were there of whose halves a copy has made a number, nobody would notice: stores of
 * aligned doubles look at their own cells only. So while it has a derivative the cells of the two aligned doubles that
 * share bytes with it hold a guard, a signalling NaN.
 *
 *   Reverse mode: it is met when the copy is reversed that brought its bytes elsewhere. A store that takes a guard
 * makes the gradient a NaN, which is refused; one without a derivative removes it, which is seen when what wrote the
 *   double's own bytes is met.
 *   Tangent mode: it is met when a copy brings it there. If a guard is not there any more when it is copied on, it is
 *   no number any more: its tangent is a NaN.
 *
 * In programs that pack every store looks around (parts.c). */
#include "native/native.h"

#include <string.h>

enum { UNIT = 4 };

static const uint64_t guard = VERSO_NATIVE_GUARD;
static const uint64_t quiet = VERSO_NATIVE_GUARD | UINT64_C(1) << 51; /* one that has travelled, or was added to */
static const uint64_t none = UINT64_C(0x7ff8) << 48;

static uint64_t bits_at(uintptr_t number) {
    uint64_t bits;
    memcpy(&bits, verso_native_cell(verso_native_address(number)), sizeof bits);
    return bits;
}

static void set_bits(uintptr_t number, uint64_t bits) {
    memcpy(verso_native_cell(verso_native_address(number)), &bits, sizeof bits);
}

static bool is_odd(uintptr_t number) {
    return number % 8 == UNIT && !verso_native_packs();
}

/* The first odd multiple of 4 from there on. */
static uintptr_t first_in(uintptr_t begin) {
    return (begin + UNIT - 1) / 8 * 8 + UNIT;
}

bool verso_native_odd_guards(uint64_t bits) {
    return bits == guard || bits == quiet;
}

/* ---- Reverse mode: one double ---- */

void verso_native_odd_arrived(uintptr_t number, const verso_native_culprit *culprit) {
    if (!is_odd(number) || !verso_native_covers(verso_native_address(number - UNIT), 16))
        return;
    verso_native_runtime.parts.odd.any = true;
    verso_native_runtime.parts.odd.culprit = *culprit;
    verso_native_runtime.parts.changes++;
    for (uintptr_t beside = number - UNIT; beside <= number + UNIT; beside += 8) {
        uint64_t bits = bits_at(beside);
        if (bits << 1 != 0 && !verso_native_odd_guards(bits)) /* two doubles that share bytes were used */
            verso_native_parts_lost(culprit);
        set_bits(beside, guard);
    }
}

void verso_native_odd_left(uintptr_t number, const verso_native_culprit *culprit) {
    (void)culprit; /* what brought it there is to blame */
    if (!is_odd(number) || !verso_native_runtime.parts.odd.any)
        return;
    for (uintptr_t beside = number - UNIT; beside <= number + UNIT; beside += 8) {
        uintptr_t next = beside < number ? number - 8 : number + 8;
        if (!verso_native_odd_guards(bits_at(beside))) /* a half of it was overwritten */
            verso_native_parts_lost(&verso_native_runtime.parts.odd.culprit);
        if (bits_at(next) << 1 == 0 || verso_native_is_mark(bits_at(next)))
            set_bits(beside, 0);
    }
}

void verso_native_sweep_odd(void *data) {
    verso_native_culprit culprit = {.what = "moving", .data = data, .size = 8};
    verso_native_odd_arrived((uintptr_t)data, &culprit);
}

/* ---- Reverse mode: some memory ---- */

typedef void treatment(uintptr_t number, const verso_native_culprit *culprit);

static void each(const char *data, const verso_native_culprit *culprit, treatment *treat) {
    uintptr_t begin = (uintptr_t)data, end = begin + culprit->size;
    for (uintptr_t number = first_in(begin); number + 8 <= end; number += 8)
        if (bits_at(number) << 1 != 0)
            treat(number, culprit);
}

void verso_native_odd_leave(const char *data, const verso_native_culprit *culprit) {
    if (verso_native_runtime.parts.odd.any)
        each(data, culprit, verso_native_odd_left);
}

void verso_native_odd_arrive(const char *data, const verso_native_culprit *culprit) {
    if (!verso_native_packs() && (verso_native_runtime.parts.odd.any || culprit->distance % 8 != 0))
        each(data, culprit, verso_native_odd_arrived);
}

/* ---- What is written beside ---- */

void verso_native_odd_hide(uintptr_t begin, uint64_t size) {
    for (uintptr_t number = (begin + 7) / 8 * 8; verso_native_runtime.parts.odd.any && number < begin + size;
         number += 8)
        if (verso_native_odd_guards(bits_at(number)) &&
            verso_native_runtime.parts.odd.hidden_count < VERSO_NATIVE_HIDDEN) {
            set_bits(number, 0);
            verso_native_runtime.parts.odd.hidden[verso_native_runtime.parts.odd.hidden_count++] = number;
        }
}

void verso_native_odd_show(void) {
    while (verso_native_runtime.parts.odd.hidden_count > 0)
        set_bits(verso_native_runtime.parts.odd.hidden[--verso_native_runtime.parts.odd.hidden_count], guard);
}

/* ---- Tangent mode ---- */

typedef void tangent_treatment(uintptr_t number);

static void each_with_tangent(uintptr_t begin, uint64_t size, tangent_treatment *treat) {
    for (uintptr_t number = first_in(begin); number + 8 <= begin + size; number += 8)
        if (bits_at(number) << 1 != 0)
            treat(number);
}

static void spoil(uintptr_t number) {
    if (!verso_native_odd_guards(bits_at(number - UNIT)) || !verso_native_odd_guards(bits_at(number + UNIT)))
        set_bits(number, none);
}

static void surround(uintptr_t number) {
    if (verso_native_odd_guards(bits_at(number))) /* that of an aligned double which is one no more */
        set_bits(number, 0);
    if (bits_at(number) == 0 || !verso_native_covers(verso_native_address(number - UNIT), 16))
        return;
    verso_native_runtime.parts.odd.any = true;
    set_bits(number - UNIT, guard);
    set_bits(number + UNIT, guard);
}

void verso_native_odd_spoil(const void *data, uint64_t size) {
    if (verso_native_runtime.parts.odd.any)
        each_with_tangent((uintptr_t)data, size, spoil);
}

void verso_native_odd_surround(const void *data, uint64_t size, bool may) {
    if (!verso_native_packs() && (may || verso_native_runtime.parts.odd.any))
        each_with_tangent((uintptr_t)data, size, surround);
}

void verso_native_odd_hide_last(const void *data, uint64_t size) {
    uintptr_t end = (uintptr_t)data + size;
    if (end % 8 != 0)
        verso_native_odd_hide(end / 8 * 8, 1);
}
