/* Globals that main accesses, too, before and after the differentiated function: bytes, words, numbers. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <verso/native.h>

enum { N = 6 };

static unsigned char mask[N];
static double factors[N], kept[N];
static uint32_t counts[N];
static union {
    double number;
    uint64_t word;
} slots[N];

__attribute__((noinline)) static void fill(int round) {
    for (int i = 0; i < N; i++) {
        mask[i] = (unsigned char)(i % 2 + round);
        factors[i] = 1.5 * i + round;
        counts[i] = (uint32_t)(3 * i);
        slots[i].number = 0.5 * i;
    }
}

static double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        mask[i] = x[i] > 0.5;
        kept[i] = x[i] * factors[i];
        counts[i] += (uint32_t)mask[i];
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, &kept[n - 1 - i], sizeof word);
        sum += slots[i].number * x[i];
        slots[i].word = word;
    }
    for (size_t i = 0; i < n; i++)
        sum += slots[i].number * x[i] * (mask[i] ? 2 : 3) + counts[i] * x[i];
    return sum;
}

int main(void) {
    double x[N], gradient[N];
    for (int i = 0; i < N; i++)
        x[i] = 0.17 * i + 0.1;
    verso_error error;
    for (int round = 0; round < 3; round++) {
        fill(round);
        if (verso_gradient(f, x, N, gradient, NULL, NULL, &error) != VERSO_STATUS_OK)
            return fprintf(stderr, "%s\n", error.message), 1;
        for (int i = 0; i < N; i++) {
            int j = N - 1 - i;
            double by = mask[i] ? 2 : 3, other = mask[j] ? 2 : 3;
            double wanted = 0.5 * i + factors[j] * x[j] * by + factors[i] * x[j] * other + counts[i];
            if (fabs(gradient[i] - wanted) > 1e-12 * (1 + fabs(wanted)))
                return fprintf(stderr, "derivative %d is %.17g, not %.17g\n", i, gradient[i], wanted), 1;
        }
    }
    return 0;
}
