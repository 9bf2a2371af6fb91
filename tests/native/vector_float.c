/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * noise: 2e-6
 * Vector types of floats, four and eight wide, in structs and arrays, converted to doubles. */
#include <stddef.h>

typedef float four __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));

typedef struct ray {
    four origin, direction;
} ray;

static four at(ray r, float t) {
    return r.origin + r.direction * t;
}

static float dot(four a, four b) {
    four c = a * b;
    return c[0] + c[1] + c[2] + c[3];
}

static void mix(eight *v, int rounds) {
    for (int i = 0; i < rounds; i++)
        *v = *v * 0.5f + *v * *v * 0.1f;
}

double f(const double *x, size_t n) {
    (void)n;
    ray r = {{(float)x[0], (float)x[1], 0, 1}, {(float)x[2], (float)x[3], 0.5f, 0}};
    four points[3];
    eight wide;
    for (int i = 0; i < 3; i++)
        points[i] = at(r, (float)i * (float)x[0]);
    for (int i = 0; i < 8; i++)
        wide[i] = points[i % 3][i & 3];
    mix(&wide, 4);
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum += (double)wide[i] * (i + 1);
    return sum + dot(points[1], points[2]) * x[1];
}
