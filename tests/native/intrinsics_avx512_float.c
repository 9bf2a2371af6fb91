/* at: random:33:0.3:1.8
 * flags: -mavx512f -mavx512dq -mavx512vl
 * needs: avx512f avx512dq avx512vl
 * noise: 1e-3
 * Intrinsics of AVX-512 on floats. */
#include <immintrin.h>
#include <stddef.h>

static double sum(__m512 v) {
    float lanes[16];
    double s = 0;
    _mm512_storeu_ps(lanes, v);
    for (int i = 0; i < 16; i++)
        s += (i + 1) * lanes[i];
    return s;
}

double f(const double *x, size_t n) {
    float y[40];
    double s = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = (float)x[i];
    for (size_t i = 0; i + 31 < n; i++) {
        __m512 a = _mm512_loadu_ps(y + i), b = _mm512_loadu_ps(y + i + 16), c = _mm512_sub_ps(a, b);
        __mmask16 less = _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
        s += sum(_mm512_max_ps(a, b)) + sum(_mm512_mask_min_ps(a, less, c, b)) + sum(_mm512_fmaddsub_ps(a, b, c));
        s += sum(_mm512_rcp14_ps(a)) + sum(_mm512_mask_rsqrt14_ps(c, less, b)) + _mm512_reduce_add_ps(c);
        s += sum(_mm512_mul_round_ps(a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
        __m256 narrow = _mm512_cvtpd_ps(_mm512_cvtps_pd(_mm512_castps512_ps256(c)));
        s += sum(_mm512_broadcast_f32x8(narrow)) + sum(_mm512_permutevar_ps(a, _mm512_set1_epi32((int)i)));
    }
    return s;
}
