/* Chooses the kind of sweep that a gradient takes: see choose.h. */
#include "native/api/api.h"

static verso_status frames_empty(verso_error *error) {
    if (verso__native_now.frame == verso__native_frames())
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_CORRUPT,
                       "the reverse sweep left %lld bytes of frames: internal error (please report it)",
                       (long long)(verso__native_now.frame - verso__native_frames()));
}

static verso_status single_pass(verso__native_job *job, const verso_native_options *options, verso__native_calls *calls,
                                verso_native_report *report, verso_error *error) {
    verso_status status = verso__native_single_pass(job, calls, report, error);
    if (report->steps > 0) /* the run was recorded */
        verso__native_describe_single_pass(options, report);
    return status;
}

/* Without checkpointed calls. If that was chosen, a profile may have predicted the bytes of the recording, which depend
 * on the addresses of heap blocks: the heap is tidied as for the profile. */
static verso_status plain_pass(verso__native_job *job, const verso_native_options *options, verso_native_report *report,
                               verso_error *error) {
    if (verso__native_sites_are_chosen())
        verso__native_arena_tidy();
    return single_pass(job, options, NULL, report, error);
}

verso_status verso__native_calls_sweep(verso__native_job *job, const verso_native_options *options,
                                       verso__calltree *tree, verso_native_report *report, verso_error *error) {
    verso__native_calls calls = {0};
    verso__native_calls_watch(tree);
    verso_status status = verso__native_calls_start(&calls, error);
    if (status == VERSO_STATUS_OK)
        status = single_pass(job, options, &calls, report, error);
    if (status == VERSO_STATUS_SUSPENDED && tree != NULL)
        status = verso__native_profile_record_rest(error);
    verso__native_calls_end(&calls, report);
    verso__native_calls_watch(NULL);
    return status;
}

verso_status verso__native_sweep(verso__native_job *job, const verso_native_options *options,
                                 verso_native_report *report, verso_error *error) {
    bool calls = verso__native_calls_begin() || options->profile != NULL;
    bool repeated = calls || job->cuts != 0 || options->run != NULL;
    verso__native_now.frame = verso__native_frames();
    if (repeated)
        verso__native_world_open();
    if (options->run != NULL && options->run->memory != 0)
        verso__native_world_may_spill();
    verso_status status = options->profile != NULL ? verso__native_profile_sweep(job, options, report, error)
                          : job->cuts != 0         ? verso__native_cut_sweep(job, report, error)
                          : options->run != NULL   ? verso__native_scheduled_sweep(options, report, error)
                          : calls                  ? verso__native_calls_sweep(job, options, NULL, report, error)
                                                   : plain_pass(job, options, report, error);
    verso__native_calls_forget();
    verso__native_snapshot_forget();
    if (repeated)
        report->peak_bytes += verso__native_world_close();
    return status == VERSO_STATUS_OK ? frames_empty(error) : status;
}
