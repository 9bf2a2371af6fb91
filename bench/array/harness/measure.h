/* What the main program of a kernel asks of Verso. ask_gradient.c and ask_tangent.c each define `ask`, and are the only
 * files of bench/array that call Verso. */
#ifndef VERSO_BENCH_ARRAY_MEASURE_H
#define VERSO_BENCH_ARRAY_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

enum { MESSAGE_BYTES = 1024 };

typedef struct answer {
    double value;
    size_t tape_bytes;
    char message[MESSAGE_BYTES]; /* why there is none */
} answer;

/* Derivatives of `kernel` at x: the gradient, or if `asks_tangent` one number, that in the direction of ones. */
bool ask(const double *x, size_t n, double *derivative, answer *a);
extern const bool asks_tangent;

#endif
