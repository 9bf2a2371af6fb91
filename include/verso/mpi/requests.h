/* Nonblocking messages, and the completion of requests.
 *
 * A message is staged: it leaves from a copy, and comes to memory of this file, from which it is copied to the program
 * when the program completes the request. So MPI never touches memory that a capsule may put back. The program gets
 * odd numbers as its requests, which are no request of any MPI: these calls are made once, so none reaches MPI. */
#ifndef VERSO_MPI_REQUESTS_H
#define VERSO_MPI_REQUESTS_H

/* ---- Slots ---- */

static MPI_Request handle_of(size_t slot) {
    return (MPI_Request)(intptr_t)(2 * slot + 1);
}

/* Returns the request; NULL for MPI_REQUEST_NULL. */
static request *request_of(MPI_Request handle) {
    intptr_t number = (intptr_t)handle;
    if (handle == MPI_REQUEST_NULL)
        return NULL;
    if (number > 0 && (number & 1) != 0 && (size_t)number / 2 < w->request_count && w->requests[number / 2]->used)
        return w->requests[number / 2];
    for (size_t i = 0; i < w->known_count; i++)
        if (w->known[i].real == handle)
            return w->requests[w->known[i].slot];
    fail(VERSO_STATUS_INVALID, "it gets a request that was started outside of the function that is differentiated; "
                               "complete it there before");
}

static size_t new_slot(void) {
    for (size_t i = 0; i < w->request_count; i++)
        if (!w->requests[i]->used) {
            *w->requests[i] = (request){.used = true};
            return i;
        }
    w->requests = grow(w->requests, w->request_count, &w->request_room, sizeof(request *));
    request *r = w->requests[w->request_count] = need(verso__alloc(1, sizeof *r));
    r->used = true;
    return w->request_count++;
}

static void drop(request *r) {
    verso__dealloc(r->buffers[0]);
    verso__dealloc(r->buffers[1]);
    verso__dealloc(r->landings);
    verso__dealloc(r->ins);
    verso__dealloc(r->stage);
    *r = (request){.used = false};
}

/* ---- Which message a receive has got ---- */

static bool may_match(const request *r, const group *group, int peer, int tag) {
    return r->used && r->active && r->receive && !r->resolved && r->group == group &&
           (r->peer == peer || r->peer == MPI_ANY_SOURCE) && (r->tag == tag || r->tag == MPI_ANY_TAG);
}

static void resolve(request *r, int peer, int tag) {
    r->resolved = true;
    r->entry = new_entry(true, r->at, 0, r->map, r->group, peer, peer, next_key(r->group, peer, tag, false));
}

/* Numbers the message of a receive that is complete. Messages from one rank are received in the order in which
 * receives were posted. So every earlier receive that could have got this message has got another one, which is
 * complete soon. */
static void settle_request(request *r) {
    if (r->resolved)
        return;
    settle_before(r->group, r->status.MPI_SOURCE, r->status.MPI_TAG, r->order);
    resolve(r, r->status.MPI_SOURCE, r->status.MPI_TAG);
}

/* Numbers the messages of all receives that were posted before `order` and may have got a message of this kind. */
static void settle_before(const group *group, int peer, int tag, uint64_t order) {
    for (bool again = true; again;) {
        request *earliest = NULL;
        for (size_t i = 0; i < w->request_count; i++) {
            request *r = w->requests[i];
            if (may_match(r, group, peer, tag) && r->order < order && (earliest == NULL || r->order < earliest->order))
                earliest = r;
        }
        again = earliest != NULL;
        for (int done = 0; again && !done;)
            PMPI_Request_get_status(earliest->real, &done, &earliest->status);
        if (again)
            resolve(earliest, earliest->status.MPI_SOURCE, earliest->status.MPI_TAG);
    }
}

/* Numbers the message at once if nothing else can get it. */
static void settle_early(request *r) {
    if (r->peer == MPI_ANY_SOURCE || r->tag == MPI_ANY_TAG)
        return;
    for (size_t i = 0; i < w->request_count; i++)
        if (w->requests[i] != r && may_match(w->requests[i], r->group, r->peer, r->tag))
            return;
    resolve(r, r->peer, r->tag);
}

/* ---- Starting ---- */

