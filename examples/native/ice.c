/* Land ice that flows down a valley: the gradient of a misfit between model and observations with respect to
 * the friction and the height of the bed under each of 40 by 20 cells, through 80 steps of a model whose procedures
 * call one another five deep. A miniature of the ice stream (halfpipe_streamice) by which paper 2 chooses checkpoints.
 *
 * A step takes the surface from bed and thickness, the driving stress from that, the velocities from a balance of
 * stresses, and moves the ice. The balance is nonlinear: ice is the softer the faster it is deformed (Glen's law, n =
 * 3). So it is a fixed point: viscosities from velocities, then velocities from a linear system with those viscosities,
 * which conjugate gradients solve, until nothing changes.
 *
 * The procedures are short, and clang would inline most of them. They are kept apart (PROCEDURE), as they are in models
 * whose procedures are long or lie in many files: each call is a site that can be checkpointed.
 *
 *     build/verso cc -O2 examples/native/ice.c examples/native/support/study.c -lm -o ice && ./ice --choose
 *
 * Lengths are in kilometres, times in years, stresses in MPa. See docs/example-native-ice.md. */
#include "support/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

#define PROCEDURE __attribute__((noinline)) static

static const double WIDTH = 20, TIME_STEP = 0.25, SNOW = 3e-4;
static const double WEIGHT = 8.93;     /* density times gravity */
static const double HARDNESS = 0.236;  /* Glen's A to the power of -1/3 */
static const double LEAST_RATE = 5e-3; /* least strain rate in Glen's law */

/* Options. */
static double size = 20, steps = 80, tolerance = 1e-3;
static double phases = 1;  /* 2: the adjoint of the fixed point is that of its solution, not that of its iterations */
static double compare = 0; /* not 0: compare both */

/* The observations: velocity and thickness of the ice at the end. */
static double *observed_velocity, *observed_thickness;

/* Cells in rows, and nodes at their corners. Velocities are at nodes: all along the valley, then all across. */
typedef struct model {
    int columns, rows, wide; /* wide: nodes in a row */
    size_t cells, nodes;
    double side;                                                /* length of a cell's side */
    double *bed, *friction, *thickness, *surface;               /* in cells */
    double *along, *across, *shear;                             /* strain rates, then stresses, in cells */
    double *stiffness;                                          /* viscosity times thickness, in cells */
    double *flux_along, *flux_across;                           /* flux of ice between cells */
    double *velocity, *force, *drag, *inverse;                  /* at nodes */
    double *before, *rest, *direction, *conditioned, *response; /* vectors of the solvers */
    double change;                                              /* in the last iteration of the fixed point */
} model;

/* ---- Vectors at nodes ---- */

PROCEDURE double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

PROCEDURE void add(double *a, double factor, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        a[i] += factor * b[i];
}

PROCEDURE void turn(double *direction, double factor, const double *conditioned, size_t n) {
    for (size_t i = 0; i < n; i++)
        direction[i] = conditioned[i] + factor * direction[i];
}

PROCEDURE void scale(double *result, const double *factor, const double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        result[i] = factor[i] * a[i];
}

