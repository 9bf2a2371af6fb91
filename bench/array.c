/* bench/array [OPTION...] [FOLDER]: gradients of programs that compute on arrays, against adjoints written by hand.
 *
 *   primal     seconds of the kernel, compiled by clang-19 at the same level
 *   gradient   by Verso, everything recorded; ÷ primal
 *   hand       value and gradient by the adjoint in bench/array/hand, compiled by clang-19 at the same level; ÷ primal
 *   by hand    Verso's gradient ÷ the hand-written one
 *   tape       bytes that Verso records
 *   Enzyme     its gradient ÷ primal at -O2, where it was measured when the targets were set
 *
 *   --level L,...    O2: -O2; O3: -O3 -march=native; Ofast: -O3 -ffast-math -march=native. Default: O2 and O3, and
 *                    Ofast for gpt2_f
 *   --kernel K,...   these rows only; --list names all
 *   --seconds S      for how long each row is measured (1)
 *   --keep           measure the programs that are there, without making them anew
 *   --fresh          let malloc give memory back, as it does by default. Otherwise it keeps what it has, so that
 *                    neither primal nor hand-written adjoint pays for fresh pages in warm runs; Verso never does
 *
 * Every row is a program of its own (bench/array/build), which first compares the gradients. Times are of the
 * processor, least of several, primal, Verso and hand in turn. Prints one table, then the bars (targets), and writes
 * array.csv and array-bars.csv. The status is 1 if a gradient was wrong or refused. */
#include "bench/support/output.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- What is measured ------------------------------------------------------------------------------------------- */

enum { O2, O3, OFAST, LEVELS };
static const char *const level_names[LEVELS] = {"O2", "O3", "Ofast"};
static const char *const level_flags[LEVELS] = {"-O2", "-O3 -march=native", "-O3 -ffast-math -march=native"};

/* NINE: kernels with bars of their own; BESIDE: rows that are in no mean. */
typedef enum kind { KERNEL, NINE, BESIDE } kind;

typedef struct task {
    const char *name, *source, *defines;
    kind kind;
    double tolerance; /* 0: that of the type */
    double enzyme;    /* 0: not known */
    const char *ask;  /* NULL: ask_gradient */
    const char *environment;
} task;

#define ROW(row, kernel, flags) .name = #row, .source = #kernel, .defines = flags
#define PLAIN(kernel) ROW(kernel, kernel, "")
#define FLOAT(kernel) ROW(kernel##_f, kernel, "-DREAL=float")

