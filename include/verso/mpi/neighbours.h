/* Collective calls among neighbours in a topology, and MPI_Alltoallw. */
#ifndef VERSO_MPI_NEIGHBOURS_H
#define VERSO_MPI_NEIGHBOURS_H

/* Where a rank's data come from and where they go to, in the order of MPI's buffers. `slots`: which of the sender's
 * targets each source is, because two ranks may be neighbours twice. */
typedef struct neighbours {
    int source_count, target_count;
    int *sources, *targets, *slots;
} neighbours;

static void list_cart(MPI_Comm comm, neighbours *n) {
    int dims;
    PMPI_Cartdim_get(comm, &dims);
    n->source_count = n->target_count = 2 * dims;
    n->sources = need(verso__alloc(2 * (size_t)dims + 1, sizeof(int)));
    n->targets = need(verso__alloc(2 * (size_t)dims + 1, sizeof(int)));
    for (int d = 0; d < dims; d++) {
        PMPI_Cart_shift(comm, d, 1, &n->sources[2 * d], &n->sources[2 * d + 1]);
        memcpy(&n->targets[2 * d], &n->sources[2 * d], 2 * sizeof(int));
    }
}

static void list_graph(MPI_Comm comm, neighbours *n) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &n->source_count);
    n->target_count = n->source_count;
    n->sources = need(verso__alloc((size_t)n->source_count + 1, sizeof(int)));
    n->targets = need(verso__alloc((size_t)n->source_count + 1, sizeof(int)));
    PMPI_Graph_neighbors(comm, rank, n->source_count, n->sources);
    memcpy(n->targets, n->sources, (size_t)n->source_count * sizeof(int));
}

static void list_dist_graph(MPI_Comm comm, neighbours *n) {
    int weighted;
    PMPI_Dist_graph_neighbors_count(comm, &n->source_count, &n->target_count, &weighted);
    int *weights = need(verso__alloc((size_t)(n->source_count + n->target_count) + 1, sizeof(int)));
    n->sources = need(verso__alloc((size_t)n->source_count + 1, sizeof(int)));
    n->targets = need(verso__alloc((size_t)n->target_count + 1, sizeof(int)));
    PMPI_Dist_graph_neighbors(comm, n->source_count, n->sources, weights, n->target_count, n->targets,
                              weights + n->source_count);
    verso__dealloc(weights);
}

typedef enum neighbour_kind { SAME_PARTS, PARTS, TYPED_PARTS } neighbour_kind;

/* Asks MPI which of a sender's parts comes where. If two ranks are neighbours twice, that depends on the function. */
static void find_slots(MPI_Comm comm, neighbour_kind kind, neighbours *n) {
    size_t most = (size_t)(n->source_count > n->target_count ? n->source_count : n->target_count) + 1;
    int *mine = need(verso__alloc(most, sizeof *mine)), *ones = need(verso__alloc(most, sizeof *ones));
    MPI_Aint *places = need(verso__alloc(most, sizeof *places));
    MPI_Datatype *types = need(verso__alloc(most, sizeof *types));
    n->slots = need(verso__alloc(most, sizeof(int)));
    for (size_t i = 0; i < most; i++) {
        mine[i] = (int)i;
        ones[i] = 1;
        places[i] = (MPI_Aint)(i * sizeof(int));
        types[i] = MPI_INT;
    }
    if (kind == SAME_PARTS)
        PMPI_Neighbor_alltoall(mine, 1, MPI_INT, n->slots, 1, MPI_INT, comm);
    else if (kind == PARTS)
        PMPI_Neighbor_alltoallv(mine, ones, mine, MPI_INT, n->slots, ones, mine, MPI_INT, comm);
    else
        PMPI_Neighbor_alltoallw(mine, ones, places, types, n->slots, ones, places, types, comm);
    verso__dealloc(mine);
    verso__dealloc(ones);
    verso__dealloc(places);
    verso__dealloc(types);
}

/* All members call it. */
static neighbours neighbours_of(MPI_Comm comm, neighbour_kind which) {
    neighbours n = {0};
    int kind;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART)
        list_cart(comm, &n);
    else if (kind == MPI_GRAPH)
        list_graph(comm, &n);
    else if (kind == MPI_DIST_GRAPH)
        list_dist_graph(comm, &n);
    else
        fail(VERSO_STATUS_INVALID, "the communicator has no topology");
    find_slots(comm, which, &n);
    return n;
}

static void free_neighbours(neighbours *n) {
    verso__dealloc(n->sources);
    verso__dealloc(n->targets);
    verso__dealloc(n->slots);
}

static collecting with_slot(const collecting *c, int slot) {
    collecting own = *c;
    own.key.channel += 1 + (uint64_t)slot;
    return own;
}

static void give_neighbour(const collecting *c, const neighbours *n, int i, const void *at, uint64_t bytes, map *m) {
    collecting own = with_slot(c, i);
    if (n->targets[i] != MPI_PROC_NULL)
        gives(&own, at, bytes, m, n->targets[i], n->targets[i], NULL);
}

