/* Heat in a plate whose conductivity depends on the temperature, on a grid that is divided among the ranks of an MPI
 * program in two dimensions, into blocks of unequal size. Each rank has its block with a border of one cell, the
 * halo, which it exchanges with its four neighbours in every step: rows as they are, columns as a derived datatype.
 * The result is the distance from a wanted temperature at the end, summed over all ranks.
 *
 * The solver contains no derivatives. main asks for the gradient by the first temperatures: each rank
 * gets that of its own block, and compares one number of it with a difference quotient.
 *
 *     OMPI_CC="verso cc" mpicc -O2 halo.c -o halo -lm
 *     mpirun -n 4 ./halo 60 50 200                        columns, rows, steps
 *     mpirun -n 2 ./halo 400 300 200 5                    the least times of 5 runs and gradients
 *     VERSO_MEMORY=32M mpirun -n 4 ./halo 600 500 2000    within a budget for each rank */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

/* ---- The solver ---- */

enum { NORTH, SOUTH, WEST, EAST, SIDES };

typedef struct plate {
    int columns, rows, steps;
    int first_column, first_row; /* of this rank's block */
    int width, height;           /* of the block, without the halo */
    int neighbour[SIDES];        /* MPI_PROC_NULL at the edge of the plate */
    MPI_Comm comm;
    MPI_Datatype column;
} plate;

static plate p;

/* Divides `count` cells among `parts`, the first ones larger, so that blocks are unequal. */
static void divide(int count, int parts, int part, int *first, int *length) {
    *first = *length = 0;
    for (int i = 0, left = count; i <= part; i++) {
        *first += *length;
        *length = i == parts - 1 ? left : left / (parts - i) + (parts - i > 1 ? left / 8 : 0);
        left -= *length;
    }
}

static void open_plate(int columns, int rows, int steps) {
    int size, rank, parts[2] = {0, 0}, periods[2] = {0, 0}, at[2];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, parts);
    MPI_Cart_create(MPI_COMM_WORLD, 2, parts, periods, 0, &p.comm);
    MPI_Comm_rank(p.comm, &rank);
    MPI_Cart_coords(p.comm, rank, 2, at);
    MPI_Cart_shift(p.comm, 0, 1, &p.neighbour[NORTH], &p.neighbour[SOUTH]);
    MPI_Cart_shift(p.comm, 1, 1, &p.neighbour[WEST], &p.neighbour[EAST]);
    p.columns = columns;
    p.rows = rows;
    p.steps = steps;
    divide(rows, parts[0], at[0], &p.first_row, &p.height);
    divide(columns, parts[1], at[1], &p.first_column, &p.width);
    MPI_Type_vector(p.height, 1, p.width + 2, MPI_DOUBLE, &p.column);
    MPI_Type_commit(&p.column);
}

static void exchange(double *u) {
    int w = p.width + 2, h = p.height;
    MPI_Request request[2 * SIDES];
    MPI_Irecv(&u[1], p.width, MPI_DOUBLE, p.neighbour[NORTH], SOUTH, p.comm, &request[0]);
    MPI_Irecv(&u[(h + 1) * w + 1], p.width, MPI_DOUBLE, p.neighbour[SOUTH], NORTH, p.comm, &request[1]);
    MPI_Irecv(&u[w], 1, p.column, p.neighbour[WEST], EAST, p.comm, &request[2]);
    MPI_Irecv(&u[w + p.width + 1], 1, p.column, p.neighbour[EAST], WEST, p.comm, &request[3]);
    MPI_Isend(&u[w + 1], p.width, MPI_DOUBLE, p.neighbour[NORTH], NORTH, p.comm, &request[4]);
    MPI_Isend(&u[h * w + 1], p.width, MPI_DOUBLE, p.neighbour[SOUTH], SOUTH, p.comm, &request[5]);
    MPI_Isend(&u[w + 1], 1, p.column, p.neighbour[WEST], WEST, p.comm, &request[6]);
    MPI_Isend(&u[w + p.width], 1, p.column, p.neighbour[EAST], EAST, p.comm, &request[7]);
    MPI_Waitall(2 * SIDES, request, MPI_STATUSES_IGNORE);
}

static double flux(double a, double b) {
    double mean = (a + b) / 2;
    return (1 + 0.5 * mean * mean) * (b - a);
}

static void advance(const double *u, double *v) {
    int w = p.width + 2;
    for (int j = 1; j <= p.height; j++)
        for (int i = 1; i <= p.width; i++) {
            const double *c = &u[j * w + i];
            v[j * w + i] = c[0] + 0.12 * (flux(c[0], c[1]) + flux(c[0], c[-1]) + flux(c[0], c[w]) + flux(c[0], c[-w]));
        }
}

