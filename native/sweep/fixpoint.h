/* Fixed points (verso_fixed_point): state while the step of one is recorded or reversed. */
#ifndef NATIVE_SWEEP_FIXPOINT_H
#define NATIVE_SWEEP_FIXPOINT_H

/* Does the work of verso__native_safepoint within the step of a fixed point, where no run is suspended. Returns where
 * the tape continues. */
char *verso__native_fixed_pass(char *tape);
/* Returns the source location ("file.c:12") of the outermost fixed point whose step is recorded or reversed now, or
 * NULL. */
const char *verso__native_fixed_where(void);
/* Leaves all fixed points. To be called after a run has failed. */
void verso__native_fixed_abandon(void);

#endif