static const task tasks[] = {
    {PLAIN(gemm), .kind = NINE, .enzyme = 56},
    {PLAIN(lu), .kind = NINE, .enzyme = 7.0},
    {PLAIN(cholesky), .kind = NINE, .enzyme = 8.2},
    {PLAIN(jacobi2d), .kind = NINE, .enzyme = 3.9},
    {PLAIN(burgers2d), .kind = NINE, .enzyme = 13.7},
    {PLAIN(fdtd2d), .kind = NINE, .enzyme = 3.3},
    {PLAIN(floyd), .kind = NINE, .enzyme = 8.6},
    {PLAIN(covariance), .kind = NINE, .enzyme = 13.6},
    {PLAIN(mlp), .kind = NINE, .enzyme = 18},
    {PLAIN(thomas)},
    {PLAIN(banded)},
    {PLAIN(heat1d)},
    {PLAIN(heat3d)},
    {PLAIN(reaction)},
    {PLAIN(particles)},
    {PLAIN(cells)},
    {ROW(cells64, cells, "-DINDEX=int64_t")},
    {PLAIN(heap)},
    {PLAIN(mask)},
    {PLAIN(cg)},
    {PLAIN(pagerank)},
    {PLAIN(iir)},
    {PLAIN(scan)},
    {PLAIN(fir)},
    {PLAIN(fft)},
    {PLAIN(conv2d)},
    {PLAIN(attention)},
    {PLAIN(lstm)},
    {PLAIN(gmm)},
    {PLAIN(bundle)},
    {PLAIN(blackscholes)},
    {PLAIN(montecarlo)},
    {PLAIN(axpy)},
    {PLAIN(dot)},
    {PLAIN(gpt2)},
    {PLAIN(bicg)},
    {PLAIN(doitgen)},
    {PLAIN(correlation)},
    {PLAIN(wave)},
    {PLAIN(lennard)},
    {PLAIN(kmeans)},
    {PLAIN(csr)},
    {PLAIN(kalman)},
    {PLAIN(rows)},
    {PLAIN(shallow)},
    {PLAIN(wave3d)},
    {PLAIN(elimination)},
    {PLAIN(gauss)},
    {PLAIN(padded)},
    {PLAIN(lattice)},
    {PLAIN(limiter)},
    {PLAIN(weno)},
    {PLAIN(bodies)},
    {PLAIN(acoustic)},
    {ROW(jacobi2d_beside, jacobi2d, "-DBESIDE_FLOAT"), .tolerance = 1e-6},
    {FLOAT(gemm)},
    {FLOAT(axpy)},
    {FLOAT(dot)},
    {FLOAT(mlp), .tolerance = 1e-2}, /* sixty layers make rounding grow */
    {FLOAT(conv2d)},
    {FLOAT(attention)},
    {FLOAT(lstm)},
    {FLOAT(jacobi2d)},
    {FLOAT(heat3d)},
    {FLOAT(fft)},
    {FLOAT(csr)},
    {FLOAT(rows)},
    {FLOAT(shallow)},
    {FLOAT(wave3d)},
    {FLOAT(padded)},
    {FLOAT(lattice)},
    {FLOAT(limiter)},
    {FLOAT(weno)},
    {FLOAT(bodies)},
    {FLOAT(acoustic)},
    {FLOAT(gpt2)},
    {ROW(table_double, table, "-DENTRY=double"), .kind = BESIDE},
    {ROW(table_uint8, table, "-DENTRY=uint8_t"), .kind = BESIDE},
    {ROW(table_uint16, table, "-DENTRY=uint16_t"), .kind = BESIDE},
    {ROW(table_int64, table, "-DENTRY=int64_t"), .kind = BESIDE},
    {ROW(table_intptr, table, "-DENTRY=intptr_t"), .kind = BESIDE},
    {ROW(tangent_axpy, axpy, ""), .kind = BESIDE, .ask = "ask_tangent"},
    {ROW(tangent_dot, dot, ""), .kind = BESIDE, .ask = "ask_tangent"},
    {ROW(tangent_axpy_f, axpy, "-DREAL=float"), .kind = BESIDE, .ask = "ask_tangent"},
    {ROW(tangent_dot_f, dot, "-DREAL=float"), .kind = BESIDE, .ask = "ask_tangent"},
    {PLAIN(snap), .kind = BESIDE, .environment = "VERSO_CHECKPOINT=pure"},
};

enum { TASKS = sizeof tasks / sizeof *tasks, COMMAND = 4096 };

typedef struct result {
    bool measured, failed;
    double primal, gradient, hand, difference; /* seconds; greatest difference of the gradients */
    size_t tape_bytes;
} result;

static result results[TASKS][LEVELS];

typedef struct choice {
    const char *levels, *kernels, *folder; /* NULL: the usual ones */
    double seconds;
    bool keep, fresh;
} choice;

/* ---- Options ---------------------------------------------------------------------------------------------------- */

