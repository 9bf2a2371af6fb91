/* Random MPI programs. Each is a list of operations that follows from a seed; `parallel` does them with calls of MPI,
 * and `serial` does what they mean on the states of all ranks in one process. The gradient of the parallel program must
 * be that of the serial one up to rounding, and have the same bits within a budget with other steps on each rank.
 * Arguments: first seed, number of seeds. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { N = 12, RANKS = 4, OPS = 40 };

typedef enum kind {
    MIX,
    SHIFT,
    BOTH_WAYS,
    STRIDED,
    BROADCAST,
    SUM_ALL,
    SUM_IN_PLACE,
    REDUCE,
    GATHER_ALL,
    EXCHANGE_ALL,
    SCAN,
    COLLECT,
    SUM_PARTS,
    SUM_HALF,
    SUM_LATER,
    REPEAT,
    ANY_ORDER,
    PACKED,
    NEIGHBOURS,
    MATCHED,
    IF_POSITIVE,
    KINDS
} kind;

typedef struct op {
    kind kind;
    int a, b, length, shift, root, how;
    int tag; /* of messages from any rank, which must not be those of a later operation */
} op;

static op ops[OPS];
static int op_count, rank, size;
static MPI_Comm half, ring;
static MPI_Datatype stride;
static MPI_Request persistent[2];
static double sent[N], received[N];

static unsigned long long state;

static int below(int most) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned)most);
}

static void make(unsigned long long seed) {
    state = seed * 0x9e3779b97f4a7c15ULL + 1;
    op_count = 5 + below(OPS - 5);
    for (int i = 0; i < op_count; i++) {
        op *o = &ops[i];
        o->kind = (kind)below(KINDS);
        o->length = 1 + below(4);
        o->a = below(N - 4);
        o->b = below(N - 4);
        o->shift = size > 1 ? 1 + below(size - 1) : 0;
        o->root = below(size);
        o->how = below(4);
        o->tag = 10 + i;
    }
}

/* ---- What does not communicate ---- */

static void mix(double *u, int who, int k) {
    for (int i = 0; i < N; i++)
        u[i] = 0.7 * u[i] + 0.3 * sin(u[(i + k + 1) % N] * (1 + 0.1 * who) + 0.2 * i);
}

static void take(double *u, const op *o, const double *from) {
    for (int j = 0; j < o->length; j++)
        u[o->b + j] = o->how % 2 == 0 ? from[j] : 0.5 * u[o->b + j] + 0.4 * from[j] * u[o->b + j];
}

static MPI_Op operation(const op *o) {
    const MPI_Op all[4] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
    return all[o->how];
}

static double combine(const op *o, double a, double b) {
    return o->how == 0 ? a + b : o->how == 1 ? a * b : o->how == 2 ? (b < a ? b : a) : (b > a ? b : a);
}

/* ---- The parallel program ---- */

static int from_rank(const op *o) {
    return (rank + size - o->shift) % size;
}

static int to_rank(const op *o) {
    return (rank + o->shift) % size;
}

