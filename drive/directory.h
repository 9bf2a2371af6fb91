/* Run directories, and the memory that buffers for files take. For programs that are built on the driver. */
#ifndef DRIVE_DIRECTORY_H
#define DRIVE_DIRECTORY_H

#include "base/system.h"

#include <stdbool.h>
#include <stdint.h>
#include <verso/status.h>

/* Sets *holds to whether the directory contains a durable run. */
verso_status verso__holds_run(const verso__system *system, const char *directory, bool *holds, verso_error *error);
/* Removes the run from the directory. A program uses this to begin anew when it has learnt how large its states
 * are. */
verso_status verso__abandon(const verso__system *system, const char *directory, verso_error *error);
/* Returns the part of a memory budget that buffers for files take: a quarter, at most four of the largest capsules,
 * but at least one. `largest` is the size of the largest capsule in bytes. */
uint64_t verso__buffers_for(uint64_t memory, uint64_t largest);
/* Returns the least budget that leaves `needed` bytes beside these buffers. */
uint64_t verso__memory_for(uint64_t needed, uint64_t largest);

#endif
