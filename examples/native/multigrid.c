/* Heat in a plate whose conductivity is not known: the gradient of a misfit with respect to the conductivity of each
 * cell. Each step in time is implicit, and multigrid solves it: V-cycles, a recursion that smooths, restricts what is
 * left to a coarser grid, asks itself for a correction there, and prolongs it.
 *
 * Temperatures are at the centres of square cells, and zero around the plate. Heat flows through sides; on a coarser
 * grid a side conducts like the mean of its two halves. The conductivity of the first half of a cell is in series with
 * that of the second half of its neighbour.
 *
 * The procedures are kept apart (PROCEDURE) although clang would inline some, as if they were long: each call is a site
 * that can be checkpointed.
 *
 *     build/verso cc -O2 examples/native/multigrid.c examples/native/support/study.c -lm -o multigrid && ./multigrid */
#include "support/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

#define PROCEDURE __attribute__((noinline)) static

enum { LEVELS = 16, COARSEST = 4, SMOOTHINGS = 2, COARSE_SMOOTHINGS = 12 };

/* Options. The size is a power of two. */
static double size = 64, steps = 10, tolerance = 1e-8;

static double *observed; /* the temperature at the end */

/* A grid of side x side cells with a margin of one cell around it: wide = side + 2. */
typedef struct grid {
    int side, wide;
    double mass;                  /* heat capacity of a cell, divided by the time step */
    double *heat, *source, *rest; /* unknown, right-hand side, residual */
    double *right, *up, *inverse; /* conductivities of the left and lower sides; 1 / diagonal of the matrix */
} grid;

static size_t cells_of(const grid *g) {
    return (size_t)g->wide * (size_t)g->wide;
}

/* ---- Coefficients ---- */

PROCEDURE double in_series(double one, double other) {
    return 2 * one * other / (one + other);
}

/* Returns the conductivity between cell (i, j) and cell (i - back_i, j - back_j). The edge is half a cell away. */
PROCEDURE double side_between(const double *conductivity, int side, int i, int j, int back_i, int back_j) {
    const int bi = i - back_i, bj = j - back_j;
    const int inside = i < side && j < side, before = bi >= 0 && bj >= 0;
    if (inside && before)
        return in_series(exp(conductivity[j * side + i]), exp(conductivity[bj * side + bi]));
    return 2 * exp(conductivity[inside ? j * side + i : bj * side + bi]);
}

PROCEDURE void find_sides(grid *g, const double *conductivity) {
    for (int j = 0; j <= g->side; j++)
        for (int i = 0; i <= g->side; i++) {
            const int at = (j + 1) * g->wide + i + 1;
            if (j < g->side)
                g->right[at] = side_between(conductivity, g->side, i, j, 1, 0);
            if (i < g->side)
                g->up[at] = side_between(conductivity, g->side, i, j, 0, 1);
        }
}

PROCEDURE void coarsen_right(const grid *fine, grid *coarse) {
    for (int j = 0; j < coarse->side; j++)
        for (int i = 0; i <= coarse->side; i++) {
            const int at = (2 * j + 1) * fine->wide + 2 * i + 1;
            coarse->right[(j + 1) * coarse->wide + i + 1] = 0.5 * (fine->right[at] + fine->right[at + fine->wide]);
        }
}

PROCEDURE void coarsen_up(const grid *fine, grid *coarse) {
    for (int j = 0; j <= coarse->side; j++)
        for (int i = 0; i < coarse->side; i++) {
            const int at = (2 * j + 1) * fine->wide + 2 * i + 1;
            coarse->up[(j + 1) * coarse->wide + i + 1] = 0.5 * (fine->up[at] + fine->up[at + 1]);
        }
}

PROCEDURE void invert_diagonal(grid *g) {
    for (int j = 1; j <= g->side; j++)
        for (int i = 1; i <= g->side; i++) {
            const int at = j * g->wide + i;
            g->inverse[at] = 1 / (g->mass + g->right[at] + g->right[at + 1] + g->up[at] + g->up[at + g->wide]);
        }
}

