/* Nonblocking collective calls, completed in other orders than begun. */
#include "harness.h"

enum { N = 6, P = 8 };

static double moving(const double *a, size_t k) {
    double b[N], c[2 * P] = {0}, d[2 * P] = {0}, e[2] = {0}, g[2 * P], h[2 * P] = {0}, own[2] = {a[0] * a[1], a[2]};
    int counts[P], places[P];
    double v[3 * P] = {0}, r[3 * P] = {0}, some[2] = {0};
    MPI_Request q[9];
    (void)k;
    for (int i = 0; i < N; i++)
        b[i] = rank == 0 ? a[i] * a[(i + 1) % N] : 0;
    for (int i = 0; i < 2 * P; i++)
        g[i] = a[i % N] * (1 + 0.1 * i);
    for (int i = 0; i < size; i++) {
        counts[i] = i % 3;
        places[i] = 3 * i;
    }
    MPI_Ibcast(b, N, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q[0]);
    MPI_Iallgather(own, 2, MPI_DOUBLE, c, 2, MPI_DOUBLE, MPI_COMM_WORLD, &q[1]);
    MPI_Igather(own, 2, MPI_DOUBLE, d, 2, MPI_DOUBLE, size - 1, MPI_COMM_WORLD, &q[2]);
    MPI_Iscatter(g, 2, MPI_DOUBLE, e, 2, MPI_DOUBLE, size - 1, MPI_COMM_WORLD, &q[3]);
    MPI_Ialltoall(g, 2, MPI_DOUBLE, h, 2, MPI_DOUBLE, MPI_COMM_WORLD, &q[4]);
    MPI_Iallgatherv(a, counts[rank], MPI_DOUBLE, v, counts, places, MPI_DOUBLE, MPI_COMM_WORLD, &q[5]);
    MPI_Igatherv(a + 1, counts[rank], MPI_DOUBLE, r, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q[6]);
    MPI_Iscatterv(g, counts, places, MPI_DOUBLE, some, counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD, &q[7]);
    MPI_Ibarrier(MPI_COMM_WORLD, &q[8]);
    MPI_Wait(&q[4], MPI_STATUS_IGNORE);
    double sum = mix(h, 2 * (size_t)size);
    MPI_Wait(&q[1], MPI_STATUS_IGNORE);
    sum += mix(c, 2 * (size_t)size);
    MPI_Waitall(9, q, MPI_STATUSES_IGNORE);
    return sum + mix(b, N) * e[0] + mix(d, 2 * (size_t)size) + e[1] * e[1] + mix(v, 3 * P) + mix(r, 3 * P) +
           some[0] * some[1];
}

static double reducing(const double *a, size_t k) {
    double b[N], c[N] = {0}, d[N] = {0}, e[N] = {0}, g[N] = {0}, h[2] = {0}, all[2 * P], in_place[N];
    int counts[P], flag = rank, most = 0;
    MPI_Request q[8];
    (void)k;
    for (int i = 0; i < N; i++)
        in_place[i] = b[i] = sin(a[i]) * a[0];
    for (int i = 0; i < 2 * P; i++)
        all[i] = a[i % N] * a[(i + 1) % N];
    for (int i = 0; i < size; i++)
        counts[i] = (i + 1) % 3;
    double parts[3] = {0};
    MPI_Iallreduce(b, c, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[0]);
    MPI_Ireduce(b, d, N, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD, &q[1]);
    MPI_Iscan(b, e, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[2]);
    MPI_Iexscan(b, g, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[3]);
    MPI_Ireduce_scatter_block(all, h, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[4]);
    MPI_Ireduce_scatter(all, parts, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[5]);
    MPI_Iallreduce(&flag, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &q[6]);
    MPI_Iallreduce(MPI_IN_PLACE, in_place, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[7]);
    for (int left = 8; left > 0; left--) {
        int index;
        MPI_Waitany(8, q, &index, MPI_STATUS_IGNORE);
    }
    return mix(c, N) + mix(d, N) + mix(e, N) + mix(g, N) + mix(h, 2) * (1 + most) + mix(parts, 3) + mix(in_place, N);
}

/* A broadcast that is begun before the message that it depends on, on another rank. */
static double overlapped(const double *a, size_t k) {
    double b = a[0] * a[1], c = 0;
    MPI_Request q;
    (void)k;
    if (size == 1)
        return b;
    if (rank == 0) {
        MPI_Ibcast(&c, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD, &q);
        MPI_Send(&b, 1, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
    } else {
        if (rank == 1) {
            MPI_Recv(&b, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            c = b * a[2];
        }
        MPI_Ibcast(&c, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD, &q);
    }
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    return c * c * a[3];
}

int main(int argc, char **argv) {
    begin(argc, argv);
    TEST(moving);
    TEST(reducing);
    TEST(overlapped);
    return finish();
}
