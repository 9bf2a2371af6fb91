/* bench/vlad [FOLDER]: the cost of VLAD programs, compared with the original implementation.
 *
 * The first table: Listings 2 and 4 of paper 1 with `*j`, and with `checkpoint-*j` in leaves of 10 and of 10,000 steps,
 * by each of the three implementations; processor time and peak memory of the whole process, the least of several runs.
 * `original` has the figures of the authors' implementation, compiled with gcc -O3, on a similar machine (it cannot be
 * installed here). Compile times are not included. `times` is the speed-up over the original, `Msteps/s` the number of
 * million evaluation steps per second, including repeated ones.
 *
 * The second: the gradient of a determinant of 100 x 100, with nested lists as printed, and with vectors.
 *
 * The third: growth of time and memory with n over four decades, with exponents fitted by least squares (of seconds, of
 * the peak of the heap, and of evaluation steps, which do not depend on the machine). Predicted for checkpoint-*j: time
 * n log n, memory log n.
 *
 * Prints the tables and writes vlad.csv. */
#define _DEFAULT_SOURCE /* wait4 */

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
    double seconds, bytes;                  /* of the process */
    double steps, repeated, heap, capsules; /* reported by --stats */
} taken;

typedef struct program {
    const char *name, *file, *input; /* %d in the input is n */
} program;

static const program programs[] = {
    {"Listing 2", "listing2", "%d 3 1\n"}, {"Listing 4", "listing4", "%d\n"}, {"vectors", "determinant", "%d\n"}};

enum { IMPLEMENTATIONS = 3, COMPILED = 0 };
static const char *const implementations[IMPLEMENTATIONS] = {"compile", "hybrid", "interpret"};

/* A program, and how it is run. */
typedef struct experiment {
    const char *folder;
    const program *program;
    int n, implementation;
    const char *leaf; /* NULL: `*j` */
} experiment;

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

/* Copies the program, with its AD operator replaced, to the folder. */
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

/* Compiles the program, before the time is measured. */
static void compile_program(const char *path, char *binary, size_t size) {
    char command[16384];
    snprintf(binary, size, "%s.program", path);
    snprintf(command, sizeof command, "'%s' vlad '%s' --output '%s'", BENCH_VERSO, path, binary);
    if (system(command) != 0)
        bench_fail("%s cannot be compiled", path);
}

