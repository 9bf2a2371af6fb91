/* The kernels of bench/openmp: parallel programs as people write them. main NAME prints the least seconds of a call,
 * the least seconds of a gradient, and the bytes of tape. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <verso/native.h>

enum { SIDE = 384, SIZE = 200, BODIES = 512, ROWS = 40000, ENTRIES = 9, PARTICLES = 60000, CELLS = 256 };
enum { INPUTS = SIDE * SIDE };

static double *copy_of(const double *x, size_t count) {
    double *copy = malloc(count * sizeof *copy);
    memcpy(copy, x, count * sizeof *copy);
    return copy;
}

static double squares(const double *y, size_t count) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += y[i] * y[i];
    return sum;
}

/* Reaction and diffusion on a square, explicit in time. */
static double stencil(const double *x, size_t n) {
    double *u = copy_of(x, n), *v = copy_of(x, n);
    for (int step = 0; step < 20; step++) {
#pragma omp parallel for
        for (int i = 1; i < SIDE - 1; i++)
            for (int j = 1; j < SIDE - 1; j++) {
                const double *at = &u[i * SIDE + j];
                v[i * SIDE + j] =
                    at[0] + 0.1 * (at[-SIDE] + at[SIDE] + at[-1] + at[1] - 4 * at[0]) - 0.01 * at[0] * at[0] * at[0];
            }
        double *swap = u;
        u = v;
        v = swap;
    }
    double sum = squares(u, n);
    free(u);
    free(v);
    return sum;
}

/* The product of two dense matrices. */
static double dense(const double *x, size_t n) {
    const double *a = x, *b = x + SIZE * SIZE;
    double *c = calloc(SIZE * SIZE, sizeof *c);
    (void)n;
#pragma omp parallel for
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++)
            for (int j = 0; j < SIZE; j++)
                c[i * SIZE + j] += a[i * SIZE + k] * b[k * SIZE + j];
    double sum = squares(c, SIZE * SIZE);
    free(c);
    return sum;
}

/* Bodies that attract each other. */
static double nbody(const double *x, size_t n) {
    double *p = copy_of(x, 3 * BODIES), *v = calloc(3 * BODIES, sizeof *v);
    (void)n;
    for (int step = 0; step < 4; step++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < BODIES; i++) {
            double force[3] = {0, 0, 0};
            for (int j = 0; j < BODIES; j++) {
                double d[3] = {p[3 * j] - p[3 * i], p[3 * j + 1] - p[3 * i + 1], p[3 * j + 2] - p[3 * i + 2]};
                double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01, weight = 1 / (square * sqrt(square));
                for (int k = 0; k < 3; k++)
                    force[k] += d[k] * weight;
            }
            for (int k = 0; k < 3; k++)
                v[3 * i + k] += 1e-3 * force[k];
        }
#pragma omp parallel for
        for (int i = 0; i < 3 * BODIES; i++)
            p[i] += 1e-3 * v[i];
    }
    double sum = squares(v, 3 * BODIES);
    free(p);
    free(v);
    return sum;
}

/* The power method with a sparse matrix of fixed columns. */
static double sparse(const double *x, size_t n) {
    int *column = malloc(sizeof *column * ROWS * ENTRIES);
    double *u = copy_of(x, ROWS), *v = copy_of(x, ROWS), sum = 0;
    (void)n;
    for (int i = 0; i < ROWS * ENTRIES; i++)
        column[i] = (i / ENTRIES + (i % ENTRIES - 4) * (i % 2 ? 1 : 137) + ROWS) % ROWS;
    for (int step = 0; step < 6; step++) {
        double norm = 0;
#pragma omp parallel for reduction(+ : norm)
        for (int i = 0; i < ROWS; i++) {
            double row = 0;
            for (int k = 0; k < ENTRIES; k++)
                row += x[(i + 31 * k) % ROWS] * u[column[i * ENTRIES + k]];
            v[i] = row;
            norm += row * row;
        }
        norm = 1 / sqrt(norm);
#pragma omp parallel for
        for (int i = 0; i < ROWS; i++)
            u[i] = v[i] * norm;
    }
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < ROWS; i++)
        sum += u[i] * x[i];
    free(column);
    free(u);
    free(v);
    return sum;
}

/* Particles that move in a field, and leave their charge in its cells. */
static double particle(const double *x, size_t n) {
    double *place = copy_of(x, PARTICLES), *speed = calloc(PARTICLES, sizeof *speed), charge[CELLS + 1] = {0};
    (void)n;
    for (int step = 0; step < 4; step++) {
        double field[CELLS + 1];
        for (int c = 0; c <= CELLS; c++)
            field[c] = 0.01 * (x[c] - 0.5) + 1e-6 * charge[c];
        memset(charge, 0, sizeof charge);
#pragma omp parallel for reduction(+ : charge)
        for (int i = 0; i < PARTICLES; i++) {
            double at = CELLS * (0.5 + 0.49 * sin(place[i]));
            int cell = (int)at;
            double share = at - cell;
            speed[i] += (1 - share) * field[cell] + share * field[cell + 1];
            place[i] += 0.1 * speed[i];
            charge[cell] += 1 - share;
            charge[cell + 1] += share;
        }
    }
    double sum = squares(charge, CELLS + 1) * 1e-4 + squares(speed, PARTICLES);
    free(place);
    free(speed);
    return sum;
}

/* ---- Measuring ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv) {
    static double (*const kernels[])(const double *, size_t) = {stencil, dense, nbody, sparse, particle};
    static const char *const names[] = {"stencil", "dense", "nbody", "sparse", "particle"};
    enum { KERNELS = sizeof kernels / sizeof *kernels, TIMES = 15 };
    double *x = malloc(INPUTS * sizeof *x), *gradient = malloc(INPUTS * sizeof *gradient);
    for (size_t i = 0; i < INPUTS; i++)
        x[i] = 0.5 + 0.4 * sin(1.3 * (double)i);
    for (size_t k = 0; k < KERNELS; k++) {
        if (argc != 2 || strcmp(argv[1], names[k]) != 0)
            continue;
        double primal = INFINITY, whole = INFINITY, value = 0;
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        verso_error error;
        for (int i = 0; i < TIMES; i++) {
            double began = now();
            value += kernels[k](x, INPUTS);
            primal = fmin(primal, now() - began);
            began = now();
            if (verso_gradient(kernels[k], x, INPUTS, gradient, NULL, &report, &error) != VERSO_STATUS_OK) {
                fprintf(stderr, "%s: %s\n", names[k], error.message);
                return 1;
            }
            whole = fmin(whole, now() - began);
        }
        if (!(fabs(value / TIMES - report.value) <= 1e-9 * fabs(report.value))) {
            fprintf(stderr, "%s: returns %.17g, and %.17g when recorded\n", names[k], value / TIMES, report.value);
            return 1;
        }
        printf("%.9f %.9f %zu\n", primal, whole, report.tape_bytes);
    }
    free(x);
    free(gradient);
    return 0;
}
