/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:40:-1:1
 * Loops in which neighbouring iterations read the same numbers, mostly linearly, so that their adjoints add to the same
 * cells: in one, two and three dimensions, with steps of one and more, forwards and backwards, fewer iterations than
 * neighbours, gaps between the neighbours, conditions, exits in the middle, structs, and arrays that overlap. */
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE void blur(double *y, const double *x, int n) {
    for (int i = 1; i < n - 1; i++)
        y[i] += 0.1 * x[i - 1] + 0.2 * x[i] - 0.05 * x[i + 1];
}

static NOINLINE void blur_back(double *y, const double *x, size_t n, size_t step) {
    for (size_t i = n - 2; i > 1 && i < n; i -= 2)
        y[i] = x[i + 2 - 1] - 0.3 * x[i - 1] + y[i] * (double)step * 0.01;
    for (long i = (long)n - 4; i >= 3; i -= 3)
        y[i] += 0.2 * x[i - 3] + 0.3 * x[i + 3] + 0.1 * x[i];
}

/* More neighbours than a group has, and a gap. */
static NOINLINE void wide(double *restrict y, const double *restrict x, size_t n) {
    for (size_t i = 6; i + 6 < n; i++)
        y[i] = 0.2 * (x[i - 6] - x[i - 5] + x[i - 2] + 0.1 * x[i] + x[i + 1] - 3 * x[i + 4] + x[i + 6]);
    for (size_t i = 4; i + 4 < n; i++)
        y[i] -= 0.25 * (x[i - 4] + x[i + 4]);
}

static NOINLINE void seidel(double *x, size_t n) {
    for (size_t i = 1; i + 1 < n; i++)
        x[i] = 0.4 * x[i] + 0.3 * (x[i - 1] + x[i + 1]);
}

/* A sum that is used twice, and one that is a factor. */
static NOINLINE double twice(double *restrict y, double *restrict z, const double *restrict x, size_t n) {
    double sum = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        double s = x[i - 1] + x[i + 1];
        y[i] = s * s * x[i];
        z[i] = s - x[i];
        sum += s;
    }
    return sum;
}

/* The first two loads run in all iterations, the others in some. */
static NOINLINE void choose(double *restrict y, const double *restrict x, const int *restrict flags, size_t n) {
    for (size_t i = 2; i + 2 < n; i++) {
        y[i] = 0.5 * x[i] + x[i - 1];
        if (flags[i] == 1)
            y[i] += x[i + 1] - x[i + 2];
        else if (flags[i] == 2)
            y[i] *= x[i - 2];
    }
}

/* The loop is left in the middle of an iteration. */
static NOINLINE size_t until(double *restrict y, const double *restrict x, size_t n, double limit) {
    size_t i = 1;
    for (; i + 1 < n; i++) {
        double sum = x[i - 1] + x[i];
        if (sum > limit)
            break;
        y[i] = sum + 0.1 * x[i + 1];
    }
    return i;
}

static NOINLINE void walk(float *to, const float *from, const float *end) {
    while (from + 3 < end) {
        *to += 0.5f * from[0] + from[1] - 0.25f * from[3];
        to++, from++;
    }
}

static NOINLINE void plane(double *v, const double *u, int rows, int columns) {
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++) {
            const double *at = u + i * columns + j;
            v[i * columns + j] = 0.2 * (at[0] + at[-1] + at[1] + at[columns] + at[-columns]);
        }
}

static NOINLINE void triangle(double v[][24], double u[][24], int n) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < i; j++)
            v[i][j] += u[i][j] + u[i - 1][j] - u[i][j - 1] + 0.5 * u[i][j + 1];
}

static NOINLINE void box(float *restrict v, const float *restrict u, int n) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = n - 2; k > 0; k--) {
                const float *at = u + (i * n + j) * n + k;
                v[(i * n + j) * n + k] =
                    0.125f * (at[1] - 2 * at[0] + at[-1] + at[n] + at[-n] + at[n * n] + at[-n * n]) + at[0];
            }
}

typedef struct state {
    double density, momentum;
    float energy;
    double rest[2];
} state;

/* A member that is written lies between members that are read. */
static NOINLINE void flux(state *s, size_t n) {
    for (size_t i = 1; i + 1 < n; i++) {
        s[i].momentum += 0.5 * (s[i + 1].density - s[i - 1].density) + (double)(s[i].energy - s[i - 1].energy);
        s[i].rest[1] = s[i].rest[0] - s[i + 1].rest[0];
    }
}

