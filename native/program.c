/* The compiled program as the driver sees it: advances, is captured, resumed and reversed in steps. See native.h.
 *
 * A step is a stretch of equal tape bytes (walk.c), so what the schedule counts is what memory counts. The first time
 * the end is reached the program's memory is kept, because the sweep ends with the program anywhere. */
#include "native/native.h"

#include "base/wide.h"

#include <string.h>

static verso_status keep_end(verso_native_program_state *self, verso_error *error) {
    if (self->end.bytes != NULL || !verso_native_runtime.walk.at.ended)
        return VERSO_OK;
    verso_status status = verso_native_recorded(error);
    return status == VERSO_OK ? verso_native_capsule_take(&self->end, error) : status;
}

/* ---- Whether the budget is kept ---- */

/* What reversing may touch beyond its share before the resident set is asked, and what that may be beyond the budget.
 */
#define CELLS_SPARE (UINT64_C(1) << 20)
#define RESIDENT_SPARE (UINT64_C(1) << 20)

static verso_status has_grown(verso_error *error) {
    return verso_fail(error, VERSO_IMPOSSIBLE, "the run needs more memory than the budget was divided for.");
}

verso_status verso_native_program_go(verso_native_program_state *state, uint64_t steps, bool recording,
                                     verso_error *error) {
    const verso_native_division *division = &state->division;
    verso_status status = VERSO_OK;
    if (state->guarded)
        status = verso_native_tape_guard(
            verso_add_u64(verso_mul_u64(state->recording, verso_native_step_tape(division)), division->longer), error);
    if (status == VERSO_OK)
        status = verso_native_walk_to(steps, recording, error);
    if (status != VERSO_OK && state->guarded && verso_native_runtime.tape.full)
        state->grown = state->lost = true;
    return status;
}

size_t verso_native_program_look(verso_native_program_state *state) {
    size_t size = verso_native_capsule_size(), step = verso_native_runtime.walk.step_most;
    uint64_t longer = step > state->division.leaf ? step - state->division.leaf : 0;
    uint64_t deepest = size + verso_native_runtime.walk.stack_most - verso_native_capsule_stack();
    state->capsule_largest = verso_max_u64(state->capsule_largest, verso_max_u64(size, deepest));
    state->longer_largest = verso_max_u64(state->longer_largest, longer);
    state->grown |= size > state->division.capsule || longer > state->division.longer;
    return size;
}

/* Pages that are only read are counted with the cells, though they take no memory; and programs differ in how much of
 * their memory has cells of what size. So when there are many, the process is asked how large it is: that, less what
 * the program has taken itself, is what the budget is about. */
static bool keeps_budget(verso_native_program_state *state, uint64_t faults) {
    state->cells += (verso_native_faults() - faults) * VERSO_NATIVE_PAGE;
    if (state->division.memory == 0 || state->cells <= state->cells_most)
        return true;
    uint64_t own =
        (uint64_t)(verso_native_runtime.arena.touched - state->touched) + verso_native_runtime.walk.stack_most;
    uint64_t most = state->resident + own + state->division.memory + RESIDENT_SPARE;
    state->cells_most = state->cells + state->cells / 4 + CELLS_SPARE;
    if (verso_native_resident_set() <= most)
        return true;
    verso_native_heap_trim(); /* where capsules of other sizes were */
    if (verso_native_resident_set() <= most)
        return true;
    state->grown = state->lost = true;
    state->cells_grown = state->cells_share + 1;
    return false;
}

verso_status verso_native_program_back(verso_native_program_state *state, verso_error *error) {
    uint64_t faults = verso_native_faults();
    state->reversed = true;
    verso_status status = verso_native_walk_back(error);
    return status == VERSO_OK && !keeps_budget(state, faults) ? has_grown(error) : status;
}

/* ---- Operations ---- */

static verso_status advance(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error) {
    const verso_native_place *at = &verso_native_runtime.walk.at;
    (void)from;
    verso_status status = verso_native_program_go(self, to, false, error);
    *reached = at->step;
    return status == VERSO_OK ? keep_end(self, error) : status;
}

static verso_status reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    const verso_native_place *at = &verso_native_runtime.walk.at;
    verso_native_program_state *state = self;
    state->recording = verso_max_u64(state->recording, from - to);
    last = last && !state->behind;
    verso_status status = verso_native_program_go(state, last ? VERSO_NATIVE_END : from, true, error);
    if (status == VERSO_OK && (at->step != from || at->ended != last))
        status = verso_native_another_course(error);
    if (status == VERSO_OK)
        status = keep_end(state, error);
    return status == VERSO_OK ? verso_native_program_back(state, error) : status;
}

static size_t capsule_size(void *self, verso_capsule_kind kind) {
    verso_native_program_state *state = self;
    if (kind == VERSO_CAPSULE_ADJOINT)
        return verso_native_adjoint_size(&state->end);
    return verso_native_program_look(state);
}

static verso_status capture(void *self, verso_capsule_kind kind, void *bytes, size_t size, verso_error *error) {
    verso_native_program_state *state = self;
    verso_status status = verso_native_log_sync(error);
    if (status != VERSO_OK)
        return status;
    if (kind == VERSO_CAPSULE_ADJOINT)
        return verso_native_adjoint_write(&state->end, bytes, size, error);
    if (state->division.memory > 0 && state->grown)
        return has_grown(error);
    verso_native_capsule_write(bytes);
    return VERSO_OK;
}

static verso_status resume(void *self, verso_capsule_kind kind, const void *bytes, size_t size, verso_error *error) {
    verso_native_program_state *state = self;
    if (kind == VERSO_CAPSULE_ADJOINT) {
        state->reversed = true;
        return verso_native_adjoint_read(&state->end, bytes, size, error);
    }
    if (!verso_native_capsule_fits(bytes))
        return verso_native_log_lacks(error);
    verso_native_capsule_read(bytes);
    return VERSO_OK;
}

static size_t recording_size(void *self, uint64_t steps) {
    const verso_native_program_state *state = self;
    return (size_t)verso_add_u64(verso_native_beside(&state->division),
                                 verso_mul_u64(steps, verso_native_step_tape(&state->division)));
}

const verso_program_operations verso_native_operations = {
    .advance = advance,
    .reverse = reverse,
    .capsule_size = capsule_size,
    .capture = capture,
    .resume = resume,
    .recording_size = recording_size,
};
