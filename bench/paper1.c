/* bench/paper1 [--quick] [FOLDER]: the two examples of paper 1, section 6, in C, and the counterparts of figures 22 and
 * 23: time and space of a gradient against n.
 *
 *   everything   everything recorded, nothing computed twice
 *   budget       a fixed number of bytes: 4 MB for Listing 1, 128 MB for Listing 3
 *   outer loop   split points at iterations of the outer loop only, 30 capsules, binomial: what Tapenade does with the
 *                paper's pragma. An iteration is recorded as a whole
 *   anywhere     the paper's own algorithm: bisection at arbitrary points of the run, log n times the state in space
 *
 * Each point is the first gradient of a process: processor time, and peak resident memory less
 * that of a plain run. All ways must give the same gradient. Prints the numbers and, fitted to the last three points,
 * the powers of n by which they grow; writes CSV and SVG. --quick leaves out the longer half of the runs. */
#include "bench/support/child.h"
#include "bench/support/output.h"
#include "bench/support/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <verso/loop.h>
#include <verso/native.h>
#include <verso/run.h>

/* ---- What is computed: an outer loop over a state, whose first number is the result ------------------------------ */

enum { POINTS = 8, FITTED = 3, SLOTS = 30, DEPTH = 40 };

typedef struct computation computation;

typedef struct example {
    const char *name, *file, *title, *budget_name;
    void (*run)(void *computation);     /* the whole loop */
    void (*iterate)(void *computation); /* iteration c->i of the outer loop */
    void (*begin)(computation *c);
    double (*input)(int i, int n);
    bool matrix; /* n * n inputs instead of one, and the state holds as many */
    int block;   /* iterations that form one step of `outer loop`, so that a step takes longer than calling verso_vjp */
    uint64_t budget;       /* bytes */
    int sizes[POINTS + 1]; /* values of n; 0 ends the list */
} example;

struct computation {
    const example *example;
    int n, i;
    size_t inputs, count; /* number of numbers in x, and in the state */
    double *x, *gradient, *state, *adjoint;
};

/* ---- Listing 1: inner loops are short in most iterations, and as long as n in some. The state is y --------------- */

static int ilog2(double n) {
    return (int)(log(n) / log(2.0));
}

static inline double iteration1(double x, double y, int i, int n) {
    int m = 1 << (ilog2(n) - ilog2(1 + (int)fmod(x * x * x * (double)i * 1007.0, (double)n)));
    for (int j = 1; j <= m; j++) {
        y = y * y;
        y = sqrt(y);
    }
    return y;
}

static void run1(void *context) {
    computation *c = context;
    double x = c->x[0], y = x;
    for (int i = 1; i <= c->n; i++)
        y = iteration1(x, y, i, c->n);
    c->state[0] = y;
}

static void iterate1(void *context) {
    computation *c = context;
    c->state[0] = iteration1(c->x[0], c->state[0], c->i + 1, c->n);
}

static void begin1(computation *c) {
    c->state[0] = c->x[0];
}

/* An integer: then the inner loop is as long as it can be, 2^floor(lg n), in exactly one iteration. */
static double input1(int i, int n) {
    (void)i, (void)n;
    return 3;
}

/* ---- Listing 3: a determinant by elimination. The state is the determinant so far, and the matrix ---------------- */

static inline double iteration3(double *b, double d, int i, int n) {
    double c = b[i * n + i];
    for (int j = i; j < n; j++)
        b[i * n + j] /= c;
    for (int j = i + 1; j < n; j++) {
        double e = b[j * n + i];
        for (int k = i + 1; k < n; k++)
            b[j * n + k] -= e * b[i * n + k];
    }
    return d * c;
}

static void begin3(computation *c) {
    c->state[0] = 1;
    memcpy(c->state + 1, c->x, c->inputs * sizeof *c->x);
}

