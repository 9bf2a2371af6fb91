/* Durable runs: how the ranks continue together. docs/parallel.md says why it is right.
 *
 *   meet     Every rank has a log of what it has received. They find the last places in their logs up to which each
 *            message that was sent was received, too, and each collective call was made by all its members, and remove
 *            what comes after. So between these places nothing is on the way.
 *   settle   Each rank continues its reverse sweep from an adjoint of its own. What others have sent it since is sent
 *            again, from their list of messages; what it has used before is not. */
#ifndef VERSO_MPI_DURABLE_H
#define VERSO_MPI_DURABLE_H

/* ---- Numbers for each rank ---- */

typedef struct words {
    uint64_t *at;
    size_t count, room;
} words;

static void add_word(words *list, uint64_t word) {
    list->at = grow(list->at, list->count, &list->room, sizeof *list->at);
    list->at[list->count++] = word;
}

static words *new_words(void) {
    return need(verso__alloc((size_t)w->size, sizeof(words)));
}

static void free_words(words *lists) {
    for (int i = 0; i < w->size; i++)
        verso__dealloc(lists[i].at);
    verso__dealloc(lists);
}

/* Sends lists[i] to rank i, frees them, and returns what the ranks have sent here. */
static words *trade(words *lists) {
    words *got = new_words();
    MPI_Request *requests = need(verso__alloc(2 * (size_t)w->size, sizeof *requests));
    uint64_t *sent = need(verso__alloc((size_t)w->size, sizeof *sent));
    uint64_t *coming = need(verso__alloc((size_t)w->size, sizeof *coming));
    for (int i = 0; i < w->size; i++)
        sent[i] = lists[i].count;
    PMPI_Alltoall(sent, 1, MPI_UINT64_T, coming, 1, MPI_UINT64_T, w->adjoint);
    for (int i = 0; i < w->size; i++) {
        got[i].count = got[i].room = coming[i];
        got[i].at = need(verso__alloc(coming[i] + 1, sizeof *got[i].at));
        PMPI_Irecv(got[i].at, (int)coming[i], MPI_UINT64_T, i, TRADE_TAG, w->adjoint, &requests[2 * i]);
        PMPI_Isend(lists[i].at, (int)sent[i], MPI_UINT64_T, i, TRADE_TAG, w->adjoint, &requests[2 * i + 1]);
    }
    PMPI_Waitall(2 * w->size, requests, MPI_STATUSES_IGNORE);
    verso__dealloc(requests);
    verso__dealloc(sent);
    verso__dealloc(coming);
    free_words(lists);
    return got;
}

static uint64_t greatest_of_all(uint64_t number) {
    PMPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_UINT64_T, MPI_MAX, w->adjoint);
    return number;
}

/* ---- The history of this rank ---- */

typedef struct event {
    size_t call; /* index of the call */
    uint32_t kind;
    int32_t peer, tag;
    uint64_t comm;
} event;

typedef struct history {
    uint64_t *calls; /* offsets in the log */
    bool *open;      /* whether requests are open after each */
    size_t call_count, call_room, open_room;
    event *events;
    size_t event_count, event_room;
    uint64_t end; /* the log is cut off here */
} history;

static void read_history(void *context, uint64_t at, const void *bytes, size_t size) {
    history *h = context;
    note one;
    if (h->call_count == 0 || h->calls[h->call_count - 1] != at) {
        size_t count = h->call_count;
        h->calls = grow(h->calls, count, &h->call_room, sizeof *h->calls);
        h->open = grow(h->open, count, &h->open_room, sizeof *h->open);
        h->calls[count] = at;
        h->open[count] = false;
        h->call_count++;
    }
    if (size < sizeof one)
        return;
    memcpy(&one, bytes, sizeof one);
    if (one.kind == NOTE_OPEN)
        h->open[h->call_count - 1] = true;
    if (one.kind > NOTE_TOGETHER)
        return;
    h->events = grow(h->events, h->event_count, &h->event_room, sizeof *h->events);
    h->events[h->event_count++] = (event){h->call_count - 1, one.kind, one.peer, one.tag, one.comm};
}

static int compare_streams(const event *a, const event *b) {
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    return a->tag == b->tag ? 0 : a->tag < b->tag ? -1 : 1;
}