PROCEDURE void prepare(grid *finest, const double *conductivity) {
    find_sides(finest, conductivity);
    invert_diagonal(finest);
    for (grid *g = finest; g->side > COARSEST; g++) {
        coarsen_right(g, g + 1);
        coarsen_up(g, g + 1);
        invert_diagonal(g + 1);
    }
}

/* ---- A cycle ---- */

/* Gauss-Seidel on every other cell, like the black or white squares of a chess board. */
PROCEDURE void relax(grid *g, int colour) {
    for (int j = 1; j <= g->side; j++)
        for (int i = 1 + (j + colour) % 2; i <= g->side; i += 2) {
            const int at = j * g->wide + i;
            const double in = g->right[at] * g->heat[at - 1] + g->right[at + 1] * g->heat[at + 1] +
                              g->up[at] * g->heat[at - g->wide] + g->up[at + g->wide] * g->heat[at + g->wide];
            g->heat[at] = g->inverse[at] * (g->source[at] + in);
        }
}

PROCEDURE void smooth(grid *g, int times) {
    for (int n = 0; n < times; n++) {
        relax(g, 0);
        relax(g, 1);
    }
}

PROCEDURE void find_rest(grid *g) {
    for (int j = 1; j <= g->side; j++)
        for (int i = 1; i <= g->side; i++) {
            const int at = j * g->wide + i;
            const double in = g->right[at] * g->heat[at - 1] + g->right[at + 1] * g->heat[at + 1] +
                              g->up[at] * g->heat[at - g->wide] + g->up[at + g->wide] * g->heat[at + g->wide];
            g->rest[at] = g->source[at] + in - g->heat[at] / g->inverse[at];
        }
}

PROCEDURE void restrict_rest(const grid *fine, grid *coarse) {
    for (int j = 0; j < coarse->side; j++)
        for (int i = 0; i < coarse->side; i++) {
            const int at = (2 * j + 1) * fine->wide + 2 * i + 1;
            coarse->source[(j + 1) * coarse->wide + i + 1] =
                fine->rest[at] + fine->rest[at + 1] + fine->rest[at + fine->wide] + fine->rest[at + fine->wide + 1];
        }
}

PROCEDURE void clear(grid *g) {
    memset(g->heat, 0, cells_of(g) * sizeof(double));
}

/* Bilinear interpolation: a fine cell takes 9/16 of its own coarse cell and the rest from the nearest others. */
PROCEDURE void prolong(const grid *coarse, grid *fine) {
    for (int j = 0; j < fine->side; j++)
        for (int i = 0; i < fine->side; i++) {
            const int at = (j / 2 + 1) * coarse->wide + i / 2 + 1;
            const int beside = i % 2 ? 1 : -1, above = j % 2 ? coarse->wide : -coarse->wide;
            const double *heat = coarse->heat + at;
            fine->heat[(j + 1) * fine->wide + i + 1] +=
                0.0625 * (9 * heat[0] + 3 * heat[beside] + 3 * heat[above] + heat[beside + above]);
        }
}

PROCEDURE void cycle(grid *g) {
    if (g->side <= COARSEST) {
        smooth(g, COARSE_SMOOTHINGS);
        return;
    }
    smooth(g, SMOOTHINGS);
    find_rest(g);
    restrict_rest(g, g + 1);
    clear(g + 1);
    cycle(g + 1);
    prolong(g + 1, g);
    smooth(g, SMOOTHINGS);
}

/* ---- A step ---- */

PROCEDURE double square(const double *a, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sum;
}

PROCEDURE void solve(grid *finest) {
    find_rest(finest);
    const double enough = tolerance * tolerance * square(finest->source, cells_of(finest));
    while (square(finest->rest, cells_of(finest)) > enough) {
        cycle(finest);
        find_rest(finest);
    }
}

