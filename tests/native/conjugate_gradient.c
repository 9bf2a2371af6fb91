/* at: random:24:0.3:1.3
 * Conjugate gradients for a matrix that depends on the input, until the residual is small. */
#include <math.h>
#include <stddef.h>

enum { MAX = 12 };

static void multiply(const double *diagonal, const double *v, double *result, size_t n) {
    for (size_t i = 0; i < n; i++)
        result[i] = (2.5 + diagonal[i] * diagonal[i]) * v[i] - (i > 0 ? v[i - 1] : 0) - (i + 1 < n ? v[i + 1] : 0);
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

double f(const double *x, size_t n) {
    size_t size = n / 2;
    double u[MAX] = {0}, r[MAX], p[MAX], ap[MAX];
    for (size_t i = 0; i < size; i++)
        r[i] = p[i] = x[size + i];
    double rr = dot(r, r, size);
    for (int k = 0; k < 40 && rr > 1e-20; k++) {
        multiply(x, p, ap, size);
        double alpha = rr / dot(p, ap, size);
        for (size_t i = 0; i < size; i++) {
            u[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        double next = dot(r, r, size), beta = next / rr;
        for (size_t i = 0; i < size; i++)
            p[i] = r[i] + beta * p[i];
        rr = next;
    }
    return dot(u, u, size) + u[0];
}
