/* bench/openmp [FOLDER]: parallel programs (bench/openmp/kernels.c), with one thread and with two.
 *
 *   primal     milliseconds of a call, with 1 and 2 threads; the speed-up
 *   gradient   the same of a gradient by Verso, everything recorded
 *   kept       the speed-up of the gradient ÷ that of the primal
 *
 * Each is the least of fifteen, of processes that alternate. Prints one table and writes openmp.csv. The status is 1 if
 * a program failed. */
#include "bench/support/output.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COMMAND = 4096, MOST_THREADS = 2, ROUNDS = 3 };

static const char *const kernels[] = {"stencil", "dense", "nbody", "sparse", "particle"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

typedef struct times {
    double primal, gradient; /* seconds */
    size_t tape_bytes;
} times;

static void command(char *text, const char *format, ...) BENCH_PRINTF(2, 3);
static void command(char *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, COMMAND, format, list);
    va_end(list);
    if (length < 0 || length >= COMMAND)
        bench_fail("the command is too long: %s", text);
}

static void make(void) {
    char text[COMMAND];
    command(text,
            "mkdir -p '%s/openmp' && '%s' cc -O2 -fopenmp -I'%s/include' '%s/bench/openmp/kernels.c' -o "
            "'%s/openmp/kernels' "
            "-lm",
            BENCH_BINARY, BENCH_VERSO, BENCH_SOURCE, BENCH_SOURCE, BENCH_BINARY);
    if (system(text) != 0)
        bench_fail("bench/openmp/kernels.c cannot be built");
}

/* Runs a kernel once more, and keeps the least times. */
static void measure(const char *kernel, int threads, times *least) {
    char text[COMMAND], line[256] = "";
    command(text, "OMP_NUM_THREADS=%d OMP_PROC_BIND=true '%s/openmp/kernels' %s", threads, BENCH_BINARY, kernel);
    FILE *pipe = popen(text, "r");
    times now = {0};
    bool read = pipe != NULL && fgets(line, sizeof line, pipe) != NULL &&
                sscanf(line, "%lf %lf %zu", &now.primal, &now.gradient, &now.tape_bytes) == 3;
    if (pipe == NULL || pclose(pipe) != 0 || !read)
        bench_fail("%s with %d threads failed", kernel, threads);
    least->primal = fmin(least->primal, now.primal);
    least->gradient = fmin(least->gradient, now.gradient);
    least->tape_bytes = now.tape_bytes;
}

static void print_row(FILE *csv, const char *kernel, const times t[MOST_THREADS]) {
    double primal = t[0].primal / t[1].primal, gradient = t[0].gradient / t[1].gradient;
    printf("%-10s | %8.3f %8.3f %6.2f | %8.3f %8.3f %6.2f %6.2f | %6.2f | %7.1f MB\n", kernel, 1e3 * t[0].primal,
           1e3 * t[1].primal, primal, 1e3 * t[0].gradient, 1e3 * t[1].gradient, gradient, t[0].gradient / t[0].primal,
           gradient / primal, 1e-6 * (double)t[1].tape_bytes);
    fprintf(csv, "%s,%.9f,%.9f,%.9f,%.9f,%.4f,%.4f,%.4f,%zu\n", kernel, t[0].primal, t[1].primal, t[0].gradient,
            t[1].gradient, primal, gradient, gradient / primal, t[1].tape_bytes);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *folder = bench_folder(argc, argv);
    FILE *csv = bench_create(folder, "openmp.csv");
    make();
    fprintf(csv, "kernel,primal_1_s,primal_2_s,gradient_1_s,gradient_2_s,primal_speedup,gradient_speedup,kept,tape\n");
    printf("%-10s | %-24s | %-31s | %6s | %10s\n%-10s | %8s %8s %6s | %8s %8s %6s %6s |\n", "", "primal, ms",
           "gradient, ms", "kept", "tape", "kernel", "1", "2", "times", "1", "2", "times", "÷ pr.");
    for (size_t k = 0; k < KERNELS; k++) {
        times t[MOST_THREADS] = {{INFINITY, INFINITY, 0}, {INFINITY, INFINITY, 0}};
        for (int round = 0; round < ROUNDS; round++)
            for (int threads = 1; threads <= MOST_THREADS; threads++)
                measure(kernels[k], threads, &t[threads - 1]);
        print_row(csv, kernels[k], t);
    }
    bench_close(csv);
    return 0;
}
