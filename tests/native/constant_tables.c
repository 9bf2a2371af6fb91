/* at: random:24:0.5:1
 * Tables of constants, which reverse code reads again (cc/plan/sources.c): weights, neighbours whose indices wrap by a
 * constant, indices that are only valid under a condition, tables of tables, small types, and an index from memory. */
#include <math.h>
#include <stddef.h>

#define NOINLINE __attribute__((noinline))
enum { N = 24, WAYS = 5 };

static const int offset[WAYS] = {0, 1, -1, 6, -6};
static const double weight[WAYS] = {0.4, 0.2, 0.15, 0.15, 0.1};
static const float small_weight[WAYS] = {1.5f, 0.25f, 0.5f, 0.75f, 2};
static const signed char sign[3] = {1, -1, 1};
static const double points[2][3] = {{-0.77, 0, 0.77}, {0.55, 0.88, 0.55}};
static const double *const rows[2] = {points[0], points[1]};

static NOINLINE void smooth(const double *a, double *b) {
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int q = 0; q < WAYS; q++)
            sum += weight[q] * a[(i + offset[q] + N) % N] * (1 + small_weight[q] * a[i]);
        b[i] = 0.4 * sum * sign[i % 3] + 0.1 * a[i / 3];
    }
}

/* The table is only read where the index is in it; elsewhere its address leads nowhere. */
static NOINLINE double guarded(const double *a, long far) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        long at = k == 1 ? 2 : k + far;
        for (int i = 0; i < N; i++)
            if (at < WAYS)
                sum += weight[at] * a[(i + offset[at] + N) % N] * a[i];
    }
    return sum;
}

static NOINLINE double quadrature(const double *a, int n) {
    double sum = 0;
    for (int i = 0; i + 1 < n; i++)
        for (int p = 0; p < 3; p++) {
            double t = 0.5 + 0.5 * rows[0][p], at = (1 - t) * a[i] + t * a[i + 1];
            sum += rows[1][p] * sin(at) * at;
        }
    return sum;
}

static NOINLINE double picked(const double *a, const int *which) {
    double product = 1;
    for (int i = 0; i < N; i++)
        product *= 1 + weight[which[i]] * a[i] * a[(i * 5) % N];
    return product;
}

double f(const double *x, size_t n) {
    double a[N], b[N];
    int which[N];
    for (size_t i = 0; i < n; i++) {
        a[i] = x[i];
        which[i] = (int)(i * i % WAYS);
    }
    for (int t = 0; t < 4; t++) {
        smooth(a, b);
        smooth(b, a);
    }
    return quadrature(a, N) + guarded(a, 1L << 40) + 0.01 * picked(x, which);
}
