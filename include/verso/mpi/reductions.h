/* Reductions. The derivative of a sum is the sum of derivatives. Those of the other operations on numbers are weighted:
 * MIN and MAX have the derivative of the number that was taken, of the lowest rank if several have it; PROD has the
 * product of the other numbers. The weights are computed from all ranks' numbers, when the call is made. */
#ifndef VERSO_MPI_REDUCTIONS_H
#define VERSO_MPI_REDUCTIONS_H

typedef enum operation { NONE, SUM, PRODUCT, LEAST, GREATEST } operation;

static operation operation_of(MPI_Op op, const map *m) {
    if (m->numbers == 0 || (m->count == 1 && m->pieces[0].kind == 'r') || op == MPI_NO_OP)
        return NONE;
    if (op == MPI_SUM)
        return SUM;
    if (op == MPI_PROD)
        return PRODUCT;
    if (op == MPI_MIN || op == MPI_MINLOC)
        return LEAST;
    if (op == MPI_MAX || op == MPI_MAXLOC)
        return GREATEST;
    fail(VERSO_STATUS_INVALID,
         "it reduces numbers by an operation whose derivative Verso does not know (MPI_Op_create); "
         "use MPI_SUM, MPI_PROD, MPI_MIN or MPI_MAX, gather the numbers and reduce them in the "
         "program, or put the call in a function with a VERSO_WORLD_ADJOINT");
}

/* The numbers of all members, of `count` elements each; a pair has its index as a second number. */
typedef struct contributions {
    operation how;
    bool pair;
    int size;
    uint64_t count; /* numbers of one member */
    double *numbers;
} contributions;

typedef struct reading {
    double *to;
    bool pair;
} reading;

static void read_piece(void *context, char *at, uint64_t bytes, char kind) {
    reading *r = context;
    for (uint64_t k = 0; kind == 'd' && k < bytes / sizeof(double); k++)
        memcpy(r->to++, at + k * sizeof(double), sizeof(double));
    for (uint64_t k = 0; kind == 'f' && k < bytes / sizeof(float); k++) {
        float number;
        memcpy(&number, at + k * sizeof number, sizeof number);
        *r->to++ = number;
    }
    if (kind == 'n' && r->pair) {
        int index;
        memcpy(&index, at, sizeof index);
        *r->to++ = index;
    }
    if (kind == 'l')
        fail(VERSO_STATUS_INVALID,
             "only the sum of numbers of type long double has an adjoint; convert them to double, or use MPI_SUM");
}

/* Reads this rank's numbers, before the call overwrites them. */
static contributions read_contribution(operation how, const void *at, int count, const map *m, const group *group) {
    contributions c = {how, m->pair, group->size, 0, NULL};
    if (how < PRODUCT)
        return c;
    c.count = (uint64_t)count * (m->numbers + m->pair);
    c.numbers = need(verso__alloc(c.count * (uint64_t)group->size + 1, sizeof(double)));
    reading reading = {c.numbers + (uint64_t)group->rank * c.count, m->pair};
    each_piece(m, (char *)(uintptr_t)at, (uint64_t)count * m->bytes, read_piece, &reading);
    return c;
}

/* Gets those of the other members. All members call it, after the reduction. */
static void exchange(contributions *c, MPI_Comm comm) {
    if (c->numbers != NULL)
        PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c->numbers, (int)c->count, MPI_DOUBLE, comm);
}

static double number_at(const contributions *c, int rank, uint64_t k) {
    return c->numbers[(uint64_t)rank * c->count + k];
}

/* Whether the reduction over members `first` to `last` takes the number of `other` rather than that of `rank`. */
static bool beats(const contributions *c, int other, int rank, uint64_t k) {
    double a = number_at(c, other, k), b = number_at(c, rank, k);
    if (a != b)
        return c->how == LEAST ? a < b : a > b;
    double i = c->pair ? number_at(c, other, k + 1) : 0, j = c->pair ? number_at(c, rank, k + 1) : 0;
    return i != j ? i < j : other < rank;
}

static double weight_of(const contributions *c, int rank, uint64_t k, int first, int last) {
    double product = 1;
    for (int other = first; other <= last; other++) {
        if (other == rank)
            continue;
        if (c->how == PRODUCT)
            product *= number_at(c, other, k);
        else if (beats(c, other, rank, k))
            return 0;
    }
    return product;
}

/* Returns the weights of `rank`'s numbers, from number `from` on, in the reduction over members `first` to `last`;
 * NULL: all are 1. */
static double *weights_of(const contributions *c, int rank, uint64_t from, uint64_t count, int first, int last) {
    unsigned step = c->pair ? 2 : 1;
    if (c->numbers == NULL)
        return NULL;
    double *weights = need(verso__alloc(count + 1, sizeof *weights));
    for (uint64_t k = 0; k < count; k++)
        weights[k] = weight_of(c, rank, (from + k) * step, first, last);
    return weights;
}

#endif
