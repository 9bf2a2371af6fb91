/* The programs whose budgets memory.c tests: those of the benchmark, and programs whose memory is special. Included by
 * memory.c only. */
#ifndef TESTS_NATIVE_MEMORY_KERNELS_H
#define TESTS_NATIVE_MEMORY_KERNELS_H

#include "bench/native/kernels.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef double (*kernel_function)(const double *x, int n, int t);

typedef struct kernel {
    const char *name;
    kernel_function f;
    int n, t; /* a recording of some hundred megabytes */
} kernel;

/* ---- Programs whose memory is special ---- */

#ifdef FLOATS
/* A field of floats: a float has a cell of eight bytes. */
static double floats(const double *x, int n, int t) {
    float *u = malloc((size_t)n * sizeof *u), *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        u[i] = (float)x[i % 16];
    for (int k = 0; k < t; k++) {
        for (int i = 0; i < n; i++)
            v[i] = 0.5f * (u[i] + u[(i + 1) % n] * u[(i + 7) % n]);
        float *swap = u;
        u = v;
        v = swap;
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += u[i];
    free(u);
    free(v);
    return sum;
}
#endif

#ifdef FLOATS
/* Floats and doubles side by side in one array, which is copied: its pages have cells of both types. */
static double mixed(const double *x, int n, int t) {
    struct particle {
        float position, speed;
        double mass;
    } *now = malloc((size_t)n * sizeof *now), *next = malloc((size_t)n * sizeof *next);
    double sum = 0;
    for (int i = 0; i < n; i++)
        now[i] = (struct particle){(float)x[i % 16], (float)x[i % 5], 1 + x[i % 11]};
    for (int k = 0; k < t; k++) {
        for (int i = 0; i < n; i++) {
            const struct particle *beside = &now[(i + 1) % n];
            next[i].speed = now[i].speed + 0.01f * (beside->position - now[i].position);
            next[i].position = now[i].position + 0.01f * now[i].speed;
            next[i].mass = now[i].mass * (1 - 0.01 * beside->mass * now[i].position);
        }
        memcpy(now, next, (size_t)n * sizeof *now);
    }
    for (int i = 0; i < n; i++)
        sum += now[i].position * now[i].mass;
    free(now);
    free(next);
    return sum;
}
#endif

/* A large table that was there before, and is only read: every number of it gets a cell. */
static double *numbers_read;
enum { NUMBERS_READ = 1500000 };

static double table(const double *x, int n, int t) {
    double sum = 0;
    for (int k = 0; k < t; k++)
        for (int i = 0; i < NUMBERS_READ; i++)
            sum += numbers_read[i] * x[(i + k) % n] / (1 + sum * sum);
    return sum;
}

/* Memory that grows all along the run, in blocks that are kept. */
static double growing(const double *x, int n, int t) {
    struct block {
        struct block *before;
        double values[1000];
    } *last = NULL;
    double sum = 1;
    for (int k = 0; k < t; k++) {
        struct block *block = malloc(sizeof *block);
        block->before = last;
        for (int i = 0; i < 1000; i++)
            block->values[i] = sum = sum * 0.999 + x[i % n] * (last ? last->values[999 - i] : 1e-3);
        last = block;
    }
    for (struct block *before; last; last = before) {
        sum += last->values[sum > 0 ? 7 : 3];
        before = last->before;
        free(last);
    }
    return sum;
}

/* Numbers in the frames of a deep recursion. */
static double deep(const double *x, int n, int t) {
    double local[8], sum = 0;
    for (int i = 0; i < 8; i++)
        local[i] = x[(t + i) % n] * (1 + i * 0.01);
    double inner = t > 0 ? deep(x, n, t - 1) : 1;
    for (int i = 0; i < 8; i++)
        sum += local[i] * inner / (1 + inner * inner);
    return sum;
}

/* A linked list that is walked in every step. */
static double list(const double *x, int n, int t) {
    struct node {
        double h, u;
        struct node *next;
    } *first = NULL;
    int count = 1000 * n;
    for (int i = 0; i < count; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){1 + 0.1 * x[i % n], 0.05 * x[(i * 7) % n], first};
        first = node;
    }
    for (int k = 0; k < t; k++)
        for (struct node *a = first; a; a = a->next) {
            const struct node *b = a->next ? a->next : first;
            a->u += 0.01 * tanh(a->u) * cos(b->u) + 0.001 * (b->h - a->h);
            a->h -= 0.01 * (a->h - 1) * a->h + 0.001 * a->u;
        }
    double sum = 0;
    for (struct node *next; first; first = next) {
        sum += first->h * first->u;
        next = first->next;
        free(first);
    }
    return sum;
}

