/* Products of sparse matrices (paper, table 2): the dot product of two 1000 x 1000 matrices with a twentieth of their
 * entries, and a complex one by a vector. Which entries there are, and their values, are random, from a seed. */
#include "examples/rev/host.h"

#include <complex.h>
#include <string.h>
#include <verso/rev.h>

/* The reversible functions are in the library. */
#ifdef VERSO_REV_GENERATED
#include "library/sparse.c"
#else
#include "library/sparse.rev.c"
#endif

/* ---- Data ------------------------------------------------------------------------------------------------------- */

enum { SPARSE_SIDE = 1000, SPARSE_MOST = 80000 };

/* By columns. */
typedef struct sparse_pattern {
    int start[SPARSE_SIDE + 1], index[SPARSE_MOST];
} sparse_pattern;

void sparse_fill(sparse_pattern *p, double density, uint64_t *seed) {
    int count = 0;
    for (int j = 0; j < SPARSE_SIDE; j++) {
        p->start[j] = count;
        for (int i = 0; i < SPARSE_SIDE && count < SPARSE_MOST; i++)
            if (host_uniform(seed) < density)
                p->index[count++] = i;
    }
    p->start[SPARSE_SIDE] = count;
}

/* ---- Plain ------------------------------------------------------------------------------------------------------ */

double sparse_plain_dot(const double *a, const sparse_pattern *pa, const double *b, const sparse_pattern *pb) {
    double sum = 0;
    for (int j = 0; j < SPARSE_SIDE; j++) {
        int i = pa->start[j], k = pb->start[j], i_end = pa->start[j + 1], k_end = pb->start[j + 1];
        while (i < i_end && k < k_end) {
            if (pa->index[i] == pb->index[k])
                sum += a[i++] * b[k++];
            else if (pa->index[i] < pb->index[k])
                i++;
            else
                k++;
        }
    }
    return sum;
}

void sparse_plain_mul(double complex *y, const double complex *a, const sparse_pattern *p, const double complex *x) {
    for (int j = 0; j < SPARSE_SIDE; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            y[p->index[k]] += a[k] * x[j];
}

/* ---- A run ------------------------------------------------------------------------------------------------------ */

#ifndef EXAMPLE_NO_MAIN
static sparse_pattern pa, pb;

static int dot(uint64_t *seed) {
    double *a = host_normals(SPARSE_MOST, seed), *b = host_normals(SPARSE_MOST, seed), out = 0;
    rev_sparse_dot(&out, a, pa.index, pa.start, b, pb.index, pb.start, SPARSE_SIDE);
    double plain = sparse_plain_dot(a, &pa, b, &pb);
    printf("dot of %d and %d entries: %.12g (plain C: %.12g)\n", pa.start[SPARSE_SIDE], pb.start[SPARSE_SIDE], out,
           plain);
    int wrong = fabs(out - plain) > 1e-11 * fabs(plain);
#ifdef VERSO_REV_GENERATED
    double *a_bar = host_alloc(SPARSE_MOST, sizeof *a_bar), *b_bar = host_alloc(SPARSE_MOST, sizeof *b_bar);
    double out_bar = 1, by_a = 0, by_b = 0;
    rev_sparse_dot_adj(&out, &out_bar, a, a_bar, pa.index, pa.start, b, b_bar, pb.index, pb.start, SPARSE_SIDE);
    for (int i = 0; i < SPARSE_MOST; i++) { /* the product is bilinear, so both sums equal the value */
        by_a += a[i] * a_bar[i];
        by_b += b[i] * b_bar[i];
    }
    printf("gradients times the matrices: %.12g and %.12g; the value afterwards: %.1e\n", by_a, by_b, out);
    wrong |= fabs(by_a - plain) > 1e-11 * fabs(plain) || fabs(by_b - plain) > 1e-11 * fabs(plain);
    free(a_bar);
    free(b_bar);
#endif
    free(a);
    free(b);
    return wrong;
}

static int multiply(uint64_t *seed) {
    double complex *a = (double complex *)(void *)host_normals(2 * SPARSE_MOST, seed);
    double complex *x = (double complex *)(void *)host_normals(2 * SPARSE_SIDE, seed);
    double complex *y = host_alloc(SPARSE_SIDE, sizeof *y), *plain = host_alloc(SPARSE_SIDE, sizeof *plain);
    double worst = 0;
    rev_csc_matvec_complex(y, a, pa.index, pa.start, x, SPARSE_SIDE);
    sparse_plain_mul(plain, a, &pa, x);
    for (int i = 0; i < SPARSE_SIDE; i++)
        worst = fmax(worst, cabs(y[i] - plain[i]));
    printf("complex product as plain C's within %.1e\n", worst);
    int wrong = worst > 1e-12;
#ifdef VERSO_REV_GENERATED
    /* The bar of x is the conjugate transpose times the bar of y. */
    double complex *a_bar = host_alloc(SPARSE_MOST, sizeof *a_bar), *x_bar = host_alloc(SPARSE_SIDE, sizeof *x_bar);
    double complex *y_bar = (double complex *)(void *)host_normals(2 * SPARSE_SIDE, seed), sum = 0;
    for (int k = pa.start[7]; k < pa.start[8]; k++)
        sum += conj(a[k]) * y_bar[pa.index[k]];
    rev_csc_matvec_complex_adj(y, y_bar, a, a_bar, pa.index, pa.start, x, x_bar, SPARSE_SIDE);
    printf("bar of x[7]: %.9g%+.9gi (by hand: %.9g%+.9gi)\n", creal(x_bar[7]), cimag(x_bar[7]), creal(sum), cimag(sum));
    wrong |= cabs(x_bar[7] - sum) > 1e-11;
    free(a_bar);
    free(x_bar);
    free(y_bar);
#endif
    free(a);
    free(x);
    free(y);
    free(plain);
    return wrong;
}

int main(void) {
    uint64_t seed = 5;
    sparse_fill(&pa, 0.05, &seed);
    sparse_fill(&pb, 0.05, &seed);
    int wrong = dot(&seed);
    return multiply(&seed) || wrong;
}
#endif
