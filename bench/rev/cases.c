/* See cases.h. The functions are those of examples/rev and rev/library after `verso rev`, in one file, so that plain
 * and generated code are compiled in the same way. */
#define EXAMPLE_NO_MAIN
#include "ba.c"
#include "embedding.c"
#include "gmm.c"
#include "sparse.c"

#include "bench/rev/adolc.h"
#include "bench/rev/cases.h"

#ifdef BENCH_ADOLC
#define ADOLC(name) name##_tape, name##_adolc, adolc_bytes, adolc_close
#else
#define ADOLC(name) NULL, NULL, NULL, NULL
#endif

static double relative(double found, double expected) {
    return fabs(found - expected) / fmax(1, fabs(expected));
}

static double no_scratch(int i) {
    (void)i;
    return 0;
}

/* Keeps a result from being optimised away. */
static volatile double sink;

/* ---- Sparse dot product ------------------------------------------------------------------------------------------ */

static struct {
    sparse_pattern pa, pb;
    double *values, *bars; /* of both matrices, one after the other */
    double plain, out;
    int a_count, count;
} dot;

static void dot_open(void) {
    uint64_t seed = 5;
    sparse_fill(&dot.pa, 0.05, &seed);
    sparse_fill(&dot.pb, 0.05, &seed);
    dot.a_count = dot.pa.start[SPARSE_SIDE];
    dot.count = dot.a_count + dot.pb.start[SPARSE_SIDE];
    dot.values = host_normals((size_t)dot.count, &seed);
    dot.bars = host_alloc((size_t)dot.count, sizeof *dot.bars);
}

static void dot_plain(void) {
    sink = dot.plain = sparse_plain_dot(dot.values, &dot.pa, dot.values + dot.a_count, &dot.pb);
}

static void dot_objective(void) {
    dot.out = 0;
    rev_sparse_dot(&dot.out, dot.values, dot.pa.index, dot.pa.start, dot.values + dot.a_count, dot.pb.index,
                   dot.pb.start, SPARSE_SIDE);
}

/* Adds to the bars and does not clear them, as in table 2. */
static void dot_gradient(void) {
    double out = dot.out, bar = 1;
    rev_sparse_dot_adj(&out, &bar, dot.values, dot.bars, dot.pa.index, dot.pa.start, dot.values + dot.a_count,
                       dot.bars + dot.a_count, dot.pb.index, dot.pb.start, SPARSE_SIDE);
    sink = out;
}

static double dot_error(void) {
    return relative(dot.out, dot.plain);
}

static const double *dot_result(size_t *count) {
    memset(dot.bars, 0, (size_t)dot.count * sizeof *dot.bars);
    dot_gradient();
    *count = (size_t)dot.count;
    return dot.bars;
}

#ifdef BENCH_ADOLC
static void dot_tape(void) {
    adolc_dot_tape(dot.values, dot.pa.index, dot.pa.start, dot.values + dot.a_count, dot.pb.index, dot.pb.start,
                   SPARSE_SIDE);
}

static void dot_adolc(double *gradient) {
    adolc_gradient(dot.values, gradient);
}
#endif

/* ---- Complex sparse matrix by a vector --------------------------------------------------------------------------- */

static struct {
    sparse_pattern p;
    double complex *a, *a_bar, *x, *x_bar, y[SPARSE_SIDE], plain[SPARSE_SIDE], y_bar[SPARSE_SIDE];
} mul;

static void mul_open(void) {
    uint64_t seed = 6;
    sparse_fill(&mul.p, 0.05, &seed);
    mul.a = (double complex *)(void *)host_normals(2 * SPARSE_MOST, &seed);
    mul.x = (double complex *)(void *)host_normals(2 * SPARSE_SIDE, &seed);
    mul.a_bar = host_alloc(SPARSE_MOST, sizeof *mul.a_bar);
    mul.x_bar = host_alloc(SPARSE_SIDE, sizeof *mul.x_bar);
    for (int i = 0; i < SPARSE_SIDE; i++)
        mul.y_bar[i] = host_normal(&seed) + I * host_normal(&seed);
}

static void mul_plain(void) {
    sparse_plain_mul(mul.plain, mul.a, &mul.p, mul.x);
}

static void mul_objective(void) {
    rev_csc_matvec_complex(mul.y, mul.a, mul.p.index, mul.p.start, mul.x, SPARSE_SIDE);
}

static void mul_gradient(void) {
    rev_csc_matvec_complex_adj(mul.y, mul.y_bar, mul.a, mul.a_bar, mul.p.index, mul.p.start, mul.x, mul.x_bar,
                               SPARSE_SIDE);
}

static double mul_error(void) {
    double worst = 0;
    memset(mul.y, 0, sizeof mul.y);
    memset(mul.plain, 0, sizeof mul.plain);
    mul_plain();
    mul_objective();
    for (int i = 0; i < SPARSE_SIDE; i++)
        worst = fmax(worst, cabs(mul.y[i] - mul.plain[i]) / fmax(1, cabs(mul.plain[i])));
    return worst;
}

