/* at: 0.71,-1.17,0.77,1.9,-0.3,0.45,0.9,0.2,-0.6
 * flags: -mavx2 -mfma
 * needs: avx2 fma
 * Intrinsics of AVX, AVX2 and FMA on doubles, 256 bits wide. */
#include <immintrin.h>
#include <stddef.h>

static double sum(__m256d v) {
    double lanes[4];
    _mm256_storeu_pd(lanes, v);
    return lanes[0] + 2 * lanes[1] + 3 * lanes[2] + 4 * lanes[3];
}

double f(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i + 7 < n; i++) {
        __m256d a = _mm256_loadu_pd(x + i), b = _mm256_loadu_pd(x + i + 4), c = _mm256_mul_pd(a, b);
        __m256i order = _mm256_set_epi64x(0, 2, (long long)i, 3), odd = _mm256_slli_epi64(order, 1);
        s += sum(_mm256_max_pd(a, b)) + sum(_mm256_min_pd(c, b)) + sum(_mm256_addsub_pd(c, b));
        s += sum(_mm256_mul_pd(_mm256_hadd_pd(a, c), _mm256_hsub_pd(b, c)));
        s += sum(_mm256_blendv_pd(a, c, _mm256_cmp_pd(a, b, _CMP_NLT_UQ)));
        s += sum(_mm256_and_pd(_mm256_cmp_pd(a, c, _CMP_GT_OQ), b));
        s += sum(_mm256_fmadd_pd(a, b, c)) + sum(_mm256_fmsub_pd(a, c, b)) + sum(_mm256_fnmadd_pd(c, b, a));
        s += sum(_mm256_fmaddsub_pd(a, b, c)) + sum(_mm256_fmsubadd_pd(c, b, a));
        s += sum(_mm256_permute2f128_pd(a, c, 0x21)) + sum(_mm256_permute_pd(b, 5)) +
             sum(_mm256_permute4x64_pd(c, 0x1b));
        s += sum(_mm256_permutevar_pd(c, odd)) + sum(_mm256_mul_pd(_mm256_floor_pd(a), c));
        s += sum(_mm256_shuffle_pd(a, c, 6)) + sum(_mm256_unpacklo_pd(b, c)) + sum(_mm256_broadcast_sd(x + i));
        s += sum(_mm256_sqrt_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), c))) + _mm256_movemask_pd(b);
        s += sum(_mm256_insertf128_pd(a, _mm256_extractf128_pd(c, 1), 0)) + _mm256_testz_pd(a, b);
        s += sum(_mm256_cvtepi32_pd(_mm256_cvtpd_epi32(b))) * x[i];
    }
    return s;
}
