/* Entries: what a call has sent and received. Kept on the tape; the sweep needs nothing else. */
#ifndef VERSO_MPI_ENTRIES_H
#define VERSO_MPI_ENTRIES_H

static void begin_entries(void) {
    for (size_t i = 0; i < w->entry_count; i++)
        verso__dealloc(w->weights[i]);
    w->entry_count = 0;
}

/* Adds an entry of the current call. It owns `weights`, which may be NULL. */
static void add_entry(entry new, double *weights) {
    if (new.first > new.last || count_numbers(w->maps[new.map], new.bytes) == 0) {
        verso__dealloc(weights);
        return;
    }
    if (w->entry_count == w->entry_room) {
        size_t room = w->entry_room;
        w->entries = grow(w->entries, w->entry_count, &room, sizeof *w->entries);
        w->weights = grow(w->weights, w->entry_count, &w->entry_room, sizeof *w->weights);
    }
    new.weights = weights != NULL;
    w->weights[w->entry_count] = weights;
    w->entries[w->entry_count++] = new;
}

static entry new_entry(bool in, const void *at, uint64_t bytes, map *m, group *group, int first, int last, key key) {
    use_map(m);
    use_group(group);
    return (entry){.at = (char *)(uintptr_t)at,
                   .bytes = bytes,
                   .key = key,
                   .map = m->index,
                   .group = group->index,
                   .first = first,
                   .last = last,
                   .in = in};
}

static void keep_entries(verso_call *call) {
    for (size_t i = 0; i < w->entry_count; i++) {
        const entry *e = &w->entries[i];
        verso_keep(call, e, sizeof *e);
        if (e->weights)
            verso_keep(call, w->weights[i], count_numbers(w->maps[e->map], e->bytes) * sizeof(double));
    }
    begin_entries();
}

/* ---- One entry ---- */

static void send_to_all(const entry *e, const double *numbers, uint64_t count) {
    const group *group = w->groups[e->group];
    for (int i = e->first; i <= e->last; i++)
        send_numbers(group->members[i], e->key, numbers, count);
}

/* Adds up what the members send, in their order. */
static void sum_of_all(const entry *e, double *numbers, uint64_t count) {
    const group *group = w->groups[e->group];
    for (int i = e->first; i <= e->last; i++) {
        message *m = receive_numbers(group->members[i], e->key, count);
        for (uint64_t k = 0; k < count; k++)
            numbers[k] = i == e->first ? m->numbers[k] : numbers[k] + m->numbers[k];
        verso__dealloc(m);
    }
}

/* A weight of zero drops a derivative, whatever it is. */
static void weigh(double *numbers, const double *weights, uint64_t count) {
    for (uint64_t k = 0; weights != NULL && k < count; k++)
        numbers[k] = weights[k] == 0 ? 0 : numbers[k] * weights[k];
}

static void sends(const entry *e, const double *weights, action action) {
    uint64_t count = count_numbers(w->maps[e->map], e->bytes);
    double *numbers = room_for(count);
    move_all(action, w->maps[e->map], e->at, e->bytes, numbers);
    weigh(numbers, weights, count);
    send_to_all(e, numbers, count);
}

static void receives(const entry *e, const double *weights, action action) {
    uint64_t count = count_numbers(w->maps[e->map], e->bytes);
    double *numbers = room_for(count);
    sum_of_all(e, numbers, count);
    weigh(numbers, weights, count);
    move_all(action, w->maps[e->map], e->at, e->bytes, numbers);
}

/* ---- All entries of a call ---- */

/* Takes the adjoints of what came, sends them back, and then adds those of what went. */
static void reverse(verso_call *call, const char *name) {
    w->call = name;
    w->tangent = false;
    if (is_durable())
        verso__native_ranks_settle();
    for (unsigned in = 2; in-- > 0;)
        for (const char *at = call->kept, *end = at + call->kept_bytes; at < end;) {
            entry e;
            memcpy(&e, at, sizeof e);
            at += sizeof e;
            const double *weights = e.weights ? (const double *)(const void *)at : NULL;
            at += e.weights ? count_numbers(w->maps[e.map], e.bytes) * sizeof(double) : 0;
            if (in && e.in)
                sends(&e, NULL, TAKE);
            else if (!in && !e.in)
                receives(&e, weights, ADD);
        }
}

/* Sends the tangents of what went, then sets those of what came. */
static void carry(void) {
    for (unsigned in = 0; in < 2; in++)
        for (size_t i = 0; i < w->entry_count; i++) {
            if (!in && !w->entries[i].in)
                sends(&w->entries[i], w->weights[i], READ);
            else if (in && w->entries[i].in)
                receives(&w->entries[i], NULL, WRITE);
        }
    begin_entries();
}

#endif
