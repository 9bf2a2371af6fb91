/* A small GPT-2: embedding, layers of causal attention and perceptrons with layer norms and GELU, and the cross entropy
 * of the next token. The token embedding is also the last matrix. Every number of the model is an input. */
#include "bench/array/kernel.h"

enum { T = 64, V = 128, C = 64, HEADS = 4, SIZE = C / HEADS, LAYERS = 2 };

typedef struct norm {
    real w[C], b[C];
} norm;

typedef struct layer {
    norm before, between;
    real qkv[3 * C][C], qkv_bias[3 * C], joined[C][C], joined_bias[C];
    real wide[4 * C][C], wide_bias[4 * C], narrow[C][4 * C], narrow_bias[C];
} layer;

typedef struct model {
    real tokens[V][C], places[T][C];
    layer layers[LAYERS];
    norm last;
} model;

const size_t kernel_inputs = sizeof(model) / sizeof(real);

typedef struct normed {
    real out[T][C], mean[T], scale[T];
} normed;

typedef struct block {
    normed before, between;
    real qkv[T][3 * C], attention[HEADS][T][T], heads[T][C], joined[T][C], middle[T][C];
    real wide[T][4 * C], bent[T][4 * C], narrow[T][C], out[T][C];
} block;

typedef struct run {
    real in[T][C];
    block blocks[LAYERS];
    normed last;
    real chances[T][V];
} run;

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

static int token(int t) {
    return (t * 37 + t * t) % V;
}

static void fill(const double *x, model *m) {
    real *all = (real *)m;
    for (size_t i = 0; i < kernel_inputs; i++)
        all[i] = R(0.4) * (R(x[i]) - R(0.75));
    for (int i = 0; i < C; i++) {
        for (int l = 0; l < LAYERS; l++) {
            m->layers[l].before.w[i] += 1;
            m->layers[l].between.w[i] += 1;
        }
        m->last.w[i] += 1;
    }
}

static NOINLINE void embed(const model *m, real (*out)[C]) {
    for (int t = 0; t < T; t++)
        for (int i = 0; i < C; i++)
            out[t][i] = m->tokens[token(t)][i] + m->places[t][i];
}

static NOINLINE void normalise(const norm *n, real (*in)[C], normed *out) {
    for (int t = 0; t < T; t++) {
        real mean = 0, variance = 0;
        for (int i = 0; i < C; i++)
            mean += in[t][i];
        mean /= C;
        for (int i = 0; i < C; i++)
            variance += (in[t][i] - mean) * (in[t][i] - mean);
        real scale = 1 / sqrt(variance / C + R(1e-5));
        for (int i = 0; i < C; i++)
            out->out[t][i] = (in[t][i] - mean) * scale * n->w[i] + n->b[i];
        out->mean[t] = mean;
        out->scale[t] = scale;
    }
}

/* Rows of `out` are the matrix w (outs by ins) times rows of `in`, and bias, which may be NULL. */
static NOINLINE void multiply(real *out, const real *in, const real *w, const real *bias, int ins, int outs) {
    for (int t = 0; t < T; t++)
        for (int o = 0; o < outs; o++) {
            real sum = bias ? bias[o] : 0;
            for (int i = 0; i < ins; i++)
                sum += in[t * ins + i] * w[o * ins + i];
            out[t * outs + o] = sum;
        }
}

static inline void softmax(real *p, int count) {
    real most = p[0], sum = 0;
    for (int i = 1; i < count; i++)
        most = p[i] > most ? p[i] : most;
    for (int i = 0; i < count; i++) {
        p[i] = exp(p[i] - most);
        sum += p[i];
    }
    for (int i = 0; i < count; i++)
        p[i] /= sum;
}

static void attend_one(real (*qkv)[3 * C], real *p, real *out, int t, int from) {
    for (int u = 0; u <= t; u++) {
        real sum = 0;
        for (int i = 0; i < SIZE; i++)
            sum += qkv[t][from + i] * qkv[u][C + from + i];
        p[u] = sum * R(0.25);
    }
    softmax(p, t + 1);
    for (int i = 0; i < SIZE; i++)
        out[from + i] = 0;
    for (int u = 0; u <= t; u++)
        for (int i = 0; i < SIZE; i++)
            out[from + i] += p[u] * qkv[u][2 * C + from + i];
}

static NOINLINE void attend(real (*qkv)[3 * C], real (*p)[T][T], real (*out)[C]) {
    for (int h = 0; h < HEADS; h++)
        for (int t = 0; t < T; t++)
            attend_one(qkv, p[h][t], out[t], t, h * SIZE);
}

static NOINLINE void gelu(const real *in, real *out, int count) {
    for (int i = 0; i < count; i++) {
        real z = in[i];
        out[i] = R(0.5) * z * (1 + tanh(R(0.7978845608) * (z + R(0.044715) * z * z * z)));
    }
}

static void add(const real *a, const real *b, real *out) {
    for (int i = 0; i < T * C; i++)
        out[i] = a[i] + b[i];
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static void run_layer(const layer *l, real (*in)[C], block *b) {
    normalise(&l->before, in, &b->before);
    multiply(b->qkv[0], b->before.out[0], l->qkv[0], l->qkv_bias, C, 3 * C);
    attend(b->qkv, b->attention, b->heads);
    multiply(b->joined[0], b->heads[0], l->joined[0], l->joined_bias, C, C);
    add(in[0], b->joined[0], b->middle[0]);
    normalise(&l->between, b->middle, &b->between);
    multiply(b->wide[0], b->between.out[0], l->wide[0], l->wide_bias, C, 4 * C);
    gelu(b->wide[0], b->bent[0], T * 4 * C);
    multiply(b->narrow[0], b->bent[0], l->narrow[0], l->narrow_bias, 4 * C, C);
    add(b->middle[0], b->narrow[0], b->out[0]);
}

static real loss(const model *m, run *r) {
    real sum = 0;
    real(*at)[C] = r->in;
    embed(m, r->in);
    for (int l = 0; l < LAYERS; l++) {
        run_layer(&m->layers[l], at, &r->blocks[l]);
        at = r->blocks[l].out;
    }
    normalise(&m->last, at, &r->last);
    multiply(r->chances[0], r->last.out[0], m->tokens[0], NULL, C, V);
    for (int t = 0; t < T; t++) {
        softmax(r->chances[t], V);
        sum -= log(r->chances[t][token(t + 1)]);
    }
    return sum / T;
}

double kernel(const double *x, size_t n) {
    model *m = malloc(sizeof *m);
    run *r = malloc(sizeof *r);
    (void)n;
    fill(x, m);
    double value = loss(m, r);
    free(m);
    free(r);
    return value;
}
