/* bench/native [FOLDER [LUA [SQLITE]]]: the cost of a gradient in units of a run of the program.
 *
 *   primal       the kernel's untouched source compiled by clang-19 -O2
 *   gradient     verso_vjp of the same source compiled by `verso cc -O2`, everything recorded; ÷ primal
 *   recording    first part of the gradient, by its share of the elapsed time; ÷ primal
 *   reverse      second part, likewise; ÷ primal
 *   first        the first gradient of the process, which also pays for new pages; ÷ primal
 *   bytes/op     length of the tape by the kernel's floating-point operations
 *   ADOL-C       a taping run and a reverse sweep ÷ primal, on a shorter run (its tape is long), where it is installed
 *   bar          the target: at most this (a mean of 2.2)
 *
 * Each kernel is measured in a process of its own. Times are processor times, the least of several runs, primal and
 * gradient in turn. The gradient is compared with ADOL-C's on the shorter run. With LUA, a folder of Lua's sources, it
 * also measures compiling and linking Lua with clang -O2, and with `verso cc` and a script to differentiate. With
 * SQLITE, a folder with SQLite's amalgamation, it measures a link of that with a query to differentiate. Prints one
 * table and writes native.csv. */
#include "bench/native/suite.h"
#include "bench/support/child.h"
#include "bench/support/output.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 7, RUNS_ADOLC = 2 };

static const double BAR_MEAN = 2.2, BAR_COMPILE = 3.5, BAR_RELINK = 1.5, BAR_LARGE = 60, BAR_LARGE_MB = 1000;

/* ---- What is measured ------------------------------------------------------------------------------------------- */

typedef struct plan {
    bench_size size; /* chosen so that a primal run takes 0.1 to 0.5 s; `rec` needs a high frequency for that */
    double bar;
} plan;

/* In the order of bench_kernels. */
static const plan plans[BENCH_KERNELS] = {
    {{1, 3000000, 0}, 1.75}, {{1000000, 1000, 0}, 4.9}, {{4096, 20000, 0}, 3.9}, {{700, 8000, 0}, 3.7},
    {{6, 10000000, 0}, 2.5}, {{100000, 60, 0}, 1.4},    {{4, 24, 40000}, 2.4},
};

typedef struct result {
    double primal, gradient, first, recording, reverse;
    double tape_bytes, operations;
    double adolc; /* ÷ primal; 0: not measured */
} result;

static void differentiate(const bench_kernel *kernel, const bench_size *size, double *x, double *gradient,
                          verso_native_report *report) {
    verso_error error;
    if (bench_gradient(kernel, size, x, gradient, NULL, report, &error) != VERSO_STATUS_OK)
        bench_fail("%s: %s", kernel->name, error.message);
}

static void measure_ours(const bench_kernel *kernel, const bench_size *size, result *r) {
    double *x = bench_inputs(kernel, size), *gradient = bench_alloc((size_t)size->n, sizeof *gradient);
    *r = (result){.primal = INFINITY, .gradient = INFINITY, .operations = kernel->operations(x, size->n, size->t)};
    for (int i = 0; i < RUNS; i++) {
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        double value, primal = bench_time_plain(kernel, size, x, &value), began = bench_seconds();
        differentiate(kernel, size, x, gradient, &report);
        double seconds = bench_seconds() - began;
        if (report.value != value)
            bench_fail("%s: %.17g instead of clang's %.17g", kernel->name, report.value, value);
        r->primal = fmin(r->primal, primal);
        if (i == 0)
            r->first = seconds;
        if (seconds < r->gradient) {
            r->gradient = seconds;
            double clock = report.seconds_forward + report.seconds_reverse;
            r->recording = seconds * report.seconds_forward / clock;
            r->reverse = seconds * report.seconds_reverse / clock;
            r->tape_bytes = (double)report.tape_bytes;
        }
    }
    free(gradient);
    free(x);
}

/* ---- ADOL-C ----------------------------------------------------------------------------------------------------- */

