/* at: 0.5,1.2,-0.7,2.1
 * cuts: 40
 * Nests that change what they read, but not while an inner loop runs, which then has a copy of its own
 * (cc/plan/ranges.h) besides that of what the nest leaves as it is: rows that are multiplied by a matrix in place,
 * arrays of variable length, rows of any length, and products of indices in addresses. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

enum { R = 5, Q = 6, P = 16 };

static NOINLINE void in_place(double a[R][Q][P], double c[P][P], double *sum) {
    for (int r = 0; r < R; r++)
        for (int q = 0; q < Q; q++) {
            for (int p = 0; p < P; p++) {
                sum[p] = 0;
                for (int s = 0; s < P; s++)
                    sum[p] += a[r][q][s] * c[s][p];
            }
            for (int p = 0; p < P; p++)
                a[r][q][p] = sum[p];
        }
}

static NOINLINE void variable(int rows, int n, double a[rows][n], double c[n][n], double *sum) {
    for (int r = 0; r < rows; r++) {
        for (int p = 0; p < n; p++) {
            sum[p] = 0;
            for (int s = 0; s < n; s++)
                sum[p] += a[r][s] * c[s][p];
        }
        for (int p = 0; p < n; p++)
            a[r][p] = sum[p];
    }
}

/* Row r has r + 1 numbers; rows lie behind each other, and each is changed after it was read. */
static NOINLINE void triangle(double *a, const double *c, int rows) {
    for (int r = 0; r < rows; r++) {
        double *row = a + r * (r + 1) / 2, all = 0;
        for (int p = 0; p < 8; p++)
            for (int s = 0; s <= r; s++)
                all += row[s] * c[p];
        for (int s = 0; s <= r; s++)
            row[s] = all * 0.01 + row[s];
    }
}

/* The length of a run depends on a loop around it, and so does the distance of what it reads. */
static NOINLINE void spread(double *a, const double *c, int n) {
    for (int i = 1; i < n; i++) {
        double all = 0;
        for (int p = 0; p < 6; p++)
            for (int s = 0; s < 5; s++)
                all += a[i * s] * c[p];
        a[4 * i] += 0.01 * all;
    }
}

double f(const double *x, size_t n) {
    double(*a)[Q][P] = malloc(R * sizeof *a), (*c)[P] = malloc(P * sizeof *c), sum[P], all = 0;
    double *flat = &a[0][0][0];
    for (int i = 0; i < R * Q * P; i++)
        flat[i] = x[(size_t)i % n] * (i % 5 - 2);
    for (int i = 0; i < P * P; i++)
        c[i / P][i % P] = x[(size_t)(i * i) % n] * 0.1 * (i % 3 + 1);
    in_place(a, c, sum);
    variable(7, 11, (double(*)[11])flat, (double(*)[11])c, sum);
    triangle(flat, &c[0][0], 12);
    spread(flat, &c[0][0], 20);
    for (int i = 0; i < R * Q * P; i++)
        all += flat[i] * (i % 4 - 1);
    free(a);
    free(c);
    return all;
}
