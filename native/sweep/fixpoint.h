/* Fixed points (verso_fixed_point): state while the step of one is recorded. */
#ifndef NATIVE_SWEEP_FIXPOINT_H
#define NATIVE_SWEEP_FIXPOINT_H

#include <stdbool.h>

/* Does the work of verso__native_safepoint within the step of a fixed point, where no run is suspended. Returns where
 * the tape continues. */
char *verso__native_fixed_pass(char *tape);
/* Returns true while the steps of a fixed point run, recording or advancing. */
bool verso__native_fixed_is_recorded(void);
/* Leaves all fixed points. To be called after a run has failed. */
void verso__native_fixed_abandon(void);

#endif
