/* Nonblocking and persistent messages, derived datatypes, communicators that the program makes. */
#include "harness.h"

enum { N = 6, P = 8 };

static MPI_Comm line, half;
static MPI_Request ready[4];
static double cells[N + 2];

static int right(void) {
    return (rank + 1) % size;
}

static int left(void) {
    return (rank + size - 1) % size;
}

static void advance(double *u) {
    double v[N + 2];
    for (int i = 1; i <= N; i++)
        v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) + 0.02 * u[i] * u[i];
    memcpy(u + 1, v + 1, N * sizeof *u);
}

static double halo(const double *a, size_t k) {
    double *u = malloc((N + 2) * sizeof *u);
    (void)k;
    memcpy(u + 1, a, N * sizeof *a);
    u[0] = u[N + 1] = 0.2;
    int l = rank > 0 ? rank - 1 : MPI_PROC_NULL, r = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int t = 0; t < 15; t++) {
        MPI_Request q[4];
        MPI_Status s[4];
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, l, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Irecv(&u[N + 1], 1, MPI_DOUBLE, r, 1, MPI_COMM_WORLD, &q[1]);
        MPI_Isend(&u[N], 1, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &q[2]);
        MPI_Issend(&u[1], 1, MPI_DOUBLE, l, 1, MPI_COMM_WORLD, &q[3]);
        MPI_Waitall(4, q, s);
        advance(u);
    }
    double sum = mix(u, N + 2);
    free(u);
    return sum;
}

/* Completed in another order than posted, by other calls. */
static double orders(const double *a, size_t k) {
    double b[4] = {a[0] * a[1], a[1] * a[2], a[2] * a[3], a[4] * a[4]}, c[4] = {0};
    MPI_Request q[8];
    (void)k;
    for (int i = 0; i < 4; i++)
        MPI_Irecv(&c[i], 1, MPI_DOUBLE, left(), 7, MPI_COMM_WORLD, &q[i]);
    for (int i = 0; i < 4; i++)
        MPI_Isend(&b[i], 1, MPI_DOUBLE, right(), 7, MPI_COMM_WORLD, &q[4 + i]);
    MPI_Wait(&q[2], MPI_STATUS_IGNORE);
    double sum = c[2] * c[2];
    for (int done = 0; !done;)
        MPI_Test(&q[0], &done, MPI_STATUS_IGNORE);
    sum += c[0] * sum;
    for (int left_over = 6; left_over > 0;) {
        int index[8], count;
        MPI_Status status[8];
        if (left_over % 2 == 0) {
            MPI_Waitany(8, q, index, status);
            count = 1;
        } else
            MPI_Waitsome(8, q, &count, index, status);
        left_over -= count;
    }
    return sum + c[1] * c[3] * sin(c[1]);
}

