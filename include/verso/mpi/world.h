/* The state of the adjoints of MPI. It is not the program's memory: capsules do not contain it, because it describes
 * the communication that was really made, and that only goes forward. */
#ifndef VERSO_MPI_WORLD_H
#define VERSO_MPI_WORLD_H

/* Functions of libverso.a. */
void *verso__alloc(size_t count, size_t size);
void *verso__realloc(void *old, size_t count, size_t size);
void verso__dealloc(void *block);
void *verso__native_mpi_block(size_t size);
_Noreturn void verso__native_give_up(verso_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void verso__native_wrote_rows(void *data, size_t size, size_t stride, size_t count);
bool verso__native_stack_is_running(void);
bool verso__native_mpi_has_numbers(verso_scalar type);
void verso__native_handles_add(const void *handle);
void verso__native_ranks_settle(void);
bool verso__native_log_is_open(void);
verso_status verso__native_log_cut(uint64_t at, verso_error *error);
void verso__native_once_note(const void *bytes, size_t size);
void verso__native_once_notes(void (*visit)(void *context, uint64_t at, const void *note, size_t size), void *context);
enum { VERSO_NATIVE_POST_KEY = 3 };
typedef struct verso__native_post {
    uint32_t used, peer;
    uint64_t key[VERSO_NATIVE_POST_KEY];
    uint64_t count;
} verso__native_post;
typedef void verso__native_post_visit(void *context, const verso__native_post *post, const double *numbers);
verso_status verso__native_posts_add(const verso__native_post *post, const double *numbers, verso_error *error);
verso_status verso__native_posts_each(verso__native_post_visit *visit, void *context, verso_error *error);

/* The members of a communicator. Lives as long as the process. */
typedef struct group {
    uint64_t id;    /* the same on all members, another one for each communicator */
    uint64_t run;   /* the last differentiation in which it was used */
    uint32_t index; /* in world->groups, in that differentiation */
    MPI_Comm comm;  /* MPI_COMM_NULL: of another process */
    int size, rank; /* number of members, and which one this process is */
    uint64_t calls; /* number of collective calls so far */
    int *members;   /* their ranks in MPI_COMM_WORLD */
} group;

/* Contiguous numbers, or other bytes, in an element of a datatype. */
typedef struct piece {
    int64_t offset;
    uint64_t bytes;
    char kind; /* 'd' double, 'f' float, 'l' long double, 'r' bytes of any type, 'n' integers */
} piece;

/* Where the numbers of a datatype are. Lives as long as the process. */
typedef struct map {
    piece *pieces;
    size_t count, room;
    int64_t extent;
    uint64_t bytes;   /* bytes of data in an element, without gaps */
    uint64_t numbers; /* numbers in an element; at least 1 if it has bytes that may be numbers */
    uint64_t run;     /* the last differentiation in which it was used */
    uint32_t index;   /* in world->maps, in that differentiation */
    bool dense;       /* a single piece without gaps between elements */
    bool pair;        /* MPI_DOUBLE_INT or MPI_FLOAT_INT */
} map;

/* Counts messages from or to `peer` (in MPI_COMM_WORLD) with a tag. */
typedef struct stream {
    uint64_t comm;
    int peer, tag;
    bool out, used;
    uint64_t next;
} stream;

/* What identifies a message between two ranks. */
typedef struct key {
    uint64_t comm;
    uint64_t channel; /* a tag, or COLLECTIVE */
    uint64_t number;
} key;
#define COLLECTIVE (UINT64_C(1) << 32)

/* A message of derivatives that has come. */
typedef struct message {
    struct message *next;
    int from;
    key key;
    uint64_t count;
    double numbers[];
} message;

/* Memory of the program that went to, or came from, members `first` to `last` of a group. */
typedef struct entry {
    char *at;
    uint64_t bytes; /* of data, without gaps */
    key key;
    uint32_t map, group;
    int32_t first, last;
    uint32_t in;      /* not 0: it came, and is the sum of what these members sent */
    uint32_t weights; /* not 0: derivatives are multiplied by numbers that follow the entry */
} entry;

/* Memory that a nonblocking call writes when it is completed: copied from the staged memory. */
typedef struct landing {
    char *at, *stage;
    const map *map;
    uint64_t bytes;
} landing;

/* An open or persistent request. */
typedef struct request {
    bool used, active, persistent, receive, anyone;
    bool resolved;  /* its message is known: `entry` is complete */
    uint64_t order; /* number of the request, in order of their posting */
    MPI_Request real;
    char *stage;
    /* Arguments of messages. */
    char *at;
    int count, peer, tag;
    char mode; /* of a send: 'n', 's', 'b', 'r' */
    MPI_Datatype type;
    MPI_Comm comm;
    map *map;
    group *group;
    entry entry; /* of a receive */
    MPI_Status status;
    /* A collective call. */
    char *buffers[2]; /* copies of what goes and what comes */
    int64_t shift;    /* from the program's buffer to the copy of what comes */
    landing *landings;
    size_t landing_count;
    entry *ins;
    size_t in_count;
} request;

/* A request that the program made outside of a differentiation. */
typedef struct known {
    MPI_Request real;
    size_t slot;
} known;

/* A message of derivatives that was sent, or used, by another process of a durable run. */
typedef struct parcel {
    int peer;
    key key;
    uint64_t order;
} parcel;
typedef struct parcels {
    parcel *at;
    size_t count, room;
} parcels;

/* A message that was matched (MPI_Mprobe) and not received. */
typedef struct matched {
    bool used;
    MPI_Message real;
    group *group;
    int source;
    key key;
} matched;

typedef struct sending {
    MPI_Request request;
    void *bytes;
} sending;

typedef struct world {
    bool ready;        /* `adjoint` exists */
    bool running;      /* a differentiation runs */
    bool communicated; /* in it, this rank took part in a call that communicates */
    bool tangent;      /* the current call is in tangent mode */
    bool met, settled; /* in a durable run: what durable.h does is done */
    parcels needless;  /* messages that need not be sent, because another process has: sorted */
    const char *call;  /* the current call */
    int rank, size;
    MPI_Comm adjoint; /* a duplicate of MPI_COMM_WORLD for derivatives */
    int comm_key, type_key;
    uint64_t comms; /* number of communicators that this rank has named */
    uint64_t order; /* number of requests */
    uint64_t run;   /* number of the differentiation */
    group **known_groups;
    size_t known_group_count, known_group_room;
    group **groups; /* of this differentiation */
    size_t group_count, group_room;
    map **maps; /* of this differentiation */
    size_t map_count, map_room;
    stream *streams; /* a hash table */
    size_t stream_count, stream_room;
    message *first, *last; /* messages that came early */
    sending *sendings;
    size_t sending_count, sending_room;
    request **requests;
    size_t request_count, request_room;
    matched *matched;
    size_t matched_count, matched_room;
    known *known;
    size_t known_count, known_room;
    entry *entries; /* of the current call */
    double **weights;
    size_t entry_count, entry_room;
    double *numbers; /* room for the derivatives of a buffer */
    size_t number_room;
    void *attached, *buffer; /* of MPI_Buffer_attach: the program's, and the one that MPI has instead */
    int attached_size;
} world;

static world *w;

__attribute__((constructor)) static void join(void) {
    w = verso__native_mpi_block(sizeof *w);
}

/* ---- Failures ---- */

_Noreturn static void fail(verso_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn static void fail(verso_status status, const char *format, ...) {
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (verso__native_stack_is_running())
        verso__native_give_up(status, "%s: %s", w->call != NULL ? w->call : "MPI", text);
    fprintf(stderr, "verso: %s: %s\n", w->call != NULL ? w->call : "MPI", text);
    abort();
}

static bool is_durable(void) {
    return verso__native_log_is_open();
}

static void *need(void *block) {
    if (block == NULL)
        fail(VERSO_STATUS_NO_MEMORY, "no memory for what it communicates");
    return block;
}

static void *grow(void *list, size_t count, size_t *room, size_t size) {
    if (count < *room)
        return list;
    *room = *room == 0 ? 16 : 2 * *room;
    return need(verso__realloc(list, *room, size));
}

static double *room_for(uint64_t count) {
    if (count > w->number_room) {
        verso__dealloc(w->numbers);
        w->number_room = count + count / 2;
        w->numbers = need(verso__alloc(w->number_room, sizeof *w->numbers));
    }
    return w->numbers;
}

#endif
