/* at: 0.7,1.1
 * flags: -mavx512f -mavx512dq
 * refused: link
 * message: intrinsic_unknown\.c:1[0-9]: error: .* of the family of _mm512_range_pd .*write this place with C
 * An intrinsic that is not in the table is named as C programmers know it. */
#include <immintrin.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double lanes[8];
    _mm512_storeu_pd(lanes, _mm512_range_pd(_mm512_set1_pd(x[0]), _mm512_set1_pd(x[n - 1]), 5));
    return lanes[0];
}
