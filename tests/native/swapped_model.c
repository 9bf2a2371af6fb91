/* at: random:12:0.5:1
 * noise: 1e-6
 * Fields that a time loop swaps, beside coefficients that stay: loops inside the time loop have the copies and the
 * rolling sums (cc/plan/inside.h). Records of floats are padded where the loop is left, though the number of its
 * iterations follows: rows of all lengths modulo 8 bytes, also in strips. */
#include <stddef.h>

enum { WIDE = 23, HIGH = 9, STEPS = 6 };

static double waves(const double *x, size_t n, int width) {
    float speed[WIDE * HIGH], damp[WIDE * HIGH], fields[2][WIDE * HIGH] = {{0}};
    float *now = fields[0], *next = fields[1];
    double sum = 0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        speed[i] = 0.05f * (float)x[(size_t)i % n];
        damp[i] = 1 - 0.002f * (float)(i % WIDE);
        now[i] = (float)x[(size_t)(3 * i) % n] * 0.1f;
    }
    for (int t = 0; t < STEPS; t++) {
        for (int z = 2; z < HIGH - 2; z++)
            for (int i = 2; i < width - 2; i++) {
                int at = z * WIDE + i;
                float around = 16 * (now[at - 1] + now[at + 1] + now[at - WIDE] + now[at + WIDE]) - now[at - 2] -
                               now[at + 2] - now[at - 2 * WIDE] - now[at + 2 * WIDE] - 60 * now[at];
                next[at] = damp[at] * (2 * now[at] - damp[at] * next[at] + speed[at] * around / 12);
            }
        float *swapped = now;
        now = next;
        next = swapped;
        sum += (double)now[4 * WIDE + 3 + t] * now[3 * WIDE + 5];
    }
    return sum;
}

/* The same pointer, known inside the loop over t only, for numbers that are read again and for some that are not. */
static double powers(const double *x, size_t n) {
    double matrix[12][12], a[12], b[12], *now = a, *next = b, sum = 0;
    for (int i = 0; i < 12; i++) {
        now[i] = x[(size_t)i % n];
        for (int j = 0; j < 12; j++)
            matrix[i][j] = x[(size_t)(i + 2 * j) % n] * 0.1;
    }
    for (int t = 0; t < STEPS; t++) {
        double norm = 0;
        for (int i = 0; i < 12; i++) {
            double row = 0;
            for (int j = 0; j < 12; j++)
                row += matrix[i][j] * now[j];
            next[i] = row + 0.1 * now[i] * now[i];
            norm += next[i] * next[i];
        }
        for (int i = 0; i < 12; i++)
            next[i] /= norm + 1;
        double *swapped = now;
        now = next;
        next = swapped;
    }
    for (int i = 0; i < 12; i++)
        sum += now[i] * i;
    return sum;
}

double f(const double *x, size_t n) {
    double sum = powers(x, n);
    for (int width = 6; width <= WIDE; width += width < 10 ? 1 : 5)
        sum += waves(x, n, width);
    return sum;
}
