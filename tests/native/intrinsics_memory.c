/* at: 0.71,-1.17,0.77,1.9,-0.3,0.45,0.9,0.2,-0.6
 * flags: -mavx2
 * needs: avx2
 * noise: 1e-6
 * Masked loads and stores, and gathers: what the mask leaves out is neither read nor written. */
#include <immintrin.h>
#include <stddef.h>
#include <stdlib.h>

static double sum(__m256d v) {
    double lanes[4];
    _mm256_storeu_pd(lanes, v);
    return lanes[0] + 2 * lanes[1] + 3 * lanes[2] + 4 * lanes[3];
}

double f(const double *x, size_t n) {
    double *heap = malloc(n * sizeof *heap), s = 0;
    float floats[8] = {0}, taken[4];
    for (size_t i = 0; i < n; i++)
        heap[i] = x[i] * x[i];
    for (size_t i = 0; i < 8 && i < n; i++)
        floats[i] = (float)(i * x[0]);
    for (size_t i = 0; i + 3 < n; i++) {
        __m256i mask = _mm256_set_epi64x(i + 5 < n ? -1 : 0, i % 2 ? -1 : 0, -1, 0);
        __m256d a = _mm256_maskload_pd(heap + i, mask);
        s += sum(_mm256_mul_pd(a, a));
        _mm256_maskstore_pd(heap + i, mask, _mm256_add_pd(_mm256_mul_pd(a, _mm256_set1_pd(0.5)), _mm256_set1_pd(x[i])));
        __m128i places = _mm_set_epi32((int)(i + 1), 0, 2, (int)i);
        __m256d g = _mm256_i32gather_pd(heap, places, 8);
        __m256d h = _mm256_mask_i64gather_pd(a, heap, _mm256_set_epi64x(1, 0, 3, 2), _mm256_sub_pd(g, a), 8);
        s += sum(_mm256_mul_pd(g, h)) + x[i] * sum(_mm256_i64gather_pd(x, _mm256_set1_epi64x((long long)i), 8));
    }
    /* The last lanes lie behind the end of the block. */
    __m256i end = _mm256_set_epi64x(0, 0, 0, -1);
    s += sum(_mm256_maskload_pd(heap + n - 1, end));
    _mm256_maskstore_pd(heap + n - 1, end, _mm256_set1_pd(3 * s));
    _mm_storeu_ps(taken, _mm256_i64gather_ps(floats, _mm256_set_epi64x(1, 3, 5, 7), 4));
    s += heap[n - 1] + taken[0] + 2 * taken[1] + (double)taken[2] * taken[3];
    free(heap);
    return s;
}
