/* Messages that are matched before they are received (MPI_Mprobe, MPI_Mrecv), and packing. */
#ifndef VERSO_MPI_MATCHED_H
#define VERSO_MPI_MATCHED_H

/* ---- Matched messages ---- */

/* Remembers a message that was matched just now. Earlier receives get their number first. */
static void match(MPI_Message handle, MPI_Comm comm, const MPI_Status *status) {
    if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC)
        return;
    group *group = group_of(comm);
    w->communicated = true;
    settle_before(group, status->MPI_SOURCE, status->MPI_TAG, UINT64_MAX);
    size_t i = 0;
    while (i < w->matched_count && w->matched[i].used)
        i++;
    w->matched = grow(w->matched, i, &w->matched_room, sizeof *w->matched);
    w->matched_count += i == w->matched_count;
    w->matched[i] = (matched){.used = true,
                              .real = handle,
                              .group = group,
                              .source = status->MPI_SOURCE,
                              .key = next_key(group, status->MPI_SOURCE, status->MPI_TAG, false)};
}

/* Takes the message off the list; `used` is false for MPI_MESSAGE_NO_PROC. */
static matched take_matched(MPI_Message handle) {
    for (size_t i = 0; i < w->matched_count; i++)
        if (w->matched[i].used && w->matched[i].real == handle) {
            matched found = w->matched[i];
            w->matched[i].used = false;
            return found;
        }
    if (handle != MPI_MESSAGE_NO_PROC)
        fail(VERSO_STATUS_INVALID, "it gets a message that was matched outside of the function that is differentiated; "
                                   "receive it there before");
    return (matched){0};
}

