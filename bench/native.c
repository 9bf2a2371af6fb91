/* bench/native [FOLDER [LUA]]: what a gradient costs, in runs of the program itself.
 *
 *   primal       the kernel's untouched source compiled by clang-19 -O2
 *   gradient     verso_vjp of the same source compiled by `verso cc -O2`, everything recorded; ÷ primal
 *   recording    and
 *   reverse      its two parts; ÷ primal
 *   first        the first gradient of the process, which pays for fresh pages; ÷ primal
 *   bytes/op     length of the tape by the kernel's floating-point operations
 *   ADOL-C       a taping run and a reverse sweep ÷ primal, on a shorter run (its tape is long), where it is installed
 *   bar          what the gradient may cost at most (issue 4: the prototype's figures, and a mean of 2.7)
 *
 * Each kernel is measured in a process of its own, all in the same run; each time is the least of several, primal and
 * gradient in turn. The gradient is compared with ADOL-C's on the shorter run. With LUA, a folder of Lua's sources,
 * also what compiling and linking Lua takes, by clang -O2 and by `verso cc` with a script to differentiate (bar: 5).
 * Prints one table and writes native.csv. */
#include "bench/native/adolc.h"
#include "bench/native/kernels.h"
#include "bench/native/operations.h"
#include "bench/support/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <verso/native.h>

enum { RUNS = 7, KERNELS = 7 };

static const double BAR_MEAN = 2.7, BAR_COMPILE = 5;

/* clang's objects: the same names with plain_ before them (see CMakeLists.txt). */
double plain_listing1(const double *x, int n, int t);
double plain_det(const double *x, int n, int t);
double plain_heat(const double *x, int n, int t);
double plain_nbody(const double *x, int n, int t);
double plain_lorenz(const double *x, int n, int t);
double plain_sparse(const double *x, int n, int t);
double plain_rec(const double *x, int n, int t);

/* ---- What is measured ------------------------------------------------------------------------------------------- */

typedef double (*kernel_function)(const double *x, int n, int t);

typedef struct kernel {
    const char *name;
    kernel_function plain, ours, operations;
    int n, t;             /* a primal run takes 0.1 to 0.5 s */
    int n_adolc, t_adolc; /* a shorter run */
    double bar;
} kernel;

static const kernel kernels[KERNELS] = {
    {"listing1", plain_listing1, listing1, operations_listing1, 1, 3000000, 1, 100000, 1.75},
    {"det", plain_det, det, operations_det, 1000000, 1000, 40000, 200, 4.9},
    {"heat", plain_heat, heat, operations_heat, 4096, 20000, 4096, 200, 3.9},
    {"nbody", plain_nbody, nbody, operations_nbody, 700, 8000, 700, 60, 3.7},
    {"lorenz", plain_lorenz, lorenz, operations_lorenz, 6, 10000000, 6, 50000, 2.5},
    {"sparse", plain_sparse, sparse, operations_sparse, 100000, 60, 100000, 4, 1.4},
    {"rec", plain_rec, rec, operations_rec, 4, 24, 4, 14, 2.4},
};

typedef struct result {
    double primal, gradient, first, recording, reverse;
    double tape_bytes, operations;
    double adolc; /* ÷ primal; 0: not measured */
} result;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The prototype's inputs; a higher frequency keeps `rec` busy for long enough. */
static double *inputs_of(const kernel *k, int n, int t) {
    double *x = bench_alloc((size_t)n, sizeof *x);
    srand(1);
    for (int i = 0; i < n; i++)
        x[i] = 0.5 + 0.5 * rand() / RAND_MAX;
    if (strcmp(k->name, "listing1") == 0)
        x[0] = 1.1;
    if (strcmp(k->name, "det") == 0) {
        for (int i = 0; i < t; i++)
            x[i * t + i] += 0.025 * t + 2;
        for (int i = 0; i < n; i++)
            x[i] /= t / 40.0 + 2.75;
    }
    if (strcmp(k->name, "nbody") == 0)
        for (int i = 0; i < 3 * n / 7; i++)
            x[i] *= 4;
    if (strcmp(k->name, "lorenz") == 0)
        memcpy(x, (const double[]){1, 2, 3, 10, 28, 8.0 / 3}, 6 * sizeof *x);
    if (strcmp(k->name, "rec") == 0)
        memcpy(x, (const double[]){1, 40000, 0.3, 0.1}, 4 * sizeof *x);
    return x;
}