static double wanted(int column, int row) {
    return 0.5 + 0.3 * cos(6.0 * column / p.columns) * cos(4.0 * row / p.rows);
}

static double misfit(const double *start, size_t n) {
    int w = p.width + 2;
    size_t cells = (size_t)w * (size_t)(p.height + 2);
    double *u = calloc(cells, sizeof *u), *v = calloc(cells, sizeof *v), here = 0, all;
    (void)n;
    for (int j = 0; j < p.height; j++)
        memcpy(&u[(j + 1) * w + 1], &start[j * p.width], (size_t)p.width * sizeof *u);
    for (int t = 0; t < p.steps; t++) {
        exchange(u);
        advance(u, v);
        double *swap = u;
        u = v;
        v = swap;
    }
    for (int j = 1; j <= p.height; j++)
        for (int i = 1; i <= p.width; i++) {
            double d = u[j * w + i] - wanted(p.first_column + i, p.first_row + j);
            here += d * d;
        }
    MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, p.comm);
    free(u);
    free(v);
    return all;
}

/* ---- The gradient ---- */

/* Returns the difference quotient by the middle of rank `of`'s block, on all ranks. */
static double difference(double *x, size_t n, int rank, int of) {
    double h = 1e-5, values[2], *middle = &x[n / 2], before = *middle;
    for (int side = 0; side < 2; side++) {
        if (rank == of)
            *middle = before + (side == 0 ? h : -h);
        values[side] = misfit(x, n);
    }
    *middle = before;
    return (values[0] - values[1]) / (2 * h);
}

/* Returns a checksum of the bits of all ranks' gradients, in the order of ranks. */
static unsigned long long checksum(const double *gradient, size_t n, int size) {
    unsigned long long sum = 14695981039346656037ULL, own = sum;
    for (size_t i = 0; i < n; i++) {
        unsigned long long bits;
        memcpy(&bits, &gradient[i], sizeof bits);
        own = (own ^ bits) * 1099511628211ULL;
    }
    for (int i = 0; i < size; i++) {
        unsigned long long part = own;
        MPI_Bcast(&part, 1, MPI_UNSIGNED_LONG_LONG, i, MPI_COMM_WORLD);
        sum = (sum ^ part) * 1099511628211ULL;
    }
    return sum;
}

static void compare(double *x, size_t n, const double *gradient, int rank, int size) {
    for (int of = 0; of < size; of++) {
        double quotient = difference(x, n, rank, of);
        if (rank == of)
            printf("rank %d: %d x %d cells, derivative %.10g, by differences %.10g\n", rank, p.width, p.height,
                   gradient[n / 2], quotient);
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static double now(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* Computes the gradient `times` times, and sets the least times of a run and of a gradient. */
static verso_native_report differentiate(const double *x, size_t n, int rank, int times, double *gradient,
                                         double *plain, double *reverse) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    *plain = *reverse = INFINITY;
    for (int i = 0; i < times; i++) {
        double began = now();
        misfit(x, n);
        double middle = now();
        if (verso_gradient(misfit, x, n, gradient, NULL, &report, &error) != VERSO_STATUS_OK) {
            fprintf(stderr, "rank %d: %s\n", rank, error.message);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        *plain = fmin(*plain, middle - began);
        *reverse = fmin(*reverse, now() - middle);
    }
    return report;
}

int main(int argc, char **argv) {
    int rank, size, times = argc > 4 ? atoi(argv[4]) : 0;
    double plain, reverse;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    open_plate(argc > 1 ? atoi(argv[1]) : 60, argc > 2 ? atoi(argv[2]) : 50, argc > 3 ? atoi(argv[3]) : 200);
    size_t n = (size_t)p.width * (size_t)p.height;
    double *x = malloc(n * sizeof *x), *gradient = malloc(n * sizeof *gradient);
    for (size_t i = 0; i < n; i++)
        x[i] = sin(0.02 * (p.first_column + (int)(i % (size_t)p.width)) + 0.5) *
               cos(0.03 * (p.first_row + (int)(i / (size_t)p.width)));
    verso_native_report report = differentiate(x, n, rank, times > 0 ? times : 1, gradient, &plain, &reverse);
    if (times == 0)
        compare(x, n, gradient, rank, size);
    unsigned long long sum = checksum(gradient, n, size);
    if (rank == 0)
        printf("misfit %.12g, gradient %016llx, %.4g s for %.4g s of the solver, %.1f MB, %s\n", report.value, sum,
               reverse, plain, (double)report.peak_bytes / 1e6, report.schedule);
    free(x);
    free(gradient);
    MPI_Finalize();
    return 0;
}