/* The right-hand side: the heat that cells hold, and a flame that moves around. */
PROCEDURE void find_source(grid *g, int n) {
    const double x = 0.5 + 0.25 * cos(0.7 * n), y = 0.5 + 0.25 * sin(0.7 * n);
    for (int j = 1; j <= g->side; j++)
        for (int i = 1; i <= g->side; i++) {
            const int at = j * g->wide + i;
            const double dx = (i - 0.5) / g->side - x, dy = (j - 0.5) / g->side - y;
            g->source[at] = g->mass * (g->heat[at] + exp(-50 * (dx * dx + dy * dy)));
        }
}

PROCEDURE void step(grid *finest, int n) {
    find_source(finest, n);
    solve(finest);
}

/* ---- The run ---- */

/* Makes the grids, the finest first. */
static void open_grids(grid *grids) {
    int side = (int)size;
    double mass = 2000 / size / size; /* in a step, heat diffuses over some tenths of the plate */
    for (grid *g = grids;; g++, side /= 2, mass *= 4) {
        *g = (grid){.side = side, .wide = side + 2, .mass = mass};
        double **fields[] = {&g->heat, &g->source, &g->rest, &g->right, &g->up, &g->inverse};
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            *fields[i] = study_allocate(cells_of(g), sizeof(double));
        if (side <= COARSEST)
            return;
    }
}

static void close_grids(grid *grids) {
    for (grid *g = grids;; g++) {
        double *fields[] = {g->heat, g->source, g->rest, g->right, g->up, g->inverse};
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            free(fields[i]);
        if (g->side <= COARSEST)
            return;
    }
}

PROCEDURE double compare(const grid *g) {
    double sum = 0;
    for (int j = 1; j <= g->side; j++)
        for (int i = 1; i <= g->side; i++) {
            const int at = j * g->wide + i;
            sum += 0.5 * (g->heat[at] - observed[at]) * (g->heat[at] - observed[at]);
        }
    return sum;
}

/* Copies the final temperature to `record`, unless that is NULL. */
static double simulate(const double *conductivity, double *record) {
    grid grids[LEVELS];
    open_grids(grids);
    prepare(grids, conductivity);
    for (int n = 0; n < (int)steps; n++)
        step(grids, n);
    const double value = compare(grids);
    if (record)
        memcpy(record, grids[0].heat, cells_of(&grids[0]) * sizeof(double));
    close_grids(grids);
    return value;
}

static double misfit(const double *conductivity, size_t cells) {
    (void)cells;
    return simulate(conductivity, NULL);
}

/* ---- Observations and output ---- */

static void lay_plate(double *conductivity, double spot) {
    const int side = (int)size;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const double x = (i + 0.5) / side - 0.6, y = (j + 0.5) / side - 0.4;
            conductivity[j * side + i] = 0.3 * sin(9 * x * y) - spot * exp(-40 * (x * x + y * y));
        }
}

int main(int argc, char **argv) {
    const study_option options[] = {{"--size", &size}, {"--steps", &steps}, {"--tolerance", &tolerance}};
    const study_task task = study_read(argc, argv, options, sizeof options / sizeof *options);
    if (size < COARSEST || size > (COARSEST << (LEVELS - 1)) || ((int)size & ((int)size - 1)) != 0)
        return fprintf(stderr, "multigrid: --size takes a power of two from %d on\n", COARSEST), 2;
    const size_t cells = (size_t)size * (size_t)size;
    double *conductivity = study_allocate(cells, sizeof *conductivity);
    observed = study_allocate(((size_t)size + 2) * ((size_t)size + 2), sizeof *observed);
    lay_plate(conductivity, 1);
    simulate(conductivity, observed);
    lay_plate(conductivity, 0);
    const int status = study(task, misfit, conductivity, cells);
    free(conductivity);
    free(observed);
    return status;
}
