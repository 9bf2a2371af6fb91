/* Runs that can be interrupted, copied and resumed, without derivatives: verso_execution_run,
 * verso_execution_capture, verso_execution_resume. See verso/native.h. They are walks (walk.c) whose steps are
 * single safepoints. */
#include "native/api/api.h"

#include "base/alloc.h"

#include <string.h>

/* Bytes of tape in a step when steps are not counted: checks are rare, and the tape stays in a cache. */
enum { LONG_STEP = 1 << 20 };

struct verso_execution {
    verso__native_job job;
};

struct verso_execution_copy {
    verso__native_capsule capsule;
};

verso_status verso_execution_open(void (*run)(void *context), void *context, const verso_array *regions, size_t count,
                                  verso_execution **execution, verso_error *error) {
    *execution = verso__alloc(1, sizeof **execution);
    if (*execution == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a run");
    (*execution)->job = (verso__native_job){
        .run = run, .context = context, .wrt = regions, .wrt_count = count, .caller = VERSO_NATIVE_CALLER(0)};
    verso_status status = verso__native_enter(&(*execution)->job, error);
    if (status != VERSO_STATUS_OK) {
        verso__dealloc(*execution);
        *execution = NULL;
        return status;
    }
    verso__native_turn_open();
    verso__native_walk_begin(0);
    verso__native_world_open();
    status = verso__native_tape_open(0, false, error);
    if (status != VERSO_STATUS_OK) {
        verso_execution_close(*execution);
        *execution = NULL;
    }
    return status;
}

void verso_execution_close(verso_execution *execution) {
    if (execution == NULL)
        return;
    verso__native_walk_end();
    (void)verso__native_world_close();
    verso__native_notes_forget();
    verso__native_files_forget();
    verso__native_foreign_forget();
    (void)verso__native_tape_close(0);
    verso__native_leave();
    verso__dealloc(execution);
}

verso_status verso_execution_run(verso_execution *execution, uint64_t steps, uint64_t *done, bool *ended,
                                 verso_error *error) {
    (void)execution;
    const verso__native_place *at = verso__native_place_now();
    verso__native_caller_exclude_below(VERSO_NATIVE_CALLER(0));
    verso__native_walk_set_leaf(steps == UINT64_MAX && done == NULL ? LONG_STEP : 0);
    uint64_t from = at->step, room = VERSO_NATIVE_END - from;
    verso_status status = verso__native_walk_to(from + (steps < room ? steps : room), false, error);
    if (done != NULL)
        *done = at->step - from;
    *ended = at->ended;
    return status;
}

verso_status verso_execution_capture(verso_execution *execution, verso_execution_copy **copy, verso_error *error) {
    (void)execution;
    verso__native_caller_exclude_below(VERSO_NATIVE_CALLER(0));
    *copy = verso__alloc(1, sizeof **copy);
    if (*copy == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a copy of a run");
    verso_status status = verso__native_capsule_take(&(*copy)->capsule, error);
    if (status != VERSO_STATUS_OK) {
        verso__dealloc(*copy);
        *copy = NULL;
    }
    return status;
}

void verso_execution_resume(verso_execution *execution, const verso_execution_copy *copy) {
    (void)execution;
    verso__native_caller_exclude_below(VERSO_NATIVE_CALLER(0));
    verso__native_capsule_restore(&copy->capsule);
}

size_t verso_execution_copy_size(const verso_execution_copy *copy) {
    return copy->capsule.room;
}

void verso_execution_copy_free(verso_execution_copy *copy) {
    if (copy == NULL)
        return;
    verso__native_capsule_free(&copy->capsule);
    verso__dealloc(copy);
}
