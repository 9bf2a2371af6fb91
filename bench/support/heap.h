/* How much heap a piece of work takes. The program is linked with --wrap for malloc, calloc, realloc and free, so every
 * block that our code or the library asks for passes here; what the C library asks for itself does not. A block counts
 * with the bytes it really has (malloc_usable_size). For one thread. */
#ifndef VERSO_BENCH_HEAP_H
#define VERSO_BENCH_HEAP_H

#include <stddef.h>

/* From now on, and until the next call, the most bytes beyond those in use now. */
void bench_heap_start(void);
size_t bench_heap_peak(void);

#endif
