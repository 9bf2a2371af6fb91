/* Keeps the places; what depends on the distance of a pair is computed again from them. */
#include "bench/array/bodies.c"
#include "bench/array/hand/hand.h"

/* Adds to the adjoints of places and masses what those of the pulls hand on. */
static void reverse_attract(const vec3 *at, const body *b, body *d) {
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            vec3 away = minus(at[j], at[i]);
            real r = dot(away, away) + R(0.01), f = 1 / (r * sqrt(r));
            vec3 both = {b[j].mass * d[i].pull.x - b[i].mass * d[j].pull.x,
                         b[j].mass * d[i].pull.y - b[i].mass * d[j].pull.y,
                         b[j].mass * d[i].pull.z - b[i].mass * d[j].pull.z};
            real by = -3 * f / r * dot(both, away);
            vec3 change = {f * both.x + by * away.x, f * both.y + by * away.y, f * both.z + by * away.z};
            d[j].mass += f * dot(away, d[i].pull);
            d[i].mass -= f * dot(away, d[j].pull);
            d[j].at = plus(1, change, d[j].at);
            d[i].at = plus(-1, change, d[i].at);
        }
}

static void keep(const body *b, vec3 *at) {
    for (int i = 0; i < N; i++)
        at[i] = b[i].at;
}

/* `d` has the adjoints of places, speeds, masses, and in `pull` what the next step adds to that of the pull. */
static void reverse_move(const vec3 *at, const body *b, body *d) {
    for (int i = 0; i < N; i++)
        d[i].pull = plus(STEP / 2, d[i].speed, d[i].pull);
    reverse_attract(at, b, d);
    for (int i = 0; i < N; i++) {
        d[i].speed = plus(STEP, d[i].at, d[i].speed);
        d[i].pull = plus(STEP / 2, d[i].speed, (vec3){0, 0, 0});
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    body *b = malloc(N * sizeof *b), *d = calloc(N, sizeof *d);
    vec3 *at = malloc((STEPS + 1) * N * sizeof *at);
    real sum = 0;
    (void)n;
    begin(x, b);
    keep(b, at);
    attract(b);
    for (int t = 0; t < STEPS; t++) {
        move(b);
        keep(b, at + (size_t)(t + 1) * N);
    }
    for (int i = 0; i < N; i++) {
        sum += b[i].mass * dot(b[i].speed, b[i].speed) + R(0.01) * dot(b[i].at, b[i].at);
        d[i].speed = plus(2 * b[i].mass, b[i].speed, d[i].speed);
        d[i].at = plus(R(0.02), b[i].at, d[i].at);
        d[i].mass = dot(b[i].speed, b[i].speed);
    }
    for (int t = STEPS; t > 0; t--)
        reverse_move(at + (size_t)t * N, b, d);
    reverse_attract(at, b, d);
    for (int i = 0; i < N; i++) {
        gradient[4 * i] = 10 * d[i].at.x;
        gradient[4 * i + 1] = 10 * d[i].at.y;
        gradient[4 * i + 2] = 10 * d[i].at.z;
        gradient[4 * i + 3] = d[i].mass;
    }
    free(b), free(d), free(at);
    return sum;
}
