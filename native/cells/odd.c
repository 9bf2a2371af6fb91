/* Doubles that copies of memory or of words have brought to odd multiples of 4, in programs that do not pack.
 *
 * Such a double has a cell in the odd plane, which moves with copies and integers. But if an aligned double is
 * stored over a half of it, or if a copy has composed it of the halves of two aligned doubles, that would go
 * unnoticed, because stores of aligned doubles access only their own cells. So while the odd double has a
 * derivative, the cells of the two aligned doubles that share bytes with it hold a guard, a signalling NaN.
 *
 * Reverse mode: the odd double is met when the copy that moved its bytes elsewhere is reversed. A store that
 * takes a guard as an adjoint makes the gradient a NaN, which is refused; a store without a derivative removes
 * the guard, which is noticed when the write of the odd double's own bytes is reversed.
 *
 * Tangent mode: the odd double is met when a copy brings it to its place. If a guard is missing when the double
 * is copied further, the double is no longer a number, and its tangent becomes a NaN.
 *
 * In programs that pack, every store checks the numbers around it instead (parts.c). */
#include "native/cells/inside.h"

#include <string.h>

enum { UNIT = 4 };

/* Tangent mode: the tangent of an odd double that was partly overwritten. */
static const uint64_t no_number = UINT64_C(0x7ff8) << 48 | 0x0dd2;

static uint64_t bits_at(uintptr_t number) {
    uint64_t bits;
    memcpy(&bits, verso__native_cell(verso__native_address(number)), sizeof bits);
    return bits;
}

static void set_bits(uintptr_t number, uint64_t bits) {
    memcpy(verso__native_cell(verso__native_address(number)), &bits, sizeof bits);
}

/* Returns true if the bits are the derivative of a double. (A doubt, see doubts.h, belongs to an integer.) */
static bool is_derivative(uint64_t bits) {
    return bits << 1 != 0 && !verso__native_is_doubt(bits);
}

static bool is_odd(uintptr_t number) {
    return number % 8 == UNIT && !verso__native_packs();
}

/* Returns the first odd multiple of 4 that is not less than `begin`. */
static uintptr_t first_in(uintptr_t begin) {
    return (begin + UNIT - 1) / 8 * 8 + UNIT;
}

/* Returns true if odd doubles with derivatives, or their guards, may be between the addresses. */
static bool may_have_odd(uintptr_t begin, uintptr_t end) {
    return verso__native_parts_now.odd.any && begin < verso__native_parts_now.odd.last + 16 &&
           end > verso__native_parts_now.odd.first - 8;
}

bool verso__native_may_have_odd(const void *data, uint64_t size) {
    return may_have_odd((uintptr_t)data, (uintptr_t)data + size);
}

static void meet(uintptr_t number) {
    bool any = verso__native_parts_now.odd.any;
    if (!any || number < verso__native_parts_now.odd.first)
        verso__native_parts_now.odd.first = number;
    if (!any || number > verso__native_parts_now.odd.last)
        verso__native_parts_now.odd.last = number;
    verso__native_parts_now.odd.any = true;
}

bool verso__native_is_guard(uint64_t bits) {
    return bits == VERSO_NATIVE_GUARD || bits == VERSO_NATIVE_GUARD_TAINTED;
}

/* Sets the guard in the cell of the aligned double at `beside`. If the cell held a derivative, the guard is a tainted
 * one: the derivative is lost, which does not matter if the cell is cleared before it is read. */
static void guard(uintptr_t beside) {
    uint64_t bits = bits_at(beside);
    bool clean = bits << 1 == 0 || bits == VERSO_NATIVE_GUARD;
    set_bits(beside, clean ? VERSO_NATIVE_GUARD : VERSO_NATIVE_GUARD_TAINTED);
}

/* ---- Reverse mode: one double ---- */

void verso__native_odd_set_guards(uintptr_t number, const verso__native_culprit *culprit) {
    if (!is_odd(number) || !verso__native_covers(verso__native_address(number - UNIT), 16))
        return;
    meet(number);
    verso__native_parts_now.odd.culprit = *culprit;
    verso__native_parts_now.changes++;
    guard(number - UNIT);
    guard(number + UNIT);
}

/* Removes the guard of the first half of an odd double, or of the second. Keeps it if the odd double on the other side
 * of the guard needs it: if that has an adjoint, and is not `leaving`, too. */
static void release(uintptr_t number, bool second, bool copied, bool leaving) {
    uintptr_t beside = second ? number + UNIT : number - UNIT, next = second ? number + 8 : number - 8;
    bool clean = bits_at(beside) == VERSO_NATIVE_GUARD;
    if (copied && !clean) /* overwritten, or an aligned double has an adjoint, too */
        verso__native_parts_refuse(&verso__native_parts_now.odd.culprit);
    if (clean && (!is_derivative(bits_at(next)) || leaving))
        set_bits(beside, 0);
}

void verso__native_odd_remove_guards(uintptr_t number, unsigned bytes, bool copied) {
    if (!is_odd(number) || !verso__native_parts_now.odd.any)
        return;
    if ((bytes & 0x0f) != 0)
        release(number, false, copied, false);
    if ((bytes & 0xf0) != 0)
        release(number, true, copied, false);
}

