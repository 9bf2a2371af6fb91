/* Keeps the positions and the cell list of each step. */
#include "bench/array/particles.c"
#include "bench/array/hand/hand.h"

static void reverse_row(const particle *p, const particle *df, particle *restrict dp, const cells *c, int64_t i,
                        int64_t from, int64_t to) {
    particle sum = {0, 0}, at = p[i], g = df[i];
    for (int64_t k = from; k < to; k++) {
        int64_t j = c->list[k];
        real dx = at.x - p[j].x, dy = at.y - p[j].y, r2 = dx * dx + dy * dy;
        if (j != i && r2 < CUT * CUT) {
            real w = STIFF * (1 - r2 / (CUT * CUT)), dw = -2 * STIFF / (CUT * CUT) * (g.x * dx + g.y * dy);
            real gx = w * g.x + dw * dx, gy = w * g.y + dw * dy;
            sum.x += gx, sum.y += gy;
            dp[j].x -= gx, dp[j].y -= gy;
        }
    }
    dp[i].x += sum.x, dp[i].y += sum.y;
}

static NOINLINE void reverse(const particle *p, const particle *df, particle *dp, const cells *c) {
    FOR_NEIGHBOURS(reverse_row(p, df, dp, c, i, from, to))
}

static void reverse_move(const particle *dp, particle *dv, particle *df) {
    for (int i = 0; i < P; i++) {
        dv[i].x += DT * dp[i].x;
        dv[i].y += DT * dp[i].y;
        df[i] = (particle){DT * dv[i].x, DT * dv[i].y};
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    particle *p = malloc((STEPS + 1) * P * sizeof *p), *v = malloc(P * sizeof *v), *f = malloc(P * sizeof *f),
             *d = malloc(P * sizeof *d), *last = p + STEPS * P;
    cells *c = malloc(STEPS * sizeof *c);
    fill(x, p, v);
    for (int t = 0; t < STEPS; t++) {
        sort(p + t * P, c + t);
        push(p + t * P, f, c + t);
        memcpy(p + (t + 1) * P, p + t * P, P * sizeof *p);
        move(p + (t + 1) * P, v, f);
    }
    double value = spread(last);
    for (int i = 0; i < P; i++)
        d[i] = (particle){2 * last[i].x * (i % 3) + last[i].y, last[i].x};
    memset(v, 0, P * sizeof *v);
    for (int t = STEPS - 1; t >= 0; t--) {
        reverse_move(d, v, f);
        reverse(p + t * P, f, d, c + t);
    }
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < P; i++) {
        gradient[i] += 2 * d[i].x;
        gradient[P + (i * 7) % P] += d[i].y;
    }
    free(p), free(v), free(f), free(d), free(c);
    return value;
}