static int do_MPI_Mprobe(verso_call *call, int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    MPI_Status got;
    int result = PMPI_Mprobe(peer, tag, comm, message, &got);
    match(*message, comm, &got);
    OUT(message);
    wrote_status(call, status, &got);
    return result;
}
ADJOIN(int, MPI_Mprobe, (int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
       (peer, tag, comm, message, status));

static int do_MPI_Improbe(verso_call *call, int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                          MPI_Status *status) {
    MPI_Status got;
    int result = PMPI_Improbe(peer, tag, comm, flag, message, &got);
    OUT(flag);
    if (!*flag)
        return result;
    match(*message, comm, &got);
    OUT(message);
    wrote_status(call, status, &got);
    return result;
}
ADJOIN(int, MPI_Improbe, (int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
       (peer, tag, comm, flag, message, status));

static int do_MPI_Mrecv(verso_call *call, void *at, int count, MPI_Datatype type, MPI_Message *message,
                        MPI_Status *status) {
    MPI_Status got;
    matched m = take_matched(*message);
    int result = PMPI_Mrecv(at, count, type, message, &got);
    if (m.used && result == MPI_SUCCESS) {
        uint64_t bytes = bytes_of(&got);
        add_entry(new_entry(true, at, bytes, map_of(type), m.group, m.source, m.source, m.key), NULL);
        wrote(map_of(type), at, bytes);
    }
    OUT(message);
    wrote_status(call, status, &got);
    return result;
}
ADJOIN(int, MPI_Mrecv, (void *at, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
       (at, count, type, message, status));

static int do_MPI_Imrecv(verso_call *call, void *at, int count, MPI_Datatype type, MPI_Message *message,
                         MPI_Request *handle) {
    matched m = take_matched(*message);
    request *r = new_message(handle, at, count, type, m.used ? m.source : MPI_PROC_NULL, 0,
                             m.used ? m.group->comm : MPI_COMM_WORLD);
    uint64_t bytes = (uint64_t)count * r->map->bytes;
    int result = MPI_SUCCESS;
    r->receive = r->active = r->resolved = true;
    r->order = ++w->order;
    r->stage = need(verso__alloc(bytes + 1, 1));
    r->real = MPI_REQUEST_NULL;
    if (m.used) {
        r->entry = new_entry(true, at, 0, r->map, m.group, m.source, m.source, m.key);
        result = PMPI_Imrecv(r->stage, (int)bytes, MPI_PACKED, message, &r->real);
    } else
        *message = MPI_MESSAGE_NULL;
    OUT(message);
    OUT(handle);
    return result;
}
ADJOIN(int, MPI_Imrecv, (void *at, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *handle),
       (at, count, type, message, handle));

/* ---- Packing: a copy within this rank ---- */

/* Elements at `at`, and the same data without gaps at `packed`. */
typedef struct packing {
    char *at, *packed;
    uint64_t bytes;
    uint32_t map;
} packing;

typedef struct carrying {
    action take, give;
    char *packed;
    bool unpacks;
} carrying;

static void carry_numbers(const carrying *c, char *at, verso_scalar type, uint64_t count) {
    double *numbers = room_for(count);
    move_numbers(c->take, c->unpacks == (c->take == TAKE) ? at : c->packed, type, count, numbers);
    move_numbers(c->give, c->unpacks == (c->take == TAKE) ? c->packed : at, type, count, numbers);
}

static void carry_words(const carrying *c, char *at, uint64_t bytes) {
    static const verso_scalar types[RAW_KINDS] = {VERSO_SCALAR_DOUBLE, VERSO_SCALAR_FLOAT, VERSO_SCALAR_LONG_DOUBLE};
    for (uint64_t i = 0; i < bytes / WORD * RAW_KINDS; i++) {
        char *plain = at + i / RAW_KINDS * WORD, *packed = c->packed + i / RAW_KINDS * WORD;
        double number = 0;
        if (!verso__native_mpi_has_numbers(types[i % RAW_KINDS]) || ((uintptr_t)plain | (uintptr_t)packed) % WORD != 0)
            continue;
        move_word(c->take, c->unpacks == (c->take == TAKE) ? plain : packed, types[i % RAW_KINDS], &number);
        move_word(c->give, c->unpacks == (c->take == TAKE) ? packed : plain, types[i % RAW_KINDS], &number);
    }
}

static void carry_piece(void *context, char *at, uint64_t bytes, char kind) {
    carrying *c = context;
    uint64_t count = kind == 'n' || kind == 'r' ? 0 : numbers_of(kind, bytes);
    if (kind == 'r')
        carry_words(c, at, bytes);
    if (count > 0 && (uintptr_t)c->packed % WORD != 0)
        fail(VERSO_STATUS_INVALID, "it packs numbers at an address that is no multiple of %d; pack bytes after numbers",
             WORD);
    if (count > 0)
        carry_numbers(c, at,
                      kind == 'd'   ? VERSO_SCALAR_DOUBLE
                      : kind == 'f' ? VERSO_SCALAR_FLOAT
                                    : VERSO_SCALAR_LONG_DOUBLE,
                      count);
    c->packed += bytes;
}

static void carry_packed(const packing *p, bool reverse, bool unpacks) {
    carrying c = {reverse ? TAKE : READ, reverse ? ADD : WRITE, p->packed, unpacks};
    each_piece(w->maps[p->map], p->at, p->bytes, carry_piece, &c);
}

/* Reverse: from the side that was written to the other; forwards: the other way round. */
#define PACKING(NAME, PARAMETERS, ARGUMENTS, AT, COUNT, PACKED, UNPACKS) \
    static packing pack_##NAME(verso_call *call, LIST PARAMETERS) { \
        map *m = map_of(type); \
        use_map(m); \
        packing p = {(char *)(uintptr_t)(AT), (char *)(uintptr_t)(PACKED) + *position, (uint64_t)(COUNT) * m->bytes, \
                     m->index}; \
        if ((int64_t)size < *position + (int64_t)p.bytes) \
            fail(VERSO_STATUS_INVALID, "the packed data are longer than their buffer"); \
        (void)comm; \
        *position += (int)p.bytes; \
        OUT(position); \
        if (UNPACKS) { \
            unpack(m, p.at, p.bytes, p.packed); \
            wrote(m, p.at, p.bytes); \
        } else { \
            pack(m, p.at, p.bytes, p.packed); \
            verso_wrote(call, p.packed, p.bytes); \
        } \
        return p; \
    } \
    static int record_##NAME(verso_call *call, LIST PARAMETERS) { \
        begin_call(#NAME, false); \
        packing p = pack_##NAME(call, LIST ARGUMENTS); \
        verso_keep(call, &p, sizeof p); \
        return MPI_SUCCESS; \
    } \
    static void sweep_##NAME(verso_call *call, LIST PARAMETERS) { \
        packing p; \
        (void)(LIST ARGUMENTS); \
        memcpy(&p, call->kept, sizeof p); \
        carry_packed(&p, true, UNPACKS); \
    } \
    static int tangent_##NAME(verso_call *call, LIST PARAMETERS) { \
        begin_call(#NAME, true); \
        packing p = pack_##NAME(call, LIST ARGUMENTS); \
        carry_packed(&p, false, UNPACKS); \
        return MPI_SUCCESS; \
    } \
    VERSO_WORLD_ADJOINT(NAME, record_##NAME, sweep_##NAME, tangent_##NAME)

PACKING(MPI_Pack, (const void *at, int count, MPI_Datatype type, void *to, int size, int *position, MPI_Comm comm),
        (at, count, type, to, size, position, comm), at, count, to, false);
PACKING(MPI_Unpack, (const void *from, int size, int *position, void *at, int count, MPI_Datatype type, MPI_Comm comm),
        (from, size, position, at, count, type, comm), at, count, from, true);

#endif
