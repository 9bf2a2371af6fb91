/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:40:-1:1
 * noise: 1e-12
 * Matrices whose rows are blocks of their own, found by tables of pointers: products, decompositions in place, tables
 * that a nest changes, rows of two matrices in turn in memory, rows that are missing, tables in structs and variables,
 * and indices that a nest reads repeatedly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
enum { N = 24 };

static NOINLINE double **matrix(int rows, int columns) {
    double **a = malloc((size_t)rows * sizeof *a);
    for (int i = 0; i < rows; i++)
        a[i] = calloc((size_t)columns, sizeof **a);
    return a;
}

static NOINLINE void drop(double **a, int rows) {
    for (int i = 0; i < rows; i++)
        free(a[i]);
    free(a);
}

static NOINLINE void fill(double **a, const double *x, size_t n, double shift) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = x[(size_t)(i * 5 + j * 3) % n] * cos(i + 2 * j + shift) + (i == j) * 6;
}

static NOINLINE void multiply(double **c, double **a, double **b, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

/* The sum is kept in memory, and c may be a or b. */
static NOINLINE void accumulate(double **c, double **a, double **b, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i][j] += 0.01 * a[i][k] * b[k][j];
}

static NOINLINE void decompose(double **a, int n) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

/* The nest exchanges rows of the table that it reads. */
static NOINLINE double determinant(double **a, int n) {
    double det = 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k]))
                best = i;
        double *row = a[k];
        a[k] = a[best];
        a[best] = row;
        det *= a[k][k] / 6;
        for (int i = k + 1; i < n; i++)
            for (int j = n - 1; j >= k; j--)
                a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    return det;
}

/* Rows of a and b lie in turn, so what is read and what is written cannot be told apart by extents. */
static NOINLINE double in_turn(const double *x, size_t n) {
    double *a[N], *b[N], sum = 0;
    for (int i = 0; i < N; i++) {
        a[i] = malloc(N * sizeof(double));
        b[i] = malloc(N * sizeof(double));
        for (int j = 0; j < N; j++) {
            a[i][j] = x[(size_t)(i + j) % n] + 0.1 * i;
            b[i][j] = 0.5;
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                b[i][j] += 0.1 * a[i][k] * a[k][j] * sin(a[j][i]);
    for (int i = 0; i < N; i++) {
        sum += b[i][N - 1 - i];
        free(a[i]);
        free(b[i]);
    }
    return sum;
}

typedef struct column {
    int length;
    double *data;
    const char *name;
} column;

/* Columns of different lengths, some without data, in structs. */
static NOINLINE double ragged(const double *x, size_t n) {
    static column columns[N];
    double sum = 0;
    for (int j = 0; j < N; j++) {
        columns[j].length = j % 5 * 3;
        columns[j].data = columns[j].length ? malloc((size_t)columns[j].length * sizeof(double)) : NULL;
        for (int i = 0; i < columns[j].length; i++)
            columns[j].data[i] = x[(size_t)(i + j) % n] * (1 + 0.01 * i);
    }
    for (int t = 0; t < 6; t++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < columns[j].length; i++)
                sum += sin(t) * columns[j].data[i] * columns[j].data[columns[j].length - 1 - i];
    for (int j = 0; j < N; j++)
        free(columns[j].data);
    return sum;
}

/* A table of which each second pointer is read, and whose others are not pointers to numbers. */
static NOINLINE double strided(const double *x, size_t n) {
    void **table = malloc(2 * N * sizeof *table);
    double *data = malloc((size_t)N * N * sizeof *data), sum = 0;
    for (int i = 0; i < N * N; i++)
        data[i] = x[(size_t)i % n] + 0.001 * i;
    for (int i = 0; i < N; i++) {
        table[2 * i] = data + (size_t)N * (size_t)i;
        table[2 * i + 1] = (void *)(size_t)(i % 2);
    }
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < N; i++) {
            const double *row = table[2 * i];
            for (int j = 1; j < N; j++)
                sum += row[j] * row[j - 1] / (t + 1);
        }
    free(data);
    free(table);
    return sum;
}

/* A sparse matrix: what the time loop reads repeatedly are numbers and their columns. */
static NOINLINE double sparse(const double *x, size_t n) {
    int *begin = malloc((N + 1) * sizeof *begin), *at = malloc((size_t)N * 4 * sizeof *at), count = 0;
    double *value = malloc((size_t)N * 4 * sizeof *value), u[N], v[N], sum = 0;
    for (int i = 0; i < N; i++) {
        begin[i] = count;
        for (int k = 0; k < 1 + i % 4; k++, count++) {
            at[count] = (i * 7 + k * 5) % N;
            value[count] = 0.3 * x[(size_t)count % n];
        }
        u[i] = cos(i);
    }
    begin[N] = count;
    for (int t = 0; t < 8; t++) {
        for (int i = 0; i < N; i++) {
            double s = 0;
            for (int k = begin[i]; k < begin[i + 1]; k++)
                s += value[k] * u[at[k]];
            v[i] = s;
        }
        for (int i = 0; i < N; i++)
            u[i] = 0.5 * u[i] + v[i];
    }
    for (int i = 0; i < N; i++)
        sum += u[i] * u[i];
    free(begin);
    free(at);
    free(value);
    return sum;
}

/* Tables of tables. */
static NOINLINE double deep(const double *x, size_t n) {
    enum { M = 9 };
    double ***a = malloc(M * sizeof *a), sum = 0;
    for (int i = 0; i < M; i++) {
        a[i] = matrix(M, M);
        for (int j = 0; j < M; j++)
            for (int k = 0; k < M; k++)
                a[i][j][k] = x[(size_t)(i + j + k) % n] + 0.01 * i * j;
    }
    for (int t = 0; t < 3; t++)
        for (int i = 1; i < M - 1; i++)
            for (int j = 1; j < M - 1; j++)
                for (int k = 1; k < M - 1; k++)
                    sum += a[i][j][k] * (a[i - 1][j][k] + a[i][j + 1][k] * a[i][j][k - 1]);
    for (int i = 0; i < M; i++)
        drop(a[i], M);
    free(a);
    return sum / 50;
}

double f(const double *x, size_t n) {
    double **a = matrix(N, N), **b = matrix(N, N), **c = matrix(N, N), sum = 0;
    fill(a, x, n, 0);
    fill(b, x, n, 1);
    multiply(c, a, b, N);
    accumulate(a, b, c, N);
    accumulate(c, c, b, N);
    accumulate(b, a, a, N / 2);
    decompose(a, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j] * sin(0.1 * c[i][j]) * 0.01;
    sum += log(fabs(determinant(b, N)));
    drop(a, N);
    drop(b, N);
    drop(c, N);
    return sum + in_turn(x, n) + ragged(x, n) + strided(x, n) + sparse(x, n) + deep(x, n);
}