static void do_message(double *u, const op *o) {
    double got[N];
    MPI_Request requests[4];
    MPI_Status status;
    int position = 0;
    char room[256];
    MPI_Message message;
    switch (o->kind) {
    case SHIFT:
        MPI_Sendrecv(&u[o->a], o->length, MPI_DOUBLE, to_rank(o), 1, got, o->length, MPI_DOUBLE, from_rank(o), 1,
                     MPI_COMM_WORLD, &status);
        break;
    case BOTH_WAYS: {
        double other[N];
        MPI_Irecv(got, o->length, MPI_DOUBLE, from_rank(o), 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(other, o->length, MPI_DOUBLE, to_rank(o), 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&u[o->a], o->length, MPI_DOUBLE, to_rank(o), 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Issend(&u[o->b], o->length, MPI_DOUBLE, from_rank(o), 3, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int j = 0; j < o->length; j++)
            got[j] += 0.5 * other[j] * other[j];
        break;
    }
    case STRIDED: /* 3 numbers at distance 2 */
        MPI_Irecv(got, 3, MPI_DOUBLE, from_rank(o), 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Send(&u[o->a % 6], 1, stride, to_rank(o), 4, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], &status);
        got[3] = got[0];
        break;
    case REPEAT:
        memcpy(sent, &u[o->a], 4 * sizeof *sent);
        MPI_Startall(2, persistent);
        MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
        memcpy(got, received, 4 * sizeof *got);
        break;
    case PACKED:
        MPI_Pack(&o->length, 1, MPI_INT, room, sizeof room, &position, MPI_COMM_WORLD);
        MPI_Pack(&u[o->a], o->length, MPI_DOUBLE, room, sizeof room, &position, MPI_COMM_WORLD);
        MPI_Sendrecv_replace(room, position, MPI_PACKED, to_rank(o), 6, from_rank(o), 6, MPI_COMM_WORLD, &status);
        position = 0;
        MPI_Unpack(room, sizeof room, &position, &(int){0}, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(room, sizeof room, &position, got, o->length, MPI_DOUBLE, MPI_COMM_WORLD);
        break;
    default:
        MPI_Isend(&u[o->a], o->length, MPI_DOUBLE, to_rank(o), 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Mprobe(from_rank(o), 7, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(got, o->length, MPI_DOUBLE, &message, &status);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    take(u, o, got);
}

static void do_reduction(double *u, const op *o) {
    double got[N] = {0}, parts[RANKS];
    MPI_Request request;
    switch (o->kind) {
    case SUM_ALL: MPI_Allreduce(&u[o->a], got, o->length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
    case SUM_IN_PLACE:
        MPI_Allreduce(MPI_IN_PLACE, &u[o->a], o->length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int j = 0; j < o->length; j++)
            u[o->a + j] = tanh(u[o->a + j]);
        return;
    case REDUCE:
        MPI_Reduce(&u[o->a], got, o->length, MPI_DOUBLE, operation(o), o->root, MPI_COMM_WORLD);
        if (rank != o->root)
            return;
        break;
    case SCAN:
        if (o->how < 2)
            MPI_Scan(&u[o->a], got, o->length, MPI_DOUBLE, operation(o), MPI_COMM_WORLD);
        else
            MPI_Exscan(&u[o->a], got, o->length, MPI_DOUBLE, operation(o), MPI_COMM_WORLD);
        if (o->how >= 2 && rank == 0)
            return;
        break;
    case SUM_PARTS:
        for (int i = 0; i < size; i++)
            parts[i] = u[(o->a + i) % N];
        MPI_Reduce_scatter_block(parts, got, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int j = 1; j < o->length; j++)
            got[j] = got[0];
        break;
    case SUM_HALF: MPI_Allreduce(&u[o->a], got, o->length, MPI_DOUBLE, operation(o), half); break;
    default:
        MPI_Iallreduce(&u[o->a], got, o->length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        u[N - 1] *= 0.9;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int j = 0; j < o->length; j++)
        got[j] = sin(got[j]);
    take(u, o, got);
}

static void do_collective(double *u, const op *o) {
    double got[N] = {0}, all[N] = {0}, other[N];
    MPI_Status status;
    switch (o->kind) {
    case BROADCAST: MPI_Bcast(&u[o->a], o->length, MPI_DOUBLE, o->root, MPI_COMM_WORLD); return;
    case GATHER_ALL: MPI_Allgather(&u[o->a], 1, MPI_DOUBLE, got, 1, MPI_DOUBLE, MPI_COMM_WORLD); break;
    case EXCHANGE_ALL:
        for (int i = 0; i < size; i++)
            other[i] = u[(o->a + i) % N];
        MPI_Alltoall(other, 1, MPI_DOUBLE, got, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        break;
    case COLLECT: {
        int counts[RANKS] = {1, 2, 1, 2}, places[RANKS] = {0, 1, 3, 4};
        MPI_Gatherv(&u[o->a], counts[rank], MPI_DOUBLE, all, counts, places, MPI_DOUBLE, o->root, MPI_COMM_WORLD);
        for (int j = 0; j < 6; j++)
            all[j] = all[j] * all[(j + 1) % 6];
        MPI_Scatterv(all, counts, places, MPI_DOUBLE, got, counts[rank], MPI_DOUBLE, o->root, MPI_COMM_WORLD);
        break;
    }
    case ANY_ORDER:
        if (rank != o->root) {
            MPI_Send(&u[o->a], 1, MPI_DOUBLE, o->root, o->tag, MPI_COMM_WORLD);
            return;
        }
        for (int i = 1; i < size; i++) {
            MPI_Recv(&all[0], 1, MPI_DOUBLE, MPI_ANY_SOURCE, o->tag, MPI_COMM_WORLD, &status);
            got[status.MPI_SOURCE] = all[0];
        }
        break;
    case NEIGHBOURS: /* the numbers that go to both sides are equal: MPI may exchange them between two ranks */
        MPI_Neighbor_allgather(&u[o->a], 1, MPI_DOUBLE, got, 1, MPI_DOUBLE, ring);
        break;
    default: break;
    }
    take(u, o, got);
}

static void do_op(double *u, const op *o) {
    int positive = u[o->a] > 0.3;
    switch (o->kind) {
    case MIX: mix(u, rank, o->a); break;
    case IF_POSITIVE:
        MPI_Bcast(&positive, 1, MPI_INT, o->root, MPI_COMM_WORLD);
        if (positive)
            MPI_Bcast(&u[o->b], o->length, MPI_DOUBLE, o->root, MPI_COMM_WORLD);
        else
            mix(u, rank, o->b);
        break;
    case SHIFT:
    case BOTH_WAYS:
    case STRIDED:
    case REPEAT:
    case PACKED:
    case MATCHED: do_message(u, o); break;
    case SUM_ALL:
    case SUM_IN_PLACE:
    case REDUCE:
    case SCAN:
    case SUM_PARTS:
    case SUM_HALF:
    case SUM_LATER: do_reduction(u, o); break;
    default: do_collective(u, o);
    }
}

static double weigh(const double *u, int who) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (1 + 0.3 * who + 0.1 * i) * u[i] * u[i];
    return sum;
}

static double parallel(const double *x, size_t n) {
    double u[N];
    memcpy(u, x, n * sizeof *x);
    for (int i = 0; i < op_count; i++)
        do_op(u, &ops[i]);
    return weigh(u, rank);
}

/* ---- The serial program ---- */

static const double *message_of(double (*old)[N], const op *o, int who, double *got) {
    int from = (who + size - o->shift) % size, to = (who + o->shift) % size;
    for (int j = 0; j < 4; j++)
        got[j] = old[from][o->kind == STRIDED ? o->a % 6 + 2 * (j % 3) : o->a + j];
    for (int j = 0; j < o->length && o->kind == BOTH_WAYS; j++)
        got[j] += 0.5 * old[to][o->b + j] * old[to][o->b + j];
    if (o->kind == REPEAT)
        for (int j = 0; j < 4; j++)
            got[j] = old[(who + size - 1) % size][o->a + j];
    return got;
}

static void combine_ranks(double (*old)[N], const op *o, int first, int last, int step, int how, double *got) {
    op as = *o;
    as.how = how;
    for (int j = 0; j < o->length; j++) {
        got[j] = old[first][o->a + j];
        for (int i = first + step; i <= last; i += step)
            got[j] = combine(&as, got[j], old[i][o->a + j]);
    }
}

/* Returns false if the rank takes nothing. */
static int reduction_of(double (*old)[N], const op *o, int who, double *got) {
    switch (o->kind) {
    case REDUCE:
        if (who != o->root)
            return 0;
        combine_ranks(old, o, 0, size - 1, 1, o->how, got);
        break;
    case SCAN:
        if (o->how >= 2 && who == 0)
            return 0;
        combine_ranks(old, o, 0, o->how >= 2 ? who - 1 : who, 1, o->how, got);
        break;
    case SUM_PARTS:
        for (int j = 0; j < o->length; j++) {
            got[j] = 0;
            for (int i = 0; i < size; i++)
                got[j] += old[i][(o->a + who) % N];
        }
        break;
    case SUM_HALF: combine_ranks(old, o, who % 2, size - 1, 2, o->how, got); break;
    default: combine_ranks(old, o, 0, size - 1, 1, 0, got);
    }
    for (int j = 0; j < o->length; j++)
        got[j] = sin(got[j]);
    return 1;
}

static int collective_of(double (*old)[N], const op *o, int who, double *got) {
    static const int counts[RANKS] = {1, 2, 1, 2}, places[RANKS] = {0, 1, 3, 4};
    double all[N] = {0};
    memset(got, 0, N * sizeof *got);
    for (int i = 0; i < size && (o->kind == GATHER_ALL || o->kind == EXCHANGE_ALL); i++)
        got[i] = o->kind == GATHER_ALL ? old[i][o->a] : old[i][(o->a + who) % N];
    if (o->kind == COLLECT) {
        for (int i = 0; i < size; i++)
            for (int j = 0; j < counts[i]; j++)
                all[places[i] + j] = old[i][o->a + j];
        for (int j = 0; j < 6; j++)
            all[j] = all[j] * all[(j + 1) % 6];
        for (int j = 0; j < counts[who]; j++)
            got[j] = all[places[who] + j];
    }
    if (o->kind == ANY_ORDER && who != o->root)
        return 0;
    for (int i = 0; i < size && o->kind == ANY_ORDER; i++)
        if (i != who)
            got[i] = old[i][o->a];
    if (o->kind == NEIGHBOURS) {
        got[0] = old[(who + size - 1) % size][o->a];
        got[1] = old[(who + 1) % size][o->a];
    }
    return 1;
}

static void serial_op(double (*u)[N], const op *o) {
    double old[RANKS][N], got[N];
    int positive = u[o->root][o->a] > 0.3;
    memcpy(old, u, (size_t)size * sizeof *u);
    for (int who = 0; who < size; who++)
        switch (o->kind) {
        case MIX: mix(u[who], who, o->a); break;
        case IF_POSITIVE:
        case BROADCAST:
            if (o->kind == IF_POSITIVE && !positive)
                mix(u[who], who, o->b);
            for (int j = 0; j < o->length && (o->kind == BROADCAST || positive); j++)
                u[who][(o->kind == BROADCAST ? o->a : o->b) + j] =
                    old[o->root][(o->kind == BROADCAST ? o->a : o->b) + j];
            break;
        case SHIFT:
        case BOTH_WAYS:
        case STRIDED:
        case REPEAT:
        case PACKED:
        case MATCHED: take(u[who], o, message_of(old, o, who, got)); break;
        case SUM_IN_PLACE:
            combine_ranks(old, o, 0, size - 1, 1, 0, got);
            for (int j = 0; j < o->length; j++)
                u[who][o->a + j] = tanh(got[j]);
            break;
        case SUM_ALL:
        case REDUCE:
        case SCAN:
        case SUM_PARTS:
        case SUM_HALF:
        case SUM_LATER:
            if (o->kind == SUM_LATER)
                u[who][N - 1] *= 0.9;
            if (reduction_of(old, o, who, got))
                take(u[who], o, got);
            break;
        default:
            if (collective_of(old, o, who, got))
                take(u[who], o, got);
        }
}

static double serial(const double *x, size_t n) {
    double u[RANKS][N], sum = 0;
    memcpy(u, x, n * sizeof *x);
    for (int i = 0; i < op_count; i++)
        serial_op(u, &ops[i]);
    for (int who = 0; who < size; who++)
        sum += weigh(u[who], who);
    return sum;
}

/* ---- Comparing ---- */

static void stop(unsigned long long seed, const char *what, verso_status status, const verso_error *error) {
    if (status == VERSO_STATUS_OK)
        return;
    fprintf(stderr, "seed %llu, rank %d: %s: %s\n", seed, rank, what, error->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int differs(const double *a, const double *b) {
    double most = 0, scale = 1e-30;
    for (int i = 0; i < N; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        scale = fmax(scale, fmax(fabs(a[i]), fabs(b[i])));
    }
    return !(most <= 1e-9 * fmax(scale, 1e-6));
}

static int test(unsigned long long seed) {
    double x[RANKS * N], expected[RANKS * N], gradient[N], again[N];
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_run_options run;
    verso_error error;
    make(seed);
    for (int i = 0; i < size * N; i++)
        x[i] = 0.5 + 0.4 * sin(1.7 * i + (double)(seed % 1000));
    stop(seed, "serial", verso_gradient(serial, x, (size_t)size * N, expected, NULL, NULL, &error), &error);
    options.ranks = VERSO_RANKS_SUM;
    stop(seed, "parallel", verso_gradient(parallel, x + rank * N, N, gradient, &options, NULL, &error), &error);
    int wrong = differs(gradient, expected + rank * N);
    if (wrong)
        fprintf(stderr, "seed %llu, rank %d of %d: the gradient is not that of the serial program\n", seed, rank, size);
    verso_run_options_init(&run);
    run.automatic = false;
    verso_schedule_spec_init(&run.spec, VERSO_KIND_ONLINE);
    options.memory = 8000000;
    options.leaf = 2048 + 512 * (uint64_t)rank;
    options.run = &run;
    stop(seed, "budget", verso_gradient(parallel, x + rank * N, N, again, &options, NULL, &error), &error);
    if (memcmp(gradient, again, sizeof gradient) != 0) {
        fprintf(stderr, "seed %llu, rank %d of %d: other bits within a budget\n", seed, rank, size);
        wrong = 1;
    }
    return wrong;
}

int main(int argc, char **argv) {
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int count = argc > 2 ? atoi(argv[2]) : 20, wrong = 0, all, dims[1], periods[1] = {1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    dims[0] = size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &stride);
    MPI_Type_commit(&stride);
    MPI_Send_init(sent, 4, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD, &persistent[0]);
    MPI_Recv_init(received, 4, MPI_DOUBLE, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &persistent[1]);
    for (int i = 0; i < count; i++)
        wrong += test(first + (unsigned long long)i);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d programs\n", all == 0 ? "PASS" : "FAIL", count);
    MPI_Finalize();
    return all != 0;
}