static void become_child(const experiment *e, const char *path, int input, int said) {
    char option[32];
    snprintf(option, sizeof option, "--%s", implementations[e->implementation]);
    const char *evaluated[] = {BENCH_VERSO, "vlad", path, option, "--stats", e->leaf ? "--leaf" : NULL, e->leaf, NULL};
    const char *compiled[] = {path, "--stats", e->leaf ? "--leaf" : NULL, e->leaf, NULL};
    const char **arguments = e->implementation == COMPILED ? compiled : evaluated;
    int nowhere = open("/dev/null", O_WRONLY);
    if (dup2(input, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
        _exit(126);
    execv(arguments[0], (char **)arguments);
    _exit(127);
}

static double number_behind(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at ? atof(at + strlen(word)) : 0;
}

/* Returns the input as a file that is open for reading. */
static int write_input(const experiment *e) {
    char path[4096];
    snprintf(path, sizeof path, "%s/vlad.input", e->folder);
    FILE *file = fopen(path, "w");
    if (!file)
        bench_fail("%s cannot be written", path);
    fprintf(file, e->program->input, e->n);
    bench_close(file);
    int input = open(path, O_RDONLY);
    if (input < 0)
        bench_fail("%s cannot be read", path);
    return input;
}

static void read_all(int from, char *text, size_t room) {
    ssize_t got;
    for (size_t used = 0; (got = read(from, text + used, room - 1 - used)) > 0;)
        used += (size_t)got;
}

static taken run_once(const experiment *e, const char *path) {
    char text[4096] = "";
    int ends[2], status, input = write_input(e);
    struct rusage usage;
    if (pipe(ends) != 0)
        bench_fail("no pipe for a run of %s", e->program->name);
    pid_t child = fork();
    if (child == 0)
        become_child(e, path, input, ends[1]);
    close(input);
    close(ends[1]);
    read_all(ends[0], text, sizeof text);
    close(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_fail("%s with n = %d failed: %s", e->program->name, e->n, text);
    return (taken){.seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                              1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                   .bytes = (double)usage.ru_maxrss * 1024,
                   .steps = number_behind(text, "steps "),
                   .repeated = number_behind(text, "steps, "),
                   .heap = number_behind(text, "memory "),
                   .capsules = number_behind(text, "run; ")};
}

static taken run(const experiment *e, int runs) {
    char path[4096], binary[4200];
    taken best = {.seconds = INFINITY};
    write_program(e->folder, e->program, e->leaf != NULL, path, sizeof path);
    if (e->implementation == COMPILED)
        compile_program(path, binary, sizeof binary);
    for (int i = 0; i < runs; i++) {
        taken now = run_once(e, e->implementation == COMPILED ? binary : path);
        if (now.seconds < best.seconds)
            best = now;
    }
    return best;
}

/* Returns million evaluation steps per second. */
static double speed(const taken *t) {
    return 1e-6 * (t->steps + t->repeated) / t->seconds;
}

/* ---- Against the original ---- */

static void compare_one(FILE *csv, const experiment *e, const row *r, int way) {
    taken t = run(e, RUNS);
    const char *implementation = implementations[e->implementation];
    printf("%-10s %7d %-11s %-10s %10.0f | %7.2f s %7.3f s %8.1f | %6.1f MB %6.1f MB | %8.1f\n", r->program->name, r->n,
           way_names[way], implementation, t.steps, r->original[way], t.seconds, r->original[way] / t.seconds,
           r->megabytes[way], t.bytes / 1e6, speed(&t));
    fprintf(csv, "compare,%s,%d,%s,%s,%.0f,%.3f,%.4f,%.1f,%.1f\n", r->program->name, r->n, way_names[way],
            implementation, t.steps, r->original[way], t.seconds, r->megabytes[way], t.bytes / 1e6);
    fflush(stdout);
}

static void compare(FILE *csv, const char *folder) {
    printf("%-10s %7s %-11s %-10s %10s | %9s %9s %8s | %9s %9s | %8s\n", "program", "n", "operator", "by", "steps",
           "original", "ours", "times", "original", "ours", "Msteps/s");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int way = 0; way < WAYS; way++)
            for (int by = 0; by < IMPLEMENTATIONS; by++)
                compare_one(csv,
                            &(experiment){.folder = folder,
                                          .program = rows[i].program,
                                          .n = rows[i].n,
                                          .implementation = by,
                                          .leaf = leaves[way]},
                            &rows[i], way);
}

/* ---- Determinants ---- */

static void compute_determinants(FILE *csv, const char *folder) {
    printf(
        "\nGradient of a determinant of 100 x 100 by checkpoint-*j, leaf 10000, compiled\n%-10s %12s %10s %10s %8s\n",
        "program", "steps", "seconds", "memory", "Msteps/s");
    for (int i = 1; i < 3; i++) {
        experiment e = {
            .folder = folder, .program = &programs[i], .n = 100, .implementation = COMPILED, .leaf = leaves[WAYS - 1]};
        taken t = run(&e, 1);
        printf("%-10s %12.0f %8.2f s %7.1f MB %8.1f\n", e.program->name, t.steps, t.seconds, t.bytes / 1e6, speed(&t));
        fprintf(csv, "determinant,%s,%d,%s,compile,%.0f,,%.4f,,%.1f\n", e.program->name, e.n, e.leaf, t.steps,
                t.seconds, t.bytes / 1e6);
        fflush(stdout);
    }
}

/* ---- Growth ---- */

/* Returns the slope of log y over log x. */
static double exponent(const double *x, const double *y, int count) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void grow(FILE *csv, const char *folder, int by, const char *leaf) {
    double n[DECADES], seconds[DECADES], heap[DECADES], steps[DECADES];
    printf("\nListing 2, %s%s, %s\n%10s %13s %10s %12s %8s %9s\n", leaf ? "checkpoint-*j, leaf " : "*j",
           leaf ? leaf : "", implementations[by], "n", "steps run", "seconds", "heap bytes", "passes", "capsules");
    for (int i = 0; i < DECADES; i++) {
        n[i] = pow(10, i + (by == COMPILED ? 2 : 1)); /* others would take minutes for the last one */
        if (!leaf && n[i] > 1e5)                      /* 2 GB of recording */
            n[i] = 3e5;
        experiment e = {.folder = folder, .program = &programs[0], .n = (int)n[i], .implementation = by, .leaf = leaf};
        taken t = run(&e, n[i] < 1e5 ? RUNS : 1);
        seconds[i] = t.seconds, heap[i] = t.heap, steps[i] = t.steps + t.repeated;
        printf("%10.0f %13.0f %10.3f %12.0f %8.2f %9.0f\n", n[i], steps[i], seconds[i], heap[i], steps[i] / t.steps,
               t.capsules);
        fprintf(csv, "growth,Listing 2,%.0f,%s,%s,%.0f,,%.4f,,%.0f\n", n[i], leaf ? leaf : "*j", implementations[by],
                steps[i], seconds[i], heap[i]);
        fflush(stdout);
    }
    printf("exponents over the last three: steps run %.3f, seconds %.3f, heap %.3f\n",
           exponent(n + 2, steps + 2, DECADES - 2), exponent(n + 2, seconds + 2, DECADES - 2),
           exponent(n + 2, heap + 2, DECADES - 2));
}

int main(int argc, char **argv) {
    const char *folder = bench_folder(argc, argv);
    FILE *csv = bench_create(folder, "vlad.csv");
    fprintf(csv, "table,program,n,operator,by,steps,original_s,seconds,original_mb,megabytes\n");
    compare(csv, folder);
    compute_determinants(csv, folder);
    for (int by = 0; by < IMPLEMENTATIONS; by++) {
        grow(csv, folder, by, NULL);
        grow(csv, folder, by, "100");
    }
    bench_close(csv);
    return 0;
}
