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
REPLACE(MPI_Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made), name_comm(*made))

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

int verso__mpi_communicated(void) {
    return w->communicated;
}

/* A differentiation begins. */
void verso__mpi_begin(void) {
    w->communicated = false;
    w->call = NULL;
    memset(w->streams, 0, w->stream_room * sizeof *w->streams);
    w->stream_count = 0;
    for (size_t i = 0; i < w->group_count; i++)
        w->groups[i]->calls = 0;
}

/* It ends: its messages have been received. */
void verso__mpi_end(int failed) {
    if (!failed)
        reap(true);
    w->call = NULL;
}

/* Replaces numbers by their sums (0) or least values (1) over all ranks. */
void verso__mpi_reduce(double *numbers, int count, int how) {
    open_world();
    if (w->ready)
        PMPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_DOUBLE, how == 0 ? MPI_SUM : MPI_MIN, w->adjoint);
}

#endif
