/* Custom adjoints: the call objects that the user's record, sweep and tangent functions get. See verso/native.h
 * and native/state.h.
 *
 * The user's functions are not differentiated, even if `verso cc` compiled them and they call functions that
 * are: the mode is primal while they run. What they keep goes to the tape at once, as one piece, followed by
 * its length. */
#include "native/sweep/inside.h"
#include "native/sweep/once.h"

#include <string.h>

static verso__native_custom custom_now;

/* A flag in the number of kept bytes: they are the adjoints of the arguments, from an adjoint in one piece. */
#define WHOLE (UINT64_C(1) << 63)

static size_t padded(uint64_t bytes) {
    return (bytes + 7) & ~(size_t)7;
}

void verso__native_custom_begin(struct verso_call *call, char *tape) {
    *call = (verso_call){.kept = tape, .result = verso__native_now.result, .argument = verso__native_now.argument};
    custom_now.mode = verso__native_now.mode;
    custom_now.keeping = verso__native_now.mode != VERSO_NATIVE_TANGENT;
    custom_now.whole = false;
    verso__native_now.mode = VERSO_NATIVE_PRIMAL;
}

char *verso__native_custom_end(struct verso_call *call) {
    verso__native_now.mode = custom_now.mode;
    if (!custom_now.keeping)
        return call->kept;
    custom_now.keeping = false;
    uint64_t bytes = call->kept_bytes | (custom_now.whole ? WHOLE : 0);
    char *tape = (char *)call->kept + padded(call->kept_bytes);
    if (verso__native_now.mode == VERSO_NATIVE_RECORD)
        memcpy(tape, &bytes, sizeof bytes);
    return tape + sizeof bytes;
}

char *verso__native_custom_sweep(struct verso_call *call, char *tape) {
    uint64_t bytes;
    memcpy(&bytes, tape - sizeof bytes, sizeof bytes);
    bytes &= ~WHOLE;
    tape -= sizeof bytes + padded(bytes);
    memset(verso__native_now.argument, 0, sizeof verso__native_now.argument);
    *call = (verso_call){tape, bytes, verso__native_now.result, verso__native_now.argument, 0};
    return tape;
}

/* In tangent mode nothing is reversed, so that a function that serves both modes may call this without an
 * effect. While advancing, the bytes are only counted. */
void verso_keep(verso_call *call, const void *bytes, size_t size) {
    if (size == 0 || (!custom_now.keeping && custom_now.mode == VERSO_NATIVE_TANGENT))
        return;
    if (!custom_now.keeping) {
        if (verso__native_stack_is_running())
            verso__native_refuse("verso_keep was called outside the `record` of a custom adjoint");
        return;
    }
    char *at = (char *)call->kept + call->kept_bytes;
    call->kept_bytes += size;
    verso__native_once_kept(bytes, size);
    if (custom_now.mode == VERSO_NATIVE_ADVANCE)
        return;
    size_t left = (size_t)(verso__native_tape_end() - at);
    verso__native_tape_set_full(size > left || left - size < 2 * sizeof(uint64_t));
    if (verso__native_tape_is_full())
        verso__native_give_up(VERSO_STATUS_NO_MEMORY,
                              "a custom adjoint keeps %zu bytes more than the recording may take; raise tape_limit",
                              size);
    memcpy(at, bytes, size);
}

/* The call that is recorded again is this one: it contains no safepoint, so that nothing else is recorded. */
const double *verso__native_whole_begin(uint64_t either) {
    bool entered = verso__native_calls_now.entered;
    verso__native_calls_now.entered = false;
    if (custom_now.mode != VERSO_NATIVE_RECORD || (either && !entered))
        return NULL;
    if (!entered || verso__native_calls_now.result == NULL)
        verso__native_refuse(
            "a call whose adjoint is in one piece was not checkpointed: internal error (please report it)");
    return verso__native_calls_now.result;
}

void verso__native_whole_keep(verso_call *call, const void *adjoints, uint64_t bytes) {
    custom_now.whole = true;
    verso_keep(call, adjoints, bytes);
}

/* In a profile, the site is on. This measures what the call would keep if it were off, while the call is run
 * without recording. */
void verso__native_whole_measure(const verso_call *call, uint64_t bytes) {
    verso__native_calls_now.instead = (int64_t)padded(call->kept_bytes) - (int64_t)padded(bytes);
}

int verso__native_whole_kept(const verso_call *call) {
    uint64_t bytes;
    memcpy(&bytes, (const char *)call->kept + padded(call->kept_bytes), sizeof bytes);
    return (bytes & WHOLE) != 0;
}

/* Returns whether the number has a cell; false after the run was given up. */
static bool has_cell(const void *data) {
    bool covered = (uintptr_t)data % 4 == 0 && verso__native_covers(data, 4);
    if (covered && verso__native_space_is_reserved())
        return true;
    if (verso__native_stack_is_running())
        verso__native_give_up(
            VERSO_STATUS_INVALID,
            "a custom adjoint asks for the derivative of %p: that is not a multiple of 4, or not memory "
            "that Verso has cells for",
            data);
    return false;
}

double *verso__native_adjoint_cells(const void *data) {
    return has_cell(data) ? verso__native_cell(data) : NULL;
}

static const char *number_at(const void *data, verso_scalar type, size_t index) {
    size_t size = type == VERSO_SCALAR_FLOAT    ? sizeof(float)
                  : type == VERSO_SCALAR_DOUBLE ? sizeof(double)
                                                : sizeof(long double);
    return (const char *)data + index * size;
}

void verso_adjoint_add(const void *data, verso_scalar type, size_t count, const double *terms) {
    for (size_t i = 0; i < count; i++) {
        char *number = (char *)(uintptr_t)number_at(data, type, i);
        if (has_cell(number))
            verso__native_sweep_read(number, verso__native_kind_of(type), terms[i], NULL);
    }
}

void verso_adjoint_read(const void *data, verso_scalar type, size_t count, double *adjoints) {
    for (size_t i = 0; i < count; i++) {
        char *number = (char *)(uintptr_t)number_at(data, type, i);
        adjoints[i] = has_cell(number) ? verso__native_cell_read(number, verso__native_kind_of(type)) : 0;
    }
}

void verso_adjoint_take(const void *data, verso_scalar type, size_t count, double *adjoints) {
    const double zero = 0;
    verso_adjoint_read(data, type, count, adjoints);
    for (size_t i = 0; i < count; i++)
        verso_tangent_write(number_at(data, type, i), type, 1, &zero);
}

void verso_tangent_read(const void *data, verso_scalar type, size_t count, double *tangents) {
    verso_adjoint_read(data, type, count, tangents);
}

void verso_tangent_write(const void *data, verso_scalar type, size_t count, const double *tangents) {
    for (size_t i = 0; i < count; i++) {
        char *number = (char *)(uintptr_t)number_at(data, type, i);
        if (has_cell(number))
            verso__native_cell_write(number, verso__native_kind_of(type), tangents[i]);
    }
}

verso__native_custom verso__native_custom_save(void) {
    return custom_now;
}

void verso__native_custom_restore(verso__native_custom custom) {
    custom_now = custom;
}
