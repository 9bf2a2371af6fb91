/* at: 0.5,1.2,-0.7,2.1
 * cuts: 40
 * Nests that read the same numbers again because a window moves over them (cc/plan/stencil.h): filters of any length,
 * also one that LLVM unrolls, windows that move by several numbers or downwards, and one that moves too far. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

enum { N = 60, TAPS = 12, ROOM = 2 * N + 64 };

static NOINLINE void filter(const double *taps, const double *s, double *y, int n, int count) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < count; k++)
            sum += taps[k] * s[i + k];
        y[i] += sum;
    }
}

static NOINLINE void filter_of_twelve(const double *taps, const double *s, double *y) {
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += taps[k] * s[i + k];
        y[i] += sum * sum;
    }
}

static NOINLINE void strided(const double *taps, const double *s, double *y, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 9; k++)
            y[i] += taps[k] * s[2 * i + k];
}

static NOINLINE void backwards(const double *taps, const double *s, double *y, int n) {
    for (int i = n - 1; i >= 0; i--)
        for (int k = 10; k > 0; k--)
            y[i] += taps[k] * s[i + 10 - k] * s[i];
}

/* No window: each run of the inner loop reads other numbers. */
static NOINLINE void apart(const double *taps, const double *s, double *y, int n) {
    for (int i = 0; i < n / 4; i++)
        for (int k = 0; k < 4; k++)
            y[i] += taps[k] * s[4 * i + k];
}

/* Writes what it reads later: must be recorded use by use. */
static NOINLINE void in_place(const double *taps, double *s, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            s[i + 3] += taps[k] * s[i + k] * 0.01;
}

double f(const double *x, size_t n) {
    double *s = malloc(ROOM * sizeof *s), *y = calloc(ROOM, sizeof *y), taps[TAPS], sum = 0;
    for (int i = 0; i < ROOM; i++)
        s[i] = x[(size_t)i % n] * (i % 7 - 3) * 0.3;
    for (int k = 0; k < TAPS; k++)
        taps[k] = x[(size_t)k % n] + 0.1 * k;
    filter(taps, s, y, N, TAPS);
    filter(taps, s, y, N, 1);
    filter(taps, s, y, 0, TAPS);
    filter(taps, s, y, N, 0);
    filter(s, s + 1, y, N, 20);
    filter_of_twelve(taps, s, y);
    strided(taps, s, y, N);
    backwards(taps, s, y, N);
    apart(taps, s, y, N);
    in_place(taps, s, N);
    for (int i = 0; i < N; i++)
        sum += y[i] * y[i] * 0.01 + s[i] * (i % 3);
    free(s);
    free(y);
    return sum;
}
