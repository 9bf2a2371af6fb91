/* Waves and eddies in shallow water on a rotating plane, and where they began: the gradient of a misfit with respect to
 * the initial height of the water in each place.
 *
 * Height is at the centres of square cells, velocities at their sides (Arakawa's C grid), in Sadourny's form that
 * conserves enstrophy: fluxes of mass, potential vorticity, and the head (pressure and kinetic energy) each have their
 * procedure, and a step of Shu and Osher's third-order Runge-Kutta method asks for all of them three times. The basin
 * is periodic. Gauges record the height from time to time.
 *
 * The procedures are kept apart (PROCEDURE) although clang would inline some, as if they were long: each call is a site
 * that can be checkpointed.
 *
 *     build/verso cc -O2 examples/native/shallow.c examples/native/support/study.c -lm -o shallow && ./shallow */
#include "support/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

#define PROCEDURE __attribute__((noinline)) static

enum { APART = 8 }; /* distance of gauges in cells, and of their measurements in steps */

/* Depth, gravity and the side of a cell are 1. */
static const double TIME_STEP = 0.3, ROTATION = 0.1, THICKNESS = 0.01, DRAG = 1e-3, WIND = 1e-4;

/* Options. */
static double size = 64, steps = 160;

static double *observed; /* all measurements of the gauges */

/* A state has three fields, one after the other: height at centres; velocity to the right, at left sides; velocity
 * upwards, at lower sides. */
typedef struct model {
    int side;
    size_t cells;
    double *state, *stage, *rate;
    double *flux_right, *flux_up, *vorticity, *head; /* vorticity at lower left corners */
    double *work;
} model;

/* Neighbours in a periodic row or column. */
static inline int next(int i, int side) {
    return i + 1 < side ? i + 1 : 0;
}

static inline int last(int i, int side) {
    return i > 0 ? i - 1 : side - 1;
}

/* ---- Means and differences ---- */

/* Mean of each cell and the one to its left. */
PROCEDURE void mean_right(const double *a, double *result, int side) {
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            result[j * side + i] = 0.5 * (a[j * side + i] + a[j * side + last(i, side)]);
}

/* Mean of each cell and the one below it. */
PROCEDURE void mean_up(const double *a, double *result, int side) {
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            result[j * side + i] = 0.5 * (a[j * side + i] + a[last(j, side) * side + i]);
}

/* Adds the viscous term of a field. */
PROCEDURE void diffuse(const double *a, double *rate, int side) {
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const int at = j * side + i;
            const double around = a[j * side + next(i, side)] + a[j * side + last(i, side)] +
                                  a[next(j, side) * side + i] + a[last(j, side) * side + i];
            rate[at] += THICKNESS * (around - 4 * a[at]) - DRAG * a[at];
        }
}

/* ---- Terms ---- */

PROCEDURE void fluxes(model *m, const double *state) {
    const double *u = state + m->cells, *v = u + m->cells;
    mean_right(state, m->flux_right, m->side);
    mean_up(state, m->flux_up, m->side);
    for (size_t i = 0; i < m->cells; i++) {
        m->flux_right[i] *= u[i];
        m->flux_up[i] *= v[i];
    }
}

/* Potential vorticity: that of the flow plus that of the basin, divided by the height. */
PROCEDURE void find_vorticity(model *m, const double *state) {
    const double *u = state + m->cells, *v = u + m->cells;
    const int side = m->side;
    mean_right(state, m->work, side);
    mean_up(m->work, m->vorticity, side);
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const int at = j * side + i;
            const double curl = v[at] - v[j * side + last(i, side)] - u[at] + u[last(j, side) * side + i];
            m->vorticity[at] = (ROTATION + curl) / m->vorticity[at];
        }
}

PROCEDURE void find_head(model *m, const double *state) {
    const double *u = state + m->cells, *v = u + m->cells;
    const int side = m->side;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const int at = j * side + i, right = j * side + next(i, side), up = next(j, side) * side + i;
            const double energy = u[at] * u[at] + u[right] * u[right] + v[at] * v[at] + v[up] * v[up];
            m->head[at] = state[at] + 0.25 * energy;
        }
}

PROCEDURE void blow(double *rate, int side) {
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            rate[j * side + i] += WIND * sin(2 * 3.14159265358979 * (j + 0.5) / side);
}

PROCEDURE void push_right(model *m, const double *u, double *rate) {
    const int side = m->side;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const int at = j * side + i, left = j * side + last(i, side);
            const int up = next(j, side) * side + i, up_left = next(j, side) * side + last(i, side);
            const double across = m->flux_up[at] + m->flux_up[left] + m->flux_up[up] + m->flux_up[up_left];
            rate[at] = 0.125 * (m->vorticity[at] + m->vorticity[up]) * across - m->head[at] + m->head[left];
        }
    blow(rate, side);
    diffuse(u, rate, side);
}