static void run3(void *context) {
    computation *c = context;
    begin3(c);
    for (int i = 0; i < c->n; i++)
        c->state[0] = iteration3(c->state + 1, c->state[0], i, c->n);
}

static void iterate3(void *context) {
    computation *c = context;
    c->state[0] = iteration3(c->state + 1, c->state[0], c->i, c->n);
}

/* Diagonally dominant, scaled so that the determinant stays finite. */
static double input3(int i, int n) {
    double off = 0.5 + 0.5 * sin(1.0 + i) * sin(0.3 * i), diagonal = i / n == i % n ? 0.025 * n + 2 : 0;
    return (off + diagonal) / (n / 40.0 + 2.75);
}

static const example examples[] = {
    {"Listing 1",
     "figure22",
     "Listing 1, an inner loop of varying length",
     "within 4 MB",
     run1,
     iterate1,
     begin1,
     input1,
     false,
     16,
     UINT64_C(4) << 20,
     {640, 2560, 10240, 40960, 163840, 655360, 2621440, 10485760}},
    {"Listing 3",
     "figure23",
     "Listing 3, a determinant by elimination",
     "within 128 MB",
     run3,
     iterate3,
     begin3,
     input3,
     true,
     1,
     UINT64_C(128) << 20,
     {31, 62, 125, 250, 500, 1000}},
};

enum { EXAMPLES = sizeof examples / sizeof *examples };

static computation computation_of(const example *e, int n) {
    size_t inputs = e->matrix ? (size_t)n * (size_t)n : 1, count = e->matrix ? inputs + 1 : 1;
    computation c = {.example = e, .n = n, .inputs = inputs, .count = count};
    c.x = bench_alloc(inputs, sizeof *c.x);
    c.gradient = bench_alloc(inputs, sizeof *c.gradient);
    c.state = bench_alloc(count, sizeof *c.state);
    c.adjoint = bench_alloc(count, sizeof *c.adjoint);
    for (size_t i = 0; i < inputs; i++)
        c.x[i] = e->input((int)i, n);
    return c;
}

/* ---- Its gradient: split anywhere ------------------------------------------------------------------------------- */

static void differentiate(computation *c, const verso_native_options *options) {
    double one = 1;
    verso_array in = {c->x, c->inputs, VERSO_SCALAR_DOUBLE, c->gradient},
                out = {c->state, 1, VERSO_SCALAR_DOUBLE, &one};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    if (verso_vjp(c->example->run, c, &in, 1, &out, 1, options, &report, &error) != VERSO_STATUS_OK)
        bench_fail("%s, n = %d: %s", c->example->name, c->n, error.message);
}

/* Halves the run until the recording of a part takes at most twice the state and 64 KB, at most DEPTH times. */
static void bisect(computation *c) {
    verso_run_options options;
    verso_run_options_init(&options);
    verso_schedule_spec_init(&options.spec, VERSO_KIND_BINARY);
    options.spec.split = VERSO_SPLIT_BISECTION;
    options.spec.space = options.spec.time = DEPTH;
    uint64_t leaf = (UINT64_C(1) << 16) + 2 * c->count * sizeof *c->state;
    differentiate(c, &(verso_native_options){.size = sizeof(verso_native_options), .leaf = leaf, .run = &options});
}

/* ---- Its gradient: split at iterations of the outer loop, which is a loop of Verso ------------------------------- */

static void iterate_block(void *context) {
    computation *c = context;
    int end = c->i + c->example->block < c->n ? c->i + c->example->block : c->n;
    for (; c->i < end; c->i++)
        c->example->iterate(c);
}

static int advance_step(void *context, uint64_t step) {
    computation *c = context;
    c->i = (int)step * c->example->block;
    iterate_block(c);
    return 0;
}

static int reverse_step(void *context, uint64_t step) {
    computation *c = context;
    verso_array region = {c->state, c->count, VERSO_SCALAR_DOUBLE, c->adjoint};
    c->i = (int)step * c->example->block;
    return verso_vjp(iterate_block, c, &region, 1, &region, 1, NULL, NULL, NULL) == VERSO_STATUS_OK ? 0 : 1;
}

