/* Blocking messages between two ranks, of all kinds. */
#include "harness.h"

enum { N = 6 };

static int right(void) {
    return (rank + 1) % size;
}

static int left(void) {
    return (rank + size - 1) % size;
}

/* Every even rank sends first. */
static double ring(const double *a, size_t k) {
    double got[N] = {0}, mine[N];
    (void)k;
    for (int i = 0; i < N; i++)
        mine[i] = a[i] * a[i] + a[0];
    for (int turn = 0; turn < 3 && size > 1; turn++) {
        if (rank % 2 == 0) {
            MPI_Ssend(mine, N, MPI_DOUBLE, right(), turn, MPI_COMM_WORLD);
            MPI_Recv(got, N, MPI_DOUBLE, left(), turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(got, N, MPI_DOUBLE, left(), turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(mine, N, MPI_DOUBLE, right(), turn, MPI_COMM_WORLD);
        }
        for (int i = 0; i < N; i++)
            mine[i] = sin(got[i]) + 0.5 * mine[i] * got[(i + 1) % N];
    }
    return mix(mine, N);
}

static double exchange(const double *a, size_t k) {
    double u[N + 2], v[N + 2] = {0};
    (void)k;
    memcpy(u + 1, a, N * sizeof *a);
    int l = rank > 0 ? rank - 1 : MPI_PROC_NULL, r = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    u[0] = u[N + 1] = 0.5;
    for (int t = 0; t < 20; t++) {
        MPI_Sendrecv(&u[N], 1, MPI_DOUBLE, r, 0, &u[0], 1, MPI_DOUBLE, l, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, l, 1, &u[N + 1], 1, MPI_DOUBLE, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i <= N; i++)
            v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) + 0.01 * u[i] * u[i];
        memcpy(u + 1, v + 1, N * sizeof *u);
    }
    return mix(u + 1, N);
}

static double replace(const double *a, size_t k) {
    double u[N];
    (void)k;
    memcpy(u, a, sizeof u);
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < N; i++)
            u[i] = u[i] * u[i] * 0.5 + 0.1;
        MPI_Sendrecv_replace(u, N, MPI_DOUBLE, right(), t, left(), t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return mix(u, N);
}

/* Rank 0 receives from anyone, in any order, messages of unknown length, and answers. */
static double anyone(const double *a, size_t k) {
    double sum = mix(a, k), answer = 0;
    if (rank > 0) {
        MPI_Send(a, rank % N + 1, MPI_DOUBLE, 0, 10 + rank, MPI_COMM_WORLD);
        MPI_Recv(&answer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD); /* the next run's messages would match */
        return sum * answer;
    }
    double all[MOST] = {0};
    for (int i = 1; i < size; i++) {
        double got[N];
        MPI_Status status;
        int count;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        MPI_Recv(got, N, MPI_DOUBLE, status.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        for (int j = 0; j < count; j++)
            all[status.MPI_SOURCE] += got[j] * a[j] * got[0];
    }
    for (int i = 1; i < size; i++)
        MPI_Send(&all[i], 1, MPI_DOUBLE, i, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

/* Tags are received in another order than they were sent. */
static double crossed(const double *a, size_t k) {
    double b[3] = {a[0] * a[1], a[1] * a[2], a[2] * a[0]}, c[3] = {0}, pad[2000];
    (void)k;
    for (int i = 0; i < 3; i++)
        MPI_Bsend(&b[i], 1, MPI_DOUBLE, right(), i, MPI_COMM_WORLD);
    for (int i = 2; i >= 0; i--)
        MPI_Recv(&c[i], 1, MPI_DOUBLE, left(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2000; i++)
        pad[i] = c[i % 3] * sin(0.01 * i);
    return c[0] * c[1] + c[2] * pad[1999];
}

/* Numbers of other types. */
static double types(const double *a, size_t k) {
    long double l = a[3] * a[4], m;
    double _Complex z = a[0] + a[1] * 1.0i, q;
    int number = rank, got;
    struct {
        int i;
        double d[2];
    } s = {rank, {a[1], a[2] * a[3]}}, t;
    (void)k;
    MPI_Sendrecv(&l, 1, MPI_LONG_DOUBLE, right(), 0, &m, 1, MPI_LONG_DOUBLE, left(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&z, 1, MPI_C_DOUBLE_COMPLEX, right(), 0, &q, 1, MPI_C_DOUBLE_COMPLEX, left(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&number, 1, MPI_INT, right(), 0, &got, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&s, sizeof s, MPI_BYTE, right(), 0, &t, sizeof t, MPI_BYTE, left(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return (double)(m * m) + __real__(q * q) + __imag__(q * q) * (got + 1) + t.d[0] * t.d[1] + t.i;
}

int main(int argc, char **argv) {
    static char room[10000];
    begin(argc, argv);
    MPI_Buffer_attach(room, sizeof room);
    TEST(ring);
    TEST(exchange);
    TEST(replace);
    TEST(anyone);
    TEST(crossed);
    TEST(types);
    return finish();
}