PROCEDURE double distance(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* ---- The linear system: stresses of a velocity, as forces on nodes ---- */

PROCEDURE void strain_rates(model *m, const double *velocity) {
    const double *u = velocity, *v = velocity + m->nodes, half = 0.5 / m->side;
    const int w = m->wide;
    for (int j = 0; j < m->rows; j++)
        for (int i = 0; i < m->columns; i++) {
            const int c = j * m->columns + i, n = j * w + i;
            m->along[c] = half * (u[n + 1] - u[n] + u[n + w + 1] - u[n + w]);
            m->across[c] = half * (v[n + w] - v[n] + v[n + w + 1] - v[n + 1]);
            m->shear[c] =
                half * (u[n + w] - u[n] + u[n + w + 1] - u[n + 1] + v[n + 1] - v[n] + v[n + w + 1] - v[n + w]);
        }
}

PROCEDURE void stresses(model *m) {
    for (size_t c = 0; c < m->cells; c++) {
        const double along = m->along[c], across = m->across[c];
        m->along[c] = m->stiffness[c] * (4 * along + 2 * across);
        m->across[c] = m->stiffness[c] * (4 * across + 2 * along);
        m->shear[c] = m->stiffness[c] * m->shear[c];
    }
}

/* Adds to `force`. */
PROCEDURE void forces(const model *m, double *force) {
    double *u = force, *v = force + m->nodes;
    const double half = 0.5 * m->side;
    const int w = m->wide;
    for (int j = 0; j < m->rows; j++)
        for (int i = 0; i < m->columns; i++) {
            const int c = j * m->columns + i, n = j * w + i;
            const double along = half * m->along[c], across = half * m->across[c], shear = half * m->shear[c];
            u[n] -= along + shear;
            u[n + 1] += along - shear;
            u[n + w] += shear - along;
            u[n + w + 1] += along + shear;
            v[n] -= across + shear;
            v[n + 1] += shear - across;
            v[n + w] += across - shear;
            v[n + w + 1] += across + shear;
        }
}

PROCEDURE void apply(model *m, const double *velocity, double *force) {
    scale(force, m->drag, velocity, 2 * m->nodes);
    strain_rates(m, velocity);
    stresses(m);
    forces(m, force);
}

/* Conjugate gradients, starting from velocity 0. */
PROCEDURE void solve(model *m) {
    const size_t n = 2 * m->nodes;
    memset(m->velocity, 0, n * sizeof(double));
    memcpy(m->rest, m->force, n * sizeof(double));
    scale(m->conditioned, m->inverse, m->rest, n);
    memcpy(m->direction, m->conditioned, n * sizeof(double));
    double now = dot(m->rest, m->conditioned, n);
    const double enough = 1e-4 * tolerance * tolerance * now;
    while (now > enough) {
        apply(m, m->direction, m->response);
        const double length = now / dot(m->direction, m->response, n);
        add(m->velocity, length, m->direction, n);
        add(m->rest, -length, m->response, n);
        scale(m->conditioned, m->inverse, m->rest, n);
        const double next = dot(m->rest, m->conditioned, n);
        turn(m->direction, next / now, m->conditioned, n);
        now = next;
    }
}

/* ---- The balance of stresses ---- */

/* Glen's law. */
PROCEDURE void soften(model *m) {
    for (size_t c = 0; c < m->cells; c++) {
        const double along = m->along[c], across = m->across[c], shear = m->shear[c];
        const double rate = along * along + across * across + along * across + 0.25 * shear * shear;
        m->stiffness[c] = 0.5 * HARDNESS * pow(rate + LEAST_RATE * LEAST_RATE, -1.0 / 3) * m->thickness[c];
    }
}

/* Computes the inverse of the matrix' diagonal; 0 where ice does not move: at the sides and the head of the valley. */
PROCEDURE void precondition(model *m) {
    double *inverse = m->inverse;
    memcpy(inverse, m->drag, 2 * m->nodes * sizeof(double));
    for (int part = 0; part < 2; part++, inverse += m->nodes) {
        for (int j = 0; j < m->rows; j++)
            for (int i = 0; i < m->columns; i++) {
                const int n = j * m->wide + i;
                const double share = 1.25 * m->stiffness[j * m->columns + i];
                inverse[n] += share;
                inverse[n + 1] += share;
                inverse[n + m->wide] += share;
                inverse[n + m->wide + 1] += share;
            }
        for (int j = 0; j <= m->rows; j++)
            for (int i = 0; i <= m->columns; i++) {
                const int n = j * m->wide + i;
                inverse[n] = i == 0 || j == 0 || j == m->rows ? 0 : 1 / inverse[n];
            }
    }
}

/* One iteration of the fixed point: computes new velocities from the current ones. */
PROCEDURE void iterate(void *context) {
    model *m = context;
    memcpy(m->before, m->velocity, 2 * m->nodes * sizeof(double));
    strain_rates(m, m->velocity);
    soften(m);
    precondition(m);
    solve(m);
    m->change = sqrt(distance(m->velocity, m->before, 2 * m->nodes) / dot(m->velocity, m->velocity, 2 * m->nodes));
}

PROCEDURE void balance(model *m) {
    const verso_fixed_point_options options = {.size = sizeof(verso_fixed_point_options), .tolerance = tolerance};
    if (phases < 2) {
        do
            iterate(m);
        while (m->change > tolerance);
    } else if (verso_fixed_point(iterate, m, m->velocity, 2 * m->nodes, &options) == 0) {
        fprintf(stderr, "the balance of stresses does not converge\n");
        exit(1);
    }
}

/* ---- A step ---- */

PROCEDURE void find_surface(model *m) {
    for (size_t c = 0; c < m->cells; c++)
        m->surface[c] = m->bed[c] + m->thickness[c];
}

/* Distributes the driving stress of each cell to its corners. */
PROCEDURE void drive(model *m) {
    const int w = m->wide, columns = m->columns;
    memset(m->force, 0, 2 * m->nodes * sizeof(double));
    for (int j = 0; j < m->rows; j++)
        for (int i = 0; i < columns; i++) {
            const int c = j * columns + i, n = j * w + i;
            const int left = i > 0 ? c - 1 : c, right = i < columns - 1 ? c + 1 : c;
            const int below = j > 0 ? c - columns : c, above = j < m->rows - 1 ? c + columns : c;
            const double share = -0.25 * WEIGHT * m->thickness[c] * m->side;
            const double along = share * (m->surface[right] - m->surface[left]) / (right - left);
            const double across = share * (m->surface[above] - m->surface[below]) / ((above - below) / columns);
            const int corners[] = {n, n + 1, n + w, n + w + 1};
            for (int k = 0; k < 4; k++) {
                m->force[corners[k]] += along;
                m->force[m->nodes + (size_t)corners[k]] += across;
            }
        }
}

/* Upwind flux through the cells' sides along the valley. No ice flows in at the head; at the end it flows out as if
 * the valley continued. */
PROCEDURE void carry_along(model *m) {
    for (int j = 0; j < m->rows; j++)
        for (int i = 0; i <= m->columns; i++) {
            const int n = j * m->wide + i, c = j * m->columns + i;
            const double speed = 0.5 * (m->velocity[n] + m->velocity[n + m->wide]);
            const double before = i > 0 ? m->thickness[c - 1] : 0, behind = i < m->columns ? m->thickness[c] : before;
            m->flux_along[n] = speed > 0 ? speed * before : speed * behind;
        }
}

PROCEDURE void carry_across(model *m) {
    const double *v = m->velocity + m->nodes;
    for (int j = 0; j <= m->rows; j++)
        for (int i = 0; i < m->columns; i++) {
            const int n = j * m->wide + i, c = j * m->columns + i;
            const double speed = 0.5 * (v[n] + v[n + 1]);
            const double before = j > 0 ? m->thickness[c - m->columns] : 0;
            const double behind = j < m->rows ? m->thickness[c] : before;
            m->flux_across[n] = speed > 0 ? speed * before : speed * behind;
        }
}

PROCEDURE void gather(model *m) {
    for (int j = 0; j < m->rows; j++)
        for (int i = 0; i < m->columns; i++) {
            const int n = j * m->wide + i;
            const double out =
                m->flux_along[n + 1] - m->flux_along[n] + m->flux_across[n + m->wide] - m->flux_across[n];
            m->thickness[j * m->columns + i] += TIME_STEP * (SNOW - out / m->side);
        }
}

PROCEDURE void move(model *m) {
    carry_along(m);
    carry_across(m);
    gather(m);
}

PROCEDURE void step(model *m) {
    find_surface(m);
    drive(m);
    balance(m);
    move(m);
}

/* ---- The run ---- */

/* Sets friction and bed from x; the thickness follows, because the initial surface is known. */
PROCEDURE void fill(model *m, const double *x) {
    for (int j = 0; j < m->rows; j++)
        for (int i = 0; i < m->columns; i++) {
            const int c = j * m->columns + i;
            m->friction[c] = x[c] * x[c];
            m->bed[c] = x[m->cells + (size_t)c];
            m->thickness[c] = 1.45 - 0.015 * (i + 0.5) * m->side - m->bed[c];
        }
}

PROCEDURE void spread_friction(model *m) {
    const int w = m->wide;
    for (int j = 0; j < m->rows; j++)
        for (int i = 0; i < m->columns; i++) {
            const int n = j * w + i, corners[] = {n, n + 1, n + w, n + w + 1};
            const double share = 0.25 * m->side * m->side * m->friction[j * m->columns + i];
            for (int k = 0; k < 4; k++)
                m->drag[corners[k]] += share;
        }
    memcpy(m->drag + m->nodes, m->drag, m->nodes * sizeof(double));
}

static model open_model(void) {
    model m = {.rows = (int)size, .columns = 2 * (int)size, .side = WIDTH / size};
    m.wide = m.columns + 1;
    m.cells = (size_t)m.rows * (size_t)m.columns;
    m.nodes = (size_t)(m.rows + 1) * (size_t)m.wide;
    double **in_cells[] = {&m.bed, &m.friction, &m.thickness, &m.surface, &m.along, &m.across, &m.shear, &m.stiffness};
    double **at_nodes[] = {&m.flux_along, &m.flux_across, &m.velocity,  &m.force,       &m.drag,    &m.inverse,
                           &m.before,     &m.rest,        &m.direction, &m.conditioned, &m.response};
    for (size_t i = 0; i < sizeof in_cells / sizeof *in_cells; i++)
        *in_cells[i] = study_allocate(m.cells, sizeof(double));
    for (size_t i = 0; i < sizeof at_nodes / sizeof *at_nodes; i++)
        *at_nodes[i] = study_allocate(2 * m.nodes, sizeof(double));
    return m;
}

static void close_model(model *m) {
    double *fields[] = {m->bed,       m->friction,   m->thickness,   m->surface,     m->along,   m->across, m->shear,
                        m->stiffness, m->flux_along, m->flux_across, m->velocity,    m->force,   m->drag,   m->inverse,
                        m->before,    m->rest,       m->direction,   m->conditioned, m->response};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        free(fields[i]);
}

PROCEDURE void run(model *m, const double *x) {
    fill(m, x);
    spread_friction(m);
    for (int n = 0; n < (int)steps; n++)
        step(m);
}

static double misfit(const double *x, size_t n) {
    (void)n;
    model m = open_model();
    run(&m, x);
    const double value = 0.5 * distance(m.velocity, observed_velocity, 2 * m.nodes) +
                         0.5 * distance(m.thickness, observed_thickness, m.cells);
    close_model(&m);
    return value;
}

/* ---- Observations and output ---- */

/* Sets x to a valley like half a pipe, with a slippery patch of strength `slippery`. */
static void lay_bed(double *x, double slippery) {
    const int rows = (int)size, columns = 2 * rows;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const double along = (i + 0.5) * WIDTH / size, across = 2 * (j + 0.5) / size - 1;
            const double away = (along - 20) * (along - 20) / 60 + 8 * across * across;
            x[j * columns + i] = 0.7 - slippery * exp(-away);
            x[(rows + j) * columns + i] = 1 - 0.015 * along + 0.3 * across * across - 0.3 * slippery * exp(-away);
        }
}