/* Receives from anyone, several of which have the same source and tag. */
static double anyone(const double *a, size_t k) {
    double got[2 * P] = {0}, b[2] = {a[0] * a[1], a[2] * a[2]}, from[P] = {0}, sum = 0;
    int source[2 * P];
    MPI_Request q[2 * P], s[2];
    (void)k;
    for (int i = 0; i < 2 * (size - 1) && rank == 0; i++)
        MPI_Irecv(&got[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &q[i]);
    for (int i = 0; i < 2 && rank > 0; i++)
        MPI_Isend(&b[i], 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, &s[i]);
    for (int i = 0; i < 2 * (size - 1) && rank == 0; i++) {
        int index;
        MPI_Status status;
        MPI_Waitany(2 * (size - 1), q, &index, &status);
        source[index] = status.MPI_SOURCE;
    }
    for (int i = 0; i < 2 * (size - 1) && rank == 0; i++)
        from[source[i]] = from[source[i]] * 0.5 + got[i] * got[i];
    for (int i = 1; i < size; i++)
        sum += from[i] * i;
    if (rank > 0)
        MPI_Waitall(2, s, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD); /* the next run's messages would match */
    return sum + mix(a, N);
}

/* Requests made by main, and requests made here. */
static double persistent(const double *a, size_t k) {
    MPI_Request mine[2];
    double extra[2] = {0, 0};
    (void)k;
    memcpy(cells + 1, a, N * sizeof *a);
    cells[0] = cells[N + 1] = 0;
    MPI_Send_init(&cells[2], 1, MPI_DOUBLE, right(), 9, MPI_COMM_WORLD, &mine[0]);
    MPI_Recv_init(&extra[0], 1, MPI_DOUBLE, left(), 9, MPI_COMM_WORLD, &mine[1]);
    for (int t = 0; t < 12; t++) {
        MPI_Startall(4, ready);
        MPI_Start(&mine[1]);
        MPI_Start(&mine[0]);
        MPI_Waitall(4, ready, MPI_STATUSES_IGNORE);
        MPI_Waitall(2, mine, MPI_STATUSES_IGNORE);
        advance(cells);
        cells[3] += 0.01 * extra[0] * cells[1];
    }
    MPI_Request_free(&mine[0]);
    MPI_Request_free(&mine[1]);
    return mix(cells, N + 2);
}

struct body {
    int id;
    double at[3];
    float unused;
    double mass;
};

static double datatypes(const double *a, size_t k) {
    double grid[5][4], other[5][4] = {{0}}, sum = 0;
    MPI_Datatype column, block, some, wide, body;
    (void)k;
    for (int i = 0; i < 20; i++)
        grid[i / 4][i % 4] = a[i % N] * (1 + 0.1 * i);
    MPI_Type_vector(5, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_create_subarray(2, (int[]){5, 4}, (int[]){2, 3}, (int[]){1, 1}, MPI_ORDER_C, MPI_DOUBLE, &block);
    MPI_Type_indexed(3, (int[]){1, 2, 1}, (int[]){0, 5, 11}, MPI_DOUBLE, &some);
    MPI_Type_create_resized(column, 0, sizeof(double), &wide);
    MPI_Type_commit(&column);
    MPI_Type_commit(&block);
    MPI_Type_commit(&some);
    MPI_Type_commit(&wide);
    MPI_Sendrecv(&grid[0][3], 1, column, right(), 0, &other[0][0], 1, column, left(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    sum += mix(&other[0][0], 20);
    MPI_Sendrecv(grid, 1, block, right(), 0, other, 1, block, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += mix(&other[0][0], 20);
    MPI_Sendrecv(grid, 1, some, right(), 0, &other[1][1], 4, MPI_DOUBLE, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += mix(&other[0][0], 20);
    MPI_Bcast(grid, 2, wide, 0, MPI_COMM_WORLD);
    sum += mix(&grid[0][0], 20);
    struct body one = {rank, {a[0], a[1] * a[2], a[3]}, 0, a[4] * a[5]}, got = {0};
    MPI_Aint start, places[3];
    MPI_Get_address(&one, &start);
    MPI_Get_address(&one.id, &places[0]);
    MPI_Get_address(&one.at, &places[1]);
    MPI_Get_address(&one.mass, &places[2]);
    for (int i = 0; i < 3; i++)
        places[i] -= start;
    MPI_Type_create_struct(3, (int[]){1, 3, 1}, places, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_DOUBLE}, &body);
    MPI_Type_commit(&body);
    MPI_Request q[2];
    MPI_Irecv(&got, 1, body, left(), 1, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(&one, 1, body, right(), 1, MPI_COMM_WORLD, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
    MPI_Type_free(&block);
    MPI_Type_free(&some);
    MPI_Type_free(&wide);
    MPI_Type_free(&body);
    return sum + got.mass * got.at[0] * got.at[1] + got.at[2] * got.id;
}

static double communicators(const double *a, size_t k) {
    MPI_Comm pair, copy, grid, row;
    double sum = 0, b = a[0] * a[1], c = 0;
    int where, dims[2] = {0, 0}, from, to;
    (void)k;
    MPI_Allreduce(&b, &c, 1, MPI_DOUBLE, MPI_SUM, half);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair);
    MPI_Comm_rank(pair, &where);
    double d = where == 0 ? c * a[2] : 0;
    MPI_Bcast(&d, 1, MPI_DOUBLE, 0, pair);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    /* The same ranks and tags on two communicators, crossed. */
    double e = d * a[3], f, g, h = a[4] * a[5];
    MPI_Request q[2];
    MPI_Irecv(&f, 1, MPI_DOUBLE, left(), 0, copy, &q[0]);
    MPI_Irecv(&g, 1, MPI_DOUBLE, left(), 0, MPI_COMM_WORLD, &q[1]);
    MPI_Send(&h, 1, MPI_DOUBLE, right(), 0, MPI_COMM_WORLD);
    MPI_Send(&e, 1, MPI_DOUBLE, right(), 0, copy);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    sum += f * g + f * f;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){1, 0}, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &from, &to);
    MPI_Sendrecv(&sum, 1, MPI_DOUBLE, to, 2, &g, 1, MPI_DOUBLE, from, 2, grid, MPI_STATUS_IGNORE);
    MPI_Cart_sub(grid, (int[]){0, 1}, &row);
    MPI_Allreduce(MPI_IN_PLACE, &g, 1, MPI_DOUBLE, MPI_MAX, row);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&pair);
    MPI_Comm_free(&copy);
    MPI_Sendrecv(&g, 1, MPI_DOUBLE, right(), 3, &b, 1, MPI_DOUBLE, left(), 3, line, MPI_STATUS_IGNORE);
    return sum * b + g;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &line);
    int l = rank > 0 ? rank - 1 : MPI_PROC_NULL, r = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Recv_init(&cells[0], 1, MPI_DOUBLE, l, 0, line, &ready[0]);
    MPI_Recv_init(&cells[N + 1], 1, MPI_DOUBLE, r, 1, line, &ready[1]);
    MPI_Send_init(&cells[N], 1, MPI_DOUBLE, r, 0, line, &ready[2]);
    MPI_Send_init(&cells[1], 1, MPI_DOUBLE, l, 1, line, &ready[3]);
    TEST(halo);
    TEST(orders);
    TEST(anyone);
    TEST(persistent);
    TEST(datatypes);
    TEST(communicators);
    return finish();
}
