/* Positions before each step are kept, and distances computed again. */
#include "bench/array/lennard.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(const vec *restrict p, const list *restrict lists, const vec *restrict df,
                             vec *restrict dp) {
    for (int i = 0; i < ATOMS; i++)
        for (int k = 0; k < lists[i].count; k++) {
            int j = lists[i].of[k];
            real dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
            real r2 = dx * dx + dy * dy + dz * dz;
            if (r2 > R(3.6))
                continue;
            real s = 1 / r2, s3 = s * s * s, g = 24 * s * s3 * (2 * s3 - 1);
            real ax = df[i].x - df[j].x, ay = df[i].y - df[j].y, az = df[i].z - df[j].z;
            real dg = ax * dx + ay * dy + az * dz, ds = dg * 24 * s3 * (14 * s3 - 4), dr2 = -ds * s * s;
            real ex = g * ax + 2 * dr2 * dx, ey = g * ay + 2 * dr2 * dy, ez = g * az + 2 * dr2 * dz;
            dp[i].x += ex, dp[i].y += ey, dp[i].z += ez;
            dp[j].x -= ex, dp[j].y -= ey, dp[j].z -= ez;
        }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    static list lists[ATOMS];
    vec *p = malloc((STEPS + 1) * ATOMS * sizeof *p), *f = malloc(ATOMS * sizeof *f), *dp = malloc(ATOMS * sizeof *f);
    real sum = 0;
    (void)n;
    place(x, p);
    find_neighbours(p, lists);
    for (int t = 0; t < STEPS; t++) {
        vec *at = p + t * ATOMS, *to = at + ATOMS;
        forces(at, lists, f);
        memcpy(to, at, ATOMS * sizeof *at);
        move(to, f);
    }
    vec *last = p + STEPS * ATOMS;
    for (int i = 0; i < ATOMS; i++) {
        sum += last[i].x * (i % 3) + last[i].y * last[i].z;
        dp[i] = (vec){i % 3, last[i].z, last[i].y};
    }
    for (int t = STEPS; t-- > 0;) {
        for (int i = 0; i < ATOMS; i++)
            f[i] = (vec){R(1e-4) * dp[i].x, R(1e-4) * dp[i].y, R(1e-4) * dp[i].z};
        reverse(p + t * ATOMS, lists, f, dp);
    }
    for (int i = 0; i < ATOMS; i++) {
        gradient[3 * i] = R(0.1) * dp[i].x;
        gradient[3 * i + 1] = R(0.1) * dp[i].y;
        gradient[3 * i + 2] = R(0.1) * dp[i].z;
    }
    free(p), free(f), free(dp);
    return sum;
}
