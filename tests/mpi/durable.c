/* A program for tests/mpi/mpi_durable.sh, which kills its ranks: many steps with messages of all kinds, on objects of
 * MPI that are made before the function that is differentiated. Prints a checksum of value and gradient. Argument:
 * number of steps. Each rank writes its process id to the file pid.RANK. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verso/native.h>

enum { WIDTH = 6, MOST = 40 };

static MPI_Comm ring, odd_even;
static MPI_Datatype column;
static MPI_Request persistent[2];
static double out[WIDTH], in[WIDTH];
static int rank, size, left, right, rows, steps;

static void open_ring(void) {
    int dims[1] = {size}, periods[1] = {1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Cart_shift(ring, 0, 1, &left, &right);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd_even);
    rows = 5 + rank % 3;
    MPI_Type_vector(rows, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Send_init(out, WIDTH, MPI_DOUBLE, right, 7, ring, &persistent[0]);
    MPI_Recv_init(in, WIDTH, MPI_DOUBLE, left, 7, ring, &persistent[1]);
}

/* Shifts numbers around the ring, in a way that depends on the step. */
static void shift(double (*u)[WIDTH], int step) {
    MPI_Request requests[2];
    MPI_Status status;
    int which;
    switch (step % 4) {
    case 0:
        for (int i = 0; i < WIDTH; i++)
            out[i] = u[0][i];
        MPI_Startall(2, persistent);
        MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
        break;
    case 1: MPI_Sendrecv(u[1], WIDTH, MPI_DOUBLE, right, 1, in, WIDTH, MPI_DOUBLE, left, 1, ring, &status); break;
    case 2:
        MPI_Irecv(in, WIDTH, MPI_DOUBLE, MPI_ANY_SOURCE, step % 3, ring, &requests[0]);
        MPI_Isend(u[2], WIDTH, MPI_DOUBLE, left, step % 3, ring, &requests[1]);
        MPI_Waitany(2, requests, &which, &status);
        MPI_Wait(&requests[1 - which], MPI_STATUS_IGNORE);
        break;
    default:
        memcpy(in, u[3], sizeof in);
        MPI_Sendrecv_replace(in, WIDTH, MPI_DOUBLE, left, 2, right, 2, ring, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < WIDTH; i++)
        u[step % rows][i] += 0.1 * sin(in[i]);
}

/* Gathers a column of each rank's numbers at one of them. */
static double gather(double (*u)[WIDTH], int step) {
    static double all[MOST];
    int root = step % size, counts[8], places[8], length = 0;
    for (int i = 0; i < size; i++) {
        counts[i] = 5 + i % 3;
        places[i] = length;
        length += counts[i];
    }
    MPI_Gatherv(&u[0][step % WIDTH], 1, column, all, counts, places, MPI_DOUBLE, root, MPI_COMM_WORLD);
    double sum = 0;
    for (int i = 0; i < length && rank == root; i++)
        sum += all[i] * all[i];
    MPI_Bcast(&sum, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
    return sum;
}

static double f(const double *x, size_t n) {
    double u[8][WIDTH] = {{0}}, value = 0, mean, all;
    for (size_t i = 0; i < n; i++)
        u[i / WIDTH][i % WIDTH] = x[i];
    for (int step = 0; step < steps; step++) {
        shift(u, step);
        if (step % 5 == 0) {
            double mine = 0;
            for (int i = 0; i < rows; i++)
                mine += u[i][step % WIDTH];
            MPI_Allreduce(&mine, &mean, 1, MPI_DOUBLE, MPI_SUM, odd_even);
            u[step % rows][0] = 0.9 * u[step % rows][0] + 0.01 * tanh(mean);
        }
        if (step % 7 == 0)
            value += 1e-3 * gather(u, step);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < WIDTH; j++)
                u[i][j] = 0.97 * u[i][j] + 0.03 * cos(u[i][(j + 1) % WIDTH] * (1 + 0.1 * rank));
    }
    for (int i = 0; i < rows; i++)
        value += u[i][i % WIDTH] * u[i][(i + 1) % WIDTH];
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static unsigned long long mix(unsigned long long sum, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned long long bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211ULL;
    }
    return sum;
}

int main(int argc, char **argv) {
    static double x[8 * WIDTH], gradient[8 * WIDTH];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof name, "pid.%d", rank);
    FILE *file = fopen(name, "w");
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    open_ring();
    steps = argc > 1 ? atoi(argv[1]) : 1000;
    size_t n = (size_t)rows * WIDTH;
    for (size_t i = 0; i < n; i++)
        x[i] = sin(0.3 * (double)i + rank);
    verso_status status = verso_gradient(f, x, n, gradient, NULL, &report, &error);
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "rank %d: %s\n", rank, error.message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    unsigned long long sum = mix(mix(14695981039346656037ULL, gradient, n), &report.value, 1), all;
    MPI_Reduce(&sum, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %016llx\n", all);
    MPI_Finalize();
    return 0;
}