/* A binary tree, built by insertion and folded again and again. */
struct tree {
    double key, weight;
    struct tree *left, *right;
};

static double fold(struct tree *tree, double above) {
    if (!tree)
        return above;
    tree->weight = 0.5 * (sin(tree->weight) + above);
    return 0.5 * (fold(tree->left, tree->weight) + fold(tree->right, tree->weight * tree->key));
}

static double tree(const double *x, int n, int t) {
    struct tree *root = NULL, *nodes = malloc(20000 * sizeof *nodes);
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        nodes[i] = (struct tree){(double)(random >> 11) * 0x1p-53, x[i % n], NULL, NULL};
        struct tree **at = &root;
        while (*at)
            at = nodes[i].key < (*at)->key ? &(*at)->left : &(*at)->right;
        *at = &nodes[i];
    }
    double sum = 0;
    for (int k = 0; k < t; k++)
        sum += fold(root, x[k % n]);
    free(nodes);
    return sum;
}

#ifdef FLOATS
/* A network of floats: weights that were there before, activations and a loss; its gradient is that of the inputs. */
enum { WIDTH = 512, LAYERS = 8, BATCH = 24 };
static float *weights; /* LAYERS * WIDTH * WIDTH */

static double network(const double *x, int n, int t) {
    float *a = malloc(BATCH * WIDTH * sizeof *a), *b = malloc(BATCH * WIDTH * sizeof *b);
    double loss = 0;
    for (int k = 0; k < t; k++) {
        for (int i = 0; i < BATCH * WIDTH; i++)
            a[i] = (float)x[(i + k) % n];
        for (int l = 0; l < LAYERS; l++) {
            const float *w = weights + (size_t)l * WIDTH * WIDTH;
            for (int i = 0; i < BATCH; i++)
                for (int j = 0; j < WIDTH; j++) {
                    float sum = 0;
                    for (int m = 0; m < WIDTH; m++)
                        sum += w[j * WIDTH + m] * a[i * WIDTH + m];
                    b[i * WIDTH + j] = tanhf(sum);
                }
            float *swap = a;
            a = b;
            b = swap;
        }
        for (int i = 0; i < BATCH * WIDTH; i++)
            loss += a[i] * a[i];
    }
    free(a);
    free(b);
    return loss;
}
#endif

/* Large global arrays. */
static double global_now[200000], global_next[200000];

static double globals(const double *x, int n, int t) {
    int count = sizeof global_now / sizeof *global_now;
    for (int i = 0; i < count; i++)
        global_now[i] = x[i % n];
    for (int k = 0; k < t; k++) {
        for (int i = 0; i < count; i++)
            global_next[i] = global_now[i] + 0.1 * sin(global_now[(i + 1) % count] * global_now[i]);
        memcpy(global_now, global_next, sizeof global_now);
    }
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += global_now[i];
    return sum;
}

/* A short run beside a large heap that it does not touch. */
static char *ballast;
enum { BALLAST = 24 << 20 };

static double small(const double *x, int n, int t) {
    double sum = 0;
    for (int k = 0; k < t; k++)
        sum = sin(sum + x[k % n]);
    return sum;
}

/* Programs with floats are compiled apart: all programs of one that has some have more shadow memory. */
static const kernel kernels[] = {
#ifdef FLOATS
    {"floats", floats, 1000000, 3},
    {"mixed", mixed, 400000, 4},
    {"network", network, 1024, 1},
#endif
    {"listing1", listing1, 1, 100000},
    {"det", det, 40000, 200},
    {"heat", heat, 4096, 500},
    {"nbody", nbody, 700, 200},
    {"lorenz", lorenz, 6, 300000},
    {"sparse", sparse, 100000, 5},
    {"rec", rec, 4, 19},
    {"table", table, 16, 4},
    {"growing", growing, 16, 1500},
    {"deep", deep, 16, 20000},
    {"list", list, 60, 40},
    {"longlist", list, 400, 20},
    {"tree", tree, 64, 100},
    {"globals", globals, 64, 20},
    {"small", small, 16, 1000},
};
#ifdef FLOATS
enum { KERNELS = 3 }; /* the others are those of the program without */
#else
enum { KERNELS = sizeof kernels / sizeof *kernels };
#endif

#endif
