/* at: 0.3,1.7,-0.4,2.2,0.9
 * flags: -O1 -ffast-math
 * The factors of this transform are a recurrence of two numbers. LLVM 19's vectoriser takes it for two sums if it may
 * reassociate, and computes something else: clang does not vectorise at -O1, so Verso must not either. */
#include <math.h>
#include <stddef.h>

enum { N = 16 };

static void butterfly(double *re, double *im, size_t other, double cr, double ci) {
    double vr = re[other] * cr - im[other] * ci, vi = re[other] * ci + im[other] * cr;
    re[other] = re[0] - vr;
    im[other] = im[0] - vi;
    re[0] += vr;
    im[0] += vi;
}

static void transform(double *re, double *im) {
    for (size_t length = 2; length <= N; length *= 2) {
        double angle = 2 * 3.14159265358979323846 / (double)length, wr = cos(angle), wi = sin(angle);
        for (size_t i = 0; i < N; i += length) {
            double cr = 1, ci = 0;
            for (size_t k = 0; k < length / 2; k++) {
                butterfly(re + i + k, im + i + k, length / 2, cr, ci);
                double next = cr * wr - ci * wi;
                ci = cr * wi + ci * wr;
                cr = next;
            }
        }
    }
}

double f(const double *x, size_t n) {
    static double re[N], im[N];
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        re[i] = x[i % n] * (double)(i + 1);
        im[i] = 0;
    }
    transform(re, im);
    for (size_t i = 0; i < N; i++)
        sum += re[i] * re[(i * 7) % N] * 1e-3 + im[i];
    return sum;
}
