/* Runs that can be interrupted, copied and resumed, without any derivative: verso_run_steps, verso_capture,
 * verso_resume. See verso/native.h. A walk (walk.c) whose steps are single safepoints. */
#include "native/native.h"

#include "base/alloc.h"

#include <string.h>

/* Bytes of tape in a step that nobody counts: the run is seldom looked at, and the tape stays in a cache. */
enum { LONG_STEP = 1 << 20 };

struct verso_execution {
    verso_native_job job;
};

struct verso_execution_copy {
    verso_native_capsule capsule;
};

verso_status verso_execution_open(void (*run)(void *context), void *context, const verso_array *regions, size_t count,
                                  verso_execution **execution, verso_error *error) {
    *execution = verso_alloc(1, sizeof **execution);
    if (*execution == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a run.");
    (*execution)->job = (verso_native_job){.run = run, .context = context, .wrt = regions, .wrt_count = count};
    verso_status status = verso_native_enter(&(*execution)->job, error);
    if (status != VERSO_OK) {
        verso_dealloc(*execution);
        *execution = NULL;
        return status;
    }
    verso_native_walk_begin(0);
    verso_native_world_open();
    status = verso_native_tape_open(0, error);
    if (status != VERSO_OK) {
        verso_execution_close(*execution);
        *execution = NULL;
    }
    return status;
}

void verso_execution_close(verso_execution *execution) {
    if (execution == NULL)
        return;
    verso_native_walk_end();
    (void)verso_native_world_close();
    (void)verso_native_tape_close(0);
    verso_native_leave();
    verso_dealloc(execution);
}

verso_status verso_run_steps(verso_execution *execution, uint64_t steps, uint64_t *done, bool *ended,
                             verso_error *error) {
    (void)execution;
    const verso_native_place *at = &verso_native_runtime.walk.at;
    verso_native_runtime.walk.leaf = steps == UINT64_MAX && done == NULL ? LONG_STEP : 0;
    uint64_t from = at->step, room = VERSO_NATIVE_END - from;
    verso_status status = verso_native_walk_to(from + (steps < room ? steps : room), false, error);
    if (done != NULL)
        *done = at->step - from;
    *ended = at->ended;
    return status;
}

verso_status verso_capture(verso_execution *execution, verso_execution_copy **copy, verso_error *error) {
    (void)execution;
    *copy = verso_alloc(1, sizeof **copy);
    if (*copy == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a copy of a run.");
    verso_status status = verso_native_capsule_take(&(*copy)->capsule, error);
    if (status != VERSO_OK) {
        verso_dealloc(*copy);
        *copy = NULL;
    }
    return status;
}

void verso_resume(verso_execution *execution, const verso_execution_copy *copy) {
    (void)execution;
    verso_native_capsule_restore(&copy->capsule);
}

size_t verso_execution_copy_size(const verso_execution_copy *copy) {
    return copy->capsule.room;
}

void verso_execution_copy_free(verso_execution_copy *copy) {
    if (copy == NULL)
        return;
    verso_native_capsule_free(&copy->capsule);
    verso_dealloc(copy);
}
