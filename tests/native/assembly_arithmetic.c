/* at: 0.7,1.1,-0.4,0.9
 * Single instructions of vector arithmetic in inline assembly, as Eigen has them, and integers of the processor. */
#include <emmintrin.h>
#include <stddef.h>

static unsigned vendor(void) {
    unsigned a = 0, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return a > 0 ? b ^ b : 0;
}

double f(const double *x, size_t n) {
    double s = vendor(), t = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        __m128d a = _mm_loadu_pd(x + i), most = _mm_set1_pd(0.5), root = _mm_mul_pd(a, a), difference = most;
        __asm__("maxpd %1, %0" : "+x"(most) : "x"(a));
        __asm__("sqrtpd %1, %0" : "=x"(root) : "x"(root));
        __asm__("\tsubpd\t%[a], %[r] # a comment\n\t" : [r] "+x"(difference) : [a] "x"(a));
        double product = x[i];
        __asm__("mulsd %1, %0" : "+x"(product) : "x"(x[i + 1]));
        t += most[0] * most[1] + root[0] + difference[1] * product;
    }
    return s + t;
}