/* ---- Graph embedding --------------------------------------------------------------------------------------------- */

static struct {
    int k;
    double x[PARAMETERS_MOST], gradient[PARAMETERS_MOST], hessian[PARAMETERS_MOST * PARAMETERS_MOST], plain, out;
} graph;

static void graph_open(int k) {
    uint64_t seed = 7;
    graph.k = k;
    for (int i = 0; i < PARAMETERS_MOST; i++)
        graph.x[i] = host_normal(&seed);
}

static void graph_open_2(void) {
    graph_open(2);
}

static void graph_open_6(void) {
    graph_open(6);
}

static void graph_open_10(void) {
    graph_open(10);
}

static void graph_plain(void) {
    sink = graph.plain = embedding_plain(graph.x, graph.k);
}

static void graph_objective(void) {
    graph.out = 0;
    embedding(&graph.out, graph.x, graph.k);
}

static void graph_gradient(void) {
    embedding_gradient(graph.x, graph.k, graph.gradient);
}

static void graph_hessian(void) {
    embedding_hessian(graph.x, graph.k, graph.hessian);
}

static double graph_error(void) {
    return relative(graph.out, graph.plain);
}

/* Distances; the reversible function keeps their squares, too, and two means. */
static double graph_scratch(int i) {
    return 8 * (i == 0 ? PAIRS : i * (2 * PAIRS + 2));
}

static const double *graph_result(size_t *count) {
    *count = (size_t)(VERTICES * graph.k);
    return graph.gradient;
}

#ifdef BENCH_ADOLC
static void graph_tape(void) {
    adolc_embedding_tape(graph.x, graph.k, pair_a, pair_b);
}

static void graph_adolc(double *gradient) {
    adolc_gradient(graph.x, gradient);
}
#endif

/* ---- Gaussian mixture -------------------------------------------------------------------------------------------- */

static struct {
    int n, d, k;
    size_t count;
    double *parameters, *bars, *x, *scratch, *scratch_bar, *work, plain, out;
} mixture;

static void mixture_open(int n, int d, int k) {
    uint64_t seed = 31;
    mixture.n = n;
    mixture.d = d;
    mixture.k = k;
    mixture.count = (size_t)(k + k * d + k * (d * (d + 1) / 2));
    mixture.parameters = host_normals(mixture.count, &seed);
    mixture.x = host_normals((size_t)(n * d), &seed);
    mixture.bars = host_alloc(mixture.count, sizeof *mixture.bars);
    mixture.scratch = host_alloc((size_t)(k * d + k), sizeof *mixture.scratch);
    mixture.scratch_bar = host_alloc((size_t)(k * d + k), sizeof *mixture.scratch);
    mixture.work = host_alloc((size_t)(2 * d + k * d + 2 * k), sizeof *mixture.work);
}

static void mixture_open_small(void) {
    mixture_open(10000, 10, 5);
}

static void mixture_open_wide(void) {
    mixture_open(10000, 20, 25);
}

static void mixture_open_large(void) {
    mixture_open(1000, 64, 10);
}

static void mixture_plain(void) {
    double *p = mixture.parameters;
    int d = mixture.d, k = mixture.k;
    sink = mixture.plain = gmm_plain(p, p + k, p + k + k * d, mixture.work, mixture.x, mixture.n, d, k);
}

static void mixture_objective(void) {
    double *p = mixture.parameters;
    int d = mixture.d, k = mixture.k;
    mixture.out = 0;
    gmm(&mixture.out, p, p + k, p + k + k * d, mixture.scratch, mixture.scratch + k * d, mixture.x, mixture.n, d, k);
}

/* The function changes only its result, so its adjoint can be run without running it first. */
static void mixture_gradient(void) {
    double *p = mixture.parameters, *b = mixture.bars, out = 0, bar = 1;
    int d = mixture.d, k = mixture.k;
    memset(b, 0, mixture.count * sizeof *b);
    gmm_adj(&out, &bar, p, b, p + k, b + k, p + k + k * d, b + k + k * d, mixture.scratch, mixture.scratch_bar,
            mixture.scratch + k * d, mixture.scratch_bar + k * d, mixture.x, mixture.n, d, k);
    sink = out;
}

static double mixture_error(void) {
    return relative(mixture.out, mixture.plain);
}

static double mixture_scratch(int i) {
    double scratch = mixture.k * mixture.d + mixture.k + GMM_K_MOST;
    return 8 * (i == 0 ? 2 * mixture.d + mixture.k * mixture.d + 2 * mixture.k : i * scratch);
}

static const double *mixture_result(size_t *count) {
    *count = mixture.count;
    return mixture.bars;
}

#ifdef BENCH_ADOLC
static void mixture_tape(void) {
    adolc_gmm_tape(mixture.parameters, mixture.x, mixture.n, mixture.d, mixture.k);
}

static void mixture_adolc(double *gradient) {
    adolc_gradient(mixture.parameters, gradient);
}
#endif

/* ---- Bundle adjustment ------------------------------------------------------------------------------------------- */

static ba_data bundle;
static double *bundle_plain_errors, *bundle_rows;

