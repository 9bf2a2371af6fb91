/* Measures the heap that a piece of work takes. The program is linked with --wrap for malloc, calloc, realloc and
 * free, so all allocations of Verso and of the bench are counted, those inside the C library are not. A block counts
 * with malloc_usable_size. For one thread. */
#ifndef VERSO_BENCH_HEAP_H
#define VERSO_BENCH_HEAP_H

#include <stddef.h>

/* Starts to measure the peak, in bytes beyond those in use now. */
void bench_heap_start(void);
size_t bench_heap_peak(void);

#endif
