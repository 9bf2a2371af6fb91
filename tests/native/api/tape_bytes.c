/* What takes no room on the tape, because reverse code obtains it in another way. Each function does the same work many
 * times; `most` is the number of bytes that one time may record. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>
#include <verso/profile.h>

#define NOINLINE __attribute__((noinline))

enum { TIMES = 200, SIZE = 24, TRIANGLE = SIZE * (SIZE - 1) / 2 };

/* Of the triangle, and of x, one copy is made for all times. Of each row, the sum is recorded; the pointer that runs
 * over the rows and the x of the diagonal are not (cc/plan/recurrences.h, cc_join_loads in cc/plan/groups.h). */
static NOINLINE double rows(const double *triangle, const double *diagonal, const double *x) {
    double all = 0;
    for (int t = 0; t < TIMES; t++) {
        const double *next = triangle;
        for (int i = 0; i < SIZE; i++) {
            double sum = diagonal[i] * x[i];
            for (int j = 0; j < i; j++)
                sum += *next++ * x[j];
            all += sum * sum;
        }
    }
    return all;
}

static double of_rows(const double *x, size_t n) {
    double triangle[TRIANGLE], diagonal[SIZE], y[SIZE];
    for (int i = 0; i < TRIANGLE; i++)
        triangle[i] = x[(size_t)i % n];
    for (int i = 0; i < SIZE; i++)
        diagonal[i] = y[i] = x[(size_t)i % n] + 1;
    return rows(triangle, diagonal, y);
}

/* A temporary that each time writes, and reads repeatedly: one copy of it each time, and the sums. Where it is, and how
 * long, is not recorded. */
static NOINLINE double temporaries(const double *w, const double *x) {
    double all = 0;
    for (int t = 0; t < TIMES; t++) {
        double away[SIZE];
        for (int i = 0; i < SIZE; i++)
            away[i] = x[i] - t;
        for (int i = 0; i < SIZE; i++) {
            double sum = 0;
            for (int j = 0; j < SIZE; j++)
                sum += away[j] * w[SIZE * i + j];
            all += sum * sum * away[i];
        }
    }
    return all;
}

static double of_temporaries(const double *x, size_t n) {
    double w[SIZE * SIZE], y[SIZE];
    for (int i = 0; i < SIZE * SIZE; i++)
        w[i] = x[(size_t)i % n];
    for (int i = 0; i < SIZE; i++)
        y[i] = x[(size_t)i % n];
    return temporaries(w, y);
}

/* A matrix that stands while many calls read each of its numbers once: one copy of it for all calls
 * (native/sweep/lasting.h), and of each call what it reads besides. Checkpointed calls record the same bytes. */
static NOINLINE void layer(const double *w, const double *x, double *y) {
    for (int i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int j = 0; j < SIZE; j++)
            sum += w[SIZE * i + j] * x[j];
        y[i] = sin(sum);
    }
}

static double of_layers(const double *x, size_t n) {
    double w[SIZE * SIZE], a[SIZE], b[SIZE], *u = a, *v = b;
    for (int i = 0; i < SIZE * SIZE; i++)
        w[i] = x[(size_t)i % n];
    for (int i = 0; i < SIZE; i++)
        u[i] = x[(size_t)i % n];
    for (int t = 0; t < TIMES; t++) {
        layer(w, u, v);
        double *other = u;
        u = v;
        v = other;
    }
    return u[0] * u[1];
}

/* A product of matrices whose rows are found by a table: two copies, and not two numbers for each of its EDGE^3
 * products. */
enum { EDGE = 48 };

static NOINLINE double product(double **a, double **b) {
    double sum = 0;
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            double dot = 0;
            for (int k = 0; k < EDGE; k++)
                dot += a[i][k] * b[k][j];
            sum += dot * ((i + j) % 3);
        }
    return sum;
}

static double of_tables(const double *x, size_t n) {
    double *a[EDGE], *b[EDGE];
    for (int i = 0; i < EDGE; i++) {
        a[i] = malloc(EDGE * sizeof(double));
        for (int j = 0; j < EDGE; j++)
            a[i][j] = x[(size_t)(i + j) % n];
    }
    for (int i = 0; i < EDGE; i++) {
        b[i] = malloc(EDGE * sizeof(double));
        for (int j = 0; j < EDGE; j++)
            b[i][j] = x[(size_t)(i * j) % n];
    }
    double result = product(a, b);
    for (int i = 0; i < EDGE; i++) {
        free(a[i]);
        free(b[i]);
    }
    return result;
}

