/* Functions of MPI that are replaced in the whole program by way of its profiling interface: they number communicators,
 * remember persistent requests, and make the communicator of derivatives. And what the run time calls (native/sweep/
 * ranks.c). */
#ifndef VERSO_MPI_PLAIN_H
#define VERSO_MPI_PLAIN_H

#define REPLACE(NAME, PARAMETERS, ARGUMENTS, ...) \
    __attribute__((noinline)) int NAME PARAMETERS { \
        int result = P##NAME ARGUMENTS; \
        if (result == MPI_SUCCESS) { \
            __VA_ARGS__; \
        } \
        return result; \
    }

REPLACE(MPI_Init, (int *count, char ***arguments), (count, arguments), open_world())
REPLACE(MPI_Init_thread, (int *count, char ***arguments, int required, int *provided),
        (count, arguments, required, provided), open_world())

__attribute__((noinline)) int MPI_Finalize(void) {
    if (w->ready)
        PMPI_Comm_free(&w->adjoint);
    w->ready = false;
    return PMPI_Finalize();
}

/* ---- Communicators ---- */

REPLACE(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made), name_comm(*made))
REPLACE(MPI_Comm_split, (MPI_Comm comm, int color, int rank, MPI_Comm *made), (comm, color, rank, made),
        name_comm(*made))
REPLACE(MPI_Comm_split_type, (MPI_Comm comm, int type, int rank, MPI_Info info, MPI_Comm *made),
        (comm, type, rank, info, made), name_comm(*made))
REPLACE(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), name_comm(*made))
REPLACE(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made),
        name_comm(*made))
REPLACE(MPI_Cart_create, (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *made),
        (comm, n, dims, periods, reorder, made), name_comm(*made))
REPLACE(MPI_Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made), name_comm(*made))
REPLACE(MPI_Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made),
        (comm, n, index, edges, reorder, made), name_comm(*made))
REPLACE(MPI_Dist_graph_create_adjacent,
        (MPI_Comm comm, int ins, const int from[], const int from_weights[], int outs, const int to[],
         const int to_weights[], MPI_Info info, int reorder, MPI_Comm *made),
        (comm, ins, from, from_weights, outs, to, to_weights, info, reorder, made), name_comm(*made))
REPLACE(MPI_Dist_graph_create,
        (MPI_Comm comm, int n, const int nodes[], const int degrees[], const int to[], const int weights[],
         MPI_Info info, int reorder, MPI_Comm *made),
        (comm, n, nodes, degrees, to, weights, info, reorder, made), name_comm(*made))
REPLACE(MPI_Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made), name_comm(*made))

/* ---- Groups, datatypes and operations ---- */

REPLACE(MPI_Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group), MADE(*group))
REPLACE(MPI_Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *to), (group, n, ranks, to), MADE(*to))
REPLACE(MPI_Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *to), (group, n, ranks, to), MADE(*to))
REPLACE(MPI_Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group *to), (group, n, ranges, to),
        MADE(*to))
REPLACE(MPI_Group_union, (MPI_Group a, MPI_Group b, MPI_Group *to), (a, b, to), MADE(*to))
REPLACE(MPI_Group_intersection, (MPI_Group a, MPI_Group b, MPI_Group *to), (a, b, to), MADE(*to))
REPLACE(MPI_Group_difference, (MPI_Group a, MPI_Group b, MPI_Group *to), (a, b, to), MADE(*to))
REPLACE(MPI_Op_create, (MPI_User_function * function, int commutes, MPI_Op *to), (function, commutes, to), MADE(*to))
REPLACE(MPI_Type_dup, (MPI_Datatype type, MPI_Datatype *to), (type, to), MADE(*to))
REPLACE(MPI_Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype *to), (count, type, to), MADE(*to))
REPLACE(MPI_Type_vector, (int count, int length, int stride, MPI_Datatype type, MPI_Datatype *to),
        (count, length, stride, type, to), MADE(*to))
REPLACE(MPI_Type_create_hvector, (int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *to),
        (count, length, stride, type, to), MADE(*to))
REPLACE(MPI_Type_indexed, (int count, const int lengths[], const int places[], MPI_Datatype type, MPI_Datatype *to),
        (count, lengths, places, type, to), MADE(*to))
REPLACE(MPI_Type_create_hindexed,
        (int count, const int lengths[], const MPI_Aint places[], MPI_Datatype type, MPI_Datatype *to),
        (count, lengths, places, type, to), MADE(*to))
REPLACE(MPI_Type_create_indexed_block, (int count, int length, const int places[], MPI_Datatype type, MPI_Datatype *to),
        (count, length, places, type, to), MADE(*to))
REPLACE(MPI_Type_create_hindexed_block,
        (int count, int length, const MPI_Aint places[], MPI_Datatype type, MPI_Datatype *to),
        (count, length, places, type, to), MADE(*to))
REPLACE(MPI_Type_create_struct,
        (int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype types[], MPI_Datatype *to),
        (count, lengths, places, types, to), MADE(*to))
REPLACE(MPI_Type_create_subarray,
        (int n, const int sizes[], const int subsizes[], const int starts[], int order, MPI_Datatype type,
         MPI_Datatype *to),
        (n, sizes, subsizes, starts, order, type, to), MADE(*to))
REPLACE(MPI_Type_create_resized, (MPI_Datatype type, MPI_Aint low, MPI_Aint extent, MPI_Datatype *to),
        (type, low, extent, to), MADE(*to))

/* ---- Persistent requests ---- */

