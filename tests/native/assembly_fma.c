/* at: 0.7,1.1,-0.4,0.9,0.3
 * flags: -mavx2 -mfma
 * needs: avx2 fma
 * Instructions of three operands in inline assembly, which are written in the other order. */
#include <immintrin.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i + 3 < n; i++) {
        __m256d a = _mm256_loadu_pd(x + i), b = _mm256_set1_pd(x[i] * x[i + 1]), c = a, d, e, g = b, h = a;
        __asm__("vfmadd231pd %[a], %[b], %[c]" : [c] "+x"(c) : [a] "x"(a), [b] "x"(b));
        __asm__("vfnmsub132pd %[a], %[b], %[c]" : [c] "+x"(g) : [a] "x"(a), [b] "x"(c));
        __asm__("vfmsub213pd %[a], %[b], %[c]" : [c] "+x"(h) : [a] "x"(b), [b] "x"(c));
        __asm__("vminpd %[a], %[b], %[r]" : [r] "=x"(d) : [a] "x"(a), [b] "x"(b));
        __asm__("vdivpd %1, %2, %0" : "=x"(e) : "x"(_mm256_set1_pd(2 + x[i])), "x"(c));
        for (int k = 0; k < 4; k++)
            s += (k + 1) * (c[k] * d[k] + e[k] + g[k] * h[k]);
    }
    return s;
}
