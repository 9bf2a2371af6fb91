/* at: random:21:0.5:3
 * large: random:105:0.5:3
 * Bodies that attract each other, leapfrog steps; n = 7 a body: positions, velocities, masses. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20 };

static void attract(const double *p, double *v, const double *mass, size_t i, size_t j, double dt) {
    double dx = p[3 * i] - p[3 * j], dy = p[3 * i + 1] - p[3 * j + 1], dz = p[3 * i + 2] - p[3 * j + 2];
    double square = dx * dx + dy * dy + dz * dz + 1e-2, strength = dt / (square * sqrt(square));
    v[3 * i] -= dx * mass[j] * strength;
    v[3 * i + 1] -= dy * mass[j] * strength;
    v[3 * i + 2] -= dz * mass[j] * strength;
    v[3 * j] += dx * mass[i] * strength;
    v[3 * j + 1] += dy * mass[i] * strength;
    v[3 * j + 2] += dz * mass[i] * strength;
}

double f(const double *x, size_t n) {
    size_t bodies = n / 7;
    double *p = malloc(3 * bodies * sizeof *p), *v = malloc(3 * bodies * sizeof *v), energy = 0;
    const double *mass = x + 6 * bodies, dt = 1e-2;
    memcpy(p, x, 3 * bodies * sizeof *p);
    memcpy(v, x + 3 * bodies, 3 * bodies * sizeof *v);
    for (int s = 0; s < STEPS; s++) {
        for (size_t i = 0; i < bodies; i++)
            for (size_t j = i + 1; j < bodies; j++)
                attract(p, v, mass, i, j, dt);
        for (size_t i = 0; i < 3 * bodies; i++)
            p[i] += dt * v[i];
    }
    for (size_t i = 0; i < bodies; i++) {
        const double *w = v + 3 * i;
        energy += 0.5 * mass[i] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) + p[3 * i];
    }
    free(p);
    free(v);
    return energy;
}
