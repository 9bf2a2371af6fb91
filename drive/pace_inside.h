/* The clock of a run: limits, signals and progress. Private to drive/. */
#ifndef DRIVE_PACE_INSIDE_H
#define DRIVE_PACE_INSIDE_H

#include "drive/state_inside.h"

/* pace.c */
/* Starts the clock and, if asked, the catching of signals; ends both. */
void verso__pace_start(verso__drive *drive);
void verso__pace_end(verso__drive *drive);
/* Checks the clock, the limits and the signals; calls the user's callbacks; refills `fuel`. */
verso_status verso__pace_check(verso__drive *drive, verso_error *error);
/* Returns the number of steps that this process has run, forward and reversed. */
static inline uint64_t verso__pace_steps(const verso__drive *drive) {
    return drive->pace.forward_steps + drive->pace.reverse_steps;
}
/* Returns the number of steps that may be run before the next check. */
static inline uint64_t verso__pace_room(const verso__drive *drive) {
    return drive->pace.fuel;
}
/* Subtracts `steps` from the fuel and checks the clock if it is used up. */
static inline verso_status verso__pace_burn(verso__drive *drive, uint64_t steps, verso_error *error) {
    verso__pace *pace = &drive->pace;
    pace->fuel -= steps < pace->fuel ? steps : pace->fuel;
    return pace->fuel == 0 ? verso__pace_check(drive, error) : VERSO_STATUS_OK;
}

#endif
