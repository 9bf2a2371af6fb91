/* The leapfrog integrator for bodies that attract each other. It is time-reversible, so any number of steps can be
 * undone in constant memory. Positions and velocities are arrays of x, y, z for one body after the other. */
#include <math.h>
#include <verso/rev.h>

/* Adds `dt` times the accelerations at the positions to the velocities. */
rev void rev_kick(double *restrict velocity, const double *restrict position, const double *restrict mass,
                  passive int bodies, passive double dt) {
    for (int i = 0; i < bodies; i++) {
        for (int j = 0; j < bodies; j++) {
            if (i != j) {
                anc double dx = 0;
                anc double dy = 0;
                anc double dz = 0;
                anc double square = 0;
                anc double factor = 0;
                compute {
                    dx += position[3 * j] - position[3 * i];
                    dy += position[3 * j + 1] - position[3 * i + 1];
                    dz += position[3 * j + 2] - position[3 * i + 2];
                    square += dx * dx + dy * dy + dz * dz;
                    factor += dt * mass[j] / (square * sqrt(square));
                }
                use {
                    velocity[3 * i] += factor * dx;
                    velocity[3 * i + 1] += factor * dy;
                    velocity[3 * i + 2] += factor * dz;
                }
            }
        }
    }
}

/* Adds `dt` times the velocities to the positions. */
rev void rev_drift(double *restrict position, const double *restrict velocity, passive int bodies, passive double dt) {
    for (int i = 0; i < 3 * bodies; i++) {
        position[i] += dt * velocity[i];
    }
}

/* Makes `steps` steps. The velocities are those half a step before the positions, and remain so. */
rev void rev_leapfrog(double *restrict position, double *restrict velocity, const double *restrict mass,
                      passive int bodies, passive int steps, passive double dt) {
    for (int s = 0; s < steps; s++) {
        rev_kick(velocity, position, mass, bodies, dt);
        rev_drift(position, velocity, bodies, dt);
    }
}

/* With `fixed`, any number of steps is undone exactly; squares of distances and velocities must stay below 2^20. */
rev_instantiate(rev_kick, float, fixed);
rev_instantiate(rev_drift, float, fixed);
rev_instantiate(rev_leapfrog, float, fixed);
