/* Room `tape`: memory of the recording (the tape) and of the reverse sweep (frames).
 *
 *   tape.c     gets memory and gives it back, guards the end of the tape, watches the machine's memory
 *   offload.c  keeps the part of the tape that does not fit into memory in a file
 *
 * Requires: rooms `memory` and `run`.
 * Leaves: a tape that generated code writes and reads without testing for its end.
 * Owns: the tape's bounds, limits and guard, and the offload's file. */
#ifndef NATIVE_TAPE_TAPE_H
#define NATIVE_TAPE_TAPE_H

#include "native/run/run.h"
#include "native/tape/offload.h"

/* ---- Memory ---- */

/* Returns the address at which recordings begin. */
char *verso__native_tape(void);
/* Returns the beginning of the frames. */
char *verso__native_frames(void);
/* Prepares the tape for a differentiation. `limit`: maximum bytes of the tape, after which a guard follows; 0: no
 * limit. `divided`: a budget will be divided later, which sets the limit; until then the guard may stay where it
 * is. */
verso_status verso__native_tape_open(size_t limit, bool divided, verso_error *error);
/* Gives memory back after a run whose tape was `used` bytes long. Returns the bytes of frames that were in use. */
size_t verso__native_tape_close(size_t used);
/* Whether a signal that asks the process to end ends the run, which must be one without a directory: from the next time
 * on that verso__native_tape_heed_signals is called. The tape calls it every few megabytes. */
void verso__native_tape_set_interrupted(bool interrupted);
bool verso__native_tape_is_interrupted(void);
/* Private stack only. Gives up if such a signal has come. */
void verso__native_tape_heed_signals(void);
/* Forgets where the guard is, and removes it, because another run time has used the tape since. */
void verso__native_tape_forget(void);
/* Reserves the first bytes of the tape for a recording that is reversed last: recordings begin after them. 0: none. */
void verso__native_tape_base(uint64_t bytes);
/* Returns the address after these reserved bytes. */
char *verso__native_tape_start(void);
/* Makes recordings begin `offset` bytes after verso__native_tape_start. */
void verso__native_tape_at(uint64_t offset);
/* Gives back the tape's memory except for the first `bytes` bytes. */
void verso__native_tape_keep(uint64_t bytes);
/* Returns how many bytes of the tape, from its beginning without a gap, are in memory. */
uint64_t verso__native_tape_resident(void);

/* ---- The guard at the end ---- */

/* Moves the guard so that the tape may take `limit` bytes (0: no limit), and clears verso__native_tape_is_full.
 * Must not be called while the private stack runs. */
verso_status verso__native_tape_guard(uint64_t limit, verso_error *error);
/* Returns the beginning of the guard. */
char *verso__native_tape_end(void);
/* Returns the bytes that the tape may take. */
uint64_t verso__native_tape_limit(void);
/* Returns true if a limit was set. */
bool verso__native_tape_is_limited(void);
/* Returns true if the last failure was that the tape was full. */
bool verso__native_tape_is_full(void);
void verso__native_tape_set_full(bool full);
/* Gives up with a message if a fault at this address is a failure of the differentiation; otherwise returns. It is the
 * callback of verso__native_faults_catch. */
void verso__native_tape_explain(const char *address);
/* Records whether the reverse sweep runs, for verso__native_tape_explain. */
void verso__native_tape_set_reversing(bool reversing);

/* ---- Checks of the machine's memory ---- */

/* Gives up if the machine's memory is nearly exhausted. Returns the tape address at which to check again. Private stack
 * only. */
char *verso__native_tape_check_machine(char *tape);
/* Checks the machine's memory, or offloads, and sets the next check. A safepoint calls it when the tape has reached the
 * address of the next check. Private stack only. */
void verso__native_tape_pass(char *tape);
/* Returns the tape address of the next check. state.tape_limit must not exceed it while recording. */
char *verso__native_tape_next_check(void);
/* Sets the address of the next check and, with `also`, state.tape_limit. */
void verso__native_tape_set_next_check(char *next, bool also);
/* `paced`: the caller sets state.tape_limit from now on; false: this room does. */
void verso__native_tape_set_paced(bool paced);

#endif
