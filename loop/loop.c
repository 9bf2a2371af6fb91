/* A time loop as a program: implements verso_program's operations with the user's callbacks.
 *
 * A stretch of one step is reversed directly from the working state. A longer stretch, and the very last step
 * (whose end state is needed first, to start the adjoint), keeps its states in `scratch`, which recording_size has
 * announced. An adjoint capsule consists of the sum of the costs so far and the user's adjoint. */
#include "base/alloc.h"
#include "base/checksum.h"
#include "base/sized.h"
#include "base/status.h"

#include <string.h>
#include <verso/loop.h>

/* ---- State and adjoint as bytes ---- */

static size_t regions_size(const verso_region *regions) {
    size_t size = 0;
    for (size_t i = 0; i < VERSO_REGIONS_MAX && regions[i].bytes != NULL; i++)
        size += regions[i].size;
    return size;
}

static void copy_out(const verso_region *regions, unsigned char *to) {
    for (size_t i = 0; i < VERSO_REGIONS_MAX && regions[i].bytes != NULL; i++) {
        memcpy(to, regions[i].bytes, regions[i].size);
        to += regions[i].size;
    }
}

static void copy_in(const verso_region *regions, const unsigned char *from) {
    for (size_t i = 0; i < VERSO_REGIONS_MAX && regions[i].bytes != NULL; i++) {
        memcpy(regions[i].bytes, from, regions[i].size);
        from += regions[i].size;
    }
}

static size_t state_size(const verso_loop *loop) {
    return loop->save != NULL ? loop->state_size : regions_size(loop->state);
}

static size_t adjoint_size(const verso_loop *loop) {
    return loop->save_adjoint != NULL ? loop->adjoint_size : regions_size(loop->adjoint_state);
}

/* Turns the result of a callback without a step argument into a status. */
static verso_status check_plain_callback(int code, const char *callback, verso_error *error) {
    return code == 0 ? VERSO_STATUS_OK
                     : verso__fail(error, VERSO_STATUS_USER, "the callback '%s' returned %d", callback, code);
}

static verso_status check_callback(int code, const char *callback, uint64_t step, verso_error *error) {
    if (code == 0)
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_USER, "the callback '%s' returned %d at step %llu", callback, code,
                       (unsigned long long)step);
}

static verso_status save_state(verso_loop *loop, void *bytes, verso_error *error) {
    if (loop->save != NULL)
        return check_plain_callback(loop->save(loop->context, bytes), "save", error);
    copy_out(loop->state, bytes);
    return VERSO_STATUS_OK;
}

static verso_status load_state(verso_loop *loop, const void *bytes, verso_error *error) {
    if (loop->load != NULL)
        return check_plain_callback(loop->load(loop->context, bytes), "load", error);
    copy_in(loop->state, bytes);
    return VERSO_STATUS_OK;
}

static size_t loop_capsule_size(void *self, verso_capsule_kind kind) {
    const verso_loop *loop = self;
    return kind == VERSO_CAPSULE_STATE ? state_size(loop) : sizeof loop->value + adjoint_size(loop);
}

static verso_status loop_capture(void *self, verso_capsule_kind kind, void *bytes, size_t size, verso_error *error) {
    verso_loop *loop = self;
    if (size != loop_capsule_size(loop, kind))
        return verso__fail(error, VERSO_STATUS_STATE,
                           "a loop's capsules must always have the same size (internal error, please report it)");
    if (kind == VERSO_CAPSULE_STATE)
        return save_state(loop, bytes, error);
    unsigned char *rest = (unsigned char *)bytes + sizeof loop->value;
    memcpy(bytes, &loop->value, sizeof loop->value);
    if (loop->save_adjoint != NULL)
        return check_plain_callback(loop->save_adjoint(loop->context, rest), "save_adjoint", error);
    copy_out(loop->adjoint_state, rest);
    return VERSO_STATUS_OK;
}

