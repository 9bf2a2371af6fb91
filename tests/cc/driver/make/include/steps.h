/* What the example computes. */
#ifndef STEPS_H
#define STEPS_H

#include <stddef.h>

#define STEPS 3

double steps(const double *x, size_t n);

#endif
