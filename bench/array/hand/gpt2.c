/* The backward pass as in hand-written trainers: it uses only what the forward pass leaves in memory. */
#include "bench/array/gpt2.c"
#include "bench/array/hand/hand.h"

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

/* Adds to din, dw and dbias. */
static NOINLINE void reverse_multiply(const real *restrict dout, const real *restrict in, const real *restrict w,
                                      real *restrict din, real *restrict dw, real *restrict dbias, int ins, int outs) {
    for (int t = 0; t < T; t++)
        for (int o = 0; o < outs; o++)
            add_scaled(dout[t * outs + o], w + o * ins, din + t * ins, ins);
    for (int o = 0; o < outs; o++)
        for (int t = 0; t < T; t++) {
            add_scaled(dout[t * outs + o], in + t * ins, dw + o * ins, ins);
            if (dbias)
                dbias[o] += dout[t * outs + o];
        }
}

static NOINLINE void reverse_norm(const norm *n, real (*restrict in)[C], const normed *restrict out,
                                  real (*restrict d)[C], real (*restrict din)[C], norm *restrict dn) {
    for (int t = 0; t < T; t++) {
        real unit[C], g[C], scale = out->scale[t], mean = out->mean[t];
        for (int i = 0; i < C; i++) {
            unit[i] = (in[t][i] - mean) * scale;
            g[i] = d[t][i] * n->w[i];
            dn->w[i] += d[t][i] * unit[i];
            dn->b[i] += d[t][i];
        }
        real level = total(g, C) / C, slope = inner_product(g, unit, C) / C;
        for (int i = 0; i < C; i++)
            din[t][i] += scale * (g[i] - level - slope * unit[i]);
    }
}

static void reverse_attend_one(real (*restrict qkv)[3 * C], const real *restrict p, const real *restrict d,
                               real (*restrict dqkv)[3 * C], int t, int from) {
    real dp[T], mean = 0;
    for (int u = 0; u <= t; u++) {
        dp[u] = inner_product(qkv[u] + 2 * C + from, d + from, SIZE);
        mean += p[u] * dp[u];
        add_scaled(p[u], d + from, dqkv[u] + 2 * C + from, SIZE);
    }
    for (int u = 0; u <= t; u++) {
        real g = p[u] * (dp[u] - mean) * R(0.25);
        add_scaled(g, qkv[u] + C + from, dqkv[t] + from, SIZE);
        add_scaled(g, qkv[t] + from, dqkv[u] + C + from, SIZE);
    }
}

static NOINLINE void reverse_attend(real (*qkv)[3 * C], real (*p)[T][T], real (*d)[C], real (*dqkv)[3 * C]) {
    for (int h = 0; h < HEADS; h++)
        for (int t = 0; t < T; t++)
            reverse_attend_one(qkv, p[h][t], d[t], dqkv, t, h * SIZE);
}

/* d: on entry the adjoint of the output of GELU, on return that of its input. */
static NOINLINE void reverse_gelu(const real *restrict in, real *restrict d, int count) {
    for (int i = 0; i < count; i++) {
        real z = in[i], b = tanh(R(0.7978845608) * (z + R(0.044715) * z * z * z));
        d[i] *= R(0.5) * (1 + b) + R(0.5) * z * (1 - b * b) * R(0.7978845608) * (1 + 3 * R(0.044715) * z * z);
    }
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

typedef struct adjoints {
    real wide[T][4 * C], qkv[T][3 * C], row[T][C];
} adjoints;

static real *cleared(void *numbers, size_t size) {
    return memset(numbers, 0, size);
}

/* d: adjoint of the layer's output, then of its input. */
static void reverse_layer(const layer *l, real (*in)[C], block *b, real (*d)[C], layer *dl, adjoints *a) {
    real *wide = cleared(a->wide, sizeof a->wide);
    reverse_multiply(d[0], b->bent[0], l->narrow[0], wide, dl->narrow[0], dl->narrow_bias, 4 * C, C);
    reverse_gelu(b->wide[0], wide, T * 4 * C);
    real *row = cleared(a->row, sizeof a->row);
    reverse_multiply(wide, b->between.out[0], l->wide[0], row, dl->wide[0], dl->wide_bias, C, 4 * C);
    reverse_norm(&l->between, b->middle, &b->between, a->row, d, &dl->between);
    cleared(a->row, sizeof a->row);
    reverse_multiply(d[0], b->heads[0], l->joined[0], row, dl->joined[0], dl->joined_bias, C, C);
    real *qkv = cleared(a->qkv, sizeof a->qkv);
    reverse_attend(b->qkv, b->attention, a->row, a->qkv);
    cleared(a->row, sizeof a->row);
    reverse_multiply(qkv, b->before.out[0], l->qkv[0], row, dl->qkv[0], dl->qkv_bias, C, 3 * C);
    reverse_norm(&l->before, in, &b->before, a->row, d, &dl->before);
}

static void reverse(const model *m, run *r, model *dm, real (*d)[C], adjoints *a) {
    for (int t = 0; t < T; t++)
        for (int v = 0; v < V; v++)
            r->chances[t][v] = (r->chances[t][v] - (v == token(t + 1))) / T;
    real *row = cleared(a->row, sizeof a->row);
    reverse_multiply(r->chances[0], r->last.out[0], m->tokens[0], row, dm->tokens[0], NULL, C, V);
    reverse_norm(&m->last, r->blocks[LAYERS - 1].out, &r->last, a->row, d, &dm->last);
    for (int l = LAYERS - 1; l >= 0; l--)
        reverse_layer(&m->layers[l], l > 0 ? r->blocks[l - 1].out : r->in, &r->blocks[l], d, &dm->layers[l], a);
    for (int t = 0; t < T; t++)
        for (int i = 0; i < C; i++) {
            dm->tokens[token(t)][i] += d[t][i];
            dm->places[t][i] += d[t][i];
        }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    model *m = malloc(sizeof *m), *dm = calloc(1, sizeof *dm);
    run *r = malloc(sizeof *r);
    adjoints *a = malloc(sizeof *a);
    real(*d)[C] = calloc(T, sizeof *d), *all = (real *)dm;
    fill(x, m);
    double value = loss(m, r);
    reverse(m, r, dm, d, a);
    for (size_t i = 0; i < n; i++)
        gradient[i] = R(0.4) * all[i];
    free(m), free(dm), free(r), free(a), free(d);
    return value;
}
