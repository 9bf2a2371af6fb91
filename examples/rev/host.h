/* Functions that the reversible examples share: random numbers, the same on every machine, and Adam. */
#ifndef EXAMPLES_REV_HOST_H
#define EXAMPLES_REV_HOST_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Uniform in (0, 1). */
static inline double host_uniform(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = (*seed ^ *seed >> 33) * 0xff51afd7ed558ccdu;
    return ((double)(mixed >> 11) + 0.5) / 9007199254740992.0;
}

static inline double host_normal(uint64_t *seed) {
    double radius = sqrt(-2 * log(host_uniform(seed)));
    return radius * cos(6.283185307179586 * host_uniform(seed));
}

static inline void *host_alloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "no memory for %zu numbers\n", count);
        exit(1);
    }
    return memory;
}

static inline double *host_normals(size_t count, uint64_t *seed) {
    double *x = (double *)host_alloc(count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = host_normal(seed);
    return x;
}

/* Makes one step of Adam; m and v must be zero before the first one, and `step` counts from 1. */
static inline void host_adam(double *x, const double *gradient, double *m, double *v, size_t count, int step,
                             double rate) {
    for (size_t i = 0; i < count; i++) {
        m[i] += 0.1 * (gradient[i] - m[i]);
        v[i] += 0.001 * (gradient[i] * gradient[i] - v[i]);
        x[i] -= rate * m[i] / (1 - pow(0.9, step)) / (sqrt(v[i] / (1 - pow(0.999, step))) + 1e-8);
    }
}

#endif