/* Elimination row by row. The nest of all rows writes what it reads, which only shows when it is entered; each row has
 * copies of its own then (cc/plan/ranges.h), of EDGE numbers and not of EDGE^2. */
static NOINLINE double eliminate(double *a, int n) {
    double product = 1;
    for (int i = 0; i < n; i++) {
        product *= a[i * n + i];
        for (int j = i + 1; j < n; j++) {
            double factor = a[j * n + i] / a[i * n + i];
            for (int k = i + 1; k < n; k++)
                a[j * n + k] -= factor * a[i * n + k];
        }
    }
    return product;
}

static double of_elimination(const double *x, size_t n) {
    volatile int edge = EDGE;
    double a[EDGE * EDGE];
    for (int i = 0; i < EDGE * EDGE; i++)
        a[i] = 0.1 * x[(size_t)i % n] + (i % (EDGE + 1) == 0);
    return eliminate(a, edge);
}

/* The same with rows in a table, which pivots exchange, and above the diagonal, too: a condition keeps the row from
 * being written that is read (cc/plan/skipped.h). */
static NOINLINE void eliminate_all(double **a, int n) {
    for (int k = 0; k < n; k++) {
        double *row = a[k], inverse = 1 / a[k][k];
        a[k] = a[n - 1 - k];
        a[n - 1 - k] = row;
        for (int i = 0; i < n; i++) {
            double factor = a[i][k] * inverse;
            if (i != k)
                for (int j = 0; j < n; j++)
                    a[i][j] -= factor * a[k][j];
        }
    }
}

static double of_skipped(const double *x, size_t n) {
    double a[EDGE][EDGE], *rows[EDGE], sum = 0;
    for (int i = 0; i < EDGE; i++) {
        rows[i] = a[i * 5 % EDGE];
        for (int j = 0; j < EDGE; j++)
            a[i][j] = 0.001 * x[(size_t)(i + j) % n] + (i == j);
    }
    eliminate_all(rows, EDGE);
    for (int i = 0; i < EDGE; i++)
        sum += a[i][i / 2];
    return sum;
}

/* A decomposition in place of a matrix of more than a megabyte, whose copy does not fit a strip. */
enum { LARGE = 380 };

static NOINLINE void decompose(double (*a)[LARGE]) {
    for (int i = 0; i < LARGE; i++)
        for (int j = 0; j < LARGE; j++) {
            double sum = a[i][j];
            for (int k = 0; k < (i < j ? i : j); k++)
                sum -= a[i][k] * a[k][j];
            a[i][j] = i > j ? sum / a[j][j] : sum;
        }
}

static double of_large(const double *x, size_t n) {
    double(*a)[LARGE] = malloc(LARGE * sizeof *a), sum = 0;
    for (int i = 0; i < LARGE; i++)
        for (int j = 0; j < LARGE; j++)
            a[i][j] = 0.001 * x[(size_t)(i + j) % n] + (i == j);
    decompose(a);
    for (int i = 0; i < LARGE; i++)
        sum += a[i][i];
    free(a);
    return sum;
}

/* A convolution with a border of zeros, unrolled, whose int indices LLVM computes by shifts. */
enum { PIXELS = 32, LAYERS = 4 };

static NOINLINE double convolve(const double *in, const double *w, int layers, int side) {
    double all = 0;
    for (int o = 0; o < layers; o++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                double sum = 0;
                for (int c = 0; c < layers; c++)
                    for (int dy = -1; dy <= 1; dy++)
                        for (int dx = -1; dx <= 1; dx++)
                            if (y + dy >= 0 && y + dy < side && x + dx >= 0 && x + dx < side)
                                sum += in[(c * side + y + dy) * side + x + dx] *
                                       w[((o * layers + c) * 3 + dy + 1) * 3 + dx + 1];
                all += sum * sum;
            }
    return all;
}

static double of_borders(const double *x, size_t n) {
    double in[LAYERS * PIXELS * PIXELS], w[LAYERS * LAYERS * 9];
    for (int i = 0; i < LAYERS * PIXELS * PIXELS; i++)
        in[i] = x[(size_t)i % n];
    for (int i = 0; i < LAYERS * LAYERS * 9; i++)
        w[i] = x[(size_t)i % n];
    return convolve(in, w, LAYERS, PIXELS);
}

/* Of a scheme with a table of constants, and indices that wrap by a constant, only the numbers that it computes with
 * are recorded: one for each neighbour, and one for each place (cc/plan/sources.c). */
enum { RING = 96, WAYS = 8 };
static const double weights[WAYS] = {0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05};
static const int offsets[WAYS] = {0, 1, -1, 3, -3, 7, -7, 11};

