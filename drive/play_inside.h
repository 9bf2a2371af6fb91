/* Plays the schedule, and computes lost states again. Private to drive/. */
#ifndef DRIVE_PLAY_INSIDE_H
#define DRIVE_PLAY_INSIDE_H

#include "drive/state_inside.h"

/* play.c */
verso_status verso__play(verso__drive *drive, verso_error *error);
/* Captures the program into a store, or resumes it from a store. */
verso_status verso__capture_into(verso__drive *drive, const verso_store *store, const verso_capsule_name *name,
                                 verso_error *error);
verso_status verso__resume_from(verso__drive *drive, const verso_store *store, const verso_capsule_name *name,
                                verso_error *error);
/* Returns whether a failed read can be overcome by computing the state again from an older one: the capsule is
 * damaged, unreadable or absent. */
static inline bool verso__is_lost(verso_status status) {
    return status == VERSO_STATUS_CORRUPT || status == VERSO_STATUS_IO || status == VERSO_STATUS_STATE;
}
/* Discards a state from a store, and succeeds if the store no longer holds it. */
verso_status verso__discard_if_held(const verso_store *store, uint64_t step, uint64_t slot, verso_error *error);
/* Stores the working state x_from in the slot that `live` names. */
verso_status verso__keep_in_slot(verso__drive *drive, const verso__live *live, verso_error *error);
/* Advances the program from the working state to x_to. If `may_stop` is true and it is time to suspend, returns
 * VERSO_STATUS_SUSPENDED; `working` is then the step that was reached. Sets *ended if the computation ended before
 * `to`. */
verso_status verso__run_to(verso__drive *drive, uint64_t to, bool may_stop, bool *ended, verso_error *error);

/* recover.c: makes x_step the working state, computing it again from the latest earlier state that is available. */
verso_status verso__recover(verso__drive *drive, uint64_t step, verso_error *error);

#endif
