/* Reverses each observation right after its forward run, so nothing is kept. */
#include "bench/array/bundle.c"
#include "bench/array/hand/hand.h"

/* Intermediate results of rotate. */
typedef struct turned {
    real angle, c, s, cosine, axis[3], side[3];
} turned;

static inline turned rotate_and_keep(const real *turn, const real *v, real *out) {
    turned k = {.angle = sqrt(inner(turn, turn))};
    k.c = cos(k.angle);
    k.s = sin(k.angle);
    for (int i = 0; i < 3; i++)
        k.axis[i] = turn[i] / k.angle;
    cross(k.axis, v, k.side);
    k.cosine = inner(k.axis, v);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] * k.c + k.side[i] * k.s + k.axis[i] * (k.cosine * (1 - k.c));
    return k;
}

/* d: adjoint of the rotated vector; adds to dturn, and sets dv. side is axis x v: its adjoint gives v x d to the axis,
 * d x axis to v. */
static inline void reverse_rotate(const turned *k, const real *v, const real *d, real *dturn, real *dv) {
    real a[3], b[3], daxis[3], dalong = inner(k->axis, d), dcosine = dalong * (1 - k->c);
    real dangle = inner(k->side, d) * k->c - k->s * (inner(v, d) - k->cosine * dalong);
    cross(v, d, a);
    cross(d, k->axis, b);
    for (int i = 0; i < 3; i++) {
        dv[i] = k->c * d[i] + k->s * b[i] + dcosine * k->axis[i];
        daxis[i] = k->s * a[i] + k->cosine * (1 - k->c) * d[i] + dcosine * v[i];
    }
    real straight = inner(daxis, k->axis), by = 1 / k->angle;
    for (int i = 0; i < 3; i++)
        dturn[i] += dangle * k->axis[i] + (daxis[i] - straight * k->axis[i]) * by;
}

static inline real reverse(const camera *c, const real *p, const real *at, camera *dc, real *dp) {
    real v[3], w[3], dv[3], e[2], du[2], error = 0, dbend = 0;
    for (int i = 0; i < 3; i++)
        v[i] = p[i] - c->centre[i];
    turned k = rotate_and_keep(c->turn, v, w);
    real by = 1 / w[2], u[2] = {w[0] * by, w[1] * by}, r2 = u[0] * u[0] + u[1] * u[1];
    real bend = 1 + c->distortion[0] * r2 + c->distortion[1] * r2 * r2;
    for (int i = 0; i < 2; i++) {
        e[i] = u[i] * bend * c->focal + c->principal[i] - at[i];
        error += e[i] * e[i];
        dc->principal[i] += 2 * e[i];
        dc->focal += 2 * e[i] * u[i] * bend;
        dbend += 2 * e[i] * u[i] * c->focal;
        du[i] = 2 * e[i] * bend * c->focal;
    }
    dc->distortion[0] += dbend * r2;
    dc->distortion[1] += dbend * r2 * r2;
    real dr2 = 2 * dbend * (c->distortion[0] + 2 * c->distortion[1] * r2);
    du[0] += dr2 * u[0];
    du[1] += dr2 * u[1];
    real d[3] = {du[0] * by, du[1] * by, -(du[0] * u[0] + du[1] * u[1]) * by};
    reverse_rotate(&k, v, d, dc->turn, dv);
    for (int i = 0; i < 3; i++) {
        dp[i] += dv[i];
        dc->centre[i] -= dv[i];
    }
    return error;
}

static void finish(const camera *d, double *g) {
    static const double scale[PARAMETERS] = {0.2, -0.3, 0.4, 1, -1, -4, 2, 0.1, 0.1, 0.1, 0.01};
    const real all[PARAMETERS] = {d->turn[0],      d->turn[1],       d->turn[2],      d->centre[0],
                                  d->centre[1],    d->centre[2],     d->focal,        d->principal[0],
                                  d->principal[1], d->distortion[0], d->distortion[1]};
    for (int i = 0; i < PARAMETERS; i++)
        g[i] = scale[i] * all[i];
}

static NOINLINE real both(const camera *c, real (*p)[3], const observation *o, camera *dc, real (*dp)[3]) {
    real sum = 0;
    for (int i = 0; i < OBSERVATIONS; i++)
        sum += reverse(&c[o[i].camera], p[o[i].point], o[i].at, &dc[o[i].camera], dp[o[i].point]);
    return sum;
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    camera *c = malloc(CAMERAS * sizeof *c), *dc = calloc(CAMERAS, sizeof *dc);
    real(*p)[3] = malloc(POINTS * sizeof *p), (*dp)[3] = calloc(POINTS, sizeof *dp);
    observation *o = malloc(OBSERVATIONS * sizeof *o);
    (void)n;
    fill(x, c, p, o);
    double value = both(c, p, o, dc, dp);
    for (int i = 0; i < CAMERAS; i++)
        finish(&dc[i], gradient + i * PARAMETERS);
    for (int i = 0; i < 3 * POINTS; i++)
        gradient[CAMERAS * PARAMETERS + i] = dp[i / 3][i % 3];
    free(c), free(dc), free(p), free(dp), free(o);
    return value;
}
