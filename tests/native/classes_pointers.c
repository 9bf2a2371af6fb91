/* at: 0.7,1.3,-0.4,2.1
 * Pointers that are kept as integers, in tables, in globals, and behind functions that are called through pointers. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    void *data;
    void (*visit)(void *data, int count, void *context);
} table;

static double fixed[4], *const ends[2] = {fixed, fixed + 2};
static uintptr_t hidden[2];

static void square(void *data, int count, void *context) {
    double *numbers = data, *sum = context;
    for (int i = 0; i < count; i++)
        *sum += numbers[i] * numbers[i];
}

static void shift(void *data, int count, void *context) {
    int64_t *numbers = data, *by = context;
    for (int i = 0; i < count; i++)
        numbers[i] += *by;
}

static const uintptr_t key = 0x5555;

double f(const double *x, size_t n) {
    double *a = malloc(n * sizeof *a), sum = 0;
    int64_t *b = malloc(n * sizeof *b), by = 3;
    if (a == NULL || b == NULL)
        abort();
    hidden[0] = (uintptr_t)a ^ key;
    hidden[1] = (uintptr_t)b ^ key;
    for (size_t i = 0; i < n; i++) {
        ((double *)(hidden[0] ^ key))[i] = x[i] * (double)(i + 1);
        ((int64_t *)(hidden[1] ^ key))[i] = (int64_t)i;
        ends[i % 2][i / 2] = x[i] + a[i];
    }
    table all[] = {{a, square}, {b, shift}, {fixed, square}};
    table *last = &all[2];
    for (table *t = all; t <= last; t++)
        t->visit(t->data, (int)n, t->visit == shift ? (void *)&by : (void *)&sum);
    for (size_t i = 0; i < n; i++)
        sum += a[i] * (double)b[i] * fixed[i];
    uint64_t moved[4];
    memcpy(moved, a, n * sizeof *a);
    free(a);
    a = malloc(n * sizeof *a);
    if (a == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        memcpy(&a[n - 1 - i], &moved[i], sizeof *a);
    for (size_t i = 0; i < n; i++)
        sum += a[i] * x[i];
    free(a);
    free(b);
    return sum;
}
