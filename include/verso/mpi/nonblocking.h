/* Nonblocking collective calls. They work on copies of the buffers, as nonblocking messages do. What goes has its
 * entries when the call begins; what comes, when the request is completed. */
#ifndef VERSO_MPI_NONBLOCKING_H
#define VERSO_MPI_NONBLOCKING_H

static collecting begin_request(MPI_Comm comm, MPI_Request *handle) {
    size_t slot = new_slot();
    group *group = group_of(comm);
    *handle = handle_of(slot);
    w->requests[slot]->active = true;
    w->requests[slot]->group = group;
    return (collecting){group, collective_key(group), w->requests[slot]};
}

/* Extends the range *low to *high by that of elements. */
static void extend(const map *m, MPI_Datatype type, int64_t first, int64_t count, int64_t *low, int64_t *high) {
    MPI_Aint begin, size;
    if (count == 0)
        return;
    PMPI_Type_get_true_extent(type, &begin, &size);
    int64_t at = first * m->extent + begin, end = at + (count - 1) * m->extent + size;
    *low = at < *low ? at : *low;
    *high = end > *high ? end : *high;
}

/* Returns a copy of a buffer of these parts, for MPI. Those of `type` NULL are not used. */
static void *stage(const collecting *c, bool receives, const void *at, layout layout, int parts, MPI_Datatype type) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    if (at == MPI_IN_PLACE || layout.map == NULL)
        return (void *)(uintptr_t)at;
    for (int i = 0; i < parts; i++)
        extend(layout.map, type, layout.places != NULL ? layout.places[i] : (int64_t)i * layout.count,
               layout.counts != NULL ? layout.counts[i] : layout.count, &low, &high);
    if (low > high)
        low = high = 0;
    char *copy = need(verso__alloc((size_t)(high - low) + 1, 1));
    memcpy(copy, (const char *)at + low, (size_t)(high - low));
    c->request->buffers[receives] = copy;
    if (receives)
        c->request->shift = copy - low - (char *)(uintptr_t)at;
    return copy - low;
}

static contributions only_sums(MPI_Op op, const map *m) {
    contributions all = {.how = operation_of(op, m)};
    if (all.how > SUM)
        fail(VERSO_STATUS_INVALID,
             "of numbers, only the sum has an adjoint if the call is nonblocking; use the blocking "
             "call for MPI_PROD, MPI_MIN and MPI_MAX");
    return all;
}

/* GIVE describes the call, as in collect.h. `ours` and `theirs` are the copies that MPI gets. */
#define REQUEST_CALL(NAME, PARAMETERS, ARGUMENTS, STAGED, OURS, THEIRS, GIVE) \
    static int do_##NAME(verso_call *call, LIST PARAMETERS) { \
        collecting c = begin_request(comm, handle); \
        const int me = c.group->rank, size = c.group->size; \
        OUT(handle); \
        (void)me; \
        (void)size; \
        void *ours = OURS, *theirs = THEIRS; \
        (void)ours; \
        (void)theirs; \
        int result = P##NAME STAGED; \
        GIVE; \
        return result; \
    } \
    ADJOIN(int, NAME, PARAMETERS, ARGUMENTS)
#define MPI_SIDE(RECEIVES, AT, LAYOUT, PARTS, TYPE) stage(&c, RECEIVES, AT, LAYOUT, PARTS, TYPE)
#define ONE(COUNT, TYPE) LAYOUT(NULL, NULL, COUNT, TYPE)
#define ONE_IF(CONDITION, COUNT, TYPE) LAYOUT_IF(CONDITION, NULL, NULL, COUNT, TYPE)
#define REAL &c.request->real

REQUEST_CALL(MPI_Ibarrier, (MPI_Comm comm, MPI_Request *handle), (comm, handle), (comm, REAL), NULL, NULL, (void)0);
REQUEST_CALL(MPI_Ibcast, (void *at, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *handle),
             (at, count, type, root, comm, handle), (theirs, count, type, root, comm, REAL), NULL,
             MPI_SIDE(true, at, ONE(count, type), 1, type), give_bcast(&c, at, count, type, root));