static void compare(const bench_kernel *kernel, const double *ours, const double *theirs) {
    double difference = 0, most = 0;
    for (int i = 0; i < kernel->brief.n; i++) {
        difference = fmax(difference, fabs(ours[i] - theirs[i]));
        most = fmax(most, fabs(theirs[i]));
    }
    if (!(difference <= 1e-7 * most))
        bench_fail("%s: the gradient differs from ADOL-C's by %g of %g", kernel->name, difference, most);
}

static double measure_adolc(const bench_kernel *kernel) {
    const bench_size *size = &kernel->brief;
    double *x = bench_inputs(kernel, size), primal = INFINITY, adolc = INFINITY, value;
    double *ours = bench_alloc((size_t)size->n, sizeof *ours), *theirs = bench_alloc((size_t)size->n, sizeof *theirs);
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    differentiate(kernel, size, x, ours, &report);
    for (int i = 0; i < RUNS; i++)
        primal = fmin(primal, bench_time_plain(kernel, size, x, &value));
    for (int i = 0; i < RUNS_ADOLC; i++) {
        double began = bench_seconds();
        if (!bench_adolc(kernel, size, x, theirs, NULL))
            return 0;
        adolc = fmin(adolc, bench_seconds() - began);
    }
    compare(kernel, ours, theirs);
    free(ours);
    free(theirs);
    free(x);
    return adolc / primal;
}

/* ---- Compiling Lua ---------------------------------------------------------------------------------------------- */

/* Returns the processor seconds that bench/native/compile_lua takes with a compiler and a file with `main`. `what` is
 * "", or "touched" for compiling again what a change of one file makes necessary. */
static double compile_lua(const char *compiler, const char *sources, const char *main_file, const char *what) {
    char command[4096], line[64] = "";
    int length = snprintf(command, sizeof command, "bash '%s/bench/native/compile_lua' '%s' '%s' '%s' '%s' %s",
                          BENCH_SOURCE, BENCH_SOURCE, sources, compiler, main_file, what);
    if (length < 0 || (size_t)length >= sizeof command)
        bench_fail("the name %s is too long", sources);
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(line, sizeof line, pipe) || pclose(pipe) != 0)
        bench_fail("%s cannot compile Lua in %s", compiler, sources);
    return atof(line);
}

/* The target is for a program that uses gradients only; one with tangents takes longer to compile. */
static void measure_compiling(FILE *csv, const char *sources) {
    static const char gradient[] = "bench/native/ask_gradient.c", both[] = "tests/native/harness.c";
    double plain = compile_lua(BENCH_CLANG, sources, gradient, ""),
           ours = compile_lua(BENCH_VERSO " cc", sources, gradient, "");
    double more = compile_lua(BENCH_VERSO " cc", sources, both, "");
    double again = compile_lua(BENCH_VERSO " cc", sources, gradient, "touched");
    printf("compiling Lua: clang %.2f s; verso cc, for a gradient, %.2f s, ratio %.2f%s, bar %.1f; for tangents and "
           "checks, too, %.2f s, ratio %.2f\n",
           plain, ours, ours / plain, ours / plain <= BAR_COMPILE ? "" : " !", BAR_COMPILE, more, more / plain);
    printf("after touching one file: %.2f s, ratio %.2f%s, bar %.1f\n", again, again / plain,
           again / plain <= BAR_RELINK ? "" : " !", BAR_RELINK);
    fprintf(csv, "compile_lua,,,%.3f,%.3f,%.3f,,,,,,,,%.2f\n", plain, ours, ours / plain, BAR_COMPILE);
    fprintf(csv, "compile_lua_all,,,%.3f,%.3f,%.3f,,,,,,,,\n", plain, more, more / plain);
    fprintf(csv, "compile_lua_touched,,,%.3f,%.3f,%.3f,,,,,,,,%.2f\n", plain, again, again / plain, BAR_RELINK);
}

/* ---- Linking SQLite, one large file ------------------------------------------------------------------------------ */

