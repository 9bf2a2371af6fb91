/* What takes no room on the tape, because reverse code obtains it in another way. Each function does the same work many
 * times; `most` is the number of bytes that one time may record. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

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

static void expect_at_most(const char *name, double f(const double *x, size_t n), size_t most) {
    double x[5] = {0.7, 1.1, 0.25, -0.5, 0.9}, gradient[5];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 5, gradient, NULL, &report, &error));
    EXPECT(report.tape_bytes <= TIMES * most, "%s: %zu bytes of tape each time", name, report.tape_bytes / TIMES);
    printf(" %s %zu", name, report.tape_bytes / TIMES);
}

int main(void) {
    expect_at_most("rows", of_rows, (SIZE + 6) * sizeof(double));
    expect_at_most("temporaries", of_temporaries, (2 * SIZE + 6) * sizeof(double));
    printf("\n");
    return failed;
}
