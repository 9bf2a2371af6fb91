/* at: random:30:-1:1
 * flags: -fno-inline
 * A linear system by elimination with row pivoting: rows change places by pointer, then forward and back substitution.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static int factorise(double **a, int *order, int n) {
    int sign = 1;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        if (pivot != k) {
            double *row = a[k];
            a[k] = a[pivot];
            a[pivot] = row;
            int keep = order[k];
            order[k] = order[pivot];
            order[pivot] = keep;
            sign = -sign;
        }
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
    return sign;
}

static void solve(double **a, const int *order, const double *b, double *u, int n) {
    for (int i = 0; i < n; i++) {
        u[i] = b[order[i]];
        for (int j = 0; j < i; j++)
            u[i] -= a[i][j] * u[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            u[i] -= a[i][j] * u[j];
        u[i] /= a[i][i];
    }
}

double f(const double *x, size_t count) {
    enum { N = 5 };
    (void)count;
    double *rows[N], u[N], determinant = 1, sum = 0;
    int order[N];
    for (int i = 0; i < N; i++) {
        rows[i] = malloc(N * sizeof **rows);
        order[i] = i;
        for (int j = 0; j < N; j++)
            rows[i][j] = x[i * N + j] + (j == (i + 2) % N ? 3 : 0);
    }
    determinant *= factorise(rows, order, N);
    solve(rows, order, x + N * N, u, N);
    for (int i = 0; i < N; i++) {
        determinant *= rows[i][i];
        sum += u[i] * u[i];
    }
    for (int i = 0; i < N; i++)
        free(rows[i]);
    return sin(sum) + determinant;
}
