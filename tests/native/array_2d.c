/* at: random:6:0.3:1.1
 * Arrays of two and three dimensions: local, static, as parameters, by rows and by columns. */
#include <math.h>
#include <stddef.h>

enum { ROWS = 2, COLUMNS = 3 };

static double cube[2][3][2];

static void product(double c[ROWS][ROWS], double a[ROWS][COLUMNS], double b[COLUMNS][ROWS]) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            c[i][j] = 0;
            for (int k = 0; k < COLUMNS; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}

static double column_sum(double (*rows)[COLUMNS], int column) {
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += rows[i][column];
    return sum;
}

double f(const double *x, size_t n) {
    double a[ROWS][COLUMNS], b[COLUMNS][ROWS], c[ROWS][ROWS], *flat = &a[0][0];
    for (size_t i = 0; i < n; i++)
        flat[i] = x[i] * x[(i + 1) % n];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            b[j][i] = sin(a[i][j]);
    product(c, a, b);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++)
                cube[i][j][k] = c[i][k] * a[k][j];
    return c[0][0] * c[1][1] - c[0][1] * c[1][0] + column_sum(a, 1) * cube[1][2][0] + cube[0][1][1];
}