PROCEDURE void push_up(model *m, const double *v, double *rate) {
    const int side = m->side;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const int at = j * side + i, right = j * side + next(i, side);
            const int down = last(j, side) * side + i, down_right = last(j, side) * side + next(i, side);
            const double across =
                m->flux_right[at] + m->flux_right[right] + m->flux_right[down] + m->flux_right[down_right];
            rate[at] = -0.125 * (m->vorticity[at] + m->vorticity[right]) * across - m->head[at] + m->head[down];
        }
    diffuse(v, rate, side);
}

PROCEDURE void converge(const model *m, double *rate) {
    const int side = m->side;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const int at = j * side + i;
            rate[at] = m->flux_right[at] - m->flux_right[j * side + next(i, side)] + m->flux_up[at] -
                       m->flux_up[next(j, side) * side + i];
        }
}

/* ---- A step ---- */

PROCEDURE void find_rate(model *m, const double *state) {
    fluxes(m, state);
    find_vorticity(m, state);
    find_head(m, state);
    converge(m, m->rate);
    push_right(m, state + m->cells, m->rate + m->cells);
    push_up(m, state + 2 * m->cells, m->rate + 2 * m->cells);
}

/* to = share * state + (1 - share) * (stage + time step * rate) */
PROCEDURE void blend(const model *m, double share, const double *stage, double *to) {
    for (size_t i = 0; i < 3 * m->cells; i++)
        to[i] = share * m->state[i] + (1 - share) * (stage[i] + TIME_STEP * m->rate[i]);
}

PROCEDURE void step(model *m) {
    find_rate(m, m->state);
    blend(m, 0, m->state, m->stage);
    find_rate(m, m->stage);
    blend(m, 0.75, m->stage, m->stage);
    find_rate(m, m->stage);
    blend(m, 1.0 / 3, m->stage, m->state);
}

/* ---- The run ---- */

PROCEDURE void fill(model *m, const double *height) {
    for (size_t i = 0; i < m->cells; i++)
        m->state[i] = 1 + height[i];
}

/* Copies what the gauges measure to `record`; if that is NULL, compares it with the observations. */
PROCEDURE double look(const model *m, const double *seen, double *record) {
    double sum = 0;
    for (int j = 0; j < m->side; j += APART)
        for (int i = 0; i < m->side; i += APART, seen++) {
            const double height = m->state[j * m->side + i];
            if (record)
                *record++ = height;
            else
                sum += 0.5 * (height - *seen) * (height - *seen);
        }
    return sum;
}

static size_t gauges(void) {
    const size_t across = ((size_t)size + APART - 1) / APART;
    return across * across;
}

static double simulate(const double *height, double *record) {
    model m = {.side = (int)size, .cells = (size_t)size * (size_t)size};
    double **fields[] = {&m.state, &m.stage, &m.rate, &m.flux_right, &m.flux_up, &m.vorticity, &m.head, &m.work};
    double sum = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = study_allocate((i < 3 ? 3 : 1) * m.cells, sizeof(double));
    fill(&m, height);
    for (int n = 1; n <= (int)steps; n++) {
        step(&m);
        const size_t at = (size_t)(n / APART) * gauges();
        if (n % APART == 0 || n == (int)steps)
            sum += look(&m, observed + at, record ? record + at : NULL);
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        free(*fields[i]);
    return sum;
}

static double misfit(const double *height, size_t cells) {
    (void)cells;
    return simulate(height, NULL);
}

/* ---- Observations and output ---- */

/* Sets the initial height to a hill of water at `where`, a fraction of the basin's width. */
static void raise_water(double *height, double where) {
    const int side = (int)size;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const double x = (double)i / side - where, y = (double)j / side - 0.5;
            height[j * side + i] = 0.1 * exp(-60 * (x * x + y * y));
        }
}

int main(int argc, char **argv) {
    const study_option options[] = {{"--size", &size}, {"--steps", &steps}};
    const study_task task = study_read(argc, argv, options, sizeof options / sizeof *options);
    const size_t cells = (size_t)size * (size_t)size;
    double *height = study_allocate(cells, sizeof *height);
    observed = study_allocate(((size_t)steps / APART + 1) * gauges(), sizeof *observed);
    raise_water(height, 0.55);
    simulate(height, observed);
    raise_water(height, 0.45);
    const int status = study(task, misfit, height, cells);
    free(height);
    free(observed);
    return status;
}
