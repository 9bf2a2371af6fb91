/* A power iteration with a sparse matrix in compressed rows; unsigned indices. */
#include "bench/array/kernel.h"

enum { ROWS = 4000, EACH = 9, STEPS = 10 };
const size_t kernel_inputs = ROWS;
typedef struct matrix {
    unsigned rows, *begin, *column;
    real *value;
} matrix;

static matrix new_matrix(const double *x) {
    matrix m = {ROWS, malloc((ROWS + 1) * sizeof(unsigned)), malloc(ROWS * EACH * sizeof(unsigned)),
                reals(ROWS * EACH)};
    unsigned k = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        m.begin[i] = k;
        for (unsigned e = 0; e < 5 + i % 5; e++, k++) {
            m.column[k] = (i * 7 + e * e * 131) % ROWS;
            m.value[k] = R(0.15) * R(x[i]) * (e % 3 + 1);
        }
    }
    m.begin[ROWS] = k;
    return m;
}

static NOINLINE void multiply(const matrix *m, const real *x, real *y) {
    for (unsigned i = 0; i < m->rows; i++) {
        real sum = 0;
        for (unsigned k = m->begin[i]; k < m->begin[i + 1]; k++)
            sum += m->value[k] * x[m->column[k]];
        y[i] = sum;
    }
}

double kernel(const double *x, size_t n) {
    matrix m = new_matrix(x);
    real *u = reals(ROWS), *v = reals(ROWS), sum = 0;
    (void)n;
    for (int i = 0; i < ROWS; i++)
        u[i] = R(x[i]);
    for (int t = 0; t < STEPS; t++) {
        multiply(&m, u, v);
        real *swap = u;
        u = v;
        v = swap;
    }
    for (int i = 0; i < ROWS; i++)
        sum += u[i] * (i % 3);
    free(m.begin), free(m.column), free(m.value), free(u), free(v);
    return sum;
}
