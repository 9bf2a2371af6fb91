/* bench/io [FOLDER [MEGABYTES]]: compares predicted with measured times of durable runs.
 *
 *   makespan     `disk`, `periodic` and `resilient` on states of 1 to 256 MB: the times of a step, a reversed step, a
 *                write and a read are measured one by one, and the schedule's cost is computed from them; then the run
 *                is timed, in the foreground, where nothing overlaps and the prediction is a sum, and in the background
 *   overlap      how much of the writing time is hidden by computing
 *   overhead     what the driver adds to a step of 100 ns, in processor time
 *
 * MEGABYTES is the size of the largest state (default 256). Capsule files are in FOLDER/run (default out/bench) and are
 * fsynced. Prints tables and writes io.csv, io-overhead.csv. */
#include "bench/support/output.h"
#include "schedule/cost.h"

#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <verso/verso.h>

enum { FLOPS = 24, TRIALS = 12, ROUNDS = 2 };

static double clock_seconds(clockid_t id) {
    struct timespec time;
    clock_gettime(id, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double wall(void) {
    return clock_seconds(CLOCK_MONOTONIC);
}

static double processor(void) {
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)facts, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(const char *path) {
    if (access(path, F_OK) == 0 && nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        bench_fail("cannot remove %s", path);
}

static void must(verso_status status, const verso_error *error) {
    if (status != VERSO_STATUS_OK)
        bench_fail("%s", error->message);
}

/* ---- A computation of a given size ---- */

typedef struct field {
    size_t count;
    double *state, *adjoint;
    verso_loop loop;
    verso_program program;
} field;

/* Evaluates a polynomial at each point, so that the state passes through the caches once. */
static int field_advance(void *context, uint64_t step) {
    field *self = context;
    double shift = 1e-3 * (double)(step % 7);
    for (size_t i = 0; i < self->count; i++) {
        double x = self->state[i], y = shift;
        for (int k = 0; k < FLOPS; k++)
            y = y * x + 0.01;
        self->state[i] = 0.9 * x + 0.01 * y;
    }
    return 0;
}

static int field_adjoint(void *context, uint64_t step) {
    field *self = context;
    double shift = 1e-3 * (double)(step % 7);
    for (size_t i = 0; i < self->count; i++) {
        double x = self->state[i], y = shift, d = 0;
        for (int k = 0; k < FLOPS; k++) {
            d = d * x + y;
            y = y * x + 0.01;
        }
        self->adjoint[i] *= 0.9 + 0.01 * d;
    }
    return 0;
}

static int field_start(void *context, uint64_t steps) {
    field *self = context;
    (void)steps;
    for (size_t i = 0; i < self->count; i++)
        self->adjoint[i] = 1;
    return 0;
}

static void field_reset(field *self) {
    for (size_t i = 0; i < self->count; i++)
        self->state[i] = sin((double)i);
}

static void field_open(field *self, size_t bytes, uint64_t steps) {
    verso_error error;
    *self = (field){.count = bytes / sizeof(double)};
    self->state = bench_alloc(self->count, sizeof(double));
    self->adjoint = bench_alloc(self->count, sizeof(double));
    self->loop = (verso_loop){.size = sizeof(verso_loop),
                              .context = self,
                              .steps = steps,
                              .advance = field_advance,
                              .adjoint = field_adjoint,
                              .start = field_start,
                              .state = {{self->state, self->count * sizeof(double)}},
                              .adjoint_state = {{self->adjoint, self->count * sizeof(double)}}};
    field_reset(self);
    must(verso_loop_program(&self->loop, &self->program, &error), &error);
}

static void field_close(field *self) {
    verso_loop_close(&self->loop);
    free(self->state);
    free(self->adjoint);
}

/* ---- Times of single operations ---- */

typedef struct prices {
    double step, reversed, copy, write, read, remove, record;
} prices;

/* The mean and not the median, because a run includes the slow ones, too. */
static double mean(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Times a restart point: a short record that is appended to a file and synced. */
static void price_record(const char *folder, prices *found) {
    double times[TRIALS];
    char path[4096 + 16];
    unsigned char bytes[1024] = {0};
    snprintf(path, sizeof path, "%s/record", folder);
    int file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0666);
    if (file < 0)
        bench_fail("cannot write %s", path);
    for (int i = 0; i < TRIALS; i++) {
        double began = wall();
        if (write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes || fsync(file) != 0)
            bench_fail("cannot write %s", path);
        times[i] = wall() - began;
    }
    close(file);
    found->record = mean(times, TRIALS);
}

static double since(double *began) {
    double now = wall(), seconds = now - *began;
    *began = now;
    return seconds;
}

enum { STEP, REVERSED, COPY, WRITE, READ, REMOVE, PRICES };

/* Times each operation once, one after the other as the driver does, so that caches are as cold as in a run. */
static void price_once(field *self, const verso_store *store, uint64_t trial, double times[PRICES]) {
    verso_capsule_name name = {VERSO_CAPSULE_STATE, trial, 0};
    verso_error error;
    size_t size = self->count * sizeof(double);
    void *bytes;
    const void *back;
    double began = wall();
    field_advance(self, trial);
    times[STEP] = since(&began);
    must(store->operations->reserve(store->self, &name, size, &bytes, &error), &error);
    memcpy(bytes, self->state, size);
    must(store->operations->commit(store->self, &name, &error), &error);
    times[WRITE] = since(&began);
    must(store->operations->borrow(store->self, &name, &back, &size, &error), &error);
    memcpy(self->state, back, size);
    store->operations->release(store->self, &name);
    times[READ] = since(&began);
    field_adjoint(self, trial);
    times[REVERSED] = since(&began);
    memcpy(self->adjoint, self->state, size);
    times[COPY] = since(&began);
}

/* Removes the files only afterwards: a disk that fills up, as in a run, is slower than one that gets space back at
 * once. */
static void price_removal(const verso_store *store, uint64_t trial, double times[PRICES]) {
    verso_capsule_name name = {VERSO_CAPSULE_STATE, trial, 0};
    verso_error error;
    double began = wall();
    must(store->operations->discard(store->self, &name, &error), &error);
    must(store->operations->sync(store->self, &error), &error);
    times[REMOVE] = since(&began);
}

static prices price(field *self, const char *folder) {
    double times[TRIALS][PRICES], column[TRIALS], means[PRICES];
    verso_store store;
    verso_error error;
    prices found;
    verso_file_store_options options = {
        .size = sizeof(verso_file_store_options), .directory = folder, .durable = true, .foreground = true};
    must(verso_store_file_open(&options, &store, &error), &error);
    for (uint64_t i = 0; i < TRIALS; i++)
        price_once(self, &store, i, times[i]);
    for (uint64_t i = 0; i < TRIALS; i++)
        price_removal(&store, i, times[i]);
    verso_store_close(&store);
    for (int what = 0; what < PRICES; what++) {
        for (int i = 0; i < TRIALS; i++)
            column[i] = times[i][what];
        means[what] = mean(column, TRIALS);
    }
    found = (prices){.step = means[STEP],
                     .reversed = means[REVERSED],
                     .copy = means[COPY],
                     .write = means[WRITE],
                     .read = means[READ],
                     .remove = means[REMOVE]};
    price_record(folder, &found);
    remove_folder(folder);
    field_reset(self);
    return found;
}

/* ---- Makespans ---- */

typedef struct measured {
    double predicted, foreground, background;
    double written, waited; /* in the background: seconds of writing, and of waiting for it */
} measured;

static verso_schedule_spec spec_of(verso_schedule_kind kind, uint64_t steps, uint64_t slots, const prices *found) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = steps;
    spec.slots = slots;
    spec.forward_cost = (uint64_t)(found->step * 1e9);
    spec.backward_cost = (uint64_t)(found->reversed * 1e9);
    spec.write_cost = (uint64_t)(found->write * 1e9);
    spec.read_cost = (uint64_t)(found->read * 1e9);
    spec.distance = (steps + slots - 1) / slots + 1;
    spec.adjoint_distance = steps / 4 + 1;
    return spec;
}

/* Multiplies each count of the schedule by its measured time. There is a restart point for each state that the first
 * sweep writes to a file, and for each adjoint. In addition, reversing the last step runs it forwards once, because the
 * adjoint starts from its result; and a durable run writes x_0 at its start, which may be one more write. */
static double predict(const verso_schedule_spec *spec, const verso_run_report *report, const prices *found) {
    const verso__cost read = verso__cost_read(&report->predicted), *cost = &read;
    size_t files = spec->kind == VERSO_KIND_RESILIENT ? 0 : 1;
    double writes = (double)cost->writes[files] + (double)report->adjoint_stores;
    if ((double)report->durable.writes > writes)
        writes += 1;
    double copies = files == 0 ? 0 : (double)cost->writes[0] + (double)cost->reads[0];
    return found->step * ((double)cost->forward_steps + 1) + found->reversed * (double)cost->recorded_steps +
           found->copy * copies + (found->write + found->remove) * writes + found->read * (double)cost->reads[files] +
           found->record *
               (fmin((double)cost->writes[files], (double)cost->peak_slots[files]) + (double)report->adjoint_stores);
}

static double run_once(field *self, const verso_schedule_spec *spec, const char *folder, bool foreground,
                       verso_run_report *report) {
    verso_run_options options;
    verso_error error;
    verso_run_options_init(&options);
    options.spec = *spec;
    options.directory = folder;
    options.foreground = foreground;
    options.interval = 1e9; /* restart points only where the schedule has them */
    field_reset(self);
    double began = wall();
    must(verso_run(&self->program, &options, report, &error), &error);
    double seconds = wall() - began;
    remove_folder(folder);
    return seconds;
}

static measured measure(field *self, const verso_schedule_spec *spec, const char *folder, const prices *found) {
    measured result = {.foreground = INFINITY, .background = INFINITY};
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    for (int i = 0; i < ROUNDS; i++) {
        double seconds = run_once(self, spec, folder, true, &report);
        if (seconds < result.foreground) {
            result.foreground = seconds;
            result.predicted = predict(spec, &report, found);
        }
        seconds = run_once(self, spec, folder, false, &report);
        if (seconds < result.background) {
            result.background = seconds;
            result.written = report.durable.seconds_written;
            result.waited = report.durable.seconds_waited;
        }
    }
    return result;
}

/* ---- Tables ---- */

typedef struct size_of_run {
    size_t megabytes;
    uint64_t steps, slots;
} size_of_run;

/* Fewer steps for larger states, so that each row takes seconds. */
static const size_of_run sizes[] = {{1, 300, 6}, {4, 100, 5}, {16, 50, 4}, {64, 24, 3}, {256, 12, 2}};

static const verso_schedule_kind kinds[] = {VERSO_KIND_DISK, VERSO_KIND_PERIODIC, VERSO_KIND_RESILIENT};

static void makespan_row(FILE *csv, const size_of_run *size, verso_schedule_kind kind, field *self,
                         const char *folder) {
    prices found = price(self, folder);
    verso_schedule_spec spec =
        spec_of(kind, size->steps, kind == VERSO_KIND_RESILIENT ? 4 * size->slots : size->slots, &found);
    measured times = measure(self, &spec, folder, &found);
    double hidden = times.written > 0 ? 1 - fmin(1, times.waited / times.written) : 0;
    printf("%4zu MB %-10s %4llu %5.1f %5.1f %5.1f %8.2f %8.2f %6.2f %8.2f %6.2f %7.2f %7.2f %5.0f %%\n",
           size->megabytes, verso_kind_word(kind), (unsigned long long)size->steps, 1e3 * found.step, 1e3 * found.write,
           1e3 * found.read, times.predicted, times.foreground, times.foreground / times.predicted, times.background,
           times.background / times.foreground, times.written, times.waited, 100 * hidden);
    fflush(stdout);
    fprintf(csv, "%zu,%s,%llu,%.6f,%.6f,%.6f,%.6f,%.6f,%.4f,%.4f,%.4f,%.4f,%.4f\n", size->megabytes,
            verso_kind_word(kind), (unsigned long long)size->steps, found.step, found.reversed, found.copy, found.write,
            found.read, times.predicted, times.foreground, times.background, times.written, times.waited);
}

static void makespans(const char *folder, size_t largest) {
    char run[4096];
    snprintf(run, sizeof run, "%s/run", folder);
    FILE *csv = bench_create(folder, "io.csv");
    fprintf(csv, "megabytes,kind,steps,step,reversed,copy,write,read,predicted,foreground,background,written,waited\n");
    printf("%-7s %-10s %4s %5s %5s %5s %8s %8s %6s %8s %6s %7s %7s %s\n", "state", "kind", "n", "step", "write", "read",
           "predict", "foregr", "ratio", "backgr", "ratio", "written", "waited", "hidden");
    printf("%-7s %-10s %4s %5s %5s %5s %8s\n", "", "", "", "ms", "ms", "ms", "s");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i].megabytes <= largest; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            field self;
            remove_folder(run);
            field_open(&self, sizes[i].megabytes << 20, sizes[i].steps);
            makespan_row(csv, &sizes[i], kinds[k], &self, run);
            field_close(&self);
        }
    }
    bench_close(csv);
}

