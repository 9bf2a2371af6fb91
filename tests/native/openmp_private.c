/* at: random:16:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-6
 * Private variables, first and last values, copies that one thread makes for all; captured numbers of all types. */
#include <math.h>
#include <stddef.h>

typedef struct pair {
    double a;
    float b;
} pair;

double f(const double *x, size_t n) {
    double scale = x[0] * x[1], last = 0, y[16], hold[3] = {x[2], x[3], 1}, sum = 0, once = 0, other = 3;
    float single = (float)x[2];
    long double precise = x[3];
    pair both = {x[4], (float)x[5]};
    int where = -1;
#pragma omp parallel for firstprivate(scale, hold, single, precise, both) lastprivate(last, where)
    for (size_t i = 0; i < n; i++) {
        hold[2] = x[i] * hold[0];
        y[i] = scale * hold[2] + (double)(single * both.b) + (double)precise * both.a + hold[1];
        last = y[i] * x[i];
        where = (int)i;
    }
#pragma omp parallel private(other)
    {
        double mine;
        other = x[6];
#pragma omp single copyprivate(mine)
        mine = x[7] * other;
#pragma omp for nowait
        for (size_t i = 0; i < n; i++)
            y[i] = y[i] * mine + other;
#pragma omp barrier
#pragma omp single
        once += mine * mine;
    }
#pragma omp parallel for lastprivate(conditional : last)
    for (size_t i = 0; i < n; i++)
        if (x[i] > 1)
            last = x[i] * x[i];
    for (size_t i = 0; i < n; i++)
        sum += sin(y[i]);
    return sum + last + x[where] * scale + once;
}
