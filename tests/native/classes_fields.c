/* at: 0.7,1.3,-0.4,2.1
 * noise: 1e-6
 * Fields of several types in blocks of the heap that a wrapper allocates, with arrays inside structs; blocks that are
 * used as one struct, and then as another. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };

typedef struct mesh {
    int count;
    double at[N];
    unsigned char used[N];
    float weight[N];
    int64_t next[N];
    struct mesh *finer;
} mesh;

typedef struct other {
    double first;
    int64_t tags[8];
    double last[3];
} other;

__attribute__((noinline)) static void *allocate(size_t size) {
    void *block = malloc(size);
    if (block == NULL)
        abort();
    return block;
}

__attribute__((noinline)) static void fill(mesh *m, const double *x) {
    m->count = N;
    for (int i = 0; i < m->count; i++) {
        m->at[i] = x[i] * (i + 1);
        m->used[i] = x[i] > 0;
        m->weight[i] = (float)x[N - 1 - i];
        m->next[i] = (i + 1) % N;
    }
}

__attribute__((noinline)) static double walk(const mesh *m, int from) {
    double sum = 0;
    for (int64_t i = from, steps = 0; steps < 2 * m->count; steps++, i = m->next[i])
        if (m->used[i])
            sum += m->at[i] * m->at[m->next[i]] * m->weight[i];
    return m->finer == NULL ? sum : sum + walk(m->finer, from);
}

__attribute__((noinline)) static double reuse(void *block, const double *x) {
    other *o = block;
    for (int i = 0; i < 8; i++)
        o->tags[i] = i * i;
    o->first = x[1] * x[2];
    for (int i = 0; i < 3; i++)
        o->last[i] = o->first * (double)o->tags[i + 2];
    return o->last[0] + o->last[1] * o->last[2];
}

double f(const double *x, size_t n) {
    mesh *coarse = allocate(sizeof *coarse), *fine = allocate(sizeof *fine);
    (void)n;
    fill(coarse, x);
    memcpy(fine, coarse, sizeof *fine);
    coarse->finer = fine;
    fine->finer = NULL;
    for (int i = 0; i < fine->count; i++)
        fine->at[i] *= coarse->at[N - 1 - i];
    double sum = walk(coarse, 1);
    memset(fine, 0, sizeof *fine);
    sum += reuse(fine, x);
    fill(fine, x); /* as it was */
    fine->finer = NULL;
    sum += walk(fine, 2);
    free(fine);
    free(coarse);
    return sum;
}
