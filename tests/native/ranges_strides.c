/* at: 0.5,1.2,-0.7,2.1,0.3
 * large: random:26:-1:1
 * noise: 4e-6
 * Nests with copies that go backwards, in steps, through structs, columns, pointers that are compared with an end, and
 * index tables; in double and in float, also at odd places. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

typedef struct point {
    float mass;
    int id;
    double at[3];
} point;

static NOINLINE void backwards(const double *a, const double *b, double *c, long n) {
    for (long i = n - 1; i >= 0; i--)
        for (long k = n - 1; k >= 0; k -= 2)
            c[i] += a[k] * b[n - 1 - k] * a[i];
}

static NOINLINE void columns(const double *a, double *c, long n, long stride) {
    for (long j = 0; j < n; j++)
        for (long t = 0; t < n; t++)
            for (long i = 0; i < n; i++)
                c[j] += a[i * stride + j] * a[i * stride + t];
}

static NOINLINE void pairs(const point *p, double *force, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 3; k++)
                force[i * 3 + k] += (p[j].at[k] - p[i].at[k]) * (double)p[j].mass * p[i].at[(k + 1) % 3];
}

static NOINLINE double by_pointer(const double *begin, const double *end, double *out, int times) {
    double sum = 0;
    for (int t = 0; t < times; t++)
        for (const double *at = begin; at != end; at++) {
            sum += *at * *at * (t + 1);
            out[t] = sum;
        }
    return sum;
}

static NOINLINE void floats(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 1; k < n; k++)
            c[i] += a[k] * b[k - 1] * a[i];
}

static NOINLINE double gather(const double *a, const int *index, const double *by, double *out, int n) {
    double sum = 0;
    for (int t = 0; t < 5; t++)
        for (int i = 0; i < n; i++) {
            sum += a[index[i]] * by[i] * by[t];
            out[(i + t) % n] = sum;
        }
    return sum;
}

double f(const double *x, size_t count) {
    int n = (int)count;
    double *a = malloc(count * count * sizeof *a), *c = calloc(3 * count, sizeof *c), sum = 0;
    float *s = malloc(3 * count * sizeof *s);
    point *p = malloc(count * sizeof *p);
    int *index = malloc(count * sizeof *index);
    for (int i = 0; i < n * n; i++)
        a[i] = x[(i * 3) % n] * (i % 4 - 1.5);
    for (int i = 0; i < n; i++) {
        p[i] = (point){(float)x[i], i, {x[i], x[(i + 1) % n], -x[(i + 2) % n]}};
        index[i] = (i * 3 + 1) % n;
        s[i] = (float)x[i];
        s[n + i] = (float)x[n - 1 - i] * 0.5f;
        s[2 * n + i] = 0;
    }
    backwards(a, a + n, c, n);
    columns(a, c, n, n);
    columns(a + n - 1, c, n / 2, n - 1);
    pairs(p, c, n);
    sum += by_pointer(a, a + n, c, n) + by_pointer(a + 1, a + 1, c, n);
    floats(s, s + n, s + 2 * n, n);
    floats(s + 1, s + n + 1, s + 2 * n, n - 1);
    sum += gather(a, index, a + n, c, n);
    for (int i = 0; i < n; i++)
        sum += c[i] * (i % 3 + 1) + (double)s[2 * n + i] + c[2 * n + i];
    free(a);
    free(c);
    free(s);
    free(p);
    free(index);
    return sum * 0.01;
}
