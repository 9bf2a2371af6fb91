/* The compiled program as the driver sees it: advances, is captured, resumed and reversed in steps. See native.h.
 *
 * A step is a stretch of equal tape bytes (walk.c), so what the schedule counts is what memory counts. The first time
 * the end is reached the program's memory is kept, because the sweep ends with the program anywhere. */
#include "native/native.h"

#include <string.h>

static verso_status keep_end(verso_native_program_state *self, verso_error *error) {
    if (self->end.bytes != NULL || !verso_native_runtime.walk.at.ended)
        return VERSO_OK;
    verso_status status = verso_native_recorded(error);
    return status == VERSO_OK ? verso_native_capsule_take(&self->end, error) : status;
}

static verso_status advance(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error) {
    const verso_native_place *at = &verso_native_runtime.walk.at;
    (void)from;
    verso_status status = verso_native_walk_to(to, false, error);
    *reached = at->step;
    return status == VERSO_OK ? keep_end(self, error) : status;
}

static verso_status reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    const verso_native_place *at = &verso_native_runtime.walk.at;
    (void)to;
    verso_status status = verso_native_walk_to(last ? VERSO_NATIVE_END : from, true, error);
    if (status == VERSO_OK && (at->step != from || at->ended != last))
        status = verso_native_another_course(error);
    if (status == VERSO_OK)
        status = keep_end(self, error);
    return status == VERSO_OK ? verso_native_walk_back(error) : status;
}

static size_t capsule_size(void *self, verso_capsule_kind kind) {
    verso_native_program_state *state = self;
    if (kind == VERSO_CAPSULE_ADJOINT)
        return verso_native_adjoint_size(&state->end);
    size_t size = verso_native_capsule_size();
    if (size > state->capsule_most)
        state->grown = true;
    if (size > state->capsule_largest)
        state->capsule_largest = size;
    return size;
}

static verso_status capture(void *self, verso_capsule_kind kind, void *bytes, size_t size, verso_error *error) {
    verso_native_program_state *state = self;
    verso_status status = verso_native_log_sync(error);
    if (status != VERSO_OK)
        return status;
    if (kind == VERSO_CAPSULE_ADJOINT)
        return verso_native_adjoint_write(&state->end, bytes, size, error);
    verso_native_capsule_write(bytes);
    return VERSO_OK;
}

static verso_status resume(void *self, verso_capsule_kind kind, const void *bytes, size_t size, verso_error *error) {
    verso_native_program_state *state = self;
    if (kind == VERSO_CAPSULE_ADJOINT)
        return verso_native_adjoint_read(&state->end, bytes, size, error);
    if (!verso_native_capsule_fits(bytes))
        return verso_native_log_lacks(error);
    verso_native_capsule_read(bytes);
    return VERSO_OK;
}

static size_t recording_size(void *self, uint64_t steps) {
    const verso_native_program_state *state = self;
    return (size_t)verso_native_beside(state->fixed, state->capsule_most) +
           (size_t)(steps * verso_native_runtime.walk.leaf);
}

const verso_program_operations verso_native_operations = {
    .advance = advance,
    .reverse = reverse,
    .capsule_size = capsule_size,
    .capture = capture,
    .resume = resume,
    .recording_size = recording_size,
};