/* The coefficients are copied, and the other array changes in each step. */
static NOINLINE void steps(double *a, double *b, const double *c, size_t n) {
    for (int t = 0; t < 4; t++) {
        for (size_t i = 1; i + 1 < n; i++)
            b[i] = a[i] + c[i] * (a[i - 1] - 2 * a[i] + a[i + 1]) + 0.1 * (c[i + 1] - c[i - 1]);
        for (size_t i = 1; i + 1 < n; i++)
            a[i] = b[i] - 0.1 * b[i - 1] + 0.2 * b[i + 1];
    }
}

static double total(const double *a, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * (double)(i % 7 + 1);
    return sum;
}

static void fill(const double *x, size_t n, double *a, double *b, double *c, size_t size) {
    for (size_t i = 0; i < size; i++) {
        a[i] = x[i % n] * (double)(i % 5 + 1) * 0.2;
        b[i] = x[(3 * i) % n];
        c[i] = 0.3 * x[(i + 1) % n];
    }
}

static void blurs(double *a, double *b, double *c, size_t n) {
    for (int length = 0; length < 8; length++) {
        blur(b + 3 * length, a, length);
        blur(b, a + 5, length);
        blur(a + 10 + length, a + 11, length + 3);
        blur(c, c, length + 2);
    }
    for (size_t length = 4; length < 16; length += 3)
        blur_back(c + length, a, length, length);
    blur_back(b, b, n, 0);
}

/* Each part begins with the same numbers. */
static double lines(const double *x, size_t n, size_t size) {
    int flags[64];
    double *a = malloc(3 * size * sizeof *a), *b = a + size, *c = b + size, sum = 0;
    for (int i = 0; i < 64; i++)
        flags[i] = i * i % 3;
    for (int part = 0; part < 6; part++) {
        fill(x, n, a, b, c, size);
        switch (part) {
        case 0: blurs(a, b, c, size); break;
        case 1: wide(c, a, size); break;
        case 2: seidel(a, size); break;
        case 3: sum += twice(b, c, a, size) + twice(b, c, a, 3) + twice(a, c, b, 2); break;
        case 4:
            choose(c, a, flags, size < 64 ? size : 64);
            sum += (double)until(b, a, size, 2.5) + (double)until(c, b, size, 1e9);
            break;
        default: steps(a, b, c, size), steps(c, a, b, 4);
        }
        sum += total(a, size) + 0.5 * total(b, size) + 0.25 * total(c, size);
    }
    free(a);
    return sum;
}

static double planes(const double *x, size_t n) {
    static double u[24][24], v[24][24];
    double sum = 0;
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            u[i][j] = x[(size_t)(i * 3 + j) % n], v[i][j] = 0;
    for (int side = 1; side < 6; side++)
        plane(v[0], u[1], side, 24 - 4 * side);
    plane(u[2], v[2], 20, 24);
    plane(u[2], u[3], 20, 24);
    triangle(v, u, 24);
    triangle(u, v, 9);
    for (int i = 0; i < 24; i++)
        sum += total(u[i], 24) - total(v[i], 24);
    return sum;
}

static float floats(const double *x, size_t n) {
    enum { SIDE = 10, CUBE = SIDE * SIDE * SIDE };
    float *p = malloc(CUBE * sizeof *p), *q = calloc(CUBE, sizeof *q), sum = 0;
    for (size_t i = 0; i < CUBE; i++)
        p[i] = (float)x[i % n];
    box(q, p, SIDE);
    box(p, q, 3);
    for (int length = 2; length < 8; length++)
        walk(q + 8 * length, p, p + length);
    walk(p, p + 1, p + 90);
    for (size_t i = 0; i < CUBE; i++)
        sum += q[i] * (float)(i % 3) + p[i];
    free(p), free(q);
    return sum;
}

static double states(const double *x, size_t n, size_t size) {
    state *all = malloc(size * sizeof *all);
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        all[i] = (state){x[i % n], x[(i + 1) % n], (float)x[(2 * i) % n] * 1e-6f, {x[i % n] * 3, 0}};
    for (size_t length = 0; length < 6; length++)
        flux(all + length, length);
    flux(all, size);
    for (size_t i = 0; i < size; i++)
        sum += all[i].momentum * (double)(i % 4) + all[i].rest[1];
    free(all);
    return sum;
}

double f(const double *x, size_t n) {
    size_t size = 4 * n < 60 ? 60 : 4 * n;
    return lines(x, n, size) + planes(x, n) + states(x, n, size) + 1e-9 * (double)floats(x, n);
}
