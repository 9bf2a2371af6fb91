/* Measurements in processes of their own: so that the memory of one is not that of another, and one that fails or is
 * killed is a result like others. */
#ifndef VERSO_BENCH_CHILD_H
#define VERSO_BENCH_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs measure(task, result) in a child, which hands `size` bytes of result back. False: it did not come to its end. */
bool bench_in_child(void (*measure)(const void *task, void *result), const void *task, void *result, size_t size);

/* The most that this process has had in memory so far, in bytes (VmHWM). */
double bench_peak_bytes(void);

/* Seconds of the processor that this process has used: whatever else the machine is doing. */
double bench_seconds(void);

/* Tells the bits of two processes' results apart. */
uint64_t bench_hash(const double *numbers, size_t count);

#endif
