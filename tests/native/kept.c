/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:30:0.1:1
 * Numbers that mostly stay as they are: minima and maxima in place, with one number for all iterations or with numbers
 * that a table names, which may be the same number. The partial derivative of what is not chosen may be infinite. */
#include <math.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE void shortest(double *p, size_t n) {
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double by = p[i * n + k] + p[k * n + j];
                p[i * n + j] = p[i * n + j] < by ? p[i * n + j] : by;
            }
}

static NOINLINE void relax(double *distance, const int *from, const int *to, const double *length, size_t edges) {
    for (size_t e = 0; e < edges; e++) {
        double by = distance[from[e]] + length[e];
        distance[to[e]] = by < distance[to[e]] ? by : distance[to[e]];
    }
}

static NOINLINE void highest(double *most, const double *x, const int *of, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double value = x[i] * x[i];
        most[of[i]] = most[of[i]] > value ? most[of[i]] : value;
    }
}

static NOINLINE void inverses(double *y, const int *at, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double other = 1 / y[at[i]];
        y[at[i]] = y[at[i]] < 1 ? y[at[i]] : other;
    }
}

/* Two stores in one iteration, and one whose number is used again. */
static NOINLINE double both(double *low, double *high, const double *x, const int *at, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double now = x[i] * 1.5;
        low[at[i]] = low[at[i]] < now ? low[at[i]] : now;
        high[at[i]] = high[at[i]] > now ? high[at[i]] : now;
    }
    for (size_t i = 0; i < n; i++) {
        double now = x[i] * low[0], kept = high[at[i]] > now ? high[at[i]] : now;
        high[at[i]] = kept;
        sum += kept * x[i];
    }
    return sum;
}

double f(const double *x, size_t n) {
    double *p = malloc(n * n * sizeof *p), *distance = malloc(n * sizeof *distance), *y = calloc(n, sizeof *y);
    double *low = malloc(n * sizeof *low), *high = malloc(n * sizeof *high), sum = 0;
    double *most = calloc(n, sizeof *most);
    int *from = malloc(4 * n * sizeof *from), *to = malloc(4 * n * sizeof *to);
    double *length = malloc(4 * n * sizeof *length);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            p[i * n + j] = 1 + fabs(x[i]) * (double)((i * j) % 7 + 1) + x[j] * x[j] * ((i + j) % 3 == 0 ? 9 : 0.25);
        distance[i] = i == 0 ? x[0] : 1e3;
        y[i] = i % 4 == 0 ? 0 : fabs(x[i]) + 0.5;
        low[i] = high[i] = x[i];
    }
    for (size_t e = 0; e < 4 * n; e++) {
        from[e] = (int)(e * 7 % n);
        to[e] = (int)(e * 5 % n);
        length[e] = 1 + fabs(x[e % n]) * (double)(e % 5);
    }
    shortest(p, n);
    for (int t = 0; t < 6; t++)
        relax(distance, from, to, length, 4 * n);
    highest(most, x, to, n);
    inverses(y, from, n);
    sum += both(low, high, x, to, n);
    for (size_t i = 0; i < n; i++)
        sum += distance[i] + most[i] + y[i] * 0.5 + low[i] * 3 + high[i] * x[i] + p[i * n + (i * 3) % n] * x[i];
    free(p), free(distance), free(y), free(low), free(high), free(most), free(from), free(to), free(length);
    return sum;
}