static int compare_events(const void *a, const void *b) {
    const event *one = a, *other = b;
    int order = compare_streams(one, other);
    if (order != 0)
        return order;
    return one->call < other->call ? -1 : one->call > other->call;
}

/* Returns the end of the stream of events that begins at `first`, and sets *kept to how many are in calls before
 * `limit`. */
static size_t stream_end(const history *h, size_t first, size_t limit, uint64_t *kept) {
    size_t end = first;
    *kept = 0;
    while (end < h->event_count && compare_streams(&h->events[first], &h->events[end]) == 0)
        *kept += h->events[end++].call < limit;
    return end;
}

static const group *group_with(uint64_t id) {
    for (size_t i = 0; i < w->known_group_count; i++)
        if (w->known_groups[i]->id == id)
            return w->known_groups[i];
    return NULL;
}

enum { STREAM_WORDS = 4 };

/* Tells the other ranks how many events each stream has in calls before `limit`. */
static words *trade_counts(const history *h, size_t limit) {
    words *to = new_words();
    uint64_t kept;
    for (size_t at = 0, end; at < h->event_count; at = end) {
        const event *e = &h->events[at];
        const group *group = e->kind == NOTE_TOGETHER ? group_with(e->comm) : NULL;
        end = stream_end(h, at, limit, &kept);
        for (int i = 0; i < (group != NULL ? group->size : 1); i++) {
            words *list = &to[group != NULL ? group->members[i] : e->peer];
            add_word(list, e->kind);
            add_word(list, e->comm);
            add_word(list, (uint32_t)e->tag);
            add_word(list, kept);
        }
    }
    return trade(to);
}

/* Returns how many events the stream of the same messages has at another rank. */
static uint64_t count_there(const words *from, const event *e) {
    uint32_t kind = e->kind == NOTE_OUT ? NOTE_IN : e->kind == NOTE_IN ? NOTE_OUT : NOTE_TOGETHER;
    for (size_t i = 0; i + STREAM_WORDS <= from->count; i += STREAM_WORDS)
        if (from->at[i] == kind && from->at[i + 1] == e->comm && from->at[i + 2] == (uint32_t)e->tag)
            return from->at[i + 3];
    return 0;
}

/* Returns the number of calls up to which no stream has more events than at the other ranks. */
static size_t lower_limit(const history *h, size_t limit) {
    words *from = trade_counts(h, limit);
    size_t lower = limit;
    uint64_t kept;
    for (size_t at = 0, end; at < h->event_count; at = end) {
        const event *e = &h->events[at];
        const group *group = e->kind == NOTE_TOGETHER ? group_with(e->comm) : NULL;
        end = stream_end(h, at, limit, &kept);
        uint64_t allowed = kept;
        for (int i = 0; i < (group != NULL ? group->size : 1); i++) {
            uint64_t there = count_there(&from[group != NULL ? group->members[i] : e->peer], e);
            allowed = there < allowed ? there : allowed;
        }
        if (allowed < kept && h->events[at + allowed].call < lower)
            lower = h->events[at + allowed].call;
    }
    free_words(from);
    return lower;
}

static size_t without_open(const history *h, size_t limit) {
    while (limit > 0 && h->open[limit - 1])
        limit--;
    return limit;
}

/* Finds the last places of all ranks between which nothing is on the way, and cuts off the log behind that of this
 * rank. */
static void cut(history *h) {
    size_t limit = without_open(h, h->call_count), before;
    if (h->event_count > 0)
        qsort(h->events, h->event_count, sizeof *h->events, compare_events);
    do {
        before = limit;
        limit = without_open(h, lower_limit(h, limit));
    } while (greatest_of_all(before - limit) != 0);
    h->end = limit < h->call_count ? h->calls[limit] : UINT64_MAX;
    verso_error error;
    verso_status status = limit < h->call_count ? verso__native_log_cut(h->end, &error) : VERSO_STATUS_OK;
    if (status != VERSO_STATUS_OK)
        fail(status, "%s", error.message);
    PMPI_Barrier(w->adjoint); /* nothing is added to a log before all have been cut */
}

/* ---- What the ranks had agreed on ---- */

