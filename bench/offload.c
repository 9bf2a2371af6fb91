/* bench/offload [--quick] [--directory DIRECTORY] [FOLDER]: recordings of 4 GB within 256 MB, as in paper 2.
 *
 * Three kernels of bench/native whose recording has some 4 GB. Each gradient is measured in a process of its own:
 *
 *   memory       everything recorded in memory
 *   thread       at most 256 MB of it in memory, the rest in a file; written and read back by a thread
 *   no thread    the same, synchronous
 *   MB           peak resident memory less that of a plain run
 *   disk         time to write and read the same bytes in the same blocks, and nothing else: the least time of an
 *                offload on this disk. Measured after the gradients, in the same directory (DIRECTORY, else TMPDIR,
 *                else /tmp), with the system's page cache, as for an offload
 *
 * Times are elapsed times. All ways must give the same bits. Target: with a thread at most 1.25 times as long as in
 * memory, or else at most as long as in memory plus the disk's time ("the disk's time"). --quick:
 * 200 MB inside 16 MB. Prints one table and writes offload.csv. */
#include "bench/native/suite.h"
#include "bench/support/child.h"
#include "bench/support/output.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KERNELS = 3, BLOCK = 8 << 20, QUICK = 20 };
static const double MB = 1e6, GB = 1e9, BAR = 1.25;

/* Indices in bench_kernels. */
static const struct {
    const char *name;
    bench_size size;
} sizes[KERNELS] = {{"heat", {4096, 65500, 0}}, {"nbody", {700, 17000, 0}}, {"lorenz", {6, 170000000, 0}}};

typedef enum way { IN_MEMORY, THREAD, NO_THREAD, WAYS } way;
static const char *const way_names[WAYS] = {"memory", "thread", "no thread"};

typedef struct task {
    const bench_kernel *kernel;
    bench_size size;
    const char *directory;
    uint64_t memory, bytes;
    way way;
} task;

typedef struct measured {
    verso_status status;
    double seconds, peak, value;
    double write, read; /* seconds of the disk */
    uint64_t gradient;
    verso_native_report report;
    verso_error error;
} measured;

