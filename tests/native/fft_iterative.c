/* at: random:16:-1:1
 * The fast Fourier transform in place, with bit reversal; a convolution, there and back. */
#include <math.h>
#include <stddef.h>

static void swap(double *a, double *b) {
    double keep = *a;
    *a = *b;
    *b = keep;
}

static void transform(double *re, double *im, size_t n, int direction) {
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            swap(&re[i], &re[j]);
            swap(&im[i], &im[j]);
        }
    }
    for (size_t length = 2; length <= n; length <<= 1)
        for (size_t start = 0; start < n; start += length)
            for (size_t k = 0; k < length / 2; k++) {
                double angle = direction * 2 * 3.14159265358979323846 * (double)k / (double)length;
                size_t a = start + k, b = a + length / 2;
                double re_b = re[b] * cos(angle) - im[b] * sin(angle), im_b = re[b] * sin(angle) + im[b] * cos(angle);
                re[b] = re[a] - re_b;
                im[b] = im[a] - im_b;
                re[a] += re_b;
                im[a] += im_b;
            }
}

double f(const double *x, size_t n) {
    double re[16], im[16], sum = 0;
    for (size_t i = 0; i < n; i++)
        re[i] = x[i], im[i] = 0;
    transform(re, im, n, -1);
    for (size_t i = 0; i < n; i++) {
        double square = re[i] * re[i] - im[i] * im[i];
        im[i] = 2 * re[i] * im[i];
        re[i] = square;
    }
    transform(re, im, n, 1);
    for (size_t i = 0; i < n; i++)
        sum += re[i] * re[i] / (double)(n * n * (i + 1));
    return sum;
}
