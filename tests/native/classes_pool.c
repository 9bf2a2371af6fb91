/* at: 0.7,1.3,-0.4,2.1
 * noise: 1e-6
 * A pool of bytes from which arrays of several types are taken, and which is then used again for others. */
#include <stddef.h>
#include <stdint.h>

static union {
    char bytes[4096];
    double aligned;
} pool;
static size_t used;

__attribute__((noinline)) static void *take(size_t size) {
    void *block = pool.bytes + used;
    used += (size + 15) / 16 * 16;
    return block;
}

__attribute__((noinline)) static double numbers(const double *x, int n) {
    double *a = take((size_t)n * sizeof *a), sum = 0;
    float *b = take((size_t)n * sizeof *b);
    int *order = take((size_t)n * sizeof *order);
    unsigned char *odd = take((size_t)n);
    for (int i = 0; i < n; i++) {
        a[i] = x[i] * x[i];
        b[i] = (float)x[(i + 1) % n];
        order[i] = n - 1 - i;
        odd[i] = i % 2;
    }
    for (int i = 0; i < n; i++)
        sum += odd[i] ? a[order[i]] * b[i] : a[i] - b[order[i]];
    return sum;
}

__attribute__((noinline)) static double integers(const double *x, int n) {
    int64_t *order = take((size_t)n * sizeof *order);
    double *a = take((size_t)n * sizeof *a), sum = 0;
    for (int i = 0; i < n; i++)
        order[i] = (i + 2) % n;
    for (int i = 0; i < n; i++)
        a[order[i]] = x[i] * (i + 1);
    for (int i = 0; i < n; i++)
        sum += a[i] * a[order[i]];
    return sum;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (int round = 0; round < 3; round++) {
        used = 0;
        sum += round % 2 == 0 ? numbers(x, (int)n) : integers(x, (int)n);
    }
    used = 0;
    return sum + integers(x, (int)n) * numbers(x, (int)n);
}
