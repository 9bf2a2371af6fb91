/* at: random:18:0.3:1.8
 * flags: -mavx512f -mavx512dq -mavx512vl
 * needs: avx512f avx512dq avx512vl
 * Intrinsics of AVX-512 on doubles: masks, rounding that is named, reductions, compressing and expanding, scatters,
 * mantissas and exponents. */
#include <immintrin.h>
#include <stddef.h>

static double sum(__m512d v) {
    double lanes[8], s = 0;
    _mm512_storeu_pd(lanes, v);
    for (int i = 0; i < 8; i++)
        s += (i + 1) * lanes[i];
    return s;
}

static double sum2(__m128d v) {
    return _mm_cvtsd_f64(v) + 3 * _mm_cvtsd_f64(_mm_unpackhi_pd(v, v));
}

static double of_masks(__m512d a, __m512d b, double *work) {
    __mmask8 less = _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), some = 0x5b;
    double s = sum(_mm512_mask_max_pd(a, less, a, b)) + sum(_mm512_maskz_min_pd(some, a, b)) + less % 2;
    s += sum(_mm512_mask_add_pd(a, some, a, b)) + sum(_mm512_mask_blend_pd(less, a, b));
    s += sum(_mm512_maskz_loadu_pd(some, work)) + sum(_mm512_mask_compress_pd(b, less, a));
    s += sum(_mm512_mask_expand_pd(b, some, a)) + sum(_mm512_maskz_expandloadu_pd(less, work + 1));
    _mm512_mask_storeu_pd(work + 8, some, _mm512_mul_pd(a, b));
    _mm512_mask_compressstoreu_pd(work + 16, less, b);
    __m512i places = _mm512_set_epi64(8, 10, 12, 14, 15, 13, 11, 9);
    s += sum(_mm512_mask_i64gather_pd(a, some, places, work, 8));
    _mm512_mask_i64scatter_pd(work, less, places, _mm512_mul_pd(b, b), 8);
    return s + sum(_mm512_loadu_pd(work + 8)) + sum(_mm512_loadu_pd(work + 16));
}

double f(const double *x, size_t n) {
    double s = 0, work[24];
    for (int i = 0; i < 24; i++)
        work[i] = i * x[0];
    for (size_t i = 0; i + 15 < n; i++) {
        __m512d a = _mm512_loadu_pd(x + i), b = _mm512_loadu_pd(x + i + 8), c = _mm512_sub_pd(a, b);
        __m128d d = _mm_loadu_pd(x + i), e = _mm_loadu_pd(x + i + 3);
        s += sum(_mm512_max_pd(a, b)) + sum(_mm512_min_pd(c, b)) + of_masks(a, b, work);
        s += sum(_mm512_fmadd_pd(a, b, c)) + sum(_mm512_fmaddsub_pd(a, b, c)) + sum(_mm512_sqrt_pd(a));
        s += sum(_mm512_add_round_pd(a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
        s += sum(_mm512_div_round_pd(c, b, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
        s += sum(_mm512_fmadd_round_pd(a, b, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
        s += _mm512_reduce_add_pd(a) + _mm512_reduce_mul_pd(b) + _mm512_reduce_max_pd(c) + _mm512_reduce_min_pd(c);
        s += sum(_mm512_mul_pd(_mm512_getmant_pd(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src), _mm512_getexp_pd(b)));
        s += sum(_mm512_scalef_pd(a, b)) + sum(_mm512_roundscale_pd(b, 0)) + sum(_mm512_reduce_pd(c, 0x10));
        s += sum(_mm512_permutexvar_pd(_mm512_set_epi64(0, 7, 1, 6, 2, 5, 3, (long long)i), c));
        s += sum(_mm512_permutex2var_pd(a, _mm512_set_epi64(9, 7, 1, 15, 2, 5, 3, (long long)i), c));
        s += sum2(_mm_mask_sqrt_sd(d, 1, d, e)) + sum2(_mm_maskz_max_sd(1, d, e)) + sum2(_mm_mask_div_sd(e, 2, d, e));
    }
    return s;
}
