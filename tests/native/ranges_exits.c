/* at: 0.5,1.2,-0.7,2.1,0.3
 * large: random:33:-2:2
 * Nests with copies that are left early, that run no times, whose inner loops have other bounds each time, or whose
 * counters are narrow, signed or not. */
#include <math.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE double until(const double *a, const double *b, double *y, int n, int m, double most) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double here = 0;
        for (int k = 0; k < m; k++) {
            here += a[k] * b[i] * a[k];
            if (here > most)
                return sum * here;
        }
        y[i] = here;
        sum += here;
    }
    return sum + sqrt(1 + sum * sum);
}

static NOINLINE double breaks(const double *a, double *y, int n, double most) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            if (k > i + 3)
                break;
            sum += a[k] * a[(k + i) % n];
        }
        y[i] = sum;
        if (sum > most)
            break;
    }
    return sum;
}

static NOINLINE double narrow(const double *a, double *y, unsigned char n, unsigned short m, signed char from) {
    double sum = 0;
    for (unsigned char i = 0; i < n; i++)
        for (unsigned short k = 0; k < m; k++)
            y[i] += a[k] * a[i];
    for (signed char i = from; i < (signed char)n; i++)
        for (unsigned k = 3; k + 2 < m; k += 2)
            sum += a[k] * a[k + 1] * (i + 2);
    return sum;
}

static NOINLINE void ragged(const double *a, double *y, const int *length, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < length[i]; k++)
            y[i] += a[k] * a[k] * a[i];
}

double f(const double *x, size_t n) {
    double *a = malloc(2 * n * sizeof *a), *y = calloc(2 * n, sizeof *y), sum = 0;
    int *length = malloc(n * sizeof *length);
    for (size_t i = 0; i < 2 * n; i++)
        a[i] = x[i % n] * (i < n ? 1 : 0.5);
    for (int m = 0; m <= (int)n; m += 1 + (int)n / 8) {
        sum += until(a, a + n, y, (int)n, m, 3.5) + until(a, a + n, y, m, (int)n, 1e9);
        sum += breaks(a, y, m, 2.5) + breaks(a, y, m, 1e9);
        sum += narrow(a, y, (unsigned char)m, (unsigned short)n, (signed char)(m / 2 - 1));
        for (size_t i = 0; i < n; i++)
            length[i] = ((int)i * 5 + m) % (int)n - 1;
        ragged(a, y, length, m);
    }
    for (size_t i = 0; i < n; i++)
        sum += y[i] * y[i] * 1e-2;
    free(a);
    free(y);
    free(length);
    return sum * 1e-2;
}
