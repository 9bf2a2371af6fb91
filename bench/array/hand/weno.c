/* Keeps what each rate is computed from. What the adjoint of a flux adds to its five neighbours goes to five arrays,
 * from which each point gathers, so that both loops are vectorised. */
#include "bench/array/weno.c"
#include "bench/array/hand/hand.h"

typedef struct spread {
    real of[5][N + 9]; /* to each neighbour, from flux i at i + 4; zeros beside them */
} spread;

static void reverse_fluxes(const real *restrict u, const real *restrict df, spread *restrict s) {
    for (int i = 0; i <= N; i++) {
        const real *at = u + i + GHOSTS - 1;
        real a = at[-2], b = at[-1], c = at[0], d = at[1], e = at[2];
        real p0 = (2 * a - 7 * b + 11 * c) / 6, p1 = (-b + 5 * c + 2 * d) / 6, p2 = (2 * c + 5 * d - e) / 6;
        real s0 = a - 2 * b + c, t0 = a - 4 * b + 3 * c, s1 = b - 2 * c + d, t1 = b - d, s2 = c - 2 * d + e,
             t2 = 3 * c - 4 * d + e;
        real i0 = 1 / (R(13) / 12 * s0 * s0 + R(0.25) * t0 * t0 + LITTLE);
        real i1 = 1 / (R(13) / 12 * s1 * s1 + R(0.25) * t1 * t1 + LITTLE);
        real i2 = 1 / (R(13) / 12 * s2 * s2 + R(0.25) * t2 * t2 + LITTLE);
        real w0 = R(0.1) * i0 * i0, w1 = R(0.6) * i1 * i1, w2 = R(0.3) * i2 * i2, by = 1 / (w0 + w1 + w2);
        real q = (w0 * p0 + w1 * p1 + w2 * p2) * by, g = q * df[i] * by;
        real d0 = g * (p0 - q) * -2 * w0 * i0, d1 = g * (p1 - q) * -2 * w1 * i1, d2 = g * (p2 - q) * -2 * w2 * i2;
        real ds0 = R(13) / 6 * s0 * d0, dt0 = R(0.5) * t0 * d0, ds1 = R(13) / 6 * s1 * d1, dt1 = R(0.5) * t1 * d1,
             ds2 = R(13) / 6 * s2 * d2, dt2 = R(0.5) * t2 * d2;
        w0 *= g / 6, w1 *= g / 6, w2 *= g / 6;
        s->of[0][i + 4] = 2 * w0 + ds0 + dt0;
        s->of[1][i + 4] = -7 * w0 - w1 - 2 * ds0 - 4 * dt0 + ds1 + dt1;
        s->of[2][i + 4] = 11 * w0 + 5 * w1 + 2 * w2 + ds0 + 3 * dt0 - 2 * ds1 + ds2 + 3 * dt2;
        s->of[3][i + 4] = 2 * w1 + 5 * w2 + ds1 - dt1 - 2 * ds2 - 4 * dt2;
        s->of[4][i + 4] = -w2 + ds2 + dt2;
    }
}

/* Adds to the adjoint of u what that of its rate, k, hands on. */
static void reverse_rate(const real *u, const real *dk, real *df, spread *s, real *du) {
    df[0] = dk[0] / WIDTH;
    for (int i = 1; i < N; i++)
        df[i] = (dk[i] - dk[i - 1]) / WIDTH;
    df[N] = -dk[N - 1] / WIDTH;
    reverse_fluxes(u, df, s);
    for (int j = 0; j < N + 5; j++) /* u[j] is neighbour m of flux j - m */
        du[j] += s->of[0][j + 4] + s->of[1][j + 3] + s->of[2][j + 2] + s->of[3][j + 1] + s->of[4][j];
    for (int g = 0; g < GHOSTS; g++) {
        du[N + g] += du[g];
        du[GHOSTS + g] += du[N + GHOSTS + g];
        du[g] = du[N + GHOSTS + g] = 0;
    }
}

static void reverse_step(const real *kept, real *df, real *dk, spread *s, real *dv, real *du) {
    memset(dv, 0, ROOM * sizeof *dv);
    for (int i = GHOSTS; i < N + GHOSTS; i++) {
        dv[i] = R(2) / 3 * du[i];
        dk[i - GHOSTS] = R(2) / 3 * STEP * du[i];
        du[i] /= 3;
    }
    reverse_rate(kept + (size_t)2 * ROOM, dk, df, s, dv);
    for (int i = GHOSTS; i < N + GHOSTS; i++) {
        du[i] += R(0.75) * dv[i];
        dk[i - GHOSTS] = R(0.25) * STEP * dv[i];
        dv[i] *= R(0.25);
    }
    reverse_rate(kept + ROOM, dk, df, s, dv);
    for (int i = GHOSTS; i < N + GHOSTS; i++) {
        du[i] += dv[i];
        dk[i - GHOSTS] = STEP * dv[i];
    }
    reverse_rate(kept, dk, df, s, du);
}

static void keep_step(real *u, real *v, real *flux, real *k, real *kept) {
    rate(u, flux, k);
    memcpy(kept, u, ROOM * sizeof *u);
    for (int i = 0; i < N; i++)
        v[GHOSTS + i] = u[GHOSTS + i] + STEP * k[i];
    rate(v, flux, k);
    memcpy(kept + ROOM, v, ROOM * sizeof *u);
    for (int i = 0; i < N; i++)
        v[GHOSTS + i] = R(0.75) * u[GHOSTS + i] + R(0.25) * (v[GHOSTS + i] + STEP * k[i]);
    rate(v, flux, k);
    memcpy(kept + (size_t)2 * ROOM, v, ROOM * sizeof *u);
    for (int i = 0; i < N; i++)
        u[GHOSTS + i] = u[GHOSTS + i] / 3 + R(2) / 3 * (v[GHOSTS + i] + STEP * k[i]);
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *u = zeros(ROOM), *v = zeros(ROOM), *flux = reals(N + 1), *k = reals(N), *du = zeros(ROOM), *dv = zeros(ROOM),
         *kept = reals((size_t)3 * STEPS * ROOM), sum = 0;
    spread *s = calloc(1, sizeof *s);
    (void)n;
    for (int i = 0; i < N; i++)
        u[GHOSTS + i] = R(0.5) + R(0.2) * R(x[i]);
    for (int t = 0; t < STEPS; t++)
        keep_step(u, v, flux, k, kept + (size_t)3 * t * ROOM);
    for (int i = 0; i < N; i++) {
        sum += u[GHOSTS + i] * u[GHOSTS + i] * (i % 3);
        du[GHOSTS + i] = 2 * u[GHOSTS + i] * (i % 3);
    }
    for (int t = STEPS - 1; t >= 0; t--)
        reverse_step(kept + (size_t)3 * t * ROOM, flux, k, s, dv, du);
    for (int i = 0; i < N; i++)
        gradient[i] = R(0.2) * du[GHOSTS + i];
    free(u), free(v), free(flux), free(k), free(du), free(dv), free(kept), free(s);
    return sum;
}