static void restore_map(const note *one, const char *more, size_t size) {
    map_note head;
    if (one->number != w->map_count || size < sizeof head)
        fail(VERSO_STATUS_CORRUPT, "the log of the run does not fit this program");
    map *m = need(verso__alloc(1, sizeof *m));
    memcpy(&head, more, sizeof head);
    m->count = m->room = (size - sizeof head) / sizeof *m->pieces;
    m->pieces = need(verso__alloc(m->count + 1, sizeof *m->pieces));
    memcpy(m->pieces, more + sizeof head, m->count * sizeof *m->pieces);
    m->extent = head.extent;
    m->bytes = head.bytes;
    m->numbers = head.numbers;
    m->dense = head.dense;
    m->pair = head.pair;
    use_map(m);
}

static void restore_group(const note *one, const char *more, size_t size) {
    group *group = (struct group *)(uintptr_t)group_with(one->comm);
    if (group == NULL) {
        group = need(verso__alloc(1, sizeof *group));
        group->id = one->comm;
        group->rank = one->rank;
        group->size = (int)(size / sizeof *group->members);
        group->members = need(verso__alloc((size_t)group->size + 1, sizeof *group->members));
        memcpy(group->members, more, (size_t)group->size * sizeof *group->members);
        group->comm = MPI_COMM_NULL;
        know_group(group);
    }
    use_group(group);
    if (group->index != one->number)
        fail(VERSO_STATUS_CORRUPT, "the log of the run does not fit this program");
}

static void restore_request(const note *one, const char *more, size_t size) {
    persistent_note p;
    const group *group = group_with(one->comm);
    while (w->request_count <= one->number) {
        w->requests = grow(w->requests, w->request_count, &w->request_room, sizeof(request *));
        w->requests[w->request_count++] = need(verso__alloc(1, sizeof(request)));
    }
    if (one->kind == NOTE_FREED) {
        drop(w->requests[one->number]);
        return;
    }
    if (size < sizeof p || group == NULL || group->comm == MPI_COMM_NULL)
        fail(VERSO_STATUS_INVALID, "a persistent request of this durable run uses a communicator that is not here; "
                                   "make both before the function that is differentiated");
    memcpy(&p, more, sizeof p);
    *w->requests[one->number] = (request){.used = true,
                                          .persistent = true,
                                          .receive = p.receive,
                                          .mode = (char)p.mode,
                                          .at = p.at,
                                          .count = p.count,
                                          .peer = p.peer,
                                          .tag = p.tag,
                                          .comm = group->comm,
                                          .group = (struct group *)(uintptr_t)group,
                                          .map = w->maps[p.map]};
}

static void restore(void *context, uint64_t at, const void *bytes, size_t size) {
    const history *h = context;
    note one;
    if (at >= h->end || size < sizeof one)
        return;
    memcpy(&one, bytes, sizeof one);
    const char *more = (const char *)bytes + sizeof one;
    size -= sizeof one;
    switch (one.kind) {
    case NOTE_OUT:
    case NOTE_IN: stream_of(one.comm, one.peer, one.tag, one.kind == NOTE_OUT)->next++; break;
    case NOTE_TOGETHER: ((group *)(uintptr_t)group_with(one.comm))->calls++; break;
    case NOTE_MAP: restore_map(&one, more, size); break;
    case NOTE_GROUP: restore_group(&one, more, size); break;
    case NOTE_REQUEST:
    case NOTE_FREED: restore_request(&one, more, size); break;
    default: break;
    }
    w->communicated = w->communicated || one.kind <= NOTE_TOGETHER;
}

/* The groups in the log, for `cut`. They have no index yet. */
static void find_groups(void *context, uint64_t at, const void *bytes, size_t size) {
    note one;
    (void)context;
    (void)at;
    if (size < sizeof one)
        return;
    memcpy(&one, bytes, sizeof one);
    if (one.kind != NOTE_GROUP || group_with(one.comm) != NULL)
        return;
    group *group = need(verso__alloc(1, sizeof *group));
    group->id = one.comm;
    group->rank = one.rank;
    group->size = (int)((size - sizeof one) / sizeof *group->members);
    group->members = need(verso__alloc((size_t)group->size + 1, sizeof *group->members));
    memcpy(group->members, (const char *)bytes + sizeof one, (size_t)group->size * sizeof *group->members);
    group->comm = MPI_COMM_NULL;
    know_group(group);
}