/* ---- Ours ------------------------------------------------------------------------------------------------------- */

typedef struct call {
    kernel_function function;
    double *x, value;
    int n, t;
} call;

static void run(void *context) {
    call *c = context;
    c->value = c->function(c->x, c->n, c->t);
}

static void differentiate(call *c, double *gradient, verso_native_report *report) {
    double one = 1;
    verso_array in = {c->x, (size_t)c->n, VERSO_DOUBLE, gradient}, out = {&c->value, 1, VERSO_DOUBLE, &one};
    if (verso_vjp(run, c, &in, 1, &out, 1, NULL, report) != VERSO_OK)
        bench_fail("%s", report->error.message);
}

static void measure_ours(const kernel *k, result *r) {
    call c = {k->ours, inputs_of(k, k->n, k->t), 0, k->n, k->t};
    double *gradient = bench_alloc((size_t)k->n, sizeof *gradient);
    *r = (result){.primal = INFINITY, .gradient = INFINITY, .operations = k->operations(c.x, k->n, k->t)};
    for (int i = 0; i < RUNS; i++) {
        verso_native_report report = {0};
        double before = seconds(), value = k->plain(c.x, k->n, k->t), between = seconds();
        differentiate(&c, gradient, &report);
        double after = seconds();
        if (c.value != value)
            bench_fail("%s: %.17g instead of clang's %.17g", k->name, c.value, value);
        r->primal = fmin(r->primal, between - before);
        if (i == 0)
            r->first = after - between;
        if (after - between < r->gradient) {
            r->gradient = after - between;
            r->recording = report.seconds_forward;
            r->reverse = report.seconds_reverse;
            r->tape_bytes = (double)report.tape_bytes;
        }
    }
    free(gradient);
    free(c.x);
}

/* ---- ADOL-C ----------------------------------------------------------------------------------------------------- */

#ifdef BENCH_ADOLC
static void compare(const kernel *k, const double *ours, const double *theirs) {
    double difference = 0, size = 0;
    for (int i = 0; i < k->n_adolc; i++) {
        difference = fmax(difference, fabs(ours[i] - theirs[i]));
        size = fmax(size, fabs(theirs[i]));
    }
    if (!(difference <= 1e-7 * size))
        bench_fail("%s: the gradient differs from ADOL-C's by %g of %g", k->name, difference, size);
}

static double measure_adolc(const kernel *k) {
    int n = k->n_adolc, t = k->t_adolc, number = (int)(k - kernels);
    call c = {k->ours, inputs_of(k, n, t), 0, n, t};
    double *ours = bench_alloc((size_t)n, sizeof *ours), *theirs = bench_alloc((size_t)n, sizeof *theirs);
    double primal = INFINITY, gradient = INFINITY;
    verso_native_report report = {0};
    differentiate(&c, ours, &report);
    for (int i = 0; i < RUNS; i++) {
        double before = seconds();
        volatile double value = k->plain(c.x, n, t);
        double between = seconds();
        (void)value;
        primal = fmin(primal, between - before);
    }
    for (int i = 0; i < 2; i++) {
        double before = seconds();
        adolc_gradient(number, c.x, n, t, theirs);
        gradient = fmin(gradient, seconds() - before);
    }
    compare(k, ours, theirs);
    free(ours);
    free(theirs);
    free(c.x);
    return gradient / primal;
}
#else
static double measure_adolc(const kernel *k) {
    (void)k;
    return 0;
}
#endif

/* ---- Compiling Lua ---------------------------------------------------------------------------------------------- */

