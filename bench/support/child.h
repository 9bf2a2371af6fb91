/* Measurements in processes of their own, so that they do not share memory, and one that fails or is killed does not
 * end the bench. */
#ifndef VERSO_BENCH_CHILD_H
#define VERSO_BENCH_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs measure(task, result) in a child, which returns `size` bytes of result through a pipe. Returns false if the
 * child failed. */
bool bench_in_child(void (*measure)(const void *task, void *result), const void *task, void *result, size_t size);

/* Returns the peak memory of this process so far, in bytes (VmHWM). */
double bench_peak_bytes(void);

/* Returns the processor time of this process, in seconds. */
double bench_seconds(void);

/* Returns a hash, to compare results of two processes bit by bit. */
uint64_t bench_hash(const double *numbers, size_t count);

#endif