REQUEST_CALL(MPI_Igather,
             (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, int root,
              MPI_Comm comm, MPI_Request *handle),
             (from, count, type, to, to_count, to_type, root, comm, handle),
             (ours, count, type, theirs, to_count, to_type, root, comm, REAL),
             MPI_SIDE(false, from, ONE_IF(from != MPI_IN_PLACE, count, type), 1, type),
             MPI_SIDE(true, to, ONE_IF(me == root, to_count, to_type), size, to_type),
             give_gather(&c, from, count, type, to, ONE_IF(me == root, to_count, to_type), root));
REQUEST_CALL(MPI_Igatherv,
             (const void *from, int count, MPI_Datatype type, void *to, const int counts[], const int places[],
              MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request *handle),
             (from, count, type, to, counts, places, to_type, root, comm, handle),
             (ours, count, type, theirs, counts, places, to_type, root, comm, REAL),
             MPI_SIDE(false, from, ONE_IF(from != MPI_IN_PLACE, count, type), 1, type),
             MPI_SIDE(true, to, LAYOUT_IF(me == root, counts, places, 0, to_type), size, to_type),
             give_gather(&c, from, count, type, to, LAYOUT_IF(me == root, counts, places, 0, to_type), root));
REQUEST_CALL(MPI_Iscatter,
             (const void *from, int from_count, MPI_Datatype from_type, void *to, int count, MPI_Datatype type,
              int root, MPI_Comm comm, MPI_Request *handle),
             (from, from_count, from_type, to, count, type, root, comm, handle),
             (ours, from_count, from_type, theirs, count, type, root, comm, REAL),
             MPI_SIDE(false, from, ONE_IF(me == root, from_count, from_type), size, from_type),
             MPI_SIDE(true, to, ONE_IF(to != MPI_IN_PLACE, count, type), 1, type),
             give_scatter(&c, from, ONE_IF(me == root, from_count, from_type), to, count, type, root));
REQUEST_CALL(MPI_Iscatterv,
             (const void *from, const int counts[], const int places[], MPI_Datatype from_type, void *to, int count,
              MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *handle),
             (from, counts, places, from_type, to, count, type, root, comm, handle),
             (ours, counts, places, from_type, theirs, count, type, root, comm, REAL),
             MPI_SIDE(false, from, LAYOUT_IF(me == root, counts, places, 0, from_type), size, from_type),
             MPI_SIDE(true, to, ONE_IF(to != MPI_IN_PLACE, count, type), 1, type),
             give_scatter(&c, from, LAYOUT_IF(me == root, counts, places, 0, from_type), to, count, type, root));
REQUEST_CALL(MPI_Iallgather,
             (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
              MPI_Comm comm, MPI_Request *handle),
             (from, count, type, to, to_count, to_type, comm, handle),
             (ours, count, type, theirs, to_count, to_type, comm, REAL),
             MPI_SIDE(false, from, ONE_IF(from != MPI_IN_PLACE, count, type), 1, type),
             MPI_SIDE(true, to, ONE(to_count, to_type), size, to_type),
             give_gather(&c, from, count, type, to, ONE(to_count, to_type), -1));
REQUEST_CALL(MPI_Iallgatherv,
             (const void *from, int count, MPI_Datatype type, void *to, const int counts[], const int places[],
              MPI_Datatype to_type, MPI_Comm comm, MPI_Request *handle),
             (from, count, type, to, counts, places, to_type, comm, handle),
             (ours, count, type, theirs, counts, places, to_type, comm, REAL),
             MPI_SIDE(false, from, ONE_IF(from != MPI_IN_PLACE, count, type), 1, type),
             MPI_SIDE(true, to, LAYOUT(counts, places, 0, to_type), size, to_type),
             give_gather(&c, from, count, type, to, LAYOUT(counts, places, 0, to_type), -1));
REQUEST_CALL(MPI_Ialltoall,
             (const void *from, int from_count, MPI_Datatype from_type, void *to, int count, MPI_Datatype type,
              MPI_Comm comm, MPI_Request *handle),
             (from, from_count, from_type, to, count, type, comm, handle),
             (ours, from_count, from_type, theirs, count, type, comm, REAL),
             MPI_SIDE(false, from, ONE_IF(from != MPI_IN_PLACE, from_count, from_type), size, from_type),
             MPI_SIDE(true, to, ONE(count, type), size, type),
             give_alltoall(&c, from, ONE_IF(from != MPI_IN_PLACE, from_count, from_type), to, ONE(count, type)));