static void measure_large(FILE *csv, const char *sources) {
    char command[4096];
    double cold, cold_mb, again, again_mb;
    int length = snprintf(command, sizeof command, "bash '%s/bench/native/compile_sqlite' '%s' '%s' '%s cc'",
                          BENCH_SOURCE, BENCH_SOURCE, sources, BENCH_VERSO);
    if (length < 0 || (size_t)length >= sizeof command)
        bench_fail("the name %s is too long", sources);
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%lf %lf %lf %lf", &cold, &cold_mb, &again, &again_mb) != 4 || pclose(pipe) != 0)
        bench_fail("SQLite in %s cannot be differentiated", sources);
    printf("linking SQLite: %.0f s%s, bar %.0f; %.0f MB%s, bar %.0f; with all parts in the cache %.0f s, %.0f MB\n",
           cold, cold <= BAR_LARGE ? "" : " !", BAR_LARGE, cold_mb, cold_mb <= BAR_LARGE_MB ? "" : " !", BAR_LARGE_MB,
           again, again_mb);
    fprintf(csv, "link_sqlite,,,,%.3f,,,,,%.0f,,,,%.2f\n", cold, cold_mb * 1e6, BAR_LARGE);
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

static void measure(const void *task, void *result_of) {
    const bench_kernel *kernel = task;
    result *r = result_of;
    measure_ours(kernel, &plans[kernel - bench_kernels].size, r);
    r->adolc = measure_adolc(kernel);
}

static void print_row(FILE *csv, const bench_kernel *kernel, const plan *p, const result *r) {
    char theirs[32] = "-";
    double ratio = r->gradient / r->primal;
    if (r->adolc > 0)
        snprintf(theirs, sizeof theirs, "%.0f", r->adolc);
    printf("%-9s %7d %8d %8.3f s %8.2f %s %9.2f %8.2f %7.2f %10.2f %8s %5.2f\n", kernel->name, p->size.n, p->size.t,
           r->primal, ratio, ratio <= p->bar ? " " : "!", r->recording / r->primal, r->reverse / r->primal,
           r->first / r->primal, r->tape_bytes / r->operations, theirs, p->bar);
    fflush(stdout);
    fprintf(csv, "%s,%d,%d,%.6f,%.6f,%.3f,%.3f,%.3f,%.3f,%.0f,%.0f,%.3f,%.1f,%.2f\n", kernel->name, p->size.n,
            p->size.t, r->primal, r->gradient, ratio, r->recording / r->primal, r->reverse / r->primal,
            r->first / r->primal, r->tape_bytes, r->operations, r->tape_bytes / r->operations, r->adolc, p->bar);
}

int main(int argc, char **argv) {
    FILE *csv = bench_create(bench_folder(argc, argv), "native.csv");
    double product = 1, product_adolc = 1;
    printf("%-9s %7s %8s %10s %8s   %9s %8s %7s %10s %8s %5s\n", "kernel", "n", "t", "primal", "gradient", "recording",
           "reverse", "first", "bytes/op", "ADOL-C", "bar");
    fprintf(csv,
            "kernel,n,t,primal_s,gradient_s,gradient,recording,reverse,first,tape_bytes,operations,bytes_per_operation,"
            "adolc,bar\n");
    for (int i = 0; i < BENCH_KERNELS; i++) {
        result r;
        if (!bench_in_child(measure, &bench_kernels[i], &r, sizeof r))
            bench_fail("%s could not be measured", bench_kernels[i].name);
        print_row(csv, &bench_kernels[i], &plans[i], &r);
        product *= r.gradient / r.primal;
        product_adolc *= r.adolc;
    }
    double mean = pow(product, 1.0 / BENCH_KERNELS), mean_adolc = pow(product_adolc, 1.0 / BENCH_KERNELS);
    printf("%-9s %7s %8s %10s %8.2f %s %9s %8s %7s %10s %8.0f %5.2f\n", "mean", "", "", "", mean,
           mean <= BAR_MEAN ? " " : "!", "", "", "", "", mean_adolc, BAR_MEAN);
    fprintf(csv, "mean,,,,,%.3f,,,,,,,%.1f,%.2f\n", mean, mean_adolc, BAR_MEAN);
    if (argc > 2)
        measure_compiling(csv, argv[2]);
    if (argc > 3)
        measure_large(csv, argv[3]);
    bench_close(csv);
    return 0;
}
