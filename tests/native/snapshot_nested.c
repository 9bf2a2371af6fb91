/* Checkpointed calls within checkpointed calls: functions that call others, recursion, callees that are called through
 * pointers, and callees that allocate and free.
 * at: 0.7,1.1,0.3,0.9
 * large: random:20:0.4:1.2 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline)) static

static double grid[64], scratch[64], large[4000];
static int depth;

APART double leaf(double q, const double *u, int i) {
    return q * u[i] + grid[i] * scratch[(i + 1) % 64];
}

APART double row(const double *u, int n, double q) {
    double s = 0, local[8];
    for (int i = 0; i < 8; i++)
        local[i] = u[i % n] * q;
    for (int i = 0; i < n; i++)
        s += leaf(q, u, i) * leaf(0.5, local, i % 8);
    return s;
}

APART void sweep(double *u, int n, double q) {
    for (int i = 0; i < n; i += 8) {
        double s = row(u + i, n - i < 8 ? n - i : 8, q);
        u[i] += 0.01 * s;
        scratch[i % 64] = s;
    }
}

/* A tree of calls; each level has an array of its own. */
APART double tree(const double *u, int n, double q) {
    double half[16], s = 0;
    depth++;
    if (n == 1) {
        depth--;
        return u[0] * q + grid[depth % 64];
    }
    for (int i = 0; i < n / 2; i++)
        half[i] = u[i] * u[n / 2 + i] + 0.1 * q;
    s = tree(half, n / 2, q) + 0.5 * tree(u + n / 2, n - n / 2, 0.5 * q);
    grid[n % 64] = 0.5 * s;
    depth--;
    return s;
}

static double squared(double *u, double q) {
    u[0] = u[0] * u[0] + q;
    return u[0];
}

static double rooted(double *u, double q) {
    u[1] = sqrt(u[1] * u[1] + 1) * q + grid[3];
    return u[1];
}

typedef double action(double *u, double q);
static action *volatile actions[] = {squared, rooted};

APART double act(double *u, int which, double q) {
    return actions[which](u, q) + 0.1 * actions[1 - which](u + 2, 0.5 * q);
}

APART double *copy(const double *u, int n) {
    double *made = malloc((size_t)n * sizeof *made);
    memcpy(made, u, (size_t)n * sizeof *made);
    return made;
}

APART double sort_of(const double *u, int n) {
    double *made = copy(u, n), s = 0;
    for (int i = 1; i < n; i++)
        made[i] += 0.5 * made[i - 1];
    s = row(made, n < 8 ? n : 8, made[n - 1]);
    free(made);
    return s;
}

APART double step(double *u, int n, double q) {
    sweep(u, n, q);
    double s = tree(u, n < 16 ? n : 16, q) + act(u, n % 2, q);
    return s + 0.01 * sort_of(u, n) + row(u, n < 8 ? n : 8, 0.1);
}

double f(const double *x, size_t n) {
    double *u = malloc(n * sizeof *u), sum = 0;
    depth = 0;
    for (size_t i = 0; i < n; i++)
        u[i] = 0.5 * x[i];
    for (int i = 0; i < 64; i++)
        grid[i] = 0.01 * x[(size_t)i % n], scratch[i] = 1 + 0.1 * x[0];
    for (int i = 0; i < 4000; i++)
        large[i] = x[0] * i;
    for (int k = 0; k < 3; k++)
        sum += 0.1 * step(u, (int)n, 0.3 + 0.1 * k);
    memset(grid, 0, sizeof grid);
    free(u);
    return sum + 1e-6 * large[9];
}
