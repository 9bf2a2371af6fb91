/* The pace of a run: when to look at the clock, and what to do then. Steps may take a hundred nanoseconds or a minute,
 * so the clock is asked after as many steps as fit into about ten milliseconds, at least one.
 *
 * In a group all ask at the same step and agree in one number: 0 to stop, 1 for a restart point, else the steps that
 * take so long; then in the steps until the next question. */
#include "drive/drive.h"

#include <pthread.h>
#include <signal.h>

#define CHECK_SECONDS 0.01
#define PROGRESS_SECONDS 0.1
#define NOTE_SECONDS 1.0
#define DEFAULT_INTERVAL 60.0

/* ---- Signals ---- */

/* The one thing that a signal handler can reach, and what was in force before: shared by all runs of the process. */
static struct {
    _Atomic int number; /* of the signal that came, in whichever thread; 0: none */
    pthread_mutex_t mutex;
    unsigned runs; /* that catch signals now */
    struct sigaction terminate, interrupt;
} signals = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void note_signal(int number) {
    signals.number = number;
}

/* sigaction fails for no signal that can be caught. */
static void catch_signals(verso_pace *pace) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    pthread_mutex_lock(&signals.mutex);
    if (signals.runs++ == 0) {
        signals.number = 0;
        sigaction(SIGTERM, &action, &signals.terminate);
        sigaction(SIGINT, &action, &signals.interrupt);
    }
    pthread_mutex_unlock(&signals.mutex);
    pace->catching = true;
}

static void leave_signals(verso_pace *pace) {
    pthread_mutex_lock(&signals.mutex);
    if (--signals.runs == 0) {
        sigaction(SIGTERM, &signals.terminate, NULL);
        sigaction(SIGINT, &signals.interrupt, NULL);
    }
    pace->signal = signals.number; /* before another run begins and clears it */
    pthread_mutex_unlock(&signals.mutex);
    pace->catching = false;
}

/* ---- Memory over time ---- */

static void thin_samples(verso_run_report *report, verso_pace *pace) {
    for (size_t i = 0; i < VERSO_SAMPLES_MAX / 2; i++)
        report->samples[i] = report->samples[2 * i + 1];
    report->sample_count = VERSO_SAMPLES_MAX / 2;
    pace->sample_gap *= 2;
}

static void sample_memory(verso_drive *drive, double now) {
    verso_pace *pace = &drive->pace;
    verso_run_report *report = drive->report;
    if (report == NULL || now - pace->sampled < pace->sample_gap)
        return;
    if (report->sample_count == VERSO_SAMPLES_MAX)
        thin_samples(report, pace);
    report->samples[report->sample_count++] = (verso_memory_sample){now - pace->began, verso_drive_memory(drive)};
    pace->sampled = now;
}

/* ---- The clock ---- */

void verso_pace_start(verso_drive *drive) {
    verso_pace *pace = &drive->pace;
    double now = verso_now();
    pace->began = pace->checked = pace->committed = now;
    pace->progressed = pace->noted = pace->sampled = now - NOTE_SECONDS;
    pace->sample_gap = CHECK_SECONDS / 2;
    pace->fuel = pace->fuel_size = 1;
    if (drive->options->on_signal)
        catch_signals(pace);
}

void verso_pace_end(verso_drive *drive) {
    verso_pace *pace = &drive->pace;
    double now = verso_now();
    pace->seconds = now - pace->began;
    drive->counts.seconds += pace->seconds;
    pace->began = now; /* these seconds are counted */
    if (pace->catching)
        leave_signals(pace);
}

static bool must_stop(const verso_drive *drive, double now) {
    const verso_run_options *options = drive->options;
    return (drive->pace.catching && signals.number != 0) ||
           (options->time_limit > 0 && now - drive->pace.began >= options->time_limit) ||
           (options->step_limit > 0 && verso_pace_steps(drive) >= options->step_limit);
}

static bool is_due(const verso_drive *drive, double now) {
    double since = now - drive->pace.committed;
    double interval = drive->options->interval > 0 ? drive->options->interval : DEFAULT_INTERVAL;
    return drive->durable && (since >= interval || (drive->vault.waiting > 0 && verso_restart_is_cheap(drive, since)));
}

/* As many steps as took about CHECK_SECONDS; growing slowly, shrinking at once. */
static uint64_t next_fuel(const verso_pace *pace, double now) {
    double elapsed = now - pace->checked;
    double wanted = (double)pace->fuel_size * (elapsed > 0 ? CHECK_SECONDS / elapsed : 4);
    double most = 4 * (double)pace->fuel_size;
    wanted = wanted > most ? most : wanted;
    return wanted < 1 ? 1 : wanted > 1e15 ? (uint64_t)1e15 : (uint64_t)wanted;
}

static void tell(verso_drive *drive, double now) {
    verso_pace *pace = &drive->pace;
    const verso_run_options *options = drive->options;
    bool report = options->progress != NULL && now - pace->progressed >= PROGRESS_SECONDS;
    bool note = drive->lock != NULL && now - pace->noted >= NOTE_SECONDS;
    if (!report && !note)
        return;
    verso_progress progress;
    verso_drive_progress(drive, &progress);
    if (report) {
        pace->progressed = now;
        options->progress(options->progress_context, &progress);
    }
    if (note) {
        pace->noted = now;
        (void)verso_lock_write(drive->lock, &progress, NULL); /* information only: a full disk is met elsewhere */
    }
}

verso_status verso_pace_check(verso_drive *drive, verso_error *error) {
    verso_pace *pace = &drive->pace;
    double now = verso_now();
    uint64_t verdict = must_stop(drive, now) ? 0 : is_due(drive, now) ? 1 : 1 + next_fuel(pace, now);
    verso_status status = verso_drive_least(drive, &verdict, error);
    if (status != VERSO_OK)
        return status;
    pace->stop = pace->stop || verdict == 0;
    pace->due = verdict == 1;
    if (verdict > 1)
        pace->fuel_size = verdict - 1;
    pace->fuel = pace->fuel_size;
    if (drive->options->step_limit > 0 && !pace->stop) {
        uint64_t left = drive->options->step_limit - verso_pace_steps(drive);
        pace->fuel = left < pace->fuel ? left : pace->fuel;
    }
    status = verso_drive_least(drive, &pace->fuel, error); /* limits of steps may differ, the next question must not */
    if (status != VERSO_OK)
        return status;
    sample_memory(drive, now);
    tell(drive, now);
    pace->checked = verso_now();
    return VERSO_OK;
}