static int start_adjoint(void *context, uint64_t steps) {
    computation *c = context;
    (void)steps;
    memset(c->adjoint, 0, c->count * sizeof *c->adjoint);
    c->adjoint[0] = 1;
    return 0;
}

static void split_outer_loop(computation *c) {
    size_t size = c->count * sizeof *c->state;
    verso_loop loop = {.size = sizeof(verso_loop),
                       .context = c,
                       .steps = (uint64_t)((c->n + c->example->block - 1) / c->example->block),
                       .advance = advance_step,
                       .adjoint = reverse_step,
                       .start = start_adjoint,
                       .state = {{c->state, size}},
                       .adjoint_state = {{c->adjoint, size}}};
    verso_program program;
    verso_run_options options;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    verso_error error;
    verso_run_options_init(&options);
    options.spec.slots = SLOTS;
    c->example->begin(c);
    if (verso_loop_program(&loop, &program, &error) != VERSO_STATUS_OK ||
        verso_run(&program, &options, &report, &error) != VERSO_STATUS_OK)
        bench_fail("%s, n = %d: %s", c->example->name, c->n, error.message);
    memcpy(c->gradient, c->adjoint + c->count - c->inputs, c->inputs * sizeof *c->gradient);
    verso_loop_close(&loop);
}

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

enum { PLAIN, EVERYTHING, BUDGET, OUTER_LOOP, ANYWHERE, WAYS };

static const char *const way_names[WAYS] = {"plain run", "everything", "budget", "outer loop", "anywhere"};

typedef struct task {
    const example *example;
    int n, way;
} task;

typedef struct point {
    double seconds, peak; /* bytes */
    uint64_t gradient;    /* hash of the gradient's bits */
    double length;        /* Euclidean norm of the gradient */
} point;

static void measure(const void *what, void *result) {
    const task *t = what;
    point *p = result;
    computation c = computation_of(t->example, t->n);
    double began = bench_seconds();
    switch (t->way) {
    case PLAIN: t->example->run(&c); break;
    case EVERYTHING: differentiate(&c, NULL); break;
    case BUDGET:
        differentiate(&c, &(verso_native_options){.size = sizeof(verso_native_options), .memory = t->example->budget});
        break;
    case OUTER_LOOP: split_outer_loop(&c); break;
    case ANYWHERE: bisect(&c); break;
    }
    *p = (point){bench_seconds() - began, bench_peak_bytes(), bench_hash(c.gradient, c.inputs), 0};
    for (size_t i = 0; i < c.inputs; i++)
        p->length = hypot(p->length, c.gradient[i]);
}

typedef struct curves {
    size_t count;
    double n[POINTS], seconds[WAYS][POINTS], megabytes[WAYS][POINTS]; /* megabytes beyond those of a plain run */
} curves;

/* Gradients must have the same bits, except that `outer loop` differentiates another program, in which an iteration
 * is a function. */
static bool agree(const point *a, const point *b, int way) {
    return way == OUTER_LOOP ? fabs(a->length - b->length) <= 1e-10 * b->length : a->gradient == b->gradient;
}

static void measure_point(const example *e, int n, curves *all) {
    point points[WAYS];
    printf("%-9s %9d", e->name, n);
    for (int way = 0; way < WAYS; way++) {
        task t = {e, n, way};
        if (!bench_in_child(measure, &t, &points[way], sizeof points[way]))
            bench_fail("%s, n = %d, %s: could not be measured", e->name, n, way_names[way]);
        if (way > EVERYTHING && !agree(&points[way], &points[EVERYTHING], way))
            bench_fail("%s, n = %d, %s: another gradient", e->name, n, way_names[way]);
        all->seconds[way][all->count] = points[way].seconds;
        all->megabytes[way][all->count] = (points[way].peak - points[PLAIN].peak) / 1e6;
        printf(" %8.4f s", points[way].seconds);
        if (way != PLAIN)
            printf(" %7.1f MB", all->megabytes[way][all->count]);
        fflush(stdout);
    }
    printf("\n");
    all->n[all->count++] = n;
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

/* The slope of a line through the logarithms of the last points. */
static double exponent(const curves *all, const double *y) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t i = all->count - FITTED; i < all->count; i++) {
        double u = log(all->n[i]), v = log(y[i]);
        sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    return (FITTED * sxy - sx * sy) / (FITTED * sxx - sx * sx);
}

