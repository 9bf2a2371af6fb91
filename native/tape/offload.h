/* Offload: a single pass whose tape is kept in memory up to a limit, and beyond it in a file. offload.c explains the
 * scheme. Functions return without an effect if no offload is open, unless noted. */
#ifndef NATIVE_TAPE_OFFLOAD_H
#define NATIVE_TAPE_OFFLOAD_H

#include "native/memory/memory.h"

/* Begins to offload. Close it also after a failure. */
verso_status verso__native_offload_open(const verso_native_options *options, verso_error *error);
bool verso__native_offload_is_on(void);
/* Ends offloading and sets report->offload_bytes. Returns the peak bytes of the tape in memory (report->tape_bytes
 * if no offload is open). */
uint64_t verso__native_offload_close(verso_native_report *report);

/* ---- Recording ---- */

/* Marks the place `tape` for the reverse sweep, and makes room in memory for the recording that follows; gives up if it
 * cannot. A safepoint calls it when the tape has reached state.tape_limit. Requires an open offload. Private stack
 * only. */
void verso__native_offload_pass(char *tape);
/* Calls verso__native_offload_pass if the tape has grown by a block since the last mark. To be called after a
 * checkpointed call. Private stack only. */
void verso__native_offload_pass_if_due(void);
/* Makes room for a snapshot of `size` bytes. To be called on the host's stack, before it is written. */
verso_status verso__native_offload_snapshot(size_t size, verso_error *error);
/* Prepares for recording a checkpointed call during the reverse sweep. To be called on the host's stack. */
void verso__native_offload_prepare_recording(void);

/* ---- Reversing ---- */

/* Prepares for the reverse sweep, when it begins and when it continues after a call was recorded. */
verso_status verso__native_offload_prepare_sweep(verso_error *error);
/* Reads ahead. The reverse sweep calls it when it has reached state.tape_stop. Requires an open offload. Private stack
 * only. */
void verso__native_offload_stop(void);
/* Returns true if this part of the tape is in the file only. */
bool verso__native_offload_is_file_only(const void *address);

#endif
