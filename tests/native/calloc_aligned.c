/* at: 0.7,1.1,0.25,2.0
 * calloc, aligned_alloc, posix_memalign, strdup, a pool of our own, and pointers kept in memory that was cleared. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct pool {
    char *memory;
    size_t used;
} pool;

static void *pool_take(pool *p, size_t size) {
    void *block = p->memory + p->used;
    p->used += (size + 15) & ~(size_t)15;
    return block;
}

double f(const double *x, size_t n) {
    double **rows = calloc(n, sizeof *rows), *zeros = calloc(n, sizeof *zeros);
    double *aligned = aligned_alloc(64, 64), sum = 0;
    void *more = NULL;
    if (posix_memalign(&more, 32, 64) != 0)
        return 0;
    pool p = {malloc(1024), 0};
    char *name = strdup("numbers");
    for (size_t i = 0; i < n; i++) {
        rows[i] = pool_take(&p, (i + 1) * sizeof **rows);
        for (size_t j = 0; j <= i; j++)
            rows[i][j] = x[i] * x[j] + zeros[j];
        zeros[i] += 0.5 * x[i];
    }
    for (size_t i = 0; i < 8; i++)
        aligned[i] = sin(rows[i % n][0]), ((double *)more)[i] = aligned[i] * zeros[i % n];
    for (size_t i = 0; i < 8; i++)
        sum += ((double *)more)[7 - i] * aligned[i] + rows[n - 1][i % n];
    sum *= (double)strlen(name) + (double)((uintptr_t)aligned % 64);
    free(name);
    free(p.memory);
    free(more);
    free(aligned);
    free(zeros);
    free(rows);
    return sum;
}