/* Refuses the differentiation if an odd double that has an adjoint lacks a guard: something was written over it. */
static void check(uintptr_t number) {
    if (!verso__native_is_guard(bits_at(number - UNIT)) || !verso__native_is_guard(bits_at(number + UNIT)))
        verso__native_parts_refuse(&verso__native_parts_now.odd.culprit);
}

void verso__native_sweep_odd(void *data, uint64_t before) {
    verso__native_culprit culprit = {.what = "moving", .data = data, .size = 8};
    if (is_derivative(before) && verso__native_parts_now.odd.any)
        check((uintptr_t)data);
    if (is_derivative(bits_at((uintptr_t)data)))
        verso__native_odd_set_guards((uintptr_t)data, &culprit);
}

/* ---- Reverse mode: some memory ---- */

static bool is_finished(uintptr_t number) {
    return is_derivative(bits_at(number)) && !verso__native_is_mark(bits_at(number));
}

void verso__native_odd_leave(const char *data, const verso__native_culprit *culprit) {
    uintptr_t first = first_in((uintptr_t)data), end = (uintptr_t)data + culprit->size;
    if (!may_have_odd((uintptr_t)data, end))
        return;
    bool between = false; /* the previous odd double has released the guard between them */
    for (uintptr_t number = first; number + 8 <= end; number += 8) {
        bool leaves = is_finished(number);
        bool next = leaves && number + 16 <= end && is_finished(number + 8);
        if (leaves && !between)
            release(number, false, culprit->copied, false);
        if (leaves)
            release(number, true, culprit->copied, next);
        between = next;
    }
}

void verso__native_odd_check(const char *data, uint64_t size) {
    uintptr_t begin = (uintptr_t)data, end = begin + size;
    bool may = may_have_odd(begin, end) && verso__native_covers(data, size);
    for (uintptr_t number = first_in(begin); may && number + 8 <= end; number += 8)
        if (is_derivative(bits_at(number)))
            check(number);
}

void verso__native_odd_arrive(const char *data, const verso__native_culprit *culprit) {
    uintptr_t begin = (uintptr_t)data, end = begin + culprit->size;
    bool may = !verso__native_packs() && verso__native_covers(data, culprit->size) &&
               (culprit->distance % 8 != 0 || verso__native_may_have_odd(culprit->data, culprit->size));
    for (uintptr_t number = first_in(begin); may && number + 8 <= end; number += 8)
        if (is_derivative(bits_at(number)))
            verso__native_odd_set_guards(number, culprit);
}

/* ---- Guards at the ends of written memory ---- */

static void hide(uintptr_t begin, uintptr_t end) {
    for (uintptr_t number = (begin + 7) / 8 * 8; number < end; number += 8)
        if (verso__native_is_guard(bits_at(number))) {
            verso__native_hidden one = {number, bits_at(number)};
            verso__native_parts_now.odd.hidden[verso__native_parts_now.odd.hidden_count++] = one;
            set_bits(number, 0);
        }
}

void verso__native_odd_hide(const void *data, uint64_t size) {
    uintptr_t begin = (uintptr_t)data, end = begin + size;
    if (!may_have_odd(begin, end))
        return;
    hide(begin, size < 8 ? end : begin + 8);
    hide(size < 16 ? begin + 8 : end - 8, end);
}

void verso__native_odd_show(bool copied) {
    while (verso__native_parts_now.odd.hidden_count > 0) {
        verso__native_hidden *one = &verso__native_parts_now.odd.hidden[--verso__native_parts_now.odd.hidden_count];
        set_bits(one->number, one->bits);
        if (copied && one->bits == VERSO_NATIVE_GUARD_TAINTED) /* the bytes belong to a number that has an adjoint */
            verso__native_parts_refuse(&verso__native_parts_now.odd.culprit);
    }
}

/* ---- Tangent mode ---- */

typedef void tangent_treatment(uintptr_t number);

static void each_with_tangent(uintptr_t begin, uint64_t size, tangent_treatment *treat) {
    for (uintptr_t number = first_in(begin); number + 8 <= begin + size; number += 8)
        if (is_derivative(bits_at(number)))
            treat(number);
}

static void spoil(uintptr_t number) {
    if (!verso__native_is_guard(bits_at(number - UNIT)) || !verso__native_is_guard(bits_at(number + UNIT)))
        set_bits(number, no_number);
}

static void surround(uintptr_t number) {
    if (verso__native_is_guard(bits_at(number))) /* a guard of another odd double, which is overwritten now */
        set_bits(number, 0);
    if (bits_at(number) == 0 || bits_at(number) == no_number ||
        !verso__native_covers(verso__native_address(number - UNIT), 16))
        return;
    meet(number);
    guard(number - UNIT);
    guard(number + UNIT);
}

void verso__native_odd_spoil(const void *data, uint64_t size) {
    if (may_have_odd((uintptr_t)data, (uintptr_t)data + size))
        each_with_tangent((uintptr_t)data, size, spoil);
}

void verso__native_odd_surround(const void *data, uint64_t size, bool may) {
    if (!verso__native_packs() && may)
        each_with_tangent((uintptr_t)data, size, surround);
}

void verso__native_odd_hide_last(const void *data, uint64_t size) {
    uintptr_t end = (uintptr_t)data + size;
    if (end % 8 != 0 && may_have_odd((uintptr_t)data, end))
        hide(end / 8 * 8, end);
}
