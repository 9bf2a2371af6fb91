/* Every vector is kept; the matrix stays. */
#include "bench/array/csr.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(const matrix *m, const real *restrict x, const real *restrict dy, real *restrict dx,
                             real *restrict dvalue) {
    for (unsigned i = 0; i < ROWS; i++)
        dx[i] = 0;
    for (unsigned i = 0; i < m->rows; i++)
        for (unsigned k = m->begin[i]; k < m->begin[i + 1]; k++) {
            dvalue[k] += dy[i] * x[m->column[k]];
            dx[m->column[k]] += dy[i] * m->value[k];
        }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    matrix m = new_matrix(x);
    real *u = reals(ROWS * (STEPS + 1)), *d = reals(ROWS), *e = reals(ROWS), *dvalue = zeros(ROWS * EACH), sum = 0;
    (void)n;
    for (int i = 0; i < ROWS; i++)
        u[i] = R(x[i]);
    for (int t = 0; t < STEPS; t++)
        multiply(&m, u + t * ROWS, u + (t + 1) * ROWS);
    for (int i = 0; i < ROWS; i++)
        sum += u[STEPS * ROWS + i] * (i % 3), d[i] = i % 3;
    for (int t = STEPS; t-- > 0;) {
        reverse(&m, u + t * ROWS, d, e, dvalue);
        real *swap = d;
        d = e;
        e = swap;
    }
    for (unsigned i = 0; i < ROWS; i++) {
        real part = d[i];
        for (unsigned k = m.begin[i], a = 0; k < m.begin[i + 1]; k++, a++)
            part += dvalue[k] * R(0.15) * (a % 3 + 1);
        gradient[i] = part;
    }
    free(m.begin), free(m.column), free(m.value), free(u), free(d), free(e), free(dvalue);
    return sum;
}
