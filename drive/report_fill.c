/* Fills in the report when a run ends. If steps are short, only one in many actions is timed; the total is then
 * estimated from the mean. */
#include "drive/inside.h"
#include "schedule/cost.h"

#include <string.h>

/* Returns the estimated time of `steps` steps if `timed` of them took `seconds`; 0 if none was timed. */
static double scale_seconds(double seconds, uint64_t timed, uint64_t steps) {
    return timed == 0 ? 0 : seconds / (double)timed * (double)steps;
}

static void fill_stores(verso__drive *drive, verso_run_report *report) {
    if (drive->pace.reverse_steps > 0)
        report->memory_peak = verso__recording(drive, drive->cost.longest_recording);
    bool vault_has_tier = false;
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        const verso_store *store = drive->tiers[tier];
        if (store == &drive->vault.store && vault_has_tier)
            continue;
        vault_has_tier = vault_has_tier || store == &drive->vault.store;
        store->operations->usage(store->self, &report->tiers[tier]);
        report->seconds_waited += report->tiers[tier].seconds_waited;
        report->memory_peak += report->tiers[tier].memory_peak;
    }
    if (drive->vault.store.operations == NULL)
        return;
    drive->vault.store.operations->usage(drive->vault.store.self, &report->durable);
    if (vault_has_tier)
        return;
    report->seconds_waited += report->durable.seconds_waited;
    report->memory_peak += report->durable.memory_peak;
}

/* Predicts the duration of the run from the mean times of this process. A thread writes and reads files while the
 * steps run, so for files the time counts that the run waited, not the time that they took. */
static double predicted_seconds(const verso__drive *drive) {
    const verso__pace *pace = &drive->pace;
    const verso__cost *cost = &drive->cost;
    verso_store_usage files = {0};
    if (pace->reverse_timed == 0 || drive->steps == VERSO_UNKNOWN)
        return 0;
    double forward = scale_seconds(pace->forward_seconds, pace->forward_timed, 1);
    double seconds = forward * (double)cost->forward_steps +
                     scale_seconds(pace->reverse_seconds, pace->reverse_timed, 1) * (double)cost->recorded_steps;
    if (drive->vault.store.operations != NULL)
        drive->vault.store.operations->usage(drive->vault.store.self, &files);
    uint64_t accesses = files.writes + files.reads; /* including those for restarts, which are waited for likewise */
    double wait = accesses == 0 ? 0 : (files.seconds_waited + pace->drained) / (double)accesses;
    double copy = scale_seconds(pace->copy_seconds, pace->copies_timed, 1);
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        bool in_files = drive->tiers[tier] == &drive->vault.store;
        seconds += (in_files ? wait : copy) * ((double)cost->writes[tier] + (double)cost->reads[tier]);
    }
    return seconds;
}

void verso__fill_report(verso__drive *drive, bool done, bool suspended) {
    verso_run_report *report = drive->report;
    const verso__pace *pace = &drive->pace;
    const verso__counts *counts = &drive->counts;
    if (report == NULL)
        return;
    if (drive->schedule != NULL)
        report->spec = *verso_schedule_get_spec(drive->schedule);
    memcpy(report->reason, drive->reason, sizeof report->reason);
    report->done = done;
    report->suspended = suspended;
    report->predicted = verso__cost_show(&drive->cost);
    report->forward_steps = verso__narrow(counts->forward_steps);
    report->reversed_steps = verso__narrow(counts->reversed_steps);
    memcpy(report->writes, counts->writes, sizeof report->writes);
    memcpy(report->reads, counts->reads, sizeof report->reads);
    report->adjoint_stores = counts->adjoint_stores;
    report->restarts = drive->restarts;
    report->begun_anew = drive->begun_anew;
    report->recovered_steps = verso__narrow(counts->recovered_steps);
    report->lost_steps = verso__narrow(counts->lost_steps);
    report->recovered_capsules = counts->recovered_capsules;
    report->capsule_size = drive->capsule_size;
    report->adjoint_size = drive->adjoint_size;
    report->memory_budget = drive->options->memory;
    report->seconds = counts->seconds;
    report->seconds_process = pace->seconds;
    report->signal = pace->signal;
    report->seconds_predicted = predicted_seconds(drive);
    report->seconds_forward = scale_seconds(pace->forward_seconds, pace->forward_timed, pace->forward_steps);
    report->seconds_copying = scale_seconds(pace->copy_seconds, pace->copies_timed, pace->copies);
    report->seconds_waited = pace->drained;
    report->seconds_reverse = scale_seconds(pace->reverse_seconds, pace->reverse_timed, pace->reverse_steps);
    fill_stores(drive, report);
}
