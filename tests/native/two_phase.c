/* at: 0.7,1.1,0.25,0.6,-0.4,0.9
 * large: random:24:0.2:0.9
 * noise: 1e-11
 * Fixed points with two-phase adjoints, in a loop over time: a linear one (Jacobi), and one that is not, whose step
 * calls procedures, takes memory of its own, has state across iterations of loops, and leaves something besides. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <verso/native.h>

#define PROCEDURE __attribute__((noinline)) static

static const verso_fixed_point_options exactly = {sizeof exactly, 1e-15, 1e-15, 500};

typedef struct model {
    const double *x;
    double *u, *next, *stiffness, energy;
    size_t n;
} model;

PROCEDURE double neighbours(const double *u, size_t i, size_t n) {
    return (i > 0 ? u[i - 1] : 0) + (i + 1 < n ? u[i + 1] : 0);
}

/* (4 + x) u - the neighbours = b */
static void jacobi(void *context) {
    model *m = context;
    double *next = malloc(m->n * sizeof *next);
    for (size_t i = 0; i < m->n; i++)
        next[i] = (m->stiffness[i] + neighbours(m->u, i, m->n)) / (4 + m->x[i]);
    for (size_t i = 0; i < m->n; i++)
        m->u[i] = next[i];
    free(next);
}

PROCEDURE void soften(model *m) {
    for (size_t i = 0; i < m->n; i++)
        m->stiffness[i] = 1 / sqrt(1 + m->u[i] * m->u[i]);
}

PROCEDURE void relax(model *m) {
    for (int sweeps = 0; sweeps < 2; sweeps++)
        for (size_t i = 0; i < m->n; i++)
            m->u[i] = 0.25 * (m->x[i] + neighbours(m->u, i, m->n)) * m->stiffness[i] + 0.1 * sin(m->u[i]);
}

static void balance(void *context) {
    model *m = context;
    soften(m);
    relax(m);
    m->energy = 0;
    for (size_t i = 0; i < m->n; i++)
        m->energy += m->u[i] * m->u[i] * m->stiffness[i];
}

PROCEDURE double advance(model *m) {
    if (verso_fixed_point(balance, m, m->u, m->n, &exactly) == 0)
        return NAN;
    double energy = m->energy;
    for (size_t i = 0; i < m->n; i++)
        m->stiffness[i] *= m->u[i] + m->next[i];
    /* From somewhere else, which does not matter. */
    for (size_t i = 0; i < m->n; i++)
        m->u[i] = m->x[i] * m->x[i];
    if (verso_fixed_point(jacobi, m, m->u, m->n, &(verso_fixed_point_options){sizeof exactly, 1e-15, 1e-15, 0}) == 0)
        return NAN;
    for (size_t i = 0; i < m->n; i++)
        m->next[i] += 0.1 * m->u[i];
    return energy;
}

double f(const double *x, size_t n) {
    double sum = 0;
    model m = {.x = x, .n = n};
    m.u = calloc(n, sizeof(double));
    m.next = calloc(n, sizeof(double));
    m.stiffness = calloc(n, sizeof(double));
    for (int step = 0; step < 5; step++)
        sum += advance(&m);
    for (size_t i = 0; i < n; i++)
        sum += m.next[i] * m.u[i] * (1 + 0.1 * (double)i);
    free(m.u);
    free(m.next);
    free(m.stiffness);
    return sum;
}