static NOINLINE void spread(double *a, double *next) {
    for (int i = 0; i < RING; i++) {
        double sum = 0;
        for (int q = 0; q < WAYS; q++) {
            double there = a[(i + offsets[q] + RING) % RING];
            sum += weights[q] * there * there;
            a[(i + offsets[q] + RING) % RING] = there - 0.01;
        }
        next[i] = sum;
    }
}

static double of_constants(const double *x, size_t n) {
    double a[RING], b[RING], sum = 0;
    for (int i = 0; i < RING; i++)
        a[i] = x[(size_t)i % n];
    for (int t = 0; t < TIMES; t++) {
        spread(a, b);
        for (int i = 0; i < RING; i++)
            a[i] = 0.5 * b[i];
    }
    for (int i = 0; i < RING; i++)
        sum += a[i] * (i % 3);
    return sum;
}

/* The stages of a Fourier transform: of the table, each stage reads the same numbers in every iteration of a loop whose
 * step is no constant (cc/plan/steps.c), and each time again. What is transformed is recorded, the table is not. */
enum { POINTS = 1024, STAGES = 10 };

static NOINLINE void transform(double *re, double *im, const double *table) {
    for (int half = 1; half < POINTS; half *= 2)
        for (int from = 0; from < POINTS; from += 2 * half)
            for (int k = 0; k < half; k++) {
                int a = from + k, b = a + half;
                double w = table[k * (POINTS / 2 / half)], r = w * re[b], m = w * im[b];
                re[b] = re[a] - r;
                im[b] = im[a] - m;
                re[a] += r;
                im[a] += m;
            }
}

static double of_stages(const double *x, size_t n) {
    double re[POINTS], im[POINTS], table[POINTS / 2], sum = 0;
    for (int i = 0; i < POINTS; i++) {
        re[i] = x[(size_t)i % n];
        im[i] = x[(size_t)(i + 1) % n];
        table[i / 2] = 0.5 * x[(size_t)i % n];
    }
    for (int t = 0; t < TIMES; t++) {
        transform(re, im, table);
        for (int i = 0; i < POINTS; i++) {
            re[i] *= 0.01;
            im[i] *= 0.01;
        }
    }
    for (int i = 0; i < POINTS; i++)
        sum += re[i] * im[i];
    return sum;
}

/* Structs that are passed by value and inlined are read as if they were packed, but other accesses say that they are
 * not (cc/lower/aligned.c): of each pair, three differences and two functions of their square are recorded. */
typedef struct vec3 {
    double x, y, z;
} vec3;

typedef struct body {
    vec3 at, force;
    double mass;
} body;

static vec3 minus(vec3 a, vec3 b) {
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec3 plus(double s, vec3 a, vec3 b) {
    return (vec3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static double dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static NOINLINE void attract(body *b, int n) {
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            vec3 d = minus(b[j].at, b[i].at);
            double r = dot(d, d) + 0.01, f = 1 / (r * sqrt(r));
            b[i].force = plus(b[j].mass * f, d, b[i].force);
            b[j].force = plus(-b[i].mass * f, d, b[j].force);
        }
}

static double of_bodies(const double *x, size_t n) {
    body b[SIZE];
    double sum = 0;
    for (int i = 0; i < SIZE; i++) {
        b[i].at = (vec3){x[(size_t)i % n] + i, x[(size_t)(i + 1) % n], x[(size_t)(i + 2) % n]};
        b[i].force = (vec3){0, 0, 0};
        b[i].mass = x[(size_t)(i + 3) % n] + 1;
    }
    for (int t = 0; t < TIMES; t++)
        attract(b, SIZE);
    for (int i = 0; i < SIZE; i++)
        sum += dot(b[i].force, b[i].at);
    return sum;
}

/* A product of a matrix that stays with a vector that is swapped: the matrix is copied once, the vector each time. */
static double of_swapped(const double *x, size_t n) {
    static double matrix[EDGE][EDGE], vectors[2][EDGE];
    double *now = vectors[0], *next = vectors[1], sum = 0;
    for (int i = 0; i < EDGE; i++) {
        now[i] = x[(size_t)i % n];
        for (int j = 0; j < EDGE; j++)
            matrix[i][j] = x[(size_t)(i + 2 * j) % n] / EDGE;
    }
    for (int t = 0; t < TIMES; t++) {
        for (int i = 0; i < EDGE; i++) {
            next[i] = 0.1;
            for (int j = 0; j < EDGE; j++)
                next[i] += matrix[i][j] * now[j];
        }
        double *swapped = now;
        now = next;
        next = swapped;
    }
    for (int i = 0; i < EDGE; i++)
        sum += now[i] * now[i];
    return sum;
}

static void expect_at_most(const char *name, double f(const double *x, size_t n), size_t most) {
    double x[5] = {0.7, 1.1, 0.25, -0.5, 0.9}, gradient[5];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 5, gradient, NULL, &report, &error));
    size_t bytes = (report.tape_bytes + report.lasting_bytes) / TIMES;
    EXPECT(bytes <= most, "%s: %zu bytes each time", name, bytes);
    printf(" %s %zu", name, bytes);
}

