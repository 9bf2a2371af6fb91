/* at: 0.31,1.7,2.2
 * Loops without an end of their own that are left in several ways, to several places. */
#include <math.h>
#include <stddef.h>

static double walk(double start, double step, double limit) {
    double at = start, path = 0;
    for (int turn = 0;; turn++) {
        at += step * cos(at + turn);
        path += at * at;
        if (at > limit)
            return path;
        if (path > 40)
            break;
        for (;;) {
            path += 0.25 * at * at + 0.05;
            if (path > 3 * turn)
                break;
            if (turn > 10)
                goto lost;
        }
        if (turn == 12)
            return path * 0.5;
    }
    return sqrt(path);
lost:
    return -path * step;
}

double f(const double *x, size_t n) {
    (void)n;
    return walk(x[0], 0.4, x[2]) + walk(-x[1], 0.9, 9) * x[2] + walk(x[2] * x[0], -x[1], 30) + walk(-9, 0.05, x[0]);
}
