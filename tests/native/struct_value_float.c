/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * noise: 1e-5
 * Structs with floats by value: two of them share a register. */
#include <math.h>
#include <stddef.h>

typedef struct point {
    float x, y, z;
} point;

typedef struct half {
    float x;
    double y;
} half;

typedef struct quad {
    float a, b, c, d;
} quad;

static point cross(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static float dot(point a, point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static half mix(half h, quad q) {
    return (half){h.x * q.a + q.b, h.y * q.c - q.d};
}

double f(const double *x, size_t n) {
    (void)n;
    point p = {(float)x[0], (float)x[1], (float)x[2]}, q = {(float)x[3], 1.5f, (float)x[0]};
    quad four = {(float)x[0], (float)x[1], (float)x[2], 0.5f};
    half h = {(float)x[3], x[1]};
    for (int i = 0; i < 4; i++) {
        p = cross(p, q);
        p.x += 0.5f;
        h = mix(h, four);
    }
    return dot(p, q) + h.x * h.y + sqrtf(dot(q, q));
}