REQUEST_CALL(MPI_Ialltoallv,
             (const void *from, const int from_counts[], const int from_places[], MPI_Datatype from_type, void *to,
              const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm, MPI_Request *handle),
             (from, from_counts, from_places, from_type, to, counts, places, type, comm, handle),
             (ours, from_counts, from_places, from_type, theirs, counts, places, type, comm, REAL),
             MPI_SIDE(false, from, LAYOUT_IF(from != MPI_IN_PLACE, from_counts, from_places, 0, from_type), size,
                      from_type),
             MPI_SIDE(true, to, LAYOUT(counts, places, 0, type), size, type),
             give_alltoall(&c, from, LAYOUT_IF(from != MPI_IN_PLACE, from_counts, from_places, 0, from_type), to,
                           LAYOUT(counts, places, 0, type)));

/* Sums of numbers have entries; other reductions only land. */
#define REDUCING(GIVE, COUNT, IS_HERE) \
    do { \
        map *m = map_of(type); \
        contributions all = only_sums(op, m); \
        if (all.how != NONE) \
            GIVE; \
        else if (IS_HERE) \
            lands(&c, to, (uint64_t)(COUNT) * m->bytes, m); \
    } while (0)

REQUEST_CALL(MPI_Ireduce,
             (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
              MPI_Request *handle),
             (from, to, count, type, op, root, comm, handle), (ours, theirs, count, type, op, root, comm, REAL),
             MPI_SIDE(false, from, ONE(count, type), 1, type),
             MPI_SIDE(true, to, ONE_IF(me == root, count, type), 1, type),
             REDUCING(give_reduce(&c, &all, from, to, count, m, root), count, me == root));
REQUEST_CALL(MPI_Iallreduce,
             (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *handle),
             (from, to, count, type, op, comm, handle), (ours, theirs, count, type, op, comm, REAL),
             MPI_SIDE(false, from, ONE(count, type), 1, type), MPI_SIDE(true, to, ONE(count, type), 1, type),
             REDUCING(give_reduce(&c, &all, from, to, count, m, -1), count, true));
REQUEST_CALL(MPI_Iscan,
             (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *handle),
             (from, to, count, type, op, comm, handle), (ours, theirs, count, type, op, comm, REAL),
             MPI_SIDE(false, from, ONE(count, type), 1, type), MPI_SIDE(true, to, ONE(count, type), 1, type),
             REDUCING(give_scan(&c, &all, from, to, count, m, false), count, true));
REQUEST_CALL(MPI_Iexscan,
             (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *handle),
             (from, to, count, type, op, comm, handle), (ours, theirs, count, type, op, comm, REAL),
             MPI_SIDE(false, from, ONE(count, type), 1, type), MPI_SIDE(true, to, ONE(count, type), 1, type),
             REDUCING(give_scan(&c, &all, from, to, count, m, true), count, me > 0));
REQUEST_CALL(MPI_Ireduce_scatter,
             (const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request *handle),
             (from, to, counts, type, op, comm, handle), (ours, theirs, counts, type, op, comm, REAL),
             MPI_SIDE(false, from, ONE(total_of(counts, comm), type), 1, type),
             MPI_SIDE(true, to, ONE(from == MPI_IN_PLACE ? total_of(counts, comm) : counts[me], type), 1, type),
             REDUCING(give_reduce_scatter(&c, &all, from, to, counts, 0, m), counts[me], true));
REQUEST_CALL(MPI_Ireduce_scatter_block,
             (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *handle),
             (from, to, count, type, op, comm, handle), (ours, theirs, count, type, op, comm, REAL),
             MPI_SIDE(false, from, ONE(count *size, type), 1, type),
             MPI_SIDE(true, to, ONE(from == MPI_IN_PLACE ? count * size : count, type), 1, type),
             REDUCING(give_reduce_scatter(&c, &all, from, to, NULL, count, m), count, true));

#endif
