/* The compiled program as the driver sees it: advanced, captured, resumed and reversed in steps. See budget.h.
 *
 * A step is a stretch of equal tape bytes (walk.c), so the steps that a schedule counts stand for equal amounts
 * of memory. When the end of the run is first reached, a capsule of the program's memory is taken, because
 * after the sweep the program may be at any step. */
#include "native/budget/budget.h"

#include "base/wide.h"
#include "native/sweep/ranks.h"

#include <string.h>

static verso_status keep_end(verso__native_program_state *self, verso_error *error) {
    if (self->end.bytes != NULL || !verso__native_place_now()->ended)
        return VERSO_STATUS_OK;
    verso_status status = verso__native_require_recording(error);
    bool keeps = self->division.memory == 0 || self->division.end > 0;
    return status == VERSO_STATUS_OK && keeps ? verso__native_capsule_take(&self->end, error) : status;
}

/* ---- Whether the budget is kept ---- */

/* Bytes that reversing may touch before the resident set is read; and by how much that may exceed the budget,
 * because pages of Verso's own code and of libraries that are used for the first time take some 0.8 MB. */
enum { CELLS_UNSEEN = 256 << 10, RESIDENT_SPARE = 1 << 20 };
/* By how much the log may exceed the size that the budget was divided for. */
enum { LOG_SPARE = 64 << 10 };

static verso_status has_grown(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_IMPOSSIBLE, "the run needs more memory than the budget was divided for");
}

/* If the tape was full, the budget must be divided again. */
static void note_full(verso__native_program_state *state, verso_status status) {
    if (status != VERSO_STATUS_OK && state->guarded && verso__native_tape_is_full())
        state->grown = state->lost = true;
}

verso_status verso__native_program_go(verso__native_program_state *state, uint64_t steps, bool recording,
                                      verso_error *error) {
    const verso__native_division *division = &state->division;
    verso_status status = VERSO_STATUS_OK;
    if (state->guarded)
        status = verso__native_tape_guard(
            verso__add_u64(verso__mul_u64(state->recording, verso__native_step_tape(division, division->leaf)),
                           division->longer),
            error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_walk_to(steps, recording, error);
    note_full(state, status);
    return status;
}

/* Freed blocks count, because they had cells. */
static uint64_t whole_memory(const verso__native_program_state *state) {
    verso__native_range used = verso__native_arena_used(), ever = verso__native_arena_ever_used();
    uint64_t freed = ever.end > state->highest && ever.end > used.end ? (uint64_t)(ever.end - used.end) : 0;
    return verso__native_capsule_whole() + freed +
           verso__max_u64(verso__native_stack_deepest(), verso__native_stack_used());
}

void verso__native_program_measure_memory(verso__native_program_state *state) {
    state->whole_largest = verso__max_u64(state->whole_largest, whole_memory(state));
    state->log_largest =
        verso__max_u64(state->log_largest, verso__native_world_bytes() + verso__native_lasting_bytes());
}

size_t verso__native_program_measure_capsule(verso__native_program_state *state) {
    size_t size = verso__native_capsule_size(), step = verso__native_walk_measured()->step_most;
    uint64_t longer = step > state->division.leaf ? step - state->division.leaf : 0;
    uint64_t deepest = size + verso__native_stack_deepest() - verso__native_capsule_stack();
    state->capsule_largest = verso__max_u64(state->capsule_largest, verso__max_u64(size, deepest));
    verso__native_program_measure_memory(state);
    state->longer_largest = verso__max_u64(state->longer_largest, longer);
    state->grown |= size > state->division.capsule + state->division.spare || longer > state->division.longer ||
                    state->log_largest > state->division.log + LOG_SPARE;
    return size;
}

static void outgrow_cells(verso__native_program_state *state) {
    state->grown = state->lost = true;
    state->cells_grown = state->cells_share + 1;
}

/* The memory of MPI grows with the messages that wait for other ranks, which no budget can limit. */
uint64_t verso__native_program_resident(void) {
    return verso__native_ranks_run() ? verso__native_resident_private() : verso__native_resident_set();
}

/* How much of its memory has cells, and of which size, depends on the program. So when pages were touched for
 * the first time, this reads the size of the process: that, without what the program itself has taken, must be
 * within the budget. */
static bool keeps_budget(verso__native_program_state *state, uint64_t faults) {
    state->cells += (verso__native_faults() - faults) * VERSO_NATIVE_PAGE;
    if (state->division.memory == 0 || state->cells < CELLS_UNSEEN)
        return true;
    state->cells = 0;
    verso__native_range globals = verso__native_program();
    uint64_t own = (uint64_t)(verso__native_arena_touched() - state->touched) + verso__native_stack_deepest() +
                   verso__native_owned_bytes(globals.begin, globals.end) - state->globals;
    if (verso__native_program_resident() <= state->resident + own + state->division.memory + RESIDENT_SPARE)
        return true;
    outgrow_cells(state);
    return false;
}

verso_status verso__native_program_reverse(verso__native_program_state *state, verso_error *error) {
    uint64_t faults = verso__native_faults();
    state->reversed = true;
    verso_status status = verso__native_walk_back(error);
    note_full(state, status);
    return status == VERSO_STATUS_OK && !keeps_budget(state, faults) ? has_grown(error) : status;
}

/* ---- Operations ---- */

static verso_status advance(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error) {
    const verso__native_place *at = verso__native_place_now();
    verso__native_program_state *state = self;
    (void)from;
    verso_status status = verso__native_program_go(state, verso__add_u64(to, state->before), false, error);
    *reached = at->step - state->before;
    return status == VERSO_STATUS_OK ? keep_end(state, error) : status;
}

static verso_status reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    const verso__native_place *at = verso__native_place_now();
    verso__native_program_state *state = self;
    state->recording = verso__max_u64(state->recording, from - to);
    last = last && !state->rest_reversed;
    from += state->before;
    verso_status status = verso__native_program_go(state, last ? VERSO_NATIVE_END : from, true, error);
    if (status == VERSO_STATUS_OK && (at->step != from || at->ended != last))
        status = verso__native_report_divergence(error);
    if (status == VERSO_STATUS_OK)
        status = keep_end(state, error);
    return status == VERSO_STATUS_OK ? verso__native_program_reverse(state, error) : status;
}

