/* Collective calls: blocking, in place, of unequal parts; reductions by all operations. */
#include "harness.h"

enum { N = 6, P = 8 }; /* P: the most ranks */

static double bcast(const double *a, size_t k) {
    double b[N], sum = 0;
    (void)k;
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < N; i++)
            b[i] = rank == root ? a[i] * a[(i + 1) % N] + sum : -7;
        MPI_Bcast(b, N, MPI_DOUBLE, root, MPI_COMM_WORLD);
        sum += mix(b, N);
    }
    return sum;
}

static double sums(const double *a, size_t k) {
    double b[N], c[N] = {0}, d[N], e[N] = {0};
    (void)k;
    for (int i = 0; i < N; i++)
        b[i] = sin(a[i]) * a[0];
    MPI_Allreduce(b, d, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(d, c, N, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, b, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : b, b, N, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Scan(b, e, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(MPI_IN_PLACE, b, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return mix(b, N) + mix(c, N) + mix(d, N) + mix(e, N);
}

static double by_operation(const double *a, MPI_Op op) {
    double b[N], c[N] = {0}, d[N], e[N], g[N] = {0};
    for (int i = 0; i < N; i++)
        b[i] = 1 + 0.3 * a[i] * a[(i + 1) % N];
    MPI_Allreduce(b, d, N, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Reduce(b, c, N, MPI_DOUBLE, op, size / 2, MPI_COMM_WORLD);
    MPI_Scan(b, e, N, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Exscan(b, g, N, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, b, N, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return mix(b, N) + mix(c, N) + mix(d, N) + mix(e, N) + mix(g, N);
}

static double products(const double *a, size_t k) {
    (void)k;
    return by_operation(a, MPI_PROD);
}

static double least(const double *a, size_t k) {
    (void)k;
    return by_operation(a, MPI_MIN);
}

static double greatest(const double *a, size_t k) {
    (void)k;
    return by_operation(a, MPI_MAX);
}

/* A product with a zero, and equal numbers on all ranks, which belong to the lowest one. */
static double ties(const double *a, size_t k) {
    double zero[2] = {rank == 0 ? a[0] - a[0] : a[0], a[1]}, product[2], same = 3 + (a[2] - a[2]) * a[2], most;
    (void)k;
    MPI_Allreduce(zero, product, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
    MPI_Allreduce(&same, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return product[0] + product[1] + most * a[3];
}

static double located(const double *a, size_t k) {
    struct {
        double value;
        int rank;
    } mine[2] = {{a[0] * a[1], rank}, {a[2], rank}}, least[2], most[2];
    int flags = 1 << rank, all, here;
    (void)k;
    MPI_Allreduce(mine, least, 2, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    MPI_Allreduce(mine, most, 2, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Allreduce(&flags, &all, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &here, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    double from = rank == most[0].rank ? a[3] : 0;
    MPI_Bcast(&from, 1, MPI_DOUBLE, most[0].rank, MPI_COMM_WORLD);
    return least[0].value * most[0].value + least[1].value * least[1].rank + most[1].value + from * all * here;
}

static double gathers(const double *a, size_t k) {
    double b[2] = {a[0] * a[1], a[2] * a[2]}, all[2 * P] = {0}, many[2 * P] = {0}, parts[P * P], one[1] = {0};
    int counts[P], places[P];
    (void)k;
    MPI_Allgather(b, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Gather(b, 2, MPI_DOUBLE, many, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double sum = mix(all, 2 * (size_t)size) + mix(many, 2 * (size_t)size);
    for (int i = 0; i < size * size; i++)
        parts[i] = rank == 0 ? many[i % (2 * size)] * i : 0;
    MPI_Scatter(parts, 1, MPI_DOUBLE, one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * size; i++)
        all[i] = i / 2 == rank ? a[i % N] * one[0] : 0;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    sum += mix(all, 2 * (size_t)size);
    for (int i = 0, at = 0; i < size; i++) {
        counts[i] = i % 3;
        places[i] = at;
        at += counts[i] + 1;
    }
    double v[4 * P] = {0}, w[4 * P] = {0}, own[2] = {0};
    MPI_Allgatherv(a, counts[rank], MPI_DOUBLE, v, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Gatherv(a, counts[rank], MPI_DOUBLE, w, counts, places, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
    MPI_Scatterv(w, counts, places, MPI_DOUBLE, own, counts[rank], MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
    return sum + mix(v, 4 * P) * own[0] + mix(w, 4 * P) + own[1] * own[1];
}

static double alltoalls(const double *a, size_t k) {
    double b[2 * P], c[2 * P] = {0}, d[3 * P] = {0}, e[3 * P] = {0};
    int out[P], out_at[P], in[P], in_at[P];
    (void)k;
    for (int i = 0; i < 2 * size; i++)
        b[i] = a[i % N] * a[0] + i;
    MPI_Alltoall(b, 2, MPI_DOUBLE, c, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        out[i] = (rank + i) % 3;
        in[i] = (rank + i) % 3;
        out_at[i] = in_at[i] = 3 * i;
        for (int j = 0; j < out[i]; j++)
            d[3 * i + j] = c[(i + j) % (2 * size)] * a[1];
    }
    MPI_Alltoallv(d, out, out_at, MPI_DOUBLE, e, in, in_at, MPI_DOUBLE, MPI_COMM_WORLD);
    return mix(b, 2 * (size_t)size) + mix(c, 2 * (size_t)size) + mix(e, 3 * (size_t)size);
}

static double scattered(const double *a, size_t k) {
    double b[2 * P], c[2] = {0}, d[2 * P] = {0}, e[2] = {0};
    int counts[P], total = 0;
    (void)k;
    for (int i = 0; i < size; i++)
        total += counts[i] = (i + 1) % 3;
    for (int i = 0; i < 2 * P; i++)
        b[i] = 1 + 0.1 * a[i % N] * i;
    MPI_Reduce_scatter_block(b, c, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(b, d, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(b, e, counts, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
    double sum = mix(c, 2) + mix(d, 2) + mix(e, 2);
    MPI_Reduce_scatter_block(b, c, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return sum * (1 + mix(c, 2)) + total;
}

/* Many steps, so that budgets take effect. */
static double steps(const double *a, size_t k) {
    double u[MOST], all = 0, norm = 1;
    memcpy(u, a, k * sizeof *u);
    for (int t = 0; t < 60; t++) {
        double here = 0;
        for (size_t i = 0; i < k; i++) {
            u[i] += 0.05 * sin(u[(i + 1) % k]) / norm;
            here += u[i] * u[i];
        }
        MPI_Allreduce(&here, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        all += sqrt(norm);
    }
    return all;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    TEST(bcast);
    TEST(sums);
    TEST(products);
    TEST(least);
    TEST(greatest);
    TEST(ties);
    TEST(located);
    TEST(gathers);
    TEST(alltoalls);
    TEST(scattered);
    TEST(steps);
    return finish();
}
