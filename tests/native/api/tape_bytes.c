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
 * (native/tape/lasting.h), and of each call what it reads besides. Checkpointed calls record the same bytes. */
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
    expect_same_bits(of_layers);
    expect_predicted(of_layers);
    printf("\n");
    return failed;
}
