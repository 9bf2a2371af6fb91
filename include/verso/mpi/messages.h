/* Messages of derivatives between ranks, on a communicator of their own. A message is named by its key and not by its
 * order, because the reverse order of completions is not the reverse order of sends. Sending never waits. */
#ifndef VERSO_MPI_MESSAGES_H
#define VERSO_MPI_MESSAGES_H

enum { MESSAGE_TAG = 1, TRADE_TAG, FAILURE_TAG, HEAD = 4, SENDINGS = 32 };
/* Exit status of a job that was suspended. */
enum { SUSPENDED = 75 };

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

/* Adds a message to the list that a durable run keeps. */
static void list_post(bool used, int peer, key key, const double *numbers, uint64_t count) {
    verso__native_post post = {.used = used, .peer = (uint32_t)peer, .count = count};
    verso_error error;
    if (w->tangent || !verso__native_log_is_open())
        return;
    memcpy(post.key, &key, sizeof post.key);
    verso_status status = verso__native_posts_add(&post, numbers, &error);
    if (status != VERSO_STATUS_OK)
        fail(status, "%s", error.message);
}

/* Returns whether the message was used in another process; each is found once. */
static bool is_needless(int to, const key *key) {
    size_t low = 0, high = w->needless.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const parcel *at = &w->needless.at[middle];
        int order = at->peer != to ? (at->peer < to ? -1 : 1) : memcmp(&at->key, key, sizeof *key);
        if (order < 0 || (order == 0 && at->order != 0)) /* found before */
            low = middle + 1;
        else
            high = middle;
    }
    parcel *found = low < w->needless.count ? &w->needless.at[low] : NULL;
    if (found == NULL || found->peer != to || memcmp(&found->key, key, sizeof *key) != 0)
        return false;
    found->order = 1;
    return true;
}

static void post_numbers(int to, key key, const double *numbers, uint64_t count) {
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

static void send_numbers(int to, key key, const double *numbers, uint64_t count) {
    list_post(false, to, key, numbers, count);
    if (!is_needless(to, &key))
        post_numbers(to, key, numbers, count);
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
    list_post(true, from, key, NULL, 0);
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

static stream *stream_of(uint64_t comm, int peer, int tag, bool out) {
    stream wanted = {comm, peer, tag, out, true, 0};
    if (2 * (w->stream_count + 1) > w->stream_room)
        more_streams();
    stream *found = &w->streams[place_of(w->streams, w->stream_room, &wanted)];
    if (!found->used) {
        *found = wanted;
        w->stream_count++;
    }
    return found;
}

/* Returns the key of the next message to, or from, a member. */
static key next_key(group *group, int peer, int tag, bool out) {
    int rank = group->members[peer];
    use_group(group);
    add_note((note){.kind = out ? NOTE_OUT : NOTE_IN, .peer = rank, .tag = tag, .comm = group->id}, NULL, 0);
    return (key){group->id, (uint32_t)tag, stream_of(group->id, rank, tag, out)->next++};
}

static key collective_key(group *group) {
    w->communicated = true;
    use_group(group);
    add_note((note){.kind = NOTE_TOGETHER, .comm = group->id}, NULL, 0);
    return (key){group->id, COLLECTIVE, group->calls++};
}

#endif
