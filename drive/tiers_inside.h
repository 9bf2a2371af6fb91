/* What the budget has room for: the stores of the tiers, and the choice of the schedule. Private to drive/. */
#ifndef DRIVE_TIERS_INSIDE_H
#define DRIVE_TIERS_INSIDE_H

#include "drive/state_inside.h"

/* tiers.c */
/* Returns the bytes that recording `steps` steps at once takes. */
uint64_t verso__recording(const verso__drive *drive, uint64_t steps);
/* Returns the bytes that file buffers of this run may take within `memory`; 0: no limit. */
uint64_t verso__file_buffers(const verso__drive *drive, uint64_t memory);
/* Returns the bytes of memory that `slots` states take in a schedule of `tiers` tiers; and the number of states
 * that fit into `bytes`. */
uint64_t verso__states_bytes(const verso__drive *drive, size_t tiers, uint64_t slots);
uint64_t verso__states_within(const verso__drive *drive, size_t tiers, uint64_t bytes);
/* Sets *left to the memory budget without the file buffers and without the recording of `stretch` steps
 * (VERSO_UNKNOWN: no recording). Returns VERSO_STATUS_IMPOSSIBLE unless that is at least `states` bytes. */
verso_status verso__memory_left(const verso__drive *drive, uint64_t stretch, uint64_t states, uint64_t *left,
                                verso_error *error);
/* Returns the maximum bytes of files that a run with `slots` slots in files needs. */
uint64_t verso__disk_needed(const verso__drive *drive, uint64_t slots);
/* Opens the stores of all tiers. drive->schedule must be set. */
verso_status verso__open_tiers(verso__drive *drive, verso_error *error);

/* choose.c */
typedef struct verso__room { /* the room for capsules that the budget leaves */
    uint64_t slots;          /* number of states that fit into memory; VERSO_UNKNOWN: no limit */
    bool files;              /* capsules can be kept in files */
} verso__room;
/* Times steps and copies, chooses the fastest schedule and fills in `spec` and drive->reason. The program must be
 * at x_0 and is there again afterwards. */
verso_status verso__choose(verso__drive *drive, const verso__room *room, verso_schedule_spec *spec, verso_error *error);

#endif