static verso_status loop_resume(void *self, verso_capsule_kind kind, const void *bytes, size_t size,
                                verso_error *error) {
    verso_loop *loop = self;
    if (size != loop_capsule_size(loop, kind))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the capsule has %zu bytes, but those of this loop have %zu",
                           size, loop_capsule_size(loop, kind));
    if (kind == VERSO_CAPSULE_STATE)
        return load_state(loop, bytes, error);
    const unsigned char *rest = (const unsigned char *)bytes + sizeof loop->value;
    memcpy(&loop->value, bytes, sizeof loop->value);
    if (loop->load_adjoint != NULL)
        return check_plain_callback(loop->load_adjoint(loop->context, rest), "load_adjoint", error);
    copy_in(loop->adjoint_state, rest);
    return VERSO_STATUS_OK;
}

/* ---- Steps ---- */

static verso_status loop_advance(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error) {
    verso_loop *loop = self;
    for (uint64_t step = from; step < to; step++) {
        if (loop->finished != NULL && loop->finished(loop->context, step) != 0) {
            *reached = step;
            return VERSO_STATUS_OK;
        }
        int code = loop->advance(loop->context, step);
        if (code != 0)
            return check_callback(code, "advance", step, error);
    }
    return VERSO_STATUS_OK;
}

static verso_status add_cost(verso_loop *loop, uint64_t step, verso_error *error) {
    return loop->cost == NULL ? VERSO_STATUS_OK
                              : check_callback(loop->cost(loop->context, step, &loop->value), "cost", step, error);
}

/* Starts the adjoint at the last state. If another process met the end, only the journal says so; therefore the
 * callback `finished` is asked to confirm it. */
static verso_status start_adjoint(verso_loop *loop, uint64_t steps, verso_error *error) {
    if (loop->finished != NULL && loop->finished(loop->context, steps) == 0)
        return verso__fail(
            error, VERSO_STATUS_USER,
            "the journal says that the run ends at step %llu, but the callback `finished` returned 0 there",
            (unsigned long long)steps);
    loop->value = 0;
    verso_status status = check_callback(loop->start(loop->context, steps), "start", steps, error);
    return status == VERSO_STATUS_OK ? add_cost(loop, steps, error) : status;
}

static verso_status reverse_step(verso_loop *loop, uint64_t step, verso_error *error) {
    int code = loop->adjoint(loop->context, step);
    if (code != 0)
        return check_callback(code, "adjoint", step, error);
    return loop->cost == NULL ? VERSO_STATUS_OK : add_cost(loop, step, error);
}

/* Room for the states of a recorded stretch. */
struct verso__loop_memory {
    size_t size; /* of `states` in bytes */
    max_align_t states[];
};

static unsigned char *state_at(const verso_loop *loop, uint64_t index) {
    return (unsigned char *)loop->memory->states + index * state_size(loop);
}

static verso_status grow_memory(verso_loop *loop, uint64_t states, verso_error *error) {
    size_t size = state_size(loop), most = SIZE_MAX - sizeof *loop->memory;
    if (loop->memory != NULL && states <= loop->memory->size / size)
        return VERSO_STATUS_OK;
    struct verso__loop_memory *memory =
        states > most / size ? NULL : verso__realloc(loop->memory, sizeof *memory + states * size, 1);
    if (memory == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the states of %llu steps",
                           (unsigned long long)states);
    memory->size = states * size;
    loop->memory = memory;
    return VERSO_STATUS_OK;
}

/* Runs one step that is recorded. In the last stretch of a run whose end another process met, the callback
 * `finished` confirms that the run does not end before the step. */
static verso_status advance_recorded(verso_loop *loop, uint64_t step, bool last, verso_error *error) {
    if (last && loop->finished != NULL && loop->finished(loop->context, step) != 0)
        return verso__fail(
            error, VERSO_STATUS_USER,
            "the journal says that the run goes on after step %llu, but the callback `finished` returned true there",
            (unsigned long long)step);
    return check_callback(loop->advance(loop->context, step), "advance", step, error);
}

/* Keeps the states of [to, from) in `scratch`, except the last, which stays the working state unless the adjoint
 * has to start. */
static verso_status record(verso_loop *loop, uint64_t from, uint64_t to, bool last, verso_error *error) {
    uint64_t kept = from - to - (last ? 0 : 1);
    verso_status status = grow_memory(loop, kept, error);
    for (uint64_t i = 0; i < kept && status == VERSO_STATUS_OK; i++) {
        status = save_state(loop, state_at(loop, i), error);
        if (status == VERSO_STATUS_OK)
            status = advance_recorded(loop, to + i, last, error);
    }
    return status == VERSO_STATUS_OK && last ? start_adjoint(loop, from, error) : status;
}

