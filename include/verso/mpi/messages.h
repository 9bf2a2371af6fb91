/* Messages of derivatives between ranks, on a communicator of their own. A message is named by its key and not by its
 * order, because the reverse order of completions is not the reverse order of sends. Sending never waits. */
#ifndef VERSO_MPI_MESSAGES_H
#define VERSO_MPI_MESSAGES_H

enum { MESSAGE_TAG = 1, HEAD = 4, SENDINGS = 32 };

static void open_world(void) {
    int begun = 0, ended = 0;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&ended);
    if (w->ready || !begun || ended)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &w->size);
    PMPI_Comm_dup(MPI_COMM_WORLD, &w->adjoint);
    w->ready = true;
}

/* Frees the buffers of messages that have left; with `all`, waits for them. */
static void reap(bool all) {
    size_t kept = 0;
    for (size_t i = 0; i < w->sending_count; i++) {
        int done = 1;
        if (all)
            PMPI_Wait(&w->sendings[i].request, MPI_STATUS_IGNORE);
        else
            PMPI_Test(&w->sendings[i].request, &done, MPI_STATUS_IGNORE);
        if (done)
            verso__dealloc(w->sendings[i].bytes);
        else
            w->sendings[kept++] = w->sendings[i];
    }
    w->sending_count = kept;
}

/* Frees `bytes` when the request is complete. */
static void leave(MPI_Request request, void *bytes) {
    if (w->sending_count >= SENDINGS)
        reap(false);
    w->sendings = grow(w->sendings, w->sending_count, &w->sending_room, sizeof *w->sendings);
    w->sendings[w->sending_count++] = (sending){request, bytes};
}

static void enqueue(message *m) {
    m->next = NULL;
    if (w->last != NULL)
        w->last->next = m;
    else
        w->first = m;
    w->last = m;
}

static void send_numbers(int to, key key, const double *numbers, uint64_t count) {
    if (to == w->rank) {
        message *m = need(verso__alloc(1, sizeof *m + count * sizeof(double)));
        *m = (message){.from = to, .key = key, .count = count};
        memcpy(m->numbers, numbers, count * sizeof(double));
        enqueue(m);
        return;
    }
    uint64_t *words = need(verso__alloc(HEAD + count, sizeof *words));
    MPI_Request request;
    memcpy(words, &key, sizeof key);
    words[3] = count;
    memcpy(words + HEAD, numbers, count * sizeof(double));
    PMPI_Isend(words, (int)(HEAD + count), MPI_UINT64_T, to, MESSAGE_TAG, w->adjoint, &request);
    leave(request, words);
}

static bool is_wanted(const message *m, int from, const key *key) {
    return m->from == from && memcmp(&m->key, key, sizeof *key) == 0;
}

static message *dequeue(int from, const key *key) {
    message *before = NULL;
    for (message *m = w->first; m != NULL; before = m, m = m->next) {
        if (!is_wanted(m, from, key))
            continue;
        if (before != NULL)
            before->next = m->next;
        else
            w->first = m->next;
        if (w->last == m)
            w->last = before;
        return m;
    }
    return NULL;
}

static message *receive_next(int from) {
    MPI_Message incoming;
    MPI_Status status;
    int count;
    PMPI_Mprobe(from, MESSAGE_TAG, w->adjoint, &incoming, &status);
    PMPI_Get_count(&status, MPI_UINT64_T, &count);
    uint64_t *words = need(verso__alloc((size_t)count, sizeof *words));
    PMPI_Mrecv(words, count, MPI_UINT64_T, &incoming, MPI_STATUS_IGNORE);
    message *m = need(verso__alloc(1, sizeof *m + (size_t)count * sizeof(double)));
    m->from = from;
    memcpy(&m->key, words, sizeof m->key);
    m->count = words[3];
    memcpy(m->numbers, words + HEAD, m->count * sizeof(double));
    verso__dealloc(words);
    return m;
}

/* Returns the message with this key. The caller frees it. */
static message *receive_numbers(int from, key key, uint64_t count) {
    message *m = dequeue(from, &key);
    while (m == NULL) {
        m = receive_next(from);
        if (!is_wanted(m, from, &key)) {
            enqueue(m);
            m = NULL;
        }
    }
    if (m->count != count)
        fail(VERSO_STATUS_INVALID,
             "rank %d and this rank disagree on the numbers of a message (%llu and %llu): their datatypes differ", from,
             (unsigned long long)m->count, (unsigned long long)count);
    return m;
}

/* ---- Counting messages ---- */

static size_t place_of(const stream *streams, size_t room, const stream *wanted) {
    uint64_t hash = wanted->comm * 31 + (uint64_t)wanted->peer * 1000003 + (uint64_t)wanted->tag * 2654435761u;
    size_t at = (size_t)((hash ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 20) % room;
    for (; streams[at].used; at = (at + 1) % room)
        if (streams[at].comm == wanted->comm && streams[at].peer == wanted->peer && streams[at].tag == wanted->tag &&
            streams[at].out == wanted->out)
            break;
    return at;
}

static void more_streams(void) {
    size_t room = w->stream_room == 0 ? 64 : 2 * w->stream_room;
    stream *streams = need(verso__alloc(room, sizeof *streams));
    for (size_t i = 0; i < w->stream_room; i++)
        if (w->streams[i].used)
            streams[place_of(streams, room, &w->streams[i])] = w->streams[i];
    verso__dealloc(w->streams);
    w->streams = streams;
    w->stream_room = room;
}

/* Returns the key of the next message to, or from, a rank of MPI_COMM_WORLD. */
static key next_key(const group *group, int peer, int tag, bool out) {
    stream wanted = {group->id, group->members[peer], tag, out, true, 0};
    if (2 * (w->stream_count + 1) > w->stream_room)
        more_streams();
    stream *found = &w->streams[place_of(w->streams, w->stream_room, &wanted)];
    if (!found->used) {
        *found = wanted;
        w->stream_count++;
    }
    return (key){group->id, (uint32_t)tag, found->next++};
}

static key collective_key(group *group) {
    w->communicated = true;
    return (key){group->id, COLLECTIVE, group->calls++};
}

#endif
