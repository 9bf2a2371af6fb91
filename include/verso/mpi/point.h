/* Blocking messages between two ranks. */
#ifndef VERSO_MPI_POINT_H
#define VERSO_MPI_POINT_H

/* ---- Sending ---- */

static entry sent_entry(const void *at, int count, map *m, group *group, int peer, int tag) {
    w->communicated = true;
    return new_entry(false, at, (uint64_t)count * m->bytes, m, group, peer, peer, next_key(group, peer, tag, true));
}

/* Adds the entry of a message that was sent. */
static void add_sent(const void *at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    if (peer != MPI_PROC_NULL)
        add_entry(sent_entry(at, count, map_of(type), group_of(comm), peer, tag), NULL);
}

#define SEND(NAME) \
    static int do_##NAME(verso_call *call, const void *at, int count, MPI_Datatype type, int peer, int tag, \
                         MPI_Comm comm) { \
        (void)call; \
        add_sent(at, count, type, peer, tag, comm); \
        return P##NAME(at, count, type, peer, tag, comm); \
    } \
    ADJOIN(int, NAME, (const void *at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm), \
           (at, count, type, peer, tag, comm))
SEND(MPI_Send);
SEND(MPI_Ssend);
SEND(MPI_Rsend);

/* MPI would read the program's buffer at any later time, so the message leaves from a copy. */
static int do_MPI_Bsend(verso_call *call, const void *at, int count, MPI_Datatype type, int peer, int tag,
                        MPI_Comm comm) {
    (void)call;
    map *m = map_of(type);
    uint64_t bytes = (uint64_t)count * m->bytes;
    if (peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    add_sent(at, count, type, peer, tag, comm);
    char *copy = need(verso__alloc(bytes + 1, 1));
    MPI_Request request;
    pack(m, at, bytes, copy);
    int result = PMPI_Isend(copy, (int)bytes, MPI_PACKED, peer, tag, comm, &request);
    leave(request, copy);
    return result;
}
ADJOIN(int, MPI_Bsend, (const void *at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm),
       (at, count, type, peer, tag, comm));

/* ---- Receiving ---- */

static void settle_before(const group *group, int peer, int tag, uint64_t order);

/* Adds the entry of a message that has come, and reports its data and status. Earlier receives get their number
 * first. */
static void add_received(verso_call *call, void *at, MPI_Datatype type, MPI_Comm comm, const MPI_Status *status) {
    if (status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    map *m = map_of(type);
    group *group = group_of(comm);
    (void)call;
    w->communicated = true;
    settle_before(group, status->MPI_SOURCE, status->MPI_TAG, UINT64_MAX);
    uint64_t bytes = bytes_of(status);
    add_entry(new_entry(true, at, bytes, m, group, status->MPI_SOURCE, status->MPI_SOURCE,
                        next_key(group, status->MPI_SOURCE, status->MPI_TAG, false)),
              NULL);
    wrote(m, at, bytes);
}

static int do_MPI_Recv(verso_call *call, void *at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                       MPI_Status *status) {
    MPI_Status got;
    int result = PMPI_Recv(at, count, type, peer, tag, comm, &got);
    if (result == MPI_SUCCESS)
        add_received(call, at, type, comm, &got);
    wrote_status(call, status, &got);
    return result;
}
ADJOIN(int, MPI_Recv, (void *at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status),
       (at, count, type, peer, tag, comm, status));

static int do_MPI_Sendrecv(verso_call *call, const void *from, int sent, MPI_Datatype sent_type, int to, int sent_tag,
                           void *at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                           MPI_Status *status) {
    MPI_Status got;
    add_sent(from, sent, sent_type, to, sent_tag, comm);
    int result = PMPI_Sendrecv(from, sent, sent_type, to, sent_tag, at, count, type, peer, tag, comm, &got);
    if (result == MPI_SUCCESS)
        add_received(call, at, type, comm, &got);
    wrote_status(call, status, &got);
    return result;
}
ADJOIN(int, MPI_Sendrecv,
       (const void *from, int sent, MPI_Datatype sent_type, int to, int sent_tag, void *at, int count,
        MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status),
       (from, sent, sent_type, to, sent_tag, at, count, type, peer, tag, comm, status));

static int do_MPI_Sendrecv_replace(verso_call *call, void *at, int count, MPI_Datatype type, int to, int sent_tag,
                                   int peer, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status got;
    add_sent(at, count, type, to, sent_tag, comm);
    int result = PMPI_Sendrecv_replace(at, count, type, to, sent_tag, peer, tag, comm, &got);
    if (result == MPI_SUCCESS)
        add_received(call, at, type, comm, &got);
    wrote_status(call, status, &got);
    return result;
}
ADJOIN(int, MPI_Sendrecv_replace,
       (void *at, int count, MPI_Datatype type, int to, int sent_tag, int peer, int tag, MPI_Comm comm,
        MPI_Status *status),
       (at, count, type, to, sent_tag, peer, tag, comm, status));

/* ---- Probing ---- */

static int do_MPI_Probe(verso_call *call, int peer, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status got;
    int result = PMPI_Probe(peer, tag, comm, &got);
    wrote_status(call, status, &got);
    return result;
}
ADJOIN(int, MPI_Probe, (int peer, int tag, MPI_Comm comm, MPI_Status *status), (peer, tag, comm, status));

static int do_MPI_Iprobe(verso_call *call, int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    MPI_Status got;
    int result = PMPI_Iprobe(peer, tag, comm, flag, &got);
    OUT(flag);
    if (*flag)
        wrote_status(call, status, &got);
    return result;
}
ADJOIN(int, MPI_Iprobe, (int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
       (peer, tag, comm, flag, status));

/* The buffer is never used: see MPI_Bsend. */
static int do_MPI_Buffer_attach(verso_call *call, void *buffer, int size) {
    (void)call;
    w->attached = buffer;
    w->attached_size = size;
    return MPI_SUCCESS;
}
ADJOIN(int, MPI_Buffer_attach, (void *buffer, int size), (buffer, size));

static int do_MPI_Buffer_detach(verso_call *call, void *buffer, int *size) {
    memcpy(buffer, &w->attached, sizeof w->attached);
    *size = w->attached_size;
    verso_wrote(call, buffer, sizeof w->attached);
    OUT(size);
    return MPI_SUCCESS;
}
ADJOIN(int, MPI_Buffer_detach, (void *buffer, int *size), (buffer, size));

#endif
