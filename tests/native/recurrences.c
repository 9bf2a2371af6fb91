/* at: 0.5,1.2,-0.7,2.1,0.3
 * large: random:24:-1:1
 * Pointers and indices to which loops add what differs between iterations (cc/plan/recurrences.h): rows of packed
 * triangles, forwards and backwards, steps that depend on a condition, a triangle whose rows are triangles, and loops
 * with calls inside, in which reverse sweeps are cut. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

enum { MOST = 32 };

static NOINLINE double squared(double x) {
    return x * x + 0.25;
}

/* One pointer runs over the rows. */
static NOINLINE double forwards(const double *next, const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double here = x[i];
        for (int j = 0; j < i; j++)
            here += *next++ * x[j];
        sum += here * here;
    }
    return sum;
}

/* One index goes back over the rows; each row is used by a call. */
static NOINLINE double backwards(const double *triangle, const double *x, int n) {
    double sum = 0;
    int at = n * (n - 1) / 2;
    for (int i = n - 1; i >= 0; i--) {
        at -= i;
        double here = 0;
        for (int j = 0; j < i; j++)
            here += triangle[at + j] * x[j];
        sum += squared(here);
    }
    return sum;
}

/* Rows of which only some are stored. */
static NOINLINE double some_rows(const double *next, const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double here = x[i];
        if (i % 3 != 1)
            for (int j = 0; j < n; j++)
                here += *next++ * x[j];
        sum += squared(here) * here;
    }
    return sum;
}

/* The step of the outer pointer is itself the sum of steps. */
static NOINLINE double of_triangles(const double *all, const double *x, int n) {
    double sum = 0;
    int rows = 0, whole = 0;
    for (int k = 0; k < n; k++) {
        const double *row = all + whole % (MOST * MOST / 4);
        for (int i = 0; i < k; i++) {
            double here = 0;
            for (int j = 0; j < i; j++)
                here += row[j] * x[j] * x[k];
            row += i;
            sum += here * here;
        }
        rows += k;
        whole += rows;
    }
    return sum;
}

/* An address that is a number of bytes, which some iterations change, and stores through it. */
static NOINLINE void scattered(double *out, const double *x, size_t n, unsigned mask) {
    char *to = (char *)out;
    for (size_t i = 0; i < n; i++) {
        double *one = (double *)to;
        for (size_t k = 0; k < i % 4; k++)
            one[k] += one[k + 1] * x[i];
        to += (mask >> i % 8 & 1) ? sizeof(double) * (i % 4) : 0;
    }
}

double f(const double *x, size_t n) {
    double *triangle = malloc(MOST * MOST * sizeof *triangle), y[3 * MOST + 4] = {0}, sum = 0;
    int m = n < MOST ? (int)n : MOST;
    for (int i = 0; i < MOST * MOST; i++)
        triangle[i] = x[(size_t)i % n] * (i % 7 - 3);
    sum += forwards(triangle, x, m);
    sum += backwards(triangle, x, m);
    sum += some_rows(triangle, x, m);
    sum += 0.01 * of_triangles(triangle, x, m);
    for (int i = 0; i < 3 * MOST + 4; i++)
        y[i] = x[(size_t)i % n] + 1;
    scattered(y, x, (size_t)m, 0xb5);
    for (int i = 0; i < 3 * MOST + 4; i++)
        sum += y[i] * y[i];
    free(triangle);
    return 0.1 * sum;
}
