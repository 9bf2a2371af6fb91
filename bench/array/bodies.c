/* Bodies that attract each other: structs of structs, vectors passed by value, steps by leapfrog. */
#include "bench/array/kernel.h"

enum { N = 150, STEPS = 6 };
const size_t kernel_inputs = 4 * N;
#define STEP R(0.01)

typedef struct vec3 {
    real x, y, z;
} vec3;

typedef struct body {
    vec3 at, speed, pull;
    real mass;
} body;

static vec3 minus(vec3 a, vec3 b) {
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* s * a + b */
static vec3 plus(real s, vec3 a, vec3 b) {
    return (vec3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static real dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static NOINLINE void attract(body *b) {
    for (int i = 0; i < N; i++)
        b[i].pull = (vec3){0, 0, 0};
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            vec3 d = minus(b[j].at, b[i].at);
            real r = dot(d, d) + R(0.01), f = 1 / (r * sqrt(r));
            b[i].pull = plus(b[j].mass * f, d, b[i].pull);
            b[j].pull = plus(-b[i].mass * f, d, b[j].pull);
        }
}

static void begin(const double *x, body *b) {
    for (int i = 0; i < N; i++) {
        b[i].at = (vec3){10 * R(x[4 * i]), 10 * R(x[4 * i + 1]), 10 * R(x[4 * i + 2])};
        b[i].speed = (vec3){0, 0, R(0.1)};
        b[i].mass = R(x[4 * i + 3]);
    }
}

static void move(body *b) {
    for (int i = 0; i < N; i++) {
        b[i].speed = plus(STEP / 2, b[i].pull, b[i].speed);
        b[i].at = plus(STEP, b[i].speed, b[i].at);
    }
    attract(b);
    for (int i = 0; i < N; i++)
        b[i].speed = plus(STEP / 2, b[i].pull, b[i].speed);
}

double kernel(const double *x, size_t n) {
    body *b = malloc(N * sizeof *b);
    real sum = 0;
    (void)n;
    begin(x, b);
    attract(b);
    for (int t = 0; t < STEPS; t++)
        move(b);
    for (int i = 0; i < N; i++)
        sum += b[i].mass * dot(b[i].speed, b[i].speed) + R(0.01) * dot(b[i].at, b[i].at);
    free(b);
    return sum;
}
