/* at: 0.7,1.1,0.25,2.0
 * noise: 2e-6
 * Single precision: arithmetic, arrays of floats with odd places, mixed with doubles, functions of math.h. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static float norm(const float *v, int count) {
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += v[i] * v[i];
    return sqrtf(sum);
}

double f(const double *x, size_t n) {
    float *v = malloc((n + 1) * sizeof *v), odd[7];
    for (size_t i = 0; i < n; i++)
        v[i] = (float)x[i];
    v[n] = v[0] * v[1] - v[2] / v[3];
    for (int i = 0; i < 7; i++)
        odd[i] = v[(size_t)i % (n + 1)] * (float)(i + 1);
    float length = norm(v, (int)n + 1) + norm(odd + 1, 5);
    double sum = (double)length * x[0];
    for (int i = 1; i < 7; i++)
        odd[i] = 0.5f * odd[i - 1] + fmaf(odd[i], 0.25f, v[1]);
    sum += sinf(odd[3]) + odd[6] * 0.1 + expf(-v[2]) * x[3] + powf(v[3], 1.5f);
    free(v);
    return sum;
}
