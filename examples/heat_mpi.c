/* Heat in a plate whose conductivity depends on the temperature, computed by several MPI processes.
 *
 * Each rank has some rows of the plate and exchanges the rows at its borders in every step; the adjoint step sends the
 * adjoints of borrowed rows back to their owners. Each rank keeps its own part of every state in its own directory
 * RUN/rank-N, and the ranks make decisions together (`group`). If a rank dies, mpirun ends the others; the same command
 * then continues from the newest restart point that all ranks have.
 * docs/example-heat_mpi.md explains it. */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <verso/verso.h>

#define PACE 0.05 /* length of a time step; the grid's spacing is 1 */

typedef struct plate {
    int rank, ranks;
    int rows, columns; /* size of this rank's part */
    int above;         /* number of rows of the ranks before this one */
    int all_rows;
    uint64_t steps;
    double conductivity, conductivity_bar;
    /* Fields with a borrowed row above and one below; the rows between them belong to this rank. */
    double *heat, *next, *bar, *bar_before;
    uint64_t calls, kill_after;
    int kill_rank;
} plate;

/* Ends all ranks, because the others would wait for this one. */
static void give_up(const plate *p, const char *message) {
    fprintf(stderr, "heat_mpi, rank %d: %s\n", p->rank, message);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static double *row_of(const plate *p, double *field, int row) {
    return field + (size_t)(row + 1) * (size_t)p->columns;
}

static size_t own_bytes(const plate *p) {
    return (size_t)p->rows * (size_t)p->columns * sizeof(double);
}

/* ---- Rows at the borders ---- */

/* Returns the neighbouring rank, or MPI_PROC_NULL at an edge of the plate: MPI ignores messages to and from it. */
static int neighbour(const plate *p, int direction) {
    int other = p->rank + direction;
    return other >= 0 && other < p->ranks ? other : MPI_PROC_NULL;
}

/* Copies the neighbours' border rows into the borrowed rows. */
static void exchange(const plate *p, double *field) {
    int up = neighbour(p, -1), down = neighbour(p, +1);
    MPI_Sendrecv(row_of(p, field, 0), p->columns, MPI_DOUBLE, up, 0, row_of(p, field, p->rows), p->columns, MPI_DOUBLE,
                 down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row_of(p, field, p->rows - 1), p->columns, MPI_DOUBLE, down, 1, row_of(p, field, -1), p->columns,
                 MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The transpose of `exchange`: adds the adjoints of borrowed rows to the rows of their owners, those from above
 * first. */
static void exchange_adjoint(const plate *p, double *field, double *room) {
    int up = neighbour(p, -1), down = neighbour(p, +1);
    size_t bytes = (size_t)p->columns * sizeof(double);
    memset(room, 0, 2 * bytes);
    MPI_Sendrecv(row_of(p, field, p->rows), p->columns, MPI_DOUBLE, down, 2, room, p->columns, MPI_DOUBLE, up, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row_of(p, field, -1), p->columns, MPI_DOUBLE, up, 3, room + p->columns, p->columns, MPI_DOUBLE, down,
                 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int column = 0; column < p->columns; column++)
        row_of(p, field, 0)[column] += room[column];
    for (int column = 0; column < p->columns; column++)
        row_of(p, field, p->rows - 1)[column] += room[p->columns + column];
}

/* ---- Callbacks of the loop ---- */

static void count_call(plate *p) {
    if (p->kill_after > 0 && p->rank == p->kill_rank && ++p->calls == p->kill_after)
        raise(SIGKILL); /* for the test: simulates a power failure */
}

/* Returns whether a cell is on the plate. No heat flows through the edges. */
static bool is_inside(const plate *p, int row, int column) {
    int global = p->above + row;
    return global >= 0 && global < p->all_rows && column >= 0 && column < p->columns;
}

static const int neighbours[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

/* In a step, PACE * conductivity * (1 + mean^2) * (there - here) flows from the cell `there` to the cell `here`. */
static int advance(void *context, uint64_t step) {
    plate *p = context;
    (void)step;
    count_call(p);
    exchange(p, p->heat);
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column < p->columns; column++) {
            double here = row_of(p, p->heat, row)[column], sum = 0;
            for (int i = 0; i < 4; i++) {
                int r = row + neighbours[i][0], c = column + neighbours[i][1];
                if (!is_inside(p, r, c))
                    continue;
                double there = row_of(p, p->heat, r)[c], mean = 0.5 * (here + there);
                sum += (1 + mean * mean) * (there - here);
            }
            row_of(p, p->next, row)[column] = here + PACE * p->conductivity * sum;
        }
    memcpy(row_of(p, p->heat, 0), row_of(p, p->next, 0), own_bytes(p));
    return 0;
}

static void adjoint_of_cell(plate *p, int row, int column) {
    double here = row_of(p, p->heat, row)[column], bar = row_of(p, p->bar, row)[column];
    row_of(p, p->bar_before, row)[column] += bar;
    for (int i = 0; i < 4; i++) {
        int r = row + neighbours[i][0], c = column + neighbours[i][1];
        if (!is_inside(p, r, c))
            continue;
        double there = row_of(p, p->heat, r)[c], mean = 0.5 * (here + there), factor = 1 + mean * mean;
        double scaled = PACE * p->conductivity * bar, slope = mean * (there - here);
        row_of(p, p->bar_before, row)[column] += scaled * (slope - factor);
        row_of(p, p->bar_before, r)[c] += scaled * (slope + factor);
        p->conductivity_bar += PACE * bar * factor * (there - here);
    }
}

static int adjoint(void *context, uint64_t step) {
    plate *p = context;
    (void)step;
    count_call(p);
    exchange(p, p->heat);
    memset(p->bar_before, 0, own_bytes(p) + 2 * (size_t)p->columns * sizeof(double));
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column < p->columns; column++)
            adjoint_of_cell(p, row, column);
    exchange_adjoint(p, p->bar_before, p->next);
    memcpy(row_of(p, p->bar, 0), row_of(p, p->bar_before, 0), own_bytes(p));
    return 0;
}

static int start(void *context, uint64_t steps) {
    plate *p = context;
    (void)steps;
    memset(row_of(p, p->bar, 0), 0, own_bytes(p));
    p->conductivity_bar = 0;
    return 0;
}

/* The cost: half the sum of (heat - 1/2)^2 at every tenth state. Each rank adds its own part; total() sums over the
 * ranks. */
static int cost(void *context, uint64_t step, double *value) {
    plate *p = context;
    count_call(p);
    if (step % 10 != 0)
        return 0;
    double *heat = row_of(p, p->heat, 0), *bar = row_of(p, p->bar, 0);
    for (int at = 0; at < p->rows * p->columns; at++) {
        *value += 0.5 * (heat[at] - 0.5) * (heat[at] - 0.5);
        bar[at] += heat[at] - 0.5;
    }
    return 0;
}

/* Sets *result to the minimum over all ranks, which call it in the same order. */
static verso_status least(void *context, uint64_t value, uint64_t *result, verso_error *error) {
    (void)context;
    if (MPI_Allreduce(&value, result, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD) == MPI_SUCCESS)
        return VERSO_STATUS_OK;
    if (error != NULL)
        *error = (verso_error){VERSO_STATUS_USER, "MPI_Allreduce failed"};
    return VERSO_STATUS_USER;
}

/* ---- The plate ---- */

static void open_plate(plate *p) {
    MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
    int rest = p->all_rows % p->ranks;
    p->rows = p->all_rows / p->ranks + (p->rank < rest ? 1 : 0);
    p->above = p->rank * (p->all_rows / p->ranks) + (p->rank < rest ? p->rank : rest);
    if (p->rows < 2 || p->columns < 2)
        give_up(p,
                "the plate is too small for this number of ranks: each needs two rows; use fewer ranks or more --rows");
    double **all[] = {&p->heat, &p->next, &p->bar, &p->bar_before};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((*all[i] = calloc((size_t)(p->rows + 2) * (size_t)p->columns, sizeof(double))) == NULL)
            give_up(p, "no memory");
}

static void begin(plate *p) {
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column < p->columns; column++)
            row_of(p, p->heat, row)[column] = sin(0.3 * (p->above + row)) * cos(0.2 * column) + 0.01 * column;
}

static void close_plate(plate *p) {
    free(p->heat);
    free(p->next);
    free(p->bar);
    free(p->bar_before);
}

/* Returns the sum over all ranks, added in the order of the ranks; MPI_Allreduce does not guarantee an order. */
static double total(const plate *p, double part) {
    double sum = 0, *parts = calloc((size_t)p->ranks, sizeof *parts);
    if (parts == NULL)
        give_up(p, "no memory");
    MPI_Allgather(&part, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int rank = 0; rank < p->ranks; rank++)
        sum += parts[rank];
    free(parts);
    return sum;
}

/* Returns a checksum of the whole gradient (FNV-1a), computed from rank to rank in order. */
static unsigned long long fingerprint(const plate *p) {
    unsigned long long hash = 14695981039346656037U;
    const unsigned char *bytes = (const unsigned char *)row_of(p, p->bar, 0);
    if (p->rank > 0)
        MPI_Recv(&hash, 1, MPI_UNSIGNED_LONG_LONG, p->rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (size_t i = 0; i < own_bytes(p); i++)
        hash = (hash ^ bytes[i]) * 1099511628211U;
    if (p->rank + 1 < p->ranks)
        MPI_Send(&hash, 1, MPI_UNSIGNED_LONG_LONG, p->rank + 1, 4, MPI_COMM_WORLD);
    MPI_Bcast(&hash, 1, MPI_UNSIGNED_LONG_LONG, p->ranks - 1, MPI_COMM_WORLD);
    return hash;
}

/* ---- The run ---- */

static void print_notice(void *context, const char *sentence) {
    const plate *p = context;
    fprintf(stderr, "rank %d: %s\n", p->rank, sentence);
}

/* Returns the cost with the inputs moved by `epsilon` times a direction, and sets *slope to the gradient along it. */
static double cost_nearby(plate *p, double epsilon, double *slope) {
    double value = 0, part = 0;
    begin(p);
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column < p->columns; column++) {
            double direction = cos(0.1 * (p->above + row) * column);
            row_of(p, p->heat, row)[column] += epsilon * direction;
            part += direction * row_of(p, p->bar, row)[column];
        }
    double conductivity = p->conductivity;
    p->conductivity += 0.3 * epsilon;
    part += 0.3 * p->conductivity_bar;
    double *kept = p->bar;
    p->bar = p->bar_before; /* `cost` adds to p->bar, and the gradient must stay as it is */
    for (uint64_t step = 0; step <= p->steps; step++) {
        cost(p, step, &value);
        if (step < p->steps)
            advance(p, step);
    }
    p->bar = kept;
    p->conductivity = conductivity;
    *slope = total(p, part);
    return total(p, value);
}

static bool check_taylor(plate *p) {
    double slope, base = cost_nearby(p, 0, &slope), last = 0, order = 0;
    for (double epsilon = 1e-3; epsilon > 5e-5; epsilon /= 2) {
        double rest = fabs(cost_nearby(p, epsilon, &slope) - base - epsilon * slope);
        order = last > 0 ? log2(last / rest) : 0;
        if (p->rank == 0)
            printf("Taylor test: distance %.3e  rest %.6e  order %.3f\n", epsilon, rest, order);
        last = rest;
    }
    return order > 1.9 && order < 2.1;
}

static double compute_gradient(plate *p, verso_run_options *options, const char *run, verso_run_report *report) {
    char directory[4096];
    verso_program program;
    verso_error error = {0};
    begin(p);
    verso_loop loop = {.size = sizeof(verso_loop),
                       .context = p,
                       .steps = p->steps,
                       .advance = advance,
                       .adjoint = adjoint,
                       .start = start,
                       .cost = cost,
                       .state = {{row_of(p, p->heat, 0), own_bytes(p)}},
                       .adjoint_state = {{row_of(p, p->bar, 0), own_bytes(p)}, {&p->conductivity_bar, sizeof(double)}},
                       .name = "heat_mpi",
                       /* With another number of ranks, parts of states would not fit. */
                       .inputs = {{&p->conductivity, sizeof p->conductivity},
                                  {&p->rank, sizeof p->rank},
                                  {&p->ranks, sizeof p->ranks},
                                  {&p->columns, sizeof p->columns}}};
    verso_group group = {NULL, least};
    snprintf(directory, sizeof directory, "%s/rank-%d", run, p->rank);
    options->directory = directory;
    options->group = &group;
    options->notice = print_notice;
    options->notice_context = p;
    if (mkdir(run, 0777) != 0 && errno != EEXIST)
        give_up(p, strerror(errno));
    verso_status status = verso_loop_program(&loop, &program, &error);
    if (status == VERSO_STATUS_OK)
        status = verso_run(&program, options, report, &error);
    verso_loop_close(&loop);
    if (status == VERSO_STATUS_SUSPENDED) { /* all ranks return it together */
        MPI_Finalize();
        exit(75);
    }
    if (status != VERSO_STATUS_OK)
        give_up(p, error.message);
    return total(p, loop.value);
}

typedef struct request {
    const char *run;
    bool taylor;
} request;

static bool read_option(const char *word, const char *value, plate *p, request *wanted, verso_run_options *options) {
    unsigned long long number = strtoull(value, NULL, 10);
    if (strcmp(word, "--rows") == 0)
        p->all_rows = (int)number;
    else if (strcmp(word, "--columns") == 0)
        p->columns = (int)number;
    else if (strcmp(word, "--steps") == 0)
        p->steps = number;
    else if (strcmp(word, "--memory") == 0) /* bytes for each rank */
        options->memory = number;
    else if (strcmp(word, "--schedule") == 0) {
        options->automatic = false;
        return verso_kind_from_word(value, &options->spec.kind);
    } else if (strcmp(word, "--slots") == 0)
        options->spec.slots = number;
    else if (strcmp(word, "--distance") == 0)
        options->adjoint_distance = options->spec.distance = options->spec.adjoint_distance = number;
    else if (strcmp(word, "--step-limit") == 0)
        options->step_limit = number;
    else if (strcmp(word, "--kill-after") == 0)
        p->kill_after = number;
    else if (strcmp(word, "--kill-rank") == 0)
        p->kill_rank = (int)number;
    else if (strcmp(word, "--taylor") == 0)
        wanted->taylor = strcmp(value, "no") != 0;
    else if (strcmp(word, "--directory") == 0)
        wanted->run = value;
    else
        return false;
    return *value != 0;
}

int main(int argc, char **argv) {
    plate p = {.all_rows = 150, .columns = 120, .steps = 400, .conductivity = 0.8};
    request wanted = {.run = "heat-run", .taylor = true};
    verso_run_options options;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    MPI_Init(&argc, &argv);
    verso_run_options_init(&options);
    options.spec.write_cost = options.spec.read_cost = 4; /* in steps; for --schedule */
    options.automatic = true;
    options.memory = 1 << 20;
    options.on_signal = true;
    for (int i = 1; i < argc; i += 2)
        if (!read_option(argv[i], i + 1 < argc ? argv[i + 1] : "", &p, &wanted, &options))
            give_up(&p, "usage: heat_mpi [--rows N] [--columns N] [--steps N] [--memory BYTES] [--schedule KIND "
                        "--slots N --distance N] [--directory RUN] [--step-limit N] [--taylor no]");
    open_plate(&p);
    double value = compute_gradient(&p, &options, wanted.run, &report);
    double conductivity = total(&p, p.conductivity_bar);
    unsigned long long hash = fingerprint(&p);
    if (p.rank == 0)
        printf("cost %.17g, derivative by conductivity %.17g, gradient %016llx\n"
               "%s, %llu forward steps for %llu, %llu restarts, %llu steps computed again\n",
               value, conductivity, hash, verso_kind_word(report.spec.kind), (unsigned long long)report.forward_steps,
               (unsigned long long)p.steps, (unsigned long long)report.restarts,
               (unsigned long long)report.recovered_steps);
    p.kill_after = 0;
    bool good = !wanted.taylor || check_taylor(&p);
    close_plate(&p);
    MPI_Finalize();
    return good ? 0 : 1;
}
