/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * cuts: 10
 * Static arrays that are written through pointers, in rows before and after the one that the index counts. */
#include <math.h>
#include <stddef.h>

enum { N = 90 };

__attribute__((noinline)) static void shift(double *b, const double *a, int n) {
    for (long i = 60; i < n - 2; i++)
        for (long j = i; j < n - 2; j++)
            b[(j - 60) * n + j] = 0.25 * a[i * n + j] * b[(j - 1) * n + i];
}

__attribute__((noinline)) static void turn(double *b, const double *a, int n) {
    for (long i = 60; i < n - 2; i++) {
        for (long j = i; j < n - 2; j++)
            b[(n - 1 - j) * n + n - 1 - i] += sin(a[j * n + i]);
        b[(n - 1 - i) * n] *= 0.5;
    }
}

double f(const double *x, size_t n) {
    static double one[N * N], two[N * N];
    double sum = 0;
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        one[i] = sin(x[i % n] + (double)i);
        two[i] = x[(i + 2) % n];
    }
    for (int t = 0; t < 3; t++) {
        shift(one, two, N);
        shift(two, one, N);
        turn(one, two, N);
    }
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        sum += one[i] * two[i];
    return sum;
}