static int start_send(request *r) {
    uint64_t bytes = (uint64_t)r->count * r->map->bytes;
    char *copy = need(verso__alloc(bytes + 1, 1));
    r->active = true;
    if (r->peer == MPI_PROC_NULL) {
        r->stage = copy;
        r->real = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    pack(r->map, r->at, bytes, copy);
    r->stage = copy;
    add_entry(sent_entry(r->at, r->count, r->map, r->group, r->peer, r->tag), NULL);
    if (r->mode == 's')
        return PMPI_Issend(copy, (int)bytes, MPI_PACKED, r->peer, r->tag, r->comm, &r->real);
    return PMPI_Isend(copy, (int)bytes, MPI_PACKED, r->peer, r->tag, r->comm, &r->real);
}

static int start_receive(request *r) {
    uint64_t bytes = (uint64_t)r->count * r->map->bytes;
    r->active = true;
    r->resolved = false;
    r->order = ++w->order;
    r->stage = need(verso__alloc(bytes + 1, 1));
    w->communicated = true;
    if (r->peer == MPI_PROC_NULL) { /* complete; `real` is not needed, and MPICH 4.0 does not set its status */
        r->real = MPI_REQUEST_NULL;
        r->resolved = true;
        return MPI_SUCCESS;
    }
    settle_early(r);
    return PMPI_Irecv(r->stage, (int)bytes, MPI_PACKED, r->peer, r->tag, r->comm, &r->real);
}

static int start(request *r) {
    return r->receive ? start_receive(r) : start_send(r);
}

static request *new_message(MPI_Request *handle, const void *at, int count, MPI_Datatype type, int peer, int tag,
                            MPI_Comm comm) {
    size_t slot = new_slot();
    request *r = w->requests[slot];
    r->at = (char *)(uintptr_t)at;
    r->count = count;
    r->type = type;
    r->peer = peer;
    r->tag = tag;
    r->comm = comm;
    r->map = map_of(type);
    r->group = group_of(comm);
    *handle = handle_of(slot);
    return r;
}

#define MESSAGE(NAME, CONST, MODE, RECEIVE, STARTS) \
    static int do_##NAME(verso_call *call, CONST void *at, int count, MPI_Datatype type, int peer, int tag, \
                         MPI_Comm comm, MPI_Request *handle) { \
        request *r = new_message(handle, at, count, type, peer, tag, comm); \
        r->mode = MODE; \
        r->receive = RECEIVE; \
        r->persistent = !(STARTS); \
        if (r->persistent) \
            note_request((size_t)(intptr_t)*handle / 2); \
        OUT(handle); \
        return (STARTS) ? start(r) : MPI_SUCCESS; \
    } \
    ADJOIN(int, NAME, \
           (CONST void *at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *handle), \
           (at, count, type, peer, tag, comm, handle))
MESSAGE(MPI_Isend, const, 'n', false, true);
MESSAGE(MPI_Issend, const, 's', false, true);
MESSAGE(MPI_Ibsend, const, 'b', false, true);
MESSAGE(MPI_Irsend, const, 'r', false, true);
MESSAGE(MPI_Irecv, , 0, true, true);
MESSAGE(MPI_Send_init, const, 'n', false, false);
MESSAGE(MPI_Ssend_init, const, 's', false, false);
MESSAGE(MPI_Bsend_init, const, 'b', false, false);
MESSAGE(MPI_Rsend_init, const, 'r', false, false);
MESSAGE(MPI_Recv_init, , 0, true, false);

static int do_MPI_Startall(verso_call *call, int count, MPI_Request *handles) {
    int result = MPI_SUCCESS;
    (void)call;
    for (int i = 0; i < count && result == MPI_SUCCESS; i++)
        result = start(request_of(handles[i]));
    return result;
}
ADJOIN(int, MPI_Startall, (int count, MPI_Request *handles), (count, handles));

static int do_MPI_Start(verso_call *call, MPI_Request *handle) {
    return do_MPI_Startall(call, 1, handle);
}
ADJOIN(int, MPI_Start, (MPI_Request * handle), (handle));

/* ---- Completing ---- */

static void land(request *r) {
    uint64_t bytes = bytes_of(&r->status);
    if (r->receive && r->status.MPI_SOURCE != MPI_PROC_NULL) {
        settle_request(r);
        r->entry.at = r->at;
        r->entry.bytes = bytes;
        add_entry(r->entry, NULL);
        unpack(r->map, r->at, bytes, r->stage);
        wrote(r->map, r->at, bytes);
    }
    for (size_t i = 0; i < r->landing_count; i++) {
        landing *l = &r->landings[i];
        char *packed = need(verso__alloc(l->bytes + 1, 1));
        pack(l->map, l->stage, l->bytes, packed);
        unpack(l->map, l->at, l->bytes, packed);
        wrote(l->map, l->at, l->bytes);
        verso__dealloc(packed);
    }
    for (size_t i = 0; i < r->in_count; i++)
        add_entry(r->ins[i], NULL);
}