/* Seconds that bench/native/compile_lua takes with a compiler. */
static double compile_lua(const char *compiler, const char *sources) {
    char command[4096], line[64] = "";
    int length = snprintf(command, sizeof command, "bash '%s/bench/native/compile_lua' '%s' '%s' '%s'", BENCH_SOURCE,
                          BENCH_SOURCE, sources, compiler);
    if (length < 0 || (size_t)length >= sizeof command)
        bench_fail("the name %s is too long", sources);
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(line, sizeof line, pipe) || pclose(pipe) != 0)
        bench_fail("%s cannot compile Lua in %s", compiler, sources);
    return atof(line);
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

/* In a process of its own, so that one kernel's memory is not another's. */
static result measure(const kernel *k) {
    result r;
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        bench_fail("no pipe");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        measure_ours(k, &r);
        r.adolc = measure_adolc(k);
        _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &r, sizeof r) != (ssize_t)sizeof r || waitpid(child, &status, 0) < 0 || status != 0)
        bench_fail("%s could not be measured", k->name);
    close(ends[0]);
    return r;
}

static void print_row(FILE *csv, const kernel *k, const result *r) {
    char theirs[32] = "-";
    double ratio = r->gradient / r->primal;
    if (r->adolc > 0)
        snprintf(theirs, sizeof theirs, "%.0f", r->adolc);
    printf("%-9s %7d %8d %8.3f s %8.2f %s %9.2f %8.2f %7.2f %10.2f %8s %5.2f\n", k->name, k->n, k->t, r->primal, ratio,
           ratio <= k->bar ? " " : "!", r->recording / r->primal, r->reverse / r->primal, r->first / r->primal,
           r->tape_bytes / r->operations, theirs, k->bar);
    fflush(stdout);
    fprintf(csv, "%s,%d,%d,%.6f,%.6f,%.3f,%.3f,%.3f,%.3f,%.0f,%.0f,%.3f,%.1f,%.2f\n", k->name, k->n, k->t, r->primal,
            r->gradient, ratio, r->recording / r->primal, r->reverse / r->primal, r->first / r->primal, r->tape_bytes,
            r->operations, r->tape_bytes / r->operations, r->adolc, k->bar);
}

int main(int argc, char **argv) {
    FILE *csv = bench_create(bench_folder(argc, argv), "native.csv");
    double product = 1, product_adolc = 1;
    printf("%-9s %7s %8s %10s %8s   %9s %8s %7s %10s %8s %5s\n", "kernel", "n", "t", "primal", "gradient", "recording",
           "reverse", "first", "bytes/op", "ADOL-C", "bar");
    fprintf(csv,
            "kernel,n,t,primal_s,gradient_s,gradient,recording,reverse,first,tape_bytes,operations,bytes_per_operation,"
            "adolc,bar\n");
    for (int i = 0; i < KERNELS; i++) {
        result r = measure(&kernels[i]);
        print_row(csv, &kernels[i], &r);
        product *= r.gradient / r.primal;
        product_adolc *= r.adolc;
    }
    double mean = pow(product, 1.0 / KERNELS), mean_adolc = pow(product_adolc, 1.0 / KERNELS);
    printf("%-9s %7s %8s %10s %8.2f %s %9s %8s %7s %10s %8.0f %5.2f\n", "mean", "", "", "", mean,
           mean <= BAR_MEAN ? " " : "!", "", "", "", "", mean_adolc, BAR_MEAN);
    fprintf(csv, "mean,,,,,%.3f,,,,,,,%.1f,%.2f\n", mean, mean_adolc, BAR_MEAN);
    if (argc > 2) {
        double plain = compile_lua(BENCH_CLANG, argv[2]), ours = compile_lua(BENCH_VERSO " cc", argv[2]);
        printf("compiling Lua: clang %.2f s, verso cc %.2f s, ratio %.2f%s, bar %.1f\n", plain, ours, ours / plain,
               ours / plain <= BAR_COMPILE ? "" : " !", BAR_COMPILE);
        fprintf(csv, "compile_lua,,,%.3f,%.3f,%.3f,,,,,,,,%.2f\n", plain, ours, ours / plain, BAR_COMPILE);
    }
    bench_close(csv);
    return 0;
}
