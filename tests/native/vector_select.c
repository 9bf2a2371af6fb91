/* at: 0.7,1.1,0.25,2.0,0.6,1.4,0.9,0.3
 * flags: -O2
 * Comparing vectors, and choosing between them with the masks that come out. */
#include <stddef.h>
#include <string.h>

typedef double quad __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));

static void larger_of(quad *result, const quad *a, const quad *b) {
    mask larger = *a > *b;
    *result = (quad)((larger & (mask)*a) | (~larger & (mask)*b));
}

static int count(const mask *m) {
    int total = 0;
    for (int i = 0; i < 4; i++)
        total += (*m)[i] != 0;
    return total;
}

double f(const double *x, size_t n) {
    (void)n;
    quad u, v, w;
    memcpy(&u, x, sizeof u);
    memcpy(&v, x + 4, sizeof v);
    larger_of(&w, &u, &v);
    mask close = (w - u < 0.5) & (u - w < 0.5);
    w = w * w + u;
    return w[0] * w[1] + w[2] * v[3] - w[3] * count(&close);
}
