/* Runs a durable program under supervision: saves now and then what it needs to continue, and suspends it when a
 * signal or a time limit demands it. The driver does this itself while it plays a schedule; this file is for
 * everything else: for the program around checkpoint-*j, and for counting the steps of its function. */
#ifndef VLAD_WATCH_H
#define VLAD_WATCH_H

#include "vlad/machine.h"

/* One per process. */
typedef struct vlad_watch {
    double interval;   /* maximum number of seconds between two saves */
    double deadline;   /* on the clock of verso__now; 0: none */
    double began;      /* time at which the process or the watched computation began */
    double kept, cost; /* time of the last save, and its duration in seconds */
    uint64_t slice;    /* steps between two readings of the clock */
} vlad_watch;

/* Catches signals until vlad_watch_close. 0 seconds stands for the default interval, and for no time limit. */
void vlad_watch_open(vlad_watch *watch, double interval, double time_limit);
void vlad_watch_close(vlad_watch *watch);
/* Returns the seconds left until the time limit, always more than 0; 0: there is no limit. */
double vlad_watch_left(const vlad_watch *watch);

/* A function that saves what the machine needs to continue from its current state. */
typedef struct vlad_keeper {
    verso_status (*keep)(void *context, verso_error *error);
    void *context;
} vlad_keeper;

/* Runs the machine up to machine->limit, as vlad_machine_run does, and calls the keeper when a save is due. With
 * `watch` NULL it only runs. VLAD_FAILED with VERSO_STATUS_SUSPENDED: it was asked to stop and has saved its
 * state. */
vlad_outcome vlad_watch_run(vlad_watch *watch, vlad_machine *machine, const vlad_keeper *keeper);

#endif
