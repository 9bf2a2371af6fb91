/* bench/vlad [FOLDER]: what VLAD costs, beside the figures of the original.
 *
 * The first table: Listings 2 and 4 of paper 1 with `*j`, and with `checkpoint-*j` in leaves of 10 and of 10,000 steps;
 * seconds of the processor and the most memory of the whole process, the least of several runs. `original` is what the
 * authors' implementation took, compiled with gcc -O3, on a machine like ours (issue 6; it cannot be installed here).
 * `times` is how many times faster we are.
 *
 * The second: how time and memory grow with n over four decades, with exponents fitted by least squares (of seconds, of
 * bytes of the heap at most, and of the steps that evaluation took, which do not depend on the machine). Predicted for
 * checkpoint-*j: time n log n, memory log n.
 *
 * Prints two tables and writes vlad.csv. */
#define _DEFAULT_SOURCE /* wait4: what one child has used */

#include "bench/support/output.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 3, WAYS = 3, DECADES = 5 };

typedef struct taken {
    double seconds, bytes;        /* of the process */
    double steps, repeated, heap; /* what it said itself */
} taken;

typedef struct program {
    const char *name, *file, *input; /* the input: %d is n, which is also behind checkpoint-*j */
} program;

static const program programs[] = {{"Listing 2", "listing2", "%d 3 1\n"}, {"Listing 4", "listing4", "%d\n"}};

typedef struct row {
    const program *program;
    int n;
    double original[WAYS], megabytes[WAYS]; /* seconds and memory of the original */
} row;

static const row rows[] = {
    {&programs[0], 10000, {1.4, 9.4, 2.2}, {87, 3.1, 3.5}},
    {&programs[0], 100000, {20.6, 147, 34.7}, {829, 3.0, 3.4}},
    {&programs[1], 10, {0.08, 3.4, 0.17}, {2.6, 3.4, 2.9}},
    {&programs[1], 20, {1.5, 98, 4.9}, {5.0, 6.0, 4.4}},
};
static const char *const way_names[WAYS] = {"*j", "leaf 10", "leaf 10000"};
static const char *const leaves[WAYS] = {NULL, "10", "10000"};

/* ---- One run ---- */

/* The program with its AD operator: a copy in the folder. */
static void write_program(const char *folder, const program *program, bool checkpointed, char *path, size_t size) {
    char source[4096], line[512];
    snprintf(source, sizeof source, "%s/examples/vlad/%s.vlad", BENCH_SOURCE, program->file);
    snprintf(path, size, "%s/%s%s.vlad", folder, program->file, checkpointed ? "" : "_plain");
    FILE *from = fopen(source, "r"), *to = fopen(path, "w");
    if (!from || !to)
        bench_fail("%s cannot be copied to %s", source, path);
    while (fgets(line, sizeof line, from)) {
        char *there = checkpointed ? NULL : strstr(line, "checkpoint-*j");
        if (there) {
            fprintf(to, "%.*s", (int)(there - line), line);
            fputs(there + strlen("checkpoint-"), to);
        } else
            fputs(line, to);
    }
    fclose(from);
    bench_close(to);
}