static void know(MPI_Request real, char mode, bool receive, const void *at, int count, MPI_Datatype type, int peer,
                 int tag, MPI_Comm comm) {
    MPI_Request ignored;
    request *r = new_message(&ignored, at, count, type, peer, tag, comm);
    r->mode = mode;
    r->receive = receive;
    r->persistent = true;
    size_t slot = 0, i = 0;
    while (w->requests[slot] != r)
        slot++;
    while (i < w->known_count && w->known[i].real != real)
        i++;
    if (i == w->known_count) {
        w->known = grow(w->known, w->known_count, &w->known_room, sizeof *w->known);
        w->known_count++;
    } else
        drop(w->requests[w->known[i].slot]);
    w->known[i].real = real;
    MADE(real);
    w->known[i].slot = slot;
}

#define PERSISTENT(NAME, CONST, MODE, RECEIVE) \
    REPLACE(NAME, (CONST void *at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *real), \
            (at, count, type, peer, tag, comm, real), know(*real, MODE, RECEIVE, at, count, type, peer, tag, comm))
PERSISTENT(MPI_Send_init, const, 'n', false)
PERSISTENT(MPI_Ssend_init, const, 's', false)
PERSISTENT(MPI_Bsend_init, const, 'b', false)
PERSISTENT(MPI_Rsend_init, const, 'r', false)
PERSISTENT(MPI_Recv_init, , 0, true)

/* ---- Buffers for MPI_Bsend ---- */

/* MPI keeps lists in the buffer. Verso puts the program's memory back between runs, so MPI gets another one. */
__attribute__((noinline)) int MPI_Buffer_attach(void *buffer, int size) {
    w->attached = buffer;
    w->attached_size = size;
    w->buffer = need(verso__alloc((size_t)size + 1, 1));
    return PMPI_Buffer_attach(w->buffer, size);
}

__attribute__((noinline)) int MPI_Buffer_detach(void *buffer, int *size) {
    void *ours;
    int result = PMPI_Buffer_detach(&ours, size);
    verso__dealloc(w->buffer);
    w->buffer = NULL;
    memcpy(buffer, &w->attached, sizeof w->attached);
    return result;
}

/* ---- Called by the run time ---- */

int verso__mpi_rank(void) {
    open_world();
    return w->ready ? w->rank : 0;
}

int verso__mpi_size(void) {
    open_world();
    return w->ready ? w->size : 1;
}

/* Whether MPI is ready for use. */
int verso__mpi_runs(void) {
    open_world();
    return w->ready;
}

int verso__mpi_communicated(void) {
    return w->communicated;
}

/* A differentiation begins. */
void verso__mpi_begin(void) {
    w->communicated = false;
    w->call = NULL;
    memset(w->streams, 0, w->stream_room * sizeof *w->streams);
    w->stream_count = 0;
    w->run++;
    w->group_count = w->map_count = 0;
    w->met = w->settled = false;
    w->needless.count = 0;
}

/* A durable run has been opened. If another process has communicated in it, all ranks continue it. */
static void find_communication(void *context, uint64_t at, const void *bytes, size_t size) {
    (void)at;
    (void)bytes;
    *(bool *)context = *(bool *)context || size > 0;
}

void verso__mpi_meet(void) {
    bool found = false;
    verso__native_once_notes(find_communication, &found);
    if (found)
        meet();
}

bool verso__mpi_settle(bool turned) {
    return settle_all(turned);
}

bool verso__mpi_is_settled(void) {
    return w->settled;
}

/* All ranks wait for each other. */
void verso__mpi_wait(void) {
    PMPI_Barrier(w->adjoint);
}

/* ---- The end ---- */

/* How long a rank that has failed, or was suspended, waits for the others to do so, too. */
#define GRACE_SECONDS(STATUS) ((STATUS) == VERSO_STATUS_SUSPENDED ? 10.0 : 2.0)

/* This rank has failed, and others may wait for its messages. If all fail, each returns to the program; otherwise the
 * job ends, because nothing else would wake those that wait. */
static void fail_together(int status, const char *message) {
    int come = 0;
    char token = 0;
    double began = PMPI_Wtime();
    MPI_Request request;
    for (int i = 0; i < w->size; i++)
        if (i != w->rank) {
            PMPI_Isend(&token, 1, MPI_CHAR, i, FAILURE_TAG, w->adjoint, &request);
            PMPI_Request_free(&request);
        }
    while (come < w->size - 1 && PMPI_Wtime() - began < GRACE_SECONDS(status)) {
        int found = 0;
        MPI_Status from;
        PMPI_Iprobe(MPI_ANY_SOURCE, FAILURE_TAG, w->adjoint, &found, &from);
        if (found)
            PMPI_Recv(&token, 1, MPI_CHAR, from.MPI_SOURCE, FAILURE_TAG, w->adjoint, MPI_STATUS_IGNORE);
        come += found;
        if (!found)
            usleep(1000);
    }
    if (come == w->size - 1)
        return;
    fprintf(stderr, "verso: rank %d: %s\nverso: %d of %d ranks still wait for rank %d, so all are ended\n", w->rank,
            message, w->size - 1 - come, w->size, w->rank);
    fflush(NULL);
    PMPI_Abort(MPI_COMM_WORLD, status == VERSO_STATUS_SUSPENDED ? SUSPENDED : 1);
}

/* It ends: its messages have been received. */
void verso__mpi_end(int status, const char *message) {
    if (status == VERSO_STATUS_OK)
        reap(true);
    else if (w->ready && w->communicated && w->size > 1)
        fail_together(status, message);
    w->call = NULL;
}

/* Replaces numbers by their sums (0) or least values (1) over all ranks. */
void verso__mpi_reduce(double *numbers, int count, int how) {
    open_world();
    if (w->ready)
        PMPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_DOUBLE, how == 0 ? MPI_SUM : MPI_MIN, w->adjoint);
}

#endif
