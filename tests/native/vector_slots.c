/* at: 0.7,1.1,-0.4,0.9,0.3
 * flags: -mavx
 * needs: avx
 * cuts: 20
 * A function with so many loops that its reverse function keeps its variables in memory, among them vectors that the
 * loops use: they are not aligned as vectors usually are. */
#include <math.h>
#include <stddef.h>

typedef double vector __attribute__((vector_size(32)));

/* A loop that uses two vectors, which come from a division, and calls something that is reversed itself. */
static __attribute__((noinline)) double soften(double u) {
    return u / sqrt(1 + u * u);
}

#define LOOP(k) \
    vector a##k = b / (1 + c * c), d##k = c / (2 + b * b); \
    for (size_t i = 0; i < n + k % 3; i++) { \
        b = 0.9 * b + a##k * soften(x[i % n] + k) * 0.1; \
        c = 0.9 * c + d##k * soften(b[k % 4]) * x[(i + k) % n]; \
    } \
    s += b[0] * c[1] + b[2] - c[3];
#define LOOPS(k) LOOP(k##0) LOOP(k##1) LOOP(k##2) LOOP(k##3) LOOP(k##4) LOOP(k##5) LOOP(k##6) LOOP(k##7)

double f(const double *x, size_t n) {
    vector b = {x[0], x[1], 0.5, 0.1}, c = {0.2, x[2], 0.3, x[3]};
    double s = 0;
    LOOPS(1) LOOPS(2) LOOPS(3) LOOPS(4) LOOPS(5) LOOPS(6) return s;
}
