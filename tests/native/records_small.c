/* at: 0.5,1.2,-0.7,2.1,0.3
 * large: random:41:-2:2
 * noise: 2e-6
 * Records of one, two and four bytes: loops that record conditions, floats, and numbers of predecessors, with lengths
 * that leave the tape at any place, left early or with a branch that not every iteration takes. */
#include <math.h>
#include <stddef.h>

enum { MOST = 64 };

static double least(const double *x, size_t n, double *seen) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        seen[i] = seen[i] < x[i] + 0.25 ? seen[i] : x[i] + 0.25;
        sum += seen[i];
    }
    return sum;
}

static float squares(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

static float clipped(const float *x, float *y, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] > 0.5f ? x[i] * 3 : x[i] * x[i];
        if (y[i] > 1.5f)
            y[i] = sqrtf(y[i]) * x[(i * 7) % n];
        sum += y[i] - x[i];
    }
    return sum;
}

/* Left at the first large number: the loop has two exits, and what is after each differs. */
static double until(const double *x, size_t n, double most) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (x[i] > most)
            return sum * x[i];
        sum += x[i] > 0 ? x[i] : -2 * x[i];
    }
    return sum;
}

static double rows(const double *x, size_t n) {
    double all = 0, seen[MOST];
    for (size_t length = 0; length <= n; length++) {
        for (size_t i = 0; i < n; i++)
            seen[i] = x[n - 1 - i] * x[0];
        all += least(x, length, seen) * (double)(length + 1);
    }
    return all;
}

double f(const double *x, size_t n) {
    float small[MOST], changed[MOST];
    double sum = rows(x, n);
    for (size_t length = 1; length <= n; length++) {
        for (size_t i = 0; i < length; i++)
            small[i] = (float)x[i];
        sum += (double)squares(small, length) + (double)clipped(small, changed, length);
        sum += until(x, length, 1.0) * until(x + n - length, length, 0.25 * (double)length);
    }
    return sum;
}
