/* at: 0.7,1.3,-0.4,2.1
 * Tables that certainly hold constants, and tables that look as if they did. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };

typedef struct pair {
    double constant, varied;
} pair;

static double kept[N]; /* constants at first */

__attribute__((noinline)) static double inner(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i] * b[i];
    return sum;
}

/* Called with constants only. */
__attribute__((noinline)) static void weigh(const double *weight, const double *from, double *to) {
    for (int i = 0; i < N; i++)
        to[i] = weight[i] * from[i] + weight[N - 1 - i] * from[0];
}

__attribute__((noinline)) static void change(double *table, double by) {
    table[2] *= by;
}

static void change_through(void (*function)(double *, double), double *table, double by) {
    function(table, by);
}

static void fill(double *table, double first) {
    for (int i = 0; i < N; i++)
        table[i] = first + cos(0.3 * i);
}

static double in_turn(const double *x, size_t n) {
    double constants[N], numbers[N], other[N];
    const double *tables[2] = {constants, numbers};
    double sum = 0;
    fill(constants, 1);
    fill(numbers, x[1]);
    weigh(constants, x, other);
    for (size_t i = 0; i < n; i++)
        sum += tables[x[i] > 0.5][i] * other[i] + constants[i] * other[N - 1 - i];
    return sum + inner(constants, numbers) + inner(numbers, constants);
}

/* Constants, one of which is replaced: directly, through a pointer to a function, by a copy, as a word. */
static double replaced(const double *x, size_t n) {
    double direct[N], called[N], copied[N], *moved = malloc(N * sizeof *moved), sum = 0;
    uint64_t words[N];
    fill(direct, 2);
    fill(called, 3);
    fill(copied, 4);
    fill(moved, 5);
    memcpy(words, direct, sizeof words);
    if (x[0] > 0)
        direct[1] = x[2];
    change_through(x[1] > 0 ? change : NULL, called, x[3]);
    memcpy(copied + 1, x, 2 * sizeof *x);
    memcpy(&words[3], &x[n - 1], sizeof *words);
    double *longer = realloc(moved, 2 * N * sizeof *moved);
    longer[N] = x[0] * longer[1];
    for (int i = 0; i < N; i++) {
        double number;
        memcpy(&number, &words[i], sizeof number);
        sum += direct[i] * called[i] + copied[i] * copied[i] * x[i] + number * longer[i + 1];
    }
    free(longer);
    return sum;
}

/* A variable in the stack that varies, where constants were; fields beside each other; what an earlier call left. */
static double reused(const double *x, size_t n) {
    double sum = 0;
    pair pairs[N];
    for (size_t i = 0; i < n; i++) {
        pairs[i] = (pair){1.0 / (double)(i + 1), x[i] * x[i]};
        sum += kept[i] * x[i] * x[i];
        kept[i] = 0.5 + (double)i;
    }
    for (int round = 0; round < 3; round++) {
        double first[N];
        fill(first, round);
        if (round == 1)
            first[3] = sin(x[3]);
        for (size_t i = 0; i < n; i++)
            sum += first[i] * pairs[i].varied * pairs[n - 1 - i].constant + kept[i] * x[i];
    }
    for (size_t i = 0; i < n; i++)
        kept[i] = 0;
    return sum;
}

double f(const double *x, size_t n) {
    return in_turn(x, n) + replaced(x, n) + reused(x, n) + in_turn(x, n);
}