static size_t capsule_size(void *self, verso_capsule_kind kind) {
    verso__native_program_state *state = self;
    if (kind == VERSO_CAPSULE_STATE)
        return verso__native_program_measure_capsule(state);
    size_t size = verso__native_adjoint_size(&state->end);
    if (state->division.adjoint != 0 && size > state->division.adjoint)
        outgrow_cells(state);
    return size;
}

static verso_status capture(void *self, verso_capsule_kind kind, void *bytes, size_t size, verso_error *error) {
    verso__native_program_state *state = self;
    verso_status status = verso__native_log_sync(error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (kind == VERSO_CAPSULE_ADJOINT)
        return verso__native_adjoint_write(&state->end, bytes, size, error);
    if (state->division.memory > 0 && state->grown)
        return has_grown(error);
    verso__native_capsule_write(bytes);
    return VERSO_STATUS_OK;
}

static verso_status resume(void *self, verso_capsule_kind kind, const void *bytes, size_t size, verso_error *error) {
    verso__native_program_state *state = self;
    if (kind == VERSO_CAPSULE_ADJOINT) {
        state->reversed = true;
        return verso__native_adjoint_read(&state->end, bytes, size, error);
    }
    if (!verso__native_capsule_fits(bytes))
        return verso__native_log_report_missing(error);
    verso__native_capsule_read(bytes);
    return VERSO_STATUS_OK;
}

static size_t recording_size(void *self, uint64_t steps) {
    const verso__native_program_state *state = self;
    return (size_t)verso__add_u64(
        verso__native_count_other_bytes(&state->division),
        verso__mul_u64(steps, verso__native_step_tape(&state->division, state->division.leaf)));
}

const verso_program_operations verso__native_operations = {
    .advance = advance,
    .reverse = reverse,
    .capsule_size = capsule_size,
    .capture = capture,
    .resume = resume,
    .recording_size = recording_size,
};
