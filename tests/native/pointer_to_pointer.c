/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Pointers to pointers: tables of rows, output parameters that are pointers, permuted views of numbers. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static int make_rows(double ***rows, size_t n) {
    *rows = malloc(n * sizeof **rows);
    for (size_t i = 0; i < n; i++)
        (*rows)[i] = malloc(n * sizeof ***rows);
    return 0;
}

static void largest(double **rows, size_t n, double **found) {
    *found = &rows[0][0];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (rows[i][j] > **found)
                *found = &rows[i][j];
}

double f(const double *x, size_t n) {
    double **rows, *found, sum = 0;
    const double *view[4] = {&x[3], &x[1], &x[0], &x[2]}, **at = view;
    make_rows(&rows, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            rows[i][j] = sin(**at * (double)(i + 1)) + x[j], at = j == i ? at + 1 - (at == view + 3) * 4 : at;
    double *swap = rows[0];
    rows[0] = rows[2];
    rows[2] = swap;
    largest(rows, n, &found);
    *found *= x[0];
    for (size_t i = 0; i < n; i++)
        sum += rows[i][i] * rows[n - 1 - i][i];
    for (size_t i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
    return sum;
}