static void observe(const double *x) {
    model m = open_model();
    run(&m, x);
    memcpy(observed_velocity, m.velocity, 2 * m.nodes * sizeof(double));
    memcpy(observed_thickness, m.thickness, m.cells * sizeof(double));
    close_model(&m);
}

/* Returns the least time of several gradients. */
static double time_gradient(const double *x, double *gradient, size_t n, verso_native_report *report) {
    enum { TIMINGS = 3 };
    double least = INFINITY;
    for (int i = 0; i < TIMINGS; i++) {
        const double began = study_seconds();
        verso_error error;
        if (verso_gradient(misfit, x, n, gradient, NULL, report, &error) != VERSO_STATUS_OK) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        least = fmin(least, study_seconds() - began);
    }
    return least;
}

/* Computes the gradient with `count` phases and prints its cost, and its difference to `other` unless that is NULL. */
static void show_phases(int count, const double *x, double *gradient, const double *other, size_t n) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double apart = 0, largest = 0;
    phases = count;
    const double began = study_seconds(), value = misfit(x, n), plain = study_seconds() - began;
    const double seconds = time_gradient(x, gradient, n, &report);
    printf("%d phase%s %16.10g %9.3f s %9.3f s %14zu", count, count > 1 ? "s" : " ", value, plain, seconds,
           report.tape_bytes);
    for (size_t i = 0; other != NULL && i < n; i++) {
        apart = fmax(apart, fabs(gradient[i] - other[i]));
        largest = fmax(largest, fabs(other[i]));
    }
    printf(other != NULL ? "   %.1e\n" : "\n", apart / largest);
}