static void become_child(const char *path, const char *leaf, int input, int said) {
    const char *arguments[] = {BENCH_VERSO, "vlad", path, "--stats", leaf ? "--leaf" : NULL, leaf, NULL};
    int nowhere = open("/dev/null", O_WRONLY);
    if (dup2(input, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
        _exit(126);
    execv(BENCH_VERSO, (char **)arguments);
    _exit(127);
}

static double number_behind(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at ? atof(at + strlen(word)) : 0;
}

static taken run_once(const char *folder, const program *program, int n, bool checkpointed, const char *leaf) {
    char path[4096], input[4096], text[4096] = "";
    int ends[2], status;
    struct rusage usage;
    write_program(folder, program, checkpointed, path, sizeof path);
    snprintf(input, sizeof input, "%s/vlad.input", folder);
    FILE *file = fopen(input, "w");
    if (!file)
        bench_fail("%s cannot be written", input);
    fprintf(file, program->input, n);
    bench_close(file);
    int in = open(input, O_RDONLY);
    if (in < 0 || pipe(ends) != 0)
        bench_fail("no files for a run of %s", program->name);
    pid_t child = fork();
    if (child == 0)
        become_child(path, leaf, in, ends[1]);
    close(in);
    close(ends[1]);
    for (size_t used = 0;;) {
        ssize_t got = read(ends[0], text + used, sizeof text - 1 - used);
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    close(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_fail("%s with n = %d failed: %s", program->name, n, text);
    return (taken){.seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                              1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                   .bytes = (double)usage.ru_maxrss * 1024,
                   .steps = number_behind(text, "steps "),
                   .repeated = number_behind(text, "steps, "),
                   .heap = number_behind(text, "memory ")};
}

static taken run(const char *folder, const program *program, int n, bool checkpointed, const char *leaf, int runs) {
    taken best = {.seconds = INFINITY};
    for (int i = 0; i < runs; i++) {
        taken now = run_once(folder, program, n, checkpointed, leaf);
        if (now.seconds < best.seconds)
            best = now;
    }
    return best;
}

/* ---- Against the original ---- */

static void compare(FILE *csv, const char *folder) {
    printf("%-10s %7s %-11s %12s | %9s %8s %7s | %9s %8s\n", "program", "n", "operator", "steps", "original", "ours",
           "times", "original", "ours");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int way = 0; way < WAYS; way++) {
            const row *r = &rows[i];
            taken t = run(folder, r->program, r->n, way > 0, leaves[way], RUNS);
            printf("%-10s %7d %-11s %12.0f | %7.2f s %6.3f s %7.1f | %6.1f MB %5.1f MB\n", r->program->name, r->n,
                   way_names[way], t.steps, r->original[way], t.seconds, r->original[way] / t.seconds,
                   r->megabytes[way], t.bytes / 1e6);
            fprintf(csv, "compare,%s,%d,%s,%.0f,%.3f,%.4f,%.1f,%.1f\n", r->program->name, r->n, way_names[way], t.steps,
                    r->original[way], t.seconds, r->megabytes[way], t.bytes / 1e6);
            fflush(stdout);
        }
}

/* ---- Growth ---- */

/* The slope of log y over log x. */
static double exponent(const double *x, const double *y, int count) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void grow(FILE *csv, const char *folder, bool checkpointed, const char *leaf) {
    double n[DECADES], seconds[DECADES], heap[DECADES], steps[DECADES];
    printf("\nListing 2, %s%s\n%10s %12s %10s %12s %8s\n", checkpointed ? "checkpoint-*j, leaf " : "*j",
           checkpointed ? leaf : "", "n", "steps run", "seconds", "heap bytes", "passes");
    for (int i = 0; i < DECADES; i++) {
        n[i] = pow(10, i + 2);
        if (!checkpointed && n[i] > 1e5) /* 2 GB of recording */
            n[i] = 3e5;
        taken t = run(folder, &programs[0], (int)n[i], checkpointed, leaf, n[i] < 1e5 ? RUNS : 1);
        seconds[i] = t.seconds, heap[i] = t.heap, steps[i] = t.steps + t.repeated;
        printf("%10.0f %12.0f %10.3f %12.0f %8.2f\n", n[i], steps[i], seconds[i], heap[i], steps[i] / t.steps);
        fprintf(csv, "growth,Listing 2,%.0f,%s,%.0f,,%.4f,,%.0f\n", n[i], leaf ? leaf : "*j", steps[i], seconds[i],
                heap[i]);
        fflush(stdout);
    }
    printf("exponents over the last three: steps run %.3f, seconds %.3f, heap %.3f\n",
           exponent(n + 2, steps + 2, DECADES - 2), exponent(n + 2, seconds + 2, DECADES - 2),
           exponent(n + 2, heap + 2, DECADES - 2));
}

int main(int argc, char **argv) {
    const char *folder = bench_folder(argc, argv);
    FILE *csv = bench_create(folder, "vlad.csv");
    fprintf(csv, "table,program,n,operator,steps,original_s,seconds,original_mb,megabytes\n");
    compare(csv, folder);
    grow(csv, folder, false, NULL);
    grow(csv, folder, true, "100");
    bench_close(csv);
    return 0;
}
