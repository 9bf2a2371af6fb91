/* at: 0.7,-1.1,0.4,-0.9,1.3,-0.2,0.6,-1.7
 * noise: 1e-6
 * Masks of bits that differ from lane to lane. Constants: absolute values and signs of one lane, lanes that are
 * cleared. Comparisons of one lane, which leave bits of a number in the others (_mm_cmplt_sd). */
#include <immintrin.h>
#include <stddef.h>

static double sum(__m128d v) {
    return _mm_cvtsd_f64(v) + 3 * _mm_cvtsd_f64(_mm_unpackhi_pd(v, v));
}

static float sum_float(__m128 v) {
    float all[4];
    _mm_storeu_ps(all, v);
    return all[0] + 2 * all[1] + 3 * all[2] + 5 * all[3];
}

#define LANES(high, low) _mm_castsi128_pd(_mm_set_epi64x(high, low))
#define FLOATS(d, c, b, a) _mm_castsi128_ps(_mm_set_epi32(d, c, b, a))

static double by_constants(const double *x, size_t n) {
    const long long sign = (long long)0x8000000000000000u;
    const int bit = (int)0x80000000u;
    double s = 0;
    for (size_t i = 0; i + 4 <= n; i += 2) {
        __m128d a = _mm_loadu_pd(x + i), b = _mm_mul_pd(a, _mm_loadu_pd(x + i + 2));
        __m128d one = _mm_and_pd(LANES(-1, 0), a), other = _mm_and_pd(b, LANES(0, -1));
        s += sum(_mm_mul_pd(_mm_add_pd(one, b), _mm_add_pd(other, a)));
        s += sum(_mm_mul_pd(_mm_and_pd(LANES(-1, ~sign), a), b));              /* |a| in the low lane */
        s += sum(_mm_mul_pd(_mm_andnot_pd(LANES(sign, 0), b), b));             /* |b| in the high lane */
        s += sum(_mm_mul_pd(_mm_xor_pd(LANES(sign, 0), a), _mm_sub_pd(b, a))); /* -a in the high lane: conjugate */
        s += sum(_mm_mul_pd(_mm_or_pd(LANES(0, sign), a), b));                 /* -|a| in the low lane */
        s += sum(_mm_xor_pd(_mm_and_pd(LANES(0, sign), a), b));                /* the sign of a's low lane */
        __m128 p = _mm_cvtpd_ps(a), q = _mm_movelh_ps(p, _mm_cvtpd_ps(b));
        s += (double)sum_float(_mm_and_ps(FLOATS(0, -1, ~bit, -1), q));
        s += (double)sum_float(_mm_mul_ps(_mm_xor_ps(FLOATS(bit, 0, bit, 0), q), q));
        s += (double)sum_float(_mm_mul_ps(_mm_andnot_ps(FLOATS(0, bit, -1, 0), q), q));
        s += (double)sum_float(_mm_mul_ps(_mm_or_ps(FLOATS(0, bit, 0, bit), q), q));
    }
    return s;
}

static double by_comparisons(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i + 4 <= n; i += 2) {
        __m128d a = _mm_loadu_pd(x + i), b = _mm_loadu_pd(x + i + 2), c = _mm_mul_pd(a, b);
        __m128d less = _mm_cmplt_sd(a, b);
        s += _mm_cvtsd_f64(_mm_and_pd(less, c)) * 2;
        s += _mm_cvtsd_f64(_mm_andnot_pd(less, b)) * _mm_cvtsd_f64(c);
        s += _mm_cvtsd_f64(_mm_or_pd(_mm_and_pd(less, a), _mm_andnot_pd(less, c)));
        __m128 p = _mm_cvtpd_ps(a), q = _mm_cvtpd_ps(c);
        __m128 below = _mm_cmplt_ss(p, q);
        s += (double)_mm_cvtss_f32(_mm_and_ps(below, q)) * 3;
        s += (double)_mm_cvtss_f32(_mm_or_ps(_mm_and_ps(below, p), _mm_andnot_ps(below, q)));
    }
    return s;
}

double f(const double *x, size_t n) {
    return by_constants(x, n) + by_comparisons(x, n);
}
