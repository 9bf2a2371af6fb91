/* Checkpointed calls follow pointers in memory: a matrix of rows, a linked list, a struct with arrays, a pointer to a
 * pointer that the callee changes, a pointer that it stores and uses again, and one in a variable of the frame.
 * at: 0.7,1.1,0.3,0.9 */
#include <stddef.h>
#include <stdlib.h>

#define APART __attribute__((noinline)) static

typedef struct link {
    double value;
    struct link *next;
} link;

typedef struct net {
    int n;
    double *weights, *bias, **rows;
    struct net *other;
} net;

static double *volatile current;
static double *tables[3], numbers[3][5], large[3000];

APART double trace(double **rows, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += rows[i][i] * rows[i][(i + 1) % n], rows[i][i] = s;
    return s;
}

APART double walk(link *at) {
    double s = 0;
    for (; at; at = at->next)
        s = 0.5 * s + at->value * at->value, at->value = s;
    return s;
}

APART double layer(const net *net, double *out, double q) {
    double s = 0;
    for (int i = 0; i < net->n; i++)
        out[i] = net->weights[i] * q + net->bias[i], s += out[i] * out[i];
    return net->other ? s + layer(net->other, out, 0.5 * s) : s;
}

APART void swap(double **a, double **b) {
    double *kept = *a;
    *a = *b;
    *b = kept;
    (*a)[0] += 0.1 * (*b)[0];
}

APART double stored(double *u, double q) {
    current = u;
    current[1] = q * current[0];
    return current[1] * tables[1][2];
}

APART double chosen(int i, double q) {
    double *at = tables[i];
    at[0] = at[0] * q + at[1];
    return at[0];
}

APART double framed(double *u, int n) {
    double *both[2] = {u, u + n / 2}, s = 0;
    for (int i = 0; i < n / 2; i++)
        s += both[i % 2][i] * both[0][i], both[i % 2][i] = s;
    return s;
}

static double **new_rows(const double *x, size_t n) {
    double **rows = malloc(n * sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        rows[i] = malloc(n * sizeof *rows[i]);
        for (size_t j = 0; j < n; j++)
            rows[i][j] = x[i] + 0.1 * (double)j;
    }
    return rows;
}

double f(const double *x, size_t n) {
    double sum = 0, **rows = new_rows(x, n);
    for (int i = 0; i < 3; i++) {
        tables[i] = numbers[i];
        for (int j = 0; j < 5; j++)
            numbers[i][j] = x[(size_t)(i + j) % n];
    }
    for (int i = 0; i < 3000; i++)
        large[i] = x[0] + i;
    for (int k = 0; k < 4; k++) {
        link *list = NULL;
        for (size_t i = 0; i < n; i++) {
            link *first = malloc(sizeof *first);
            *first = (link){x[i] + k, list};
            list = first;
        }
        net *deep = malloc(sizeof *deep), *wide = malloc(sizeof *wide);
        double *out = malloc(4 * sizeof *out), *a = rows[0], *b = rows[1];
        *deep = (net){3, tables[0], rows[1], rows, NULL};
        *wide = (net){4, rows[2], tables[2], rows, deep};
        sum += 0.1 * trace(rows, (int)n) + 0.1 * walk(list) + 0.01 * layer(wide, out, x[0]);
        swap(&rows[0], &rows[1]);
        swap(&a, &b);
        sum += 0.01 * (out[1] + a[0] * b[0]) + 0.1 * stored(rows[3], x[1]) + 0.01 * chosen(k % 3, x[2]);
        sum += 0.01 * framed(rows[2], 4) + 1e-4 * large[k];
        for (link *next; list; list = next) {
            next = list->next;
            list->value = -1;
            free(list);
        }
        free(deep);
        free(wide);
        free(out);
        tables[k % 3] = numbers[(k + 1) % 3];
    }
    for (size_t i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
    current = NULL;
    return sum;
}