static void bundle_open(void) {
    bundle = ba_data_new(49, 7776, 31843, 7);
    bundle_plain_errors = host_alloc((size_t)(3 * bundle.count), sizeof *bundle_plain_errors);
    bundle_rows = host_alloc((size_t)(bundle.count * (2 * BA_ROW + 1)), sizeof *bundle_rows);
}

static void bundle_plain(void) {
    ba_plain(bundle_plain_errors, bundle.cameras, bundle.points, bundle.weights, bundle.camera_of, bundle.point_of,
             bundle.features, bundle.count);
}

static void bundle_objective(void) {
    memset(bundle.errors, 0, (size_t)(3 * bundle.count) * sizeof *bundle.errors);
    ba(bundle.errors, bundle.cameras, bundle.points, bundle.weights, bundle.camera_of, bundle.point_of, bundle.features,
       bundle.count);
}

static void bundle_gradient(void) {
    ba_jacobian(bundle_rows, bundle.cameras, bundle.points, bundle.weights, bundle.camera_of, bundle.point_of,
                bundle.features, bundle.count);
}

static double bundle_error(void) {
    double worst = 0;
    for (int i = 0; i < 3 * bundle.count; i++)
        worst = fmax(worst, relative(bundle.errors[i], bundle_plain_errors[i]));
    return worst;
}

static const double *bundle_result(size_t *count) {
    *count = (size_t)(bundle.count * 2 * BA_ROW);
    return bundle_rows;
}

#ifdef BENCH_ADOLC
static void bundle_tape(void) {
    adolc_ba_tape(bundle.cameras, bundle.points, bundle.weights, bundle.features);
}

static void bundle_adolc(double *rows) {
    for (int i = 0; i < bundle.count; i++)
        adolc_ba_rows(bundle.cameras + BA_CAMERA * bundle.camera_of[i], bundle.points + 3 * bundle.point_of[i],
                      bundle.weights + i, bundle.features + 2 * i, rows + 2 * BA_ROW * i);
}
#endif

/* ---- All --------------------------------------------------------------------------------------------------------- */

const rev_case rev_cases[] = {
    {"sparse dot",
     "1000^2, 5%",
     dot_open,
     dot_plain,
     dot_objective,
     dot_gradient,
     NULL,
     dot_error,
     no_scratch,
     dot_result,
     {1.34, 1.67, 0},
     {1.2, 1.6, 0},
     ADOLC(dot)},
    {"sparse complex matvec",
     "1000^2, 5%",
     mul_open,
     mul_plain,
     mul_objective,
     mul_gradient,
     NULL,
     mul_error,
     no_scratch,
     NULL,
     {1.17, 2.77, 0},
     {1.1, 2.5, 0},
     NULL,
     NULL,
     NULL,
     NULL},
    {"graph embedding",
     "k = 2",
     graph_open_2,
     graph_plain,
     graph_objective,
     graph_gradient,
     graph_hessian,
     graph_error,
     graph_scratch,
     graph_result,
     {1.60, 3.37, 101},
     {0, 0, 0},
     ADOLC(graph)},
    {"graph embedding",
     "k = 6",
     graph_open_6,
     graph_plain,
     graph_objective,
     graph_gradient,
     graph_hessian,
     graph_error,
     graph_scratch,
     graph_result,
     {1.73, 3.77, 351},
     {0, 0, 0},
     ADOLC(graph)},
    {"graph embedding",
     "k = 10",
     graph_open_10,
     graph_plain,
     graph_objective,
     graph_gradient,
     graph_hessian,
     graph_error,
     graph_scratch,
     graph_result,
     {1.80, 4.07, 639},
     {1.5, 3.5, 450},
     ADOLC(graph)},
    {"Gaussian mixture",
     "n 10000, d 10, k 5",
     mixture_open_small,
     mixture_plain,
     mixture_objective,
     mixture_gradient,
     NULL,
     mixture_error,
     mixture_scratch,
     mixture_result,
     {0, 0, 0},
     {0, 0, 0},
     ADOLC(mixture)},
    {"Gaussian mixture",
     "n 10000, d 20, k 25",
     mixture_open_wide,
     mixture_plain,
     mixture_objective,
     mixture_gradient,
     NULL,
     mixture_error,
     mixture_scratch,
     mixture_result,
     {0, 0, 0},
     {0, 0, 0},
     ADOLC(mixture)},
    {"Gaussian mixture",
     "n 1000, d 64, k 10",
     mixture_open_large,
     mixture_plain,
     mixture_objective,
     mixture_gradient,
     NULL,
     mixture_error,
     mixture_scratch,
     mixture_result,
     {0, 0, 0},
     {0, 0, 0},
     ADOLC(mixture)},
    {"bundle adjustment",
     "49, 7776, 31843",
     bundle_open,
     bundle_plain,
     bundle_objective,
     bundle_gradient,
     NULL,
     bundle_error,
     no_scratch,
     bundle_result,
     {0, 0, 0},
     {0, 0, 0},
     ADOLC(bundle)},
};
const size_t rev_case_count = sizeof rev_cases / sizeof *rev_cases;