static void print_head(void) {
    printf("%-9s %9s", "", "n");
    for (int way = 0; way < WAYS; way++)
        printf(" %*s", way == PLAIN ? 10 : 21, way_names[way]);
    printf("\n");
}

static void print_exponents(const curves *all) {
    printf("%-9s %9s", "", "power");
    for (int way = 0; way < WAYS; way++) {
        printf(" %10.2f", exponent(all, all->seconds[way]));
        if (way != PLAIN)
            printf(" %10.2f", exponent(all, all->megabytes[way]));
    }
    printf("\n\n");
}

/* One picture: the ways as lines, each with its power of n. */
static void draw(const char *folder, const example *e, const curves *all, bool space) {
    char names[WAYS][64], file[64], title[128];
    bench_series series[WAYS];
    size_t count = 0;
    const char *const labels[WAYS] = {"plain run", "everything", e->budget_name, "outer loop", "anywhere"};
    for (int way = space ? EVERYTHING : PLAIN; way < WAYS; way++) {
        const double *y = space ? all->megabytes[way] : all->seconds[way];
        snprintf(names[way], sizeof names[way], "%s: n^%.2f", labels[way], fabs(exponent(all, y)));
        series[count++] = (bench_series){.name = names[way],
                                         .style = way == PLAIN ? BENCH_DASHED : BENCH_LINE,
                                         .colour = way == PLAIN ? -2 : way - 1,
                                         .count = all->count,
                                         .x = all->n,
                                         .y = y};
    }
    snprintf(title, sizeof title, "%s: %s", e->title, space ? "space" : "time");
    snprintf(file, sizeof file, "paper1-%s-%s.svg", e->file, space ? "space" : "time");
    bench_plot plot = {.title = title,
                       .subtitle = "one gradient; the power of n is fitted to the last three points",
                       .x = {.label = "n", .logarithmic = true},
                       .y = {.label = space ? "MB beyond a plain run" : "seconds",
                             .logarithmic = true,
                             .from = space ? 1 : 1e-4,
                             .to = space ? 1e4 : 100},
                       .series = series,
                       .count = count};
    bench_plot_write(folder, file, &plot);
}

static void write_points(FILE *csv, const example *e, const curves *all) {
    for (size_t i = 0; i < all->count; i++)
        for (int way = 0; way < WAYS; way++)
            fprintf(csv, "%s,%.0f,%s,%.6f,%.3f\n", e->name, all->n[i], way_names[way], all->seconds[way][i],
                    all->megabytes[way][i]);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const char *folder = bench_folder(argc - quick, argv + quick);
    FILE *csv = bench_create(folder, "paper1.csv");
    fprintf(csv, "example,n,way,seconds,extra_megabytes\n");
    for (size_t i = 0; i < EXAMPLES; i++) {
        curves all = {0};
        print_head();
        for (size_t j = 0; j < (quick ? POINTS / 2 + 1 : POINTS) && examples[i].sizes[j] != 0; j++)
            measure_point(&examples[i], examples[i].sizes[j], &all);
        print_exponents(&all);
        write_points(csv, &examples[i], &all);
        draw(folder, &examples[i], &all, false);
        draw(folder, &examples[i], &all, true);
    }
    bench_close(csv);
    printf("CSV and SVG are in %s.\n", folder);
    return 0;
}
