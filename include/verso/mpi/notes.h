/* Notes: what a durable run logs beside what a call received, so that another process can take its place: which
 * messages have been sent and received, and which objects of this file the entries on the tape refer to. */
#ifndef VERSO_MPI_NOTES_H
#define VERSO_MPI_NOTES_H

typedef enum note_kind {
    NOTE_OUT = 1,  /* a message was sent to, or received from, `peer` (in MPI_COMM_WORLD) */
    NOTE_IN,       /* ... */
    NOTE_TOGETHER, /* a collective call of the communicator */
    NOTE_OPEN,     /* `number` requests are open after the call */
    NOTE_MAP,      /* the map with index `number`; its pieces follow */
    NOTE_GROUP,    /* the communicator with index `number`; its members follow */
    NOTE_REQUEST,  /* the request in slot `number` is persistent; a persistent_note follows */
    NOTE_FREED,    /* ... and was freed */
} note_kind;

typedef struct note {
    uint32_t kind;
    int32_t peer, tag, rank;
    uint64_t comm, number;
} note;

typedef struct map_note {
    int64_t extent;
    uint64_t bytes, numbers;
    uint32_t dense, pair;
} map_note;

typedef struct persistent_note {
    char *at;
    int32_t count, peer, tag;
    uint32_t map;
    uint32_t receive, mode;
} persistent_note;

static void add_note(note new, const void *more, size_t size) {
    char room[256], *bytes = room;
    if (!is_durable())
        return;
    if (sizeof new + size > sizeof room)
        bytes = need(verso__alloc(sizeof new + size, 1));
    memcpy(bytes, &new, sizeof new);
    if (size > 0)
        memcpy(bytes + sizeof new, more, size);
    verso__native_once_note(bytes, sizeof new + size);
    if (bytes != room)
        verso__dealloc(bytes);
}

/* Gives a group, or a map, an index in this differentiation. */
static void use_group(group *group) {
    if (group->run == w->run)
        return;
    group->run = w->run;
    group->calls = 0;
    w->groups = grow(w->groups, w->group_count, &w->group_room, sizeof(void *));
    group->index = (uint32_t)w->group_count;
    w->groups[w->group_count++] = group;
    add_note((note){.kind = NOTE_GROUP, .rank = group->rank, .comm = group->id, .number = group->index}, group->members,
             (size_t)group->size * sizeof *group->members);
}

static void use_map(map *m) {
    if (m->run == w->run)
        return;
    m->run = w->run;
    w->maps = grow(w->maps, w->map_count, &w->map_room, sizeof(map *));
    m->index = (uint32_t)w->map_count;
    w->maps[w->map_count++] = m;
    if (!is_durable())
        return;
    size_t size = sizeof(map_note) + m->count * sizeof *m->pieces;
    char *bytes = need(verso__alloc(size, 1));
    map_note head = {m->extent, m->bytes, m->numbers, m->dense, m->pair};
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, m->pieces, m->count * sizeof *m->pieces);
    add_note((note){.kind = NOTE_MAP, .number = m->index}, bytes, size);
    verso__dealloc(bytes);
}

static void note_open(void) {
    uint64_t open = 0;
    if (!is_durable())
        return;
    for (size_t i = 0; i < w->request_count; i++)
        open += w->requests[i]->used && w->requests[i]->active;
    for (size_t i = 0; i < w->matched_count; i++)
        open += w->matched[i].used;
    if (open > 0)
        add_note((note){.kind = NOTE_OPEN, .number = open}, NULL, 0);
}

static void note_request(size_t slot) {
    const request *r = w->requests[slot];
    if (!is_durable() || !verso__native_stack_is_running())
        return;
    use_map(r->map);
    use_group(r->group);
    persistent_note more = {r->at, r->count, r->peer, r->tag, r->map->index, r->receive, (unsigned char)r->mode};
    add_note((note){.kind = NOTE_REQUEST, .comm = r->group->id, .number = slot}, &more, sizeof more);
}

#endif