static void compare_phases(const double *x, size_t n) {
    double *one = study_allocate(n, sizeof *one), *two = study_allocate(n, sizeof *two);
    printf("%8s %16s %11s %11s %14s   %s\n", "", "value", "plain call", "gradient", "bytes", "apart");
    show_phases(1, x, one, NULL, n);
    show_phases(2, x, two, one, n);
    free(one);
    free(two);
}

int main(int argc, char **argv) {
    const study_option options[] = {{"--size", &size},
                                    {"--steps", &steps},
                                    {"--tolerance", &tolerance},
                                    {"--phases", &phases},
                                    {"--compare", &compare}};
    const study_task task = study_read(argc, argv, options, sizeof options / sizeof *options);
    const size_t cells = 2 * (size_t)size * (size_t)size, nodes = (2 * (size_t)size + 1) * ((size_t)size + 1);
    double *x = study_allocate(2 * cells, sizeof *x);
    observed_velocity = study_allocate(2 * nodes, sizeof(double));
    observed_thickness = study_allocate(cells, sizeof(double));
    lay_bed(x, 0.4);
    observe(x);
    lay_bed(x, 0);
    int status = 0;
    if (compare != 0)
        compare_phases(x, 2 * cells);
    else
        status = study(task, misfit, x, 2 * cells);
    free(x);
    free(observed_velocity);
    free(observed_thickness);
    return status;
}
