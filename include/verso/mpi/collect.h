/* Collective calls. Each is described by what this rank gives to which members and gets from which; the entries do the
 * rest. A `collecting` also serves the nonblocking calls, which add `in` entries only when they are completed. */
#ifndef VERSO_MPI_COLLECT_H
#define VERSO_MPI_COLLECT_H

typedef struct collecting {
    group *group;
    key key;
    request *request; /* of a nonblocking call; NULL: blocking */
} collecting;

static collecting begin_collective(MPI_Comm comm) {
    group *group = group_of(comm);
    return (collecting){group, collective_key(group), NULL};
}

/* `bytes` bytes at `at` go to members `first` to `last`. */
static void gives(const collecting *c, const void *at, uint64_t bytes, map *m, int first, int last, double *weights) {
    add_entry(new_entry(false, at, bytes, m, c->group, first, last, c->key), weights);
}

/* They are written, now or when the request is completed. */
static void lands(const collecting *c, void *at, uint64_t bytes, const map *m) {
    request *r = c->request;
    if (r == NULL) {
        wrote(m, at, bytes);
        return;
    }
    r->landings = need(verso__realloc(r->landings, r->landing_count + 1, sizeof *r->landings));
    r->landings[r->landing_count++] = (landing){at, (char *)at + r->shift, m, bytes};
}

/* They come from these members. */
static void gets(const collecting *c, void *at, uint64_t bytes, map *m, int first, int last) {
    entry new = new_entry(true, at, bytes, m, c->group, first, last, c->key);
    request *r = c->request;
    lands(c, at, bytes, m);
    if (r == NULL) {
        add_entry(new, NULL);
        return;
    }
    r->ins = need(verso__realloc(r->ins, r->in_count + 1, sizeof *r->ins));
    r->ins[r->in_count++] = new;
}

static char *part_at(const void *at, MPI_Aint elements, const map *m) {
    return (char *)(uintptr_t)at + elements * m->extent;
}

/* ---- What each call gives and gets ---- */

static void give_bcast(const collecting *c, void *at, int count, MPI_Datatype type, int root) {
    map *m = map_of(type);
    uint64_t bytes = (uint64_t)count * m->bytes;
    if (c->group->rank == root) {
        gives(c, at, bytes, m, 0, root - 1, NULL);
        gives(c, at, bytes, m, root + 1, c->group->size - 1, NULL);
    } else
        gets(c, at, bytes, m, root, root);
}

/* Members with `counts` (NULL: all `count`) elements at `places` (NULL: one after the other). */
typedef struct layout {
    const int *counts, *places;
    int count;
    map *map;
} layout;

static uint64_t layout_bytes(const layout *l, int member) {
    return (uint64_t)(l->counts != NULL ? l->counts[member] : l->count) * l->map->bytes;
}

static char *layout_at(const layout *l, const void *at, int member) {
    return part_at(at, l->places != NULL ? l->places[member] : (MPI_Aint)member * l->count, l->map);
}

/* The root (-1: every rank) gets a part from each member; `in_place`: its own is there already. */
static void give_gather(const collecting *c, const void *from, int count, MPI_Datatype type, void *to, layout to_layout,
                        int root) {
    int me = c->group->rank, size = c->group->size;
    bool all = root < 0, in_place = from == MPI_IN_PLACE;
    const void *own = in_place ? layout_at(&to_layout, to, me) : from;
    map *m = in_place ? to_layout.map : map_of(type);
    uint64_t bytes = in_place ? layout_bytes(&to_layout, me) : (uint64_t)count * m->bytes;
    if (!all && (!in_place || me != root))
        gives(c, own, bytes, m, root, root, NULL);
    if (all) {
        gives(c, own, bytes, m, 0, me - in_place, NULL);
        gives(c, own, bytes, m, me + 1, size - 1, NULL);
    }
    for (int i = 0; i < size && (all || me == root); i++)
        if (!in_place || i != me)
            gets(c, layout_at(&to_layout, to, i), layout_bytes(&to_layout, i), to_layout.map, i, i);
}

static void give_scatter(const collecting *c, const void *from, layout from_layout, void *to, int count,
                         MPI_Datatype type, int root) {
    int me = c->group->rank, size = c->group->size;
    bool in_place = to == MPI_IN_PLACE;
    for (int i = 0; i < size && me == root; i++)
        if (!in_place || i != me)
            gives(c, layout_at(&from_layout, from, i), layout_bytes(&from_layout, i), from_layout.map, i, i, NULL);
    if (!in_place)
        gets(c, to, (uint64_t)count * map_of(type)->bytes, map_of(type), root, root);
}

