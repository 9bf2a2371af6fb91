/* Measures resuming a run that is some calls deep, running one step, and capturing it. */
#ifndef VERSO_BENCH_NATIVE_RESUME_H
#define VERSO_BENCH_NATIVE_RESUME_H

#include <stddef.h>

enum { BENCH_DEPTH = 10 };

typedef struct bench_resumed {
    double seconds; /* of the three together */
    double copying; /* the part of it for copying `bytes` there and back */
    size_t bytes;   /* of a copy */
} bench_resumed;

/* Measures in a process of its own, whose heap is small. */
bench_resumed bench_time_resume(void);

#endif
