/* at: 0.71,-1.17,0.77,1.9,-0.3,0.45,0.9,0.2
 * flags: -msse4.1
 * noise: 1e-3
 * Intrinsics of SSE to SSE4.1 on floats; approximations of 1/x and 1/sqrt(x) have the derivatives of what they
 * approximate. */
#include <immintrin.h>
#include <stddef.h>

static double sum(__m128 v) {
    float lanes[4];
    _mm_storeu_ps(lanes, v);
    return lanes[0] + 2.0 * lanes[1] + 3.0 * lanes[2] + 4.0 * lanes[3];
}

double f(const double *x, size_t n) {
    float y[16];
    for (size_t i = 0; i < n; i++)
        y[i] = (float)x[i];
    double s = 0;
    for (size_t i = 0; i + 7 < n; i++) {
        __m128 a = _mm_loadu_ps(y + i), b = _mm_loadu_ps(y + i + 4), c = _mm_mul_ps(a, b);
        __m128 p = _mm_add_ps(_mm_mul_ps(c, c), _mm_set1_ps(1));
        s += sum(_mm_max_ps(a, b)) + sum(_mm_min_ps(c, b)) + sum(_mm_max_ss(a, c)) + sum(_mm_min_ss(c, a));
        s += sum(_mm_mul_ps(_mm_hadd_ps(a, c), _mm_hsub_ps(b, c))) + sum(_mm_addsub_ps(c, b));
        s += sum(_mm_dp_ps(a, b, 0xf1)) + sum(_mm_dp_ps(a, c, 0x5a));
        s += sum(_mm_blendv_ps(a, c, _mm_cmpge_ps(a, b))) + sum(_mm_insert_ps(a, c, 0x92));
        s += sum(_mm_rcp_ps(p)) + sum(_mm_rsqrt_ps(p)) + sum(_mm_rcp_ss(p)) + sum(_mm_rsqrt_ss(p));
        s += sum(_mm_mul_ps(_mm_ceil_ps(a), c)) + sum(_mm_movehl_ps(a, c)) + sum(_mm_shuffle_ps(a, b, 0x1b));
        s += sum(_mm_cvtpd_ps(_mm_cvtps_pd(c))) + sum(_mm_cvtsd_ss(a, _mm_cvtps_pd(b))) + _mm_movemask_ps(b);
        s += sum(_mm_cvtepi32_ps(_mm_cvtps_epi32(b))) * _mm_cvtss_f32(c) + sum(_mm_sqrt_ss(p));
    }
    return s;
}
