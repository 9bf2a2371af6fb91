/* at: random:12:0.5:1
 * noise: 1e-6
 * Floats that are only moved, in a program that also has doubles: by swaps, sorting, searches for a maximum,
 * selections, copies of structs and borders. They are moved as numbers (cc/types/restore.c), but not where memory also
 * holds other things: in unions, and where words are copied or integers stored. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
enum { N = 12 };

static NOINLINE void reverse_order(float *a, int n) {
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        float held = a[i];
        a[i] = a[j];
        a[j] = held;
    }
}

static NOINLINE void sort(float *a, float *beside, int n) {
    for (int i = 1; i < n; i++) {
        float key = a[i], with = beside[i];
        int j = i;
        for (; j > 0 && a[j - 1] > key; j--) {
            a[j] = a[j - 1];
            beside[j] = beside[j - 1];
        }
        a[j] = key;
        beside[j] = with;
    }
}

/* A phi of numbers that are only stored. */
static NOINLINE void largest(const float *a, int n, float *out) {
    float best = a[0];
    for (int i = 1; i < n; i++)
        if (i % 3 != 1)
            best = a[i];
    *out = best;
    out[1] = n > 5 ? a[1] : a[2];
    out[2] = n > 50 ? a[1] : 0.0f;
}

typedef struct point {
    float x, y;
    int at;
    double weight;
} point;

static NOINLINE void borders(point *p, int n) {
    p[0] = p[1];
    p[n - 1] = p[n - 2];
    p[n - 1].x *= 2;
}

typedef union mixed {
    float number;
    uint32_t bits;
} mixed;

/* The lowest bit of half of the numbers is set, which changes them by rounding only. */
static NOINLINE void mix(mixed *m, int n) {
    for (int i = 0; i + 1 < n; i++) {
        mixed held = m[i];
        m[i] = m[i + 1];
        m[i + 1] = held;
    }
    for (int i = 0; i < n; i += 2)
        m[i].bits |= 0;
}

/* Words of a table that holds indices in its first half, and numbers in its second. */
static NOINLINE void turn(uint32_t *words, int n) {
    uint32_t first = words[0];
    for (int i = 0; i + 1 < n; i++)
        words[i] = words[i + 1];
    words[n - 1] = first;
}

double f(const double *x, size_t n) {
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), out[3], half[N];
    point *points = malloc(n * sizeof *points);
    mixed *mixed = malloc(n * sizeof *mixed);
    uint32_t *words = malloc(n * sizeof *words);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)x[i];
        b[i] = (float)(x[i] * x[i]);
        half[i] = (float)(x[i] / (double)(i + 1));
        points[i] = (point){a[i], b[i], (int)i, x[i]};
        mixed[i].number = b[i] * 3;
        words[i] = (uint32_t)i;
        if (i >= n / 2)
            memcpy(&words[i], &b[i], sizeof *words);
    }
    reverse_order(a, (int)n);
    sort(a, b, (int)n);
    largest(b, (int)n, out);
    borders(points, (int)n);
    mix(mixed, (int)n);
    turn(words, (int)n);
    reverse_order(half, N - 1);
    for (size_t i = 0; i < n; i++) {
        float word = 0;
        if (i + 1 >= n / 2 && i + 1 < n)
            memcpy(&word, &words[i], sizeof word);
        sum += a[i] * (double)i + b[i] * b[i] + points[i].x * points[i].y * points[i].weight * points[i].at;
        sum += mixed[i].number * (double)(i + 2) + word * word + half[i] * (double)(i % 4);
    }
    sum += out[0] * out[1] + out[2];
    free(a), free(b), free(points), free(mixed), free(words);
    return sum;
}
