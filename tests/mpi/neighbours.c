/* Collective calls among neighbours, MPI_Alltoallw, messages that are matched first, and packing. */
#include "harness.h"

static MPI_Comm ring, graph;
static MPI_Datatype every_second;

/* With two ranks, each is the other's neighbour on both sides. */
static double ring_alltoall(const double *p, size_t count) {
    double from[4], to[4], sum = 0;
    for (int i = 0; i < 4; i++)
        from[i] = p[(size_t)i % count] * p[(size_t)(i + 1) % count];
    for (int step = 0; step < 3; step++) {
        MPI_Neighbor_alltoall(from, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, ring);
        for (int i = 0; i < 4; i++)
            from[i] = sin(to[i]) + 0.1 * from[i];
        sum += mix(to, 4);
    }
    return sum;
}

static double ring_allgather(const double *p, size_t count) {
    double to[4];
    (void)count;
    MPI_Neighbor_allgather(p, 2, MPI_DOUBLE, to, 1, every_second, ring);
    MPI_Neighbor_allgather(p + 1, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, ring);
    return mix(to, 4);
}

static double graph_varying(const double *p, size_t count) {
    double to[8] = {0}, more[8] = {0};
    int counts[2], places[2] = {5, 1}, ins, outs, weighted, lengths[2] = {2, 1}, from_places[2] = {0, 3};
    MPI_Dist_graph_neighbors_count(graph, &ins, &outs, &weighted);
    (void)count;
    counts[0] = counts[1] = 2;
    MPI_Neighbor_allgatherv(p, 2, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, graph);
    counts[0] = 2;
    counts[1] = 1;
    for (int i = 0; i < ins && i < 2; i++)
        counts[i] = i == 0 ? 2 : 1;
    MPI_Neighbor_alltoallv(p, lengths, from_places, MPI_DOUBLE, more, counts, places, MPI_DOUBLE, graph);
    return mix(to, 8) + mix(more, 8);
}

static double with_types(const double *p, size_t count) {
    double to[16] = {0};
    int counts[8], from_places[8], places[8];
    MPI_Datatype types[8], from_types[8];
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        from_places[i] = (int)((size_t)i % (count - 3) * sizeof(double));
        places[i] = (int)(3 * (size_t)i * sizeof(double));
        from_types[i] = types[i] = (rank + i) % 2 == 0 ? every_second : MPI_DOUBLE;
    }
    MPI_Alltoallw(p, counts, from_places, from_types, to, counts, places, types, MPI_COMM_WORLD);
    return mix(to, (size_t)(3 * size));
}

/* The ring's neighbours, with a type for each part. */
static double ring_types(const double *p, size_t count) {
    double to[8] = {0};
    int counts[2] = {2, 1}, ones[2] = {1, 2};
    MPI_Aint from_places[2] = {sizeof(double), 0}, places[2] = {0, 4 * sizeof(double)};
    MPI_Datatype types[2] = {MPI_DOUBLE, every_second}, into[2] = {every_second, MPI_DOUBLE};
    (void)count;
    MPI_Neighbor_alltoallw(p, counts, from_places, types, to, ones, places, into, graph);
    return mix(to, 8);
}

static double matched(const double *p, size_t count) {
    double got[MOST] = {0};
    MPI_Message message;
    MPI_Status status;
    MPI_Request request, receive;
    int length;
    MPI_Isend(p, (int)count, MPI_DOUBLE, (rank + 1) % size, 3, MPI_COMM_WORLD, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &length);
    MPI_Mrecv(got, length, MPI_DOUBLE, &message, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    double sum = mix(got, (size_t)length);
    MPI_Isend(got, 2, MPI_DOUBLE, (rank + 1) % size, 4, MPI_COMM_WORLD, &request);
    for (int found = 0; !found;)
        MPI_Improbe((rank + size - 1) % size, 4, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    double last[2];
    MPI_Imrecv(last, 2, MPI_DOUBLE, &message, &receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return sum + mix(last, 2);
}

static double packed(const double *p, size_t count) {
    char *out = malloc(400), *in = malloc(400);
    int position = 0, length = (int)count - 2, got_length;
    float single = (float)p[0], got_single;
    double got[MOST] = {0}, pair[2];
    MPI_Pack(&length, 1, MPI_INT, out, 400, &position, MPI_COMM_WORLD);
    MPI_Pack(p, length, MPI_DOUBLE, out, 400, &position, MPI_COMM_WORLD);
    MPI_Pack(&single, 1, MPI_FLOAT, out, 400, &position, MPI_COMM_WORLD);
    MPI_Pack(p, 1, every_second, out, 400, &position, MPI_COMM_WORLD);
    MPI_Sendrecv(out, position, MPI_PACKED, (rank + 1) % size, 5, in, 400, MPI_PACKED, (rank + size - 1) % size, 5,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    position = 0;
    MPI_Unpack(in, 400, &position, &got_length, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(in, 400, &position, got, got_length, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(in, 400, &position, &got_single, 1, MPI_FLOAT, MPI_COMM_WORLD);
    MPI_Unpack(in, 400, &position, pair, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    free(out);
    free(in);
    return mix(got, (size_t)got_length) + got_single * got_single + mix(pair, 2);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int dims[1] = {size}, periods[1] = {1}, sources[2], targets[2];
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    targets[0] = (rank + 1) % size;
    targets[1] = (rank + 2) % size;
    sources[0] = (rank + size - 1) % size;
    sources[1] = (rank + 2 * size - 2) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &every_second);
    MPI_Type_commit(&every_second);
    TEST(ring_alltoall);
    TEST(ring_allgather);
    TEST(graph_varying);
    TEST(with_types);
    TEST(ring_types);
    TEST(matched);
    TEST(packed);
    return finish();
}
