/* at: 0.71,1.17,0.77,1.9,0.33,0.45,0.9,0.52,0.64,1.31,0.58,1.44,0.39,1.08,0.83,1.62
 * flags: -mavx2 -mfma
 * needs: avx2 fma
 * noise: 1e-3
 * Intrinsics of AVX, AVX2 and FMA on floats, 256 bits wide. */
#include <immintrin.h>
#include <stddef.h>

static double sum(__m256 v) {
    float lanes[8];
    double s = 0;
    _mm256_storeu_ps(lanes, v);
    for (int i = 0; i < 8; i++)
        s += (i + 1) * lanes[i];
    return s;
}

double f(const double *x, size_t n) {
    float y[32];
    for (size_t i = 0; i < n; i++)
        y[i] = (float)x[i];
    double s = 0;
    for (size_t i = 0; i + 15 < n; i++) {
        __m256 a = _mm256_loadu_ps(y + i), b = _mm256_loadu_ps(y + i + 8), c = _mm256_sub_ps(a, b);
        __m256i order = _mm256_set_epi32(7, 0, 5, (int)i, 3, 2, 2, 6);
        s += sum(_mm256_max_ps(a, b)) + sum(_mm256_min_ps(c, b)) + sum(_mm256_addsub_ps(c, b));
        s += sum(_mm256_mul_ps(_mm256_hadd_ps(a, c), _mm256_hsub_ps(b, c))) + sum(_mm256_dp_ps(a, b, 0x72));
        s += sum(_mm256_blendv_ps(a, c, _mm256_cmp_ps(a, b, _CMP_LE_OS))) + sum(_mm256_fmaddsub_ps(a, b, c));
        s += sum(_mm256_rcp_ps(a)) + sum(_mm256_rsqrt_ps(b)) + sum(_mm256_sqrt_ps(a));
        s += sum(_mm256_permutevar8x32_ps(c, order)) + sum(_mm256_permutevar_ps(c, order));
        s += sum(_mm256_mul_ps(_mm256_round_ps(a, _MM_FROUND_TO_ZERO), c)) + _mm256_movemask_ps(c);
        __m128 narrow = _mm256_cvtpd_ps(_mm256_cvtps_pd(_mm256_castps256_ps128(c)));
        s += sum(_mm256_set_m128(narrow, narrow));
    }
    return s;
}
