/* The job, and how far its run has come: see job.h. */
#include "native/run/run.h"

static verso__native_job *job_now;
static verso__native_place place_now;

verso__native_job *verso__native_job_now(void) {
    return job_now;
}

void verso__native_job_set(verso__native_job *job) {
    job_now = job;
}

bool verso__native_is_second(void) {
    return job_now != NULL && job_now->direction != NULL;
}

uint64_t verso__native_mirrored(void) {
    return verso__native_is_second() ? 2 : 1;
}

verso__native_place *verso__native_place_now(void) {
    return &place_now;
}

verso__native_outcome verso__native_run_go(void) {
    verso__native_caller_enter();
    verso__native_outcome outcome = verso__native_stack_go();
    verso__native_caller_leave();
    return outcome;
}

verso_status verso__native_report_divergence(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "the run behaved differently when it was repeated: it depends on something that cannot "
                       "be restored, such as memory of other libraries; differentiate it in a single pass");
}
