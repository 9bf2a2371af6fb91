/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * flags: -O1
 * What an inner loop has read repeatedly is overwritten, or freed, in the block that follows the loop. */
#include <math.h>
#include <stdlib.h>

static double now;

/* clang does not know that h is a block of its own, so it reads `now` in every iteration of the inner loop. */
static double *filled(int n, double with) {
    double *h = malloc((size_t)n * sizeof *h);
    for (int i = 0; i < n; i++)
        h[i] = with + i;
    return h;
}

static double steps(const double *x, const int *place) {
    double *h = filled(6, x[1]), sum = 0;
    now = x[0];
    for (int t = 0; t < 5; t++) {
        for (int i = 0; i < 12; i++)
            h[place[i]] = sin(now * (t + 1)) * now + x[2] * now;
        now = x[3] / (1 + now * now) + t;
    }
    for (int i = 0; i < 6; i++)
        sum += h[i];
    free(h);
    return sum + now;
}

static double blocks(const double *x) {
    double sum = 0;
    for (int t = 0; t < 3; t++) {
        double *work = filled(9, x[t] * x[t + 1]);
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 8; i++)
                sum += work[i] * work[i + 1] * 0.01;
        free(work);
    }
    return sum;
}

double f(const double *x, size_t n) {
    static const int place[12] = {0, 1, 2, 3, 4, 5, 2, 1, 0, 3, 3, 5};
    return steps(x, place) + blocks(x) + x[n - 1];
}
