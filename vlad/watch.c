/* See watch.h. The first save comes early, so that even a process with a short life makes progress. The time to
 * the next save grows with the age of the process, and is never less than a few times the duration of one save. */
#include "vlad/watch.h"

#include "base/status.h"
#include "base/system.h"
#include "base/wide.h"
#include "drive/signals.h"

#include <signal.h>

#define INTERVAL 60.0
#define SLICE_SECONDS 0.005
#define EARLY_SECONDS 0.1
#define COST_TIMES 10

enum { SLICE_LEAST = 1024 };

void vlad_watch_open(vlad_watch *watch, double interval, double time_limit) {
    double now = verso__now();
    *watch = (vlad_watch){.interval = interval > 0 ? interval : INTERVAL,
                          .deadline = time_limit > 0 ? now + time_limit : 0,
                          .began = now,
                          .kept = now,
                          .slice = SLICE_LEAST};
    verso__signals_catch();
    /* `verso vlad` has blocked these signals while it was replacing itself with this program. */
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &stops, NULL);
}

void vlad_watch_close(vlad_watch *watch) {
    (void)watch;
    (void)verso__signals_leave();
}

double vlad_watch_left(const vlad_watch *watch) {
    double left = watch->deadline - verso__now();
    return watch->deadline == 0 ? 0 : left > SLICE_SECONDS ? left : SLICE_SECONDS;
}

static bool must_stop(const vlad_watch *watch, double now) {
    return verso__signals_came() != 0 || (watch->deadline > 0 && now >= watch->deadline);
}

static bool is_due(const vlad_watch *watch, double now) {
    double gap = (watch->kept - watch->began) / 2, cost = COST_TIMES * watch->cost;
    gap = gap > cost ? gap : cost;
    gap = gap > EARLY_SECONDS ? gap : EARLY_SECONDS;
    return now - watch->kept >= (gap < watch->interval ? gap : watch->interval);
}

/* Sets the slice to the number of steps that take about SLICE_SECONDS. It grows slowly and shrinks immediately. */
static void choose_slice(vlad_watch *watch, uint64_t steps, double seconds) {
    double wanted = (double)steps * (seconds > 0 ? SLICE_SECONDS / seconds : 4), most = 4 * (double)watch->slice;
    wanted = wanted < most ? wanted : most;
    watch->slice = wanted < SLICE_LEAST ? SLICE_LEAST : wanted > 1e15 ? (uint64_t)1e15 : (uint64_t)wanted;
}

/* Saves or suspends if it is time. Returns false if the machine has failed or is suspended. */
static bool save_if_due(vlad_watch *watch, vlad_machine *machine, const vlad_keeper *keeper) {
    double now = verso__now();
    bool stops = must_stop(watch, now);
    if (!stops && !is_due(watch, now))
        return true;
    verso_error error = {0};
    verso_status status = keeper->keep(keeper->context, &error);
    watch->kept = verso__now();
    watch->cost = watch->kept - now;
    if (status == VERSO_STATUS_OK && stops)
        status = verso__fail(&error, VERSO_STATUS_SUSPENDED, "suspended");
    if (status != VERSO_STATUS_OK)
        *machine->error = error;
    return status == VERSO_STATUS_OK;
}

vlad_outcome vlad_watch_run(vlad_watch *watch, vlad_machine *machine, const vlad_keeper *keeper) {
    if (watch == NULL)
        return vlad_machine_run(machine);
    const uint64_t end = machine->limit;
    vlad_outcome outcome;
    for (;;) {
        uint64_t before = machine->steps;
        double began = verso__now();
        machine->limit = verso__min_u64(end, verso__add_u64(before, watch->slice));
        outcome = vlad_machine_run(machine);
        if (outcome != VLAD_INTERRUPTED || machine->steps >= end)
            break;
        choose_slice(watch, machine->steps - before, verso__now() - began);
        if (!save_if_due(watch, machine, keeper)) {
            outcome = VLAD_FAILED;
            break;
        }
    }
    machine->limit = end;
    return outcome;
}
