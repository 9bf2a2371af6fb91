/* at: 0.7,1.1
 * flags: -mssse3
 * refused: run
 * tangent: none
 * message: intrinsic_bytes\.c:1[0-9]: integer arithmetic on the bits of a number
 * Bytes of numbers that are moved in an order that is unknown before it runs. */
#include <immintrin.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    __m128i order = _mm_set_epi64x((long long)(n + 0x0706050403020100 - 2), 0x0f0e0d0c0b0a0908);
    __m128d swapped = _mm_castsi128_pd(_mm_shuffle_epi8(_mm_castpd_si128(_mm_loadu_pd(x)), order));
    return swapped[0] * swapped[0] + swapped[1];
}
