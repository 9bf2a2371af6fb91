/* at: 0.7,1.1,0.25,2.0
 * Shuffles of vectors, conversions between them, vectors through integers, and a transpose. */
#include <stddef.h>
#include <string.h>

typedef double quad __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));
typedef float small __attribute__((vector_size(16)));

static double product(const quad *a, const quad *b) {
    quad c = *a * *b;
    pair halves = __builtin_shufflevector(c, c, 0, 2) + __builtin_shufflevector(c, c, 1, 3);
    return halves[0] * 2 + halves[1];
}

double f(const double *x, size_t n) {
    (void)n;
    quad v, w, rows[4];
    memcpy(&v, x, sizeof v);
    w = __builtin_shufflevector(v, v, 3, 1, 0, 2) * v;
    for (int i = 0; i < 4; i++)
        rows[i] = i & 1 ? v * x[i] : w + x[i];
    quad low = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
    quad high = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    small narrow = __builtin_convertvector(low * high * 0, small) + (small){1, 0.5f, 0.25f, 2};
    quad back = __builtin_convertvector(narrow, quad);
    return product(&low, &high) + product(&back, &v) * product(&w, &rows[3]);
}
