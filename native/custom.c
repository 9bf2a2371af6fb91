/* Custom adjoints: what the user's record, sweep and tangent are handed. See verso/native.h and state.h.
 *
 * The user's functions are not differentiated, also when they are compiled by `verso cc` and call functions that are:
 * the mode is primal while they run. What they keep goes to the tape at once, in one piece, with its length behind it.
 */
#include "native/native.h"

#include <string.h>

/* In the number of bytes that were kept: they are the adjoints of the arguments, of an adjoint in one piece. */
#define WHOLE (UINT64_C(1) << 63)

static size_t padded(uint64_t bytes) {
    return (bytes + 7) & ~(size_t)7;
}

void verso_native_custom_begin(struct verso_call *call, char *tape) {
    *call = (verso_call){.kept = tape, .result = verso_native_now.result, .argument = verso_native_now.argument};
    verso_native_runtime.custom.mode = verso_native_now.mode;
    verso_native_runtime.custom.keeping = verso_native_now.mode != VERSO_NATIVE_TANGENT;
    verso_native_runtime.custom.whole = false;
    verso_native_now.mode = VERSO_NATIVE_PRIMAL;
}

char *verso_native_custom_end(struct verso_call *call) {
    verso_native_now.mode = verso_native_runtime.custom.mode;
    if (!verso_native_runtime.custom.keeping)
        return call->kept;
    verso_native_runtime.custom.keeping = false;
    uint64_t bytes = call->kept_bytes | (verso_native_runtime.custom.whole ? WHOLE : 0);
    char *tape = (char *)call->kept + padded(call->kept_bytes);
    if (verso_native_now.mode == VERSO_NATIVE_RECORD)
        memcpy(tape, &bytes, sizeof bytes);
    return tape + sizeof bytes;
}

char *verso_native_custom_sweep(struct verso_call *call, char *tape) {
    uint64_t bytes;
    memcpy(&bytes, tape - sizeof bytes, sizeof bytes);
    bytes &= ~WHOLE;
    tape -= sizeof bytes + padded(bytes);
    memset(verso_native_now.argument, 0, sizeof verso_native_now.argument);
    *call = (verso_call){tape, bytes, verso_native_now.result, verso_native_now.argument};
    return tape;
}

/* In tangent mode nothing is swept, so a function that serves both modes may keep what it likes. While advancing, what
 * is kept only counts. */
void verso_keep(verso_call *call, const void *bytes, size_t size) {
    if (size == 0 || (!verso_native_runtime.custom.keeping && verso_native_runtime.custom.mode == VERSO_NATIVE_TANGENT))
        return;
    if (!verso_native_runtime.custom.keeping) {
        if (verso_native_runtime.stack.away)
            verso_native_refuse("verso_keep was called outside the `record` of a custom adjoint.");
        return;
    }
    char *at = (char *)call->kept + call->kept_bytes;
    call->kept_bytes += size;
    if (verso_native_runtime.custom.mode == VERSO_NATIVE_ADVANCE)
        return;
    size_t left = (size_t)(verso_native_runtime.tape.end - at);
    verso_native_runtime.tape.full = size > left || left - size < 2 * sizeof(uint64_t);
    if (verso_native_runtime.tape.full)
        verso_native_give_up(VERSO_NO_MEMORY,
                             "a custom adjoint keeps %zu bytes more than the recording may take; raise tape_limit.",
                             size);
    memcpy(at, bytes, size);
}

/* What is recorded again is the call itself: there is no safepoint in it, so nothing else records it. */
const double *verso_native_whole_begin(uint64_t either) {
    bool entered = verso_native_runtime.calls.entered;
    verso_native_runtime.calls.entered = false;
    if (verso_native_runtime.custom.mode != VERSO_NATIVE_RECORD || (either && !entered))
        return NULL;
    if (!entered || verso_native_runtime.calls.result == NULL)
        verso_native_refuse("a call whose adjoint is in one piece was not checkpointed: Verso has a bug.");
    return verso_native_runtime.calls.result;
}

void verso_native_whole_keep(verso_call *call, const void *adjoints, uint64_t bytes) {
    verso_native_runtime.custom.whole = true;
    verso_keep(call, adjoints, bytes);
}

/* A profile has the site on: what the call would keep when it is off is seen while it is run without recording. */
void verso_native_whole_instead(const verso_call *call, uint64_t bytes) {
    verso_native_runtime.calls.instead = (int64_t)padded(call->kept_bytes) - (int64_t)padded(bytes);
}

int verso_native_whole_kept(const verso_call *call) {
    uint64_t bytes;
    memcpy(&bytes, (const char *)call->kept + padded(call->kept_bytes), sizeof bytes);
    return (bytes & WHOLE) != 0;
}

double *verso_adjoint_cell(const void *data, verso_scalar type) {
    bool covered = (uintptr_t)data % 4 == 0 && verso_native_covers(data, 4);
    if (covered && verso_native_runtime.space.reserved)
        return verso_native_cell_of(data, verso_native_kind_of(type));
    if (verso_native_runtime.stack.away)
        verso_native_give_up(VERSO_INVALID,
                             "a custom adjoint asks for the derivative of %p: that is no multiple of 4, or no memory "
                             "that Verso has cells for.",
                             data);
    return NULL;
}

double *verso_adjoint(const void *data) {
    return verso_adjoint_cell(data, VERSO_DOUBLE);
}
