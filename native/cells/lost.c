/* Refuses derivatives that are lost: that a partial write has made a mark or a NaN (parts.c), that are doubts
 * (doubts.c), or that belong to the bytes of an input, but not to the input. */
#include "native/cells/inside.h"

#include <math.h>
#include <stdio.h>

enum { UNIT = 4 };

static void write_message(char text[VERSO_MESSAGE_MAX], const verso__native_culprit *culprit) {
    if (culprit->message != NULL)
        snprintf(text, VERSO_MESSAGE_MAX, "%s", culprit->message);
    else
        snprintf(text, VERSO_MESSAGE_MAX,
                 "a derivative is lost: %s %llu bytes at %p wrote a part of a number, made one of parts of "
                 "others, or moved it by a distance that is not a multiple of 4; keep numbers that are differentiated "
                 "aligned, and copy them whole",
                 culprit->what, (unsigned long long)culprit->size, culprit->data);
}

_Noreturn void verso__native_parts_refuse(const verso__native_culprit *culprit) {
    char text[VERSO_MESSAGE_MAX];
    write_message(text, culprit);
    verso__native_give_up(VERSO_STATUS_INVALID, "%s", text);
}

static bool has_nan(const verso_array *region) {
    const char *number = region->data;
    verso__native_kind kind = verso__native_kind_of(region->type);
    for (size_t i = 0; i < region->count; i++, number += verso__native_scalar_size(region->type))
        if (isnan(verso__native_cell_read(number, kind)))
            return true;
    return false;
}

/* Returns the message about a derivative of bytes of the inputs that is not a derivative of the inputs themselves:
 * about a doubt, or a number of another type. NULL: there is none. */
static const char *find_misuse(const verso_array *region) {
    uintptr_t begin = (uintptr_t)region->data, end = begin + region->count * verso__native_scalar_size(region->type);
    unsigned own = verso__native_kind_of(region->type);
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++) {
        if (!verso__native_uses(kind) || (kind == own && !verso__native_has_doubts()) ||
            verso__native_cells_are_zero(begin, end, (verso__native_kind)kind))
            continue;
        for (uintptr_t unit = (begin + UNIT - 1) & ~(uintptr_t)(UNIT - 1); unit < end; unit += UNIT) {
            uint64_t bits = verso__native_cell_bits(unit, (verso__native_kind)kind);
            const char *doubt = verso__native_is_doubt(bits) ? verso__native_doubt_message(bits) : NULL;
            if (doubt != NULL)
                return doubt;
            if (kind != own && !verso__native_is_nothing(bits))
                return "the bytes of an input are used as a floating-point number of another type, which Verso cannot "
                       "follow; copy numbers whole (memcpy), as the type that they have";
        }
    }
    return NULL;
}

/* Returns the write to name in the message; NULL: nothing is lost. Copied bytes that never became a whole number are
 * always lost derivatives; other entries matter only if the gradient has a NaN (`lost`), which may come from a mark. */
static const verso__native_culprit *find_culprit(bool lost) {
    for (size_t i = 0; i < VERSO_NATIVE_UNFINISHED; i++) {
        const verso__native_unfinished *one = &verso__native_parts_now.unfinished[i];
        if (one->number != 0 && (lost || one->copied != 0))
            return &one->culprit;
    }
    return NULL;
}

verso_status verso__native_parts_check(const verso_array *regions, size_t count, verso_error *error) {
    verso__native_culprit suspect = {.message = verso__native_parts_now.suspect};
    bool lost = false;
    char text[VERSO_MESSAGE_MAX];
    for (size_t i = 0; i < count; i++)
        if (find_misuse(&regions[i]) != NULL)
            return verso__fail(error, VERSO_STATUS_INVALID, "%s", find_misuse(&regions[i]));
    if (verso__native_parts_now.changes == 0)
        return VERSO_STATUS_OK;
    for (size_t i = 0; i < count; i++)
        lost = lost || has_nan(&regions[i]);
    const verso__native_culprit *culprit = lost && suspect.message != NULL ? &suspect : find_culprit(lost);
    if (culprit == NULL && lost && verso__native_parts_now.odd.any)
        culprit = &verso__native_parts_now.odd.culprit;
    if (culprit == NULL)
        return VERSO_STATUS_OK;
    write_message(text, culprit);
    return verso__fail(error, VERSO_STATUS_INVALID, "%s", text);
}

void verso__native_parts_suspect(const char *message) {
    verso__native_parts_now.suspect = message;
    verso__native_parts_now.changes++;
}
