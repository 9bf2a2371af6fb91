/* SIGTERM and SIGINT as requests to suspend. They are caught while at least one run, in any thread, asks for it;
 * afterwards the previous handlers are restored. A signal that the process ignores stays ignored. */
#ifndef VERSO_DRIVE_SIGNALS_H
#define VERSO_DRIVE_SIGNALS_H

/* Starts catching; nests with other runs. */
void verso__signals_catch(void);
/* Returns the signal that came since catching began; 0: none. Call it only between the other two functions. */
int verso__signals_came(void);
/* Stops catching for this run. Returns the same as verso__signals_came. */
int verso__signals_leave(void);

#endif