static verso_status sweep(verso_loop *loop, uint64_t from, uint64_t to, bool last, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    for (uint64_t step = from; step-- > to && status == VERSO_STATUS_OK;) {
        if (last || step + 1 < from)
            status = load_state(loop, state_at(loop, step - to), error);
        if (status == VERSO_STATUS_OK)
            status = reverse_step(loop, step, error);
    }
    return status;
}

static verso_status loop_reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    verso_loop *loop = self;
    if (from == to)
        return last ? start_adjoint(loop, from, error) : VERSO_STATUS_OK;
    if (from == to + 1 && !last)
        return reverse_step(loop, to, error);
    verso_status status = record(loop, from, to, last, error);
    return status == VERSO_STATUS_OK ? sweep(loop, from, to, last, error) : status;
}

/* Assumes one state per step: the last stretch keeps one more state than the others, and which one is the last is
 * unknown here. */
static size_t loop_recording_size(void *self, uint64_t steps) {
    size_t size = state_size(self);
    return size == 0 ? 0 : steps > SIZE_MAX / size ? SIZE_MAX : (size_t)steps * size;
}

/* ---- The program ---- */

static const verso_program_operations loop_operations = {
    .advance = loop_advance,
    .reverse = loop_reverse,
    .capsule_size = loop_capsule_size,
    .capture = loop_capture,
    .resume = loop_resume,
    .recording_size = loop_recording_size,
};

static const char *find_problem(const verso_loop *loop) {
    if (loop->advance == NULL)
        return "`advance` is missing";
    if (loop->adjoint == NULL)
        return "`adjoint` is missing";
    if (loop->start == NULL)
        return "`start` is missing: it sets the adjoint of the last state";
    if (loop->steps == VERSO_UNKNOWN && loop->finished == NULL)
        return "the number of steps is unknown, so `finished` must be given";
    if (loop->steps != VERSO_UNKNOWN && loop->finished != NULL)
        return "`finished` may be given only if the number of steps is unknown";
    if ((loop->save == NULL) != (loop->load == NULL))
        return "`save` and `load` belong together";
    if ((loop->save_adjoint == NULL) != (loop->load_adjoint == NULL))
        return "`save_adjoint` and `load_adjoint` belong together";
    if (state_size(loop) == 0)
        return "the state has no bytes: give `state`, or `save`, `load` and `state_size`";
    if (adjoint_size(loop) == 0)
        return "the adjoint has no bytes: give `adjoint_state`, or `save_adjoint`, `load_adjoint` and `adjoint_size`";
    return NULL;
}

static verso_identity identity_of(const verso_loop *loop) {
    const uint64_t facts[] = {loop->steps, state_size(loop), adjoint_size(loop), loop->cost != NULL};
    verso_identity identity = verso__checksum_wide(facts, sizeof facts);
    if (loop->name != NULL)
        identity = verso__checksum_chain(identity, loop->name, strlen(loop->name));
    for (size_t i = 0; i < VERSO_REGIONS_MAX && loop->inputs[i].bytes != NULL; i++)
        identity = verso__checksum_chain(identity, loop->inputs[i].bytes, loop->inputs[i].size);
    return identity;
}

verso_status verso_loop_program(verso_loop *loop, verso_program *program, verso_error *error) {
    verso_loop own; /* to check the size; the loop itself is used, because it holds results */
    verso_status status = verso__sized_read(loop, &own, sizeof own, "VERSO_LOOP_INIT", error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (loop->size < offsetof(verso_loop, memory) + sizeof loop->memory) /* no version of Verso had a shorter loop */
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the member `size` of a loop is %zu: initialise it with VERSO_LOOP_INIT", loop->size);
    const char *missing = find_problem(loop);
    if (missing != NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "the loop is invalid: %s", missing);
    *program = (verso_program){
        .operations = &loop_operations, .self = loop, .steps = loop->steps, .identity = identity_of(loop)};
    return VERSO_STATUS_OK;
}

void verso_loop_close(verso_loop *loop) {
    verso__dealloc(loop->memory);
    loop->memory = NULL;
}
