/* at: 0.71,-1.17,0.77,1.9,-0.3,0.45
 * flags: -msse4.1
 * Intrinsics of SSE to SSE4.1 on doubles: minimum and maximum (the second where they are equal), horizontal sums, dot
 * products, blends, comparisons of one lane, rounding, conversions. */
#include <immintrin.h>
#include <stddef.h>

static double sum(__m128d v) {
    return _mm_cvtsd_f64(v) + 3 * _mm_cvtsd_f64(_mm_unpackhi_pd(v, v));
}

double f(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i + 3 < n; i++) {
        __m128d a = _mm_loadu_pd(x + i), b = _mm_loadu_pd(x + i + 2), c = _mm_mul_pd(a, b);
        s += sum(_mm_max_pd(a, b)) + sum(_mm_min_pd(c, b)) + sum(_mm_max_sd(a, c)) + sum(_mm_min_sd(c, a));
        s += sum(_mm_mul_pd(_mm_hadd_pd(a, c), _mm_hsub_pd(b, c))) + sum(_mm_addsub_pd(c, b));
        s += sum(_mm_dp_pd(a, b, 0x31)) + sum(_mm_dp_pd(a, c, 0x13));
        __m128d less = _mm_cmplt_pd(a, b);
        s += sum(_mm_blendv_pd(a, c, less)) + sum(_mm_and_pd(less, c)) + sum(_mm_andnot_pd(less, a));
        s += sum(_mm_or_pd(_mm_and_pd(less, b), _mm_andnot_pd(less, c)));
        s += sum(_mm_blendv_pd(a, c, _mm_cmp_sd(a, b, 1)));
        s += sum(_mm_mul_pd(_mm_floor_pd(a), c)) + sum(_mm_round_sd(a, b, _MM_FROUND_TO_NEAREST_INT));
        s += sum(_mm_sqrt_pd(_mm_andnot_pd(_mm_set1_pd(-0.0), c))) + sum(_mm_sqrt_sd(a, _mm_mul_pd(b, b)));
        s += sum(_mm_xor_pd(_mm_set1_pd(-0.0), c)) + _mm_movemask_pd(a) + _mm_cvttsd_si32(b) + _mm_comilt_sd(a, b);
        s += sum(_mm_shuffle_pd(a, b, 1)) + sum(_mm_blend_pd(a, b, 2)) + sum(_mm_div_sd(a, b));
        s += sum(_mm_max_pd(a, a)) + sum(_mm_max_pd(_mm_set1_pd(0.0), _mm_mul_pd(a, _mm_set_pd(0, 1))));
    }
    return s;
}