static void meet(void) {
    history h = {0};
    open_world();
    if (w->met || !w->ready)
        return;
    w->met = true;
    group_of(MPI_COMM_WORLD);
    group_of(MPI_COMM_SELF);
    verso__native_once_notes(find_groups, NULL);
    verso__native_once_notes(read_history, &h);
    cut(&h);
    verso__native_once_notes(restore, &h);
    verso__dealloc(h.calls);
    verso__dealloc(h.open);
    verso__dealloc(h.events);
}

/* ---- Messages of derivatives ---- */

static int compare_parcels(const void *a, const void *b) {
    const parcel *one = a, *other = b;
    if (one->peer != other->peer)
        return one->peer < other->peer ? -1 : 1;
    int order = memcmp(&one->key, &other->key, sizeof one->key);
    return order != 0 ? order : one->order < other->order ? -1 : one->order > other->order;
}

static void add_parcel(parcels *list, int peer, const uint64_t *key, uint64_t order) {
    list->at = grow(list->at, list->count, &list->room, sizeof *list->at);
    parcel *new = &list->at[list->count++];
    *new = (parcel){.peer = peer, .order = order};
    memcpy(&new->key, key, sizeof new->key);
}

/* Removes the parcels that are in both lists, one for one. Both are sorted afterwards. */
static void remove_common(parcels *a, parcels *b) {
    size_t i = 0, j = 0, a_kept = 0, b_kept = 0;
    if (a->count > 0)
        qsort(a->at, a->count, sizeof *a->at, compare_parcels);
    if (b->count > 0)
        qsort(b->at, b->count, sizeof *b->at, compare_parcels);
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : a->at[i].peer - b->at[j].peer;
        if (order == 0)
            order = memcmp(&a->at[i].key, &b->at[j].key, sizeof(key));
        if (order == 0) {
            i++;
            j++;
        } else if (order < 0)
            a->at[a_kept++] = a->at[i++];
        else
            b->at[b_kept++] = b->at[j++];
    }
    a->count = a_kept;
    b->count = b_kept;
}

typedef struct posting {
    words *used; /* keys of the messages from each rank that were used here */
    parcels sent;
    uint64_t order;
} posting;

static void read_post(void *context, const verso__native_post *post, const double *numbers) {
    posting *p = context;
    (void)numbers;
    if (!post->used)
        add_parcel(&p->sent, (int)post->peer, post->key, p->order++);
    for (size_t i = 0; post->used && i < VERSO_NATIVE_POST_KEY; i++)
        add_word(&p->used[post->peer], post->key[i]);
}

typedef struct resending {
    const parcels *wanted; /* sorted by rank and key */
    uint64_t order;
} resending;

static bool is_on_the_way(const resending *r, uint64_t order) {
    for (size_t i = 0; i < r->wanted->count; i++)
        if (r->wanted->at[i].order == order)
            return true;
    return false;
}

static void send_again(void *context, const verso__native_post *post, const double *numbers) {
    resending *r = context;
    key key;
    if (post->used)
        return;
    memcpy(&key, post->key, sizeof key);
    if (is_on_the_way(r, r->order++))
        post_numbers((int)post->peer, key, numbers, post->count);
}

static void each_post(verso__native_post_visit *visit, void *context) {
    verso_error error;
    verso_status status = verso__native_posts_each(visit, context, &error);
    if (status != VERSO_STATUS_OK)
        fail(status, "%s", error.message);
}

static void settle_posts(void) {
    posting p = {.used = new_words()};
    parcels needless = {0};
    each_post(read_post, &p);
    words *used = trade(p.used);
    for (int i = 0; i < w->size; i++)
        for (size_t k = 0; k < used[i].count; k += VERSO_NATIVE_POST_KEY)
            add_parcel(&needless, i, used[i].at + k, 0);
    remove_common(&p.sent, &needless);
    resending resending = {.wanted = &p.sent};
    if (p.sent.count > 0)
        each_post(send_again, &resending);
    verso__dealloc(w->needless.at);
    w->needless = needless;
    free_words(used);
    verso__dealloc(p.sent.at);
}

/* Before the first communication of a durable run. `turned`: this rank has begun to reverse. Returns whether one
 * has. */
static bool settle_all(bool turned) {
    meet();
    if (w->settled || !w->ready)
        return turned;
    w->settled = true;
    settle_posts();
    return greatest_of_all(turned) != 0;
}

#endif