static bool in_list(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static void list_and_end(void) {
    for (size_t i = 0; i < TASKS; i++)
        puts(tasks[i].name);
    exit(0);
}

static const char *value_of(int argc, char **argv, int *i) {
    if (*i + 1 >= argc)
        bench_fail("%s needs a value", argv[*i]);
    return argv[++*i];
}

static choice read_options(int argc, char **argv) {
    choice c = {.folder = bench_folder(1, argv), .seconds = 1};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--level") == 0)
            c.levels = value_of(argc, argv, &i);
        else if (strcmp(argv[i], "--kernel") == 0)
            c.kernels = value_of(argc, argv, &i);
        else if (strcmp(argv[i], "--seconds") == 0)
            c.seconds = atof(value_of(argc, argv, &i));
        else if (strcmp(argv[i], "--keep") == 0)
            c.keep = true;
        else if (strcmp(argv[i], "--fresh") == 0)
            c.fresh = true;
        else if (strcmp(argv[i], "--list") == 0)
            list_and_end();
        else if (argv[i][0] == '-')
            bench_fail("there is no option %s; there are --level, --kernel, --seconds, --keep, --fresh, --list",
                       argv[i]);
        else
            c.folder = argv[i];
    return c;
}

static bool chosen(const choice *c, const task *t, int level) {
    if (c->kernels && !in_list(c->kernels, t->name))
        return false;
    if (c->levels)
        return in_list(c->levels, level_names[level]);
    return level != OFAST || strcmp(t->name, "gpt2_f") == 0;
}

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

static bool make(const task *t, int level, const char *program) {
    char command[COMMAND];
    int length = snprintf(command, sizeof command, "bash '%s/bench/array/build' '%s' '%s' '%s' '%s' %s %s %s %s",
                          BENCH_SOURCE, BENCH_VERSO, BENCH_CLANG, BENCH_SOURCE, program, t->source,
                          t->ask ? t->ask : "ask_gradient", level_flags[level], t->defines);
    if (length < 0 || (size_t)length >= sizeof command)
        bench_fail("the name %s is too long", program);
    return system(command) == 0;
}

/* Two right gradients differ by rounding: that of the type, grown in the kernel, and more under fast-math. */
static double tolerance(const task *t, int level) {
    bool floats = strstr(t->defines, "float") != NULL;
    double usual = floats ? 3e-4 : 1e-9;
    return (t->tolerance > 0 ? t->tolerance : usual) * (level == OFAST ? 10 : 1);
}

static void measure(const task *t, int level, const choice *c, result *r) {
    char program[COMMAND / 4], command[COMMAND], line[256] = "";
    snprintf(program, sizeof program, "%s/array/%s/%s", BENCH_BINARY, level_names[level], t->name);
    r->measured = true;
    r->failed = true;
    if (!c->keep && !make(t, level, program))
        return;
    snprintf(command, sizeof command, "%s %s '%s' %g %g",
             c->fresh ? "" : "MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=4294967296",
             t->environment ? t->environment : "", program, tolerance(t, level), c->seconds);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        bench_fail("no process");
    bool read = fgets(line, sizeof line, pipe) != NULL;
    bool ended = pclose(pipe) == 0;
    r->failed =
        !(read && ended &&
          sscanf(line, "%lf %lf %lf %zu %lf", &r->primal, &r->gradient, &r->hand, &r->tape_bytes, &r->difference) == 5);
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static double ratio(const result *r) {
    return r->gradient / r->primal;
}

static void print_heading(FILE *csv) {
    printf("%-16s", "");
    for (int level = 0; level < OFAST; level++)
        printf(" | %-38s", level_flags[level]);
    printf(" |\n%-16s", "kernel");
    for (int level = 0; level < OFAST; level++)
        printf(" | %8s %9s %9s %9s", "primal", "gradient", "hand", "by hand");
    printf(" | %9s %6s\n", "tape", "Enzyme");
    fprintf(csv, "kernel,level,primal_s,gradient_s,hand_s,gradient,hand,verso_by_hand,tape_bytes,difference,enzyme\n");
}

static void print_result(const result *r) {
    if (!r->measured)
        printf(" | %38s", "");
    else if (r->failed)
        printf(" | %38s", "failed");
    else
        printf(" | %6.2fms %9.2f %9.2f %9.2f", 1e3 * r->primal, ratio(r), r->hand / r->primal, r->gradient / r->hand);
}

static void write_result(FILE *csv, const task *t, int level, const result *r) {
    if (!r->measured)
        return;
    if (r->failed)
        fprintf(csv, "%s,%s,,,,,,,,,\n", t->name, level_names[level]);
    else
        fprintf(csv, "%s,%s,%.9f,%.9f,%.9f,%.3f,%.3f,%.3f,%zu,%.3g,%g\n", t->name, level_names[level], r->primal,
                r->gradient, r->hand, ratio(r), r->hand / r->primal, r->gradient / r->hand, r->tape_bytes,
                r->difference, t->enzyme);
}

/* The tape is that of the first level at which the row was measured. */
static void print_row(FILE *csv, const task *t, const result *r) {
    const result *first = r;
    printf("%-16s", t->name);
    for (int level = 0; level < OFAST; level++)
        print_result(&r[level]);
    while (first < r + LEVELS - 1 && !(first->measured && !first->failed))
        first++;
    printf(" | %6.1f MB", 1e-6 * (double)first->tape_bytes);
    if (t->enzyme > 0)
        printf(" %6.1f", t->enzyme);
    if (r[OFAST].measured) {
        printf("\n%-16s", "  Ofast");
        print_result(&r[OFAST]);
    }
    printf("\n");
    fflush(stdout);
    for (int level = 0; level < LEVELS; level++)
        write_result(csv, t, level, &r[level]);
}

/* ---- Bars ------------------------------------------------------------------------------------------------------- */

static const result *find(const char *name, int level) {
    for (size_t i = 0; i < TASKS; i++)
        if (strcmp(tasks[i].name, name) == 0)
            return results[i][level].measured && !results[i][level].failed ? &results[i][level] : NULL;
    return NULL;
}

typedef struct mean {
    double logarithms, worst;
    int count;
    const char *which; /* the worst */
} mean;

static void enter(mean *m, double value, const char *name) {
    m->logarithms += log(value);
    m->count++;
    if (value > m->worst) {
        m->worst = value;
        m->which = name;
    }
}

static double geometric(const mean *m) {
    return m->count > 0 ? exp(m->logarithms / m->count) : 0;
}

/* One line of the bars; a bar that is 0 is none. */
static void print_bar(FILE *csv, const char *name, int level, double value, double bar, const char *which) {
    printf("  %-52s %-6s %10.2f", name, level_names[level], value);
    if (bar > 0)
        printf("  bar %8.2f %s", bar, value <= bar ? " " : "!");
    printf(" %s\n", which ? which : "");
    fprintf(csv, "\"%s\",%s,%.4f,%g,%s\n", name, level_names[level], value, bar, which ? which : "");
}

static void print_mean(FILE *csv, const char *name, int level, const mean *m, double bar, double bar_worst) {
    char text[128];
    if (m->count == 0)
        return;
    snprintf(text, sizeof text, "%s, mean of %d", name, m->count);
    print_bar(csv, text, level, geometric(m), bar, NULL);
    snprintf(text, sizeof text, "%s, worst", name);
    print_bar(csv, text, level, m->worst, bar_worst, m->which);
}

static void print_means(FILE *csv, int level) {
    static const double bars[LEVELS] = {3.3, 3.8, 0}, worst[LEVELS] = {6, 7, 0};
    mean nine = {0}, hand = {0}, all = {0}, by_hand = {0};
    for (size_t i = 0; i < TASKS; i++) {
        const result *r = find(tasks[i].name, level);
        if (!r || tasks[i].kind == BESIDE)
            continue;
        if (tasks[i].kind == NINE) {
            enter(&nine, ratio(r), tasks[i].name);
            enter(&hand, r->hand / r->primal, tasks[i].name);
        }
        enter(&all, ratio(r), tasks[i].name);
        enter(&by_hand, r->gradient / r->hand, tasks[i].name);
    }
    print_mean(csv, "nine kernels: gradient / primal", level, &nine, bars[level], worst[level]);
    print_mean(csv, "nine kernels: by hand / primal", level, &hand, 0, 0);
    print_mean(csv, "all: gradient / primal", level, &all, 0, 0);
    print_mean(csv, "all: Verso / by hand", level, &by_hand, level == OFAST ? 0 : 1.3, level == OFAST ? 0 : 2);
}

/* Of these rows, gradient ÷ primal, divided by that of the row `by`, if any. */
static void print_family(FILE *csv, const char *name, int level, const char *const *rows, const char *by, double bar) {
    mean m = {0};
    const result *base = by ? find(by, level) : NULL;
    if (by && !base)
        return;
    for (; *rows; rows++) {
        const result *r = find(*rows, level);
        if (r)
            enter(&m, ratio(r) / (base ? ratio(base) : 1), *rows);
    }
    print_mean(csv, name, level, &m, 0, bar);
}

static void print_floats(FILE *csv, int level) {
    mean m = {0};
    for (size_t i = 0; i < TASKS; i++) {
        const result *r = find(tasks[i].name, level), *wide = find(tasks[i].source, level);
        if (r && wide && tasks[i].kind == KERNEL && strcmp(tasks[i].defines, "-DREAL=float") == 0)
            enter(&m, ratio(r) / ratio(wide), tasks[i].name);
    }
    print_mean(csv, "float: gradient / primal, / that in double", level, &m, 0, 1.2);
}

static void print_tapes(FILE *csv, int level) {
    static const char *const rows[] = {"gemm", "mlp", "gmm"};
    static const double bars[] = {12.9, 3.9, 13.3};
    for (int i = 0; i < 3; i++) {
        const result *r = find(rows[i], level);
        if (r)
            print_bar(csv, "MB of tape", level, 1e-6 * (double)r->tape_bytes, bars[i], rows[i]);
    }
}

static void print_bars(FILE *csv, int level) {
    static const char *const beside[] = {"jacobi2d_beside", NULL};
    static const char *const tables[] = {"table_uint8", "table_uint16", "table_int64", "table_intptr", NULL};
    static const char *const structures[] = {"cells", "cells64", "heap", "mask", NULL};
    static const char *const tangents[] = {"tangent_axpy", "tangent_dot", "tangent_axpy_f", "tangent_dot_f", NULL};
    static const double gpt[LEVELS] = {3.5, 4.5, 10};
    const result *r = find("gpt2_f", level), *snap = find("snap", level);
    print_means(csv, level);
    print_floats(csv, level);
    print_family(csv, "jacobi2d beside a float, / without", level, beside, "jacobi2d", 1.05);
    print_family(csv, "tables of integers, / of doubles", level, tables, "table_double", 1.2);
    print_family(csv, "cell lists, heap, mask", level, structures, NULL, 4);
    print_family(csv, "tangents / primal", level, tangents, NULL, 2.5);
    print_tapes(csv, level);
    if (r) {
        print_bar(csv, "gpt2_f: gradient / primal", level, ratio(r), gpt[level], NULL);
        print_bar(csv, "gpt2_f: by hand / primal", level, r->hand / r->primal, 0, NULL);
    }
    if (snap)
        print_bar(csv, "bytes kept for a checkpointed call of snap", level, (double)snap->tape_bytes / 1000, 500, NULL);
}

/* Returns how often it failed. */
static int measure_row(size_t i, const choice *c, FILE *csv) {
    int measured = 0, failed = 0;
    for (int level = 0; level < LEVELS; level++)
        if (chosen(c, &tasks[i], level)) {
            measure(&tasks[i], level, c, &results[i][level]);
            failed += results[i][level].failed;
            measured++;
        }
    if (measured > 0)
        print_row(csv, &tasks[i], results[i]);
    return failed;
}

int main(int argc, char **argv) {
    choice c = read_options(argc, argv);
    FILE *csv = bench_create(c.folder, "array.csv"), *bars = bench_create(c.folder, "array-bars.csv");
    int failed = 0;
    print_heading(csv);
    for (size_t i = 0; i < TASKS; i++)
        failed += measure_row(i, &c, csv);
    fprintf(bars, "bar,level,value,wanted,row\n");
    for (int level = 0; level < LEVELS; level++)
        print_bars(bars, level);
    bench_close(csv);
    bench_close(bars);
    if (failed > 0)
        fprintf(stderr, "%d measurements failed\n", failed);
    return failed > 0;
}
