/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:40:-1:1
 * The block after a loop whose operands are copied writes to what the loop has read. */
#include <stddef.h>

enum { N = 60 };

static __attribute__((noinline)) void spread(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                sum += x[k] * y[j] * 5e-4;
        x[i] = sum;
    }
}

double f(const double *x, size_t n) {
    double a[N], b[N], sum = 0;
    for (size_t i = 0; i < N; i++)
        a[i] = x[i % n], b[i] = x[3 * i % n];
    spread(a, b, N);
    for (int i = 0; i < N; i++)
        sum += a[i];
    return sum;
}