static void give_alltoall(const collecting *c, const void *from, layout from_layout, void *to, layout to_layout) {
    if (from == MPI_IN_PLACE) {
        from = to;
        from_layout = to_layout;
    }
    for (int i = 0; i < c->group->size; i++)
        gives(c, layout_at(&from_layout, from, i), layout_bytes(&from_layout, i), from_layout.map, i, i, NULL);
    for (int i = 0; i < c->group->size; i++)
        gets(c, layout_at(&to_layout, to, i), layout_bytes(&to_layout, i), to_layout.map, i, i);
}

/* The root (-1: every rank) gets the reduction. */
static void give_reduce(const collecting *c, const contributions *all, const void *from, void *to, int count, map *m,
                        int root) {
    uint64_t bytes = (uint64_t)count * m->bytes;
    int last = c->group->size - 1, me = c->group->rank;
    gives(c, from == MPI_IN_PLACE ? to : from, bytes, m, root < 0 ? 0 : root, root < 0 ? last : root,
          weights_of(all, me, 0, (uint64_t)count * m->numbers, 0, last));
    if (root < 0 || me == root)
        gets(c, to, bytes, m, 0, last);
}

/* Every member gets the reduction over all members up to itself, or before itself. */
static void give_scan(const collecting *c, const contributions *all, const void *from, void *to, int count, map *m,
                      bool before) {
    uint64_t bytes = (uint64_t)count * m->bytes;
    int last = c->group->size - 1, me = c->group->rank;
    from = from == MPI_IN_PLACE ? to : from;
    if (all->numbers == NULL)
        gives(c, from, bytes, m, me + before, last, NULL);
    for (int i = me + before; i <= last && all->numbers != NULL; i++)
        gives(c, from, bytes, m, i, i, weights_of(all, me, 0, (uint64_t)count * m->numbers, 0, i - before));
    if (me - before >= 0)
        gets(c, to, bytes, m, 0, me - before);
}

/* Member i gets the reduction of counts[i] (NULL: `count`) elements. */
static void give_reduce_scatter(const collecting *c, const contributions *all, const void *from, void *to,
                                const int *counts, int count, map *m) {
    int last = c->group->size - 1, me = c->group->rank, at = 0;
    from = from == MPI_IN_PLACE ? to : from;
    for (int i = 0; i <= last; i++) {
        int part = counts != NULL ? counts[i] : count;
        gives(c, part_at(from, at, m), (uint64_t)part * m->bytes, m, i, i,
              weights_of(all, me, (uint64_t)at * m->numbers, (uint64_t)part * m->numbers, 0, last));
        at += part;
    }
    gets(c, to, (uint64_t)(counts != NULL ? counts[me] : count) * m->bytes, m, 0, last);
}

/* ---- The blocking calls ---- */

#define COLLECTIVE_CALL(NAME, PARAMETERS, ARGUMENTS, ...) \
    static int do_##NAME(verso_call *call, LIST PARAMETERS) { \
        (void)call; \
        int result = P##NAME ARGUMENTS; \
        collecting c = begin_collective(comm); \
        __VA_ARGS__; \
        return result; \
    } \
    ADJOIN(int, NAME, PARAMETERS, ARGUMENTS)

/* Reductions read what they reduce before the call, which may overwrite it. Only sums have entries of any kind. */
#define REDUCTION_CALL(NAME, PARAMETERS, ARGUMENTS, TOTAL, OWN, ...) \
    static int do_##NAME(verso_call *call, LIST PARAMETERS) { \
        (void)call; \
        map *m = map_of(type); \
        group *group = group_of(comm); \
        contributions all = \
            read_contribution(operation_of(op, m), (OWN) == MPI_IN_PLACE ? to : (OWN), TOTAL, m, group); \
        int result = P##NAME ARGUMENTS; \
        collecting c = begin_collective(comm); \
        exchange(&all, comm); \
        __VA_ARGS__; \
        verso__dealloc(all.numbers); \
        return result; \
    } \
    ADJOIN(int, NAME, PARAMETERS, ARGUMENTS)

static int total_of(const int *counts, MPI_Comm comm) {
    int total = 0;
    for (int i = 0; i < group_of(comm)->size; i++)
        total += counts[i];
    return total;
}

#define LAYOUT(COUNTS, PLACES, COUNT, TYPE) \
    (layout) { \
        COUNTS, PLACES, COUNT, map_of(TYPE) \
    }
/* Arguments that only the root must give, and an in-place buffer, have no type elsewhere. */
#define LAYOUT_IF(CONDITION, COUNTS, PLACES, COUNT, TYPE) \
    ((CONDITION) ? LAYOUT(COUNTS, PLACES, COUNT, TYPE) : (layout){NULL, NULL, 0, NULL})

COLLECTIVE_CALL(MPI_Barrier, (MPI_Comm comm), (comm), (void)c);
COLLECTIVE_CALL(MPI_Bcast, (void *at, int count, MPI_Datatype type, int root, MPI_Comm comm),
                (at, count, type, root, comm), give_bcast(&c, at, count, type, root));