/* ---- Overhead of the driver ---- */

typedef struct tiny {
    double state[4], adjoint[4];
    int work; /* number of multiplications that take 100 ns */
} tiny;

static void tiny_work(tiny *self) {
    double x = self->state[0];
    for (int i = 0; i < self->work; i++)
        x = x * 0.999 + 0.001;
    self->state[0] = x;
}

static int tiny_advance(void *context, uint64_t step) {
    (void)step;
    tiny_work(context);
    return 0;
}

static int tiny_adjoint(void *context, uint64_t step) {
    tiny *self = context;
    (void)step;
    tiny_work(self);
    self->adjoint[0] += self->state[0];
    return 0;
}

static int tiny_start(void *context, uint64_t steps) {
    (void)steps;
    memset(((tiny *)context)->adjoint, 0, sizeof((tiny *)context)->adjoint);
    return 0;
}

/* Returns the seconds of plain calls of `step`. */
static double plain(tiny *self, uint64_t steps) {
    int (*volatile step)(void *, uint64_t) = tiny_advance;
    double least = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double began = processor();
        for (uint64_t i = 0; i < steps; i++)
            step(self, i);
        least = fmin(least, processor() - began);
    }
    return least;
}

static double driven(tiny *self, verso_schedule_kind kind, uint64_t steps, uint64_t slots, verso_run_report *report) {
    double least = INFINITY;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        verso_loop loop = {.size = sizeof(verso_loop),
                           .context = self,
                           .steps = steps,
                           .advance = tiny_advance,
                           .adjoint = tiny_adjoint,
                           .start = tiny_start,
                           .state = {{self->state, sizeof self->state}},
                           .adjoint_state = {{self->adjoint, sizeof self->adjoint}}};
        verso_program program;
        verso_run_options options;
        verso_error error;
        must(verso_loop_program(&loop, &program, &error), &error);
        verso_run_options_init(&options);
        options.spec.kind = kind;
        options.spec.slots = slots;
        options.spec.space = slots;
        double began = processor();
        must(verso_run(&program, &options, report, &error), &error);
        least = fmin(least, processor() - began);
        verso_loop_close(&loop);
    }
    return least;
}