static double elapsed(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- One measurement -------------------------------------------------------------------------------------------- */

static void measure_plain(const void *what, void *result) {
    const task *t = what;
    measured *m = result;
    double *x = bench_inputs(t->kernel, &t->size);
    m->seconds = bench_time_plain(t->kernel, &t->size, x, &m->value);
    m->peak = bench_peak_bytes();
}

static void measure_gradient(const void *what, void *result) {
    const task *t = what;
    measured *m = result;
    double *x = bench_inputs(t->kernel, &t->size), *gradient = bench_alloc((size_t)t->size.n, sizeof *gradient);
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    if (t->way != IN_MEMORY) {
        options.offload_directory = t->directory;
        options.offload_memory = t->memory;
        options.offload_synchronous = t->way == NO_THREAD;
    }
    m->report = (verso_native_report)VERSO_NATIVE_REPORT_INIT;
    double began = elapsed();
    m->status = bench_gradient(t->kernel, &t->size, x, gradient, &options, &m->report, &m->error);
    m->seconds = elapsed() - began;
    m->peak = bench_peak_bytes();
    m->value = m->report.value;
    m->gradient = bench_hash(gradient, (size_t)t->size.n);
}

/* Writes a file from its first byte to its last, and reads it backwards. */
static void measure_disk(const void *what, void *result) {
    const task *t = what;
    measured *m = result;
    char path[4096];
    char *block = bench_alloc(BLOCK, 1);
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (char)(i * 2654435761u >> 13);
    snprintf(path, sizeof path, "%s/verso-disk-%ld", t->directory, (long)getpid());
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (file < 0)
        bench_fail("cannot create '%s'", path);
    unlink(path);
    off_t blocks = (off_t)((t->bytes + BLOCK - 1) / BLOCK);
    double began = elapsed();
    for (off_t i = 0; i < blocks; i++)
        if (pwrite(file, block, BLOCK, i * BLOCK) != BLOCK)
            bench_fail("cannot write '%s'", path);
    m->write = elapsed() - began;
    for (off_t i = blocks; i-- > 0;)
        if (pread(file, block, BLOCK, i * BLOCK) != BLOCK)
            bench_fail("cannot read '%s'", path);
    m->read = elapsed() - began - m->write;
    close(file);
}

static void measure(void (*how)(const void *, void *), const task *t, measured *m) {
    memset(m, 0, sizeof *m);
    if (!bench_in_child(how, t, m, sizeof *m))
        bench_fail("%s: the measuring process failed", t->kernel->name);
}

/* ---- A row ------------------------------------------------------------------------------------------------------ */

typedef struct row {
    measured plain, ways[WAYS], disk;
} row;

static row measure_row(task t) {
    row r;
    measure(measure_plain, &t, &r.plain);
    for (t.way = IN_MEMORY; t.way < WAYS; t.way++) {
        measured *m = &r.ways[t.way];
        measure(measure_gradient, &t, m);
        if (m->status != VERSO_STATUS_OK)
            bench_fail("%s, %s: %s", t.kernel->name, way_names[t.way], m->error.message);
        if (m->value != r.plain.value || m->gradient != r.ways[IN_MEMORY].gradient)
            bench_fail("%s, %s: the gradient has other bits", t.kernel->name, way_names[t.way]);
    }
    t.bytes = r.ways[THREAD].report.offload_bytes;
    measure(measure_disk, &t, &r.disk);
    return r;
}

static double extra(const row *r, way way) {
    return (r->ways[way].peak - r->plain.peak) / MB;
}

static void print_row(const char *name, const row *r) {
    double memory = r->ways[IN_MEMORY].seconds, bytes = (double)r->ways[THREAD].report.offload_bytes;
    printf("%-7s %5.2f %7.2f s %6.0f |", name, (double)r->ways[IN_MEMORY].report.tape_bytes / GB, memory,
           extra(r, IN_MEMORY));
    for (way way = THREAD; way < WAYS; way++)
        printf(" %7.2f s %5.2f %5.0f |", r->ways[way].seconds, r->ways[way].seconds / memory, extra(r, way));
    printf(" %5.2f %7.2f s %6.0f %6.0f | %s\n", bytes / GB, r->disk.write + r->disk.read, bytes / r->disk.write / MB,
           bytes / r->disk.read / MB,
           r->ways[THREAD].seconds <= BAR * memory                            ? "holds"
           : r->ways[THREAD].seconds <= memory + r->disk.write + r->disk.read ? "the disk's time"
                                                                              : "MISSED");
    fflush(stdout);
}

static void write_row(FILE *csv, const task *t, const row *r) {
    for (way way = 0; way < WAYS; way++)
        fprintf(csv, "%s,%d,%d,%s,%llu,%zu,%llu,%.3f,%.3f,%.0f,%.3f,%.3f\n", t->kernel->name, t->size.n, t->size.t,
                way_names[way], way == IN_MEMORY ? 0ull : (unsigned long long)t->memory, r->ways[way].report.tape_bytes,
                (unsigned long long)r->ways[way].report.offload_bytes, r->ways[way].seconds,
                r->ways[way].seconds / r->ways[IN_MEMORY].seconds, extra(r, way) * MB, r->disk.write, r->disk.read);
}

int main(int argc, char **argv) {
    const char *directory = getenv("TMPDIR");
    bool quick = false;
    for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
        if (strcmp(argv[1], "--quick") == 0)
            quick = true;
        else if (strcmp(argv[1], "--directory") == 0 && argc > 2)
            directory = argv[2], argc--, argv++;
        else
            bench_fail("usage: offload [--quick] [--directory DIRECTORY] [FOLDER]");
    }
    task t = {.directory = directory ? directory : "/tmp", .memory = UINT64_C(256) << 20};
    if (quick)
        t.memory /= 16;
    FILE *csv = bench_create(bench_folder(argc, argv), "offload.csv");
    fprintf(csv, "kernel,n,t,way,limit,tape_bytes,file_bytes,seconds,ratio,peak_bytes,disk_write,disk_read\n");
    printf("at most %.0f MB of a recording in memory; file in %s\n", (double)t.memory / MB, t.directory);
    printf("%-7s %5s %9s %6s | %23s | %23s | %5s %9s %6s %6s |\n", "", "", "memory", "", "thread", "no thread", "",
           "disk", "", "");
    printf("%-7s %5s %9s %6s | %9s %5s %5s  | %9s %5s %5s  | %5s %9s %6s %6s | bar: %.2f\n", "kernel", "GB", "", "MB",
           "", "times", "MB", "", "times", "MB", "GB", "", "MB/s w", "MB/s r", BAR);
    for (int i = 0; i < KERNELS; i++)
        for (int k = 0; k < BENCH_KERNELS; k++) {
            if (strcmp(bench_kernels[k].name, sizes[i].name) != 0)
                continue;
            t.kernel = &bench_kernels[k];
            t.size = sizes[i].size;
            t.size.t /= quick ? QUICK : 1;
            row r = measure_row(t);
            print_row(t.kernel->name, &r);
            write_row(csv, &t, &r);
        }
    bench_close(csv);
    return 0;
}
