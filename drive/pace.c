/* Checks clock, limits and signals, and reports progress. A step may take a hundred nanoseconds or a minute, so the
 * clock is read after as many steps as take about ten milliseconds, at least one.
 *
 * In a group all processes check at the same step and agree on one number: 0 to suspend, 1 for a restart point,
 * else 1 plus the number of steps until the next check; then they agree on the minimum of the step limits. */
#include "drive/inside.h"
#include "drive/signals.h"

#define CHECK_SECONDS 0.01
#define PROGRESS_SECONDS 0.1
#define NOTE_SECONDS 0.1 /* work after the last note is not counted if the process dies */
#define DEFAULT_INTERVAL 60.0
#define EARLY_SECONDS 0.1
#define COST_TIMES 2 /* time between two restart points, as a multiple of the duration of the last one */

/* ---- Memory over time ---- */

static void thin_samples(verso_run_report *report, verso__pace *pace) {
    for (size_t i = 0; i < VERSO_SAMPLES_MAX / 2; i++)
        report->samples[i] = report->samples[2 * i + 1];
    report->sample_count = VERSO_SAMPLES_MAX / 2;
    pace->sample_gap *= 2;
}

static void sample_memory(verso__drive *drive, double now) {
    verso__pace *pace = &drive->pace;
    verso_run_report *report = drive->report;
    if (report == NULL || now - pace->sampled < pace->sample_gap)
        return;
    if (report->sample_count == VERSO_SAMPLES_MAX)
        thin_samples(report, pace);
    report->samples[report->sample_count++] = (verso_memory_sample){now - pace->began, verso__drive_memory(drive)};
    pace->sampled = now;
}

/* ---- The clock ---- */

void verso__pace_start(verso__drive *drive) {
    verso__pace *pace = &drive->pace;
    double now = verso__now();
    pace->began = pace->checked = pace->committed = now;
    pace->progressed = pace->noted = pace->sampled = now - NOTE_SECONDS;
    pace->sample_gap = CHECK_SECONDS / 2;
    pace->fuel = pace->fuel_size = 1;
    pace->catching = drive->options->on_signal;
    if (pace->catching)
        verso__signals_catch();
}

void verso__pace_end(verso__drive *drive) {
    verso__pace *pace = &drive->pace;
    double now = verso__now();
    pace->seconds = now - pace->began;
    drive->counts.seconds += pace->seconds;
    pace->began = now; /* the seconds so far are now in counts.seconds */
    if (pace->catching)
        pace->signal = verso__signals_leave();
    pace->catching = false;
}

static bool must_stop(const verso__drive *drive, double now) {
    const verso_run_options *options = drive->options;
    return (drive->pace.catching && verso__signals_came() != 0) ||
           (options->time_limit > 0 && now - drive->pace.began >= options->time_limit) ||
           (options->step_limit > 0 && verso__pace_steps(drive) >= options->step_limit);
}

/* Returns the seconds after which a process makes early restart points: the first soon after it starts, each later
 * interval half as long as the process has run. A crash then costs at most about a third of what the process has
 * done, and all restart points together take little time. */
static double early_gap(const verso__drive *drive) {
    const verso__pace *pace = &drive->pace;
    double gap = (pace->committed - pace->began) / 2, cost = COST_TIMES * drive->commit_seconds;
    gap = gap > cost ? gap : cost;
    return gap > EARLY_SECONDS ? gap : EARLY_SECONDS;
}

static bool is_due(const verso__drive *drive, double now) {
    double since = now - drive->pace.committed;
    double interval = drive->options->interval > 0 ? drive->options->interval : DEFAULT_INTERVAL;
    if (!drive->durable)
        return false;
    return since >= interval || (drive->commits_under_way == 0 && since >= early_gap(drive)) ||
           (drive->vault.waiting > 0 && verso__restart_is_cheap(drive, since));
}

/* Returns the number of steps that take about CHECK_SECONDS. It grows at most fourfold at a time and shrinks at
 * once. */
static uint64_t next_fuel(const verso__pace *pace, double now) {
    double elapsed = now - pace->checked;
    double wanted = (double)pace->fuel_size * (elapsed > 0 ? CHECK_SECONDS / elapsed : 4);
    double most = 4 * (double)pace->fuel_size;
    wanted = wanted > most ? most : wanted;
    return wanted < 1 ? 1 : wanted > 1e15 ? (uint64_t)1e15 : (uint64_t)wanted;
}

static void report_progress(verso__drive *drive, double now) {
    verso__pace *pace = &drive->pace;
    const verso_run_options *options = drive->options;
    bool report = options->progress != NULL && now - pace->progressed >= PROGRESS_SECONDS;
    bool note = drive->lock != NULL && now - pace->noted >= NOTE_SECONDS;
    if (!report && !note)
        return;
    verso_progress progress;
    verso__drive_progress(drive, &progress);
    if (report) {
        pace->progressed = now;
        options->progress(options->progress_context, &progress);
    }
    if (note) {
        pace->noted = now;
        verso__drive_note(drive, &progress);
    }
}

verso_status verso__pace_check(verso__drive *drive, verso_error *error) {
    verso__pace *pace = &drive->pace;
    double now = verso__now();
    uint64_t verdict = must_stop(drive, now) ? 0 : is_due(drive, now) ? 1 : 1 + next_fuel(pace, now);
    verso_status status = verso__drive_least(drive, &verdict, error);
    if (status != VERSO_STATUS_OK)
        return status;
    pace->stop = pace->stop || verdict == 0;
    pace->due = verdict == 1;
    if (verdict > 1)
        pace->fuel_size = verdict - 1;
    pace->fuel = pace->fuel_size;
    if (drive->options->step_limit > 0 && !pace->stop) {
        uint64_t left = drive->options->step_limit - verso__pace_steps(drive);
        pace->fuel = left < pace->fuel ? left : pace->fuel;
    }
    /* step limits may differ, but the next check must be at the same step */
    status = verso__drive_least(drive, &pace->fuel, error);
    if (status != VERSO_STATUS_OK)
        return status;
    sample_memory(drive, now);
    report_progress(drive, now);
    pace->checked = verso__now();
    return VERSO_STATUS_OK;
}