/* Ends a request whose message is complete, and whose status is known. */
static void complete(verso_call *call, request *r, MPI_Request *handle, MPI_Status *status) {
    if (r->receive && r->peer == MPI_PROC_NULL)
        PMPI_Recv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r->status);
    wrote_status(call, status, &r->status);
    land(r);
    r->active = false;
    verso__dealloc(r->stage);
    r->stage = NULL;
    if (r->persistent)
        return;
    drop(r);
    *handle = MPI_REQUEST_NULL;
    OUT(handle);
}

static bool is_open(request *r) {
    return r != NULL && r->active;
}

/* The status of a request that is not active. */
static void wrote_empty(verso_call *call, MPI_Status *status) {
    MPI_Status empty;
    MPI_Request none = MPI_REQUEST_NULL;
    PMPI_Wait(&none, &empty);
    wrote_status(call, status, &empty);
}

static int do_MPI_Wait(verso_call *call, MPI_Request *handle, MPI_Status *status) {
    request *r = request_of(*handle);
    if (!is_open(r)) {
        wrote_empty(call, status);
        return MPI_SUCCESS;
    }
    int result = PMPI_Wait(&r->real, &r->status);
    complete(call, r, handle, status);
    return result;
}
ADJOIN(int, MPI_Wait, (MPI_Request * handle, MPI_Status *status), (handle, status));

static int do_MPI_Test(verso_call *call, MPI_Request *handle, int *flag, MPI_Status *status) {
    request *r = request_of(*handle);
    int result = MPI_SUCCESS;
    *flag = 1;
    if (is_open(r))
        result = PMPI_Test(&r->real, flag, &r->status);
    OUT(flag);
    if (*flag && is_open(r))
        complete(call, r, handle, status);
    else if (*flag)
        wrote_empty(call, status);
    return result;
}
ADJOIN(int, MPI_Test, (MPI_Request * handle, int *flag, MPI_Status *status), (handle, flag, status));

static MPI_Status *status_at(MPI_Status *statuses, int index) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[index];
}

static void complete_all(verso_call *call, int count, MPI_Request *handles, MPI_Status *statuses) {
    for (int i = 0; i < count; i++) {
        request *r = request_of(handles[i]);
        if (is_open(r))
            complete(call, r, &handles[i], status_at(statuses, i));
        else
            wrote_empty(call, status_at(statuses, i));
    }
}

static int do_MPI_Waitall(verso_call *call, int count, MPI_Request *handles, MPI_Status *statuses) {
    int result = MPI_SUCCESS;
    for (int i = 0; i < count && result == MPI_SUCCESS; i++)
        if (is_open(request_of(handles[i])))
            result = PMPI_Wait(&request_of(handles[i])->real, &request_of(handles[i])->status);
    complete_all(call, count, handles, statuses);
    return result;
}
ADJOIN(int, MPI_Waitall, (int count, MPI_Request *handles, MPI_Status *statuses), (count, handles, statuses));

/* MPI's requests of the open ones among these, MPI_REQUEST_NULL for the others. The caller frees them. */
static MPI_Request *reals_of(int count, MPI_Request *handles) {
    MPI_Request *reals = need(verso__alloc((size_t)count + 1, sizeof *reals));
    for (int i = 0; i < count; i++)
        reals[i] = is_open(request_of(handles[i])) ? request_of(handles[i])->real : MPI_REQUEST_NULL;
    return reals;
}

/* An open request without one of MPI (a message to MPI_PROC_NULL); -1: there is none. */
static int find_done(int count, MPI_Request *handles) {
    for (int i = 0; i < count; i++)
        if (is_open(request_of(handles[i])) && request_of(handles[i])->real == MPI_REQUEST_NULL)
            return i;
    return -1;
}

static void complete_at(verso_call *call, MPI_Request *handles, int index, MPI_Request real, MPI_Status *status,
                        const MPI_Status *got) {
    request *r = request_of(handles[index]);
    r->real = real;
    r->status = *got;
    complete(call, r, &handles[index], status);
}

static int any(verso_call *call, int count, MPI_Request *handles, int *index, int *flag, MPI_Status *status) {
    MPI_Status got;
    int result = MPI_SUCCESS, done = 1, at = find_done(count, handles);
    MPI_Request *reals = reals_of(count, handles), none = MPI_REQUEST_NULL;
    if (at >= 0)
        PMPI_Wait(&none, &got);
    else if (flag == NULL)
        result = PMPI_Waitany(count, reals, &at, &got);
    else
        result = PMPI_Testany(count, reals, &at, &done, &got);
    *index = done ? at : MPI_UNDEFINED;
    OUT(index);
    if (flag != NULL) {
        *flag = done;
        OUT(flag);
    }
    if (done && at != MPI_UNDEFINED)
        complete_at(call, handles, at, reals[at], status, &got);
    else if (done)
        wrote_status(call, status, &got);
    verso__dealloc(reals);
    return result;
}