COLLECTIVE_CALL(MPI_Gather,
                (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, int root,
                 MPI_Comm comm),
                (from, count, type, to, to_count, to_type, root, comm),
                give_gather(&c, from, count, type, to, LAYOUT_IF(c.group->rank == root, NULL, NULL, to_count, to_type),
                            root));
COLLECTIVE_CALL(MPI_Gatherv,
                (const void *from, int count, MPI_Datatype type, void *to, const int counts[], const int places[],
                 MPI_Datatype to_type, int root, MPI_Comm comm),
                (from, count, type, to, counts, places, to_type, root, comm),
                give_gather(&c, from, count, type, to, LAYOUT_IF(c.group->rank == root, counts, places, 0, to_type),
                            root));
COLLECTIVE_CALL(MPI_Scatter,
                (const void *from, int from_count, MPI_Datatype from_type, void *to, int count, MPI_Datatype type,
                 int root, MPI_Comm comm),
                (from, from_count, from_type, to, count, type, root, comm),
                give_scatter(&c, from, LAYOUT_IF(c.group->rank == root, NULL, NULL, from_count, from_type), to, count,
                             type, root));
COLLECTIVE_CALL(MPI_Scatterv,
                (const void *from, const int counts[], const int places[], MPI_Datatype from_type, void *to, int count,
                 MPI_Datatype type, int root, MPI_Comm comm),
                (from, counts, places, from_type, to, count, type, root, comm),
                give_scatter(&c, from, LAYOUT_IF(c.group->rank == root, counts, places, 0, from_type), to, count, type,
                             root));
COLLECTIVE_CALL(MPI_Allgather,
                (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                 MPI_Comm comm),
                (from, count, type, to, to_count, to_type, comm),
                give_gather(&c, from, count, type, to, LAYOUT(NULL, NULL, to_count, to_type), -1));
COLLECTIVE_CALL(MPI_Allgatherv,
                (const void *from, int count, MPI_Datatype type, void *to, const int counts[], const int places[],
                 MPI_Datatype to_type, MPI_Comm comm),
                (from, count, type, to, counts, places, to_type, comm),
                give_gather(&c, from, count, type, to, LAYOUT(counts, places, 0, to_type), -1));
COLLECTIVE_CALL(MPI_Alltoall,
                (const void *from, int from_count, MPI_Datatype from_type, void *to, int count, MPI_Datatype type,
                 MPI_Comm comm),
                (from, from_count, from_type, to, count, type, comm),
                give_alltoall(&c, from, LAYOUT_IF(from != MPI_IN_PLACE, NULL, NULL, from_count, from_type), to,
                              LAYOUT(NULL, NULL, count, type)));
COLLECTIVE_CALL(MPI_Alltoallv,
                (const void *from, const int from_counts[], const int from_places[], MPI_Datatype from_type, void *to,
                 const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm),
                (from, from_counts, from_places, from_type, to, counts, places, type, comm),
                give_alltoall(&c, from, LAYOUT_IF(from != MPI_IN_PLACE, from_counts, from_places, 0, from_type), to,
                              LAYOUT(counts, places, 0, type)));

REDUCTION_CALL(MPI_Reduce,
               (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
               (from, to, count, type, op, root, comm), count, from,
               if (all.how != NONE) give_reduce(&c, &all, from, to, count, m, root);
               else if (c.group->rank == root) lands(&c, to, (uint64_t)count * m->bytes, m));
REDUCTION_CALL(MPI_Allreduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, count, type, op, comm), count, from,
               if (all.how != NONE) give_reduce(&c, &all, from, to, count, m, -1);
               else lands(&c, to, (uint64_t)count * m->bytes, m));
REDUCTION_CALL(MPI_Scan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, count, type, op, comm), count, from,
               if (all.how != NONE) give_scan(&c, &all, from, to, count, m, false);
               else lands(&c, to, (uint64_t)count * m->bytes, m));
REDUCTION_CALL(MPI_Exscan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, count, type, op, comm), count, from,
               if (all.how != NONE) give_scan(&c, &all, from, to, count, m, true);
               else lands(&c, to, (uint64_t)count * m->bytes, m));
REDUCTION_CALL(MPI_Reduce_scatter,
               (const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, counts, type, op, comm), total_of(counts, comm), from,
               if (all.how != NONE) give_reduce_scatter(&c, &all, from, to, counts, 0, m);
               else lands(&c, to, (uint64_t)counts[c.group->rank] * m->bytes, m));
REDUCTION_CALL(MPI_Reduce_scatter_block,
               (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, count, type, op, comm), count * group->size, from,
               if (all.how != NONE) give_reduce_scatter(&c, &all, from, to, NULL, count, m);
               else lands(&c, to, (uint64_t)count * m->bytes, m));

#endif
