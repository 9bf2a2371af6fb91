/* Keeps the input, the gates, c and h of each step. */
#include "bench/array/lstm.c"
#include "bench/array/hand/hand.h"

typedef struct moment {
    real in[IN], gate[4 * H], c[H], h[H];
} moment;

/* dz: adjoint of what goes into the gates' functions; dc: of c before the step. */
static void reverse_gates(const moment *now, const real *restrict before, const real *restrict dh, real *restrict dc,
                          real *restrict dz) {
    const real *forget = now->gate, *in = forget + H, *out = in + H, *fresh = out + H;
    for (int i = 0; i < H; i++) {
        real bent = tanh(now->c[i]), d = dc[i] + dh[i] * out[i] * (1 - bent * bent);
        dz[i] = d * before[i] * forget[i] * (1 - forget[i]);
        dz[H + i] = d * fresh[i] * in[i] * (1 - in[i]);
        dz[2 * H + i] = dh[i] * bent * out[i] * (1 - out[i]);
        dz[3 * H + i] = d * in[i] * (1 - fresh[i] * fresh[i]);
        dc[i] = d * forget[i];
    }
}

static NOINLINE void reverse_product(real (*restrict w)[IN], real (*restrict dw)[IN], const real *restrict in,
                                     const real *restrict dz, real *restrict dh) {
    for (int i = 0; i < 4 * H; i++) {
        add_scaled(dz[i], in, dw[i], IN);
        add_scaled(dz[i], w[i] + H, dh, H);
    }
}

static real forward(const real *w, moment *m) {
    real sum = 0;
    for (int t = 0; t < T; t++, m++) {
        for (int i = 0; i < H; i++) {
            m->in[i] = input(t, i);
            m->in[H + i] = t > 0 ? m[-1].h[i] : 0;
            m->c[i] = t > 0 ? m[-1].c[i] : 0;
        }
        step((void *)w, m->in, m->gate, m->c, m->h);
        for (int i = 0; i < H; i++)
            sum += m->h[i] * m->h[i] * ((t + i) % 3);
    }
    return sum;
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    static const real none[H];
    real *w = reals(WEIGHTS), *dw = zeros(WEIGHTS), dh[H] = {0}, dc[H] = {0}, dz[4 * H];
    moment *m = malloc(T * sizeof *m);
    fill(x, w);
    double value = forward(w, m);
    for (int t = T - 1; t >= 0; t--) {
        for (int i = 0; i < H; i++)
            dh[i] += 2 * m[t].h[i] * ((t + i) % 3);
        reverse_gates(&m[t], t > 0 ? m[t - 1].c : none, dh, dc, dz);
        memset(dh, 0, sizeof dh);
        reverse_product((void *)w, (void *)dw, m[t].in, dz, dh);
    }
    for (size_t i = 0; i < n; i++)
        gradient[i] = dw[i] * factor((int)i);
    free(w), free(dw), free(m);
    return value;
}