static int do_MPI_Waitany(verso_call *call, int count, MPI_Request *handles, int *index, MPI_Status *status) {
    return any(call, count, handles, index, NULL, status);
}
ADJOIN(int, MPI_Waitany, (int count, MPI_Request *handles, int *index, MPI_Status *status),
       (count, handles, index, status));

static int do_MPI_Testany(verso_call *call, int count, MPI_Request *handles, int *index, int *flag,
                          MPI_Status *status) {
    return any(call, count, handles, index, flag, status);
}
ADJOIN(int, MPI_Testany, (int count, MPI_Request *handles, int *index, int *flag, MPI_Status *status),
       (count, handles, index, flag, status));

static int some(verso_call *call, bool waits, int count, MPI_Request *handles, int *done, int *indices,
                MPI_Status *statuses) {
    MPI_Status *got = need(verso__alloc((size_t)count + 1, sizeof *got));
    MPI_Request *reals = reals_of(count, handles), none = MPI_REQUEST_NULL;
    int at = find_done(count, handles), result = MPI_SUCCESS;
    if (at >= 0) {
        PMPI_Wait(&none, &got[0]);
        *done = 1;
        indices[0] = at;
    } else if (waits)
        result = PMPI_Waitsome(count, reals, done, indices, got);
    else
        result = PMPI_Testsome(count, reals, done, indices, got);
    OUT(done);
    for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++)
        complete_at(call, handles, indices[i], reals[indices[i]], status_at(statuses, i), &got[i]);
    if (*done != MPI_UNDEFINED)
        OUT_MANY(indices, *done);
    verso__dealloc(reals);
    verso__dealloc(got);
    return result;
}

static int do_MPI_Waitsome(verso_call *call, int count, MPI_Request *handles, int *done, int *indices,
                           MPI_Status *statuses) {
    return some(call, true, count, handles, done, indices, statuses);
}
ADJOIN(int, MPI_Waitsome, (int count, MPI_Request *handles, int *done, int *indices, MPI_Status *statuses),
       (count, handles, done, indices, statuses));

static int do_MPI_Testsome(verso_call *call, int count, MPI_Request *handles, int *done, int *indices,
                           MPI_Status *statuses) {
    return some(call, false, count, handles, done, indices, statuses);
}
ADJOIN(int, MPI_Testsome, (int count, MPI_Request *handles, int *done, int *indices, MPI_Status *statuses),
       (count, handles, done, indices, statuses));

static int do_MPI_Testall(verso_call *call, int count, MPI_Request *handles, int *flag, MPI_Status *statuses) {
    *flag = 1;
    for (int i = 0, done; i < count && *flag; i++) {
        request *r = request_of(handles[i]);
        if (is_open(r) && r->real != MPI_REQUEST_NULL) {
            PMPI_Request_get_status(r->real, &done, &r->status);
            *flag = done;
        }
    }
    OUT(flag);
    return *flag ? do_MPI_Waitall(call, count, handles, statuses) : MPI_SUCCESS;
}
ADJOIN(int, MPI_Testall, (int count, MPI_Request *handles, int *flag, MPI_Status *statuses),
       (count, handles, flag, statuses));

static int do_MPI_Request_free(verso_call *call, MPI_Request *handle) {
    request *r = request_of(*handle);
    if (is_open(r) && (r->receive || r->landing_count > 0))
        fail(VERSO_STATUS_INVALID, "it frees a request that still receives numbers; complete it with MPI_Wait");
    if (is_open(r)) {
        leave(r->real, r->stage);
        r->stage = NULL;
    }
    if (r != NULL && r->persistent && ((intptr_t)*handle & 1) != 0)
        add_note((note){.kind = NOTE_FREED, .number = (uint64_t)(intptr_t)*handle / 2}, NULL, 0);
    if (r != NULL)
        drop(r);
    *handle = MPI_REQUEST_NULL;
    OUT(handle);
    return MPI_SUCCESS;
}
ADJOIN(int, MPI_Request_free, (MPI_Request * handle), (handle));

static int do_MPI_Request_get_status(verso_call *call, MPI_Request handle, int *flag, MPI_Status *status) {
    request *r = request_of(handle);
    MPI_Status got;
    MPI_Request none = MPI_REQUEST_NULL;
    *flag = 1;
    if (is_open(r))
        PMPI_Request_get_status(r->real, flag, &got);
    else
        PMPI_Wait(&none, &got);
    OUT(flag);
    if (*flag)
        wrote_status(call, status, &got);
    return MPI_SUCCESS;
}
ADJOIN(int, MPI_Request_get_status, (MPI_Request handle, int *flag, MPI_Status *status), (handle, flag, status));

#endif