static void overhead(const char *folder) {
    static const verso_schedule_kind timed[] = {VERSO_KIND_REVOLVE, VERSO_KIND_TREEVERSE, VERSO_KIND_MIXED,
                                                VERSO_KIND_ONLINE, VERSO_KIND_STORE_ALL};
    tiny self = {.state = {1, 2, 3, 4}, .work = 1};
    while (plain(&self, 100000) < 100000 * 100e-9)
        self.work++;
    FILE *csv = bench_create(folder, "io-overhead.csv");
    fprintf(csv, "kind,slots,steps,executed,plain_ns,overhead_ns\n");
    printf("\n%-10s %6s %12s %10s %12s\n", "kind", "slots", "steps run", "a step, ns", "driver, ns");
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        for (uint64_t slots = 10; slots <= 1000; slots *= 10) {
            verso_run_report report = VERSO_RUN_REPORT_INIT;
            uint64_t steps = 1000000;
            double with = driven(&self, timed[i], steps, slots, &report);
            uint64_t executed = (uint64_t)(report.forward_steps + report.reversed_steps);
            double without = plain(&self, executed);
            printf("%-10s %6llu %12llu %10.1f %12.1f\n", verso_kind_word(timed[i]), (unsigned long long)slots,
                   (unsigned long long)executed, 1e9 * without / (double)executed,
                   1e9 * (with - without) / (double)executed);
            fflush(stdout);
            fprintf(csv, "%s,%llu,%llu,%llu,%.2f,%.2f\n", verso_kind_word(timed[i]), (unsigned long long)slots,
                    (unsigned long long)steps, (unsigned long long)executed, 1e9 * without / (double)executed,
                    1e9 * (with - without) / (double)executed);
            if (timed[i] == VERSO_KIND_STORE_ALL)
                break;
        }
    }
    bench_close(csv);
}

int main(int argc, char **argv) {
    const char *folder = bench_folder(argc, argv);
    size_t largest = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 256;
    makespans(folder, largest);
    overhead(folder);
    return 0;
}