static void get_neighbour(const collecting *c, const neighbours *n, int i, void *at, uint64_t bytes, map *m) {
    collecting own = with_slot(c, n->slots[i]);
    if (n->sources[i] != MPI_PROC_NULL)
        gets(&own, at, bytes, m, n->sources[i], n->sources[i]);
}

/* `same`: every target gets the whole of `from`. */
static void give_neighbours(const collecting *c, const neighbours *n, const void *from, layout from_layout, bool same,
                            void *to, layout to_layout) {
    for (int i = 0; i < n->target_count; i++)
        give_neighbour(c, n, i, same ? from : layout_at(&from_layout, from, i),
                       same ? (uint64_t)from_layout.count * from_layout.map->bytes : layout_bytes(&from_layout, i),
                       from_layout.map);
    for (int i = 0; i < n->source_count; i++)
        get_neighbour(c, n, i, layout_at(&to_layout, to, i), layout_bytes(&to_layout, i), to_layout.map);
}

#define NEIGHBOUR_CALL(NAME, KIND, PARAMETERS, ARGUMENTS, ...) \
    COLLECTIVE_CALL(NAME, PARAMETERS, ARGUMENTS, neighbours n = neighbours_of(comm, KIND); __VA_ARGS__; \
                    free_neighbours(&n))

NEIGHBOUR_CALL(MPI_Neighbor_allgather, SAME_PARTS,
               (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                MPI_Comm comm),
               (from, count, type, to, to_count, to_type, comm),
               give_neighbours(&c, &n, from, LAYOUT(NULL, NULL, count, type), true, to,
                               LAYOUT(NULL, NULL, to_count, to_type)));
NEIGHBOUR_CALL(MPI_Neighbor_allgatherv, SAME_PARTS,
               (const void *from, int count, MPI_Datatype type, void *to, const int counts[], const int places[],
                MPI_Datatype to_type, MPI_Comm comm),
               (from, count, type, to, counts, places, to_type, comm),
               give_neighbours(&c, &n, from, LAYOUT(NULL, NULL, count, type), true, to,
                               LAYOUT(counts, places, 0, to_type)));
NEIGHBOUR_CALL(MPI_Neighbor_alltoall, SAME_PARTS,
               (const void *from, int from_count, MPI_Datatype from_type, void *to, int count, MPI_Datatype type,
                MPI_Comm comm),
               (from, from_count, from_type, to, count, type, comm),
               give_neighbours(&c, &n, from, LAYOUT(NULL, NULL, from_count, from_type), false, to,
                               LAYOUT(NULL, NULL, count, type)));
NEIGHBOUR_CALL(MPI_Neighbor_alltoallv, PARTS,
               (const void *from, const int from_counts[], const int from_places[], MPI_Datatype from_type, void *to,
                const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm),
               (from, from_counts, from_places, from_type, to, counts, places, type, comm),
               give_neighbours(&c, &n, from, LAYOUT(from_counts, from_places, 0, from_type), false, to,
                               LAYOUT(counts, places, 0, type)));

/* ---- A type for each part; places are in bytes ---- */

NEIGHBOUR_CALL(MPI_Neighbor_alltoallw, TYPED_PARTS,
               (const void *from, const int from_counts[], const MPI_Aint from_places[],
                const MPI_Datatype from_types[], void *to, const int counts[], const MPI_Aint places[],
                const MPI_Datatype types[], MPI_Comm comm),
               (from, from_counts, from_places, from_types, to, counts, places, types, comm),
               for (int i = 0; i < n.target_count; i++)
                   give_neighbour(&c, &n, i, (const char *)from + from_places[i],
                                  (uint64_t)from_counts[i] * map_of(from_types[i])->bytes, map_of(from_types[i]));
               for (int i = 0; i < n.source_count; i++)
                   get_neighbour(&c, &n, i, (char *)to + places[i], (uint64_t)counts[i] * map_of(types[i])->bytes,
                                 map_of(types[i])));

static void give_alltoallw(const collecting *c, const void *from, const int *from_counts, const int *from_places,
                           const MPI_Datatype *from_types, void *to, const int *counts, const int *places,
                           const MPI_Datatype *types) {
    if (from == MPI_IN_PLACE) {
        from = to;
        from_counts = counts;
        from_places = places;
        from_types = types;
    }
    for (int i = 0; i < c->group->size; i++) {
        map *m = map_of(from_types[i]);
        gives(c, (const char *)from + from_places[i], (uint64_t)from_counts[i] * m->bytes, m, i, i, NULL);
    }
    for (int i = 0; i < c->group->size; i++) {
        map *m = map_of(types[i]);
        gets(c, (char *)to + places[i], (uint64_t)counts[i] * m->bytes, m, i, i);
    }
}

COLLECTIVE_CALL(MPI_Alltoallw,
                (const void *from, const int from_counts[], const int from_places[], const MPI_Datatype from_types[],
                 void *to, const int counts[], const int places[], const MPI_Datatype types[], MPI_Comm comm),
                (from, from_counts, from_places, from_types, to, counts, places, types, comm),
                give_alltoallw(&c, from, from_counts, from_places, from_types, to, counts, places, types));

#endif