/* Within a budget, or with checkpointed calls, a part that is run again finds the copies of the first time. */
static void expect_same_bits(double f(const double *x, size_t n)) {
    double x[5] = {0.7, 1.1, 0.25, -0.5, 0.9}, whole[5], other[5];
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    EXPECT_OK(verso_gradient(f, x, 5, whole, NULL, NULL, &error));
    for (options.memory = UINT64_C(8) << 20; options.memory > UINT64_C(1) << 20; options.memory /= 2) {
        verso_status status = verso_gradient(f, x, 5, other, &options, NULL, &error);
        EXPECT(status == VERSO_STATUS_IMPOSSIBLE ||
                   (status == VERSO_STATUS_OK && memcmp(whole, other, sizeof whole) == 0),
               "within %llu bytes, the gradient has other bits", (unsigned long long)options.memory);
    }
    options.memory = 0;
    for (size_t i = 0; i < verso_site_count(); i++)
        verso_site_set(i, true);
    EXPECT_OK(verso_gradient(f, x, 5, other, &options, NULL, &error));
    EXPECT(memcmp(whole, other, sizeof whole) == 0, "with checkpointed calls, the gradient has other bits");
    for (size_t i = 0; i < verso_site_count(); i++)
        verso_site_set(i, false);
}

/* A profile predicts the bytes on the tape, whichever calls are checkpointed. */
static void expect_predicted(double f(const double *x, size_t n)) {
    double x[5] = {0.7, 1.1, 0.25, -0.5, 0.9}, gradient[5];
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_profile *profile = NULL;
    bool on[64] = {false};
    size_t count = verso_site_count();
    options.profile = &profile;
    EXPECT_OK(verso_gradient(f, x, 5, gradient, &options, NULL, &error));
    for (int all = 0; all < 2 && count <= 64; all++) {
        for (size_t i = 0; i < count; i++)
            verso_site_set(i, on[i] = all != 0);
        EXPECT_OK(verso_gradient(f, x, 5, gradient, NULL, &report, &error));
        size_t predicted = (size_t)verso_profile_predict(profile, on).peak_bytes;
        EXPECT(predicted == report.tape_bytes, "all sites %s: %zu bytes predicted, %zu measured", all ? "on" : "off",
               predicted, report.tape_bytes);
    }
    for (size_t i = 0; i < count; i++)
        verso_site_set(i, false);
    verso_profile_free(profile);
}

int main(void) {
    expect_at_most("rows", of_rows, (SIZE + 6) * sizeof(double));
    expect_at_most("temporaries", of_temporaries, (2 * SIZE + 6) * sizeof(double));
    expect_at_most("layers", of_layers, (2 * SIZE + 24) * sizeof(double));
    expect_at_most("tables", of_tables, EDGE * EDGE);
    expect_at_most("elimination", of_elimination, EDGE * sizeof(double));
    expect_at_most("skipped", of_skipped, 2 * EDGE * sizeof(double));
    expect_at_most("large", of_large, LARGE * LARGE * 5 * sizeof(double) / TIMES);
    expect_at_most("borders", of_borders, 7 * LAYERS * PIXELS * PIXELS * sizeof(double) / TIMES);
    expect_at_most("constants", of_constants, RING * (WAYS + 2) * sizeof(double));
    expect_at_most("stages", of_stages, STAGES * POINTS * sizeof(double) * 9 / 8);
    expect_at_most("bodies", of_bodies, SIZE * (SIZE - 1) / 2 * 3 * sizeof(double));
    expect_at_most("swapped", of_swapped, EDGE * EDGE * sizeof(double) / TIMES + 3 * EDGE * sizeof(double));
    expect_same_bits(of_swapped);
    expect_same_bits(of_layers);
    expect_same_bits(of_stages);
    expect_same_bits(of_large);
    expect_predicted(of_layers);
    printf("\n");
    return failed;
}
